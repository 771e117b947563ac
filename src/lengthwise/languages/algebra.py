"""Verdicts that follow from Green's relations and groups of the syntactic monoid, and C-RASP's.

`languages.green` has the definitions and their sources, `languages.balanced_counters` those of
C-RASP.
"""

import numpy as np

from lengthwise.errors import LanguageError
from lengthwise.languages.balanced_counters import CountedPart, count_parts
from lengthwise.languages.locally_testable import in_context, turning_words
from lengthwise.languages.verdicts import (
    LadderSubject,
    Piece,
    PumpedWord,
    Verdict,
    Word,
    make_family,
    shortest_path,
    unlike,
)
from lengthwise.messages import format_count


def is_left_trivial(subject: LadderSubject) -> Verdict:
    """Return whether no two elements of the monoid are L-related."""
    green = subject.green
    pair = green.find_related(green.l)
    if pair is None:
        return Verdict(
            holds=True, says="read from the right, every cycle of the automaton is a self-loop"
        )
    first, two = pair
    forth = tuple(reversed(shortest_path(green.left, two, first) or ()))  # there·two = one
    back = tuple(reversed(shortest_path(green.left, first, two) or ()))
    loop, word = Piece(back + forth, pumped=True), green.monoid.words[two]
    return unlike(
        subject,
        in_context(subject, (loop, word), (forth, loop, word)),
        "look alike to what never comes back, read from the right",
    )


def unambiguous(subject: LadderSubject) -> Verdict:
    """Return whether elements of regular J-classes are idempotent (DA)."""
    green = subject.green
    pair = green.unlike_da
    if pair is None:
        return Verdict(
            holds=True,
            says="a fixed number of turns, to the next or last place of a symbol, decides",
        )
    element = pair[0]
    same = np.flatnonzero((green.r == green.r[element]) & green.is_idempotent)
    word = green.monoid.words[element]
    loop = Piece(
        word + (shortest_path(green.monoid.right, element, int(same[0])) or ()), pumped=True
    )
    return unlike(
        subject,
        in_context(subject, (loop,), (loop, word, loop)),
        "look alike to a fixed number of moves to the next or the last place of a symbol",
    )


def star_free(subject: LadderSubject) -> Verdict:
    """Return whether no word turns states in a circle: all groups in the monoid are trivial."""
    words = turning_words(subject)
    if words is None:
        return Verdict(holds=True, says="no word turns states in a circle of two or more")
    loop, turn = words[1].pieces[1:3]
    verdict = unlike(subject, words, "agree except for one turn")
    return Verdict(
        holds=False,
        says=f"{PumpedWord((turn,)).format(subject)} turns {loop.times} states in a circle: "
        f"{verdict.says}",
        words=words,
    )


def r_infinity(subject: LadderSubject) -> Verdict:
    """Return whether the monoid is aperiodic and no two of its idempotents are R-related."""
    turning = star_free(subject)
    if not turning.holds:
        return turning
    pair = subject.green.overwriting
    if pair is None:
        return Verdict(holds=True, says="no two words overwrite each other, and none turns")
    first, two = (subject.green.words[x] for x in pair)
    words = in_context(
        subject, (Piece(first, pumped=True),), (Piece(first, pumped=True), Piece(two, pumped=True))
    )
    names = [subject.machine.decode(word) for word in (first, two)]
    verdict = unlike(subject, words, "differ in the last to be written")
    return Verdict(
        holds=False,
        says=f"{names[0]} and {names[1]} overwrite each other like a memory of one bit: "
        f"{verdict.says}",
        words=words,
    )


def is_group(subject: LadderSubject) -> Verdict:
    """Return whether every word can be undone: each symbol permutes the states."""
    for symbol, column in enumerate(subject.steps.T):
        _, firsts, places = np.unique(column, return_index=True, return_inverse=True)
        merged = np.flatnonzero(firsts[places.reshape(-1)] != np.arange(len(column)))
        if len(merged):
            second = int(merged[0])
            first = int(firsts[places.reshape(-1)[second]])
            words = tuple(
                make_family(subject.access(state), (symbol,)) for state in (first, second)
            )
            spellings = [word.format(subject.machine) for word in words]
            return Verdict(
                holds=False,
                says=f"{spellings[0]} and {spellings[1]} lead to one state, which they did not "
                f"before the last symbol",
                words=words,
            )
    return Verdict(holds=True, says="every symbol permutes the states")


def solvable(subject: LadderSubject) -> Verdict:
    """Return whether all groups in the monoid are solvable."""
    group = subject.monoid.unsolvable
    if group is None:
        return Verdict(
            holds=True, says="every group in the monoid is built up from commutative ones"
        )
    says = f"the monoid has a group of {len(group.elements)} elements that equals its commutators"
    triple = group.triple()
    if triple is None:
        return Verdict(holds=False, says=says)
    words = [subject.monoid.words[x] for x in triple]
    spellings = [subject.machine.decode(word) for word in words]
    orders = [group.order(x) for x in triple]
    return Verdict(
        holds=False,
        says=f"{says}: in it {spellings[0]}, {spellings[1]} and {spellings[2]} have the "
        f"orders {orders[0]}, {orders[1]} and {orders[2]}, no two with a common factor, and one "
        f"after the other they do nothing (Thompson's test)",
        words=tuple(make_family(word) for word in words),
        numbers={"order": len(group.elements)},
    )


def complexity(subject: LadderSubject) -> tuple[int, int]:
    """Return bounds on the complexity of Krohn and Rhodes: how many groups a cascade must have.

    0 exactly if the monoid is aperiodic, 1 for a group; at most the longest chain of J-classes with
    groups (`Green.group_depth`), and at most the number of states less one, as that is the
    complexity of the monoid of all maps.
    """
    depth = subject.green.group_depth
    if depth == 0:
        return 0, 0
    if subject.monoid.is_group:
        return 1, 1
    return 1, max(1, min(depth, subject.machine.num_states - 1))


def c_rasp(subject: LadderSubject) -> Verdict:
    """Return whether counters tell all states of each strongly connected part apart."""
    try:
        counts = count_parts(subject.machine)
    except LanguageError as error:
        return Verdict(holds=None, says=f"not decided: {error}")
    failing = next((part for part in counts if not part.is_counted), None)
    if failing is not None:
        return _refute_by_counters(subject, failing)
    if not counts:
        return Verdict(holds=True, says="every cycle of the automaton stays in one state")
    part = max(counts, key=lambda part: len(part.states))
    counter = part.rounds[0].counters[0]
    weighted = [(s, weight) for (s, _), weight in sorted(counter.weights.items()) if weight]
    weights = ", ".join(f"{subject.machine.alphabet[s]} {weight:+d}" for s, weight in weighted[:8])
    more = ", ..." if len(weighted) > 8 else ""
    rounds = max(len(part.rounds) for part in counts)
    return Verdict(
        holds=True,
        says=f"counting tells states apart that lead to each other: with the weights "
        f"{weights}{more} every cycle sums to 0"
        + (f", and so on for {rounds} rounds" if rounds > 1 else "")
        + f" ({format_count(len(counts), 'part')} of the automaton, of up to "
        f"{len(part.states)} states)",
        numbers={"rounds": rounds},
    )


def _refute_by_counters(subject: LadderSubject, part: CountedPart) -> Verdict:
    """Return the verdict by two states that no counter tells apart."""
    assert part.confused is not None
    first, second = part.confused
    machine = subject.machine
    start, step = subject.access(first), subject.path(first, second)
    end = subject.separate(first, second)
    words = make_family(start, end), make_family(start, step, end)
    verdict = unlike(subject, words, "have the same counts")
    name = f"after {machine.decode(start)}" if start else "at the start"
    step_text = machine.decode(step)
    if _comes_back(subject, part, first, step):
        reason = (
            f"{step_text}, read {name}, changes the state, and read again and again it comes back, "
            f"so weights that sum to 0 along cycles give it 0"
        )
    else:
        reason = (
            f"{step_text}, read {name}, changes the state, and all weights that sum to 0 along "
            f"cycles give it 0"
        )
    return Verdict(holds=False, says=f"{reason}: {verdict.says}", words=words)


def _comes_back(subject: LadderSubject, part: CountedPart, state: int, word: Word) -> bool:
    """Return whether a word, read again and again from a state, comes back without leaving."""
    inside, seen = set(part.states), set[int]()
    while state not in seen:
        seen.add(state)
        for symbol in word:
            state = subject.machine.transitions[state][symbol]
            if state not in inside:
                return False
    return len(part.rounds) == 0
