import doctest
import importlib
import pkgutil
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise import languages
from lengthwise.errors import LanguageError
from lengthwise.languages.builders import determinise, from_step_function
from strategies import texts

Arcs = list[dict[str, list[int]]]


@st.composite
def acceptors(draw: st.DrawFn) -> tuple[Arcs, int, list[int]]:
    """Non-deterministic acceptors with empty moves."""
    size = draw(st.integers(1, 5))
    states = st.integers(0, size - 1)
    targets = st.lists(states, max_size=2)
    row = st.dictionaries(st.sampled_from(["a", "b", ""]), targets)
    arcs = draw(st.lists(row, min_size=size, max_size=size))
    return arcs, draw(states), draw(st.lists(states, max_size=2))


def accepts(arcs: Arcs, start: int, final: list[int], text: str) -> bool:
    """The oracle: try everything, with at most as many empty moves in a row as there are states."""

    @cache
    def from_here(state: int, text: str, idle: int) -> bool:
        if not text and state in final:
            return True
        moved = idle > 0 and any(from_here(t, text, idle - 1) for t in arcs[state].get("", ()))
        return moved or (
            bool(text)
            and any(from_here(t, text[1:], len(arcs)) for t in arcs[state].get(text[0], ()))
        )

    return from_here(start, text, len(arcs))


@given(acceptors())
def test_subsets_accept_what_some_path_accepts(acceptor: tuple[Arcs, int, list[int]]) -> None:
    arcs, start, final = acceptor
    language = determinise("ab", arcs, start, final)
    for text in texts("ab", 3):
        assert (text in language) is accepts(arcs, start, final, text), text


def test_too_many_values_are_refused() -> None:
    with pytest.raises(
        LanguageError, match=r"at most 10 states before it is minimised, .*\(one & other,"
    ):
        from_step_function("a", 0, lambda n, _: n + 1, lambda n: 0, max_states=10)


@pytest.mark.parametrize(
    "name", [module.name for module in pkgutil.iter_modules(languages.__path__)]
)
def test_the_examples_of_the_docstrings_work(name: str) -> None:
    module = importlib.import_module(f"lengthwise.languages.{name}")
    assert doctest.testmod(module).failed == 0
