from typing import Any

import pytest
from hypothesis import given

from lengthwise.errors import LanguageError, WordError
from lengthwise.languages.language import Language
from lengthwise.languages.validation import check_symbols, short
from strategies import machines

GOOD: dict[str, Any] = {"alphabet": ("a", "b"), "transitions": ((0, 1), (1, 0)), "classes": (0, 1)}


@pytest.mark.parametrize(
    ("alphabet", "transitions", "classes", "message"),
    [
        ((), ((),), (0,), "at least one symbol"),
        (("a", "a"), ((0, 0),), (0,), "'a' appears twice"),
        (("a b",), ((0,),), (0,), "without spaces"),
        (("a",), ((1,),), (0,), "moves by 'a' to 1"),
        (("a",), ((0, 0),), (0,), "2 transitions"),
        (("a",), ((0,),), (0, 1), "classes has 2 items for 1 state"),
    ],
)
def test_parts_that_do_not_fit_are_refused(
    alphabet: tuple[str, ...],
    transitions: tuple[tuple[int, ...], ...],
    classes: tuple[int, ...],
    message: str,
) -> None:
    with pytest.raises(LanguageError, match=message):
        Language(alphabet=alphabet, transitions=transitions, classes=classes)


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ({"alphabet": "ab"}, r"an alphabet is a tuple of strings, .* but it is 'ab' \(str\)"),
        ({"alphabet": ["a", "b"]}, r"an alphabet is a tuple"),
        ({"alphabet": ("a", 1)}, r"the alphabet has 1 \(int\)"),
        ({"alphabet": ("a", "\udc80")}, r"the alphabet has '\\udc80'"),
        ({"transitions": [(0, 1), (1, 0)]}, r"transitions are a tuple of tuples .* \(list\)"),
        (
            {"transitions": ((0, 1), [1, 0])},
            r"tuple of integers, but state 1 has \[1, 0\] \(list\)",
        ),
        ({"transitions": ((0, 1), (1, 0.0))}, r"state 1 moves by 'b' to 0.0 \(float\)"),
        ({"transitions": ((0, True), (1, 0))}, r"state 0 moves by 'b' to True \(bool\)"),
        ({"transitions": ((0, "1"), (1, 0))}, r"state 0 moves by 'b' to '1' \(str\)"),
        (
            {"transitions": ((0, -1), (1, 0))},
            r"state 0 moves by 'b' to -1, but the states are 0..1",
        ),
        ({"transitions": None}, r"but they are None \(NoneType\)"),
        ({"classes": [0, 1]}, r"classes are a tuple of integers, .* \(list\)"),
        ({"classes": (0, True)}, r"state 1 has class True \(bool\)"),
        ({"classes": (0.0, 1)}, r"state 0 has class 0.0 \(float\)"),
        ({"classes": (0, -1)}, r"state 1 has class -1"),
        ({"classes": (0, 2), "class_names": ("x", "y")}, r"state 1 has class 2, but the .* 0..1"),
        ({"start": 1.0}, r"start=1.0 \(float\)"),
        ({"start": True}, r"start=True \(bool\)"),
        ({"start": 2}, r"start=2, but the states are 0..1"),
        ({"class_names": ["0", "1"]}, r"class names are a tuple of strings"),
        ({"class_names": (0, 1)}, r"class names are a tuple of strings"),
        ({"class_names": ("x", "x")}, r"'x' appears twice"),
        ({"domain": "ab"}, r"a domain is a Language, but it is a str"),
    ],
)
def test_parts_of_another_type_are_refused(part: dict[str, Any], message: str) -> None:
    Language(**GOOD)
    with pytest.raises(LanguageError, match=message) as caught:
        Language(**{**GOOD, **part})
    assert "\n" not in str(caught.value)


@given(machines())
def test_a_language_that_was_accepted_can_be_a_key(language: Language) -> None:
    assert hash(language) == hash(
        Language(
            alphabet=language.alphabet,
            transitions=language.transitions,
            classes=language.classes,
            start=language.start,
            class_names=language.class_names,
        )
    )


def test_symbols_are_the_integers_below_their_number() -> None:
    check_symbols((), 1)
    check_symbols((0, 2), 3)
    with pytest.raises(WordError, match="from 0 to 2, but its symbol 2 is 3"):
        check_symbols((0, 3), 3)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.5, "0.5"),
        ("a\n b", r"'a\n b'"),
        (-(10**20), "an integer of more than 20 digits"),
        ("x" * 80, "'" + "x" * 56 + "..."),
    ],
)
def test_values_are_shown_on_one_short_line(value: object, shown: str) -> None:
    assert short(value) == shown
    assert "digits" in short(10**5000)
