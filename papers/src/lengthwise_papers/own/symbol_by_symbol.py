"""Networks that read symbol by symbol: proofs for automata of up to 100,000 transitions.

Named languages and random automata are learned with default settings (a code or a token for each
state is given, no word is drawn), certified, and their certificates are checked. A random automaton
is the minimal one of a draw with uniform transitions and classes, so it may have fewer states than
were drawn.
"""

import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import torch

from lengthwise.evaluation.evaluate import answer_of
from lengthwise.evaluation.scores import wilson
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from lengthwise.problems.base import Run
from lengthwise.problems.planning import make_plan
from lengthwise.proofs.check.certificate import Certificate
from lengthwise.proofs.check.induction import check as check_certificate
from lengthwise.proofs.search.certify import certify
from lengthwise.tasks.automaton import Automaton
from lengthwise.training.devices import environment
from lengthwise_papers.experiment import Record, Statement, Table, preset_catalogue
from lengthwise_papers.own.random_languages import draw_machine, long_words
from lengthwise_papers.parts import Part, PartsExperiment, train_in_folder, without_problem

SCRATCHPAD = "scratchpad-window"

MODELS = ("gru-binary", "elman-binary", SCRATCHPAD)

NAMED = ("parity", "d-12", "modular-arithmetic", "count:a:300")

DRAWN = ((20, 3), (100, 3), (300, 5), (300, 30), (1_000, 2), (2_400, 3), (6_300, 2))
"""Numbers of states and symbols that are drawn for."""

LARGEST = (62_700, 2)
"""One whose minimal automaton has just below 100,000 transitions."""

MOST: Mapping[str, int] = {"elman-binary": 1_000, "gru-binary": 6_300, SCRATCHPAD: 62_700}
"""States drawn above which a model is left out: `docs/reproducing/proofs.md` says why."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """Languages, numbers of states and symbols of random automata, and what is tested."""

    preset: str = "laptop"
    named: tuple[str, ...] = NAMED
    drawn: tuple[tuple[int, int], ...] = (*DRAWN, LARGEST)
    models: tuple[str, ...] = MODELS
    seeds: tuple[int, ...] = (0,)
    tests: tuple[tuple[int, int], ...] = ((25, 200), (201, 200), (2_001, 20))
    """Lengths of words, and words of each."""


def random_machine(states: int, symbols: int, seed: int) -> Language:
    """Return the minimal automaton of one with uniform transitions and classes."""
    draw = random.Random(f"symbol by symbol {states} {symbols} {seed}")
    return draw_machine(draw, states, symbols).total().minimise()


def parts(sizes: Sizes, seeds: Sequence[int]) -> list[Part]:
    """Return a part for each automaton, model and seed, the small automata first."""
    all_parts = []
    for seed, spec, model in product(seeds or sizes.seeds, sizes.named, sizes.models):
        part_settings = {"language": spec, "model": model, "seed": seed}
        all_parts.append(
            Part(f"{spec}, {model}, seed {seed}", {**part_settings, "preset": sizes.preset})
        )
    for seed, size, model in product(seeds or sizes.seeds, sizes.drawn, sizes.models):
        if size[0] > MOST[model]:
            continue
        part_settings = {"drawn": list(size), "model": model, "seed": seed}
        name = f"random {size[0]} x {size[1]}, {model}, seed {seed}"
        all_parts.append(Part(name, {**part_settings, "preset": sizes.preset}))
    tests = [list(test) for test in sizes.tests]
    return [part._replace(settings={**part.settings, "tests": tests}) for part in all_parts]


def measure(settings: Mapping[str, Any], folder: Path) -> list[Record]:
    """Train, certify, check the certificate, and test the network on long words."""
    seed = settings["seed"]
    if "drawn" in settings:
        states, symbols = settings["drawn"]
        spec, language = "random", random_machine(states, symbols, seed)
    else:
        spec, language = settings["language"], parse(settings["language"])
    plan = make_plan(
        language, settings["model"], preset=settings["preset"], settings={"seed": seed}
    )
    run, record = train_in_folder(plan, folder)
    start = time.process_time()
    certificate = certify(run.model, language)
    certified = time.process_time()
    certificate.save(folder / "certificate.json")
    saved = time.process_time()
    verdict = check_certificate(Certificate.load(folder / "certificate.json")).verdict
    checked = time.process_time()
    machine = language.total().minimise()
    wrong = sum(wrong_words(run, length, count) for length, count in settings["tests"])
    tested = sum(count for _, count in settings["tests"])
    return [
        {
            **record,
            "settings": without_problem(record["settings"]),
            "language": spec,
            "drawn": settings.get("drawn"),
            "states": machine.num_states,
            "symbols": machine.num_symbols,
            "model": plan.model,
            "parameters": sum(parameter.numel() for parameter in run.model.parameters()),
            "verdict": certificate.verdict,
            "reason": certificate.reason,
            "codes": certificate.summary()["elements"],
            "seconds_to_certify": round(certified - start, 2),
            "verdict_of_check": verdict,
            "seconds_to_check": round(checked - saved, 2),
            "certificate_bytes": (folder / "certificate.json").stat().st_size,
            "wrong_words": wrong,
            "words_per_length": {str(length): count for length, count in settings["tests"]},
            "protocol": "random walks that end in each class in turn",
            "interval_95": list(wilson(tested - wrong, tested)),
            "environment": environment("cpu"),
        }
    ]


def wrong_words(run: Run, length: int, count: int) -> int:
    """Return how many words of a length are misjudged, of random ones of each class in turn."""
    words = torch.tensor(long_words(run.language, length, count, seed=0))
    with torch.inference_mode():
        answers = answer_of(run.model.eval()(words))
    return int((answers != Automaton(run.language).classify(words)).sum())


def _is_proved(record: Record) -> bool:
    return record["verdict"] == record["verdict_of_check"] == "equivalent"


def table(records: Sequence[Record]) -> Table:
    """Return a row for each network that writes codes."""
    return _table([record for record in records if record["model"] != SCRATCHPAD])


def scratchpads(records: Sequence[Record]) -> Table:
    """Return a row for each network that writes tokens."""
    return _table([record for record in records if record["model"] == SCRATCHPAD])


def _table(records: Sequence[Record]) -> Table:
    rows = [
        [
            record["language"],
            f"{record['states']:,}",
            f"{record['symbols']:,}",
            f"`{record['model']}`",
            f"{record['parameters']:,}",
            f"{record['steps']:,}" if _is_proved(record) else f"not in {record['steps']:,}",
            "" if record["processor_seconds"] is None else f"{record['processor_seconds']:.1f}",
            f"{record['seconds_to_certify']:.1f}",
            f"{record['seconds_to_check']:.1f}",
            f"{record['certificate_bytes'] / 1e6:.1f} MB",
        ]
        for record in records
    ]
    header = ["automaton", "states", "symbols", "network", "parameters", "steps", "train"]
    return Table([*header, "certify", "`--check`", "certificate"], rows)


def note(records: Sequence[Record]) -> str:
    """Describe the supervision, and what was tested."""
    proved = [record for record in records if _is_proved(record)]
    words = sum(sum(record["words_per_length"].values()) for record in proved)
    wrong = sum(record["wrong_words"] for record in proved)
    return (
        "Supervision: a code, or tokens, for every state of the minimal automaton. train, certify "
        f"and `--check` are seconds of processor (one thread). Of {words:,} random words of up to "
        f"{max((int(n) for record in proved for n in record['words_per_length']), default=0):,} "
        f"symbols the {len(proved)} proved networks, scratchpads too, missed {wrong}."
    )


def check(records: Sequence[Record]) -> list[Statement]:
    """Say how many runs ended with a proof that the checker accepts, and how large they were."""
    proved = [record for record in records if _is_proved(record)]
    transitions = max((record["states"] * record["symbols"] for record in proved), default=0)
    return [
        Statement(
            "ours",
            "every run ends with a proof that the checker accepts",
            len(proved) == len(records),
            f"{len(proved)} of {len(records)}, up to {transitions:,} transitions",
        ),
        Statement(
            "ours",
            "no proved network misses a long word",
            not any(record["wrong_words"] for record in proved),
            f"{sum(record['wrong_words'] for record in proved)} wrong",
        ),
    ]


SYMBOL_BY_SYMBOL = PartsExperiment(
    item="symbol by symbol",
    claim="Networks that read symbol by symbol are proved for 100,000 transitions, too.",
    presets=preset_catalogue(
        smoke=Sizes(
            preset="smoke",
            named=("parity",),
            drawn=((6, 2),),
            models=("gru-binary", SCRATCHPAD),
        ),
        laptop=Sizes(),
        paper=Sizes(),
    ),
    parts=parts,
    measure=measure,
    table=table,
    more={"Scratchpads": scratchpads},
    note=note,
    check=check,
)
