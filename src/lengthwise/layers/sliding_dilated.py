"""Sliding-dilated attention inside one chunk.

A position attends to the C positions at distances 0, C^l, ..., (C-1) C^l before it (Chi et al.
2023, equation 1). For the answer at the end of a word only whole chunks matter, so the mechanism is
attention inside chunks of C vectors; level and length never enter it.

Axes:
    node   chunks; each becomes a node
    chunk  the C positions of a chunk, in the order of the word
    query  the positions that attend: all of the chunk, or only the last
    head   attention heads
    width  numbers in a vector
"""

import math
from abc import ABC, abstractmethod

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

Chunks = Float[Tensor, "node chunk width"]
Present = Bool[Tensor, "node chunk"]
"""True at the positions of a chunk that hold a vector."""
Rows = Int[Tensor, "node chunk"]
"""Number of the vector at each position of a chunk."""
Logits = Float[Tensor, "*axes"]
Hidden = Bool[Tensor, "*#axes"]


class InsideChunks(nn.Module, ABC):
    r"""Base of causal multi-head attention inside a chunk, with a bias per head and offset.

    The logit of position n at position m is $q_m \cdot k_n / \sqrt{D} + r_{h,\,m-n}$. `bias[head,
    offset]` is the paper's $r$ (equation 1; the offset is its $(m-n)/C^l$). No projection has a
    bias, as in the authors' code.
    """

    def __init__(self, width: int, num_heads: int, chunk_size: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.query = nn.Linear(width, width, bias=False)
        self.key_value = nn.Linear(width, 2 * width, bias=False)
        self.output = nn.Linear(width, width, bias=False)
        self.bias = nn.Parameter(torch.zeros(num_heads, chunk_size))

    def forward(self, x: Chunks, present: Present | None = None) -> Float[Tensor, "node width"]:
        """Return what the last position of each chunk gathers from those that are `present`."""
        return self._gather_values(self._project_queries(x[:, -1]), self.key_value(x), present)

    def of_rows(
        self, vectors: Float[Tensor, "row width"], rows: Rows, present: Present | None = None
    ) -> Float[Tensor, "node width"]:
        """Return what `forward` does of `vectors[rows]`.

        A vector that occurs in many chunks is projected once. Gradients of rows are added up in
        the order of the chunks.
        """
        last = rows[:, -1]
        if len(vectors) < len(rows):
            queries = self._project_queries(vectors).index_select(0, last)
        else:
            queries = self._project_queries(vectors.index_select(0, last))
        key_value = self.key_value(vectors).index_select(0, rows.flatten())
        return self._gather_values(
            queries, key_value.view(*rows.shape, 2 * vectors.shape[1]), present
        )

    def _project_queries(self, x: Float[Tensor, "*axes width"]) -> Float[Tensor, "*axes width"]:
        """Return the queries, divided by the square root of their size."""
        return self.query(x / math.sqrt(x.shape[-1] // self.num_heads))

    def _gather_values(
        self,
        query: Float[Tensor, "node width"],
        key_value: Float[Tensor, "node chunk two_widths"],
        present: Present | None,
    ) -> Float[Tensor, "node width"]:
        num_nodes, width = query.shape
        heads = (self.num_heads, width // self.num_heads)
        query = query.view(num_nodes, 1, *heads)
        key, value = key_value.view(num_nodes, key_value.shape[1], 2, *heads).unbind(dim=2)
        logits = (query * key).sum(dim=-1) + self.bias.flip(1).T
        hidden = None if present is None else ~present[:, :, None]
        weight = self.weights(logits, hidden, dim=1)
        return self.output((weight[..., None] * value).sum(dim=1).view(num_nodes, width))

    def everywhere(self, x: Chunks, present: Present | None = None) -> Chunks:
        """Return the same for every position of the chunk; absent ones get meaningless numbers."""
        num_nodes, chunk, width = x.shape
        heads = (self.num_heads, width // self.num_heads)
        query = self.query(x / math.sqrt(heads[1])).view(num_nodes, chunk, *heads)
        key, value = self.key_value(x).view(num_nodes, chunk, 2, *heads).unbind(dim=2)
        offset = torch.arange(chunk, device=x.device)[:, None] - torch.arange(
            chunk, device=x.device
        )
        bias = self.bias[:, offset.clamp(min=0)]
        hidden = (offset < 0)[None, None]
        if present is not None:
            itself = torch.eye(chunk, dtype=torch.bool, device=x.device)
            hidden = hidden | (~present[:, None, None, :] & ~itself)
        logits = torch.einsum("nqhd,nkhd->nhqk", query, key) + bias
        weight = self.weights(logits, hidden, dim=-1)
        return self.output(torch.einsum("nhqk,nkhd->nqhd", weight, value).reshape(x.shape))

    @abstractmethod
    def weights(self, logits: Logits, hidden: Hidden | None, dim: int) -> Logits:
        """Return the weights of the positions along an axis; those that are hidden have 0."""


class ChunkAttention(InsideChunks):
    r"""Softmax attention inside a chunk.

    $$a_{h}(m, n) = \mathrm{softmax}_{n \le m}\left(q_m \cdot k_n / \sqrt{D} + r_{h,\,m-n}\right)$$
    """

    def weights(self, logits: Logits, hidden: Hidden | None, dim: int) -> Logits:
        """Return the softmax of the logits that are not hidden."""
        if hidden is not None:
            logits = logits.masked_fill(hidden, -math.inf)
        return logits.softmax(dim=dim)


class RectifiedChunkAttention(InsideChunks):
    r"""ReLU attention inside a chunk of C positions, present or not.

    $$a_{h}(m, n) = \max\left(q_m \cdot k_n / \sqrt{D} + r_{h,\,m-n}, 0\right) / C$$

    Wortsman et al. (2023) put ReLU in place of softmax, and divide by the length of the sequence.
    """

    def weights(self, logits: Logits, hidden: Hidden | None, dim: int) -> Logits:
        """Return the positive parts of the logits that are not hidden, divided by C."""
        if hidden is not None:
            logits = logits.masked_fill(hidden, 0.0)
        return logits.relu() / self.bias.shape[1]


def make_dilated_mask(
    bias: Float[Tensor, "head offset"], length: int, stride: int
) -> Float[Tensor, "head query key"]:
    """Return the matrix M of equation (1), for all pairs of positions; `stride` is its C^l."""
    position = torch.arange(length, device=bias.device)
    distance = position[:, None] - position[None, :]
    offset = distance // stride
    seen = (distance >= 0) & (distance % stride == 0) & (offset < bias.shape[1])
    values = bias[:, offset.clamp(0, bias.shape[1] - 1)]
    return values.masked_fill(~seen, -math.inf)
