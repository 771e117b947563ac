"""Functions from letter-to-letter transducers in AT&T's text format (`languages.att`).

    source target input output [weight]
    state [weight]                         a final state

A function has no weights: they are 0, or Infinity for an arc or a final state that does not exist.

The machine may be nondeterministic, as long as each input has one output: the automaton from the
left holds the states that the symbols so far lead to, the one from the right those from which the
symbols that follow lead to a final state.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from lengthwise.errors import LanguageError
from lengthwise.languages.att import (
    EPSILON,
    AttLine,
    arc_exists,
    has_space,
    name_label,
    read_att_lines,
    refuse_att_line,
)
from lengthwise.languages.functions.function import Function
from lengthwise.languages.functions.tables import reach_states, require_small

_States = frozenset[int]


@dataclass(frozen=True, slots=True)
class _Transducer:
    """Arcs by source and input symbol, each with output and target."""

    arcs: list[list[set[tuple[int, int]]]]
    back: list[list[set[int]]]
    """Sources by target and input symbol."""
    final: _States

    def after(self, states: _States, x: int) -> _States:
        """Return the states that a symbol leads to."""
        return frozenset(target for state in states for _, target in self.arcs[state][x])

    def before(self, states: _States, x: int) -> _States:
        """Return the states from which a symbol leads to some of these."""
        return frozenset(source for state in states for source in self.back[state][x])


def from_transducer(path: Path | str) -> Function:
    """Read the function of a letter-to-letter transducer.

    Raises:
        LanguageError: the file cannot be read; an arc has no input or no output, or a weight; an
            input has two outputs or none, and the message has the shortest such input.
    """
    name = str(path)
    lines = read_att_lines(Path(path))
    read = [_arc(name, line) for line in lines if len(line.fields) > 2]
    rows = [row for row in read if row is not None]
    finals = [line.fields[0] for line in lines if len(line.fields) <= 2 and _exists(name, line, 1)]
    if not rows or not finals:
        missing = "arcs" if not rows else "final states"
        raise LanguageError(f"{name}: a transducer has arcs and final states, but no {missing}.")
    alphabet = sorted({row[2] for row in rows})
    outputs = sorted({row[3] for row in rows})
    index: dict[str, int] = {lines[0].fields[0]: 0}
    for state in [state for row in rows for state in row[:2]] + finals:
        index.setdefault(state, len(index))
    symbols = range(len(alphabet))
    machine = _Transducer(
        [[set() for _ in symbols] for _ in index],
        [[set() for _ in symbols] for _ in index],
        frozenset(index[state] for state in finals),
    )
    for source, target, a, b in rows:
        x, y = alphabet.index(a), outputs.index(b)
        machine.arcs[index[source]][x].add((y, index[target]))
        machine.back[index[target]][x].add(index[source])
    left, lefts = reach_states(frozenset({0}), machine.after, symbols)
    right, rights = reach_states(machine.final, machine.before, symbols)
    require_small(len(lefts), len(symbols), len(rights))

    def write(word: Iterable[int]) -> str:
        joint = " " if max(map(len, alphabet)) > 1 else ""
        return joint.join(alphabet[x] for x in word)

    if (word := _two_outputs(machine, len(alphabet))) is not None:
        raise LanguageError(
            f"{name}: a function has one output for each input, but the input {write(word)!r:.60} "
            f"has two. Remove an arc."
        )
    if (word := _no_output(left, lefts, machine.final)) is not None:
        raise LanguageError(
            f"{name}: a function has an output for each input, but the machine cannot read "
            f"{write(word)!r:.60}. Add arcs, or a final state."
        )

    def output(states: _States, x: int, ahead: _States) -> int:
        return next(
            y for state in states for y, target in machine.arcs[state][x] if target in ahead
        )

    return Function(
        alphabet=tuple(alphabet),
        outputs=tuple(outputs),
        left=left,
        right=right,
        table=tuple(
            tuple(tuple(output(before, x, ahead) for ahead in rights) for x in symbols)
            for before in lefts
        ),
    )


def to_transducer(function: Function) -> str:
    """Return a function as a letter-to-letter transducer, which `from_transducer` reads.

    A state of that of a bimachine is one of the automaton from the left, and the state of the
    automaton from the right for what follows, which it guesses.

    Raises:
        LanguageError: a symbol is the one of the empty word.
    """
    if wrong := [name for name in (*function.alphabet, *function.outputs) if name == EPSILON]:
        raise LanguageError(f"{wrong[0]} is the empty word in AT&T's format. Rename the symbol.")
    start = (-1, 0) if len(function.right) > 1 else (0, 0)
    number, arcs = {start: 0}, list[tuple[int, str]]()

    def state(left: int, right: int) -> int:
        return number.setdefault((left, right), len(number))

    for p, x, q in product(
        *map(range, (len(function.left), len(function.alphabet), len(function.right)))
    ):
        target = state(function.left[p][x], q)
        labels = f"{function.alphabet[x]}\t{function.outputs[function.table[p][x][q]]}"
        sources = {state(p, function.right[q][x]), *([0] if p == 0 else [])}
        arcs += [(source, f"{source}\t{target}\t{labels}\n") for source in sources]
    finals = {0, *(state(p, 0) for p in range(len(function.left)))}
    lines = [line for _, line in sorted(arcs, key=lambda arc: arc[0])]
    return "".join([*lines, *(f"{final}\n" for final in sorted(finals))])


def _arc(name: str, line: AttLine) -> tuple[str, str, str, str] | None:
    """Return source, target, input and output of a line, or None if its weight is infinite."""
    if len(line.fields) not in (4, 5) or "" in line.fields or any(map(has_space, line.fields)):
        refuse_att_line(name, line, "an arc is 'source target input output', without other spaces")
    source, target, *labels = line.fields[:4]
    a, b = map(name_label, labels)
    if EPSILON in (a, b):
        side = "input" if a == EPSILON else "output"
        refuse_att_line(
            name,
            line,
            f"the {side} is empty, but outputs have the length of inputs. Give a symbol for each",
        )
    return (source, target, a, b) if _exists(name, line, 4) else None


def _exists(name: str, line: AttLine, column: int) -> bool:
    """Return whether an arc or final state exists.

    Raises:
        LanguageError: it has a weight other than 0 and Infinity.
    """
    exists = arc_exists(name, line, column)
    if exists and len(line.fields) > column and float(line.fields[column]):
        refuse_att_line(
            name,
            line,
            f"a function has no weights, but this is {line.fields[column]!r:.40}. Write 0, or "
            f"leave it out",
        )
    return exists


def _two_outputs(machine: _Transducer, num_symbols: int) -> list[int] | None:
    """Return a shortest input with two outputs, or None."""
    ends = _pairs_to_the_end(machine, num_symbols)
    words: dict[tuple[int, int], list[int]] = {(0, 0): []}
    best: list[int] | None = None
    for pair in (queue := [(0, 0)]):
        for x in range(num_symbols):
            for y, target in machine.arcs[pair[0]][x]:
                for z, other in machine.arcs[pair[1]][x]:
                    both = (target, other)
                    if y != z and both in ends:
                        word = [*words[pair], x, *ends[both]]
                        best = word if best is None or len(word) < len(best) else best
                    if both not in words:
                        words[both] = [*words[pair], x]
                        queue.append(both)
    return best


def _pairs_to_the_end(
    machine: _Transducer, num_symbols: int
) -> Mapping[tuple[int, int], list[int]]:
    """Return a shortest word from each pair of states to two final ones, where there is one."""
    words = {(p, q): list[int]() for p in machine.final for q in machine.final}
    for pair in (queue := [*words]):
        for x in range(num_symbols):
            for source in machine.back[pair[0]][x]:
                for other in machine.back[pair[1]][x]:
                    if (source, other) not in words:
                        words[source, other] = [x, *words[pair]]
                        queue.append((source, other))
    return words


def _no_output(
    left: tuple[tuple[int, ...], ...], lefts: list[_States], final: _States
) -> list[int] | None:
    """Return a shortest input but the empty one that leads to no final state, or None."""
    words: dict[int, list[int]] = {0: []}
    for state in (queue := [0]):
        for x, target in enumerate(left[state]):
            if final.isdisjoint(lefts[target]):
                return [*words[state], x]
            if target not in words:
                words[target] = [*words[state], x]
                queue.append(target)
    return None
