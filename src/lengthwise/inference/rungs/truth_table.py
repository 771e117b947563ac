"""Choose the class of each combination of truth values, including those that no word has.

Axes:
    value    one axis for each literal or count: its values
    cell     combinations of values
"""

from collections.abc import Sequence
from functools import cache

import numpy as np

from lengthwise.inference.sample import Array

MOST_FORMULA = 3
"""Greatest number of literals for which the shortest formula is searched."""


def complete_table(
    values: Sequence[Array], sizes: Sequence[int], classes: Array, num_classes: int
) -> Array:
    """Return the class of each combination of values: the commonest one of its words.

    Of up to three literals and two classes it is the shortest formula that agrees on all
    combinations that words have. Else a combination that no word has takes the class of the nearest
    one: where one value differs, or two, and so on; of several, that of most words.
    """
    sizes = tuple(sizes)
    cell = np.ravel_multi_index(tuple(values), sizes) if sizes else np.zeros_like(classes)
    total = int(np.prod(sizes))
    counts = np.bincount(cell * num_classes + classes, minlength=total * num_classes)
    counts = counts.reshape(total, num_classes).astype(np.float64)
    seen = counts.any(axis=1)
    answer = counts.argmax(axis=1)
    if seen.all():
        return answer.reshape(sizes)
    places = np.stack(np.unravel_index(np.arange(total), sizes), axis=1)
    for empty in np.flatnonzero(~seen).tolist():
        apart = (places[seen] != places[empty]).sum(axis=1)
        answer[empty] = int(counts[seen][apart == apart.min()].sum(axis=0).argmax())
    if num_classes == 2 and len(sizes) <= MOST_FORMULA and set(sizes) == {2}:
        tables, costs = _functions(len(sizes))
        fits = (tables[:, seen] == answer[seen]).all(axis=1)
        apart = (tables != answer).sum(axis=1)
        answer = tables[np.lexsort((apart, np.where(fits, costs, np.inf)))[0]]
    return answer.reshape(sizes)


@cache
def _functions(count: int) -> tuple[Array, Array]:
    """Return all functions of literals, `[function, cell]`, and the cost of the shortest formula.

    "And" and "or" cost 2, "one of two, but not both" 3, and "not" nothing.
    """
    cells = np.arange(2**count)
    literals = [tuple((cells >> (count - 1 - i) & 1).tolist()) for i in range(count)]
    costs = {(0,) * len(cells): 0, (1,) * len(cells): 0}
    for literal in literals:
        costs[literal] = costs[tuple(1 - bit for bit in literal)] = 1
    changed = True
    while changed:
        changed = False
        known = list(costs.items())
        for function, cost in known:
            for other, more in known:
                for price, result in (
                    (2, tuple(a & b for a, b in zip(function, other, strict=True))),
                    (2, tuple(a | b for a, b in zip(function, other, strict=True))),
                    (3, tuple(a ^ b for a, b in zip(function, other, strict=True))),
                ):
                    if cost + more + price < costs.get(result, 1000):
                        costs[result] = cost + more + price
                        changed = True
    return np.array(list(costs)), np.array(list(costs.values()))
