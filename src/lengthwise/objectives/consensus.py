r"""A loss that has a network's products agree with one another: `consensus`.

Vectors of nodes that have settled form clusters, here called *kinds*, one for each element of a
monoid, and the products of kinds form a table. Where one entry is wrong, associativity shows it,
and shows what it should be: for all kinds l and c

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

Deviations from the centres may grow from level to level, so that long words fail although no
entry is wrong. So products of earlier steps are multiplied again, to any depth.

A table is made where vectors have settled: where there are at least two kinds and at most
`MOST_KINDS`, nearly all nodes are of one, and on nearly all products a kind is agreed. With n kinds
it takes n^2 compositions and about n^4 additions for each distance that is tried: a second for 129
kinds, and some six for 256. To find that 27,000 nodes have not settled takes 2 seconds at width 64,
and 9 at width 256.

Axes:
    node   nodes of the batches that kinds are found in
    kind   kinds, in the order in which they were found
    pair   pairs of nodes or kinds
    width  numbers in a vector
"""

from collections.abc import Callable
from dataclasses import dataclass, fields

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn import functional as F

from lengthwise.device_copies import send

ANY_KINDS = 512
"""Number of pairs of any two kinds."""

AT_MOST = 256
"""Greatest number of pairs of entries at fault, and number of pairs of upper nodes."""

MOST_KINDS = 256
"""Most kinds of a table."""

_WITHIN = (0.05, 0.1, 0.2)
"""Greatest squared distances of a node from the centre of its kind, over the variance, to try."""

_MIXED = 0.05
"""Greatest share of nodes whose answer is not that of most nodes of their kind. It is not 0, as
sub-words that are not words of the language have answers that no label settles."""

_MORE_MIXED = 0.001
"""Greatest share of nodes by which it may be more than at the distance where it is least."""

_FEWEST = 4
"""Fewest nodes of a kind; those of fewer are strays."""

_STRAYS = 0.01
"""Greatest share of strays among settled nodes, and of products on which no kind is agreed."""

Nodes = Float[Tensor, "node width"]
Centres = Float[Tensor, "kind width"]
KindOf = Int[Tensor, " node"]
Answers = Int[Tensor, " node"]
Table = Int[Tensor, "kind kind"]
Compose = Callable[[Nodes, Nodes], Nodes]
"""The composition of nodes: left ones, right ones."""

NONE = -1
"""No kind: of a stray, or of a product on which too few equations agree."""


@dataclass(frozen=True, slots=True)
class Products:
    """The kinds of a network's nodes, and the products on which associativity agrees."""

    centres: Centres
    agreed: Table
    """The kind agreed on for a product, or `NONE`."""
    faults: Int[Tensor, " pair"]
    """The entries, row by row, whose product is of another kind than that agreed on."""
    variance: Float[Tensor, ""]
    within: Float[Tensor, ""]
    """The greatest squared distance of a node from the centre of its kind."""

    @classmethod
    def of(cls, nodes: Nodes, answers: Answers, compose: Compose) -> "Products | None":
        """Return the products of the kinds of these nodes, or None if they have not settled.

        `answers` are the network's own, were the nodes roots. Several distances within which nodes
        are of one kind are tried: at small ones some kinds are found twice, at great ones different
        kinds are one. Elements of a monoid may be put together if they agree in all products and
        answers. So only those distances count at which kinds mix no more answers than at the
        others, and at which the products agreed on are those of the smallest such distance, put
        together. Of these the one is taken at which the fewest products are disputed. A rare kind
        can still be lost, as 1 % of the products may differ, and 0.1 % of the nodes be mixed more.
        """
        variance = variance_of(nodes)
        candidates = [cls._within(share * variance, nodes, variance, compose) for share in _WITHIN]
        settled = [products for products in candidates if products is not None]
        mixed = [_measure_mixing(nodes, answers, products.centres) for products in settled]
        most = min(_MIXED, min(mixed, default=0.0) + _MORE_MIXED)
        alike = [products for products, share in zip(settled, mixed, strict=True) if share <= most]
        agreeing = [products for products in alike if products._puts_together(alike[0])]
        return min(agreeing, key=lambda products: products.disputed, default=None)

    def _puts_together(self, finer: "Products") -> bool:
        """Return whether nearly all products agreed on are those of finer kinds, put together."""
        kind = _nearest(finer.centres, self.centres)
        coarse = self.agreed[kind[:, None], kind]
        differ = (kind[finer.agreed] != coarse) & (finer.agreed != NONE) & (coarse != NONE)
        return bool(differ.sum() <= _STRAYS * differ.numel())

    @classmethod
    def _within(
        cls, within: Tensor, nodes: Nodes, variance: Tensor, compose: Compose
    ) -> "Products | None":
        centres = kinds_of(nodes, within)
        if centres is None:
            return None
        count = len(centres)
        kinds = torch.arange(count, device=nodes.device)
        product = compose(centres[kinds.repeat_interleave(count)], centres[kinds.repeat(count)])
        nearest = _nearest(product, centres).view(count, count)
        agreed_table = elect_products(nearest)
        if (agreed_table == NONE).sum() > _STRAYS * agreed_table.numel():
            return None
        faults = ((agreed_table != nearest) & (agreed_table != NONE)).flatten().nonzero()[:, 0]
        return cls(centres, agreed_table, faults, variance, within)

    @property
    def disputed(self) -> float:
        """The share of products that are at fault or not agreed on."""
        return (len(self.faults) + int((self.agreed == NONE).sum())) / self.agreed.numel()

    def tensors(self) -> dict[str, Tensor]:
        """Return the fields by name, so that `Products(**tensors)` is the same."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def to(self, device: torch.device) -> "Products":
        """Return the same on a device."""
        return Products(**{name: send(tensor, device) for name, tensor in self.tensors().items()})

    def loss(
        self, nodes: Nodes, deep: Nodes, compose: Compose, noise: torch.Generator
    ) -> tuple[Float[Tensor, ""], Nodes]:
        """Return the mean squared distance of products from the centres agreed on, over s.

        The pairs are `ANY_KINDS` of any two kinds, the entries at fault (`AT_MOST` are drawn if
        there are more), and `AT_MOST` of any two deep nodes, if there are any; those with a stray,
        or with no kind agreed on, do not count. Each kind is represented by a random node of it, or
        by its centre if it has none. Gradients reach the composition alone. The products of deep
        nodes are also returned, as they are deeper ones.
        """
        count = len(self.centres)

        def draw(bound: int, size: int) -> Tensor:
            return torch.randint(bound, (size,), generator=noise, device=nodes.device)

        faults = self.faults
        if len(faults) > AT_MOST:
            faults = faults[draw(len(faults), AT_MOST)]
        pairs = torch.cat([draw(count**2, ANY_KINDS), faults])
        member = _members(self._kind_of(nodes), nodes, self.centres, noise)
        left, right = [member(pairs // count)], [member(pairs % count)]
        kinds = [self.agreed.flatten()[pairs]]
        if len(deep):
            kind_of = self._kind_of(deep)
            first, second = draw(len(deep), AT_MOST), draw(len(deep), AT_MOST)
            left.append(deep[first])
            right.append(deep[second])
            strays = (kind_of[first] == NONE) | (kind_of[second] == NONE)
            of_both = self.agreed[kind_of[first], kind_of[second]]
            kinds.append(torch.where(strays, NONE, of_both))
        kind = torch.cat(kinds)
        product = compose(torch.cat(left), torch.cat(right))
        distance = (product - self.centres[kind.clamp(min=0)]).square().sum(dim=1) / self.variance
        counts = (kind != NONE).to(distance.dtype)
        deeper = product.detach()[len(pairs) :]
        return (counts * distance).sum() / counts.sum().clamp(min=1), deeper

    def _kind_of(self, nodes: Nodes) -> KindOf:
        """Return the kind with the nearest centre of each node, or `NONE` if it is far."""
        distance, kind = torch.cdist(nodes, self.centres).min(dim=1)
        return torch.where(distance.square() <= self.within, kind, NONE)


def variance_of(nodes: Nodes) -> Float[Tensor, ""]:
    """Return the mean squared distance of nodes from their mean, which is kept above 0."""
    return (nodes - nodes.mean(dim=0)).square().sum(dim=1).mean().clamp(min=1e-9)


def _nearest(nodes: Nodes, centres: Centres) -> KindOf:
    """Return the kind with the nearest centre of each node, however far it is."""
    return torch.cdist(nodes, centres).argmin(dim=1)


def _measure_mixing(nodes: Nodes, answers: Answers, centres: Centres) -> float:
    """Return the share of nodes whose answer is not that of most nodes of their kind."""
    kinds = _nearest(nodes, centres)
    counts = torch.zeros(len(centres), int(answers.max()) + 1, device=nodes.device)
    counts.index_put_((kinds, answers), counts.new_ones(len(nodes)), accumulate=True)
    return 1 - counts.amax(dim=1).sum().item() / len(nodes)


def kinds_of(nodes: Nodes, within: Tensor) -> Centres | None:
    """Return the centres of the kinds of nodes, or None if the nodes have not settled.

    The mean of the nodes at this squared distance at most from the first node is taken, and the
    nodes at this distance at most from that mean are a kind, whose centre is their mean; then those
    near the first node that is left, and so on.
    """
    centres: list[Tensor] = []
    rest, strays = nodes, 0
    while len(rest):
        middle = rest[_are_near(rest, rest[0], within)].mean(dim=0)
        are_of_kind = _are_near(rest, middle, within)
        are_of_kind[0] = True  # so that the loop ends, with whatever numbers
        if (size := int(are_of_kind.sum())) >= _FEWEST:
            centres.append(rest[are_of_kind].mean(dim=0))
        else:
            strays += size
        if len(centres) > MOST_KINDS or strays > _STRAYS * len(nodes):
            return None
        rest = rest[~are_of_kind]
    return torch.stack(centres) if len(centres) > 1 else None


def _are_near(
    nodes: Nodes, point: Float[Tensor, " width"], within: Tensor
) -> Bool[Tensor, " node"]:
    return (nodes - point).square().sum(dim=1) <= within


def elect_products(table: Table) -> Table:
    """Return for each entry the kind that satisfies the most equations, or `NONE`.

    The equations for the entry x of (a, b) are x c = a (b c) and l x = (l a) b, for all kinds c and
    l, with the products of the table. There is none if no kind satisfies more than half. An entry
    that is among the equals stays; of others the first is taken.
    """
    count = len(table)
    votes = _votes(table, table[:, table].reshape(-1, count))  # a (b c) of (a, b), c
    mirrored = table.T.contiguous()  # the product of b, a
    products = mirrored[:, mirrored].transpose(0, 1).reshape(-1, count)  # (l a) b of (a, b), l
    votes += _votes(mirrored, products)
    kind = (votes + F.one_hot(table.flatten(), count) / 2).argmax(dim=1)
    return torch.where(votes.amax(dim=1) > count, kind, NONE).view(count, count)


def _votes(table: Table, products: Int[Tensor, "pair kind"]) -> Float[Tensor, "pair kind"]:
    """Return for each pair and kind x the number of kinds c for which x c is its product of c."""
    count = len(table)
    contexts = torch.arange(count, device=table.device)
    is_product = torch.zeros(count * count, count, device=table.device)  # (c, product), x
    is_product[(contexts * count + table).flatten(), contexts.repeat_interleave(count)] = 1
    return F.embedding_bag(contexts * count + products, is_product, mode="sum")


def _members(
    kind_of: KindOf, nodes: Nodes, centres: Centres, noise: torch.Generator
) -> Callable[[Int[Tensor, " pair"]], Nodes]:
    """Return the function from kinds to random nodes of them, or to centres if there are none."""
    order = kind_of.argsort(stable=True)  # strays first
    sizes = kind_of.new_zeros(len(centres) + 1)
    sizes.scatter_add_(0, kind_of + 1, torch.ones_like(kind_of))
    sizes, start = sizes[1:], sizes.cumsum(0)[:-1]

    def member(kinds: Int[Tensor, " pair"]) -> Nodes:
        share = torch.rand(len(kinds), generator=noise, device=nodes.device)
        place = start[kinds] + (share * sizes[kinds]).long()
        members = nodes[order[place.clamp(max=len(nodes) - 1)]]
        return torch.where(sizes[kinds][:, None] > 0, members, centres[kinds])

    return member
