"""The statement about a function: its numbers, and what speaks against it."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from inference.pairs.drawn_pairs import pairs_of
from lengthwise.inference.pairs.paired import Paired
from lengthwise.inference.pairs.statement import PairStatement, is_forced, state_pairs
from lengthwise.languages.functions.by_name import function
from lengthwise.languages.functions.function import Function


def stated(
    made: Function, true: Function, *, noise: float = 0.0, said: float = 0.0
) -> PairStatement:
    pairs, rows = pairs_of(true, 400, noise=noise), np.arange(400)
    parts = (pairs.part(rows[:300]), pairs.part(rows[300:340]), pairs.part(rows[340:]))
    return state_pairs(made, *parts, noise=said)


def test_a_function_that_is_right_is_forced_and_not_refuted() -> None:
    statement = stated(function("gray"), function("gray"))
    assert (statement.verdict, statement.refutation, statement.forced) == ("", "", True)
    assert statement.headline.startswith("right on 60 of 60 pairs held out, ")
    assert statement.unseen == 0
    assert "The pairs force F" in " ".join(statement.sentences())


@pytest.mark.parametrize(
    ("made", "verdict", "words"),
    [
        ("prefixes:parity", "not found", "The function is not found: F writes"),
        ("add[base=2]", "refuted", "F is not the function, or outputs are wrong"),
    ],
)
def test_a_function_that_is_wrong_is_refuted(made: str, verdict: str, words: str) -> None:
    true = "gray" if made.startswith("prefixes") else "add[base=2,first=high]"
    first = function(true)
    wrong = function(made)
    if verdict == "refuted":  # wrong in few outputs alone
        cells = [[list(row) for row in rows] for rows in first.table]
        cells[0][0][1] = 1 - cells[0][0][1]
        wrong = replace(first, table=tuple(tuple(map(tuple, rows)) for rows in cells))
    statement = stated(wrong, first)
    assert statement.verdict == verdict
    assert statement.refutation.startswith(words)
    assert "all these outputs" not in " ".join(statement.sentences())  # it does not give them
    assert statement.headline.startswith(f"{verdict}: right on ")


def test_one_symbol_everywhere_is_at_chance() -> None:
    constant = function("rule[01]:1 -> 0")
    same = Function(
        alphabet=constant.alphabet,
        outputs=("0", "1"),
        left=((0, 0),),
        right=((0, 0),),
        table=(((0,), (0,)),),
    )
    assert stated(same, function("gray")).verdict == "at chance"


def test_wrong_outputs_that_were_told_of_do_not_refute_and_others_do() -> None:
    parity = function("prefixes:parity")
    fair = stated(parity, parity, noise=0.05, said=0.05)
    assert fair.verdict in ("", "in doubt")
    assert fair.held_out.wrong > 0
    assert "force no function" in " ".join(fair.sentences())
    assert stated(parity, parity, noise=0.05, said=0.01).verdict == "refuted"


def every_function() -> list[Function]:
    """All sequential functions of at most two states over two symbols."""
    cells = list(product(range(2), repeat=4))
    return [
        Function(
            alphabet=("0", "1"),
            outputs=("0", "1"),
            left=(left[:2], left[2:]),
            right=((0, 0),),
            table=(((out[0],), (out[1],)), ((out[2],), (out[3],))),
        )
        for left in cells
        for out in cells
    ]


@pytest.mark.parametrize("longest", [1, 2, 3, 4])
def test_forced_means_that_no_other_function_of_its_size_fits(longest: int) -> None:
    gray = function("gray")
    words = [w for n in range(1, longest + 1) for w in product(range(2), repeat=n)]
    pairs = Paired.of_words([(word, gray.run(word)) for word in words], 2, 2)
    fitting = {each for each in every_function() if not pairs.wrong(each).any()}
    assert gray in fitting
    assert is_forced(gray, pairs) == (len(fitting) == 1) == (longest > 2)
