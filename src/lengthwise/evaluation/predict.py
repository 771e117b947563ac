"""What does a model say of given words, of any lengths?"""

from collections.abc import Iterator, Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from lengthwise.evaluation.evaluate import MOST_SYMBOLS, Recogniser
from lengthwise.tasks.automaton import PAD


def predict(
    model: Recogniser, words: Sequence[Sequence[int]], *, device: torch.device | str = "cpu"
) -> Float[Tensor, "word class"]:
    """The probability of each class for each word, in the order given.

    Words of like length are answered together, so that memory stays bounded.
    """
    order = sorted(range(len(words)), key=lambda index: len(words[index]))
    results: list[Tensor] = []
    with torch.no_grad():
        for group in _groups([len(words[index]) for index in order]):
            chosen = [words[index] for index in order[group.start : group.stop]]
            tokens, lengths = right_aligned(chosen)
            results.append(model(tokens.to(device), lengths.to(device)).softmax(dim=1).cpu())
    if not results:
        return torch.zeros(0, 1)
    shares = torch.cat(results)
    return shares[torch.tensor(order).argsort()]


def right_aligned(words: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
    """Tokens `[word, place]` with the words at the right of their rows, and their lengths."""
    lengths = torch.tensor([len(word) for word in words])
    tokens = torch.full((len(words), int(lengths.max())), PAD)
    for row, word in enumerate(words):
        if word:
            tokens[row, -len(word) :] = torch.tensor(word)
    return tokens, lengths


def _groups(lengths: Sequence[int]) -> Iterator[range]:
    """Ranges of neighbours in a rising list of lengths, each within the bound on places."""
    first = 0
    for index, length in enumerate(lengths):
        if index > first and (index - first + 1) * length > MOST_SYMBOLS:
            yield range(first, index)
            first = index
    if lengths:
        yield range(first, len(lengths))
