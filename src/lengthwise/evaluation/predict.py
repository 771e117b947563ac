"""Predictions of a model for given words of any lengths: logits, and probabilities for display."""

from collections.abc import Sequence
from itertools import chain

import torch
from jaxtyping import Float
from torch import Tensor, nn

from lengthwise.device_copies import send
from lengthwise.evaluation.evaluate import Recogniser, answers, neighbours
from lengthwise.tasks.automaton import PAD


def logits_of(
    model: Recogniser, words: Sequence[Sequence[int]], *, device: torch.device | str = "cpu"
) -> Float[Tensor, "word class"]:
    """Return the logits of each word as the model computed them, in the order given.

    The answers are `answer_of(predict(...))`, and `shares` is for display. Words of similar length
    are classified together, so that memory stays bounded.
    """
    order = sorted(range(len(words)), key=lambda index: len(words[index]))
    results: list[Tensor] = []
    for group in neighbours([len(words[index]) for index in order]):
        tokens, lengths = right_aligned([words[index] for index in order[group]])
        results.append(answers(model, send(tokens, device), send(lengths, device)).cpu())
    if not results:
        return torch.zeros(0, 1)
    logits = torch.cat(results)
    return logits[torch.tensor(order).argsort()]


def shares(logits: Float[Tensor, "word class"]) -> Float[Tensor, "word class"]:
    """Return the probabilities of the classes in float64, which are for display only."""
    return logits.double().softmax(dim=1)


def device_of(model: nn.Module) -> torch.device:
    """Return the device of a model's weights; the processor if it has none."""
    return next((weight.device for weight in model.parameters()), torch.device("cpu"))


def right_aligned(words: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
    """Return tokens `[word, place]` with words at the right of their rows, and the lengths."""
    lengths = torch.tensor([len(word) for word in words])
    width = int(lengths.max())
    tokens = torch.full((len(words), width), PAD)
    from_right = torch.arange(width, 0, -1)
    tokens[from_right <= lengths[:, None]] = torch.tensor(
        list(chain.from_iterable(words)), dtype=tokens.dtype
    )
    return tokens, lengths
