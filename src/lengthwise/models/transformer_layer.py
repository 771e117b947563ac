"""One transformer layer: attention over a sequence, then a feed-forward network on each position.

Axes:
    word   sequences of a batch
    query  positions that are computed
    key    positions that they may see
    width  numbers in a vector
"""

from jaxtyping import Float
from torch import Tensor, nn

from lengthwise.layers import activations
from lengthwise.layers.activations import ACTIVATIONS
from lengthwise.layers.attention import Attention, KeyVectors, QueryVectors, Seen
from lengthwise.layers.dropout import Drop, keep_all
from lengthwise.layers.norms import NORMS
from lengthwise.layers.position import QueryKeyPositions
from lengthwise.models.common_settings import Activation, CausalNorm


class ResidualLayer(nn.Module):
    """Some attention and a feed-forward network, each with a residual connection and a norm."""

    activation: activations.Activation

    def __init__(
        self,
        attention: nn.Module,
        *,
        d_model: int,
        d_hidden: int,
        norm: CausalNorm,
        epsilon: float,
        activation: Activation,
    ) -> None:
        super().__init__()
        placement = NORMS[norm]
        self.attention = attention
        self.attention_norm = placement(d_model, epsilon)
        self.expand = nn.Linear(d_model, d_hidden)
        self.contract = nn.Linear(d_hidden, d_model)
        self.feed_forward_norm = placement(d_model, epsilon)
        self.activation = ACTIVATIONS[activation]

    def finish(
        self, x: QueryVectors, gathered: Float[Tensor, "#word #query width"], drop: Drop = keep_all
    ) -> QueryVectors:
        """Return the new vectors of positions, from what attention gathered for them."""
        h = self.attention_norm.after(x + drop(gathered))
        return self.feed_forward(h, drop)

    def feed_forward(self, h: QueryVectors, drop: Drop = keep_all) -> QueryVectors:
        """Apply the second branch alone."""
        hidden = self.activation(self.expand(self.feed_forward_norm.before(h)))
        return self.feed_forward_norm.after(h + drop(self.contract(hidden)))


class TransformerLayer(ResidualLayer):
    """A layer whose positions attend to others as a mask says."""

    attention: Attention

    def __init__(
        self,
        *,
        d_model: int,
        num_heads: int,
        head_width: int,
        d_hidden: int,
        norm: CausalNorm,
        epsilon: float,
        activation: Activation,
        scale: str,
        value_width: int = 0,
        selection: str = "softmax",
    ) -> None:
        super().__init__(
            Attention(d_model, num_heads, head_width, scale, value_width, selection=selection),
            d_model=d_model,
            d_hidden=d_hidden,
            norm=norm,
            epsilon=epsilon,
            activation=activation,
        )

    def forward(
        self,
        queries: QueryVectors,
        keys: KeyVectors,
        seen: Seen,
        positions: QueryKeyPositions | None = None,
    ) -> QueryVectors:
        """Return the new vectors of the positions `queries`, which see those of `keys`.

        `positions` has their positions, if the attention depends on them.
        """
        before = self.attention_norm.before
        attended = self.attention(before(queries), before(keys), seen, positions)
        return self.finish(queries, attended)
