"""The order of the board, against plain sorting; and that its entries are those of the zoo."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.shell import Shell
from lengthwise.board.entries import (
    LANGUAGES,
    BoardEntry,
    in_order,
    load_entries,
    place_on_board,
    save_entries,
)
from lengthwise.board.submission import judge_submission
from lengthwise.errors import RunError
from lengthwise.zoo_paths import ROOT

ENTRIES = st.builds(
    BoardEntry,
    name=st.sampled_from("ab"),
    language=st.sampled_from(list(LANGUAGES)[:3]),
    made=st.sampled_from(["trained", "constructed"]),
    model=st.just("gru-binary"),
    parameters=st.integers(1, 4),
    bits=st.none() | st.integers(1, 3),
    depth=st.just("1 layer"),
    arithmetic=st.sampled_from(["float32", "float64"]),
    strength=st.sampled_from(["discrete", "snapped"]),
    told=st.just("codes"),
    seed=st.none(),
    certificate=st.uuids().map(str),
)


@given(st.lists(ENTRIES, max_size=8), ENTRIES)
def test_a_place_is_that_after_sorting(entries: list[BoardEntry], new: BoardEntry) -> None:
    together = in_order([*entries, new])
    rivals = [one for one in together if (one.language, one.made) == (new.language, new.made)]
    alike = [one for one in rivals if one.size == new.size]
    assert place_on_board(new, entries) == rivals.index(alike[-1]) + 1


@given(st.lists(ENTRIES, max_size=5))
def test_snapped_networks_come_after_those_that_run_as_they_are(entries: list[BoardEntry]) -> None:
    for one in entries:
        for other in entries:
            if one.parameters <= other.parameters and (one.is_snapped, other.is_snapped) == (
                True,
                False,
            ):
                pair = in_order(
                    [replace(each, language="parity", made="trained") for each in (one, other)]
                )
                assert [each.strength for each in pair] == ["discrete", "snapped"]


@given(st.lists(ENTRIES, max_size=5))
def test_entries_are_stored_as_they_are(entries: list[BoardEntry]) -> None:
    import tempfile  # noqa: PLC0415

    with tempfile.TemporaryDirectory() as folder:
        save_entries(entries, Path(folder) / "entries.json")
        assert load_entries(Path(folder) / "entries.json") == in_order(entries)


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "entries.json"
    file.write_text('{"entries": [{"name": "a"}]}')
    with pytest.raises(RunError, match="language must be a string"):
        load_entries(file)


def test_the_board_of_a_language_is_its_part_of_the_whole(shell: Shell) -> None:
    whole = shell.json("board")["entries"]
    for language in {each["language"] for each in whole}:
        part = [each for each in whole if each["language"] == language]
        assert shell.json("board", language)["entries"] == part
    header, *rows = shell("board", "parity")[1].splitlines()
    assert header.split()[0] == "language"
    assert [row.split()[0] for row in rows] == ["parity"] * len(rows)


@pytest.mark.slow
def test_the_entries_are_the_proved_models_of_the_zoo() -> None:
    proved = [judge_submission(file.parent) for file in ROOT.glob("*/certificate.json")]
    assert load_entries() == in_order(proved)


def test_every_language_has_a_trained_entry() -> None:
    trained = {each.language for each in load_entries() if each.made == "trained"}
    assert trained == set(LANGUAGES) - {"first"}
