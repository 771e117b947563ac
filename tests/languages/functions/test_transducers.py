"""Transducers in files: what is written as one is read as the same function."""

from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from function_strategies import draw_function
from lengthwise.errors import LanguageError
from lengthwise.languages.functions.function import Function
from lengthwise.languages.functions.transducers import from_transducer, to_transducer
from ordinary import few


def as_transducer(function: Function) -> str:
    """Write a function as a machine that guesses the state of the right automaton: an arc from
    (p, q) reads x where q is that of the word from x on. Each last state is final at q = 0."""
    start = "start"
    arcs = []
    pairs = product(range(len(function.left)), range(len(function.right)))
    for p, after in pairs:
        for x, symbol in enumerate(function.alphabet):
            target = f"{function.left[p][x]}.{after}"
            output = function.outputs[function.table[p][x][after]]
            source = f"{p}.{function.right[after][x]}"
            arcs.append(f"{source}\t{target}\t{symbol}\t{output}")
            if p == 0:
                arcs.append(f"{start}\t{target}\t{symbol}\t{output}")
    arcs.sort(key=lambda arc: not arc.startswith(start))
    return "\n".join([*arcs, *(f"{p}.0" for p in range(len(function.left)))]) + "\n"


@given(seed=st.integers(0, 10**6), right=st.integers(1, 3))
@settings(max_examples=few(30), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_machine_that_guesses_is_read_as_its_function(
    seed: int, right: int, tmp_path: Path
) -> None:
    function = draw_function(seed, left=3, right=right)
    path = tmp_path / "machine.att"
    path.write_text(as_transducer(function))
    read = from_transducer(path)
    assert read.difference(function) is None


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ("0 0 a x\n0 0 a y\n0\n", "input 'a' has two"),
        ("0 1 a x\n0 2 a y\n1 1 b x\n2 2 b x\n1 3 c x\n2 3 c x\n3\n", "input 'ac' has two"),
        ("0 1 a x\n1 0 b x\n0\n1\n", "cannot read 'b'"),
        ("0 1 a x\n1 0 a x\n0\n", "cannot read 'a'"),
        ("0 0 a <eps>\n0\n", "line 1: the output is empty"),
        ("0 0 @0@ a\n0\n", "line 1: the input is empty"),
        ("0 0 a\n0\n", "line 1: an arc is"),
        ("0 0 a x\n", "no final states"),
        ("0\n", "no arcs"),
        ("0 0 a x Infinity\n0\n", "no arcs"),
        ("0 0 a x 2.5\n0\n", "line 1: a function has no weights, but this is '2.5'"),
        ("0 0 a x 0\n0 -1\n", "line 2: a function has no weights, but this is '-1'"),
        ("0 0 a x heavy\n0\n", "line 1: the weight 'heavy'"),
    ],
)
def test_what_is_no_function_is_refused_with_a_shortest_input(
    lines: str, says: str, tmp_path: Path
) -> None:
    path = tmp_path / "machine.att"
    path.write_text(lines)
    with pytest.raises(LanguageError, match=says):
        from_transducer(path)


def test_weights_of_0_are_read(tmp_path: Path) -> None:
    path = tmp_path / "machine.att"
    path.write_text("0 0 a x 0\n0 0 b y 0.0\n0 0 b x Infinity\n0 0\n")
    assert from_transducer(path)("abba") == "xyyx"


@pytest.mark.parametrize("right", [1, 3])
def test_a_function_is_written_as_a_machine_that_is_read_as_it(right: int, tmp_path: Path) -> None:
    path = tmp_path / "machine.att"
    for seed in range(5):
        function = draw_function(seed, left=3, right=right, symbols=3)
        path.write_text(to_transducer(function))
        assert from_transducer(path).difference(function) is None


def test_a_symbol_that_means_the_empty_word_is_not_written() -> None:
    function = replace(draw_function(0), alphabet=("a", "<eps>"))
    with pytest.raises(LanguageError, match="<eps> is the empty word in AT&T's format"):
        to_transducer(function)
