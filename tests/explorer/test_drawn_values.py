"""An automaton that the page drew becomes a language, or is refused in one line."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from lengthwise.errors import LanguageError
from lengthwise.explorer.drawn_values import att_or_none, read_drawing
from lengthwise.explorer.timed_values import Workers
from lengthwise.languages.att import from_att
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from strategies import recognisers

PARITY = {"alphabet": ["0", "1"], "transitions": [[0, 1], [1, 0]], "classes": [0, 1], "start": 0}


def test_a_drawing_is_the_language_of_its_automaton() -> None:
    assert read_drawing(json.dumps(PARITY)).difference(parse("parity")) is None


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"transitions": [[0, None], [1, 0]]}, "state 0 moves by '1' to None"),
        ({"transitions": [[0, 1]]}, "classes has 2 items for 1 state"),
        ({"transitions": [[0, 1], [1, 2]]}, "the states are 0..1"),
        ({"classes": [0, 2]}, "state 1 has class 2, but the classes are 0..1"),
        ({"start": -1}, "start=-1"),
        ({"alphabet": ["0", "0"]}, "appears twice"),
        ({"alphabet": []}, "at least one symbol"),
        ({"alphabet": None}, "damaged"),
        ({"spec": "py[states=2,alphabet=01]:os:system", "start": "x"}, "start='x'"),
    ],
)
def test_what_does_not_fit_is_refused(changed: dict[str, Any], said: str) -> None:
    with pytest.raises(LanguageError, match=f"^[^\n]*{re.escape(said)}[^\n]*$"):
        read_drawing(json.dumps({**PARITY, **changed}))


@pytest.mark.parametrize("text", ["", "[", "[]", "3", "{}", "[" * 100_000, '{"a": NaN}'])
def test_what_is_no_drawing_is_refused(text: str) -> None:
    with pytest.raises(LanguageError, match=r"drawn automaton is|damaged"):
        read_drawing(text)


def test_the_page_is_answered_as_for_an_expression_and_gets_a_file(workers: Workers) -> None:
    found = workers.answer({"drawn": json.dumps(PARITY)})
    expected = workers.answer({"spec": "parity"})
    att = found["automaton"].pop("att")
    assert found["automaton"] == {**expected["automaton"], "spec": ""}
    assert (found["monoid"], found["ladder"]) == (expected["monoid"], expected["ladder"])
    assert att.startswith("0\t0\t0\t0\n0\t1\t1\t1\n")
    assert "JSON" in workers.answer({"drawn": "{", "spec": "parity"})["error"]


@given(language=recognisers())
def test_the_file_is_read_as_the_same_language(
    tmp_path_factory: pytest.TempPathFactory, language: Language
) -> None:
    path: Path = tmp_path_factory.getbasetemp() / "machine.att"
    text = att_or_none(language)
    assert text is not None
    path.write_text(text, encoding="utf-8")
    assert from_att(path, alphabet=language.alphabet).difference(language) is None


def test_a_symbol_that_the_format_reads_otherwise_gives_no_file() -> None:
    assert att_or_none(read_drawing(json.dumps({**PARITY, "alphabet": ["<eps>", "a"]}))) is None
