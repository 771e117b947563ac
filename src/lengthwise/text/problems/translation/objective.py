"""The objective of translation: the next token, from the source and the translation so far.

Pairs of similar length are in one bucket, and a batch is from one bucket: as many pairs as have
`batch_tokens` positions, if there are as many, so that little is padding. The probability of a
bucket is proportional to the number of batches in it, so that every pair is drawn equally often on
average.
"""

from dataclasses import dataclass
from typing import Annotated, Literal, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from lengthwise.device_copies import send
from lengthwise.errors import TextError
from lengthwise.evaluation.predict import device_of
from lengthwise.settings import Config, Setting
from lengthwise.text.data.parallel_corpus import BEGIN, END, PAD, SentencePairs
from lengthwise.text.layers.token_loss import LossAndHits, token_loss
from lengthwise.text.models.encoder_decoder import EncoderDecoder
from lengthwise.training.autocast import Autocast, autocast
from lengthwise.training.loop import Objective, Step, Validation

Protocol = Literal["train-all-test-all", "train-short-test-long"]


@dataclass(frozen=True, kw_only=True, slots=True)
class SentencesConfig(Config):
    """Settings of the pairs of sentences that are trained on."""

    protocol: Protocol = "train-all-test-all"
    """`train-all-test-all`: pairs of all lengths in training and tests. `train-short-test-long`:
    trained and validated on pairs whose source has at most the median number of tokens of training,
    and tested on longer ones (Chiang & Cholak 2022, section 5.4)."""
    batch_tokens: Annotated[int, Setting(unit="tokens", least=1, most=2**24)] = 4_096
    """Number of positions of a batch, those of sources and translations together."""
    longest: Annotated[int, Setting(unit="tokens", least=1)] = 200
    """Pairs with more tokens on a side are neither trained nor validated on."""
    validation_pairs: Annotated[int, Setting(unit="pairs", least=1)] = 500
    """Greatest number of pairs of a validation, evenly spread."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SmoothingConfig(Config):
    """Settings of label smoothing."""

    label_smoothing: Annotated[float, Setting(least=0, below=1)] = 0.1
    """Share of the target's probability that is spread over all tokens (Szegedy et al. 2016)."""


class Limits(NamedTuple):
    """Lengths of the sources for training and for tests, in tokens; both bounds are included."""

    train: tuple[int, float]
    test: tuple[int, float]


def limits(train: SentencePairs, protocol: Protocol) -> Limits:
    """Return the lengths for training and tests: all, or up to the median and above it."""
    if protocol == "train-all-test-all":
        return Limits((0, np.inf), (0, np.inf))
    median = int(np.median(train.source.lengths))
    return Limits((0, median), (median + 1, np.inf))


def find_within(pairs: SentencePairs, bounds: tuple[int, float]) -> NDArray[np.int64]:
    """Return the indices of the pairs whose source has a length within the bounds."""
    lengths = pairs.source.lengths
    return np.flatnonzero((bounds[0] <= lengths) & (lengths <= bounds[1]))


def no_longer(pairs: SentencePairs, numbers: NDArray[np.int64], longest: int) -> NDArray[np.int64]:
    """Return those of the pairs whose source and target have at most `longest` tokens."""
    most = np.maximum(pairs.source.lengths[numbers], pairs.target.lengths[numbers])
    return numbers[most <= longest]


class NextTargetToken(Objective):
    """Cross-entropy of the next token, with label smoothing; the loss of a batch is its mean.

    Raises:
        TextError: no pair is short enough to train or validate on.
    """

    def __init__(
        self,
        train: SentencePairs,
        validation: SentencePairs,
        config: SentencesConfig,
        *,
        label_smoothing: float = 0.0,
        half: Autocast = "none",
    ) -> None:
        self._train, self._validation, self._config = train, validation, config
        self._smoothing, self._autocast = label_smoothing, half
        bounds = limits(train, config.protocol).train
        train_pairs = no_longer(train, find_within(train, bounds), config.longest)
        validation_pairs = no_longer(validation, find_within(validation, bounds), config.longest)
        for verb, pairs in (("train", train_pairs), ("validate", validation_pairs)):
            if not len(pairs):
                most = min(config.longest, bounds[1])
                raise TextError(
                    f"no pair to {verb} on has at most {most:.0f} tokens of source"
                    + (
                        ", the median of those to train on. Give other pairs, or use protocol "
                        "train-all-test-all."
                        if bounds[1] < config.longest
                        else f" and {config.longest} of translation. Raise longest, or give other "
                        f"pairs."
                    )
                )
        self._buckets = buckets(train, train_pairs)
        sizes = [self._at_once(train, bucket) for bucket in self._buckets]
        batches = [len(bucket) / size for bucket, size in zip(self._buckets, sizes, strict=True)]
        self._sizes, self._shares = sizes, torch.tensor(batches, dtype=torch.float64)
        step = max(1, len(validation_pairs) // config.validation_pairs)
        self._asked = buckets(validation, validation_pairs[::step][: config.validation_pairs])

    def step(self, model: nn.Module, data: torch.Generator, noise: torch.Generator) -> Step:
        """Compute the loss on random pairs of a random bucket; dropout draws from `noise`."""
        number = int(torch.multinomial(self._shares, 1, generator=data))
        bucket = self._buckets[number]
        draws = torch.randint(len(bucket), (self._sizes[number],), generator=data)
        numbers = bucket[draws.numpy()]
        result, count = self._compute_loss(model, self._train, numbers, noise, self._smoothing)
        return Step(result.loss, result.right.double() / count, count)

    def validate(self, model: nn.Module, data: torch.Generator) -> Validation:
        """Compute `-log p` of a token in nats, unsmoothed, on the same pairs each time."""
        loss, right, tokens = 0.0, 0, 0
        for bucket in self._asked:
            size = self._at_once(self._validation, bucket)
            for part in np.split(bucket, range(size, len(bucket), size)):
                result, count = self._compute_loss(model, self._validation, part)
                loss += result.loss.item() * count
                right += int(result.right)
                tokens += count
        mean = loss / tokens
        return Validation(loss=mean, accuracy=right / tokens, perfect=right == tokens, score=-mean)

    def _at_once(self, pairs: SentencePairs, bucket: NDArray[np.int64]) -> int:
        """Return the number of pairs of a bucket that fit into a batch."""
        longest = pairs.source.lengths[bucket].max() + pairs.target.lengths[bucket].max() + 2
        return min(len(bucket), max(1, self._config.batch_tokens // int(longest)))

    def _compute_loss(
        self,
        model: nn.Module,
        pairs: SentencePairs,
        numbers: NDArray[np.int64],
        noise: torch.Generator | None = None,
        smoothing: float = 0.0,
    ) -> tuple[LossAndHits, int]:
        """Return the loss over all tokens of these translations, and the number of these tokens."""
        device = device_of(model)
        assert isinstance(model, EncoderDecoder)
        source = send(torch.from_numpy(pairs.source.rows(numbers, pad=PAD, end=END)), device)
        rows = pairs.target.rows(numbers, pad=PAD, begin=BEGIN, end=END)
        target = send(torch.from_numpy(rows), device)
        positions = np.flatnonzero(rows[:, 1:] != PAD)  # here, so that nothing waits for the device
        places = send(torch.from_numpy(positions), device)
        with autocast(device, self._autocast):
            vectors, matrix = model.read_out(source, target[:, :-1], noise)
            targets, vectors = target[:, 1:].flatten()[places], vectors.flatten(0, 1)[places]
            result = token_loss(vectors, matrix, targets, smoothing=smoothing)
        return result, len(positions)


def buckets(pairs: SentencePairs, numbers: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Divide pairs into buckets of similar length: within a quarter, and 4 tokens, on each side.

    Sources are divided first, by steps of their length, and those of each step by their targets.
    """
    source, target = (_step_of(side.lengths[numbers]) for side in (pairs.source, pairs.target))
    order = np.lexsort((target, source))
    changes = np.diff(source[order]).astype(bool) | np.diff(target[order]).astype(bool)
    return np.split(numbers[order], np.flatnonzero(changes) + 1)


def _step_of(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return 0 for the shortest, 1 more with each step; steps grow from 4 tokens to a quarter."""
    return np.floor(np.log1p(lengths / 16) * 4.5).astype(np.int64)
