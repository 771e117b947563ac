"""What does a model say of given words, of any lengths?"""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor, nn

from lengthwise.evaluation.evaluate import Recogniser, answers, neighbours
from lengthwise.tasks.automaton import PAD


def predict(
    model: Recogniser, words: Sequence[Sequence[int]], *, device: torch.device | str = "cpu"
) -> Float[Tensor, "word class"]:
    """The probability of each class for each word, in the order given.

    Words of like length are answered together, so that memory stays bounded.
    """
    order = sorted(range(len(words)), key=lambda index: len(words[index]))
    results: list[Tensor] = []
    for group in neighbours([len(words[index]) for index in order]):
        tokens, lengths = right_aligned([words[index] for index in order[group]])
        logits = answers(model, tokens.to(device), lengths.to(device))
        results.append(logits.softmax(dim=1).cpu())
    if not results:
        return torch.zeros(0, 1)
    shares = torch.cat(results)
    return shares[torch.tensor(order).argsort()]


def device_of(model: nn.Module) -> torch.device:
    """Where a model's weights are; the processor, if it has none."""
    return next((weight.device for weight in model.parameters()), torch.device("cpu"))


def right_aligned(words: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
    """Tokens `[word, place]` with the words at the right of their rows, and their lengths."""
    lengths = torch.tensor([len(word) for word in words])
    tokens = torch.full((len(words), int(lengths.max())), PAD)
    for row, word in enumerate(words):
        if word:
            tokens[row, -len(word) :] = torch.tensor(word)
    return tokens, lengths
