r"""The delta rule with decay, several factors to a position, step by step and in chunks.

With unit keys $k_{t,i}$, values $v_{t,i}$ and rates $\beta_{t,i}$ for i = 1, ..., n, and a decay
$a_t$ of each head, position t multiplies the memory by $a_t$ and then does, for each i in turn,

$$S \leftarrow S + \beta_{t,i}\, k_{t,i} (v_{t,i} - S^\top k_{t,i})^\top .$$

Each multiplies the memory by a generalised Householder matrix $I - \beta k k^\top$, whose
eigenvalues are 1 and $1 - \beta$, and adds $\beta k v^\top$. A chunk of positions solves one
triangular system for all of its corrections (Yang et al. 2024, arXiv 2406.06484, who have it from
the WY form of Bischof and Van Loan, 1987).

Axes:
    word      sequences of a batch
    head      heads of a layer
    position  positions of a sequence
    write     writes of a sequence: n of each position, one after the other
    key       numbers in a key or query
    value     numbers in a value
"""

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F

from lengthwise.layers.mixers.chunked import (
    CHUNK,
    Keys,
    Memory,
    PerHead,
    Values,
    decayed,
    decayed_since_start,
    split_positions,
    sums_of,
    write_to_memory,
)
from lengthwise.layers.mixers.heads import GatedReadOut, HeadMap, NormedReadOut, start_memory, unit
from lengthwise.layers.mixers.mixer import Mixer, Sequences, State, Vectors

WrittenKeys = Float[Tensor, "word head write key"]
WrittenValues = Float[Tensor, "word head write value"]
Rates = Float[Tensor, "word head write"]


def write_deltas(keys: WrittenKeys, values: WrittenValues, rates: Rates, memory: Memory) -> Memory:
    """Return the memory after writes, one after the other."""
    for key, value, rate in zip(
        keys.unbind(dim=2), values.unbind(dim=2), rates.unbind(dim=2), strict=True
    ):
        wrong = value - torch.einsum("whkv,whk->whv", memory, key)
        memory = memory + (rate[..., None] * key)[..., :, None] * wrong[..., None, :]
    return memory


def read_deltas(
    queries: Keys,
    keys: WrittenKeys,
    values: WrittenValues,
    rates: Rates,
    *,
    log_decay: PerHead | None,
    memory: Memory,
) -> tuple[Values, Memory]:
    """Return the outputs $S_t^T q_t$ at all positions, and the memory after the last one.

    Args:
        queries: what is asked at each position, after its writes.
        keys: unit vectors along which the memory is corrected.
        values: what it is to hold there.
        rates: shares of the correction, from 0 to 2.
        log_decay: logarithm of the factor of the memory before the writes of a position, finite;
            None for 0.
        memory: the memory before the first position.
    """
    factors = keys.shape[2] // queries.shape[2]
    size = max(1, CHUNK // factors)
    totals = sums_of(log_decay, size)
    writes = split_positions(size * factors, keys, values, rates[..., None])
    outputs = []
    for query, (key, value, rate) in zip(torch.split(queries, size, dim=2), writes, strict=True):
        total = next(totals)
        written = None if total is None else total.repeat_interleave(factors, dim=2)
        columns = key.transpose(-1, -2)
        corrections = torch.linalg.solve_triangular(
            rate * decayed(key @ columns, written, written),
            rate * (value - decayed_since_start(key, written) @ memory),
            upper=False,
            unitriangular=True,
        )
        weights = decayed(query @ columns, total, written)
        outputs.append(weights @ corrections + decayed_since_start(query, total) @ memory)
        memory = write_to_memory(key, corrections, written, memory)
    return torch.cat(outputs, dim=2), memory


class DeltaMixer(Mixer):
    """Base of layers whose heads write_to_memory by the delta rule.

    Args:
        width: numbers in the vectors that are read and written.
        num_heads: number of memories.
        num_factors: writes at each position.
        largest_rate: greatest rate; with 2 the eigenvalues of a step go down to -1.
    """

    read_out: NormedReadOut | GatedReadOut

    def __init__(
        self, width: int, *, num_heads: int, num_factors: int = 1, largest_rate: float = 1.0
    ) -> None:
        super().__init__(width, num_heads=num_heads)
        self.num_factors, self.largest_rate = num_factors, largest_rate
        part = width // num_heads
        self.query = HeadMap(width, num_heads, part)
        self.key = HeadMap(width, num_heads, num_factors * part)
        self.value = HeadMap(width, num_heads, num_factors * part)
        self.rate = HeadMap(width, num_heads, num_factors)

    def log_decay(self, inputs: Float[Tensor, "*axes width"]) -> Float[Tensor, "*axes head"] | None:
        """Return the logarithm of the decay of each head's memory: None where nothing decays."""
        return None

    def start(self, batch_size: int) -> State:
        """Return empty memories."""
        part = self.width // self.num_heads
        return (start_memory(self.key.weight, batch_size, self.num_heads, part, part),)

    def step(self, inputs: Vectors, state: State) -> tuple[Vectors, State]:
        """Let the memory decay, correct it, and read."""
        query, key, value, rate = self._heads(inputs[:, None])
        (memory,) = state
        log_decay = self.log_decay(inputs)
        if log_decay is not None:
            memory = memory * log_decay.exp()[..., None, None]
        memory = write_deltas(key, value, rate, memory)
        reads = torch.einsum("whkv,whpk->wphv", memory, query)
        return self.read_out(inputs, reads[:, 0]), (memory,)

    def forward(self, inputs: Sequences, state: State | None = None) -> tuple[Sequences, State]:
        """Return outputs and state, chunk by chunk."""
        (memory,) = self.start(len(inputs)) if state is None else state
        log_decay = self.log_decay(inputs)
        if log_decay is not None:
            log_decay = log_decay.transpose(1, 2)
        reads, memory = read_deltas(*self._heads(inputs), log_decay=log_decay, memory=memory)
        return self.read_out(inputs, reads.transpose(1, 2)), (memory,)

    def _heads(self, inputs: Sequences) -> tuple[Keys, WrittenKeys, WrittenValues, Rates]:
        """Return queries, keys, values and rates of the writes, in their order."""
        query = unit(F.silu(self.query(inputs))) * (self.width // self.num_heads) ** -0.5
        key, value = (
            torch.unflatten(
                F.silu(part(inputs).transpose(1, 2)), -1, (self.num_factors, -1)
            ).flatten(2, 3)
            for part in (self.key, self.value)
        )
        rate = self.largest_rate * self.rate(inputs).sigmoid().transpose(1, 2).flatten(2)
        return query.transpose(1, 2), unit(key), value, rate
