"""The contract of all position encodings.

There are three hooks: vectors added to the embeddings, a transform of queries and keys, and a bias
on the logits, which with them become

    f (turn_query(q) . turn_key(k) / sqrt(size) + bias),    f the factor of the attention scale.

Positions count from 0, and those that attend need not be all: a cache asks for the newest only.

Axes:
    word      words of a batch
    head      attention heads
    position  positions of a word
    query     positions that attend
    key       positions that are attended to
    size      numbers in a query or key of a head
    width     numbers in a vector
"""

from dataclasses import dataclass
from typing import ClassVar

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

Positions = Int[Tensor, "*axes"]
Counts = Int[Tensor, "*#axes"]
Vectors = Float[Tensor, "*axes width"]
Queries = Float[Tensor, "word head query size"]
Keys = Float[Tensor, "word head key size"]
QueryPositions = Int[Tensor, " query"]
"""Positions that follow one another without a gap, at least one."""
KeyPositions = Int[Tensor, " key"]
"""The same, of keys."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PositionShape:
    """The transformer that a position is made for."""

    width: int
    max_positions: int
    """Most positions of a word, for positions that are learned or drawn from a range."""
    num_layers: int = 1
    num_heads: int = 1
    head_width: int = 1
    causal: bool = False
    """Tell whether positions see only those up to themselves, as in a decoder."""


class Position(nn.Module):
    """Base of all positions; here every hook does nothing.

    What the rest of the package asks of a position is declared here (`acts_in_attention`,
    `is_table`, `drawn_in_training`, `bias_is_product`), so that a new one is a class and a line of
    `POSITIONS`.
    """

    acts_in_attention: ClassVar[bool] = False
    """Tell whether queries, keys or logits depend on the positions, so that what a query gathers
    depends on its position, even if all queries are alike."""

    is_table: ClassVar[bool] = False
    """Tell whether each position has a trained vector of its own: longer words are refused, and
    vectors past the words of training stay as they were drawn."""

    drawn_in_training: ClassVar[bool] = False
    """Tell whether positions are drawn from a range in training, by the generator of the call."""

    bias_is_product: ClassVar[bool] = False
    """Tell whether the bias is a product of queries and keys, as the other part of the logits is:
    then it has no limit, either."""

    @classmethod
    def uses_max_length(cls) -> bool:
        """Say whether the greatest length is a choice: the size of a table, or of a range."""
        return cls.is_table or cls.drawn_in_training

    like: Tensor

    def __init__(self, shape: PositionShape) -> None:
        super().__init__()
        self.register_buffer("like", torch.zeros(shape.width), persistent=False)

    def forward(
        self, positions: Positions, count: Counts, generator: torch.Generator | None = None
    ) -> Vectors:
        """Return the vectors to add to the embeddings; `count` is the number of positions.

        `generator` is for positions that are drawn in training.
        """
        return self.like.expand(*positions.shape, len(self.like))

    def turn_query(self, layer: int, query: Queries, positions: QueryPositions) -> Queries:
        """Return the queries that are multiplied with the keys."""
        return query

    def turn_key(self, layer: int, key: Keys, positions: KeyPositions) -> Keys:
        """Return the keys that are multiplied with the queries, and kept by a cache."""
        return key

    def bias(
        self,
        layer: int,
        query: Queries,
        query_positions: QueryPositions,
        key_positions: KeyPositions,
    ) -> Float[Tensor, "#word head query key"] | None:
        """Return the bias on the logits, from queries that are not turned; None for none."""
        return None

    def draw(self, generator: torch.Generator) -> None:
        """Draw all weights: N(0, 1/width) unless a position says otherwise."""
        with torch.no_grad():
            for parameter in self.parameters():
                parameter.normal_(0.0, len(self.like) ** -0.5, generator=generator)

    def in_layer(
        self, layer: int, query_positions: QueryPositions, key_positions: KeyPositions
    ) -> "QueryKeyPositions | None":
        """Return the positions that the attention of a layer needs; None if it needs none."""
        if not self.acts_in_attention:
            return None
        return QueryKeyPositions(
            position=self, layer=layer, query=query_positions, key=key_positions
        )

    @property
    def precise(self) -> torch.dtype:
        """The precision of the module, but at least float32: what biases are computed in."""
        return torch.promote_types(self.like.dtype, torch.float32)


@dataclass(frozen=True, kw_only=True, slots=True)
class QueryKeyPositions:
    """Positions of the queries and keys of one layer, and what follows from them."""

    position: Position
    layer: int
    query: QueryPositions
    key: KeyPositions

    def turn_query(self, query: Queries) -> Queries:
        """Return the queries that are multiplied with the keys."""
        return self.position.turn_query(self.layer, query, self.query)

    def turn_key(self, key: Keys) -> Keys:
        """Return the keys that are multiplied with the queries."""
        return self.position.turn_key(self.layer, key, self.key)

    def bias(self, query: Queries) -> Float[Tensor, "#word head query key"] | None:
        """Return the bias on the logits."""
        return self.position.bias(self.layer, query, self.query, self.key)
