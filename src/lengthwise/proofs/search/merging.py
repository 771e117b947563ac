"""Single-linkage clustering of vectors, cut at the widest gap on a logarithmic scale.

Axes:
    vector  vectors that are to be merged
    width   numbers in a vector
"""

from dataclasses import dataclass

import numpy as np

from lengthwise.errors import VerificationError
from lengthwise.proofs.check.arrays import Integers
from lengthwise.proofs.check.balls import Floats, norm

NO_ANSWER = -1

_ALIKE = 0.05
"""Edges shorter than this share of the longest count as equally short."""

_SURELY = 1 - 1e-9
"""More than rounding takes from a distance."""

_FURTHEST = 1e150
"""Largest number whose square, and a sum of millions of these, is one."""


@dataclass(frozen=True, slots=True, eq=False)
class Merged:
    """Classes of vectors, numbered by their first members."""

    numbers: Integers
    """`numbers[vector]`: its class."""
    chosen: Integers
    """`chosen[class]`: the member nearest to the mean, among the members with an answer if there
    are any.
    """
    distances: Floats
    """`distances[vector]` to the chosen member of its class."""
    gap: float
    """Smallest distance of vectors of two classes; infinite if there is one class."""


def merge(vectors: Floats, answers: Integers | None = None) -> Merged:
    """Cut the minimum spanning tree where the sorted lengths of its edges grow most in ratio.

    This is single linkage, with the threshold in the widest gap on a logarithmic scale that begins
    at `_ALIKE` of the longest edge. The growth from there to the shortest edge counts, so nothing
    is merged if all distances are alike; equal vectors are always merged. A cut is skipped if some
    vector is further from its representative than the gap is wide, or if vectors of different
    `answers` (other than `NO_ANSWER`) would be merged.

    Raises:
        VerificationError: vectors have no distances, since some of their numbers are too large, or
            none.
    """
    distinct, inverse = np.unique(vectors, axis=0, return_inverse=True)
    inverse = inverse.reshape(-1)
    ends, lengths = _spanning_tree(distinct)
    possible = _without_contradiction(ends, _answers(inverse, len(distinct), answers))
    floor = _ALIKE * lengths.max(initial=np.finfo(np.float64).tiny)
    scaled = np.log(np.maximum(lengths, floor) / floor)
    jumps = np.diff(scaled, prepend=0.0)[: possible + 1]
    half = _half_widths(distinct, ends)
    for cut in [*np.argsort(-jumps, kind="stable").tolist(), 0]:
        gap = float(lengths[cut]) if cut < len(lengths) else np.inf
        if half[cut] * _SURELY >= gap:  # some vector is as far away, whatever is chosen
            continue
        numbers = _by_first_member(_components(len(distinct), ends[:cut])[inverse])
        members, distances = _choose(vectors, numbers, answers)
        if distances.max(initial=0.0) < gap:
            break
    return Merged(numbers, members, distances, gap)


def smallest_distance(points: Floats) -> float:
    """Return the smallest distance of two points; infinite if there are fewer than two.

    Raises:
        VerificationError: points have no distances, as in `merge`.
    """
    return float(min(_spanning_tree(points)[1], default=np.inf))


def _spanning_tree(points: Floats) -> tuple[Integers, Floats]:
    """Return the edges of a minimum spanning tree by length (Prim's algorithm)."""
    if not (np.abs(points) < _FURTHEST).all():
        raise VerificationError(
            "vectors of the network overflow or are NaN, so distances between them are undefined. "
            "Look at its weights: some may be damaged, or too large."
        )
    count = len(points)
    outside = np.ones(count, dtype=np.bool_)
    distance = np.full(count, np.inf)
    nearest = np.zeros(count, dtype=np.int64)
    ends, lengths = np.empty((max(0, count - 1), 2), dtype=np.int64), np.empty(max(0, count - 1))
    last = 0
    for edge in range(count - 1):
        outside[last] = False
        fresh = norm(points - points[last])
        closer = fresh < distance
        distance[closer], nearest[closer] = fresh[closer], last
        last = int(np.where(outside, distance, np.inf).argmin())
        ends[edge], lengths[edge] = (nearest[last], last), distance[last]
    order = np.argsort(lengths, kind="stable")
    return ends[order], lengths[order]


def _half_widths(points: Floats, ends: Integers) -> Floats:
    """Return half the widest side of any class, by the number of edges that are kept.

    Of two points that far apart along one axis, one is at least half as far from any third.
    """
    group = list(range(len(points)))
    least, most = points.copy(), points.copy()
    widest = np.zeros(len(ends) + 1)
    for edge, pair in enumerate(ends.tolist()):
        a, b = (_root(group, point) for point in pair)
        group[b] = a
        least[a], most[a] = np.minimum(least[a], least[b]), np.maximum(most[a], most[b])
        widest[edge + 1] = max(widest[edge], float((most[a] - least[a]).max()))
    return widest / 2


def _without_contradiction(ends: Integers, answers: list[set[int]]) -> int:
    """Return the number of shortest edges that join no different answers."""
    group = list(range(len(answers)))
    for edge, pair in enumerate(ends.tolist()):
        a, b = (_root(group, point) for point in pair)
        if len(answers[a] | answers[b]) > 1:
            return edge
        group[b], answers[a] = a, answers[a] | answers[b]
    return len(ends)


def _components(count: int, ends: Integers) -> Integers:
    group = list(range(count))
    for a, b in ends.tolist():
        group[_root(group, b)] = _root(group, a)
    return np.array([_root(group, point) for point in range(count)], dtype=np.int64)


def _root(group: list[int], point: int) -> int:
    while group[point] != point:
        group[point] = group[group[point]]
        point = group[point]
    return point


def _answers(inverse: Integers, count: int, answers: Integers | None) -> list[set[int]]:
    """Return the answer of each distinct vector; the first, if its copies differ."""
    result: list[set[int]] = [set() for _ in range(count)]
    if answers is not None:
        for point, answer in zip(inverse.tolist(), answers.tolist(), strict=True):
            if answer != NO_ANSWER and not result[point]:
                result[point] = {answer}
    return result


def _by_first_member(groups: Integers) -> Integers:
    _, first, inverse = np.unique(groups, return_index=True, return_inverse=True)
    rank: Integers = np.argsort(np.argsort(first))
    return rank[inverse.reshape(-1)]


def _choose(
    vectors: Floats, numbers: Integers, answers: Integers | None
) -> tuple[Integers, Floats]:
    """Return a member of each class, and the distance of each vector from that of its class."""
    count = int(numbers.max()) + 1 if len(numbers) else 0
    order = np.argsort(numbers, kind="stable")
    first = np.searchsorted(numbers[order], np.arange(count + 1))
    representatives, distances = order[first[:-1]], np.zeros(len(vectors))
    for number in np.flatnonzero(np.diff(first) > 1).tolist():  # the others have one member
        members = order[first[number] : first[number + 1]]
        labelled = members if answers is None else members[answers[members] != NO_ANSWER]
        able = labelled if len(labelled) else members
        middle = vectors[members].mean(axis=0)
        representatives[number] = able[norm(vectors[able] - middle).argmin()]
        distances[members] = norm(vectors[members] - vectors[representatives[number]])
    return representatives, distances
