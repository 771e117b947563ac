"""Trees of a batch of words: chunks level by level, with equal sub-words counted once.

Integers only. At each level the nodes of a word are cut, from the right, into chunks of C; a chunk
becomes one node of the next level, until one node is left. What a node holds depends on its
sub-word alone, so equal sub-words of a batch share one node.

Axes:
    word      words of the batch
    position  positions of a level, right-aligned: the last one ends the word
    node      distinct nodes of a level
    chunk     the C children of a node, in the order of the word
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Int
from torch import Tensor
from torch.nn import functional as F

from lengthwise.device_copies import send
from lengthwise.layers.right_aligned import FullWords, Lengths, only_words

ABSENT = -1
"""Stands for a child before the start of the word, and for unused positions of short words."""

_MAX_KEY = 2**62


def depth(length: int, chunk_size: int) -> int:
    """Number of levels of a word: max(1, ceil(log_C length)), counted in integers."""
    levels = 1
    reach = chunk_size
    while reach < length:
        reach *= chunk_size
        levels += 1
    return levels


@dataclass(frozen=True, kw_only=True, slots=True)
class ChunkLevel:
    """One level of a batch: which children each distinct node has, and where the nodes are."""

    children: Int[Tensor, "node chunk"]
    """Nodes of the level below (symbols, for the first level), or `ABSENT`."""
    positions: Int[Tensor, "word position"]
    """The node at each position, or `ABSENT`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Tree:
    """All levels of a batch of words, and the level and node at which each word ends."""

    levels: tuple[ChunkLevel, ...]
    root_level: Int[Tensor, " word"]
    """Index in `levels`."""
    root: Int[Tensor, " word"]
    """Node of that level."""

    @property
    def num_nodes(self) -> int:
        """Number of distinct nodes over all levels: what a network has to compute."""
        return sum(len(level.children) for level in self.levels)

    def to(self, device: torch.device) -> "Tree":
        """Return the tree for a network on a device; the positions of nodes stay on theirs."""
        levels = (
            ChunkLevel(children=send(level.children, device), positions=level.positions)
            for level in self.levels
        )
        return Tree(
            levels=tuple(levels),
            root_level=send(self.root_level, device),
            root=send(self.root, device),
        )


Merge = Callable[[ChunkLevel], Int[Tensor, " node"] | None]
"""Called with each level as it is built; may give nodes that are alike a common number."""


def grow(
    tokens: FullWords,
    lengths: Lengths | None,
    num_symbols: int,
    chunk_size: int,
    *,
    share: bool = True,
    merge: Merge | None = None,
) -> Tree:
    """Build the tree of a right-aligned batch; without `lengths` all words fill their rows.

    Entries left of a word do not matter. With `share=False` every chunk is a node of its own.
    The empty word is one node whose children are all absent.

    Raises:
        WordError: a word has a symbol outside 0..num_symbols-1, or does not fit into its row.
    """
    tokens = only_words(tokens, lengths, num_symbols, elsewhere=ABSENT)
    if lengths is not None and len(lengths):  # positions that no word fills would make empty levels
        tokens = tokens[:, tokens.shape[1] - int(lengths.max()) :]
    num_words, num_positions = tokens.shape
    ends = _root_levels(tokens, lengths, chunk_size)
    exists = None
    if num_positions == 0:
        tokens = tokens.new_full((num_words, 1), ABSENT)
    positions, num_below = tokens, num_symbols
    if lengths is not None or num_positions == 0:
        exists = _reach(positions, chunk_size)
        exists[:, -1] = True
    levels = []
    roots = []
    for index in range(depth(num_positions, chunk_size)):
        level = _cut(positions, num_below, chunk_size, exists, share)
        levels.append(level)
        roots.append(level.positions[:, -1])
        positions, num_below = level.positions, len(level.children)
        number = None if merge is None else merge(level)
        if number is not None:
            positions = torch.where(positions >= 0, number[positions], ABSENT)
            num_below = int(number.max()) + 1
        if lengths is not None:
            positions = torch.where((ends > index)[:, None], positions, ABSENT)
            exists = _reach(positions, chunk_size)
    root = torch.stack(roots)[ends, torch.arange(num_words, device=tokens.device)]
    return Tree(levels=tuple(levels), root_level=ends, root=root)


def grow_prefixes(
    tokens: FullWords,
    num_symbols: int,
    chunk_size: int,
    merge: Callable[[Int[Tensor, "node chunk"]], Int[Tensor, " node"] | None],
) -> Iterator[tuple[Int[Tensor, "word position"], Bool[Tensor, " position"]]]:
    """Yield the nodes of each level of the trees of all prefixes, and the prefixes it ends.

    The node at a position covers the last C^l symbols up to it. `merge` is called with the children
    of the distinct nodes of a level, and may give nodes that are alike a common number.
    """
    num_words, length = tokens.shape
    position = torch.arange(length, device=tokens.device)
    offset = torch.arange(chunk_size - 1, -1, -1, device=tokens.device)
    row = torch.arange(num_words, device=tokens.device)[:, None, None] * length
    nodes, num_below, stride = tokens.reshape(-1), num_symbols, 1
    for _ in range(depth(length, chunk_size)):
        window = position[:, None] - offset * stride
        below = nodes[(window.clamp(min=0) + row).reshape(-1, chunk_size)]
        children = torch.where((window >= 0).repeat(num_words, 1), below, ABSENT)
        nodes, num_nodes = _number(children, num_below)
        number = merge(children[representatives(nodes, num_nodes)])
        nodes = nodes if number is None else number[nodes]
        num_below = num_nodes if number is None else int(number.max()) + 1
        yield nodes.view(num_words, length), position >= (stride if stride > 1 else 0)
        stride *= chunk_size


def _root_levels(tokens: FullWords, lengths: Lengths | None, chunk_size: int) -> Lengths:
    """Return the level (from 0) at which each word is down to one node."""
    num_words, num_positions = tokens.shape
    if lengths is None:
        return tokens.new_full((num_words,), depth(num_positions, chunk_size) - 1)
    ends = torch.zeros_like(lengths)
    reach = chunk_size
    while reach < num_positions:
        ends += lengths > reach
        reach *= chunk_size
    return ends


def _chunks(positions: FullWords, chunk_size: int) -> Int[Tensor, "word part chunk"]:
    missing = -positions.shape[1] % chunk_size
    if missing:
        positions = F.pad(positions, (missing, 0), value=ABSENT)
    return positions.reshape(len(positions), positions.shape[1] // chunk_size, chunk_size)


def _reach(positions: FullWords, chunk_size: int) -> Bool[Tensor, "word part"]:
    """Return which chunks have a child; the last child of a chunk is there if any is."""
    return _chunks(positions, chunk_size)[:, :, -1] >= 0


def _cut(
    positions: FullWords,
    num_below: int,
    chunk_size: int,
    exists: Bool[Tensor, "word part"] | None,
    share: bool,
) -> ChunkLevel:
    """Build one level up from `positions`, whose entries are in 0..num_below-1 or `ABSENT`."""
    chunks = _chunks(positions, chunk_size)
    flat = chunks.reshape(-1, chunk_size) if exists is None else chunks[exists]
    if share:
        node, num_nodes = _number(flat, num_below)
        children = flat[representatives(node, num_nodes)]
    else:
        node, children = torch.arange(len(flat), device=flat.device), flat
    if exists is None:
        return ChunkLevel(children=children, positions=node.view(chunks.shape[:2]))
    positions = positions.new_full(chunks.shape[:2], ABSENT)
    positions[exists] = node
    return ChunkLevel(children=children, positions=positions)


def representatives(number: Int[Tensor, " row"], count: int) -> Int[Tensor, " number"]:
    """Return a row for each of the numbers 0..count-1 that the rows have."""
    rows = number.new_empty(count)
    rows[number] = torch.arange(len(number), device=number.device)
    return rows


def _number(rows: Int[Tensor, "row chunk"], num_below: int) -> tuple[Int[Tensor, " row"], int]:
    """Return a number 0..n-1 for each row, the same for equal rows, and n."""
    base = num_below + 1
    key, bound = rows[:, 0] + 1, base
    for column in rows.unbind(dim=1)[1:]:
        if bound * base > _MAX_KEY:
            key, bound = _compress(key, bound)
        key, bound = key * base + (column + 1), bound * base
    return _compress(key, bound)


def _compress(key: Int[Tensor, " row"], bound: int) -> tuple[Int[Tensor, " row"], int]:
    """Number the distinct keys, all below `bound`, in increasing order."""
    if bound <= 4 * len(key) + 1024:  # a table is cheaper than sorting
        seen = torch.zeros(bound, dtype=torch.bool, device=key.device)
        seen[key] = True
        rank = seen.cumsum(0)
        return rank[key] - 1, int(rank[-1])
    distinct, number = torch.unique(key, return_inverse=True)
    return number, len(distinct)
