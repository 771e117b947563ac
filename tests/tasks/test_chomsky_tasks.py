"""The tasks of the Chomsky-hierarchy suite, each against a second definition."""

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.errors import WordError
from lengthwise.tasks.chomsky_tasks import TRANSDUCTIONS, value_of


def add_digits(left: str, right: str) -> str:
    """Add column by column, as on paper."""
    carry, result = 0, ""
    for place in range(max(len(left), len(right))):
        total = sum(int(n[place]) for n in (left, right) if place < len(n)) + carry
        result, carry = result + str(total % 2), total // 2
    return result + str(carry)


def multiply(left: str, right: str) -> str:
    """Add a shifted copy for each 1."""
    result = "0"
    for place, bit in enumerate(right):
        if bit == "1":
            result = add_digits(result, "0" * place + left)
    return result


def trimmed(number: str) -> str:
    return (number.rstrip("0") or "0") + "2"


def run_stack(word: str) -> str:
    stack = ""
    for symbol in word:
        stack = stack[1:] if symbol == "2" else {"3": "0", "4": "1"}.get(symbol, symbol) + stack
    return stack + "2"


def root(word: str) -> str:
    """Try the digits of the root from the highest one."""
    number, found = int(word, 2), 0
    size = -(-len(word) // 2)
    for place in range(size - 1, -1, -1):
        if (found + 2**place) ** 2 <= number:
            found += 2**place
    return bin(found)[2:].rjust(size, "0")


def solve(word: str) -> str:
    left, right = word.split("=")
    solutions = [d for d in "01234" if (eval(left.replace("x", d)) - int(right)) % 5 == 0]
    assert len(solutions) == 1
    return solutions[0]


def missing(word: str) -> str:
    """Try both bits."""
    whole = word.rstrip("3")
    (bit,) = [
        b
        for b in "01"
        if (full := whole.replace("2", b))[: len(full) // 2] == full[len(full) // 2 :]
    ]
    return bit


ORACLES: dict[str, Callable[[str], str]] = {
    "stack-manipulation": run_stack,
    "reverse-string": lambda w: "".join(w[len(w) - 1 - i] for i in range(len(w))),
    "modular-arithmetic-brackets": lambda w: str(eval(w) % 5),
    "solve-equation": solve,
    "duplicate-string": lambda w: "".join(w[i % len(w)] for i in range(2 * len(w))),
    "missing-duplicate": missing,
    "odds-first": lambda w: "".join(
        w[i] for odd in (True, False) for i in range(len(w)) if i % 2 == odd
    ),
    "binary-addition": lambda w: trimmed(add_digits(*w.split("+"))),
    "binary-multiplication": lambda w: trimmed(multiply(*w.split("*"))),
    "compute-sqrt": root,
    "bucket-sort": lambda w: "".join(d * w.count(d) for d in "01234"),
}


def test_each_task_has_an_oracle() -> None:
    assert set(ORACLES) == set(TRANSDUCTIONS)


@pytest.mark.parametrize("name", TRANSDUCTIONS)
def test_its_examples_are_those_of_the_source(name: str) -> None:
    for word, output in TRANSDUCTIONS[name].examples:
        assert TRANSDUCTIONS[name].answer(word) == output


@pytest.mark.parametrize("name", ORACLES)
@given(seed=st.integers(0, 2**30), beyond=st.integers(0, 60))
def test_outputs_are_those_of_the_oracle(name: str, seed: int, beyond: int) -> None:
    task = TRANSDUCTIONS[name]
    word = task.draw(task.shortest + beyond, Random(seed))
    assert task.answer(word) == ORACLES[name](word)


@pytest.mark.parametrize(
    "text", ["", "(", "1+", "1+2", "(1+2", "--1", "(1+2+3)", "12", "-(1)", "()"]
)
def test_other_expressions_are_refused(text: str) -> None:
    with pytest.raises(WordError, match="is not an expression"):
        value_of(text)
