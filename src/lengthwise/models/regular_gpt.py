"""RegularGPT: one block, applied to chunks, then to chunks of the results, until one is left.

The answer at the end of a word needs only the whole chunks counted from the right, so the model is
evaluated as a tree (O(T) work), and equal sub-words of a batch are computed once.
"""

from collections.abc import Sequence
from typing import Any, ClassVar, Protocol, runtime_checkable

import torch
from jaxtyping import Bool, Float, Int
from torch import Generator, Tensor, nn

from lengthwise.device_copies import send
from lengthwise.layers.activations import ACTIVATIONS, Activation
from lengthwise.layers.chunks import (
    ABSENT,
    ChunkLevel,
    Tree,
    depth,
    grow,
    grow_prefixes,
    representatives,
)
from lengthwise.layers.dropout import dropout
from lengthwise.layers.memory import MEMORIES, BinaryMemory, ContinuousMemory
from lengthwise.layers.norms import NORMS
from lengthwise.layers.right_aligned import ClassLogits, FullWords, Lengths
from lengthwise.layers.sliding_dilated import ChunkAttention, InsideChunks
from lengthwise.models.common_settings import Activation as ActivationName
from lengthwise.models.common_settings import Norm
from lengthwise.models.regular_gpt_config import (
    RegularGPTConfig as RegularGPTConfig,  # noqa: PLC0414  re-exported
)
from lengthwise.models.tree_initial import draw_tree

Below = Float[Tensor, "below width"]
"""Vectors of the level below."""
Children = Int[Tensor, "node chunk"]
"""For each node its children: rows of `Below`, or `ABSENT`."""
Chunks = Float[Tensor, "node chunk width"]
Present = Bool[Tensor, "node chunk"]

_MOST_HIDDEN = 2**26
"""Hidden units of nodes that are computed together; compiled networks have many for each node."""


_FEW = 2_000
"""Vectors among which equal ones are always looked for."""


@runtime_checkable
class LayerShape(Protocol):
    """Settings of a layer."""

    @property
    def chunk_size(self) -> int: ...  # noqa: D102  as those of RegularGPTConfig
    @property
    def d_model(self) -> int: ...  # noqa: D102
    @property
    def num_heads(self) -> int: ...  # noqa: D102
    @property
    def ff_factor(self) -> int: ...  # noqa: D102
    @property
    def norm(self) -> Norm: ...  # noqa: D102
    @property
    def activation(self) -> ActivationName: ...  # noqa: D102
    @property
    def dropout(self) -> float: ...  # noqa: D102


class Layer(nn.Module):
    """Attention inside a chunk, then a feed-forward network on each position."""

    activation: Activation

    def __init__(
        self, config: LayerShape, attention_kind: type[InsideChunks] = ChunkAttention
    ) -> None:
        super().__init__()
        width, hidden = config.d_model, config.ff_factor * config.d_model
        norm = NORMS[config.norm]
        self.attention = attention_kind(width, config.num_heads, config.chunk_size)
        self.attention_norm = norm(width)
        self.expand = nn.Linear(width, hidden)
        self.contract = nn.Linear(hidden, width)
        self.feed_forward_norm = norm(width)
        self.activation = ACTIVATIONS[config.activation]
        self.dropout = config.dropout

    def forward(
        self, x: Chunks, present: Present | None, generator: Generator | None
    ) -> Float[Tensor, "node width"]:
        """Return the vectors at the last positions of the chunks."""
        attended = self.attention(self.attention_norm.before(x), present)
        return self._finish(x[:, -1], attended, generator)

    def of_rows(
        self, vectors: Below, rows: Children, present: Present | None, generator: Generator | None
    ) -> Float[Tensor, "node width"]:
        """Return what `forward` does of `vectors[rows]`; each vector is projected once."""
        attended = self.attention.of_rows(self.attention_norm.before(vectors), rows, present)
        return self._finish(vectors.index_select(0, rows[:, -1]), attended, generator)

    def everywhere(self, x: Chunks, present: Present | None, generator: Generator | None) -> Chunks:
        """Return the vectors at all positions of the chunks."""
        attended = self.attention.everywhere(self.attention_norm.before(x), present)
        return self._finish(x, attended, generator)

    def _finish(self, x: Tensor, attended: Tensor, generator: Generator | None) -> Tensor:
        h = self.attention_norm.after(x + self._drop(attended, generator))
        hidden = self.activation(self.expand(self.feed_forward_norm.before(h)))
        return self.feed_forward_norm.after(h + self._drop(self.contract(hidden), generator))

    def _drop(self, x: Tensor, generator: Generator | None) -> Tensor:
        if not self.training or self.dropout == 0:
            return x
        return dropout(self.dropout, generator)(x)


class RegularGPT(nn.Module):
    """The network of Chi et al. (2023), for the answer at the end of a word.

    With K = `num_layers` layers in a block, the paper's thickness, the first K - 1 run at every
    position of a chunk and see that chunk only, so that a node is a function of its children
    whatever K is. Those of equation (1) see the C positions up to each, also those of the chunk
    before.
    """

    attention_kind: ClassVar[type[InsideChunks]] = ChunkAttention
    reads_on_processor: ClassVar[bool] = True
    """True: words are best left on the processor, where trees are built of them."""

    def __init__(self, config: RegularGPTConfig) -> None:
        super().__init__()
        self.config = config
        width = config.d_model
        self.embedding = nn.Embedding(config.vocab_size, width)
        self.pad = nn.Parameter(torch.empty(width))
        self.layers = nn.ModuleList(
            Layer(config, self.attention_kind) for _ in range(config.num_layers)
        )
        self.memory = self.make_memory(config)
        self.final_norm = NORMS[config.norm].final(width)
        self.answer = nn.Linear(width, config.num_classes)
        size = config.transition_size
        self.transition: nn.Linear | None = nn.Linear(width, size) if size else None

    @staticmethod
    def make_memory(config: Any) -> ContinuousMemory | BinaryMemory:
        """Build the memory of a node."""
        return MEMORIES[config.memory](config.d_model, config.num_bits, config.noise)

    def initialise(self, generator: Generator) -> None:
        """Draw all weights, as `initial` says."""
        draw_tree(self, self.config.initial, self.config.scale, generator)

    @property
    def block(self) -> list[Layer]:
        """The K layers of the block, in order."""
        return [layer for layer in self.layers if isinstance(layer, Layer)]

    # ---- the functions that everything else is made of -----------------------------------------

    def leaf(self, symbols: Int[Tensor, "*axes"]) -> Float[Tensor, "*axes width"]:
        """Return the vectors of single symbols: embeddings times their scale."""
        return self.embedding(symbols) * self.config.scale

    def compose(
        self, below: Below, children: Children, generator: Generator | None = None
    ) -> Float[Tensor, "node width"]:
        """Return the vectors of nodes, from those of the level below and the children of each.

        Without gradients many nodes are computed in parts, so that memory stays bounded.
        """
        size = max(1, _MOST_HIDDEN // (self.config.ff_factor * self.config.d_model))
        if len(children) <= size or torch.is_grad_enabled():
            return self.memory(self.gather(below, children, generator), generator)
        parts = [self.gather(below, part, generator) for part in torch.split(children, size)]
        return self.memory(torch.cat(parts), generator)

    def gather(
        self, below: Below, children: Children, generator: Generator | None = None
    ) -> Float[Tensor, "node width"]:
        """Return the block's output for chunks: that of its last feed-forward network, normalised
        as the block does, before the memory keeps what it keeps of it."""
        vectors, rows = torch.cat([(self.pad * self.config.scale)[None], below]), children + 1
        present = None
        if self.config.pad == "absent":
            present = children != ABSENT
            present[:, -1] = True  # the empty word is one lone pad
        *inner, last = self.block
        # In training alone: a model that is asked or proved goes the same way for any other nodes.
        if self.training and not inner and len(vectors) <= rows.numel() + 1:
            return last.of_rows(vectors, rows, present, generator)
        x = vectors.index_select(0, rows.flatten()).view(*rows.shape, vectors.shape[1])
        for layer in inner:
            x = layer.everywhere(x, present, generator)
        return last(x, present, generator)

    def read(self, vectors: Float[Tensor, "*axes width"]) -> Float[Tensor, "*axes class"]:
        """Return the logits of the classes of the sub-words that the nodes cover."""
        return self.answer(self.final_norm(vectors))

    def read_transition(self, vectors: Float[Tensor, "node width"]) -> Float[Tensor, "node out"]:
        """Return the logits of the second read-out, which only supervision uses."""
        assert self.transition is not None, "transition_size is 0"
        return self.transition(self.final_norm(vectors))

    # ---- words -----------------------------------------------------------------------------------

    def forward(
        self,
        tokens: FullWords,
        lengths: Lengths | None = None,
        *,
        share: bool = True,
        generator: Generator | None = None,
    ) -> ClassLogits:
        """Return the logits of the class of each right-aligned word.

        The tree is built where the words are, which may be another device than the network's, so
        that an accelerator need not be waited for. `share=False` computes every node apart, for
        comparison.

        Raises:
            WordError: a word has a symbol that is none, or does not fit into its row.
        """
        vectors: list[Tensor] = []
        device = self.pad.device
        below = self.leaf(torch.arange(self.config.vocab_size, device=device))

        def visit(level: ChunkLevel) -> Tensor | None:
            nonlocal below
            vectors.append(self.compose(below, send(level.children, device), generator))
            below = vectors[-1]
            if not (share and self._finite):
                return None
            number, first = _distinct_rows(below)
            below = below[first]
            return send(number, tokens.device)

        tree = grow(
            tokens,
            lengths,
            self.config.vocab_size,
            self.config.chunk_size,
            share=share,
            merge=visit,
        )
        return self.read(roots(tree.to(device), vectors))

    def read_for_cost(self, tokens: FullWords) -> ClassLogits:
        """Compute every node apart, so that all are counted."""
        return self(tokens, share=False)

    def steps(self, length: int) -> int:
        """Return the number of levels in sequence: max(1, ceil(log_C T)) for T symbols."""
        return depth(length, self.config.chunk_size)

    @property
    def _finite(self) -> bool:
        """Tell whether nodes with equal vectors are common, so that finding them pays."""
        return isinstance(self.memory, BinaryMemory) and not self.training

    def nodes(
        self, tree: Tree, generator: Generator | None = None
    ) -> list[Float[Tensor, "_ width"]]:
        """Return the vectors of all nodes of a tree, level by level."""
        below = self.leaf(torch.arange(self.config.vocab_size, device=self.pad.device))
        vectors = []
        for level in tree.levels:
            below = self.compose(below, level.children, generator)
            vectors.append(below)
        return vectors

    def every_position(
        self, tokens: FullWords, generator: Generator | None = None
    ) -> Float[Tensor, "word position class"]:
        """Return the logits of every prefix: `every_position(x)[:, t]` is `forward(x[:, : t + 1])`.

        Each level runs at all positions on windows of stride C^l, which costs O(T C log T) rather
        than the O(T^2) of equation (1) with masks; `models.masked_regular_gpt` has that form.
        Outside training equal nodes are computed once.
        """
        if not self.training and tokens.numel():
            return self._every_prefix(tokens)
        num_words, length = tokens.shape
        chunk, width = self.config.chunk_size, self.config.d_model
        position = torch.arange(length, device=tokens.device)
        offset = torch.arange(chunk - 1, -1, -1, device=tokens.device)
        below = self.leaf(tokens.reshape(-1))
        result = below.new_zeros(num_words, length, width)
        stride = 1
        for _ in range(depth(length, chunk)):
            window = position[:, None] - offset * stride
            row = torch.arange(num_words, device=tokens.device)[:, None, None] * length
            children = torch.where(window >= 0, window + row, ABSENT).reshape(-1, chunk)
            below = self.compose(below, children, generator)
            done = position >= (stride if stride > 1 else 0)
            result = torch.where(done[None, :, None], below.view(result.shape), result)
            stride *= chunk
        return self.read(result.reshape(-1, width)).view(num_words, length, -1)

    def _every_prefix(self, tokens: FullWords) -> Float[Tensor, "word position class"]:
        """Return the logits of every prefix; equal nodes, and nodes with equal vectors, are one."""
        below = self.leaf(torch.arange(self.config.vocab_size, device=self.pad.device))
        finds_equal = True

        def merge(children: Children) -> Tensor | None:
            nonlocal below, finds_equal
            below = self.compose(below, children)
            if not finds_equal:
                return None
            number, first = _distinct_rows(below)
            finds_equal = self._finite or len(first) < max(len(below), _FEW)
            below = below[first]
            return number

        result: Tensor | None = None
        levels = grow_prefixes(tokens, self.config.vocab_size, self.config.chunk_size, merge)
        for nodes, ends in levels:
            logits = self.read(below)
            if result is None:
                result = logits[nodes]
            result[:, ends] = logits[nodes[:, ends]]
        assert result is not None
        return result


def roots(tree: Tree, vectors: Sequence[Float[Tensor, "_ width"]]) -> Float[Tensor, "word width"]:
    """Return the vector of the root of each word."""
    sizes = torch.tensor([0, *(len(level) for level in vectors[:-1])])
    first = send(sizes.cumsum(0), tree.root.device)
    return torch.cat(list(vectors))[first[tree.root_level] + tree.root]


def _distinct_rows(
    vectors: Float[Tensor, "node width"],
) -> tuple[Int[Tensor, " node"], Int[Tensor, " distinct"]]:
    """Return a number for each row, the same for equal rows, and a row of each number."""
    distinct, number = torch.unique(vectors, dim=0, return_inverse=True)
    return number, representatives(number, len(distinct))
