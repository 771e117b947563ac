"""Chiang & Cholak (2022), section 3.1: Rumelhart's feed-forward network for PARITY of n symbols.

The first layer has n units with a step, H(x) = [x > 0], and compares the number k of ones with 1 to
n; the second adds the odd ones and subtracts the even ones. Its answer depends on k alone, so one
word for each k from 0 to n decides every length, and for short words all are tested besides.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from lengthwise.sweeps.sweep import Progress
from lengthwise_papers.experiment import (
    MeasuredExperiment,
    Record,
    Statement,
    Table,
    preset_catalogue,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """Lengths that every count of ones tests, and the greatest whose words are all tested."""

    lengths: tuple[int, ...] = (1, 2, 3, 10, 100, 1_000, 4_000)
    every_word_to: int = 14


class Rumelhart(nn.Module):
    """The printed weights for words of exactly n symbols; the answer is 1 if the ones are odd."""

    first_weight: Tensor
    first_bias: Tensor
    second_weight: Tensor
    second_bias: Tensor

    def __init__(self, length: int) -> None:
        super().__init__()
        counts = torch.arange(1, length + 1, dtype=torch.float64)
        weights = {
            "first_weight": torch.ones(length, length, dtype=torch.float64),
            "first_bias": 0.5 - counts,
            "second_weight": 2 * (counts % 2) - 1,
            "second_bias": torch.tensor(-0.5, dtype=torch.float64),
        }
        for name, values in weights.items():
            self.register_buffer(name, values)

    def forward(self, words: Tensor) -> Tensor:
        """Return the answers `[batch]` to words `[batch, length]` of zeros and ones."""
        hidden = words.double() @ self.first_weight.T + self.first_bias > 0
        return hidden.double() @ self.second_weight + self.second_bias > 0


def measure(sizes: Sizes, seed: int, progress: Progress) -> list[Record]:
    """Return a record for each length, with the words that were tested and those answered wrong."""
    generator = torch.Generator().manual_seed(seed)
    records = []
    lengths = sorted({*sizes.lengths, *range(1, sizes.every_word_to + 1)})
    for done, length in enumerate(lengths):
        progress(done, len(lengths))
        if length <= sizes.every_word_to:
            words = torch.cartesian_prod(*[torch.arange(2)] * length).reshape(-1, length)
        else:
            order = torch.rand(length + 1, length, generator=generator).argsort(dim=1)
            words = (order < torch.arange(length + 1)[:, None]).long()  # k ones, somewhere
        wrong = int((Rumelhart(length)(words) != (words.sum(dim=1) % 2 == 1)).sum())
        records.append({"length": length, "words": len(words), "wrong": wrong})
    return records


def table(records: Sequence[Record]) -> Table:
    """Return a row for each length."""
    rows = [
        [f"{record['length']:,}", f"{record['words']:,}", str(record["wrong"])]
        for record in records
    ]
    return Table(["symbols", "words", "wrong"], rows)


def check(records: Sequence[Record]) -> list[Statement]:
    """Check what section 3.1 says."""
    wrong = sum(record["wrong"] for record in records)
    words, longest = (
        sum(record["words"] for record in records),
        max(record["length"] for record in records),
    )
    return [
        Statement(
            where="section 3.1",
            says="for any n, a feed-forward network computes PARITY of strings of length n",
            holds=not wrong,
            measured=f"{wrong} of {words:,} words wrong, to {longest:,} symbols",
        )
    ]


FFNN: MeasuredExperiment[Sizes] = MeasuredExperiment(
    paper="Chiang & Cholak (2022)",
    item="Section 3.1",
    claim="A feed-forward network with a unit for each count computes PARITY at its length.",
    printed="The weights, after Rumelhart et al. (1986).",
    presets=preset_catalogue(smoke=Sizes(lengths=(20,), every_word_to=4), laptop=Sizes()),
    measure=measure,
    table=table,
    check=check,
)
