r"""Matrices that remember sums of key-value pairs, read in chunks of positions.

With keys $k_t$, values $v_t$, queries $q_t$ and a decay $a_t > 0$ of each head,

$$S_t = a_t S_{t-1} + k_t v_t^\top \qquad o_t = S_t^\top q_t .$$

Within a chunk of C positions all is products of matrices; only the state goes from chunk to chunk.

Axes:
    word      sequences of a batch
    head      heads of a layer
    position  positions of a sequence
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
    spans = zip(
        *(part.split(CHUNK, dim=2) for part in (queries, keys, values, log_decay)), strict=True
    )
    for query, key, value, log in spans:
        total = log.cumsum(dim=2)
        decay = (total[..., :, None] - total[..., None, :]).tril().exp().tril()
        weights = query @ key.transpose(-1, -2) * decay
        read = (query * total.exp()[..., None]) @ memory
        outputs.append(weights @ value + read)
        end = total[..., -1:]
        kept = key * (end - total).exp()[..., None]
        memory = memory * end.exp()[..., None] + kept.transpose(-1, -2) @ value
    return torch.cat(outputs, dim=2), memory
