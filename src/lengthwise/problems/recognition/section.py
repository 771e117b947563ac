"""The report's section about a recogniser: words, proof, curves and shortcuts, analyses."""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from lengthwise.analysis.analyses import ANALYSES, Knowledge, has_binary_memory, record_path
from lengthwise.analysis.figures import accuracy_figure, to_page_svg
from lengthwise.errors import RunError
from lengthwise.evaluation.scores import Score, Scores, percent
from lengthwise.files import read_object, require_kinds, values_of
from lengthwise.languages.characters import list_symbols
from lengthwise.languages.describe import samples
from lengthwise.languages.language import Language
from lengthwise.languages.named_languages import CATALOGUE
from lengthwise.messages import format_count, shorten
from lengthwise.objectives.catalogue import OBJECTIVES
from lengthwise.problems.account import Records
from lengthwise.problems.base import Plan
from lengthwise.problems.recognition.measure import list_scores
from lengthwise.problems.results import Condition, Curve, Facts, Section
from lengthwise.problems.run_certificate import Proof, find_known_verdict, read_proof
from lengthwise.proofs.check.statement import facts_of
from lengthwise.registry import Catalogue
from lengthwise.templates import template
from lengthwise.training.runs import RunFolder


class Published(Protocol):
    """The number that a paper prints for a model on a language, in percent."""

    source: str
    best: float
    mean: float | None
    train_length: int
    test_lengths: tuple[int, int]


class FindPublished(Protocol):
    """Finds the published number for a language and a network."""

    def __call__(self, language: str, model: str, network: Mapping[str, Any]) -> Published | None:
        """Return the published number, or None if the paper prints none."""
        ...


PUBLISHED: Catalogue[FindPublished] = Catalogue(
    "table of published numbers", {}, group="lengthwise.published"
)
"""The tables that the report searches for published numbers."""

COLUMNS = [
    "run",
    "trained on",
    "tested on",
    "mean %",
    "worst %",
    "best shortcut %",
    "published %",
    "at every length",
]

NOTE = (
    "“mean” is over lengths, “worst” is the worst single length. “published” is the best and the "
    "mean over seeds of RegularGPT with the same chunk size, and of an RNN for elman and a "
    "Transformer for chomsky-transformer (Chi et al. 2023, Table 1), tested on 41..500 after "
    "training on 1..40, or on 51..100 after 1..50; with its own word distribution and the answer "
    "alone supervised; the table has it where lengths agree. Words and supervision of our "
    "runs are named below."
)


_MOST_CLASSES = 12

_PROTOCOL_TERMS = {
    "published": "drawn as the authors of RegularGPT drew them",
    "audited": "all classes at every length, where they exist, equally often; of the negatives "
    "half are near misses, one edit away from a member",
}


def section_of(language: Language, records: Records, title: str) -> Section:
    """Return the section of the report about a run on a language.

    Raises:
        RunError: a record is damaged.
        CertificateError: the certificate was changed, or is of other weights than the run's.
    """
    folder, plan = records.folder, records.plan
    assert folder is not None
    scores = Scores.from_records(folder.scores())
    evaluation = _evaluation(folder, scores)
    printed = _find_published(language.spec, plan)
    trained_to = plan.data.max_length
    comparable = printed if printed and _are_comparable(printed, scores, trained_to) else None
    proof, curve, tested = read_proof(folder, language), None, Facts()
    cells = ["not evaluated yet", "", "", ""]
    if evaluation is not None:
        with values_of(folder.path / "evaluation.json", remedy="Evaluate again."):
            tested, cells = list_scores(evaluation), _cells(evaluation)
            if len(scores.lengths) > 1:
                curves = {title: scores.accuracy_by_length()}
                curve = to_page_svg(accuracy_figure(curves, trained_to, evaluation["shortcuts"]))
    known = Knowledge(
        verdict=find_known_verdict(proof, language),
        has_binary_memory=has_binary_memory(plan.network),
    )
    page = template("lengthwise.problems.recognition", "section.html", percent=percent)
    body = page.render(
        plan=plan,
        evaluation=evaluation,
        tested=tested,
        records=_some(scores),
        curve=curve,
        published=printed,
        proof=proof,
        looks=read_looks(folder.path, known),
        path=shlex.quote(str(folder.path)),
        figures=facts_of(proof.certificate) if proof else [],
        check=shlex.quote(str(folder.certificate)),
    )
    return Section(
        columns=COLUMNS,
        cells=[
            f"1..{trained_to}",
            *cells,
            f"{comparable.best} / {comparable.mean}" if comparable else "",
            proof.brief(language) if proof else "not certified",
        ],
        note=NOTE,
        body=body,
        about=_about(language),
        terms=_terms(plan, proof),
    )


def _about(language: Language) -> Facts:
    """Describe a language: its definition, its size, and sample words of each class."""
    entry = CATALOGUE[language.spec] if language.spec in CATALOGUE else None  # noqa: SIM401
    facts = [] if entry is None else [("language", f"{language.spec}: {entry.definition}")]
    if entry is None and language.spec:
        facts = [("language", language.spec)]
    minimal = language.minimise()
    facts.append(
        (
            "automaton",
            f"{format_count(minimal.num_states, 'state')} at least, over the symbols "
            f"{list_symbols(language.alphabet)}",
        )
    )
    if language.domain is not None:
        facts.append(("domain", "only some words have a class; no others are drawn"))
    for number, name in enumerate(language.class_names[:_MOST_CLASSES]):
        spellings = [shorten(word, 40) or "the empty word" for word in samples(minimal, number)]
        facts.append((f"words of class {shorten(name, 20)}", ", ".join(spellings) or "none"))
    if language.num_classes > _MOST_CLASSES:
        facts.append(("further classes", str(language.num_classes - _MOST_CLASSES)))
    advice = dict(language.ladder().advice())
    facts.append(("least network known to carry it", f"{advice['network']}; {advice['known']}"))
    return [*facts, ("because", advice["because"])]


def _terms(plan: Plan, proof: Proof | None) -> Facts:
    """Return definitions of the terms that the section uses."""
    terms = [
        (f"{plan.data.protocol} words", _PROTOCOL_TERMS[plan.data.protocol]),
        (f"{plan.supervision} supervision", OBJECTIVES[plan.supervision].told),
        (
            "shortcut",
            "a rule that looks at very little of a word; what it reaches, a model need not have "
            "learned the language to reach",
        ),
    ]
    if proof is not None and proof.certificate.levels and not proof.certificate.is_recurrent:
        terms.append(
            (
                "interior and edge",
                "the model reads a word as a tree of chunks that are counted from its end: an edge "
                "vector is of a sub-word at the start of the word, whose chunks may lack symbols, "
                "an interior one of any other. A pair is a vector with what its sub-word does to "
                "the automaton",
            )
        )
    return terms


def curve_of(folder: RunFolder, plan: Plan) -> Curve | None:
    """Return accuracy by length in the last evaluation, or None if there is none.

    Raises:
        RunError: a record is damaged.
    """
    scores = Scores.from_records(folder.scores())
    evaluation = _evaluation(folder, scores)
    if evaluation is None:
        return None
    protocol, seed = f"protocol {evaluation['protocol']}", evaluation.get("seed", 0)
    return Curve(
        points={length: 100 * share for length, share in scores.accuracy_by_length().items()},
        measure="accuracy (%)",
        conditions=[Condition(value=protocol, shown=protocol, options=f"--{protocol}")],
        sample=f"{evaluation['words_per_length']:,} of each length, seed {seed}",
        trained_to=plan.data.max_length,
        shortcuts={name: 100 * share for name, share in evaluation["shortcuts"].items()},
    )


def _cells(evaluation: Mapping[str, Any]) -> list[str]:
    first, last = evaluation["lengths"]
    shares = evaluation["mean_accuracy"], evaluation["worst_accuracy"]
    best = max(evaluation["shortcuts"].values())
    lengths = f"{first}..{last}" if first < last else str(first)
    return [lengths, *map(percent, (*shares, best))]


def _some(scores: Scores) -> list[Score]:
    """Return accuracy and loss by length and class, at about a dozen lengths."""
    lengths = scores.lengths
    some_lengths = {*lengths[:: max(1, len(lengths) // 11)], *lengths[-1:]}
    return [record for record in scores.records if record.length in some_lengths]


def _find_published(spec: str, plan: Plan) -> Published | None:
    network = plan.network.to_dict()
    results = (PUBLISHED[name](spec, plan.model, network) for name in PUBLISHED)
    return next((result for result in results if result is not None), None)


def _are_comparable(printed: Published, scores: Scores, trained_to: int) -> bool:
    """Return whether training and test lengths are those of the paper."""
    tested = scores.lengths
    if trained_to != printed.train_length or not tested:
        return False
    first, last = printed.test_lengths
    return first <= tested[0] <= first + 1 and last - 1 <= tested[-1] <= last


def _evaluation(folder: RunFolder, scores: Scores) -> dict[str, Any] | None:
    """Return the summary of the last evaluation, or None if there is none."""
    evaluation, path = folder.evaluation(), folder.path
    if (evaluation is None) != (not scores.records):
        raise RunError(
            f"{path} holds one half of an evaluation: scores.jsonl or evaluation.json is empty "
            f"or missing. Evaluate it again."
        )
    if evaluation is None:
        return None
    shares = dict.fromkeys(("mean_accuracy", "worst_accuracy"), "a share")
    kinds = {**shares, "words": "an integer", "protocol": "a string"}
    where = f"{path}/evaluation.json"
    require_kinds(evaluation, kinds, where=where, remedy="Evaluate again.")
    if scores.total != evaluation["words"]:
        raise RunError(
            f"{path}/scores.jsonl holds the scores of {scores.total} words, but "
            f"evaluation.json is about {evaluation['words']}. Evaluate again."
        )
    return evaluation


def read_looks(path: Path, known: Knowledge) -> list[dict[str, Any]]:
    """Draw the analyses that `analyse` left in a run folder, and say what they mean.

    Raises:
        RunError: a record is damaged.
    """
    looks = []
    for name, entry in ANALYSES.items():
        file = record_path(path, name)
        if not file.exists():
            continue
        record = read_object(file, remedy="Analyse the run again.")
        with values_of(file, remedy="Analyse the run again."):
            lengths = ", ".join(map(str, record["lengths"]))
            looks.append(
                {
                    "title": entry.title,
                    "words": f"{record['words_per_length']} uniform words of {lengths} symbols",
                    "figure": to_page_svg(entry.draw(record)),
                    "meaning": entry.meaning(record, known),
                    "numbers": entry.numbers(record),
                    "caption": entry.caption,
                }
            )
    return looks
