"""Who finds the language from labelled words: five learners, the same words, the same budget.

Each learner is given a file of words of up to 40 symbols with the label of the whole word, and so
many seconds of processor time:

1. `pipeline`: ours. It infers an automaton, and trains a network until it is proved to compute it.
2. `RPNI` and `EDSM` of AALpy: state merging alone (Oncina and Garcia, 1992; Lang, Pearlmutter and
   Price, 1998), on the words that the pipeline may look at.
3. `LSTM, then L*`: an LSTM learns the labels, on words that grow longer as they are learned; L*
   then asks it words.
4. `RegularGPT, then L*`: likewise, with the network and the supervision of Chi et al. (2023):
   continuous memory, and the label at the end of words of all lengths.

Networks train until all words of two validations are right, or for a share of the budget, and L*
asks them in what is left of it. L* asks only words of the domain, which the others are not told.

The true language judges afterwards: whether the automaton is that language on its domain, exactly,
and how often it is wrong on fresh words. A learner that the budget stops has found nothing.
"""

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from aalpy.learning_algs.deterministic_passive.RPNI import run_RPNI
from aalpy.learning_algs.general_passive.GsmAlgorithms import run_EDSM

from lengthwise.data.labelled_words import LabelledWords, prepared
from lengthwise.data.text_corpus import TRAIN, VALID
from lengthwise.errors import TextError
from lengthwise.evaluation.scores import wilson
from lengthwise.files import write_text
from lengthwise.languages.language import Language
from lengthwise.languages.named_languages import TABLE_1
from lengthwise.languages.spec import parse
from lengthwise.problems.base import Run
from lengthwise.problems.inferred.drawn import drawn
from lengthwise.problems.inferred.hypothesis import sample_of
from lengthwise.problems.inferred.problem import InferredProblem
from lengthwise.problems.inferred.settings import DrawnWordsConfig
from lengthwise.problems.inside import learn_automaton
from lengthwise.problems.runs import make_plan, train
from lengthwise.training.devices import environment
from lengthwise.training.loop import fit_stage
from lengthwise.verification.learning import from_moore
from lengthwise_papers.budget import BudgetError, processor_budget
from lengthwise_papers.experiment import Record, Statement, Table, preset_catalogue
from lengthwise_papers.own.labels_alone import is_same, true_error
from lengthwise_papers.parts import Part, PartsExperiment, grouped, without_problem
from lengthwise_papers.trained import from_to, span

LANGUAGES = (*TABLE_1, "group:S3", "group:A5,generators=2,seed=0")

PIPELINE = "pipeline"
MERGING = ("RPNI", "EDSM")
NETWORKS = ("LSTM, then L*", "RegularGPT, then L*")


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """Languages, numbers of words, draws, and the budget."""

    preset: str
    languages: tuple[str, ...] = LANGUAGES
    words: tuple[int, ...] = (1_000, 10_000)
    seeds: tuple[int, ...] = (0, 1, 2)
    budget: float = 30.0
    """Processor seconds of each learner."""
    network_words: tuple[int, ...] = (10_000,)
    network_seeds: tuple[int, ...] = (0,)
    """The numbers of words and the draws from which networks learn, since they take long."""
    training_share: float = 2 / 3
    """Share of the budget after which networks stop training."""
    networks: Mapping[str, Mapping[str, Any]] = field(
        default_factory=lambda: {
            "lstm": {"d_model": 64, "curriculum": 4, "validate_every": 100, "patience": 2},
            "regular-gpt": {"validate_every": 100, "patience": 2},
        }
    )
    """Settings of the networks that differ from their defaults."""
    asking: Mapping[str, int] = field(default_factory=dict)
    """Settings of L* that differ from their defaults."""
    judged: int = 10_000
    """Number of fresh words."""


def parts(sizes: Sizes, seeds: Sequence[int]) -> list[Part]:
    """Return a part for each draw, language, learner and number of words."""
    found = []
    for seed, spec, learner, words in product(
        seeds or sizes.seeds, sizes.languages, LEARNERS, sizes.words
    ):
        is_network = learner in NETWORKS
        if is_network and (words not in sizes.network_words or seed not in sizes.network_seeds):
            continue
        settings = {
            **{"language": spec, "learner": learner, "words": words, "seed": seed},
            **{"budget": sizes.budget, "judged": sizes.judged, "preset": sizes.preset},
        }
        if is_network:
            settings |= {
                "training_share": sizes.training_share,
                "settings": sizes.networks[_MODEL[learner]],
                "asking": sizes.asking,
            }
        found.append(Part(f"{spec}, {learner}, {words} words, seed {seed}", settings))
    return found


# ---- learners ------------------------------------------------------------------------------------


class Lesson(NamedTuple):
    """The words that a learner is given, and the settings of the part."""

    file: Path
    words: LabelledWords
    domain: Language | None
    """The words that L* asks; no other learner looks at it."""
    settings: Mapping[str, Any]
    ends: float
    """Processor seconds of this process at which the training of a network stops."""


class Found(NamedTuple):
    """The automaton of a learner, and what the record says besides."""

    language: Language
    more: Mapping[str, Any]


def inferred(
    file: Path, alphabet: Sequence[str], settings: Mapping[str, Any]
) -> tuple[Run, InferredProblem]:
    """Infer an automaton from a file of words, and train a network until it is proved to compute
    it."""
    plan = make_plan(
        f"labels:words:{file}",
        preset=settings["preset"],
        settings={"seed": settings["seed"]},
        options={"alphabet": " ".join(alphabet)},
    )
    run, problem = train(plan, device="cpu"), plan.problem
    assert isinstance(problem, InferredProblem)
    return run, problem


def _pipeline(lesson: Lesson) -> Found:
    run, problem = inferred(lesson.file, lesson.words.alphabet, lesson.settings)
    verdict = problem.certify(run, {}).verdict
    return Found(problem.language, {"model": run.plan.model, "proved": verdict})


def _merged(merge: Callable[..., Any], lesson: Lesson) -> Found:
    samples = [
        sample_of(lesson.words, part, DrawnWordsConfig(), str(lesson.file))
        for part in (TRAIN, VALID)
    ]
    data = [(one.word(row), int(one.classes[row])) for one in samples for row in range(len(one))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # AALpy warns of what it completes
        machine = merge(data, "moore", input_completeness="self_loop", print_info=False)
    words = lesson.words
    return Found(from_moore(machine, words.alphabet, words.class_names).minimised(), {})


def _rpni(lesson: Lesson) -> Found:
    return _merged(run_RPNI, lesson)


def _edsm(lesson: Lesson) -> Found:
    return _merged(run_EDSM, lesson)


def _read(lesson: Lesson) -> Found:
    """Train a network on the labels, and read an automaton from it."""
    settings = lesson.settings
    plan = make_plan(
        f"words:{lesson.file}",
        _MODEL[settings["learner"]],
        preset=settings["preset"],
        settings={**settings["settings"], "seed": settings["seed"]},
        options={"alphabet": " ".join(lesson.words.alphabet)},
    )
    model = plan.draw()
    metrics, ending, told = fit_stage(
        model,
        plan.problem.objective(plan),
        plan.training,
        lambda records: time.process_time() > lesson.ends,
    )
    plan.problem.remember(model)
    seconds = time.process_time()
    run = Run(problem=plan.problem, plan=plan, model=model, metrics=metrics)
    learned = learn_automaton(run, domain=lesson.domain, **settings["asking"])
    return Found(
        replace(learned.language, domain=None),
        {
            "model": plan.model,
            "settings": without_problem(plan.to_dict()),
            "steps": metrics[-1]["step"] if metrics else 0,
            "training_ended": told or ("budget" if ending == "stalled" else ending),
            # of the best validation; while words grow, its words are short
            "validation_accuracy": max((one["validation_accuracy"] for one in metrics), default=0),
            "seconds_to_read": round(time.process_time() - seconds, 1),
            "queries": learned.queries,
            "agrees_with_network": learned.agrees_with_tests,
            "network_wrong_share_below": learned.wrong_share_below,
        },
    )


LEARNERS: Mapping[str, Callable[[Lesson], Found]] = {
    PIPELINE: _pipeline,
    **dict(zip(MERGING, (_rpni, _edsm), strict=True)),
    **dict.fromkeys(NETWORKS, _read),
}
"""From a lesson to an automaton; each is stopped when the budget is used up."""

_MODEL = dict(zip(NETWORKS, ("lstm", "regular-gpt"), strict=True))


def measure(settings: Mapping[str, Any], folder: Path) -> list[Record]:
    """Give a learner its words and its budget, and let the true language judge what it found."""
    language, learner = parse(settings["language"]), settings["learner"]
    config = DrawnWordsConfig(num_words=settings["words"], words_seed=settings["seed"])
    words = given(folder / "words.tsv", drawn(language, config))
    record: Record = {
        **{name: value for name, value in settings.items() if name not in ("settings", "asking")},
        "protocol": config.protocol,
        "words_per_length": None,  # the words have mixed lengths
        "told": "labels of whole words" + (", and L* the domain" if learner in NETWORKS else ""),
        "different_words": len(words),
        "true_states": language.num_states,
        "symbols": language.num_symbols,
        "environment": environment("cpu"),
    }
    found, ended = None, "found an automaton"
    begin = time.process_time()
    ends = begin + settings["budget"] * settings.get("training_share", 1.0)
    lesson = Lesson(folder / "words.tsv", words, language.domain, settings, ends)
    try:
        with processor_budget(settings["budget"]):
            found = LEARNERS[learner](lesson)
    except BudgetError:
        ended = "budget"
    except TextError as error:  # no automaton fits
        ended = str(error).removeprefix(f"labels:words:{lesson.file}: ")
    record |= {"processor_seconds": round(time.process_time() - begin, 2), "ended": ended}
    if found is None:
        nothing = {"states": None, "found": False, "true_error": None, "interval_95": None}
        return [{**record, **nothing}]
    own, judged = renamed(found.language, language.class_names), settings["judged"]
    wrong_share = true_error(own, language, judged, seed=1)
    return [
        {
            **record,
            **found.more,
            "states": own.num_states,
            "found": is_same(own, language),
            "true_error": wrong_share,
            "interval_95": list(wilson(round(wrong_share * judged), judged)),
        }
    ]


def given(path: Path, words: LabelledWords) -> LabelledWords:
    """Write words to a file, and return them as they are read from it, from now on at once."""
    lines = [
        f"{words.written(row)}\t{words.class_names[int(words.classes[row])]}\n"
        for row in range(len(words))
    ]
    write_text(path, "".join(sorted(lines)))
    return prepared(path, words.alphabet)


def renamed(language: Language, names: tuple[str, ...]) -> Language:
    """Return a language with its classes in the order of these names."""
    classes = tuple(names.index(language.class_names[each]) for each in language.classes)
    return replace(language, classes=classes, class_names=names)


# ---- tables --------------------------------------------------------------------------------------


def _of(records: Sequence[Record], learner: str, words: int) -> list[Record]:
    return [one for one in records if one["learner"] == learner and one["words"] == words]


def _numbers(records: Sequence[Record]) -> list[int]:
    return sorted({one["words"] for one in records})


def _always(records: Sequence[Record], learner: str, words: int) -> list[str]:
    """Return the languages that a learner found in every draw."""
    runs = grouped(_of(records, learner, words), "language")
    return [name for (name,), own in runs.items() if all(one["found"] for one in own)]


def table(records: Sequence[Record]) -> Table:
    """Return a row for each learner and number of words."""
    rows = []
    for words, learner in product(_numbers(records), LEARNERS):
        own = _of(records, learner, words)
        if not own:
            continue
        languages = len({one["language"] for one in own})
        found = [one for one in own if one["found"]]
        missed = [one for one in own if not one["found"]]
        errors = [one["true_error"] for one in missed if one["true_error"] is not None]
        proved = [one for one in found if one.get("proved") == "equivalent"]
        rows.append(
            [
                f"{words:,}",
                learner,
                f"{len(found)} of {len(own)}",
                f"{len(_always(records, learner, words))} of {languages}",
                f"{len(proved)}" if learner == PIPELINE else "none",
                f"{sum(one['ended'] == 'budget' for one in own)}",
                f"{100 * min(errors):.2f} to {100 * max(errors):.2f}" if errors else "",
                span(own, "processor_seconds"),
            ]
        )
    header = ["words", "learner", "language found", "languages found in every draw"]
    header += ["with a proved network", "stopped by the budget"]
    return Table([*header, "% of fresh words wrong, if not found", "processor seconds"], rows)


def by_language(records: Sequence[Record]) -> Table:
    """Return a row for each language and number of words, with a column for each learner."""
    rows = []
    for (spec, words), own in grouped(
        sorted(records, key=lambda one: (LANGUAGES.index(one["language"]), one["words"])),
        *("language", "words"),
    ).items():
        cells = []
        for learner in LEARNERS:
            runs = [one for one in own if one["learner"] == learner]
            cells.append(f"{sum(one['found'] for one in runs)} of {len(runs)}" if runs else "")
        rows.append([spec, str(own[0]["true_states"]), f"{words:,}", *cells])
    return Table(["language", "states", "words", *LEARNERS], rows)


def note(records: Sequence[Record]) -> str:
    """Say what was told, and how long each learner had."""
    budgets = " or ".join(f"{each:g}" for each in sorted({one["budget"] for one in records}))
    draws = {len({one["seed"] for one in _of(records, *pair)}) for pair in _pairs(records)}
    return (
        "Told: words of at most 40 symbols (`audited`), and the label of each whole word; L* asks "
        f"networks only words of the language's domain. Each learner had {budgets} processor "
        f"seconds, and one that they stopped has found nothing. Draws of each language: "
        f"{from_to(sorted(draws))}."
    )


def _pairs(records: Sequence[Record]) -> list[tuple[str, int]]:
    return list(grouped(records, "learner", "words"))


def check(records: Sequence[Record]) -> list[Statement]:
    """Say who finds what others find, on the runs of most words that all learners had."""
    most = max(_numbers(records))
    runs = {learner: _by_run(_of(records, learner, most)) for learner in LEARNERS}
    common = set.intersection(*(set(own) for own in runs.values()))
    found = {learner: {run for run in own if own[run]} for learner, own in runs.items()}
    beaten = {
        learner: sorted({language for language, _ in own & set(runs[PIPELINE]) - found[PIPELINE]})
        for learner, own in found.items()
    }
    also = "; ".join(f"{name} also {', '.join(own)}" for name, own in beaten.items() if own)
    counts = {learner: len(own & common) for learner, own in found.items()}
    told = "; ".join(f"{name} {count} of {len(common)}" for name, count in counts.items())
    false = [one for one in records if one["found"] and one["true_error"]]
    return [
        Statement(
            "ours",
            f"from {most:,} words the pipeline finds every language that another learner finds",
            not also,
            also or told,
        ),
        Statement(
            "ours",
            f"from {most:,} words state merging finds more than networks that L* reads",
            min(counts[name] for name in MERGING) > max(counts[name] for name in NETWORKS),
            told,
        ),
        Statement(
            "ours",
            "a language that is found is right on all fresh words",
            not false,
            f"{sum(one['found'] for one in records)} found, {len(false)} of them wrong on some",
        ),
    ]


def _by_run(records: Sequence[Record]) -> dict[tuple[str, int], bool]:
    """Return by language and draw whether the language was found."""
    return {(one["language"], one["seed"]): one["found"] for one in records}


LABEL_LEARNERS = PartsExperiment(
    item="learners from labels",
    claim="From the same labelled words in the same time, who finds the language?",
    presets=preset_catalogue(
        smoke=Sizes(
            preset="smoke",
            languages=("parity",),
            words=(300,),
            seeds=(0,),
            network_words=(300,),
            budget=120.0,
            networks={"lstm": {"d_model": 8}, "regular-gpt": {}},
            asking={"max_states": 8, "num_tests": 100},
            judged=500,
        ),
        laptop=Sizes(preset="laptop"),
        paper=Sizes(
            preset="laptop", budget=600.0, network_words=(1_000, 10_000), network_seeds=(0, 1, 2)
        ),
    ),
    parts=parts,
    measure=measure,
    table=table,
    more={"Languages": by_language},
    note=note,
    check=check,
)
