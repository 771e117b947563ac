"""`own/longer-sums`: its tables, figure and verdicts from records."""

from typing import Any

import numpy as np

from lengthwise_papers.own.longer_sums import LONGER_SUMS, POINTERS, check, figures, proofs, table


def record(position: str, beyond: int, seed: int = 0, **more: Any) -> dict[str, Any]:
    sizes = [
        {"length": bits, "words": 10, "correct": correct, "first_wrong": None}
        for bits, correct in ((16, 10), (32, beyond))
    ]
    return {
        "position": position,
        "bits": 16,
        "seed": seed,
        "parameters": 1922,
        "seconds_to_train": 12.0,
        "sizes": sizes,
        **more,
    }


def proved(seed: int, verdict: str = "equivalent", false: int = 0) -> dict[str, Any]:
    proof = {"verdict": verdict, "certain_rows": 112, "rows": 112, "margin": 5.0}
    forged = {"refused": 6, "accepted, equivalent, true": 4 - false}
    if false:
        forged["accepted, equivalent, false"] = false
    return record(POINTERS, 10, seed, proof=proof, seconds_to_prove=0.02, forged=forged)


def test_a_row_has_the_mean_over_seeds() -> None:
    made = table([proved(0), record("sinusoidal", 0), record("sinusoidal", 1, seed=1)])
    assert made.columns[4:] == ["16 bits", "32 bits"]
    assert made.rows == [
        ["pointers", "16", "1", "1,922", "100.00", "100.00"],
        ["sinusoidal", "16", "2", "1,922", "100.00", "5.00"],
    ]
    assert proofs([proved(1, false=1)]).rows[0][-4:] == ["10", "6", "3", "1"]
    (axes,) = figures([proved(0), record("sinusoidal", 0)])["exact-match"].axes
    assert [np.asarray(line.get_ydata()).tolist() for line in axes.lines] == [
        [100.0, 100.0],
        [100.0, 0.0],
    ]


def test_verdicts_follow_the_records() -> None:
    good = check([proved(0), record("sinusoidal", 0)])
    assert [statement.holds for statement in good] == [True] * 5
    bad = check([proved(0, "not-closed", false=2), record("sinusoidal", 9)])
    assert [statement.holds for statement in bad] == [True, True, False, False, False]
    alone = check([proved(0)])
    assert [statement.holds for statement in alone] == [True, True, True, None, True]


def test_each_position_and_seed_is_a_part() -> None:
    names = [part.name for part in LONGER_SUMS.parts(LONGER_SUMS.presets["laptop"], [5])]
    assert names == [
        "pointers, 16 bits, seed 5",
        *(f"{position}, {n} bits, seed 5" for position in ("sinusoidal", "rope") for n in (16, 8)),
    ]
