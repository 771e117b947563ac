"""Figures 3 and 4a: what clusters and receptive fields must show."""

import pytest

from lengthwise_papers.chi2023.figure3 import check
from lengthwise_papers.experiment import Record


def look_into(language: str, elements: int, purity: float, gap: float, off: float) -> Record:
    clusters = {"elements": list(range(elements)), "purity": purity, "gap_to_spread": gap}
    return {
        **{"language": language, "seed": 0, "clusters": clusters},
        "receptive-field": {"curves": [{"deviation": off}]},
    }


CYCLE = look_into("cycle-navigation", 5, 1.0, 2.0, 0.03)


@pytest.mark.parametrize(
    ("parity", "holds"),
    [
        ((2, 1.0, 2.0, 0.04), [True, True]),
        ((2, 0.9, 2.0, 0.04), [False, True]),
        ((2, 1.0, 0.5, 0.04), [False, True]),
        ((3, 1.0, 2.0, 0.04), [False, True]),
        ((2, 1.0, 2.0, 0.3), [True, False]),
    ],
)
def test_statements_fall_with_the_records(
    parity: tuple[int, float, float, float], holds: list[bool]
) -> None:
    records = [look_into("parity", *parity), CYCLE]
    assert [one.holds for one in check(records)] == holds
    assert {one.verdict for one in check(records) if not one.holds} <= {"open"}  # one run each
    twice = [*records, *records]
    assert {one.verdict for one in check(twice) if not one.holds} <= {"no"}


def test_lines_are_judged_by_their_mean_and_clusters_by_the_worst_seed() -> None:
    straight, bent = (look_into("parity", 2, 1.0, 2.0, off) for off in (0.01, 0.08))
    mixed = look_into("parity", 2, 0.9, 2.0, 0.01)
    cycles = [CYCLE, CYCLE]
    assert [one.holds for one in check([straight, bent, *cycles])] == [True, True]
    assert [one.holds for one in check([bent, bent, *cycles])] == [True, False]
    assert [one.holds for one in check([straight, mixed, *cycles])] == [False, True]
    assert check([straight, bent, *cycles])[1].measured.startswith("parity 0.010, 0.080 away")
