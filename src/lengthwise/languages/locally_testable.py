r"""Languages that depend on windows of their words, and those of dot-depth one.

Let S be the syntactic semigroup (words that are not empty) and e, f idempotents of it.

    locally testable            the set of windows of k symbols decides, and both ends:
                                every eSe is a semilattice, xx = x and xy = yx
                                (McNaughton, 1974; Brzozowski and Simon, 1973)
    locally threshold testable  the numbers of the windows decide, up to a threshold:
                                aperiodic, and exf·fye·ezf = ezf·fye·exf
                                (Thérien and Weiss, 1985; Beauquier and Pin, 1989)
    dot-depth one               the sets of subsequences of windows decide:
                                (exfy)^w exft (ezft)^w = (exfy)^w e (ezft)^w   (Knast, 1983)

The monoids eMe of idempotents in one J-class are isomorphic, and so are the categories of all eSf,
so one idempotent of each regular J-class is enough for the first two. In an eSe whose elements are
idempotent, xy = yx says that no two elements are R-related or L-related, and those relations are
the ones of M.

Knast's equation needs no list of quadruples. Write p and q for the two powers. They are idempotents
below e, m = p·x is R-related to p with mf = m, n = t·q is L-related to q with fn = n, and the
equation is mn = pq; conversely all such p, q, m, n come from some x, y, z, t. Whether mn = pq holds
is not changed by an L-related p', with m' = p'm, or by an R-related q'. So the equation says: for
two regular J-classes D and D', a fixed R-class of D, with an element r of it in each L-class, and a
fixed L-class of D', with an element c of it in each R-class, all products rc are equal for which
some idempotent e of S has re = r and ec = c. (Our derivation; tested against the equation.)
"""

from itertools import combinations_with_replacement, count, pairwise, product

import numpy as np
from numpy.typing import NDArray

from lengthwise.languages.green import Green
from lengthwise.languages.subsequences import decides
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

MAX_WORK = 30_000_000
"""Largest number of products, or of moves of states, that are computed for one question."""

MAX_WINDOWS = 32
"""Largest number of windows of one width that are distinguished when the least width is sought."""

Integers = NDArray[np.int64]
_Seen = tuple[Word, Word, frozenset[Word]]
_NOTHING: Word = ()
_TOO_MANY = f"not decided: it takes more than {MAX_WORK:,} products"


def _representatives(green: Green) -> list[int]:
    """Return one idempotent of the semigroup for each regular J-class that has one."""
    representatives: dict[int, int] = {}
    for element in np.flatnonzero(green.is_idempotent & green.in_semigroup).tolist():
        representatives.setdefault(int(green.j[element]), element)
    return list(representatives.values())


def _times(green: Green, left: Integers, word: Word) -> Integers:
    """Return the products of elements with the element of a word."""
    for symbol in word:
        left = green.monoid.right[left, symbol]
    return left


def before(green: Green, word: Word, right: Integers) -> Integers:
    """Return the products of the element of a word with elements."""
    for symbol in reversed(word):
        right = green.left[right, symbol]
    return right


def between(green: Green, e: int, f: int) -> Integers:
    """Return the elements of eSf, sorted; e and f are idempotents of the semigroup."""
    return np.unique(_times(green, _right_ideal(green, e), green.words[f]))


def _right_ideal(green: Green, e: int) -> Integers:
    """Return the elements of eS, sorted; e is an idempotent of the semigroup."""
    right = green.monoid.right
    seen = np.zeros(green.monoid.size, dtype=np.bool_)
    seen[e] = True
    new = np.array([e])
    while len(new):
        after = np.unique(right[new])
        new = after[~seen[after]]
        seen[new] = True
    return np.flatnonzero(seen)


def locally_testable(subject: LadderSubject) -> Verdict:
    """Return whether the set of windows decides, with both ends."""
    green = subject.green
    work = 0
    for e in _representatives(green):
        local = between(green, e, e)
        work += len(local)
        if work > MAX_WORK:
            return Verdict(holds=None, says=_TOO_MANY)
        loop = green.words[e]
        wrong = local[~green.is_idempotent[local]]
        if len(wrong):
            x = (loop, green.words[wrong[0]])
            return _windows(subject, loop, (x[1],), (x[1], x[1]))
        for classes in (green.r, green.l):
            pair = _first_pair_in(classes, local)
            if pair is not None:
                first, two = (green.words[x] for x in pair)
                return _windows(subject, loop, (first, two), (two, first))
    width, is_exact = local_width(subject)
    size = f"{width} symbols" if is_exact else f"k symbols, for some k from {width} on,"
    return Verdict(
        holds=True,
        says=f"the set of windows of {size} and both ends decide",
        numbers={"k" if is_exact else "k_from": width},
    )


def local_width(subject: LadderSubject) -> tuple[int, bool]:
    """Return the least width k of the windows that decide, or the first one that is too large to
    be tried; the second value says if it was found.

    A word of k - 1 symbols or fewer is its own end. The language is locally testable.
    """
    if subject.machine.num_symbols == 1:  # states in a row; words do not leave the last one
        return max(1, subject.machine.num_states - 1), True
    for k in count(1):
        if subject.machine.num_symbols**k > MAX_WINDOWS:
            return k, False

        def read(value: _Seen, symbol: int, k: int = k) -> _Seen:
            start, end, windows = value
            window = (*end, symbol)
            if len(window) < k:
                return window, window, windows
            return start, window[1:], windows | {window}

        known = decides(subject.machine, (_NOTHING, _NOTHING, frozenset[Word]()), read)
        if known is None:
            return k, False
        if known:
            return k, True
    raise AssertionError("the width is bounded")


def _first_pair_in(classes: Integers, elements: Integers) -> tuple[int, int] | None:
    order = np.argsort(classes[elements], kind="stable")
    same = np.flatnonzero(np.diff(classes[elements][order]) == 0)
    if not len(same):
        return None
    return int(elements[order[same[0]]]), int(elements[order[same[0] + 1]])


def _windows(
    subject: LadderSubject, loop: Word, first: tuple[Word, ...], second: tuple[Word, ...]
) -> Verdict:
    """Return the verdict by words between which a loop is pumped."""
    pump = Piece(loop, pumped=True)
    middles = []
    for middle in (first, second):
        pieces: list[Word | Piece] = [pump]
        for word in middle:
            pieces += [word, pump]
        middles.append(tuple(pieces))
    words = in_context(subject, *middles)
    return unlike(subject, words, "have the same windows")


def in_context(
    subject: LadderSubject, first: tuple[Word | Piece, ...], second: tuple[Word | Piece, ...]
) -> tuple[PumpedWord, PumpedWord]:
    """Return two words with different state maps, in a context that gives them two classes."""
    state_map, two = (subject.moves(make_family(*pieces).at(1)) for pieces in (first, second))
    start, end = subject.distinguish(state_map, two)
    return make_family(start, *first, end), make_family(start, *second, end)


def threshold_testable(subject: LadderSubject) -> Verdict:
    """Return whether the numbers of windows decide, up to a threshold.

    An element of eSf is a map from the states P = Se to the states Q = Sf, and one of fSe from Q to
    P. For y in fSe the equation a y b = b y a says of a state p of P, with p·a = q and p·b = q',
    that (q·y)·b = (q'·y)·a. So two tables are enough: the states that the elements a with p·a = q
    lead s to, for each p, q and s, and the pairs (q·y, q'·y), for each q and q'.
    """
    green = subject.green
    turning = turning_words(subject)
    if turning is not None:
        return unlike(subject, turning, "have as many windows of each kind, up to any threshold")
    maps = green.monoid.maps
    idempotents = _representatives(green)
    images = {e: np.unique(maps[e]) for e in idempotents}
    ideals = {e: _right_ideal(green, e) for e in idempotents}
    work = 0
    for e, f in product(idempotents, repeat=2):
        forth = np.unique(_times(green, ideals[e], green.words[f]))
        back = np.unique(_times(green, ideals[f], green.words[e]))
        sources, targets = images[e], images[f]
        work += green.monoid.size + len(forth) * len(sources) ** 2 + len(back) * len(targets) ** 2
        if work > MAX_WORK:
            return Verdict(holds=None, says=_TOO_MANY)
        triple = _unlike_exchanged(maps[forth], maps[back], sources, targets)
        if triple is not None:
            x, y, z = (
                green.words[int(x)] for x in (forth[triple[0]], back[triple[1]], forth[triple[2]])
            )
            pump, other = Piece(green.words[e], pumped=True), Piece(green.words[f], pumped=True)
            return unlike(
                subject,
                in_context(
                    subject,
                    (pump, x, other, y, pump, z, other),
                    (pump, z, other, y, pump, x, other),
                ),
                "have as many windows of each kind",
            )
    return Verdict(
        holds=True, says="the numbers of windows, up to a threshold, and both ends decide"
    )


def _unlike_exchanged(
    forth: NDArray[np.int32], back: NDArray[np.int32], sources: Integers, targets: Integers
) -> tuple[int, int, int] | None:
    """Return the places of a, y and b with a y b != b y a, or None, by the two tables."""
    size = forth.shape[1]
    inside = forth[:, sources]
    low = np.full((len(sources), size, len(sources)), size)
    high = np.full_like(low, -1)
    for place in range(len(sources)):
        np.minimum.at(low[place], inside[:, place], inside)
        np.maximum.at(high[place], inside[:, place], inside)
    at = np.full(size, -1)
    at[sources] = np.arange(len(sources))
    moved = at[back]  # the places of q·y
    for target, two in combinations_with_replacement(targets.tolist(), 2):
        reached = (high[:, target, 0] >= 0) & (high[:, two, 0] >= 0)
        _, firsts = np.unique(moved[:, target] * len(sources) + moved[:, two], return_index=True)
        s, t = moved[firsts, target], moved[firsts, two]
        same = (
            (low[:, two][:, s] == high[:, two][:, s])
            & (low[:, target][:, t] == high[:, target][:, t])
            & (low[:, two][:, s] == low[:, target][:, t])
        )
        wrong = np.argwhere(reached[:, None] & ~same)
        if len(wrong):
            place, which = wrong[0]
            first = np.flatnonzero(inside[:, place] == target)
            second = np.flatnonzero(inside[:, place] == two)
            values = inside[first, t[which]], inside[second, s[which]]
            a, b = np.argwhere(values[0][:, None] != values[1])[0]
            return int(first[a]), int(firsts[which]), int(second[b])
    return None


def turning_words(subject: LadderSubject) -> tuple[PumpedWord, PumpedWord] | None:
    """Return words u (x^c)^m z and u (x^c)^m x z of different classes, or None if the monoid is
    aperiodic: then x turns c states in a circle.
    """
    monoid, element = subject.monoid, subject.green.turning
    if element is None:
        return None
    row = monoid.maps[element]
    image = np.unique(row)
    state = int(image[np.flatnonzero(row[image] != image)[0]])
    return find_turning_words(subject, monoid.words[element], state)


def find_turning_words(
    subject: LadderSubject, word: Word | PumpedWord, state: int
) -> tuple[PumpedWord, PumpedWord]:
    """Return words u (x^c)^m z and u (x^c)^m x z of different classes for a word x that turns a
    state in a circle of c states.
    """
    once = Piece(word).at(1)
    circle = [state]
    while (after := subject.machine.run(once, circle[-1])) != state:
        circle.append(after)
    loop = Piece(word, times=len(circle), pumped=True)
    start, end = subject.access(state), subject.separate(state, circle[1])
    return make_family(start, loop, end), make_family(start, loop, Piece(word), end)


def dot_depth_one(subject: LadderSubject, *, with_identity: bool = False) -> Verdict:
    """Return whether the sets of subsequences of windows decide (dot-depth at most one).

    `with_identity` asks the same with the empty word among the idempotents: then windows shrink to
    symbols, and the language is piecewise testable.
    """
    green = subject.green
    monoid = green.monoid
    turning = turning_words(subject)
    if turning is not None:
        return unlike(subject, turning, "have the same subsequences of windows")
    idempotents = np.flatnonzero(
        green.is_idempotent & (green.in_semigroup | np.bool_(with_identity))
    )
    regular = np.flatnonzero(green.is_regular)
    rows = _one_of_each(green.j, green.r, green.l, regular)
    columns = _one_of_each(green.j, green.l, green.r, regular)
    right_of = sum(map(len, rows.values())), sum(map(len, columns.values()))
    if right_of[0] * right_of[1] + sum(right_of) * len(idempotents) > MAX_WORK:
        return Verdict(holds=None, says=_TOO_MANY)
    all_rows = np.concatenate(list(rows.values()))
    all_columns = np.concatenate(list(columns.values()))
    words = [monoid.words[e] for e in idempotents.tolist()]
    keeps = np.stack([_times(green, all_rows, w) == all_rows for w in words], axis=1)
    keeps_columns = np.stack([before(green, w, all_columns) == all_columns for w in words], axis=0)
    joined = keeps.astype(np.float32) @ keeps_columns.astype(np.float32) > 0
    products = np.stack([_times(green, all_rows, monoid.words[c]) for c in all_columns.tolist()], 1)
    for row_span in _spans(rows):
        for column_span in _spans(columns):
            mask, values = joined[row_span, column_span], products[row_span, column_span]
            places = np.argwhere(mask)
            if len(places) and (values[mask] != values[tuple(places[0])]).any():
                other = places[np.flatnonzero(values[mask] != values[tuple(places[0])])[0]]
                pairs = [
                    (int(all_rows[row_span][a]), int(all_columns[column_span][c]))
                    for a, c in (places[0], other)
                ]
                at = [
                    int(
                        idempotents[
                            np.flatnonzero(
                                keeps[row_span][a] & keeps_columns[:, column_span][:, c]
                            )[0]
                        ]
                    )
                    for a, c in (places[0], other)
                ]
                return unlike(
                    subject, _knast(subject, pairs, at), "have the same subsequences of windows"
                )
    return Verdict(holds=True, says="the set of subsequences of windows of some width decides")


def _one_of_each(
    groups: Integers, fixed: Integers, varied: Integers, elements: Integers
) -> dict[int, Integers]:
    """Return, for each group, the elements of one fixed class, one for each varied class."""
    first: dict[int, int] = {}
    members: dict[int, dict[int, int]] = {}
    for x in elements.tolist():
        group = int(groups[x])
        if first.setdefault(group, int(fixed[x])) == fixed[x]:
            members.setdefault(group, {}).setdefault(int(varied[x]), x)
    return {
        group: np.array(list(representatives.values()))
        for group, representatives in members.items()
    }


def _spans(groups: dict[int, Integers]) -> list[slice]:
    ends = np.cumsum([0, *map(len, groups.values())]).tolist()
    return [slice(a, b) for a, b in pairwise(ends)]


def _knast(
    subject: LadderSubject, pairs: list[tuple[int, int]], at: list[int]
) -> tuple[PumpedWord, PumpedWord]:
    """Return two words of different classes that violate Knast's equation.

    With idempotents e, f and elements r, r' of one R-class, c, c' of one L-class with re = r,
    ec = c, r'f = r', fc' = c' and rc != r'c', take words x, y, z, t with rx = r', r'y = r, zc' = c
    and tc = c'. Then r (exfye)^m e (ezfte)^m c is rc, and r (exfye)^m exfte (ezfte)^m c is r'c'.
    The words of e and f are pumped inside, too: otherwise long windows would see their positions.
    """
    green, monoid = subject.green, subject.monoid
    (r, c), (other_r, other_c) = pairs
    e, f = (Piece(green.words[x], pumped=True) for x in at)  # not the empty word
    go = shortest_path(monoid.right, r, other_r) or ()
    back = shortest_path(monoid.right, other_r, r) or ()
    come = _find_reversed_path(green, c, other_c)
    leave = _find_reversed_path(green, other_c, c)
    first = Piece(make_family(e, go, f, back, e), pumped=True)
    last = Piece(make_family(e, come, f, leave, e), pumped=True)
    start, end = monoid.words[r], monoid.words[c]
    return in_context(
        subject, (start, first, e, last, end), (start, first, e, go, f, leave, e, last, end)
    )


def _find_reversed_path(green: Green, target: int, source: int) -> Word:
    """Return a word w with w·source = target, by the left Cayley graph."""
    return tuple(reversed(shortest_path(green.left, source, target) or ()))
