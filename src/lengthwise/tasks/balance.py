"""Balanced classes of a batch, in random order.

Axes:
    word   words of a batch
    some   some of these words
    time   places of a batch; words are at the right end
    short  places of a batch of shorter words
"""

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from lengthwise.tasks.sampling import UniformSampler


def draw_ranks(groups: Int[Tensor, " word"], generator: torch.Generator) -> Int[Tensor, " word"]:
    """Number the words of each group 0, 1, 2, ... in a random order."""
    order = torch.randperm(len(groups), generator=generator)
    grouped, position = groups[order].sort(stable=True)
    first = torch.searchsorted(grouped, grouped)
    ranks = torch.empty_like(groups)
    ranks[order[position]] = torch.arange(len(groups)) - first
    return ranks


def draw_balanced_classes(
    sampler: UniformSampler, lengths: Int[Tensor, " word"], generator: torch.Generator
) -> Int[Tensor, " word"]:
    """Draw a class for each word: within a length, each that exists comes equally often.

    Where the number of words does not divide, chance says which classes get one more.

    Raises:
        TaskError: the domain has no word of a length.
    """
    sampler.require_words(lengths)
    distinct, which = torch.unique(lengths, return_inverse=True)
    ranks = draw_ranks(which, generator)
    options = torch.zeros(len(distinct), sampler.language.num_classes, dtype=torch.int64)
    sizes = torch.ones(len(distinct), dtype=torch.int64)
    for row, length in enumerate(distinct.tolist()):
        present = torch.tensor(sampler.classes_at(length))
        sizes[row] = len(present)
        options[row, : len(present)] = present[torch.randperm(len(present), generator=generator)]
    return options[which, ranks % sizes[which]]


def integers_below(
    bounds: Int[Tensor, " word"], generator: torch.Generator
) -> Int[Tensor, " word"]:
    """Draw a uniform integer from 0 up to each bound, the bound excluded."""
    limit = 2**62 // bounds * bounds
    values = torch.randint(2**62, bounds.shape, generator=generator)
    while (late := values >= limit).any():  # never seen: the chance is bound / 2^62
        again = torch.randint(2**62, bounds.shape, generator=generator)
        values = torch.where(late, again, values)
    return values % bounds


def place(
    tokens: Int[Tensor, "word time"], rows: Bool[Tensor, " word"], words: Int[Tensor, "some short"]
) -> None:
    """Write words, which are at the right end of their own batch, into some rows of a batch."""
    tokens[rows, tokens.shape[1] - words.shape[1] :] = words
