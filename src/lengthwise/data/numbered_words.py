"""Read a file of labelled words row by row; each symbol and label becomes a number."""

import hashlib
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import IO

import numpy as np
from numpy.typing import NDArray

from lengthwise.data.formats.plain_block import PlainBlock
from lengthwise.data.formats.reader import Row
from lengthwise.data.formats.separated import CommaSeparated, TabSeparated
from lengthwise.data.labelled_words import hash_of
from lengthwise.data.word_files import WordFile
from lengthwise.data.word_symbols import MixedSpaces, Names, is_spaced, split_word
from lengthwise.errors import TextError

SYMBOLS = np.dtype(np.uint16)
"""Type of symbols before all of them are known."""

_FEW = 50
"""Least number of lines in which the first may be taken for a heading."""

_WORDS = {"word", "words", "text", "string", "sequence", "sentence", "input"}
_LABELS = {"label", "labels", "class", "target", "output"}
"""Names of columns: a first line of two of them is a heading, however short the file."""


@dataclass(slots=True)
class NumberedWords:
    """The words of a file as they were read: symbols and classes as numbers of first meeting."""

    symbols: dict[str, int]
    classes: dict[str, int]
    raw: NDArray[np.uint16]
    lengths: NDArray[np.int64]
    labels: NDArray[np.int64]
    places: NDArray[np.int64]
    hashes: NDArray[np.uint64]
    """128 bits of each word, `[row, half]`."""
    is_stated: bool
    counts: NDArray[np.int64]
    """Number of rows that each one stands for."""
    written: dict[str, str]
    """The name by which each symbol was first written."""
    is_spaced: bool
    mixed: MixedSpaces


class _Numbering:
    """The words that were numbered so far; their symbols are in a file."""

    def __init__(self, source: WordFile, alphabet: tuple[str, ...] | None, file: IO[bytes]) -> None:
        self.source, self.file = source, file
        several = None if alphabet is None else any(len(symbol) > 1 for symbol in alphabet)
        self.spaced = is_spaced(source) if several is None else several
        symbols = {symbol: number for number, symbol in enumerate(alphabet or ())}
        self.names = Names(symbols, alphabet is not None)
        self.classes: dict[str, int] = {}
        self.lengths, self.labels, self.places = array("q"), array("q"), array("q")
        self.hashes = bytearray()
        self.first: Row | None = None
        self.mixed = MixedSpaces()

    def read(self) -> None:
        """Read all words."""
        for block in self.source.blocks():
            if not isinstance(block, PlainBlock):
                self._read_rows(block)
            elif self.spaced or not self._read_plain(block):
                self._read_rows(
                    Row(*row)
                    for row in zip(block.places.tolist(), block.words(), block.labels, strict=True)
                )
        self.file.flush()
        if not self.names.is_stated:
            self.mixed.refuse(self.source)

    def _read_rows(self, rows: Iterable[Row]) -> None:
        names, numbers, symbols_out = self.names, self.names.numbers, array(SYMBOLS.char)
        symbols = list(names.symbols)
        for row in rows:
            self.first = self.first or row
            word = split_word(row.word, self.spaced)
            if not numbers.keys() >= set(word):
                names.meet(self.source, row, word, self.spaced)
                symbols = list(names.symbols)
            word_numbers = [numbers[name] for name in word]
            symbols_out.extend(word_numbers)
            self.lengths.append(len(word))
            self.labels.append(self.classes.setdefault(row.label, len(self.classes)))
            self.places.append(row.place)
            self.hashes += hash_of([symbols[number] for number in word_numbers])
            if self.spaced:
                self.mixed.note(row)
        self.file.write(symbols_out.tobytes())

    def _read_plain(self, block: PlainBlock) -> bool:
        """Read words whose symbols are one byte each; return False if one is unknown."""
        content, lengths = block.symbols(), block.lengths
        if len(block) and self.first is None:
            self.first = Row(int(block.places[0]), block.words()[0], block.labels[0])
        bytes_seen, firsts = np.unique(content, return_index=True)
        table = np.zeros(256, dtype=SYMBOLS)
        for byte in bytes_seen[np.argsort(firsts)].tolist():
            symbol = chr(byte)
            if self.names.is_stated and symbol not in self.names.symbols:
                return False
            number = self.names.symbols.setdefault(symbol, len(self.names.symbols))
            self.names.numbers[symbol] = table[byte] = number
            self.names.written[symbol] = symbol
        self.file.write(table[content].tobytes())
        self.lengths.frombytes(lengths.astype(np.int64).tobytes())
        self.places.frombytes(block.places.astype(np.int64).tobytes())
        classes = self.classes
        for label in dict.fromkeys(block.labels):
            classes.setdefault(label, len(classes))
        self.labels.extend([classes[label] for label in block.labels])
        spaced = np.full(2 * len(content), ord(" "), dtype=np.uint8)  # as `hash_of` joins symbols
        spaced[::2] = content
        view, ends = spaced.data, 2 * np.cumsum(lengths)
        bounds = zip((ends - 2 * lengths).tolist(), np.maximum(ends - 1, 0).tolist(), strict=True)
        make = hashlib.blake2b
        self.hashes += b"".join(
            [make(view[start:end], digest_size=16).digest() for start, end in bounds]
        )
        return True


def number_words(
    source: WordFile, alphabet: tuple[str, ...] | None, file: IO[bytes]
) -> NumberedWords:
    """Read the words of a file in blocks; symbols go into another file."""
    numbering = _Numbering(source, alphabet, file)
    numbering.read()
    symbols, lengths, labels = numbering.names.symbols, numbering.lengths, numbering.labels
    if not lengths:
        raise TextError(f"{source} has no words. Write a word and its label on each line.")
    if not symbols:
        raise TextError(f"{source} has no symbol, only the empty word. Give more words.")
    first = numbering.first
    is_table = isinstance(source.reader, TabSeparated | CommaSeparated)
    if alphabet is None and first is not None and is_table and not source.columns.are_named:
        _require_no_heading(source, first, list(symbols), file, lengths=lengths, labels=labels)
    return NumberedWords(
        symbols=symbols,
        classes=numbering.classes,
        raw=np.memmap(file, dtype=SYMBOLS, mode="r") if any(lengths) else np.zeros(0, SYMBOLS),
        lengths=np.array(lengths),
        labels=np.array(labels),
        places=np.array(numbering.places),
        hashes=np.frombuffer(numbering.hashes, dtype=">u8").astype(np.uint64).reshape(-1, 2),
        is_stated=alphabet is not None,
        counts=np.ones(len(lengths), dtype=np.int64),
        written=numbering.names.written,
        is_spaced=numbering.spaced,
        mixed=numbering.mixed,
    )


def _require_no_heading(
    source: WordFile,
    first: Row,
    symbols: Sequence[str],
    file: IO[bytes],
    *,
    lengths: Sequence[int],
    labels: Sequence[int],
) -> None:
    """Refuse a first line that is not a word.

    It has names of columns, or its label, beside two others, and one of its symbols are its own.

    In a few lines the latter may be chance. Symbols and labels are numbered as they are first met.
    """
    remedy = (
        "Write word<TAB>label in its place, name the columns with --columns word=...,label=..., "
        "or, if it is a word, give all symbols with --alphabet (in Python, columns=, alphabet=)."
    )
    names = [str(name).strip() for name in (first.word, first.label)]
    columns = [name.lower() for name in names]
    fields = [repr(name) for name in (names if source.columns.label else names[:1])]
    if {*columns} <= _WORDS | _LABELS or (not source.columns.label and columns[0] in _WORDS):
        raise TextError(
            f"{source.place(first.place)} seems to be a heading, {' and '.join(fields)}. {remedy}"
        )
    if len(labels) < _FEW or labels.count(0) > 1 or max(labels) < 2:
        return
    file.seek(0)
    first_symbols = np.fromfile(file, SYMBOLS, lengths[0])
    other_symbols = np.unique(np.fromfile(file, SYMBOLS))
    alone = np.setdiff1d(first_symbols, other_symbols)
    if len(alone):
        raise TextError(
            f"{source.place(first.place)} seems to be a heading: no other line has the label "
            f"{first.label!r:.40} or the symbol {symbols[alone[0]]!r:.40}. {remedy}"
        )
