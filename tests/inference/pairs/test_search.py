"""The search: hidden functions are found from their pairs, also with wrong outputs."""

from dataclasses import replace

import numpy as np
import pytest

from function_strategies import draw_function
from inference.pairs.drawn_pairs import pairs_of
from lengthwise.inference.pairs.paired import Paired
from lengthwise.inference.pairs.search import FunctionSearch
from lengthwise.languages.functions.by_name import function as by_name
from lengthwise.languages.functions.function import Function


def search(pairs: Paired, noise: float = 0.0, max_states: int = 64) -> FunctionSearch:
    cut = len(pairs) * 9 // 10
    rows = np.arange(len(pairs))
    return FunctionSearch(pairs.part(rows[:cut]), pairs.part(rows[cut:]), noise, max_states)


def found(function: Function, pairs: Paired, noise: float = 0.0) -> Function:
    best = search(pairs, noise).run()
    return replace(best.function, alphabet=function.alphabet, outputs=function.outputs)


@pytest.mark.parametrize(("seed", "right"), [(0, 1), (1, 1), (2, 3), (5, 2)])
def test_a_hidden_function_is_found(seed: int, right: int) -> None:
    function = draw_function(seed, left=4, right=right, symbols=2, outputs=2)
    assert found(function, pairs_of(function, 400)) == function


@pytest.mark.parametrize("spec", ["gray", "rule[abcd]:a -> b / c _ d"])
def test_wrong_outputs_do_not_hide_a_function(spec: str) -> None:
    function = by_name(spec)
    assert found(function, pairs_of(function, 900, noise=0.01), 0.01) == function


def test_what_is_sequential_from_the_other_end_is_found_so() -> None:
    function = by_name("gray").reverse()
    assert len(function.right) == 2
    assert found(function, pairs_of(function)) == function


def test_outputs_of_no_small_function_leave_the_commonest_output_of_each_symbol() -> None:
    draw = np.random.default_rng(0)
    rows = [(draw.integers(0, 2, 12).tolist(), draw.integers(0, 2, 12).tolist()) for _ in range(60)]
    searched = search(Paired.of_words(rows, 2, 2), max_states=4)
    best = searched.run()
    assert searched.end == "exhausted"
    assert best.function.size == "sequential, 1 state"
    assert best.wrong > 200


def test_a_search_without_time_ends_with_a_function() -> None:
    searched = search(pairs_of(by_name("gray")))
    searched.run(0.0)
    assert searched.end == "out of time"
    assert searched.best is not None
