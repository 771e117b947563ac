"""What wrong classes mean for outputs: the input, and its first wrong position."""

import re
from dataclasses import replace

import pytest

import lengthwise as lw
from function_strategies import draw_function, slow_output
from lengthwise.errors import ClaimError, LanguageError, VerificationError
from lengthwise.evaluation.outputs import outputs_of
from lengthwise.languages.functions.function import Function
from lengthwise.languages.functions.reading import reading_of
from lengthwise.problems.functions.wrong_inputs import describe_wrong_input, refute_function


def with_exchanged_symbols(function: Function) -> Function:
    """The function of words in which a and b are exchanged."""
    left, right = (
        tuple(tuple(reversed(row)) for row in rows) for rows in (function.left, function.right)
    )
    table = tuple(tuple(reversed(rows)) for rows in function.table)
    return replace(function, left=left, right=right, table=table)


@pytest.mark.parametrize("seed", [0, 1, 3, 5, 8, 10])
def test_an_input_that_is_named_has_a_wrong_output(seed: int) -> None:
    """The network is one of another function with the same classes."""
    own = draw_function(seed, left=2, right=2)
    other = with_exchanged_symbols(own)
    reading, asked = reading_of(own), reading_of(other)
    assert reading.language.class_names == asked.language.class_names
    word = reading.language.difference(asked.language)
    model = lw.compile(own).model
    assert describe_wrong_input(model, reading, word or (0,)) is None
    said = describe_wrong_input(model, asked, word or (0,))
    if said is None:
        assert own == other
        return
    match = re.fullmatch(
        r"'(\w+)' becomes '(\w+)'; position (\d+) .*, '(.)' in place of '(.)'", said
    )
    assert match is not None
    (written,) = outputs_of(model, asked, [other.encode(match[1])])
    wanted, place = slow_output(other, other.encode(match[1])), int(match[3]) - 1
    assert match[2] == other.decode(written.tolist())
    assert (match[2][place], wanted[place]) == (match[4], match[5])
    assert match[2][:place] == wanted[:place]


def test_the_first_wrong_position_is_named() -> None:
    own, other = (lw.function(f"rule[abcd]:a -> {symbol} / _ d") for symbol in "bc")
    model = lw.compile(own).model
    with pytest.raises(ClaimError, match=r"'ad' becomes 'bd'; position 1 .* 'b' in place of 'c'"):
        refute_function(model, reading_of(own), other)
    refute_function(model, reading_of(own), own)
    with pytest.raises(LanguageError, match="one alphabet"):
        refute_function(model, reading_of(own), lw.function("gray"))
    halves = replace(reading_of(other), answers=reading_of(own).answers)
    with pytest.raises(VerificationError, match="Certify without --against first"):
        refute_function(model, halves, own)


def test_a_wrong_function_is_refuted_with_an_input_of_the_command_line() -> None:
    run = lw.compile("rule[abcd]:a -> b / _ d")
    with pytest.raises(ClaimError, match="counterexample: 'ad'"):
        lw.certify(run, language="rule[abcd]:a -> c / _ d")
