"""Columns: what is read from a line, and what does not go together."""

import pytest

from lengthwise.data.columns import Columns
from lengthwise.errors import ConfigError


def test_a_text_and_a_mapping_say_the_same() -> None:
    text = "case=id, event=action,label=outcome,time=when"
    named = {"case": "id", "event": "action", "label": "outcome", "time": "when"}
    assert Columns.parse(text) == Columns.parse(named) == Columns(**named)
    assert Columns.parse(text).names == ("id", "action", "outcome", "when")
    assert Columns.parse(Columns(word="w")) == Columns(word="w")
    assert Columns.parse("") == Columns.parse(None) == Columns.parse({}) == Columns()
    assert not Columns().are_named


def test_what_is_stored_is_read_again() -> None:
    columns = Columns.parse("word=text,format=csv")
    assert columns.to_dict() == {"word": "text", "format": "csv"}
    assert Columns(**columns.to_dict()) == columns
    assert Columns().to_dict() == {}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("wrd=text", "unknown part of columns 'wrd'. Did you mean 'word'?"),
        ("word=a,word=b", "columns: word is given twice. Write word=COLUMN once."),
        ("word", "columns: word has no column."),
        ("case=id", "columns name case=id, but no event. Give both"),
        ("case=id,event=a,word=b", "columns name word and case"),
        ("time=when", "columns name time, but no event"),
    ],
)
def test_names_that_do_not_go_together_are_refused(text: str, message: str) -> None:
    with pytest.raises(ConfigError) as refused:
        Columns.parse(text)
    assert message in str(refused.value)


def test_events_of_a_table_need_cases() -> None:
    Columns.parse("word=text").require_case()
    with pytest.raises(ConfigError, match="event=action, but no case"):
        Columns.parse("event=action").require_case()


def test_a_row_without_a_label_is_of_the_language() -> None:
    words, events = Columns.parse("label="), Columns.parse("case=id,event=a,label=,time=t")
    assert (words.names, events.names) == (("word",), ("id", "a", "t"))
    assert words.label_row(["ab"]) == ("ab", "1")
    assert events.label_row([7, "pay", 3]) == (7, "pay", "1", 3)
    assert Columns().label_row(["ab", "x"]) == ("ab", "x")
    assert not words.are_named
    assert Columns(**words.to_dict()) == words
