"""Labelled words: different words with their classes, each in one part.

A word belongs to a part by its hash h, a number from 0 to 1:

    test        0 <= h < test_share
    validation  test_share <= h < test_share + validation_share
    training    all others

So the part of a word depends on the word alone: not on its line, its label, or the other words.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from lengthwise.data.parts import TEST, TRAIN, VALID
from lengthwise.data.word_symbols import (
    format_word,
)

PARTS = (TRAIN, VALID, TEST)

Rows = NDArray[np.int64]
"""Numbers of words."""

ONE_LABEL = ("0", "1")
"""Names of the classes of words that all have one label: each is in the language, and has 1."""

_AT_ONCE = 2**22
"""Number of symbols that are moved at once."""


@dataclass(frozen=True, slots=True)
class LabelledWords:
    """Different words with their classes, in the order of their hashes, as memory maps."""

    alphabet: tuple[str, ...]
    class_names: tuple[str, ...]
    digest: str
    """Digest of words, labels, alphabet and classes: equal whatever file they are read from."""
    duplicates: int
    """Number of rows of the file that repeat an earlier word."""
    undecided: int
    """Number of words that are left out, as no label of theirs has more rows than each other."""
    symbols: NDArray[Any]
    ends: NDArray[np.int64]
    classes: NDArray[Any]
    hashes: NDArray[np.uint64]
    lines: NDArray[Any] | None = None
    """Rows of the file with the label of each word, and with its next most frequent one, `[word,
    2]`; None if labels are right, or no row repeats a word."""
    undecided_lines: int = 0
    """Rows with the most frequent label of the words that are left out."""

    def __len__(self) -> int:
        return len(self.classes)

    @property
    def have_one_label(self) -> bool:
        """Whether all words are of a language, and none shows what is outside it."""
        return self.class_names == ONE_LABEL and bool(np.all(self.classes))

    @classmethod
    def of(
        cls,
        words: Sequence[Sequence[int]],
        classes: Sequence[int],
        alphabet: tuple[str, ...],
        class_names: tuple[str, ...],
    ) -> "LabelledWords":
        """Return words that are given as numbers of symbols; equal words have one class."""
        hashed = b"".join(hash_of([alphabet[symbol] for symbol in word]) for word in words)
        hashes = np.frombuffer(hashed, dtype=">u8").astype(np.uint64).reshape(-1, 2)
        _, distinct = np.unique(hashes, axis=0, return_index=True)
        lengths = np.array([len(words[row]) for row in distinct], dtype=np.int64)
        arrays = {
            "words": np.array(
                [symbol for row in distinct for symbol in words[row]], dtype=np.int64
            ),
            "ends": np.concatenate([[0], np.cumsum(lengths)]),
            "classes": np.array(classes, dtype=np.int64)[distinct],
            "hashes": hashes[distinct, 0],
        }
        header = json.dumps([alphabet, class_names]).encode()
        digest = hashlib.sha256(header + b"".join(array.tobytes() for array in arrays.values()))
        return cls(
            alphabet=alphabet,
            class_names=class_names,
            digest=digest.hexdigest()[:16],
            duplicates=len(words) - len(distinct),
            undecided=0,
            symbols=arrays["words"],
            ends=arrays["ends"],
            classes=arrays["classes"],
            hashes=arrays["hashes"],
        )

    def rows(
        self, part: str, *, validation_share: float, test_share: float, max_length: int | None
    ) -> Rows:
        """Return the numbers of the words of a part, those of at most `max_length` symbols."""
        bounds = [0, test_share, test_share + validation_share]
        keys = np.array([min(int(share * 2**64), 2**64 - 1) for share in bounds], dtype=np.uint64)
        first, second, third = np.searchsorted(self.hashes, keys).tolist()
        ranges = {TEST: (first, second), VALID: (second, third), TRAIN: (third, len(self))}
        selected = np.arange(*ranges[part])
        return selected if max_length is None else selected[self.lengths(selected) <= max_length]

    def lengths(self, rows: Rows) -> NDArray[np.int64]:
        """Return the numbers of symbols of some words."""
        return self.ends[rows + 1] - self.ends[rows]

    def tokens(self, rows: Rows, pad: int, kind: DTypeLike = np.int64) -> NDArray[Any]:
        """Return the words `[word, place]`, right-aligned, with `pad` left of them."""
        lengths, longest = self.lengths(rows), self.longest(rows)
        padded = np.full((len(rows), longest), pad, dtype=kind)
        at_once = max(1, _AT_ONCE // max(longest, 1))
        for first in range(0, len(rows), at_once):
            part = slice(first, first + at_once)
            places = np.arange(longest) - (longest - lengths[part])[:, None]
            inside = places >= 0
            part_rows = rows[part]
            if (np.diff(part_rows) == 1).all():  # as those of a part of the file mostly are
                padded[part][inside] = self.symbols[
                    self.ends[part_rows[0]] : self.ends[part_rows[-1] + 1]
                ]
            else:
                padded[part][inside] = self.symbols[
                    (self.ends[part_rows][:, None] + places)[inside]
                ]
        return padded

    def longest(self, rows: Rows) -> int:
        """Return the greatest number of symbols of some words."""
        return int(self.lengths(rows).max(initial=0))

    def format_word(self, row: int) -> str:
        """Return a word as it is written."""
        symbols = self.symbols[self.ends[row] : self.ends[row + 1]].tolist()
        return format_word([self.alphabet[symbol] for symbol in symbols], self.alphabet)


def hash_of(word: Sequence[str]) -> bytes:
    """Return 128 bits that decide where a word belongs."""
    return hashlib.blake2b(" ".join(word).encode(), digest_size=16).digest()
