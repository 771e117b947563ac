r"""Languages that depend on the first or the last symbols, or on windows, from the automaton alone.

    finite, co-finite    all words from some length on are out, or in
    definite             the last k symbols decide
    reverse definite     the first k symbols decide
    generalised definite the first and the last k symbols decide, of words that are long enough
    strictly local       the windows of k symbols that may occur decide, at the ends too

States p ~ q are merged by all words of length i if all symbols lead them to states that all words
of length i - 1 merge. So these partitions follow from each other, and a language is definite
exactly if they end with one block. (Pin, *Varieties of formal languages*, 1986, chapter 5.)

The language is generalised definite exactly if a cycle that is entered is never left, and inside
each strongly connected part the last symbols decide. This is the condition exe = e for idempotents
e of the syntactic semigroup in terms of states: q = q·e implies q·x·e = q.

It is strictly k-local exactly if any word of k - 1 symbols leads all states, from which acceptance
can still be reached, to one of them or out (suffix substitution closure; Rogers and Pullum, 2011).
"""

import itertools
import math
import random

import numpy as np
from numpy.typing import NDArray

from lengthwise.errors import LanguageError
from lengthwise.languages.components import components
from lengthwise.languages.verdicts import (
    NO_RECOGNISER,
    LadderSubject,
    Piece,
    Verdict,
    Word,
    make_family,
    shortest_path,
    unlike,
)
from lengthwise.messages import format_count

MAX_STATES = 2_000
"""Largest number of states for which partitions of the states are refined."""

MAX_PAIRS = 60_000
"""Largest number of pairs of states that are followed."""

DRAWS = 200
"""Number of words that are drawn where there are more pairs."""


def too_large(subject: LadderSubject) -> Verdict:
    """Return the verdict on an automaton with too many states."""
    return Verdict(
        holds=None,
        says=f"not decided: the automaton has {subject.machine.num_states} states, and this is "
        f"decided for up to {MAX_STATES}",
    )


def finiteness(subject: LadderSubject, class_number: int = 1) -> Verdict:
    """Return whether only finitely many words have a class: 1 for finite, 0 for co-finite."""
    if not subject.is_recogniser:
        return Verdict(holds=None, says=NO_RECOGNISER)
    machine = subject.machine
    goals = machine.reaching(lambda c: c == class_number)
    state = next((s for s in machine.reachable() if s in goals and subject.has_cycle(s)), None)
    side = "in" if class_number == 1 else "out"
    if state is None:
        return Verdict(holds=True, says=f"no cycle leads to a word that is {side}")
    pump = Piece(subject.path(state, state, moving=True), pumped=True)
    word = make_family(subject.access(state), pump, subject.to_class(state, class_number))
    return Verdict(
        holds=False,
        says=f"{word.format(machine)} is {side} for every m",
        words=(word,),
    )


def merging(steps: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
    """Return the partition of states that all long words merge, and how long they have to be.

    >>> merging(np.array([[0, 1], [0, 1]]))
    (array([0, 0]), 1)
    """
    blocks, length = np.arange(len(steps)), 0
    while True:
        coarser = np.unique(blocks[steps], axis=0, return_inverse=True)[1].reshape(-1)
        if coarser.max() == blocks.max():
            return blocks, length
        blocks, length = coarser, length + 1


def find_kept_apart(subject: LadderSubject, first: int, second: int) -> tuple[int, int, Word]:
    """Return two different states and a word that leads each back to itself, from two states that
    no length of words merges.
    """
    blocks, _ = merging(subject.steps)
    seen: dict[tuple[int, int], int] = {}
    word: list[int] = []
    pair = (first, second)
    while pair not in seen:
        seen[pair] = len(word)
        first_images, two = (subject.steps[state] for state in pair)
        symbol = int(np.flatnonzero(blocks[first_images] != blocks[two])[0])
        word.append(symbol)
        pair = int(first_images[symbol]), int(two[symbol])
    return *pair, tuple(word[seen[pair] :])


def definite(subject: LadderSubject) -> Verdict:
    """Return whether the last k symbols decide, with the least k."""
    if subject.machine.num_states > MAX_STATES:
        return too_large(subject)
    blocks, width = merging(subject.steps)
    if blocks.max() == 0:
        return Verdict(
            holds=True,
            says=_ends(0, width),
            numbers={"k": width},
        )
    second = int(np.flatnonzero(blocks != blocks[0])[0])
    first, two, pump = find_kept_apart(subject, 0, second)
    end = subject.separate(first, two)
    loop = Piece(pump, pumped=True)
    words = (
        make_family(subject.access(first), loop, end),
        make_family(subject.access(two), loop, end),
    )
    return unlike(subject, words, "end alike")


def reverse_width(subject: LadderSubject) -> int | None:
    """Return how many of the first symbols decide, or None if no number does."""
    depth = [0] * len(subject.parts)
    for number, part in enumerate(subject.parts):  # those that it leads to come first
        targets = set(subject.machine.transitions[part[0]])
        if len(part) > 1 or (subject.has_cycle(part[0]) and targets != {part[0]}):
            return None
        if targets != {part[0]}:
            depth[number] = 1 + max(depth[subject.part_of[state]] for state in targets)
    return depth[subject.part_of[subject.machine.start]]


def reverse_definite(subject: LadderSubject) -> Verdict:
    """Return whether the first k symbols decide, with the least k."""
    width = reverse_width(subject)
    if width is not None:
        return Verdict(
            holds=True,
            says=_ends(width, 0),
            numbers={"k": width},
        )
    steps = subject.machine.transitions
    state = next(
        s for s in subject.machine.reachable() if subject.has_cycle(s) and set(steps[s]) != {s}
    )
    pump = subject.path(state, state, moving=True)
    other = next(after for after in steps[state] if after != state)
    end = subject.separate(state, other)
    start = (subject.access(state), Piece(pump, pumped=True))
    words = make_family(*start, end), make_family(*start, (steps[state].index(other),), end)
    return unlike(subject, words, "begin alike")


def find_generalised_widths(subject: LadderSubject) -> tuple[int, int] | None:
    """Return how many of the first and of the last symbols decide, or None if no numbers do."""
    if _find_exited_cycle(subject) is not None:
        return None
    blocks, last = _merge_in_parts(subject)
    if _find_unmerged(subject, blocks) is not None:
        return None
    depth = [0] * len(subject.parts)
    for number, part in enumerate(subject.parts):
        if not subject.has_cycle(part[0]):
            targets = subject.machine.transitions[part[0]]
            depth[number] = 1 + max(depth[subject.part_of[state]] for state in targets)
    return depth[subject.part_of[subject.machine.start]], last


def is_generalised_definite(subject: LadderSubject) -> Verdict:
    """Return whether the first and the last symbols decide, of words that are long enough."""
    if subject.machine.num_states > MAX_STATES:
        return too_large(subject)
    widths = find_generalised_widths(subject)
    if widths is not None:
        first, last = widths
        return Verdict(
            holds=True,
            says=f"{_ends(first, last)}, of words of "
            f"{format_count(first + last, 'symbol')} or more",
            numbers={"first": first, "last": last},
        )
    left = _find_exited_cycle(subject)
    if left is not None:
        state, other = left
        pump = subject.path(state, state, moving=True)
    else:
        pair = _find_unmerged(subject, _merge_in_parts(subject)[0])
        assert pair is not None
        state, other, pump = find_kept_apart(subject, *pair)
    loop = subject.settle(pump, other)
    end = subject.separate(state, subject.machine.run(loop.at(1), other))
    start = (subject.access(state), loop)
    words = make_family(*start, end), make_family(*start, subject.path(state, other), loop, end)
    return unlike(subject, words, "begin and end alike")


def _ends(first: int, last: int) -> str:
    """Return in words which symbols at the ends decide."""
    ends = [
        f"the {side} {'symbol' if size == 1 else f'{size} symbols'}"
        for side, size in (("first", first), ("last", last))
        if size
    ]
    alone = ends in (["the first symbol"], ["the last symbol"])
    return f"{' and '.join(ends) or 'no symbols'} decide{'s' if alone else ''}"


def strictly_local_width(subject: LadderSubject, class_number: int = 1) -> int | None:
    """Return the least k for which the words of a class of a recogniser are strictly k-local, or
    None if there is none.

    Raises:
        LanguageError: there are too many pairs of states.
    """
    pairs, targets = _live_pairs(subject, class_number)
    numbers = components(targets)
    if len(set(numbers)) < len(pairs) or any(i in row for i, row in enumerate(targets)):
        return None
    longest = [0] * len(pairs)
    for i in sorted(range(len(pairs)), key=numbers.__getitem__):
        longest[i] = 1 + max((longest[after] for after in targets[i]), default=0)
    return 1 + max(longest, default=0)


def strictly_local(subject: LadderSubject, class_number: int = 1) -> Verdict:
    """Return whether the windows that may occur in a word of a class decide, with their least
    width.
    """
    if not subject.is_recogniser:
        return Verdict(holds=None, says=NO_RECOGNISER)
    machine = subject.machine
    try:
        width = strictly_local_width(subject, class_number)
    except LanguageError as error:
        pair_and_loop = _draw_pair(subject, class_number)
        if pair_and_loop is None:
            return Verdict(holds=None, says=f"{error} (and {DRAWS} draws of words show nothing)")
    else:
        if width is not None:
            size = format_count(width, "symbol")
            decide = (
                f"the windows of {size} that may occur decide"
                if class_number == 1
                else f"a list of windows of {size} decides: one of them has to occur"
            )
            return Verdict(
                holds=True, says=f"{decide}, with marks at both ends", numbers={"k": width}
            )
        pair_and_loop = _find_kept_pair(subject, class_number)
    first, two, loop = pair_and_loop
    end = subject.separate(first, two)
    if machine.classes[machine.run(end, first)] == class_number:
        first, two = two, first  # the end leads the second one alone to the class
    right = [
        make_family(subject.access(first), loop, subject.to_class(first, class_number)),
        make_family(subject.access(two), loop, end),
    ]
    wrong = make_family(subject.access(first), loop, end)
    spellings = [word.format(subject) for word in (*right, wrong)]
    side = "in" if class_number == 1 else "out"
    return Verdict(
        holds=False,
        says=f"{spellings[0]} and {spellings[1]} are {side} for every m, and {spellings[2]} is "
        f"not, though it has no other windows",
        words=(*right, wrong),
    )


def _find_kept_pair(subject: LadderSubject, class_number: int) -> tuple[int, int, Piece]:
    """Return two states from which words lead to a class, and a word that leads each to itself."""
    pairs, targets = _live_pairs(subject, class_number)
    start = next(
        i for i in range(len(pairs)) if shortest_path(targets, i, i, moving=True) is not None
    )
    steps = subject.machine.transitions
    along = [start]  # a cycle of pairs
    for label in shortest_path(targets, start, start, moving=True) or ():
        along.append(targets[along[-1]][label])
    pump = []
    first, two = pairs[start]
    for after in along[1:]:
        symbol = next(
            s
            for s in range(subject.machine.num_symbols)
            if {steps[first][s], steps[two][s]} == set(pairs[after])
        )
        pump.append(symbol)
        first, two = steps[first][symbol], steps[two][symbol]
    if first != pairs[start][0]:
        pump *= 2  # the cycle exchanges the two states
    return *pairs[start], Piece(tuple(pump), pumped=True)


def _draw_pair(subject: LadderSubject, class_number: int) -> tuple[int, int, Piece] | None:
    """Return the same by words drawn at random, or None: two states on the circles of a word."""
    live = subject.machine.reaching(lambda c: c == class_number)
    generator, symbols = random.Random(0), range(subject.machine.num_symbols)
    for _ in range(DRAWS):
        word = tuple(generator.choices(symbols, k=generator.randint(1, 8)))
        moves = ends = subject.moves(word)
        for _ in range(len(moves).bit_length()):
            ends = ends[ends]
        two_states = [state for state in np.unique(ends).tolist() if state in live][:2]
        if len(two_states) == 2:
            times = 1
            for state in two_states:
                circle, after = 1, int(moves[state])
                while after != state:
                    circle, after = circle + 1, int(moves[after])
                times = math.lcm(times, circle)
            return two_states[0], two_states[1], Piece(word, times=times, pumped=True)
    return None


def _live_pairs(
    subject: LadderSubject, class_number: int
) -> tuple[list[tuple[int, int]], list[list[int]]]:
    """Return pairs of different states from which words lead to a class, and where they lead."""
    machine = subject.machine
    live = sorted(machine.reaching(lambda c: c == class_number))
    if len(live) * (len(live) - 1) // 2 > MAX_PAIRS:
        raise LanguageError(
            f"not decided: {len(live)} states make more than {MAX_PAIRS} pairs to be followed"
        )
    pairs = list(itertools.combinations(live, 2))
    index = {pair: i for i, pair in enumerate(pairs)}
    steps = machine.transitions
    targets = []
    for first, two in pairs:
        after = (tuple(sorted(pair)) for pair in zip(steps[first], steps[two], strict=True))
        targets.append(sorted({index[pair] for pair in after if pair in index}))
    return pairs, targets


def _find_exited_cycle(subject: LadderSubject) -> tuple[int, int] | None:
    """Return a state on a cycle and a state after it from which no word leads back, or None."""
    for state in subject.machine.reachable():
        if subject.has_cycle(state):
            for after in subject.machine.transitions[state]:
                if subject.part_of[after] != subject.part_of[state]:
                    return state, after
    return None


def _merge_in_parts(subject: LadderSubject) -> tuple[NDArray[np.int64], int]:
    """Return the states that long words merge inside the last parts, and how long they have to be.

    All other states count as one.
    """
    blocks = np.arange(subject.machine.num_states)
    last = [
        all(subject.part_of[t] == subject.part_of[s] for t in row)
        for s, row in enumerate(subject.machine.transitions)
    ]
    outside = np.flatnonzero(~np.array(last))
    rows = np.flatnonzero(last)
    place = np.full(len(blocks), -1)
    place[rows] = np.arange(len(rows))
    merged, width = merging(place[subject.steps[rows]])
    blocks[rows] = merged
    blocks[outside] = -1
    return blocks, width


def _find_unmerged(subject: LadderSubject, blocks: NDArray[np.int64]) -> tuple[int, int] | None:
    """Return two states of one part in different blocks, or None."""
    for part in subject.parts:
        for state in part[1:]:
            if blocks[state] != blocks[part[0]]:
                return part[0], state
    return None
