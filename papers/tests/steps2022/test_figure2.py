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
