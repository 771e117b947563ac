"""Decision diagrams: functions of a few variables with finitely many values, each function once.

A diagram asks variables in increasing order, and ends at a leaf. Equal functions have equal
numbers, so that equal parts of a program are found (Bryant 1986, with more than two values).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from lengthwise.errors import ConstructionError

Path: TypeAlias = tuple[tuple[int, frozenset[int]], ...]
"""Variables, and the values that each may have: a conjunction."""

Condition: TypeAlias = tuple[Path, ...]
"""Paths; at most one of them fits, and where one does, the condition holds."""

MAX_PATHS = 4_096
"""Largest number of paths of a condition: each takes two hidden units."""


class Diagrams:
    """Diagrams over variables whose numbers of values are given; the values of i are 0..n_i - 1."""

    def __init__(self, sizes: Sequence[int]) -> None:
        self.sizes = list(sizes)
        self._nodes: list[tuple[int, tuple[int, ...]]] = []
        """Variable and children; a leaf has the variable -1 and its value."""
        self._index: dict[tuple[int, tuple[int, ...]], int] = {}

    def leaf(self, value: int) -> int:
        """Return the constant function."""
        return self._number((-1, (value,)))

    def node(self, variable: int, children: Sequence[int]) -> int:
        """Return the function that is child v where the variable has the value v."""
        assert len(children) == self.sizes[variable], "a child for each value"
        if len(set(children)) == 1:
            return children[0]
        return self._number((variable, tuple(children)))

    def indicator(self, variable: int, value: int) -> int:
        """Return 1 where a variable has a value, and else 0."""
        no, yes = self.leaf(0), self.leaf(1)
        return self.node(variable, [yes if v == value else no for v in range(self.sizes[variable])])

    def apply(self, operation: Callable[..., int], *functions: int) -> int:
        """Return the function whose value is the operation's on the values of the functions."""
        known: dict[tuple[int, ...], int] = {}

        def combine(them: tuple[int, ...]) -> int:
            if them not in known:
                nodes = [self._nodes[node] for node in them]
                variables = [variable for variable, _ in nodes if variable >= 0]
                if not variables:
                    known[them] = self.leaf(operation(*(values[0] for _, values in nodes)))
                else:
                    first = min(variables)
                    known[them] = self.node(
                        first,
                        [
                            combine(
                                tuple(
                                    children[v] if variable == first else node
                                    for node, (variable, children) in zip(them, nodes, strict=True)
                                )
                            )
                            for v in range(self.sizes[first])
                        ],
                    )
            return known[them]

        return combine(functions)

    def from_cases(self, variables: Sequence[int], cases: Mapping[tuple[int, ...], int]) -> int:
        """Return a function with these values; where no case is given, it may have any."""
        assert cases, "a function has a value"
        if not variables:
            (value,) = cases.values()
            return self.leaf(value)
        first, *rest = variables
        parts: dict[int, dict[tuple[int, ...], int]] = {}
        for key, value in cases.items():
            parts.setdefault(key[0], {})[key[1:]] = value
        children = {v: self.from_cases(rest, part) for v, part in parts.items()}
        common = max(children.values(), key=list(children.values()).count)
        return self.node(first, [children.get(v, common) for v in range(self.sizes[first])])

    def value(self, function: int, at: Sequence[int]) -> int:
        """Return the value of a function where variable i has the value `at[i]`."""
        variable, children = self._nodes[function]
        while variable >= 0:
            variable, children = self._nodes[children[at[variable]]]
        return children[0]

    def condition(self, function: int, value: int) -> Condition:
        """Return when a function has a value, as paths; at most one of them fits.

        Raises:
            ConstructionError: there are more than `MAX_PATHS`.
        """
        count = self._count(function, value, {})
        if count > MAX_PATHS:
            raise ConstructionError(
                f"a condition has {count:,} cases, but {MAX_PATHS:,} is the most that a layer "
                f"computes. Use another rung, such as scan, or a smaller language."
            )
        return tuple(self._paths(function, value))

    def _number(self, node: tuple[int, tuple[int, ...]]) -> int:
        if node not in self._index:
            self._index[node] = len(self._nodes)
            self._nodes.append(node)
        return self._index[node]

    def _by_child(self, function: int) -> dict[int, frozenset[int]]:
        """Return the children of a node, each with the values that lead to it."""
        values_of: dict[int, list[int]] = {}
        for v, child in enumerate(self._nodes[function][1]):
            values_of.setdefault(child, []).append(v)
        return {child: frozenset(values) for child, values in values_of.items()}

    def _count(self, function: int, value: int, known: dict[int, int]) -> int:
        variable, children = self._nodes[function]
        if variable < 0:
            return int(children[0] == value)
        if function not in known:
            known[function] = sum(
                self._count(child, value, known) for child in self._by_child(function)
            )
        return known[function]

    def _paths(self, function: int, value: int) -> Iterator[Path]:
        variable, children = self._nodes[function]
        if variable < 0:
            if children[0] == value:
                yield ()
            return
        for child, values in self._by_child(function).items():
            for path in self._paths(child, value):
                yield ((variable, values), *path)


def fits(condition: Condition, at: Sequence[int]) -> bool:
    """Return whether a condition holds where variable i has the value `at[i]`."""
    return any(all(at[variable] in values for variable, values in path) for path in condition)
