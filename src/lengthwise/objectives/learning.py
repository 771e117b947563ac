r"""The loss by which a network learns from labels of whole words: the labels, and further terms.

A *term* is a further loss about what the network keeps, with a weight. It looks at the vectors that
memory returned while a batch was read, and at the numbers whose signs are the bits:

    commitment     the mean of $(x - \mathrm{sign}(x))^2$ over the numbers x before the sign
    associativity  the mean of $(f(f(a, b), c) - f(a, f(b, c)))^2$ over triples of nodes, where f is
                   the composition of two nodes
    identity       the mean of $(f(\mathrm{pad}, x) - x)^2$ over nodes
    closure        the mean of $|x - y|^2 / s$ over nodes x of upper levels and products x of two
                   nodes, where y is the nearest node of the lower half of the levels, and s the
                   mean of $|y - m|^2$ over these, with mean m; what is above 0.3 counts as 0
    consensus      the distance of products from those on which associativity agrees
                   (`objectives.consensus`)

Composition of a monoid is associative, and the pad stands for the empty word, so associativity and
identity hold of every network of trees that is right for any reason. They bias the operator of
log-depth networks in Pert, Alrajeh and Russo (2026, arXiv 2605.26035). Only the paper's abstract
was at hand, so the formulas are ours.

A finite monoid has no new elements in long words, so their vectors should be those of short ones;
without `closure` they may drift with length, which no label of a short word shows. It helps
once nodes have settled near one vector for each element: before, the nearest node is often that of
another. `consensus` needs settled nodes, too; it corrects single wrong products.

Axes:
    node   nodes of a batch, or of a sample of them
    width  numbers in a vector
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from functools import partial
from types import MappingProxyType
from typing import Any, Protocol

import torch
from jaxtyping import Float
from torch import Tensor, nn

from lengthwise.device_copies import send
from lengthwise.layers.chunks import ABSENT
from lengthwise.layers.memory import BITS, BinaryMemory, ContinuousMemory
from lengthwise.models.binary_recurrent import BinaryRecurrent
from lengthwise.models.eval_mode import in_eval_mode
from lengthwise.models.regular_gpt import RegularGPT
from lengthwise.objectives.answers import class_step, on_device, words_for
from lengthwise.objectives.consensus import Nodes, Products, variance_of
from lengthwise.registry import Catalogue
from lengthwise.tasks.task import Batch
from lengthwise.training.loop import Step
from lengthwise.training.state import Remembering

COMMITMENT = 0.25
"""Weight of the commitment loss, as in VQ-VAE (van den Oord et al., 2017)."""

_SAMPLE = 256
"""Number of nodes, or triples of nodes, that a term is about."""

_NEAR = 0.3
"""Greatest squared distance from the nearest lower node, over the variance, that closure heeds."""

_EVERY = 500
"""Batches from one table of products to the next."""

_GATHERED = 64
"""Batches whose lower nodes make a table."""

_AT_MOST = 1024
"""Most nodes of one batch that are taken for a table."""

_DEEP = 1024
"""Most products that are kept, to be multiplied again."""


class Learning(ABC):
    """Base: the loss of a batch of labelled words, with a state that checkpoints hold."""

    @abstractmethod
    def step(self, model: nn.Module, batch: Batch, noise: torch.Generator) -> Step:
        """Return the loss of a batch."""

    def tensors(self) -> dict[str, Tensor]:
        """Return the state as named tensors."""
        return {}

    def restore(self, tensors: Mapping[str, Tensor]) -> None:  # noqa: B027  most have no state
        """Restore the state from the result of `tensors`, among others.

        Raises:
            KeyError: a tensor is missing.
        """


class Labels(Learning):
    """The cross-entropy of the labels alone."""

    def step(self, model: nn.Module, batch: Batch, noise: torch.Generator) -> Step:
        """Return the cross-entropy of the labels."""
        tokens, lengths = words_for(model, batch.tokens, batch.lengths)
        (classes,) = on_device(model, batch.classes)
        return class_step(model(tokens, lengths, generator=noise), classes)


@dataclass(slots=True)
class Seen:
    """Holds what a network's memory kept while it read a batch."""

    vectors: list[Float[Tensor, "node width"]] = field(default_factory=list)
    """The vectors that memory returned, level by level or symbol by symbol."""
    numbers: list[Float[Tensor, "node bit"]] = field(default_factory=list)
    """The numbers before the signs, without noise, if memory is binary."""


class Term(Protocol):
    """A further loss about what a network keeps; one with a state is `Remembering`."""

    def __call__(self, model: nn.Module, seen: Seen, noise: torch.Generator) -> Float[Tensor, ""]:
        """Return the loss; random choices and noise come from the generator."""
        ...


def commitment(model: nn.Module, seen: Seen, noise: torch.Generator) -> Float[Tensor, ""]:
    """Return the mean squared distance of numbers from the signs that they are rounded to."""
    numbers = torch.cat(seen.numbers)
    signs = torch.where(numbers >= 0, 1.0, -1.0).to(numbers.dtype)
    return (numbers - signs).square().mean()


def associativity(model: nn.Module, seen: Seen, noise: torch.Generator) -> Float[Tensor, ""]:
    """Return the mean squared difference of the two products of three random nodes."""
    assert isinstance(model, RegularGPT)
    nodes = torch.cat(seen.vectors)
    numbers = torch.randint(len(nodes), (3, _SAMPLE), generator=noise, device=nodes.device)
    a, b, c = nodes[numbers]
    left = compose_nodes(model, compose_nodes(model, a, b, noise), c, noise)
    right = compose_nodes(model, a, compose_nodes(model, b, c, noise), noise)
    return (left - right).square().mean()


def identity(model: nn.Module, seen: Seen, noise: torch.Generator) -> Float[Tensor, ""]:
    """Return the mean squared difference between random nodes and their products with the pad."""
    assert isinstance(model, RegularGPT)
    nodes = torch.cat(seen.vectors)
    x = nodes[torch.randint(len(nodes), (_SAMPLE,), generator=noise, device=nodes.device)]
    return (compose_nodes(model, None, x, noise) - x).square().mean()


def closure(model: nn.Module, seen: Seen, noise: torch.Generator) -> Float[Tensor, ""]:
    """Return the mean squared distance of upper nodes and products from the nearest lower nodes.

    It is in units of the variance of the lower nodes, and 0 above `_NEAR`. No gradient goes to the
    lower nodes.
    """
    assert isinstance(model, RegularGPT)
    lower, upper = halves(seen.vectors)
    nodes, lower = torch.cat([lower, upper]), lower.detach()
    pairs = torch.randint(len(nodes), (2, _SAMPLE), generator=noise, device=nodes.device)
    if len(upper):
        numbers = torch.randint(len(upper), (_SAMPLE,), generator=noise, device=nodes.device)
        upper = upper[numbers]
    left, right = nodes[pairs]
    x = torch.cat([compose_nodes(model, left, right, noise), upper])
    nearest = lower[torch.cdist(x.detach(), lower).argmin(dim=1)]
    distance = (x - nearest).square().sum(dim=1) / variance_of(lower)
    return torch.where(distance < _NEAR, distance, 0).mean()


class Consensus:
    """The distance of products from those on which associativity agrees (`objectives.consensus`).

    The term makes a new table every `_EVERY` batches, of the lower nodes of the first `_GATHERED`
    of these, at most `_AT_MOST` from each. Before the first table, and where vectors have
    not settled, it is 0. Deep nodes are those of the upper levels, and the last `_DEEP` products of
    deep nodes since the last table.
    """

    def __init__(self) -> None:
        self._batches = 0
        self._gathered: list[Nodes] = []
        self._products: Products | None = None
        self._deep: Nodes | None = None

    def tensors(self) -> dict[str, Tensor]:
        """Return the number of batches, the nodes gathered since, the table, and deep nodes."""
        stored = {"batches": torch.tensor(self._batches)}
        if self._gathered:
            stored["gathered"] = torch.cat(self._gathered)
        if self._products is not None:
            stored |= self._products.tensors()
        if self._deep is not None:
            stored["deep"] = self._deep
        return {f"consensus/{name}": tensor for name, tensor in stored.items()}

    def restore(self, tensors: Mapping[str, Tensor]) -> None:
        """Restore the number of batches, the nodes gathered, the table, and deep nodes."""
        self._batches = int(tensors["consensus/batches"])
        own_tensors = {
            name.removeprefix("consensus/"): tensor
            for name, tensor in tensors.items()
            if name.startswith("consensus/") and name != "consensus/batches"
        }
        self._gathered = [own_tensors.pop("gathered")] if "gathered" in own_tensors else []
        self._deep = own_tensors.pop("deep", None)
        self._products = (
            Products(*(own_tensors[table_field.name] for table_field in fields(Products)))
            if own_tensors
            else None
        )

    def __call__(self, model: nn.Module, seen: Seen, noise: torch.Generator) -> Float[Tensor, ""]:
        """Return the mean squared distance of products from those agreed on."""
        assert isinstance(model, RegularGPT)
        lower, upper = (nodes.detach() for nodes in halves(seen.vectors))
        self._move(lower.device)
        place = self._batches % _EVERY
        self._batches += 1
        if place < _GATHERED:
            self._gathered.append(_spread(lower))
        if place == _GATHERED - 1:
            self._products = products_of(model, torch.cat(self._gathered))
            self._gathered, self._deep = [], None
        if self._products is None:
            return lower.new_zeros(())
        compose = partial(compose_nodes, model, noise=noise)
        before = lower[:0] if self._deep is None else self._deep
        loss, deeper = self._products.loss(
            torch.cat([lower, upper]), torch.cat([upper, before]), compose, noise
        )
        self._deep = torch.cat([deeper, before])[:_DEEP]
        return loss

    def _move(self, device: torch.device) -> None:
        """Have what a checkpoint held, which is on the processor, where the model is."""
        self._gathered = [send(nodes, device) for nodes in self._gathered]
        if self._products is not None and self._products.centres.device != device:
            self._products = self._products.to(device)
        if self._deep is not None:
            self._deep = send(self._deep, device)


def _spread(nodes: Nodes) -> Nodes:
    """Return all nodes, or `_AT_MOST` that are spread evenly over them."""
    if len(nodes) <= _AT_MOST:
        return nodes
    return nodes[torch.linspace(0, len(nodes) - 1, _AT_MOST, device=nodes.device).long()]


def halves(levels: Sequence[Nodes]) -> tuple[Nodes, Nodes]:
    """Return the nodes of the lower half of the levels, and those of the others."""
    middle = (len(levels) + 1) // 2
    lower = torch.cat(list(levels[:middle]))
    return lower, torch.cat([lower[:0], *levels[middle:]])


def products_of(model: RegularGPT, nodes: Nodes) -> Products | None:
    """Return the products of the kinds of these nodes, without dropout and noise."""
    with in_eval_mode(model), torch.no_grad():
        answers = model.read(nodes).argmax(dim=1)
        return Products.of(nodes, answers, partial(compose_nodes, model))


def compose_nodes(
    model: RegularGPT, left: Nodes | None, right: Nodes, noise: torch.Generator | None = None
) -> Nodes:
    """Return the nodes whose last two children are these; others, or all but one, are absent."""
    count = len(right)
    children = torch.full((count, model.config.chunk_size), ABSENT, device=right.device)
    place = torch.arange(count, device=right.device)
    children[:, -1] = place
    if left is None:
        return model.compose(right, children, noise)
    children[:, -2] = place + count
    return model.compose(torch.cat([right, left]), children, noise)


TERMS: Catalogue[Callable[[], Term]] = Catalogue(
    "term of the loss",
    {
        "commitment": lambda: commitment,
        "associativity": lambda: associativity,
        "identity": lambda: identity,
        "closure": lambda: closure,
        "consensus": Consensus,
    },
)


class Regularised(Learning):
    """The cross-entropy of the labels, and weighted terms; noise may fall while batches pass.

    `bits` is a name in `BITS`. With `anneal` above 0 the noise falls linearly from that of the
    network to 0 over `anneal` batches. A term t in `after` begins after `after[t]` batches.
    """

    def __init__(
        self,
        weights: Mapping[str, float],
        *,
        bits: str,
        anneal: int,
        after: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        self._terms = [
            (TERMS[name](), weight, after.get(name, 0))
            for name, weight in weights.items()
            if weight > 0
        ]
        self._bits = BITS[bits]
        self._anneal = anneal
        self._batches = 0

    @property
    def _remembering(self) -> list[Remembering]:
        return [term for term, _, _ in self._terms if isinstance(term, Remembering)]

    def tensors(self) -> dict[str, Tensor]:
        """Return the number of batches so far, and the states of terms."""
        stored = {"batches": torch.tensor(self._batches)}
        for term in self._remembering:
            stored |= term.tensors()
        return stored

    def restore(self, tensors: Mapping[str, Tensor]) -> None:
        """Restore the number of batches, and the states of terms."""
        self._batches = int(tensors["batches"])
        for term in self._remembering:
            term.restore(tensors)

    def step(self, model: nn.Module, batch: Batch, noise: torch.Generator) -> Step:
        """Return the cross-entropy of the labels plus the terms."""
        assert isinstance(model, RegularGPT | BinaryRecurrent)
        share = max(0.0, 1 - self._batches / self._anneal) if self._anneal else 1.0
        self._batches += 1
        with _replace_bits(model.memory, self._bits, share), observe(model.memory) as seen:
            outcome = Labels().step(model, batch, noise)
            nodes = Seen(list(seen.vectors), list(seen.numbers))  # terms compose more of them
            more = [
                weight * term(model, nodes, noise)
                for term, weight, after in self._terms
                if self._batches > after
            ]
        return Step(sum(more, outcome.loss), outcome.accuracy, outcome.num_words)


@contextmanager
def _replace_bits(
    memory: ContinuousMemory | BinaryMemory, bits: Callable[[Tensor], Tensor], share: float
) -> Iterator[None]:
    """Have binary memory take bits in this way, with this share of its noise."""
    if not isinstance(memory, BinaryMemory):
        yield
        return
    before = memory.bits, memory.noise
    memory.bits, memory.noise = bits, share * memory.noise
    try:
        yield
    finally:  # proofs refuse a model that is not as its settings say
        memory.bits, memory.noise = before


@contextmanager
def observe(memory: ContinuousMemory | BinaryMemory) -> Iterator[Seen]:
    """Collect what a memory returns while the context lasts."""
    seen = Seen()
    hooks = [memory.register_forward_hook(_keep(seen.vectors))]
    if isinstance(memory, BinaryMemory):
        hooks.append(memory.write.register_forward_hook(_keep(seen.numbers)))
    try:
        yield seen
    finally:
        for hook in hooks:
            hook.remove()


def _keep(place: list[Tensor]) -> Callable[[nn.Module, Any, Tensor], None]:
    """Return a hook that keeps what a module returned."""
    return lambda module, inputs, result: place.append(result)
