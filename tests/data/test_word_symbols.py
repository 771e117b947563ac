"""Symbols of written words: escapes within names, and names that would be one symbol."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.data.prepared_words import prepare_words
from lengthwise.data.word_symbols import format_name, split_word
from lengthwise.errors import TextError
from word_files import read_back

name = st.text("ab \\\t", min_size=1, max_size=5).filter(lambda text: bool(text.strip()))


@given(names=st.lists(name, max_size=5))
def test_escaped_names_are_split_as_they_were_joined(names: list[str]) -> None:
    def escape(text: str) -> str:
        return text.replace("\\", "\\\\").replace(" ", "\\ ").replace("\t", "\\t")

    assert split_word("  ".join(map(escape, names)), True) == names
    assert split_word(" ".join(map(escape, names)), False) == list(
        "".join(map(escape, names)).replace(" ", "")
    )


@given(text=st.text("ab \t\u2003", max_size=8))
def test_a_shown_name_has_no_spaces(text: str) -> None:
    assert len(format_name(text).split()) <= 1
    assert format_name(text).replace("_", "") == "".join(text.split())


def test_spaces_within_names_are_shown_by_a_mark(tmp_path: Path) -> None:
    for file, content in (
        ("a.tsv", "check\\ in pay\t1\npay\t0\n"),
        ("a.jsonl", '{"word": ["check in", "pay"], "label": 1}\n{"word": ["pay"], "label": 0}\n'),
        ("a.csv", "check\\ in pay,1\npay,0\n"),
    ):
        (tmp_path / file).write_text(content)
        words = prepare_words(tmp_path / file)
        assert read_back(words) == {("check_in", "pay"): "1", ("pay",): "0"}
        assert prepare_words(tmp_path / file, ("pay", "check_in")).alphabet == ("pay", "check_in")


def test_two_names_of_one_symbol_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("check\\ in pay\t1\ncheck_in pay\t0\n")
    with pytest.raises(TextError, match="line 2: the names 'check in' and 'check_in' would both"):
        prepare_words(path)
