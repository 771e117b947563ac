"""Figure 2: what agreement is, and which decoders it shows."""

import numpy as np
import pytest

from lengthwise_papers.steps2022 import figure2


@pytest.mark.parametrize("moved", [0, 1, 2])
def test_agreement_is_the_share_of_rows_whose_greatest_weights_are_on_the_sources(
    moved: int,
) -> None:
    targets = np.zeros((4, 9))
    targets[1, [0, 1]] = targets[2, [2, 3]] = targets[3, [4, 5]] = 0.5
    weights = np.roll(targets, moved, axis=1)
    common = {"symbols": [""] * 9, "gates": [""] * 4, "gates_with_sources": [1, 2, 3], "bits": 3}
    records = [
        {**common, "decoder": name, "exact_match": 1.0, "on_sources": 1 - moved / 2}
        | {"weights": matrix.tolist(), "targets": targets.tolist()}
        for name, matrix in (
            (figure2.HAND_CODED, targets),
            *zip(figure2.TRAINED, (weights, targets), strict=True),
        )
    ]
    a_source, all_sources = float(moved < 2), float(moved == 0)
    assert figure2.agreement(records[1], 1) == a_source
    assert figure2.agreement(records[1]) == all_sources
    found = figure2.check(records)
    assert [one.holds for one in found] == [not moved, True, True, True]
    blind = f"{(2 / 7 + 2 / 8 + 2 / 9) / 3:.4f}, if all positions had the same".replace(",", "")
    assert any(blind in one.measured for one in found), "the rows of gates see 7, 8 and 9 places"
    _, rows = figure2.table(records)
    assert rows[1][-2:] == [f"{a_source:.4f}", f"{all_sources:.4f}"]


def test_the_decoders_of_figure_2_are_trained_as_in_table_1() -> None:
    sizes = figure2.FIGURE_2.presets["laptop"]
    plans = [figure2.plan_of(sizes, 0, settings) for settings in figure2.TRAINED.values()]
    networks = [plan.network.to_dict() for plan in plans]
    assert [network["position"] for network in networks] == ["learned", "one-hot"]
    assert [network["norm"] for network in networks] == ["pre", "post-embedded"]
    assert [plan.training.weight_decay for plan in plans] == [0.0, 0.5]


def test_each_kind_of_decoder_has_its_mean_over_seeds_and_one_that_is_wrong_counts() -> None:
    targets = np.zeros((3, 9))
    targets[0, [0, 1]] = targets[1, [2, 3]] = targets[2, [4, 5]] = 0.5

    def record(seed: int, shift: int, exact_match: float) -> dict[str, object]:
        return {
            **{"decoder": "trained, learned positions", "bits": 3, "exact_match": exact_match},
            **{"symbols": [""] * 9, "gates": [""] * 3, "gates_with_sources": [0, 1, 2]},
            **{"weights": np.roll(targets, shift, axis=1).tolist(), "targets": targets.tolist()},
            **{"on_sources": 0.5, "settings": {"training": {"seed": seed}}},
        }

    alike, other = record(0, 0, 1.0), record(1, 2, 0.5)
    for records, holds in (
        ([alike, other, record(2, 0, 1.0)], [True, False]),
        ([alike, other, record(2, 2, 1.0)], [False, False]),
        ([alike, alike], [True, True]),
    ):
        found = figure2.check(records)
        assert [one.holds for one in found] == holds
        assert {one.runs for one in found} == {len(records)}
    rows = figure2.table([alike, other]).rows
    assert [row[0] for row in rows] == [
        "trained, learned positions",
        "trained, learned positions, seed 1",
    ]
    assert len(figure2.figures([alike, other])) == 1
