"""Drawings of functions: every arrow says what is read and what is written."""

import pytest

from function_strategies import draw_function, inputs_of
from lengthwise.drawing.functions import drawn_automata, function_svgs
from lengthwise.drawing.layout import layout_of
from lengthwise.languages.functions.by_name import function
from lengthwise.languages.functions.function import Function


@pytest.mark.parametrize("seed", range(5))
def test_the_arrows_of_a_mealy_machine_write_what_the_function_writes(seed: int) -> None:
    made = draw_function(seed, left=5, symbols=3, outputs=3)
    ((machine, written),) = drawn_automata(made).values()
    layout = layout_of(machine, written=written)
    steps = {
        (arrow.source, read): (arrow.target, output)
        for arrow in layout.arrows
        for read, output in (label.split("/") for label in arrow.title.split(", "))
    }
    for word in inputs_of(made, 4):
        state, outputs = 0, ""
        for symbol in word:
            state, output = steps[state, made.alphabet[symbol]]
            outputs += output
        assert outputs == made(word)


def test_an_adder_has_its_carries_as_states_and_no_double_circle() -> None:
    (picture,) = function_svgs(function("add[base=2]")).values()
    assert picture.count("<rect") == 2
    assert "0+0/0, 0+1/1, 1+0/1" in picture
    assert ">1+1/0<" in picture
    (large,) = function_svgs(function("add[base=10]")).values()
    assert ">other<" not in large, "which would hide what is written"
    assert "1+9/0, 2+8/0, … (45)" in large


def test_a_bimachine_has_two_automata_that_only_read() -> None:
    pictures = function_svgs(function("rule:a -> b / c _ d"))
    assert [*pictures] == ["from the left", "from the right"]
    assert ">a, b, d<" in pictures["from the left"]
    assert ">a, b, c<" in pictures["from the right"]


def test_what_is_too_large_is_not_drawn() -> None:
    states = range(50)
    line = Function(
        alphabet=("a",),
        outputs=("x", "y"),
        left=tuple((min(s + 1, 49),) for s in states),
        right=((0,),),
        table=tuple(((int(s == 49),),) for s in states),
    )
    assert len(line.left) == 50
    assert function_svgs(line) == {}
