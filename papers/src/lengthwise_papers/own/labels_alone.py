"""From labels alone to a proof: which languages are found, from how many words, at which noise.

The learner sees words of up to 40 symbols, each with the label of the whole word, and nothing else:
no labels of prefixes, no states, no queries. Validation and every choice use the same words. The
true language judges afterwards: whether the automaton is that language (on its domain), which with
the proof about the network makes this right at every length, whether the network is proved against
it directly, too, and how often the automaton is wrong on fresh words.
"""

import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

import torch

import lengthwise as lw
from lengthwise.analysis.figures import Picture
from lengthwise.errors import TextError
from lengthwise.evaluation.scores import wilson
from lengthwise.files import write_text
from lengthwise.languages.characters import format_alphabet
from lengthwise.languages.language import Language
from lengthwise.languages.named_languages import TABLE_1
from lengthwise.languages.spec import parse
from lengthwise.problems.inferred.problem import InferredProblem
from lengthwise.problems.planning import make_plan
from lengthwise.proofs.search.certify import certify
from lengthwise.tasks.automaton import Automaton
from lengthwise.tasks.task import Task
from lengthwise.training.devices import environment
from lengthwise_papers.experiment import Record, Statement, Table, preset_catalogue
from lengthwise_papers.own.random_languages import uniform_automaton
from lengthwise_papers.parts import Part, PartsExperiment, group_records, train_in_folder
from lengthwise_papers.points_figure import points_figure

GROUPS = (
    *("group:S3", "group:Z60", "group:A5,generators=2,seed=0"),
    *(f"group:S5,generators={count},seed=0" for count in (2, 8, 32)),
)

LONGEST = 40

FRESH = 20_000
"""Fresh words on which the automaton is compared with the true language."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """Languages and numbers of words; random automata and shares of wrong labels."""

    preset: str
    languages: tuple[str, ...] = (*TABLE_1, *GROUPS)
    words: tuple[int, ...] = (100, 1_000, 10_000, 100_000)
    seeds: tuple[int, ...] = (0, 1, 2)
    automata: int = 50
    automaton_words: int = 20_000
    noise: tuple[float, ...] = (0.0, 0.01, 0.05)


def parts(sizes: Sizes, seeds: Sequence[int]) -> list[Part]:
    """Return a part for each language, number of words and draw, and for each random automaton."""
    all_parts = []
    for noise in sizes.noise:
        for automaton in seeds or range(sizes.automata):
            name = f"automaton {automaton}, {sizes.automaton_words} words, noise {noise}"
            settings = {"automaton": automaton, "words": sizes.automaton_words, "noise": noise}
            all_parts.append(Part(name, {**settings, "preset": sizes.preset}))
    for seed in seeds or sizes.seeds:
        for words in sizes.words:
            for spec in sizes.languages:
                name = f"{spec}, {words} words, seed {seed}"
                part_settings = {"language": spec, "words": words, "seed": seed}
                all_parts.append(Part(name, {**part_settings, "preset": sizes.preset}))
    return all_parts


def measure(settings: Mapping[str, Any], folder: Path) -> list[Record]:
    """Infer an automaton, train and certify a network, and let the true language judge both."""
    noise, words = settings.get("noise", 0.0), settings["words"]
    if "automaton" in settings:
        language, seed = uniform_automaton(settings["automaton"]), settings["automaton"]
    else:
        language, seed = parse(settings["language"]), settings["seed"]
    file = folder / "words.tsv"
    write_words(file, language, words, seed, noise)
    record: Record = {
        "seed": 0,
        **settings,
        "protocol": "audited",
        "words_per_length": None,  # fresh words have mixed lengths
        "interval_95": None,
        "told": "labels of whole words",
        "true_states": language.num_states,
        "symbols": language.num_symbols,
        "environment": environment("cpu"),
    }
    start = time.process_time()
    try:
        inference = lw.infer(
            file, alphabet=format_alphabet(language.alphabet), label_noise=noise, progress=False
        )
    except TextError as error:
        reason = str(error).removeprefix(f"words:{file}: ")
        seconds = round(time.process_time() - start, 1)
        return [{**record, "found": False, "refused": reason, "seconds_to_infer": seconds}]
    seconds = round(time.process_time() - start, 1)
    assert isinstance(inference, lw.Inference)  # not of pairs
    plan = make_plan(InferredProblem.of(inference), preset=settings["preset"])
    run, training = train_in_folder(plan, folder)
    same = is_same(inference.language, language)
    against = certify(run.model, language).verdict if same else "not asked"
    wrong_share = true_error(inference.language, language, FRESH, seed=1)
    return [
        {
            **record,
            **{name: training[name] for name in ("steps", "processor_seconds", "supervision")},
            "seconds_to_infer": seconds,
            "states": inference.language.num_states,
            "found": same,
            "proved": certify(run.model, inference.language).verdict,
            "against_truth": against,
            "statement": {**inference.statement.to_dict(), "thin": []},
            "true_error": wrong_share,
            "interval_95": list(wilson(round(wrong_share * FRESH), FRESH)),
        }
    ]


def write_words(path: Path, language: Language, count: int, seed: int, noise: float) -> None:
    """Write audited words of up to 40 symbols with their labels, and flip a share of these."""
    batch = Task(language=language).draw_mixed(count, LONGEST, torch.Generator().manual_seed(seed))
    labels = {
        language.decode(row[len(row) - length :]): label
        for row, length, label in zip(
            batch.tokens.tolist(), batch.lengths.tolist(), batch.classes.tolist(), strict=True
        )
    }
    draw, names = random.Random(f"noise {seed}"), language.class_names
    lines = [
        f"{word}\t{names[1 - label if draw.random() < noise else label]}\n"
        for word, label in sorted(labels.items())
    ]
    write_text(path, "".join(lines))


def is_same(automaton: Language, language: Language) -> bool:
    """Return whether two languages have the same classes on all words of the true one's domain."""
    true = replace(language, domain=None)
    differ = automaton.combine(
        true, lambda a, b: int(automaton.class_names[a] != true.class_names[b])
    )
    if language.domain is not None:
        differ = differ.combine(language.domain, lambda a, b: a & b)
    return differ.shortest(1) is None


def true_error(automaton: Language, language: Language, count: int, seed: int) -> float:
    """Return the share of fresh audited words of up to 40 symbols that an automaton misjudges."""
    generator = torch.Generator().manual_seed(10_000 + seed)
    batch = Task(language=language).draw_mixed(count, LONGEST, generator)
    answers = Automaton(automaton).classify(batch.tokens)
    return float((answers != batch.classes).double().mean())


def _is_proved(record: Record) -> bool:
    """Return whether a network is proved right, in two ways: it computes A at every length, and A
    is the true language on its domain, as an exact comparison of the automata says; and `certify`
    proves the network against the true language itself.
    """
    proofs = record.get("proved"), record.get("against_truth")
    return bool(record["found"]) and proofs == ("equivalent", "equivalent")


def table(records: Sequence[Record]) -> Table:
    """Return a row for each language: how often it was found and proved, by number of words."""
    of_languages = [record for record in records if "language" in record]
    counts = sorted({record["words"] for record in of_languages})
    rows = []
    for (spec,), of_language in group_records(of_languages, "language").items():
        runs = sorted(of_language, key=lambda run: run["words"])
        cells, best = [], list[Record]()
        for count in counts:
            at = [run for run in runs if run["words"] == count]
            proved = [run for run in at if _is_proved(run)]
            cells.append(f"{len(proved)} of {len(at)}" if at else "")
            best = best or (proved if len(proved) == len(at) else [])
        enough = f"{best[0]['words']:,}" if best else ""
        states = ", ".join(str(n) for n in sorted({run["states"] for run in best}))
        last = [run for run in runs if run["words"] == counts[-1]]
        forced = [run for run in last if run["found"] and run["statement"]["forced"]]
        seconds = [
            f"{max((run.get(name, 0.0) for run in last), default=0.0):.0f}"
            for name in ("seconds_to_infer", "processor_seconds")
        ]
        cells += [enough, states, f"{len(forced)} of {len(last)}", *seconds]
        rows.append([spec, str(runs[0]["true_states"]), *cells])
    header = ["language", "states", *(f"{count:,} words" for count in counts)]
    more = ["forced by most", "seconds to infer from most", "to train"]
    return Table([*header, "enough", "states found", *more], rows)


def noisy_table(records: Sequence[Record]) -> Table:
    """Return a row for each share of wrong labels: random automata found, proved and claimed."""
    rows = []
    of_automata = [record for record in records if "automaton" in record]
    for (noise,), runs in group_records(of_automata, "noise").items():
        stated = [run for run in runs if "statement" in run]
        held = [run for run in stated if run["true_error"] <= _read_claim(run)]
        seconds = sorted(run["seconds_to_infer"] for run in runs)
        rows.append(
            [
                f"{100 * noise:g} %",
                f"{sum(_is_proved(run) for run in runs)} of {len(runs)}",
                f"{sum(run['proved'] == 'equivalent' for run in stated)} of {len(runs)}",
                f"{len(held)} of {len(stated)}",
                f"{median(seconds):.1f}, {seconds[-1]:.1f}",
            ]
        )
    header = ["wrong labels", "language found and proved", "network proved to compute A"]
    more = ["true error below the bound", "seconds to infer: median, most"]
    return Table([*header, *more], rows)


def _read_claim(record: Record) -> float:
    return float(record["statement"]["wrong_share_below"])


def figures(records: Sequence[Record]) -> dict[str, Picture]:
    """Draw the true error of each random automaton against the bound that was claimed."""
    points: dict[str, list[tuple[float, float]]] = {}
    for record in records:
        if "automaton" in record and "statement" in record:
            name = f"{100 * record['noise']:g} % wrong labels"
            points.setdefault(name, []).append(
                (100 * _read_claim(record), 100 * max(record["true_error"], 1e-5))
            )
    return {
        "calibration": points_figure(
            points,
            xlabel="claimed: wrong on less than so many % of words",
            ylabel="true share of wrong words, %",
        )
    }


def check(records: Sequence[Record]) -> list[Statement]:
    """Say whether languages are found from most words, and whether what was claimed is true."""
    of_languages = [record for record in records if "language" in record]
    most = max((record["words"] for record in of_languages), default=0)
    last = [record for record in of_languages if record["words"] == most]
    missed = sorted({record["language"] for record in last if not _is_proved(record)})
    stated = [record for record in records if "statement" in record]
    false = [record for record in stated if record["true_error"] > _read_claim(record)]
    forced = [record for record in stated if record["statement"]["forced"]]
    smaller = [
        record
        for record in forced
        if not record["found"] and record["true_states"] <= record["states"]
    ]
    return [
        Statement(
            "ours",
            f"every language is found and proved from {most:,} words",
            not missed,
            f"all but {', '.join(missed)}" if missed else f"{len(last)} of {len(last)}",
        ),
        Statement(
            "ours",
            "the true error is below the bound",
            not false,
            f"{len(stated) - len(false)} of {len(stated)}",
        ),
        Statement(
            "ours",
            "an automaton that the words force is the language, unless that has more states",
            not smaller,
            f"{len(forced) - len(smaller)} of {len(forced)}",
        ),
    ]


LABELS_ALONE = PartsExperiment(
    item="labels alone",
    claim="Labelled words alone lead to a network that is proved on the true language.",
    presets=preset_catalogue(
        smoke=Sizes(
            preset="smoke",
            languages=("parity",),
            words=(1_000,),
            seeds=(0,),
            automata=1,
            automaton_words=2_000,
            noise=(0.0, 0.05),
        ),
        laptop=Sizes(preset="laptop"),
        paper=Sizes(preset="laptop"),
    ),
    parts=parts,
    measure=measure,
    table=table,
    more={"Random automata": noisy_table},
    figures=figures,
    check=check,
)
