r"""MLP-LDRU, a log-depth recurrent unit: Pert et al. (2026), arXiv 2605.26035.

Two neighbouring parts of a sequence, with vectors x and y, make one:

$$[g; g'] = \mathrm{MLP}([x; y]) \qquad
z = U (V (g \odot x) + V' (g' \odot y)) \qquad
x \circ y = \mathrm{LayerNorm}(z + \mathrm{FFN}(z))$$

with SiLU in both networks, and V, V' and U maps with biases that begin as the identity. (The paper
itself was not at hand: the operation is that of a summary of it and of later code that extends the
authors'.) The paper reduces a whole word in a balanced tree. Here every prefix has a vector, by the
rule for trees whose operation need not be associative (prefix-scannable models: Yau et al. 2025,
arXiv 2506.10918). A prefix of n symbols is a block for each 1 in the binary n, the largest first;
a block is reduced in a balanced tree, and the blocks from the left, as
$((B_1 \circ B_2) \circ B_3) \ldots$ Where n is a power of two that is the tree of the paper, which
pads other lengths with zeros.

All prefixes together take fewer than 2T operations for T positions: the blocks of all sizes from
small to large, then the prefixes whose length is a multiple of $2^k$, k from large to small. Each
is an earlier prefix and a block. A layer has no heads.

The state grows with the logarithm of the length: a block for each 1 in the binary length, and, to
take one operation where n ones would take n, the prefix up to there. It has room for $2^{32}$
positions.

Axes:
    word      sequences of a batch
    position  positions of a sequence
    level     logarithms of the sizes of blocks
    width     numbers in a vector
"""

from itertools import pairwise

import torch
from torch import Generator, Tensor, nn

from lengthwise.layers.mixers.heads import start_memory
from lengthwise.layers.mixers.mixer import Mixer, Sequences, State, Vectors, mix_by_steps

LEVELS = 32
"""Binary digits of the number of positions that a state can have read."""


class Ldru(Mixer):
    """A tree of one learned operation over each prefix.

    Args:
        width: numbers in the vectors that are read and written.
        num_heads: of no effect: the operation sees all numbers.
    """

    def __init__(self, width: int, *, num_heads: int) -> None:
        super().__init__(width, num_heads=num_heads)
        self.gates = _silu_network(2 * width, 2 * width, 4 * width, 2 * width)
        self.left, self.right, self.joined = (nn.Linear(width, width) for _ in range(3))
        self.refine = _silu_network(width, 4 * width, width)
        self.norm = nn.LayerNorm(width)

    def draw(self, generator: Generator) -> None:
        """Draw the networks as all layers do; the linear maps of values are the identity."""
        super().draw(generator)
        with torch.no_grad():
            for linear in (self.left, self.right, self.joined):
                nn.init.eye_(linear.weight)

    def join(self, left: Tensor, right: Tensor) -> Tensor:
        """Return the vectors of parts that consist of two neighbours."""
        of_left, of_right = self.gates(torch.cat([left, right], dim=-1)).chunk(2, dim=-1)
        joined = self.joined(self.left(of_left * left) + self.right(of_right * right))
        return self.norm(joined + self.refine(joined))

    def start(self, batch_size: int) -> State:
        """Return no block and no prefix, and the binary digits of 0."""
        weight = self.norm.weight
        nothing = start_memory(weight, batch_size, LEVELS, self.width)
        return nothing, nothing, start_memory(weight, batch_size, LEVELS)

    def step(self, inputs: Vectors, state: State) -> tuple[Vectors, State]:
        """Join the new symbol with the blocks as a binary counter carries, and read the prefix."""
        blocks, prefixes, digits = state
        is_one = digits > 0.5
        block, carries = inputs, torch.ones_like(is_one[:, 0])
        for level in range(LEVELS):
            carries = carries & is_one[:, level]
            if not carries.any():
                break
            block = torch.where(carries[:, None], self.join(blocks[:, level], block), block)
        levels = torch.arange(LEVELS, device=inputs.device)
        place = is_one.cumprod(dim=1).sum(dim=1, keepdim=True)
        below, here = levels < place, levels == place
        before = prefixes[torch.arange(len(inputs)), place[:, 0] + 1]
        has_before = (is_one & (levels > place)).any(dim=1, keepdim=True)
        prefix = torch.where(has_before, self.join(before, block), block)
        kept = blocks.masked_fill(below[..., None], 0.0)
        return prefix, (
            torch.where(here[..., None], block[:, None], kept),
            torch.where((below | here)[..., None], prefix[:, None], prefixes),
            digits.masked_fill(below, 0.0).masked_fill(here, 1.0),
        )

    def forward(self, inputs: Sequences, state: State | None = None) -> tuple[Sequences, State]:
        """Return outputs and state, by a tree over all positions."""
        blocks, prefixes, digits = self.start(len(inputs)) if state is None else state
        powers = 2.0 ** torch.arange(LEVELS, dtype=torch.double, device=inputs.device)
        counts = (digits.detach() * powers).sum(dim=1)
        if not (counts == counts[:1]).all():
            return mix_by_steps(self, inputs, (blocks, prefixes, digits))
        first = int(counts[:1].sum())
        last = first + inputs.shape[1]
        trees = self._blocks(inputs, first, blocks)
        ends = self._prefixes(trees, first, last, prefixes)
        after = []
        for level in range(LEVELS):
            end = last >> level
            if end == first >> level:
                after.append((blocks[:, level], prefixes[:, level], digits[:, level]))
                continue
            block = trees[level][:, -1] if end % 2 else torch.zeros_like(inputs[:, 0])
            after.append((block, ends[level][:, -1], torch.full_like(digits[:, 0], end % 2)))
        parts = zip(*after, strict=True)
        return ends[0][:, 1:], tuple(torch.stack(part, dim=1) for part in parts)

    def _blocks(self, inputs: Tensor, first: int, blocks: Tensor) -> list[Tensor]:
        """Return by level the blocks that end here, from left to right."""
        trees = [inputs]
        while trees[-1].shape[1]:
            level, below = len(trees) - 1, trees[-1]
            if (first >> level) % 2:
                below = torch.cat([blocks[:, level, None], below], dim=1)
            pairs = below.shape[1] // 2
            trees.append(self.join(below[:, 0 : 2 * pairs : 2], below[:, 1 : 2 * pairs : 2]))
        return trees

    def _prefixes(
        self, trees: list[Tensor], first: int, last: int, prefixes: Tensor
    ) -> list[Tensor]:
        """Return by level the prefixes that end after a block, the first from the state."""
        level = len(trees) - 1
        ends = [prefixes[:, level, None]]
        while level:
            level -= 1
            begin, longer = first >> level, ends[0]
            odd = begin + 1 + begin % 2
            even = begin + 2 - begin % 2
            rights = trees[level][:, odd - 1 - begin :: 2]
            lefts = longer[:, (odd >> 1) - (begin >> 1) :][:, : rights.shape[1]]
            alone = int(odd == 1)
            found = self.join(lefts[:, alone:], rights[:, alone:])
            both = trees[level].new_empty(trees[level].shape)
            both[:, odd - 1 - begin :: 2] = torch.cat([rights[:, :alone], found], dim=1)
            both[:, even - 1 - begin :: 2] = longer[:, (even >> 1) - (begin >> 1) :]
            ends.insert(0, torch.cat([prefixes[:, level, None], both], dim=1))
        return ends


def _silu_network(*widths: int) -> nn.Sequential:
    layers: list[nn.Module] = []
    for before, after in pairwise(widths):
        layers += [nn.Linear(before, after), nn.SiLU()]
    return nn.Sequential(*layers[:-1])
