"""Cross-entropy and accuracy of networks on random words.

Axes:
    word    words of one length
    time    symbols of a word
"""

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import NamedTuple, TypeVar

import torch
from torch import Tensor
from torch.nn import functional as F

from lengthwise.evaluation.evaluate import answer_of
from lengthwise.models.encoder import Encoder
from lengthwise.tasks.automaton import Automaton

_SYMBOLS_AT_ONCE = 2**16

Key = TypeVar("Key", bound=Hashable)


class Answers(NamedTuple):
    """Means over words."""

    bits: float
    """Cross-entropy of the right class."""
    accuracy: float


def random_words(length: int, num_words: int, generator: torch.Generator) -> Iterator[Tensor]:
    """Yield words [word, time] of uniform bits, in batches of a size for computing."""
    at_once = max(1, _SYMBOLS_AT_ONCE // length)
    for first in range(0, num_words, at_once):
        size = min(at_once, num_words - first)
        yield torch.randint(2, (size, length), generator=generator)


@torch.no_grad()
def answers(
    networks: Mapping[Key, Encoder],
    automaton: Automaton,
    batches: Iterable[Tensor],
    advance: Callable[[int], None],
) -> dict[Key, Answers]:
    """Test all networks on the same words; `advance` is called with the symbols that one read."""
    sums = {key: torch.zeros(2, dtype=torch.float64) for key in networks}
    num_words = 0
    for words in batches:
        num_words += len(words)
        right = automaton.classify(words)
        for key, network in networks.items():
            logits = network(words)
            right_logits = logits.gather(1, right[:, None])[:, 0]
            other = logits.gather(1, 1 - right[:, None])[:, 0]
            bits = F.softplus(other - right_logits) / math.log(2)
            sums[key] += torch.stack([bits.sum(), (answer_of(logits) == right).sum()])
            advance(words.numel())
    return {key: Answers(*(total / num_words).tolist()) for key, total in sums.items()}
