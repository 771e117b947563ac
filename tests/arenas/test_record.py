"""The record: tables and bests, by hand; and that a file has all of it."""

from pathlib import Path
from typing import Any

import pytest

from lengthwise.arenas.cell import LONG
from lengthwise.arenas.record import Arena, _curve
from lengthwise.arenas.trained_cell import Cell
from lengthwise.errors import ConfigError, RunError


def cell(network: str = "gru", language: str = "parity", seed: int = 0, **more: Any) -> Cell:
    found = {
        "is_proved": False,
        "verdict": "equivalent",
        "wrong_length": None,
        "seconds": 2.0,
        "shortcuts": {"majority": 0.5, "last symbol": 0.6},
        "kinds": {"short random": (9, 10), "long random": (0, 0)},
        **more.pop("found", {}),
    }
    return Cell(
        **{
            "network": network,
            "language": language,
            "seed": seed,
            "given": "prefix",
            "parameters": 100,
            "steps": 5,
            "validation_accuracy": 1.0,
            "training_seconds": 3.0,
            "by_length": ((40, 10, 10), (41, 10, 9), (500, 10, 10), (LONG, 4, 3)),
            "found": found,
            **more,
        }
    )


def arena(*cells: Cell) -> Arena:
    return Arena(
        suite="regular",
        protocol={"preset": "smoke", "settings": {"max_length": 40}, "seeds": [0, 1]},
        cells=cells,
        environment={"torch": "2"},
        date="2026-01-01",
    )


FAILED = Cell(network="lstm", language="parity", seed=0, given="final", error="RunError: no")
MIXED = arena(
    cell(),
    cell(seed=1, found={"verdict": "counterexample", "wrong_length": 7}),
    cell(language="d-2", validation_accuracy=0.9989, found={"wrong_length": 3}),
    cell(network="lstm", language="d-2", parameters=90, found={"is_proved": True}),
    FAILED,
)


def test_a_row_counts_only_what_was_learned_as_learned() -> None:
    columns, rows = MIXED.table
    row = dict(zip(columns, rows[0], strict=True))
    assert row["learned"] == "2 of 3"
    assert row["proved snapped"] == "1 of 2"
    assert row["accuracy, 41 to 500"].startswith("95.00 % (86.")  # 57 of 60
    assert row[f"at {LONG:,}"].startswith("75.00 %")
    assert row["first wrong length"] == "median 7, 3 of 3"
    assert row["seconds"] == "5"


def test_the_matrix_says_what_is_proved_of_what() -> None:
    columns, rows = MIXED.matrix
    assert columns == ["language", "best shortcut", "gru", "lstm"]
    assert rows == [
        ["parity", "60.00 %", "95.00 %; 1 of 2 proved snapped", "failed"],
        ["d-2", "60.00 %", "95.00 %; not learned", "95.00 %; 1 proved"],
    ]


def test_outputs_are_scored_length_by_length_and_nothing_is_proved() -> None:
    written = cell(
        language="chomsky:reverse-string",
        given="outputs",
        found={"verdict": None, "is_proved": False, "kinds": {}},
        by_length=((40, 10, 10), (41, 10, 9), (500, 1000, 500)),
    )
    _, (row,) = arena(written).table
    assert row[3:8] == ["1 of 1", "0 of 0", "0", "70.00 %", ""]
    assert arena(written).matrix[1][0][2] == "70.00 %; learned by 1 of 1"
    assert _curve([written]) == {40: 100.0, 100: 90.0, 500: 50.0}
    both = arena(written, cell(language="d-2", by_length=((41, 10, 10), (500, 10, 10))))
    assert both.table[1][0][6] == "85.00 %"


def test_kinds_without_words_are_left_empty() -> None:
    _, rows = MIXED.kinds
    assert rows[0] == ["gru", "90.00", "", "", ""]


def test_the_best_of_a_language_are_the_smallest_and_the_one_that_carries_farthest() -> None:
    parity, depth_two = MIXED.best()
    assert parity["proved"] is None
    assert parity["proved_snapped"] == {"network": "gru", "seed": 0, "parameters": 100}
    assert (parity["farthest"]["seed"], parity["farthest"]["wrong_length"]) == (0, 41)
    assert depth_two["proved"]["network"] == "lstm"
    assert depth_two["farthest"]["network"] == "lstm"


def test_a_file_has_all_of_it(tmp_path: Path) -> None:
    MIXED.save(tmp_path / "arena.json")
    again = Arena.load(tmp_path / "arena.json")
    assert again.table == MIXED.table
    assert again.matrix == MIXED.matrix
    again.save(tmp_path / "again.json")
    files = [(tmp_path / name).read_bytes() for name in ("arena.json", "again.json")]
    assert files[0] == files[1]


def test_a_page_has_the_tables_and_the_failures(tmp_path: Path) -> None:
    MIXED.save(tmp_path / "arena.html")
    page = (tmp_path / "arena.html").read_text(encoding="utf-8")
    assert "1 of 2 proved snapped" in page
    assert "lstm on parity, seed 0: RunError: no" in page
    assert "<svg" in page
    assert "http://" not in page.replace("http://www.w3.org", "")


def test_other_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="html"):
        MIXED.save(tmp_path / "arena.txt")
    (tmp_path / "other.json").write_text('{"format": 9}')
    with pytest.raises(RunError, match="is not an arena of format 1"):
        Arena.load(tmp_path / "other.json")
    (tmp_path / "broken.json").write_text('{"format": 1}')
    with pytest.raises(RunError):
        Arena.load(tmp_path / "broken.json")


def test_the_best_are_shown_with_their_parameters() -> None:
    _, (parity, depth_two) = MIXED.best_table
    assert parity[1:3] == ["", "gru, 100 parameters"]
    assert parity[3] == "gru, 100 parameters: wrong on a word of 41"
    assert depth_two[1] == "lstm, 90 parameters"
    (row,) = arena(cell(by_length=(), found={"wrong_length": 1200})).best_table[1]
    assert row[3].endswith(": wrong on a word of 1,200")
    (row,) = arena(cell(by_length=((50, 2, 2),))).best_table[1]
    assert row[3].endswith(": no wrong word found")


def test_the_cost_leaves_out_what_failed() -> None:
    assert MIXED.cost == "4 of 5 cells took 0 minutes of one processor core."
    long = arena(cell(training_seconds=7198.0))
    assert long.cost == "1 of 1 cells took 2.0 hours of one processor core."


def test_a_curve_is_a_mean_over_languages_of_ranges_of_lengths() -> None:
    even = cell(language="d-2", by_length=((2, 4, 4), (42, 10, 0)))
    both = [cell(by_length=((1, 9, 9), (43, 10, 8), (44, 10, 10))), even]
    assert _curve(both) == {5: 100.0, 100: 45.0}
