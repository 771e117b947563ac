r"""A loss that has a network's products agree with one another: `consensus`.

Vectors of nodes that have settled form *kinds*, one for each element of a monoid, and the products
of kinds form a table. Where one entry is wrong, associativity shows it, and shows what it should
be: for all kinds l and c

$$ (a b) c = a (b c), \qquad l (a b) = (l a) b, $$

so with n kinds there are 2 n equations for the entry of (a, b). The kind *agreed on* is the one
that satisfies the most of them, and more than half, in the table as it is; among equals it is the
present entry. The loss draws products to the centres of these kinds:

    consensus   the mean of $|f(x, y) - z|^2 / s$ over pairs of nodes x and y, where f is the
                composition of two nodes, z the centre of the kind agreed on for their kinds, and s
                the mean of $|v - m|^2$ over the nodes v that kinds were found in, with mean m

The language is never asked: the kinds and the table are the network's own. `associativity` asks for
the same by gradients through two compositions, but a composition of settled vectors hardly changes
with its arguments, so that these gradients, and those of labels, say little about a wrong entry.

Axes:
    node   nodes of the batches that kinds are found in
    kind   kinds, in the order in which they were found
    pair   pairs of nodes or kinds
    width  numbers in a vector
"""

from collections.abc import Callable
from dataclasses import dataclass, fields

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional as F

SAMPLE = 256
"""Number of pairs of each sort: of any kinds, of entries not agreed on, of upper nodes."""

_WITHIN = 0.2
"""Greatest squared distance of a node from the first of its kind, over the variance."""

_FEWEST = 4
"""Fewest nodes of a kind; fewer are faults."""

_MOST_KINDS = 256
"""Most kinds, dropped ones too; vectors with more have not settled."""

Nodes = Float[Tensor, "node width"]
Table = Int[Tensor, "kind kind"]
Compose = Callable[[Nodes, Nodes], Nodes]
"""The composition of nodes: left ones, right ones."""

UNDECIDED = -1
"""Entry of a table on which too few equations agree."""


@dataclass(frozen=True, slots=True)
class Products:
    """The kinds of a network's nodes, and the products on which they agree."""

    centres: Float[Tensor, "kind width"]
    agreed: Table
    """The kind agreed on for a product, or `UNDECIDED`."""
    faults: Int[Tensor, " pair"]
    """The entries, row by row, whose product is of another kind than that agreed on."""
    variance: Float[Tensor, ""]

    @classmethod
    def of(cls, nodes: Nodes, compose: Compose) -> "Products | None":
        """Return the products of the kinds of these nodes, or None if they have not settled."""
        variance = (nodes - nodes.mean(dim=0)).square().sum(dim=1).mean().clamp(min=1e-9)
        centres = kinds_of(nodes, radius=(_WITHIN * variance).sqrt())
        if centres is None:
            return None
        count = len(centres)
        left = torch.arange(count, device=nodes.device).repeat_interleave(count)
        right = torch.arange(count, device=nodes.device).repeat(count)
        found = nearest(compose(centres[left], centres[right]), centres).view(count, count)
        agreed = agreed_products(found)
        faults = ((agreed != found) & (agreed != UNDECIDED)).flatten().nonzero()[:, 0]
        return cls(centres, agreed, faults, variance)

    def to(self, device: torch.device) -> "Products":
        """Return the same on a device."""
        return Products(*(getattr(self, each.name).to(device) for each in fields(self)))

    def loss(self, nodes: Nodes, upper: Nodes, compose: Compose, noise: torch.Generator) -> Tensor:
        """Return the mean of $|f(x, y) - z|^2 / s$ over pairs of nodes with a kind agreed on.

        A third of the pairs are of any two kinds, a third of those whose product is at fault, and a
        third of any two upper nodes. A node stands for its kind, or the centre where there is none.
        """
        count = len(self.centres)

        def some(bound: int) -> Tensor:
            return torch.randint(bound, (SAMPLE,), generator=noise, device=nodes.device)

        pairs = some(count**2)
        if len(self.faults):
            pairs = torch.cat([pairs, self.faults[some(len(self.faults))]])
        member = _members(nearest(nodes, self.centres), nodes, self.centres, noise)
        left, right = [member(pairs // count)], [member(pairs % count)]
        kinds = [self.agreed.flatten()[pairs]]
        if len(upper):
            kind_of = nearest(upper, self.centres)
            first, second = some(len(upper)), some(len(upper))
            left.append(upper[first])
            right.append(upper[second])
            kinds.append(self.agreed[kind_of[first], kind_of[second]])
        kind = torch.cat(kinds)
        product = compose(torch.cat(left), torch.cat(right))
        distance = (product - self.centres[kind.clamp(min=0)]).square().sum(dim=1) / self.variance
        known = (kind != UNDECIDED).to(distance.dtype)
        return (known * distance).sum() / known.sum().clamp(min=1)


def nearest(nodes: Nodes, centres: Float[Tensor, "kind width"]) -> Int[Tensor, " node"]:
    """Return the kind of each node: that of the nearest centre."""
    return torch.cdist(nodes, centres).argmin(dim=1)


def kinds_of(nodes: Nodes, radius: Tensor) -> Float[Tensor, "kind width"] | None:
    """Return the centres of the kinds of nodes, or None if there are none or too many.

    The first node and those within the radius are a kind, whose centre is their mean; then the
    first of those that are left, and so on. Kinds of fewer than `_FEWEST` nodes are dropped.
    """
    found: list[tuple[int, Tensor]] = []
    rest = nodes
    while len(rest):
        if len(found) == _MOST_KINDS:
            return None
        near = (rest - rest[0]).square().sum(dim=1) <= radius.square()
        found.append((int(near.sum()), rest[near].mean(dim=0)))
        rest = rest[~near]
    centres = [centre for size, centre in found if size >= _FEWEST]
    return torch.stack(centres) if centres else None


def agreed_products(found: Table) -> Table:
    """Return for each entry the kind that satisfies the most equations, or `UNDECIDED`.

    The equations for the entry x of (a, b) are x c = a (b c) and l x = (l a) b, for all kinds c and
    l, with the products of the table. It is undecided if no kind satisfies more than half. Among
    equals an entry stays.
    """
    count = len(found)
    votes = _votes(found, found[:, found].reshape(-1, count))  # a (b c) of (a, b), c
    mirrored = found.T.contiguous()  # the product of b, a
    ways = mirrored[:, mirrored].transpose(0, 1).reshape(-1, count)  # (l a) b of (a, b), l
    votes += _votes(mirrored, ways)
    kind = (votes + F.one_hot(found.flatten(), count) / 2).argmax(dim=1)
    return torch.where(votes.amax(dim=1) > count, kind, UNDECIDED).view(count, count)


def _votes(table: Table, products: Int[Tensor, "pair kind"]) -> Float[Tensor, "pair kind"]:
    """Return for each pair and kind x the number of kinds c for which x c is its product of c."""
    count = len(table)
    contexts = torch.arange(count, device=table.device)
    is_product = torch.zeros(count * count, count, device=table.device)  # (c, product), x
    is_product[(contexts * count + table).flatten(), contexts.repeat_interleave(count)] = 1
    return F.embedding_bag(contexts * count + products, is_product, mode="sum")


def _members(
    kind_of: Int[Tensor, " node"], nodes: Nodes, centres: Tensor, noise: torch.Generator
) -> Callable[[Tensor], Nodes]:
    """Return the function from kinds to random nodes of them, or to centres if there are none."""
    order = kind_of.argsort(stable=True)
    sizes = torch.bincount(kind_of, minlength=len(centres))
    start = sizes.cumsum(0) - sizes

    def member(kinds: Tensor) -> Tensor:
        share = torch.rand(len(kinds), generator=noise, device=nodes.device)
        place = start[kinds] + (share * sizes[kinds]).long()
        chosen = nodes[order[place.clamp(max=len(nodes) - 1)]]
        return torch.where(sizes[kinds][:, None] > 0, chosen, centres[kinds])

    return member
