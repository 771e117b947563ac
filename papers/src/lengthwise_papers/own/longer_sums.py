"""Addition step by step, beyond the size of training: fixed positions, and pointers to cells.

Decoders are trained on numbers of 8 or 16 bits with strong supervision, and write carries and sums
of numbers of up to 200 bits. Those with pointers are certified, and their certificates are forged.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from lengthwise.evaluation.scores import wilson
from lengthwise.problems.planning import make_plan
from lengthwise.problems.step_by_step.problem import StepByStep
from lengthwise.problems.step_by_step.sizes import score_sizes, to_records
from lengthwise.proofs.check.rule_certificate import check_rule
from lengthwise_papers.experiment import RUNS, Record, Statement, Table, preset_catalogue
from lengthwise_papers.figures import curves_figure
from lengthwise_papers.own.rule_forgeries import forge
from lengthwise_papers.parts import Part, PartsExperiment, group_records, train_in_folder

POINTERS = "pointers"


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """Positions with their seeds, the sizes of the test, and how many mutants are checked."""

    preset: str
    bits: tuple[int, ...] = (16, 8)
    """Bits of the numbers of training; pointers are trained on the first."""
    seeds: tuple[int, ...] = (0, 1, 2)
    positions: tuple[str, ...] = ("sinusoidal", "rope")
    tested: tuple[int, ...] = (8, 12, 15, 16, 17, 18, 20, 24, 32, 64, 100, 200)
    words: int = 500
    mutants: int = 1_000


def parts(sizes: Sizes, seeds: Sequence[int]) -> list[Part]:
    """Return a part for each position, number of bits and seed; the pointers come first."""
    kinds = [(POINTERS, sizes.bits[0]), *product(sizes.positions, sizes.bits)]
    all_parts = []
    for position, bits in kinds:
        for seed in seeds or sizes.seeds:
            settings = {
                "position": position,
                "seed": seed,
                "preset": sizes.preset,
                "bits": bits,
                "tested": list(sizes.tested),
                "words": sizes.words,
                "mutants": sizes.mutants,
            }
            all_parts.append(Part(f"{position}, {bits} bits, seed {seed}", settings))
    return all_parts


def measure(settings: Mapping[str, Any], folder: Path) -> list[Record]:
    """Train a decoder, test it at every size, and certify it if it has pointers."""
    has_pointers = settings["position"] == POINTERS
    chosen = {"bits": settings["bits"], "order": "carries", "seed": settings["seed"]}
    if not has_pointers:
        chosen["position"] = settings["position"]
    model = "pointer-decoder" if has_pointers else "step-decoder"
    plan = make_plan("steps:addition", model, preset=settings["preset"], settings=chosen)
    run, training = train_in_folder(plan, folder)
    scores = score_sizes(run, settings["tested"], settings["words"], settings["seed"])
    record = {
        "position": settings["position"],
        "bits": settings["bits"],
        **training,
        "parameters": sum(weight.numel() for weight in run.model.parameters()),
        "sizes": to_records(scores),
        "protocol": "uniform pairs of numbers",
        "words_per_length": settings["words"],
    }
    right = min(score.exact for score in scores.values())
    record["interval_95"] = list(wilson(right, settings["words"]))  # of the worst size
    if not has_pointers:
        return [record]
    assert isinstance(run.problem, StepByStep)
    start = time.perf_counter()
    certificate = run.problem.certify_steps(run)
    record["proof"] = certificate.summary()
    record["seconds_to_prove"] = time.perf_counter() - start
    if certificate.verdict == "equivalent":
        assert check_rule(certificate).verdict == "equivalent"
        record["forged"] = forge(certificate, settings["mutants"], settings["seed"], folder)
    return [record]


def _share(record: Record, bits: int) -> float | None:
    found = [size for size in record["sizes"] if size["length"] == bits]
    return found[0]["correct"] / found[0]["words"] if found else None


def table(records: Sequence[Record]) -> Table:
    """Return a row for each position: exact match in per cent by size, the mean over seeds."""
    tested = sorted({size["length"] for record in records for size in record["sizes"]})
    rows = []
    for (position, trained), of_position in group_records(records, "position", "bits").items():
        cells = []
        for bits in tested:
            shares = [share for r in of_position if (share := _share(r, bits)) is not None]
            cells.append(f"{100 * sum(shares) / len(shares):.2f}" if shares else "")
        facts = [str(trained), str(len(of_position)), f"{of_position[0]['parameters']:,}"]
        rows.append([position, *facts, *cells])
    names = ("position", "trained on bits", "seeds", "parameters")
    return Table([*names, *(f"{bits} bits" for bits in tested)], rows)


def proofs(records: Sequence[Record]) -> Table:
    """Return a row for each decoder with pointers: its proof, and what became of mutants."""
    rows = []
    for record in records:
        if proof := record.get("proof"):
            forged = record.get("forged", {})
            false = sum(count for name, count in forged.items() if name.endswith("false"))
            refused = forged.get("refused", 0)
            rows.append(
                [
                    str(record["seed"]),
                    "not measured"
                    if record["seconds_to_train"] is None
                    else f"{record['seconds_to_train']:.0f}",
                    f"{record['seconds_to_prove']:.2g}",
                    proof["verdict"],
                    f"{proof['certain_rows']} of {proof['rows']}",
                    "none" if proof["margin"] is None else f"{proof['margin']:.3g}",
                    f"{sum(forged.values()):,}",
                    f"{refused:,}",
                    f"{sum(forged.values()) - refused - false:,}",
                    f"{false:,}",
                ]
            )
    return Table(
        [
            *("seed", "seconds to train", "seconds to prove", "verdict", "certain rows"),
            *("least margin", "mutants", "refused", "accepted and true", "accepted and false"),
        ],
        rows,
    )


def figures(records: Sequence[Record]) -> dict[str, Figure]:
    """Return the figure: exact match by the number of bits, the mean over seeds."""
    curves: dict[str, dict[int, float]] = {}
    for (position, trained), of_position in group_records(records, "position", "bits").items():
        sizes = [size["length"] for size in of_position[0]["sizes"]]
        shares = {n: [s for r in of_position if (s := _share(r, n)) is not None] for n in sizes}
        curves[f"{position}, {trained} bits"] = {
            n: sum(of_n) / len(of_n) for n, of_n in shares.items()
        }
    panel = {"addition": curves}
    return {"exact-match": curves_figure(panel, xlabel="bits", ylabel="exact match (%)")}


def check(records: Sequence[Record]) -> list[Statement]:
    """Say whether pointers carry to every size and are proved, and that positions do not."""
    pointers = [record for record in records if record["position"] == POINTERS]
    others = [record for record in records if record["position"] != POINTERS]
    ended = Statement("runs", f"{len(records)} runs end", bool(records), f"{len(records)} runs")
    assert ended.where == RUNS
    if not pointers:
        return [ended]
    wrong = sum(s["words"] - s["correct"] for r in pointers for s in r["sizes"])
    words = sum(s["words"] for r in pointers for s in r["sizes"])
    beyond = [
        size["correct"] / size["words"]
        for record in others
        for size in record["sizes"]
        if size["length"] > record["bits"]
    ]
    false = sum(
        count
        for record in pointers
        for name, count in record.get("forged", {}).items()
        if name.endswith("false")
    )
    forged = sum(sum(record.get("forged", {}).values()) for record in pointers)
    proved = sum(record["proof"]["verdict"] == "equivalent" for record in pointers)
    return [
        ended,
        Statement(
            "ours",
            "a decoder with pointers adds numbers of every size of the test",
            wrong == 0,
            f"{wrong:,} of {words:,} sums are wrong",
        ),
        Statement(
            "ours",
            "it is proved for numbers of every length",
            proved == len(pointers),
            f"{proved} of {len(pointers)} seeds",
        ),
        Statement(
            "ours",
            "fixed positions do not carry beyond the size of training (below 1 %)",
            max(beyond) < 0.01 if beyond else None,
            f"at most {100 * max(beyond):.2f} %" if beyond else "not run",
        ),
        Statement(
            "ours",
            "no forged certificate is accepted with a false statement",
            false == 0 if forged else None,
            f"{false} of {forged:,}",
        ),
    ]


LONGER_SUMS = PartsExperiment(
    item="longer sums",
    claim="With pointers to cells, a decoder trained on 16 bits adds numbers of every length.",
    presets=preset_catalogue(
        smoke=Sizes(
            preset="smoke",
            bits=(4,),
            seeds=(0,),
            positions=("sinusoidal",),
            tested=(4, 5),
            words=20,
            mutants=9,
        ),
        laptop=Sizes(preset="laptop"),
    ),
    parts=parts,
    measure=measure,
    table=table,
    more={"Proofs": proofs},
    figures=figures,
    check=check,
)
