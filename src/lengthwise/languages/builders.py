"""Automata from a step function on values, and determinisation of nondeterministic acceptors."""

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from typing import TypeVar

from lengthwise.errors import LanguageError
from lengthwise.languages.language import Language

V = TypeVar("V", bound=Hashable)

MAX_STATES = 20_000
"""Largest number of states before minimisation, unless the caller sets another."""

_REFUSAL = (
    "a machine may have at most {most} states before it is minimised, to fit in memory, but this "
    "one has more. Use a smaller language, or combine smaller ones in Python (one & other, one | "
    "other), where each is minimised first."
)


def from_step_function(
    alphabet: Sequence[str],
    start: V,
    step: Callable[[V, str], V],
    classify: Callable[[V], int],
    *,
    class_names: tuple[str, ...] = (),
    max_states: int = MAX_STATES,
    refusal: str = _REFUSAL,
) -> Language:
    """Build the minimised automaton whose states are the values reached by words.

    The empty word has the value `start`, and a word `wa` the value `step(value of w, a)`. A machine
    of more than `max_states` is refused by `refusal`, in which `{most}` is that number.

    >>> parity = from_step_function("01", 0, lambda ones, symbol: (ones + int(symbol)) % 2, int)
    >>> parity.num_states, "0111" in parity, "11" in parity
    (2, True, False)

    Raises:
        LanguageError: there are more than `max_states` values.
    """
    index = {start: 0}
    rows = []
    for value in (values := [start]):
        row = []
        for symbol in alphabet:
            target = step(value, symbol)
            if target not in index:
                index[target] = len(values)
                values.append(target)
            row.append(index[target])
        rows.append(tuple(row))
        if len(values) > max_states:
            raise LanguageError(refusal.format(most=f"{max_states:,}"))
    return Language(
        alphabet=tuple(alphabet),
        transitions=tuple(rows),
        classes=tuple(classify(value) for value in values),
        class_names=class_names,
    ).minimise()


def determinise(
    alphabet: Sequence[str],
    arcs: Sequence[Mapping[str, Collection[int]]],
    start: int,
    final: Collection[int],
    *,
    max_states: int = MAX_STATES,
) -> Language:
    """Determinise an acceptor by the subset construction.

    `arcs[state][symbol]` are the states that `symbol` leads to; the symbol `""` is epsilon. A
    missing arc leads to the empty set, which is the sink.
    """
    closure = [_closure(arcs, state) for state in range(len(arcs))]
    after = [
        {
            symbol: frozenset().union(*(closure[t] for t in targets))
            for symbol, targets in row.items()
        }
        for row in arcs
    ]
    nothing: frozenset[int] = frozenset()
    accepting = frozenset(final)
    return from_step_function(
        alphabet,
        closure[start],
        lambda states, symbol: nothing.union(*(after[s].get(symbol, nothing) for s in states)),
        lambda states: int(not states.isdisjoint(accepting)),
        class_names=("0", "1"),
        max_states=max_states,
    )


def _closure(arcs: Sequence[Mapping[str, Collection[int]]], state: int) -> frozenset[int]:
    """Return the epsilon closure of a state."""
    seen = {state}
    for source in (queue := [state]):
        for target in arcs[source].get("", ()):
            if target not in seen:
                seen.add(target)
                queue.append(target)
    return frozenset(seen)
