r"""Matrices that write_to_memory sums of key-value pairs, read in chunks of positions.

With keys $k_t$, values $v_t$, queries $q_t$ and a decay $a_t > 0$ of each head,

$$S_t = a_t S_{t-1} + k_t v_t^\top \qquad o_t = S_t^\top q_t .$$

Within a chunk of positions all is products of matrices; only the state goes from chunk to chunk.

Axes:
    word      sequences of a batch
    head      heads of a layer
    position  positions of a sequence
    write     writes of a sequence: one, or equally many, at each position
    key       numbers in a key or query
    value     numbers in a value
"""

from collections.abc import Iterator
from itertools import repeat
from typing import TypeAlias

import torch
from jaxtyping import Float
from torch import Tensor

Keys = Float[Tensor, "word head position key"]
Values = Float[Tensor, "word head position value"]
PerHead = Float[Tensor, "word head position"]
Memory = Float[Tensor, "word head key value"]

CHUNK = 32
"""Positions of a chunk."""


def read_decaying(
    queries: Keys, keys: Keys, values: Values, log_decay: PerHead | None, memory: Memory
) -> tuple[Values, Memory]:
    """Return the outputs at all positions, and the memory after the last one.

    Args:
        queries: what is asked at each position.
        keys: where each position writes.
        values: what it writes.
        log_decay: logarithm of the factor of the memory at each position, finite; None for 0.
        memory: the memory before the first position.
    """
    outputs = []
    totals = sums_of(log_decay, CHUNK)
    for query, key, value in split_positions(CHUNK, queries, keys, values):
        total = next(totals)
        weights = decayed(query @ key.transpose(-1, -2), total, total)
        outputs.append(weights @ value + decayed_since_start(query, total) @ memory)
        memory = write_to_memory(key, value, total, memory)
    return torch.cat(outputs, dim=2), memory


Total: TypeAlias = PerHead | None
"""Sum of the logarithms of decays of a chunk up to each position; None where nothing decays."""


def sums_of(log_decay: PerHead | None, size: int) -> Iterator[Total]:
    """Yield the sums of logarithms within each chunk of `size` positions."""
    if log_decay is None:
        return repeat(None)
    return (log.cumsum(dim=2) for log in torch.split(log_decay, size, dim=2))


def split_positions(size: int, *parts: Tensor) -> Iterator[tuple[Tensor, ...]]:
    """Yield chunks of `size` positions of tensors `[word, head, position, ...]`."""
    return zip(*(torch.split(part, size, dim=2) for part in parts), strict=True)


def decayed(
    products: Float[Tensor, "word head position write"],
    total: Total,
    written: Float[Tensor, "word head write"] | None,
) -> Float[Tensor, "word head position write"]:
    """Return products of queries and keys times the decay between them; 0 for later writes.

    Args:
        products: of each position of a chunk with each write; each position has as many writes.
        total: sums up to each position.
        written: sums up to each write.
    """
    num_positions, num_writes = products.shape[2:]
    writes = torch.arange(num_writes, device=products.device)
    positions = torch.arange(num_positions, device=products.device)
    follows = writes // (num_writes // num_positions) > positions[:, None]
    if total is None or written is None:
        return products.masked_fill(follows, 0.0)
    logarithms = total[..., :, None] - written[..., None, :]
    return products * logarithms.masked_fill(follows, -torch.inf).exp()


def decayed_since_start(vectors: Keys, total: Total) -> Keys:
    """Return queries or keys times the decay since the start of their chunk."""
    return vectors if total is None else vectors * total.exp()[..., None]


def write_to_memory(keys: Keys, values: Values, total: Total, memory: Memory) -> Memory:
    """Return the memory after a chunk, whose positions or writes add keys and values."""
    if total is not None:
        end = total[..., -1:]
        keys = keys * (end - total).exp()[..., None]
        memory = memory * end.exp()[..., None]
    return memory + keys.transpose(-1, -2) @ values
