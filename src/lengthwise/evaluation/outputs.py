"""The outputs that a network of prefixes writes for the inputs of a function.

A network that can answer at every position (`every_position`) does so in one pass; others classify
every prefix. For a bimachine the network reads each word twice: from its beginning, and reversed.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from torch import Tensor, nn

from lengthwise.evaluation.evaluate import answer_of, require_classes
from lengthwise.evaluation.predict import device_of, logits_of
from lengthwise.languages.functions.function import Function
from lengthwise.languages.functions.reading import PrefixReading
from lengthwise.precision import require_usable

_MOST_POSITIONS = 2**18
"""Greatest number of positions that are answered together."""


@runtime_checkable
class AnswersEverywhere(Protocol):
    """A network that classifies every prefix of words that fill their rows."""

    def every_position(
        self, tokens: Int[Tensor, "word position"], generator: torch.Generator | None = None
    ) -> Float[Tensor, "word position class"]:
        """Return the logits of every prefix."""
        ...


@torch.no_grad()
def outputs_of(
    model: nn.Module, reading: PrefixReading, words: Iterable[Sequence[int] | NDArray[np.int64]]
) -> list[NDArray[np.int64]]:
    """Return the output symbols that a network in eval mode writes for each word.

    Raises:
        ConfigError: the network gives logits of another number of classes, or none.
    """
    require_usable(model)
    arrays = [np.asarray(word, dtype=np.int64) for word in words]
    prefixes = _prefix_classes(model, reading, arrays)
    if reading.answers is None:
        return prefixes
    (empty,) = answer_of(logits_of(model, [()], device=device_of(model))).tolist()
    backwards = _prefix_classes(model, reading, [word[::-1].copy() for word in arrays])
    # What follows position t has one symbol less than the reversed word up to t.
    suffixes = [np.concatenate([[empty], classes])[: len(classes)][::-1] for classes in backwards]
    return [reading.outputs(a, b) for a, b in zip(prefixes, suffixes, strict=True)]


def _prefix_classes(
    model: nn.Module, reading: PrefixReading, words: Sequence[NDArray[np.int64]]
) -> list[NDArray[np.int64]]:
    """Return the classes of all prefixes but the empty one of each word."""
    result = [np.zeros(0, dtype=np.int64) for _ in words]
    for group in _groups([len(word) for word in words]):
        length = max(len(words[index]) for index in group)
        # What is right of a prefix has no effect on its class.
        tokens = torch.zeros(len(group), length, dtype=torch.long)
        for row, index in enumerate(group):
            tokens[row, : len(words[index])] = torch.from_numpy(words[index])
        classes = _classify(model, reading, tokens).cpu().numpy()
        for row, index in enumerate(group):
            result[index] = classes[row, : len(words[index])]
    return result


def _classify(
    model: nn.Module, reading: PrefixReading, tokens: Tensor
) -> Int[Tensor, "word position"]:
    """Return the class of every prefix of words of one length."""
    name = reading.language.spec or "the function"
    if isinstance(model, AnswersEverywhere):
        logits: Any = model.every_position(tokens.to(device_of(model)))
        require_classes(logits.reshape(-1, logits.shape[-1]), reading.language, name)
        return answer_of(logits)
    prefixes = [word[:end] for word in tokens.tolist() for end in range(1, len(word) + 1)]
    logits = logits_of(model, prefixes, device=device_of(model))
    require_classes(logits, reading.language, name)
    return answer_of(logits).view(tokens.shape)


def _groups(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Yield the indexes of words of similar lengths, with a bounded number of positions each."""
    group: list[int] = []
    for index in sorted(range(len(lengths)), key=lengths.__getitem__):
        if not lengths[index]:
            continue
        if group and (len(group) + 1) * lengths[index] > _MOST_POSITIONS:
            yield group
            group = []
        group.append(index)
    if group:
        yield group


def right_outputs(function: Function, words: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the output symbols of a function for words of one length, as rows."""
    table, left, right = (np.array(a) for a in (function.table, function.left, function.right))
    after = np.zeros_like(words)
    state = np.zeros(len(words), dtype=np.int64)
    for place in range(words.shape[1] - 1, -1, -1):
        after[:, place] = state
        state = right[state, words[:, place]]
    result, state = np.zeros_like(words), np.zeros(len(words), dtype=np.int64)
    for place in range(words.shape[1]):
        result[:, place] = table[state, words[:, place], after[:, place]]
        state = left[state, words[:, place]]
    return result
