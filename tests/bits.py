"""Words of 0 and 1 as tensors, what PARITY and FIRST say of them, and how sure a network is."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor
from torch.nn import functional as F

from lengthwise.models.encoder import Encoder

EPSILONS = [0.0, 1e-7, 1e-5, 1e-3, 1.0, 100.0]
SHARPNESSES = [0.1, 1.0, 3.0, 20.0]
"""Settings of networks that every claim is checked with."""


def binary(length: int) -> Tensor:
    """All words of a length, in order."""
    places = torch.arange(length - 1, -1, -1)
    return torch.arange(2**length)[:, None] >> places & 1


def with_ones(length: int, counts: Sequence[int], seed: int = 0) -> Tensor:
    """One word for each number of ones, which stand anywhere."""
    generator = torch.Generator().manual_seed(seed)
    words = torch.zeros(len(counts), length, dtype=torch.long)
    for word, count in zip(words, counts, strict=True):
        word[torch.randperm(length, generator=generator)[:count]] = 1
    return words


def parity(words: Tensor) -> Tensor:
    """Whether the number of ones is odd."""
    return words.sum(dim=1) % 2 == 1


def first(words: Tensor) -> Tensor:
    """Whether the first symbol is 1; the empty word has none."""
    padded = F.pad(words, (0, 1))
    return padded[:, 0] == 1


def logits(model: Encoder, words: Tensor) -> Tensor:
    """The logit of each word; that of the other class must be 0."""
    with torch.no_grad():
        zero, logit = model(words).unbind(dim=1)
    assert not zero.any()
    return logit


def wrong(model: Encoder, words: Tensor, accepted: Tensor) -> list[list[int]]:
    """The words that the network does not accept if and only if they are accepted."""
    return words[(logits(model, words) > 0) != accepted].tolist()


def wrong_to(longest: int, model: Encoder, accepts: Callable[[Tensor], Tensor]) -> list[list[int]]:
    """The same of all words up to a length, in one batch, where -1 stands before short ones."""
    words = [binary(length) for length in range(longest + 1)]
    tokens = torch.cat([F.pad(some, (longest - some.shape[1], 0), value=-1) for some in words])
    lengths = torch.cat([torch.full((len(some),), some.shape[1]) for some in words])
    with torch.no_grad():
        zero, logit = model(tokens, lengths).unbind(dim=1)
    assert not zero.any()
    return tokens[(logit > 0) != torch.cat([accepts(some) for some in words])].tolist()


def cross_entropy(model: Encoder, words: Tensor, accepted: Tensor) -> Tensor:
    """In nats, to the last digit: log(1 + x) without forming 1 + x."""
    logit = logits(model, words).double()
    return F.softplus(torch.where(accepted, -logit, logit), threshold=torch.inf)
