"""Programs: what they compute, and which lines are none."""

from typing import Any

import numpy as np
import pytest

from lengthwise.errors import CertificateError
from lengthwise.proofs.check.balls import Arithmetic
from lengthwise.proofs.check.program import TracedProgram

EXACT = Arithmetic.of("float64")
ARRAYS: dict[str, Any] = {
    "table": np.array([[1.0, 2.0], [3.0, 4.0]]),
    "map": np.array([[1.0, 0.0], [1.0, -1.0]]),
    "zero": np.zeros((1, 2)),
    "rows": np.array([1, 0]),
    "one": np.ones((1, 2)),
}
STEP = """\
%0 = take @table %symbol
%1 = add %0 %state.0
%2 = addmm @zero %1 @map
return %2 %1"""


def program(step: str = STEP, start: str = "return @zero @zero") -> TracedProgram:
    return TracedProgram(f"start\n{start}\nstep\n{step}", ARRAYS, EXACT)


def test_a_program_computes_what_its_lines_say() -> None:
    made = program()
    assert (made.width, made.shapes) == (2, [(1, 2)])
    states = np.array([[10.0, 20.0], [0.5, 0.0], [0.0, 0.0]])
    logits, (state,) = made.step(states, np.array([0, 1, 1]))
    reached = states + ARRAYS["table"][[0, 1, 1]]
    assert np.allclose(state.centre[:, 0], reached)
    assert np.allclose(logits.centre[:, 0], reached @ ARRAYS["map"])
    assert (state.radius < 1e-14).all()


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("view %state.0 [2]", [[1.0, 2.0]]),
        ("expand %state.0 [3,1,2]", [[[[1.0, 2.0]]] * 3]),
        ("slice %state.0 1 1 2 1", [[[2.0]]]),
        ("permute %state.0 [1,0]", [[[1.0], [2.0]]]),
        ("cat 0 %state.0 @zero", [[[1.0, 2.0], [0.0, 0.0]]]),
        ("sum %state.0 [1] 0", [[3.0]]),
        ("sum %state.0 [1] 1", [[[3.0]]]),
        ("amax %state.0 [1] 0", [[2.0]]),
        ("mul %state.0 -0.5", [[[-0.5, -1.0]]]),
        ("pow %state.0 2.0", [[[1.0, 4.0]]]),
        ("maximum %state.0 1.5", [[[1.5, 2.0]]]),
        ("take @table @rows", [[[3.0, 4.0], [1.0, 2.0]]]),
        ("take @table %symbol", [[[3.0, 4.0]]]),
        ("mul %symbol @zero", [[[0.0, 0.0]]]),
        ("matmul %state.0 @map", [[[3.0, -2.0]]]),
    ],
)
def test_each_operation_of_places(line: str, value: Any) -> None:
    made = program(f"%0 = {line}\nreturn %0 %state.0")
    logits, _ = made.step(np.array([[1.0, 2.0]]), np.array([1]))
    assert np.allclose(logits.centre, np.array(value), atol=1e-12)


def test_choices_pick() -> None:
    made = program(
        "%0 = argmax %state.0 1 0\n%1 = eq %0 1\n%2 = gt %state.0 1.5\n"
        "%3 = where %2 %state.0 @zero\n%4 = add %3 %1\nreturn %4 %state.0"
    )
    logits, _ = made.step(np.array([[1.0, 2.0], [3.0, 2.0]]), np.array([1, 0]))
    assert np.allclose(logits.centre[:, 0], [[1.0, 3.0], [3.0, 2.0]], atol=1e-12)


@pytest.mark.parametrize(
    ("step", "why"),
    [
        ("return @zero", "a part returns logits and a state"),
        ("%1 = neg %state.0\nreturn %1 %1", "numbered in their order"),
        ("%0 = neg %state.1\nreturn %0 %0", "%state.1 is known"),
        ("%0 = neg %0\nreturn %0 %0", "%0 is known"),
        ("%0 = system %state.0\nreturn %0 %0", "system is an operation"),
        ("%0 = neg @lost\nreturn %0 %0", "the file has the array lost"),
        ("%0 = neg __import__('os')\nreturn %0 %0", "is an argument"),
        ("neg\nreturn %0 %0", "is a line of a program"),
        ("%0 = neg %state.0", "a part ends by what it returns"),
        ("%0 = view %state.0 [1,1,2]\nreturn %0 %0", "the shapes of the first"),
        ("%0 = argmax %state.0 1 0\nreturn %0 %0", "of numbers"),
        ("%0 = expand %state.0 [999999999,1,2]\nreturn %0 %0", "small enough"),
        ("%0 = sum %state.0 [2] 0\nreturn %0 %0", "an axis is one of the array"),
        ("%0 = take %state.0 %symbol\nreturn %0 %0", "a table and its rows are certain"),
        ("%0 = layer_norm %state.0 %state.0 0 1.0\nreturn %0 %0", "weights of a norm"),
        ("%0 = layer_norm %state.0 0.1 0 1.0\nreturn %0 %0", "weights of a norm"),
        ("%0 = layer_norm %state.0 1 0 -0.1\nreturn %0 %0", "ε of a norm"),
        ("%0 = view %state.0 [3]\nreturn %0 %0", "view takes the arguments in line 0"),
        ("%0 = neg %state.0 1\nreturn %0 %0", "neg takes the arguments"),
        ("%0 = group_norm @rows 1 1 0 0.1\nreturn %0 %0", "group_norm takes the arguments"),
        (f"%0 = mul %state.0 {'9' * 400}\nreturn %0 %0", "is an argument"),
        ("%0 = slice %state.0 1 1 0 -1\nreturn %0 %0", "a slice has two ends and a step"),
        (
            "%0 = expand %state.0 [2000000,2]\n%1 = cat 0 %0 %0\nreturn %0 %0",
            "small enough",
        ),
    ],
)
def test_lines_that_are_none(step: str, why: str) -> None:
    with pytest.raises(CertificateError, match=why):
        program(step).step(np.zeros((2, 2)), np.array([0, 1]))


@pytest.mark.parametrize(
    "lines",
    [
        "%0 = slice %state.0 1 0 1 1\n%1 = view %0 []\n%2 = layer_norm %1 1 0 0.1",
        "%0 = slice %state.0 1 0 1 1\n%1 = view %0 [1]\n%2 = matmul %1 @one",
        "%0 = expand %state.0 [2,2]\n%1 = view %0 [1,2,2]\n%2 = matmul %1 %0",
        "%0 = slice %state.0 1 0 1 1\n%1 = view %0 [1]\n%2 = addmm @zero %1 @one",
    ],
)
def test_no_operation_is_over_the_words(lines: str) -> None:
    """What a word becomes is the same beside any others; or the line is refused."""
    made = program(f"{lines}\nreturn %2 %state.0")
    states = np.array([[1.0, 2.0], [5.0, -1.0]])
    try:
        alone = [made.step(state[None], np.array([0]))[0].centre for state in states]
        together = made.step(states, np.array([0, 0]))[0].centre
    except CertificateError:
        return
    assert np.allclose(together, np.concatenate(alone))


def test_a_number_that_the_type_lacks_has_no_bound() -> None:
    arrays = {"zero": np.zeros((1, 2), dtype=np.float32)}
    text = "start\nreturn @zero @zero\nstep\n%0 = mul %state.0 1e39\nreturn %0 %state.0"
    made = TracedProgram(text, arrays, Arithmetic.of("float32"))
    with np.errstate(invalid="ignore"):
        logits, _ = made.step(np.full((1, 2), 1e-10), np.array([0]))
    assert np.isinf(logits.radius).all()


@pytest.mark.parametrize("text", ["", "start", "step\nreturn @zero @zero", "begin\nreturn @zero"])
def test_texts_without_both_parts(text: str) -> None:
    with pytest.raises(CertificateError):
        TracedProgram(text, ARRAYS, EXACT)
