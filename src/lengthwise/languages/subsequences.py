r"""Languages that depend on subsequences: symbols in order, with gaps.

    piecewise testable   the set of subsequences of at most k symbols decides
    strictly piecewise   a list of subsequences that must not occur decides: what is left of a
                         member, after symbols are removed, is a member

A language is piecewise testable exactly if all cycles of its minimal automaton are self-loops, and
for any two symbols a, b and any state q, some word over a and b leads q·a and q·b to one state
(Klíma and Polák, 2013; by Simon's theorem, 1975, that is a J-trivial monoid). Where cycles are
self-loops, (ab)^n leads every state to one that a and b leave as it is; so the second condition
says that each state reaches only one such state.

Then k is at most the length of the longest path without self-loops (the same paper).
"""

from collections.abc import Callable, Hashable
from itertools import product
from typing import TypeVar

from lengthwise.languages.moore_machine import MooreMachine
from lengthwise.languages.verdicts import (
    NO_RECOGNISER,
    LadderSubject,
    Piece,
    Verdict,
    Word,
    make_family,
    unlike,
)

MAX_SEEN = 20_000
"""Largest number of pairs of a state and what is known of a word that are tried for one k."""

MAX_PIECES = 40
"""Largest number of words of a length up to k that are looked for."""

MAX_SYMBOLS = 300
"""Largest number of symbols whose pairs are all tried; those that act alike count once."""

V = TypeVar("V", bound=Hashable)


def loops_only(subject: LadderSubject) -> Verdict:
    """Return whether all cycles of the automaton are self-loops: the monoid is R-trivial."""
    part = next((part for part in reversed(subject.parts) if len(part) > 1), None)
    machine = subject.machine
    if part is None:
        return Verdict(
            holds=True, says="every cycle of the automaton stays in one state: no state comes back"
        )
    state = min(part)
    after = next(t for t in machine.transitions[state] if t in part and t != state)
    step = (machine.transitions[state].index(after),)
    back = subject.path(after, state)
    loop, end = Piece(step + back, pumped=True), subject.separate(state, after)
    start = subject.access(state)
    words = make_family(start, loop, end), make_family(start, loop, step, end)
    place = f"after {machine.decode(start)}" if start else "at the start"
    verdict = unlike(subject, words, "look alike to what never comes back")
    return Verdict(
        holds=False,
        says=f"{place}, {machine.decode(step)} changes the state and {machine.decode(back)} "
        f"changes it back: {verdict.says}",
        words=words,
    )


def piecewise_testable(subject: LadderSubject) -> Verdict:
    """Return whether the set of subsequences decides: the monoid is J-trivial."""
    cycle = loops_only(subject)
    machine = subject.machine
    if not cycle.holds:
        return Verdict(holds=False, says=cycle.says, words=cycle.words)
    if len(subject.distinct) > MAX_SYMBOLS:
        return Verdict(
            holds=None,
            says=f"not decided: all pairs of symbols are tried for up to {MAX_SYMBOLS} of them",
        )
    for number, first in enumerate(subject.distinct):
        for second in subject.distinct[:number]:
            state = _split(subject, first, second)
            if state is not None:
                pair = (first, second)
                sure = Piece(pair, times=machine.num_states)
                ends = [machine.run((s, *sure.at(1)), state) for s in pair]
                end = subject.separate(*ends)
                tail = sure, Piece(pair, pumped=True), end
                start = subject.access(state)
                words = make_family(start, (first,), *tail), make_family(start, (second,), *tail)
                return unlike(subject, words, "have the same subsequences")
    low, high = piecewise_width(subject)
    if low < high:
        return Verdict(
            holds=True,
            says=f"the set of subsequences of up to k symbols decides, for some k from {low} to "
            f"{high}",
            numbers={"k_from": low, "k_to": high},
        )
    return Verdict(
        holds=True,
        says=f"the set of subsequences of up to {low} symbols decides, and of fewer does not"
        if low
        else "all words are of one class",
        numbers={"k": low},
    )


def _split(subject: LadderSubject, first: int, second: int) -> int | None:
    """Return a state from which two symbols lead to two states that both leave alone, or None."""
    steps = subject.machine.transitions
    rest: dict[int, int] = {}
    for part in subject.parts:  # what a state leads to comes first
        state = part[0]
        ends = {rest[steps[state][s]] for s in (first, second) if steps[state][s] != state}
        if len(ends) > 1:
            return state
        rest[state] = ends.pop() if ends else state
    return None


def subsequence_depth(subject: LadderSubject) -> int:
    """Return the length of the longest path between the parts of an automaton."""
    longest = [0] * len(subject.parts)
    for number, part in enumerate(subject.parts):
        after = {subject.part_of[t] for state in part for t in subject.machine.transitions[state]}
        longest[number] = max((1 + longest[t] for t in after if t != number), default=0)
    return longest[subject.part_of[subject.machine.start]]


def piecewise_width(subject: LadderSubject) -> tuple[int, int]:
    """Return bounds on the least k for which subsequences of up to k symbols decide; they are
    equal if the search finds it.
    """
    symbols = range(subject.machine.num_symbols)
    highest = subsequence_depth(subject)
    for k in range(highest):
        pieces = [w for length in range(1, k + 1) for w in product(symbols, repeat=length)]
        if len(pieces) > MAX_PIECES:
            return k, highest

        def read(seen: frozenset[Word], symbol: int, k: int = k) -> frozenset[Word]:
            return seen | {(*w, symbol) for w in (*seen, ()) if len(w) < k}

        known = decides(subject.machine, frozenset[Word](), read)
        if known is None:
            return k, highest
        if known:
            return k, k
    return highest, highest


def decides(machine: MooreMachine, start: V, read: Callable[[V, int], V]) -> bool | None:
    """Return whether the class of a word follows from a value that is computed symbol by symbol;
    None if there are more than `MAX_SEEN` pairs of a value and a state.
    """
    classes: dict[V, int] = {}
    pairs = {(start, machine.start): None}
    for value, state in (queue := list(pairs)):
        if classes.setdefault(value, machine.classes[state]) != machine.classes[state]:
            return False
        for symbol, target in enumerate(machine.transitions[state]):
            after = read(value, symbol), target
            if after not in pairs:
                if len(pairs) == MAX_SEEN:
                    return None
                pairs[after] = None
                queue.append(after)
    return True


def strictly_piecewise(subject: LadderSubject, class_number: int = 1) -> Verdict:
    """Return whether removing symbols never takes a word of a recogniser out of a class."""
    if not subject.is_recogniser:
        return Verdict(holds=None, says=NO_RECOGNISER)
    machine = subject.machine
    for state in machine.reachable():
        for symbol in subject.distinct:
            word = _only_second(subject, state, machine.transitions[state][symbol], class_number)
            if word is not None:
                start = subject.access(state)
                words = make_family(start, (symbol,), word), make_family(start, word)
                texts = [word.format(machine) for word in words]
                side = "in" if class_number == 1 else "out"
                return Verdict(
                    holds=False,
                    says=f"{texts[0]} is {side}, and what is left of it, {texts[1]}, is not",
                    words=words,
                )
    rule = (
        "that must not occur decides" if class_number == 1 else "decides: one of them has to occur"
    )
    return Verdict(holds=True, says=f"a list of subsequences {rule}")


def _only_second(subject: LadderSubject, first: int, second: int, class_number: int) -> Word | None:
    """Return a shortest word that leads the second state alone to a class, or None."""
    steps, classes = subject.machine.transitions, subject.machine.classes
    words: dict[tuple[int, int], Word] = {(first, second): ()}
    for first_state, two in (queue := [(first, second)]):
        if classes[two] == class_number != classes[first_state]:
            return words[first_state, two]
        for symbol in subject.distinct:
            after = steps[first_state][symbol], steps[two][symbol]
            if after not in words:
                words[after] = (*words[first_state, two], symbol)
                queue.append(after)
    return None
