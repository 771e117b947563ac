"""The function that `lw.function` returns."""

import pytest

from lengthwise.errors import LanguageError
from lengthwise.languages.functions.arithmetic import addition
from lengthwise.languages.functions.by_name import function, function_of
from lengthwise.languages.spec import parse


def test_a_function_is_named_given_or_learned() -> None:
    add = addition(10)
    assert function("add") == add
    assert function(add) is add
    assert function(lambda word: word.upper(), ["a", "b"], max_states=2)("ab") == "AB"
    assert function("rule:a -> b", "abc")("cab") == "cbb"


def test_a_language_of_prefixes_has_its_function() -> None:
    assert function_of(parse("add[base=2]")) == addition(2)
    assert function_of(parse("parity")) is None


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((str,), "needs alphabet='01' and max_states=8"),
        ((3,), "a function is a line"),
        (("parity",), "unknown function"),
    ],
)
def test_what_names_no_function_is_refused(arguments: tuple[object, ...], says: str) -> None:
    with pytest.raises(LanguageError, match=says):
        function(*arguments)  # type: ignore[arg-type]
    with pytest.raises(LanguageError, match="with max_states"):
        function("gray", max_states=3)
