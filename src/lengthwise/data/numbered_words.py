"""Read a file of labelled words row by row; each symbol and label becomes a number."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from lengthwise.data.labelled_words import hash_of
from lengthwise.data.word_files import (
    TABLES,
    Row,
    place_of,
    read_rows,
    word_kind,
)
from lengthwise.data.word_symbols import (
    MixedSpaces,
    is_spaced,
    refuse_symbol,
    require_few_symbols,
    require_plain_symbols,
    split_word,
)
from lengthwise.errors import TextError

SYMBOLS = np.dtype(np.uint32)
"""Type of symbols while not all of them are known."""

_FEW = 50
"""Least number of lines of which the first may be taken for a heading."""

_WORDS = {"word", "words", "text", "string", "sequence", "sentence", "input"}
_LABELS = {"label", "labels", "class", "target", "output"}
"""Names of columns: a first line of two of them is a heading, however short the file."""


@dataclass(slots=True)
class NumberedWords:
    """The words of a file as they were read: symbols and classes as numbers of first meeting."""

    symbols: dict[str, int]
    classes: dict[str, int]
    raw: NDArray[np.uint32]
    lengths: NDArray[np.int64]
    labels: NDArray[np.int64]
    places: NDArray[np.int64]
    hashes: NDArray[np.uint64]
    """128 bits of each word, `[row, half]`."""
    is_stated: bool


def number_words(path: Path, alphabet: tuple[str, ...] | None, file: IO[bytes]) -> NumberedWords:
    """Read the rows of a file one by one; symbols go into another file."""
    spaced = is_spaced(path) if alphabet is None else any(len(each) > 1 for each in alphabet)
    symbols = {symbol: number for number, symbol in enumerate(alphabet or ())}
    classes: dict[str, int] = {}
    lengths, labels, places, hashes = array("q"), array("q"), array("q"), bytearray()
    first: Row | None = None
    mixed = MixedSpaces()
    for row in read_rows(path):
        first = first or row
        word = split_word(row.word, spaced)
        if not symbols.keys() >= set(word):
            if alphabet is not None:
                refuse_symbol(path, row, alphabet, spaced)
            require_plain_symbols(path, row, word, spaced)
            for symbol in word:
                symbols.setdefault(symbol, len(symbols))
        file.write(np.array([symbols[each] for each in word], dtype=SYMBOLS).tobytes())
        lengths.append(len(word))
        labels.append(classes.setdefault(row.label, len(classes)))
        places.append(row.place)
        hashes += hash_of(word)
        if alphabet is None and spaced:
            mixed.note(row)
    file.flush()
    mixed.refuse(path)
    if not lengths:
        raise TextError(f"{path} has no words. Write a word and its label on each line.")
    if len(classes) < 2:
        raise TextError(
            f"{path} has one class only, {next(iter(classes))!r:.60}, so there is nothing to "
            f"learn. Give words of two classes or more."
        )
    if not symbols:
        raise TextError(f"{path} has no symbol, only the empty word. Give more words.")
    if alphabet is None and first is not None and word_kind(path) in TABLES:
        _require_no_heading(path, first, list(symbols), file, lengths=lengths, labels=labels)
    require_few_symbols(path, tuple(symbols))
    return NumberedWords(
        symbols=symbols,
        classes=classes,
        raw=np.memmap(file, dtype=SYMBOLS, mode="r") if any(lengths) else np.zeros(0, SYMBOLS),
        lengths=np.array(lengths),
        labels=np.array(labels),
        places=np.array(places),
        hashes=np.frombuffer(bytes(hashes), dtype=">u8").astype(np.uint64).reshape(-1, 2),
        is_stated=alphabet is not None,
    )


def _require_no_heading(
    path: Path,
    first: Row,
    symbols: Sequence[str],
    file: IO[bytes],
    *,
    lengths: Sequence[int],
    labels: Sequence[int],
) -> None:
    """Refuse a first line that is no word.

    It has names of columns, or its label, beside two others, and one of its symbols are its own.

    In a few lines the latter may be chance. Symbols and labels are numbered as they are first met.

    Raises:
        TextError: there is such a line.
    """
    remedy = (
        "Write word<TAB>label in its place, or, if it is a word, give all symbols with --alphabet "
        "(in Python, alphabet=)."
    )
    names = [str(name).strip() for name in (first.word, first.label)]
    columns = [name.lower() for name in names]
    if {*columns} <= _WORDS | _LABELS:
        is_swapped = columns[0] in _LABELS
        raise TextError(
            f"{place_of(path, first.place)} seems to be a heading, {names[0]!r} and {names[1]!r}. "
            + ("The word comes first on each line; put the columns so. " if is_swapped else "")
            + remedy
        )
    if len(labels) < _FEW or labels.count(0) > 1 or max(labels) < 2:
        return
    file.seek(0)
    own = np.fromfile(file, SYMBOLS, lengths[0])
    others = np.unique(np.fromfile(file, SYMBOLS))
    alone = np.setdiff1d(own, others)
    if len(alone):
        raise TextError(
            f"{place_of(path, first.place)} seems to be a heading: no other line has the label "
            f"{first.label!r:.40} or the symbol {symbols[alone[0]]!r:.40}. {remedy}"
        )
