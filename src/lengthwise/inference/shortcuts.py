"""Shortcuts: rules that answer from very little of a word, and learn what to answer from others.

Each shortcut looks at some features of a word and answers with the class that was most frequent
among words with the same features; for features that it has not seen, by the length; for a length
that it has not seen, with the most frequent class of all.

- majority: no features; one answer for all words
- length only: the length
- symbol counts: the length, which symbols occur, and for each two which occurs more often: that is,
  the rank of each symbol by its number of occurrences
- first and last symbol: the length, and these two symbols

Axes:
    word   words
    place  places of words, which are right-aligned; there is padding left of them
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lengthwise.inference.sample import Sample

Array = NDArray[np.int64]

SHORTCUTS = ("majority", "length only", "symbol counts", "first and last symbol")
"""Names of the shortcuts, from the least informed to the best informed."""

_LEARNT = 200_000
"""Greatest number of words of a sample that shortcuts learn from."""

_MOST_FEATURES = 2**23
"""Greatest number of features of words that are held at once."""


class ClassedWords(NamedTuple):
    """Words `[word, place]` with their classes; what is not a symbol is padding."""

    tokens: Array
    lengths: Array
    classes: Array


Feature = Callable[[Array, int], Array]
"""Returns the features of words `[word, feature]`, from their tokens and the number of symbols."""


def best_shortcut(train: Sample, held_out: Sample) -> tuple[str, int]:
    """Return the shortcut that is right on most words, learnt from others, and on how many."""
    symbols, classes = train.num_symbols, train.num_classes
    seen = _parts(train.part(np.arange(len(train))[-_LEARNT:]), symbols)
    right = right_answers(seen, _parts(held_out, symbols), symbols, classes)
    return max(right.items(), key=lambda item: item[1])


def _parts(sample: Sample, num_symbols: int) -> list[ClassedWords]:
    width = sample.symbols.shape[1]
    at_once = max(1, _MOST_FEATURES // max(num_symbols, width))
    places = np.arange(width - 1, 0, -1)
    return [
        ClassedWords(
            np.where(lengths[:, None] >= places, sample.symbols[rows, :0:-1].astype(np.int64), -1),
            lengths,
            sample.classes[rows],
        )
        for start in range(0, max(len(sample), 1), at_once)
        for rows in [slice(start, start + at_once)]
        for lengths in [sample.lengths[rows]]
    ]


def right_answers(
    seen: Sequence[ClassedWords], tested: Sequence[ClassedWords], num_symbols: int, num_classes: int
) -> dict[str, int]:
    """Return the number of right answers of each shortcut, learnt from other words."""
    classes, true = (np.concatenate([words.classes for words in part]) for part in (seen, tested))

    def answer(feature: Feature | None, otherwise: Array) -> Array:
        known, new = (
            np.concatenate([_with_length(words, feature, num_symbols) for words in part])
            for part in (seen, tested)
        )
        return _most_frequent(known, classes, new, otherwise, num_classes)

    majority = np.full(len(true), np.bincount(classes, minlength=num_classes).argmax())
    by_length = answer(None, majority)
    answers = (
        majority,
        by_length,
        *(answer(feature, by_length) for feature in (rank_counts, ends)),
    )
    return {
        name: int((answer == true).sum()) for name, answer in zip(SHORTCUTS, answers, strict=True)
    }


def rank_counts(tokens: Array, num_symbols: int) -> Array:
    """Return the rank of each symbol by how often it occurs, 0 if it does not occur.

    The ranks say for each two symbols which occurs more often. Those that occur equally often have
    one rank.
    """
    words = len(tokens)
    inside = (tokens >= 0) & (tokens < num_symbols)
    flat = np.nonzero(inside)[0] * num_symbols + tokens[inside]
    counts = np.bincount(flat, minlength=words * num_symbols).reshape(words, num_symbols)
    order = counts.argsort(axis=1)
    climbing = np.diff(np.take_along_axis(counts, order, axis=1), axis=1, prepend=0) > 0
    ranks = np.empty_like(counts)
    np.put_along_axis(ranks, order, climbing.cumsum(axis=1), axis=1)
    return ranks


def ends(tokens: Array, num_symbols: int) -> Array:
    """Return the first and the last symbol."""
    if tokens.shape[1] == 0:
        return np.zeros((len(tokens), 2), dtype=np.int64)
    first = ((tokens >= 0) & (tokens < num_symbols)).argmax(axis=1)
    return np.stack([tokens[np.arange(len(tokens)), first], tokens[:, -1]], axis=1)


def _with_length(words: ClassedWords, feature: Feature | None, num_symbols: int) -> Array:
    """Return one integer for each combination of length and features (a hash of 64 bits)."""
    values = words.lengths[:, None]
    if feature is not None:
        values = np.concatenate([values, feature(words.tokens, num_symbols)], axis=1)
    factors = np.random.default_rng(0).integers(-(2**62), 2**62, values.shape[1])
    return (values * factors).sum(axis=1)


def _most_frequent(
    seen: Array, classes: Array, tested: Array, otherwise: Array, num_classes: int
) -> Array:
    """Return the most frequent class of the words seen with the same key, or `otherwise`.

    Of classes that are equally frequent, the first is returned.
    """
    keys, which = np.unique(seen, return_inverse=True)
    pairs, counts = np.unique(which * num_classes + classes, return_counts=True)
    order = np.lexsort((pairs, -counts, pairs // num_classes))
    firsts = order[np.diff(pairs[order] // num_classes, prepend=-1) != 0]
    best = pairs[firsts] % num_classes
    place = np.minimum(np.searchsorted(keys, tested), len(keys) - 1)
    return np.where(keys[place] == tested, best[place], otherwise)
