"""Labels of whole words alone, gradient descent alone, and then a proof at every length.

`gru-binary` with `objective=final` sees words of at most 40 symbols and the label of each whole
word: no labels of prefixes, no states, no products. Words grow longer as they are learned, and
training ends when the network's own automaton no longer changes. Only afterwards is the network
compared with the true language (`certify`).

The first table has the rows of Table 1 of Chi et al. (2023) and groups, with default settings. The
second changes one part of the method at a time: how codes are learned, the order of the words. The
third asks the same of RegularGPT with binary memory, which composes sub-words in a tree: do losses
for associativity and for the identity of the pad let it learn from labels alone? The fourth has a
recurrent network as its teacher: `gru-binary` learns from labels as in the first table, and
RegularGPT learns from the automaton that this network is. No word is looked up beside.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

from torch import nn

from lengthwise.errors import VerificationError
from lengthwise.evaluation.scores import wilson
from lengthwise.languages.language import Language
from lengthwise.languages.named_languages import TABLE_1
from lengthwise.problems.base import Run
from lengthwise.problems.planning import make_plan, plan_from_dict
from lengthwise.proofs.search.certify import certify
from lengthwise.proofs.search.extracted_automaton import extract_automaton
from lengthwise_papers.cells import span
from lengthwise_papers.experiment import Record, Statement, Table, preset_catalogue
from lengthwise_papers.parts import (
    Part,
    PartsExperiment,
    group_records,
    train_in_folder,
    without_problem,
)

GROUPS = ("group:S3", "group:A5,generators=2,seed=0")

TABLE_ROWS = (*TABLE_1, *GROUPS)

UNSETTLED = ("modular-arithmetic", "d-12")
"""Languages whose recurrent networks do not settle, so that they teach nothing."""

DEFAULT = "default settings"

VARIANTS: Mapping[str, Mapping[str, Any]] = {
    "all lengths from the start": {"curriculum": 40},
    "operators first": {"order": "operators-first"},
    "signs and noise": {"noise": 0.5},
    "signs and noise, annealed": {"noise": 0.5, "anneal": 1_000},
    "noise, no signs in training": {"bits": "soft", "noise": 0.5},
    "vector quantisation": {"bits": "quantised"},
}
"""Changes to the method of `gru-binary`, each on its own. By default codes are signs without noise.
With `curriculum=40` words do not grow."""

RECURRENT, PUPIL = "gru-binary", "regular-gpt-binary"
"""The models: of the first two tables and of all teachers, and of the trees."""

_TREE: Mapping[str, Any] = {
    **{"curriculum": 3, "min_length": 0, "precision": "double", "learning_rate": 2e-3},
    **{"validation_words": 512, "validate_every": 50, "patience": 4},
}
"""Settings of RegularGPT, as `gru-binary` has them by default, except for rate and patience."""

TREE_VARIANTS: Mapping[str, Mapping[str, Any]] = {
    "tree": {},
    "tree, associativity and identity": {"associativity": 1.0, "identity": 1.0},
    "tree, associativity": {"associativity": 1.0},
    "tree, identity": {"identity": 1.0},
    "tree, all lengths from the start, associativity and identity": {
        **{"curriculum": 40, "associativity": 1.0, "identity": 1.0}
    },
}
"""Losses of `regular-gpt-binary`, which has a curriculum in all of them but the last."""

UNTAUGHT = "not taught"
"""The verdict of the fourth table where the teacher did not settle, or was too large to explore."""

TAUGHT = "tree, taught by a recurrent network"
"""`regular-gpt-binary` with default settings learns from the automaton that `gru-binary` is."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """Languages, seeds and variants."""

    preset: str = "laptop"
    languages: tuple[str, ...] = TABLE_ROWS
    seeds: tuple[int, ...] = (0, 1, 2)
    changed: tuple[str, ...] = ("cycle-navigation", "d-3", "group:S3")
    """Languages of the second table."""
    ablation: Mapping[str, Any] = field(default_factory=lambda: {"steps": 3_000})
    """Settings of all its runs but those by default."""
    trees: tuple[str, ...] = ("parity", "tomita-5", "cycle-navigation")
    """Languages of the third table."""
    tree_ablation: Mapping[str, Any] = field(default_factory=lambda: {"steps": 2_000})
    """Settings of all its runs."""
    taught: tuple[str, ...] = tuple(spec for spec in TABLE_ROWS if spec not in UNSETTLED)
    """Languages of the fourth table."""
    pupil: Mapping[str, Any] = field(default_factory=dict)
    """Settings of all its trees."""


def parts(sizes: Sizes, seeds: Sequence[int]) -> list[Part]:
    """Return a part for each language and seed, then one for each variant, then trees."""
    planned: list[tuple[str, str, str, Mapping[str, Any]]]
    planned = [(spec, DEFAULT, RECURRENT, {}) for spec in sizes.languages]
    planned += [
        (spec, name, RECURRENT, {**sizes.ablation, **change})
        for spec, (name, change) in product(sizes.changed, VARIANTS.items())
    ]
    planned += [
        (spec, name, PUPIL, {**_TREE, **sizes.tree_ablation, **change})
        for spec, (name, change) in product(sizes.trees, TREE_VARIANTS.items())
    ]
    planned += [(spec, TAUGHT, RECURRENT, {}) for spec in sizes.taught]
    all_parts = []
    for (spec, variant, model, change), seed in product(planned, seeds or sizes.seeds):
        settings = {"objective": "final", **change, "seed": seed}
        plan = make_plan(spec, model, preset=sizes.preset, settings=settings)
        part_settings = {"language": spec, "variant": variant, "plan": plan.to_dict()}
        if variant == TAUGHT:
            pupil = {**sizes.pupil, "seed": seed}
            pupil_plan = make_plan(spec, PUPIL, preset=sizes.preset, settings=pupil).to_dict()
            part_settings["pupil"] = {"settings": pupil, "plan": without_problem(pupil_plan)}
        all_parts.append(Part(f"{spec}, {variant}, seed {seed}", part_settings))
    return all_parts


def measure(settings: Mapping[str, Any], folder: Path) -> list[Record]:
    """Train on labels alone, and certify the network, or its pupil, against the true language."""
    plan = plan_from_dict(settings["plan"])
    run, record = train_in_folder(plan, folder)
    last = run.metrics[-1]
    right, validated = last["validation_accuracy"], plan.data.validation_words
    common = {
        **record,
        "settings": without_problem(settings["plan"]),
        "language": settings["language"],
        "variant": settings["variant"],
        "model": plan.model,
        "true_states": run.language.minimise().num_states,
        "settled": last["perfect"],
        "longest": last["longest"],
        "validation_accuracy": last["validation_accuracy"],
        "protocol": plan.data.protocol,
        "interval_95": list(wilson(round(right * validated), validated)),
        "words_per_length": None,  # the words of a validation have mixed lengths
        "words": record["steps"] * plan.data.batch_size,
        "states": last.get("states"),
    }
    if "pupil" not in settings:
        return [{**common, **_judge(run.model, run.language)}]
    if not last["perfect"]:
        return [{**common, **_make_untaught("the teacher did not settle")}]
    try:
        automaton = extract_automaton(run.model, run.language).automaton
    except VerificationError as error:
        return [{**common, **_make_untaught(f"the teacher's automaton was not found: {error}")}]
    return [{**common, **_teach(run, automaton, settings["pupil"]["settings"], folder)}]


def _make_untaught(reason: str) -> Record:
    return {"codes": None, "verdict": UNTAUGHT, "reason": reason, "wrong_length": None}


def _judge(model: nn.Module, language: Language) -> Record:
    """Return what a certificate says of a network."""
    certificate = certify(model, language)
    wrong = certificate.counterexample
    return {
        "codes": certificate.summary()["elements"],
        "verdict": certificate.verdict,
        "reason": certificate.reason,
        "wrong_length": None if wrong is None else len(language.encode(wrong.word)),
    }


def _teach(run: Run, automaton: Language, settings: Mapping[str, Any], folder: Path) -> Record:
    """Train a tree on the automaton that a network is; return what is found, and how."""
    pupil = make_plan(automaton, PUPIL, preset=run.require_plan().preset, settings=settings)
    tree, record = train_in_folder(pupil, folder / "pupil")
    names = ("supervision", "steps", "stages", "seconds_to_train", "processor_seconds")
    return {
        **_judge(tree.model, run.language),
        "pupil": {
            "model": PUPIL,
            "automaton_states": automaton.num_states,
            "settings": without_problem(pupil.to_dict()),
            **{name: record[name] for name in names if name in record},
        },
    }


def _rows(records: Sequence[Record], *keys: str) -> list[list[str]]:
    rows = []
    for names, runs in group_records(records, *keys).items():
        proved = [run for run in runs if run["verdict"] == "equivalent"]
        rows.append(
            [
                *names,
                f"{len(proved)} of {len(runs)}",
                span(proved, "words"),
                span(proved, "processor_seconds"),
                span(proved, "codes"),
                "; ".join(_fault(run) for run in runs if run not in proved),
            ]
        )
    return rows


def _fault(record: Record) -> str:
    """Say how far a run came that is not proved, and how short a word is wrong."""
    if record["verdict"] == UNTAUGHT:
        return f"{record['reason']} (seed {record['seed']})"
    wrong = record["wrong_length"]
    fault = "not closed" if wrong is None else f"wrong at length {wrong}"
    if record["settled"]:
        return f"{fault}, but settled (seed {record['seed']})"
    accuracy = f"{100 * record['validation_accuracy']:.1f} %"
    return f"{fault}; {accuracy} of words up to {record['longest']} (seed {record['seed']})"


_FOUND = ("proved", "words drawn", "processor seconds", "codes", "not proved")


def table(records: Sequence[Record]) -> Table:
    """Return a row for each language with default settings."""
    of_default = [record for record in records if record["variant"] == DEFAULT]
    rows = [
        [language, f"{runs[0]['true_states']}", *row[1:]]
        for (language,), runs in group_records(of_default, "language").items()
        for row in _rows(runs, "language")
    ]
    return Table(["language", "states", *_FOUND], rows)


def ablations(records: Sequence[Record]) -> Table:
    """Return a row for each variant of `gru-binary`, on the languages that have them."""
    return _by_variant(records, (DEFAULT, *VARIANTS), needed=VARIANTS)


def trees(records: Sequence[Record]) -> Table:
    """Return a row for each variant of `regular-gpt-binary`."""
    return _by_variant(records, tuple(TREE_VARIANTS), needed=TREE_VARIANTS)


def tabulate_taught(records: Sequence[Record]) -> Table:
    """Return a row for each language whose tree had a recurrent network as its teacher."""
    of_taught = [record for record in records if record["variant"] == TAUGHT]
    rows = []
    for (language,), runs in group_records(of_taught, "language").items():
        proved = [run for run in runs if _is_proved(run)]
        trees = [record["pupil"] for record in proved]
        rows.append(
            [
                language,
                f"{len(proved)} of {len(runs)}",
                span(proved, "words"),
                span(proved, "processor_seconds"),
                span(trees, "processor_seconds"),
                span(proved, "codes"),
                "; ".join(_fault(run) for run in runs if run not in proved),
            ]
        )
    columns = ["language", "tree proved", "words of the teacher", "its processor seconds"]
    return Table([*columns, "those of the tree", "codes of the tree", "not proved"], rows)


def _by_variant(
    records: Sequence[Record], variants: Sequence[str], needed: Collection[str]
) -> Table:
    """Return a row for each of these variants, on the languages that have one that is needed."""
    changed = {record["language"] for record in records if record["variant"] in needed}
    of_variants = [
        record
        for record in records
        if record["language"] in changed and record["variant"] in variants
    ]
    of_variants = sorted(of_variants, key=lambda record: variants.index(record["variant"]))
    of_variants = sorted(of_variants, key=lambda record: TABLE_ROWS.index(record["language"]))
    return Table(["language", "variant", *_FOUND], _rows(of_variants, "language", "variant"))


def note(records: Sequence[Record]) -> str:
    """Describe the supervision, and count the languages with a proof."""
    of_default = [record for record in records if record["variant"] == DEFAULT]
    runs_of = {
        language: runs for (language,), runs in group_records(of_default, "language").items()
    }
    rows = [name for name in runs_of if name in TABLE_1]
    with_some = [
        name for name in rows if any(run["verdict"] == "equivalent" for run in runs_of[name])
    ]
    every = [name for name in rows if all(run["verdict"] == "equivalent" for run in runs_of[name])]
    return (
        "Supervision: words of at most 40 symbols (`audited`), and the label of each whole word. "
        f"Proved with every seed in {len(every)}, with some seed in {len(with_some)} of "
        f"{len(rows)} rows of Table 1."
    )


def check(records: Sequence[Record]) -> list[Statement]:
    """Say in how many rows all runs are proved, and how many settled on something else."""
    of_default = [record for record in records if record["variant"] == DEFAULT]
    rows = group_records(
        [record for record in of_default if record["language"] in TABLE_1], "language"
    )
    every = [n for (n,), runs in rows.items() if all(_is_proved(run) for run in runs)]
    settled = [record for record in of_default if record["settled"]]
    wrong = [record for record in settled if not _is_proved(record)]
    pupils = [record for record in records if record["variant"] == TAUGHT and record["settled"]]
    failed = [f"{p['language']}, seed {p['seed']}" for p in pupils if not _is_proved(p)]
    statements = [
        Statement(
            "ours",
            "labels alone and gradient descent alone end with a proof in 9 rows of Table 1",
            len(every) >= 9,
            f"every seed in {len(every)} of {len(rows)}: {', '.join(every)}",
        ),
        Statement(
            "ours",
            "a network that has settled is the language",
            not wrong,
            f"{len(settled)} settled, of which {len(wrong)} are another language",
        ),
    ]
    by_teacher = Statement(
        "ours",
        "a tree whose teacher is a recurrent network that settled is proved",
        not failed,
        f"{len(pupils) - len(failed)} of {len(pupils)}" + "".join(f"; not {f}" for f in failed),
    )
    return [*(statements if of_default else []), *([by_teacher] if pupils else [])]


def _is_proved(record: Record) -> bool:
    return bool(record["verdict"] == "equivalent")


GRADIENT_ALONE = PartsExperiment(
    item="gradient alone",
    claim="Labels of whole words and gradient descent alone lead to networks that are proved.",
    presets=preset_catalogue(
        smoke=Sizes(
            preset="smoke",
            languages=("parity",),
            seeds=(0,),
            changed=("parity",),
            ablation={},
            trees=("parity",),
            tree_ablation={},
            taught=("parity",),
        ),
        laptop=Sizes(),
        paper=Sizes(),
    ),
    parts=parts,
    measure=measure,
    table=table,
    more={"Ablations": ablations, "Trees": trees, "Taught": tabulate_taught},
    note=note,
    check=check,
)
