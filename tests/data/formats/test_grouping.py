"""Events make up the words of their cases, in whatever order the rows come."""

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.data.formats.grouping import Event, words_of_events
from lengthwise.data.formats.places import Place
from lengthwise.errors import TextError

PATH = Path("log.csv")


def place(number: int) -> Place:
    return Place(PATH, "line", number)


@given(
    words=st.lists(st.lists(st.sampled_from(["pay", "ship", "3"]), max_size=5), max_size=8),
    seed=st.integers(0, 99),
    is_timed=st.booleans(),
)
def test_words_are_those_that_were_taken_apart(
    words: list[list[str]], seed: int, is_timed: bool
) -> None:
    """With times, rows come in any order; without, those of a case keep theirs."""
    draw = random.Random(seed)
    rows = [
        (f"case {number}", name, at)
        for number, word in enumerate(words)
        for at, name in enumerate(["", *word])  # an empty name says only that there is the case
    ]
    draw.shuffle(rows)
    if not is_timed:
        order = {id(row): at for at, row in enumerate(sorted(rows, key=lambda row: row[2]))}
        rows.sort(key=lambda row: order[id(row)])
    events = [
        Event.of(place(at), case, name, "" if draw.random() < 0.5 and when else "yes", *times)
        for at, (case, name, when) in enumerate(rows, start=1)
        for times in [[f"2026-01-{when + 1:02}T00:00:00"] if is_timed else []]
    ]
    found = {tuple(word): label for _, word, label in words_of_events(events)}
    assert found == {tuple(word): "yes" for word in words}
    firsts = [first.number for first, _, _ in words_of_events(events)]
    assert firsts == sorted(firsts)


@pytest.mark.parametrize(
    ("early", "late"),
    [
        ("9", "10"),
        (9, 10.5),
        ("2026-01-31", "2026-02-01T00:00:00"),
        ("2026-01-31T12:00:00+02:00", "2026-01-31T11:00:00+00:00"),
        ("2026-01-31T11:00:00Z", "2026-01-31T11:00:01"),
    ],
)
def test_times_are_numbers_or_dates(early: object, late: object) -> None:
    events = [Event.of(place(1), "a", "z", "1", late), Event.of(place(2), "a", "y", "1", early)]
    ((_, word, _),) = words_of_events(events)
    assert word == ["y", "z"]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([("a", "x", "1"), ("a", "y", "2")], "line 2: case 'a' has the label '2', but '1' in line"),
        ([("a", "x", "1"), ("b", "y", "")], "line 2: case 'b' has no label"),
        ([("", "x", "1")], "line 1 has no case"),
        ([("a", 1.5, "1")], "line 1: the event must be a string, but is 1.5"),
        ([("a", "x", "1", "soon")], "line 1: the time 'soon' is neither a number nor a date"),
        ([("a", "x", "1", None)], "line 1: the time '' is neither"),
        ([("a", "x", "1", "nan")], "line 1: the time 'nan' is neither"),
        (
            [("a", "x", "1", "5"), ("b", "x", "1", "2026-01-31")],
            "line 2: the time '2026-01-31' is a date, but those before are numbers. Write all",
        ),
        ([("a", "x", "1", "2026-01-31"), ("a", "x", "1", 5)], "the time 5 is a number, but those"),
    ],
)
def test_slips_are_named_with_their_place(rows: list[tuple[object, ...]], message: str) -> None:
    with pytest.raises(TextError) as refused:
        list(words_of_events(Event.of(place(at), *row) for at, row in enumerate(rows, 1)))
    assert message in str(refused.value)
