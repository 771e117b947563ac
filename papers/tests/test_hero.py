"""The first picture of the README, by the data in its axes."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from hero import PANELS, hero

RESULTS = Path(__file__).parents[2] / "papers" / "results"


def records(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((RESULTS / f"{name}.json").read_text("utf-8"))[
        "records"
    ]
    return found


def test_one_panel_fails_and_only_the_proved_network_has_the_mark() -> None:
    proofs = records("own-default-proofs")
    figure = hero(records("chi2023-table1"), proofs)
    assert len(figure.axes) == len(PANELS) == 4
    last = [float(np.asarray(axes.lines[0].get_ydata())[-1]) for axes in figure.axes]
    assert last[0] < 60
    assert last[1] == last[3] == 100
    assert 60 < last[2] < 100
    marked = [any("proved" in text.get_text() for text in axes.texts) for axes in figure.axes]
    assert marked == [False, False, False, True]
    refuted = [{**one, "verdict": "not-closed"} for one in proofs]
    texts = [text for axes in hero(records("chi2023-table1"), refuted).axes for text in axes.texts]
    assert not any("proved" in text.get_text() for text in texts)
