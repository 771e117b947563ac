"""The objective of language models: the next token, at every position of random windows.

Axes:
    window  windows of a text
    place   positions of a window; the token after the last position is the last that is predicted
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Protocol, runtime_checkable

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from torch import Tensor, nn

from lengthwise.device_copies import send
from lengthwise.evaluation.predict import device_of
from lengthwise.settings import Config, Setting, require
from lengthwise.text.data.text_corpus import Tokens
from lengthwise.text.evaluation.perplexity import require_windows
from lengthwise.text.layers.token_loss import ReadOut, token_loss
from lengthwise.training.autocast import Autocast, autocast
from lengthwise.training.distributed import ALONE, ProcessGroup
from lengthwise.training.loop import Objective, Step, Validation


@dataclass(frozen=True, kw_only=True, slots=True)
class WindowsConfig(Config):
    """Settings of the windows of a text that are drawn."""

    window: Annotated[int, Setting(unit="tokens", least=2)] = 128
    """Number of tokens of a window in training."""
    batch_size: Annotated[int, Setting(unit="windows", least=1)] = 16
    """Number of windows of a batch."""
    validation_windows: Annotated[int, Setting(unit="windows", least=1)] = 256
    """Greatest number of windows of a validation; they are evenly spread over the text in its
    order."""

    def __post_init__(self) -> None:
        Config.__post_init__(self)
        tokens = self.batch_size * self.window
        require(
            tokens <= _MOST_TOKENS,
            f"batch_size={self.batch_size} windows of {self.window} are {tokens:,} tokens at once, "
            f"but {_MOST_TOKENS:,} is the most. Lower one, or use accumulate.",
        )


_MOST_TOKENS = 2**26


@runtime_checkable
class HasReadOut(Protocol):
    """A model that returns the vectors and the matrix whose product is its logits."""

    def read_out(self, tokens: Int[Tensor, "window place"]) -> ReadOut:
        """Return vectors `[window, place, width]`, and the read-out."""
        ...


def read_out_of(model: nn.Module, tokens: Tensor) -> ReadOut:
    """Return the read-out of a model of this package for the next token at every position."""
    assert isinstance(model, HasReadOut)
    return model.read_out(tokens)


class NextToken(Objective):
    """Cross-entropy of the next token; the loss of a batch is its mean over all positions.

    Each of several processes draws the whole batch, and computes the loss of its share of the
    windows.

    Raises:
        TextError: a part is too short for one window.
        ConfigError: a batch has fewer windows than there are processes.
    """

    def __init__(
        self,
        train: Tokens,
        validation: Tokens,
        config: WindowsConfig,
        read_out: Callable[[nn.Module, Tensor], ReadOut] = read_out_of,
        *,
        half: Autocast = "none",
        processes: ProcessGroup = ALONE,
    ) -> None:
        require(
            config.batch_size >= processes.count,
            f"batch_size={config.batch_size} leaves some of {processes.count} processes without a "
            f"window. Raise it, or start fewer.",
        )
        self._train, self._validation, self._processes = train, validation, processes
        self._config, self._read_out, self._autocast = config, read_out, half
        self._size = config.window + 1
        for name, tokens in (("training", train), ("validation", validation)):
            require_windows(tokens, self._size, f"the {name} part of the text")

    def step(self, model: nn.Module, data: torch.Generator, noise: torch.Generator) -> Step:
        """Compute the loss on random windows; nothing is drawn from `noise`."""
        count = self._config.batch_size
        numbers = torch.randint(self._train.num_windows(self._size), (count,), generator=data)
        own_numbers = self._processes.share(numbers.numpy())
        loss, accuracy = self._judge(model, self._words(self._train, own_numbers))
        share = len(own_numbers) / count
        return Step(loss * share, accuracy * share, len(own_numbers) * self._config.window)

    def validate(self, model: nn.Module, data: torch.Generator) -> Validation:
        """Compute the loss on windows of the validation part, which are the same each time."""
        num_windows, most = (
            self._validation.num_windows(self._size),
            self._config.validation_windows,
        )
        apart = max(self._config.window, num_windows // most)
        numbers = np.arange(0, num_windows, apart)[:most]
        count = len(numbers)
        parts = np.split(numbers, range(self._config.batch_size, count, self._config.batch_size))
        own_parts = self._processes.share(parts)
        results = [self._judge(model, self._words(self._validation, part)) for part in own_parts]
        shares = [len(part) / count for part in own_parts]
        loss, accuracy = self._processes.all_reduce(
            sum(s * float(loss.detach()) for s, (loss, _) in zip(shares, results, strict=True)),
            sum(s * float(right) for s, (_, right) in zip(shares, results, strict=True)),
        )
        return Validation(loss=loss, accuracy=accuracy, perfect=False, score=-loss)

    def _words(self, tokens: Tokens, numbers: NDArray[np.int64]) -> Int[Tensor, "window place"]:
        return torch.from_numpy(tokens.windows(numbers, self._size))

    def _judge(
        self, model: nn.Module, words: Int[Tensor, "window place"]
    ) -> tuple[Float[Tensor, ""], Float[Tensor, ""]]:
        words = send(words, device_of(model))
        targets = words[:, 1:].flatten()
        with autocast(words.device, self._autocast):
            vectors, matrix = self._read_out(model, words[:, :-1])
            result = token_loss(vectors.flatten(0, 1), matrix, targets)
        return result.loss, result.right.double() / len(targets)
