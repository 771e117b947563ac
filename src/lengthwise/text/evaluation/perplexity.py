"""Perplexity of a language model by length of the context, as the paper defines it.

Only the last token of random windows of T tokens is predicted, so that each prediction has exactly
T - 1 tokens of context (Chi et al. 2023, section 6):

    perplexity(T) = exp(mean of -log p(last token | the T - 1 before it))

The last tokens are the same at every length, so that lengths differ only in their context.

Axes:
    window  windows of the text
    place   positions of a window
"""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lengthwise.device_copies import send
from lengthwise.errors import TaskError, TextError
from lengthwise.evaluation.predict import device_of
from lengthwise.evaluation.scores import Z_95
from lengthwise.messages import format_count
from lengthwise.text.data.text_corpus import Tokens

_TOKENS_AT_ONCE = 2**14
"""Approximate number of tokens that are read together."""

_FEWEST = 2
_MOST_NATS = math.log(1e300)


@runtime_checkable
class LastToken(Protocol):
    """A model that predicts the token after a whole text."""

    def last(self, tokens: Tensor) -> Tensor:
        """Return the logits `[window, symbol]` of the token after the last position."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class PerplexityAtLength:
    """Results of windows of one length."""

    length: int
    """T: number of tokens of a window, including the predicted one."""
    windows: int
    nats: float
    """Mean of -log p over the windows."""
    interval_95: tuple[float, float]
    """95 % interval of the perplexity."""
    ratio_95: tuple[float, float]
    """95 % interval of this perplexity over that at the shortest of the lengths, on the same
    tokens."""
    accuracy: float
    """Share of windows whose last token was the likeliest."""
    seconds: float

    @property
    def perplexity(self) -> float:
        """The perplexity, exp(nats), limited by `perplexity_of`."""
        return perplexity_of(self.nats)

    def to_record(self) -> dict[str, Any]:
        """Return the same values as JSON gives them back."""
        intervals = {"interval_95": list(self.interval_95), "ratio_95": list(self.ratio_95)}
        return {**asdict(self), **intervals, "perplexity": self.perplexity}


@torch.no_grad()
def last_token_perplexity(
    model: nn.Module,
    tokens: Tokens,
    lengths: Sequence[int],
    *,
    windows: int = 1_000,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> list[PerplexityAtLength]:
    """Return the perplexity at each length, on the same last tokens.

    They are those of `windows` windows of the greatest length, or of all that the text has.

    Raises:
        TaskError: a length is below 2 or is repeated, there are fewer than 2 windows, or the model
            is not a language model.
        TextError: the text has no window of the greatest length.
    """
    if not isinstance(model, LastToken):
        raise TaskError("this model does not continue texts. Use a language model.")
    if not lengths or min(lengths) < 2 or len(set(lengths)) < len(lengths):
        raise TaskError(
            f"lengths must be 2 tokens or more, each once, but got "
            f"{', '.join(map(str, lengths)) or 'none'}. A length of 1 leaves no context."
        )
    most = max(lengths)
    if windows < _FEWEST:
        raise TaskError(
            f"{format_count(windows, 'window')} cannot show a spread. Ask for {_FEWEST} or more."
        )
    require_windows(tokens, most, "the text")
    num_windows = tokens.num_windows(most)
    if num_windows < _FEWEST:
        raise TaskError(
            f"the text has {format_count(num_windows, 'window')} of {most:,} tokens, which cannot "
            f"show a spread. Give a longer text, or ask for shorter windows."
        )
    windows = min(windows, num_windows)  # one that is drawn again tells nothing new
    numbers = np.random.default_rng(seed).choice(num_windows, size=windows, replace=False)
    results: list[tuple[int, Tensor, Tensor, float]] = []
    done = 0
    for length in lengths:
        start, parts = time.perf_counter(), []
        batches = min(windows, math.ceil(windows * length / _TOKENS_AT_ONCE))
        for part in np.array_split(numbers, batches):
            parts.append(_judge(model, tokens.windows(part, most)[:, most - length :]))
            done += len(part) * length
            if progress:
                progress(done, windows * sum(lengths))
        nats, right = (torch.cat(arrays) for arrays in zip(*parts, strict=True))
        results.append((length, nats, right, time.perf_counter() - start))
    _, shortest, *_ = min(results, key=lambda result: result[0])
    return [_at_length(*result, shortest) for result in results]


def _judge(model: LastToken, words: "np.ndarray[Any, Any]") -> tuple[Tensor, Tensor]:
    """Return -log p of the last tokens, and whether they were the likeliest."""
    assert isinstance(model, nn.Module)
    window = send(torch.from_numpy(words), device_of(model))
    logits = model.last(window[:, :-1]).double()
    last = window[:, -1]
    nats = F.cross_entropy(logits, last, reduction="none")
    return nats.cpu(), (logits.argmax(dim=1) == last).cpu()


def _at_length(
    length: int, nats: Tensor, right: Tensor, seconds: float, shortest: Tensor
) -> PerplexityAtLength:
    return PerplexityAtLength(
        length=length,
        windows=len(nats),
        nats=nats.mean().item(),
        interval_95=_interval(nats),
        ratio_95=_interval(nats - shortest),
        accuracy=right.double().mean().item(),
        seconds=seconds,
    )


def _interval(nats: Tensor) -> tuple[float, float]:
    """Return the 95 % interval of exp of the mean."""
    mean, half = nats.mean().item(), Z_95 * nats.std().item() / math.sqrt(len(nats))
    return perplexity_of(mean - half), perplexity_of(mean + half)


def perplexity_of(nats: float) -> float:
    """Return exp(nats), but at most 1e300, so that any file can hold the number."""
    return math.exp(min(nats, _MOST_NATS))


def require_windows(tokens: Tokens, size: int, name: str) -> None:
    """Refuse a text without a window of that size.

    Raises:
        TextError: it has none.
    """
    if tokens.num_windows(size) < 1:
        raise TextError(
            f"{name} has {len(tokens):,} tokens, but no file of it has a window of {size:,}. Give "
            f"a longer text, or ask for shorter windows."
        )
