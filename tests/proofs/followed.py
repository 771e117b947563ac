"""What a running network goes through, found without the package's exploration: the oracle's part.

Elements are those that torch computes; what they do to states is found on the automaton of the
file, symbol by symbol.
"""

import copy
from collections.abc import Iterable
from itertools import product
from typing import Any

import torch

from lengthwise.proofs.check.certificate import Certificate
from proofs.forger import _SnappedByNearest, body_of

Word = tuple[int, ...]


class Followed:
    """A network and the minimal automaton of its certificate, side by side."""

    def __init__(self, made: Certificate, network: Any) -> None:
        self.made, self.body = made, body_of(made)
        self.size = len(self.body["language"]["alphabet"])
        self.outside = len(self.body["language"]["class_names"])
        is_exact = made.strength == "discrete"
        self.network = network if is_exact else copy.deepcopy(network).double()

    def prefixes(self, most: int | None) -> tuple[set[tuple[Any, int]], int]:
        """Pairs of codes of the running network and states, of prefixes of words of the domain."""
        machine, model = self.body["machine"], self.network
        step = [set(row) for row in machine["transitions"]]
        good = hopeful(machine, self.outside, step)
        start = first_code(model)
        new = {(start, machine["start"])} if machine["start"] in good else set()
        seen, length, last = set(new), 0, 0
        while new and (most is None or length < most):
            length += 1
            after = {
                (next_code(model, code, symbol), machine["transitions"][state][symbol])
                for code, state in new
                for symbol in range(self.size)
                if machine["transitions"][state][symbol] in good
            }
            new = after - seen
            seen |= new
            last = length if new else last
        return seen, last

    @torch.no_grad()
    def levels(self, last: int) -> list[tuple[set[Any], set[Any]]]:
        """Elements of the running network with what they do to states, by level: inside, and at the
        edge of words."""
        machine, chunk = self.body["machine"], self.body["settings"]["chunk_size"]
        rows, outside = machine["transitions"], self.outside
        step = [set(row) for row in rows]
        model = self.network
        leaves = {s: model.leaf(torch.tensor(s)) for s in range(self.size)}
        vectors: tuple[Any, Any] = leaves, leaves
        inner = {(s, tuple(row[s] for row in rows)) for s in leaves}
        outer = {(s, rows[machine["start"]][s]) for s in leaves}
        good = hopeful(machine, outside, step)
        found = [
            (
                {(e, does) for e, does in inner if good & set(does)},
                {(e, state) for e, state in outer if state in good},
            )
        ]
        for level in range(last):
            inner, outer = found[-1]
            step = [_after(step, {s}, chunk) for s in range(len(rows))]
            good = hopeful(machine, outside, step)
            ended = [(c, m) for c, m in compose(inner, inner, chunk - 1) if good & set(m)]
            begun = [
                each
                for used in range(chunk)
                for each in compose(outer, inner, used)
                if each[1] in good
            ]
            inside = self.above(model, level, vectors, [c for c, _ in ended], 0)
            at_edge = self.above(model, level, vectors, [c for c, _ in begun], 1)
            vectors = dict(inside), dict(at_edge)
            found.append(
                (
                    {(e, m) for (e, _), (_, m) in zip(inside, ended, strict=True)},
                    {(e, s) for (e, _), (_, s) in zip(at_edge, begun, strict=True)},
                )
            )
        return found

    def above(
        self, model: Any, level: int, vectors: Any, chunks: list[Any], place: int
    ) -> list[tuple[Any, torch.Tensor]]:
        """The element that each chunk becomes, and its vector; the first of an edge is one."""
        if not chunks:
            return []
        below, children = list[torch.Tensor](), list[list[int]]()
        for chunk in chunks:
            row = [-1] * (self.body["settings"]["chunk_size"] - len(chunk))
            for position, element in enumerate(chunk):
                row.append(len(below))
                below.append(vectors[place if position == 0 else 0][element])
            children.append(row)
        images = model.gather(torch.stack(below), torch.tensor(children))
        if self.body["strength"] == "discrete":
            bits = (model.memory.numbers(images) >= 0).tolist()
            return list(zip(map(tuple, bits), model.memory(images), strict=True))
        known = _SnappedByNearest(model, self.made)
        these = known.levels[known._phase(level)][place]
        nearest = (images[:, None] - these).norm(dim=-1).argmin(dim=1).tolist()
        return [(n, these[n]) for n in nearest]


def hopeful(machine: Any, outside: int, step: list[set[int]]) -> set[int]:
    """The states from which a multiple of these steps ends in the domain."""
    good = {s for s, c in enumerate(machine["classes"]) if c < outside}
    while more := {s for s, after in enumerate(step) if after & good} - good:
        good |= more
    return good


def compose(firsts: Any, inner: Any, more: int) -> Iterable[tuple[Word, Any]]:
    """Chunks of a first element and some of the interior, and what they do to states."""
    for (first, does), *rest in product(firsts, *[inner] * more):
        for _, map_ in rest:
            is_map = isinstance(does, tuple)
            does = tuple(map_[s] for s in does) if is_map else map_[does]  # noqa: PLW2901
        yield (first, *(element for element, _ in rest)), does


def _after(step: list[set[int]], states: set[int], times: int) -> set[int]:
    for _ in range(times):
        states = set().union(*(step[s] for s in states))
    return states


@torch.no_grad()
def first_code(model: Any) -> tuple[int, ...]:
    """The code, or the tokens, that a network keeps of the empty word."""
    if hasattr(model, "first_context"):
        first = model.first_context
        return tuple(torch.cat([first[0, 2:], model.predict_token(first)]).tolist())
    return tuple(model.memory.code(model.start[None])[0].tolist())


@torch.no_grad()
def next_code(model: Any, code: tuple[int, ...], symbol: int) -> tuple[int, ...]:
    """The same after one more symbol."""
    if hasattr(model, "first_context"):
        context = torch.tensor([*code, symbol])
        return tuple(torch.cat([context[2:], model.predict_token(context[None])]).tolist())
    vector = model.cell(model.memory.recall(torch.tensor([code])), torch.tensor([symbol]))
    return tuple(model.memory.code(vector)[0].tolist())
