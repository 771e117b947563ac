r"""Matrices that remember sums of key-value pairs, read in chunks of positions.

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
    queries: Keys, keys: Keys, values: Values, log_decay: PerHead, memory: Memory
) -> tuple[Values, Memory]:
    """Return the outputs at all positions, and the memory after the last one.

    Args:
        queries: what is asked at each position.
        keys: where each position writes.
        values: what it writes.
        log_decay: logarithm of the factor of the memory at each position, finite.
        memory: the memory before the first position.
    """
    outputs = []
    parts = (part.split(CHUNK, dim=2) for part in (queries, keys, values, log_decay))
    for query, key, value, log in zip(*parts, strict=True):
        total = log.cumsum(dim=2)
        weights = query @ key.transpose(-1, -2) * decay_between(total, total)
        outputs.append(weights @ value + read_before(query, total, memory))
        memory = remember(key, value, total, memory)
    return torch.cat(outputs, dim=2), memory


def decay_between(
    total: PerHead, written: Float[Tensor, "word head write"]
) -> Float[Tensor, "word head position write"]:
    """Return the decay from each write of a chunk to each position; 0 for writes that follow it.

    Args:
        total: sum of logarithms up to each position.
        written: the same up to each write.
    """
    writes = torch.arange(written.shape[2], device=total.device)
    positions = torch.arange(total.shape[2], device=total.device)
    follows = writes // (len(writes) // len(positions)) > positions[:, None]
    logarithms = total[..., :, None] - written[..., None, :]
    return logarithms.masked_fill(follows, -torch.inf).exp()


def read_before(queries: Keys, total: PerHead, memory: Memory) -> Values:
    """Return what positions of a chunk read of the memory before it."""
    return (queries * total.exp()[..., None]) @ memory


def remember(keys: Keys, values: Values, total: PerHead, memory: Memory) -> Memory:
    """Return the memory after a chunk, whose positions or writes add keys and values."""
    end = total[..., -1:]
    kept = keys * (end - total).exp()[..., None]
    return memory * end.exp()[..., None] + kept.transpose(-1, -2) @ values
