"""Pairs of an input and its output of equal length: labelled words whose label is the output."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from lengthwise.data.columns import Columns
from lengthwise.data.compressed_files import open_unpacked
from lengthwise.data.labelled_words import LabelledWords
from lengthwise.data.word_files import WordFile
from lengthwise.data.word_parts import WordParts, rows_of_part
from lengthwise.data.word_symbols import split_word
from lengthwise.data.words_reference import WordsReference
from lengthwise.errors import LanguageError, TextError
from lengthwise.inference.pairs.paired import Paired
from lengthwise.languages.validation import check_alphabet
from lengthwise.messages import format_count

_HEADING = re.compile(
    r'\s*"?(?P<word>input)"?\s*[\t,]\s*"?(?P<label>output)"?\s*|\{.*"input"\s*:.*', re.IGNORECASE
)
"""The first line of a file whose columns are `input` and `output`."""

_LOOKED_AT = 4_096
"""Number of bytes at the beginning of a file that show its columns."""


@dataclass(frozen=True, slots=True)
class PairedWords:
    """Different inputs, each with its output."""

    words: LabelledWords
    """The inputs; the names of their classes are the outputs."""
    outputs: tuple[str, ...]
    """The output symbols."""
    written: tuple[tuple[int, ...], ...]
    """The output of each class, as numbers of symbols."""

    def part(self, part: str, parts: WordParts, name: str) -> Paired:
        """Return the pairs of a part.

        Raises:
            TextError: there are none.
        """
        words = self.words
        rows = rows_of_part(words, part, parts, name)
        lengths = words.lengths(rows)
        inside = np.arange(int(lengths.max(initial=0))) < lengths[:, None]
        arrays = [np.zeros(inside.shape, dtype=np.int64) for _ in range(2)]
        arrays[0][inside] = words.tokens(rows, 0)[inside[:, ::-1]]
        classes = np.asarray(words.classes)[rows].tolist()
        arrays[1][inside] = [symbol for number in classes for symbol in self.written[number]]
        return Paired(
            inputs=arrays[0],
            outputs=arrays[1],
            lengths=lengths,
            num_symbols=len(words.alphabet),
            num_outputs=len(self.outputs),
        )


def columns_of_pairs(file: Path, columns: Columns) -> Columns:
    """Return the columns of a file of pairs: `input` and `output` where its first line names them
    and the user no others."""
    if columns.are_named or not file.is_file():
        return columns
    with open_unpacked(file) as unpacked:
        first = unpacked.read(_LOOKED_AT).partition(b"\n")[0]
    heading = _HEADING.fullmatch(first.decode(errors="replace").strip())
    if heading is None:
        return columns
    word, label = heading["word"] or "input", heading["label"] or "output"
    return replace(columns, word=word, label=label)


def load_pairs(reference: WordsReference, moved: Path | str | None = None) -> PairedWords:
    """Return the pairs that a reference to a file of labelled words names.

    Raises:
        TextError: the file is missing or has changed; an output has another length than its input,
            and the message has its line; or all pairs have one output, or one output symbol.
    """
    words, name = reference.load(moved), f"pairs:{reference.shown}"
    file = WordFile.of(Path(moved or reference.shown), reference.columns)
    if words.have_one_label:
        _require_equal_lengths(file, words, _are_separated([next(file.rows()).label]))
        raise TextError(f"{name}: all pairs have one output. Give more pairs.")
    spaced = _are_separated(words.class_names)
    split = [split_word(each, spaced) for each in words.class_names]
    if not has_pairs(words) or (words.duplicates and reference.by_majority):
        _require_equal_lengths(file, words, spaced)
    outputs = tuple(sorted({symbol for each in split for symbol in each}))
    try:
        check_alphabet(outputs)
    except LanguageError as error:
        raise TextError(f"{name}: the outputs are not words: {error}") from None
    if len(outputs) == 1:
        raise TextError(
            f"{name}: all outputs have the symbol {outputs[0]!r:.40} alone, so there is nothing to "
            f"infer. Give pairs with others, too."
        )
    number = {symbol: index for index, symbol in enumerate(outputs)}
    written = tuple(tuple(number[symbol] for symbol in each) for each in split)
    return PairedWords(words, outputs, written)


def has_pairs(words: LabelledWords) -> bool:
    """Return whether the label of every word has as many symbols as the word."""
    spaced = _are_separated(words.class_names)
    lengths = np.array([len(split_word(each, spaced)) for each in words.class_names])
    return bool((lengths[np.asarray(words.classes)] == np.diff(words.ends)).all())


def _are_separated(outputs: Iterable[str]) -> bool:
    """Return whether spaces separate the symbols of outputs, since one has several characters."""
    separated = (output.split(" ") for output in outputs if " " in output)
    return any(len(part) > 1 for parts in separated for part in parts)


def _require_equal_lengths(file: WordFile, words: LabelledWords, spaced: bool) -> None:
    """Refuse the first pair of unequal length."""
    spaced_input = any(len(symbol) > 1 for symbol in words.alphabet)
    for row in file.rows():
        counts = len(split_word(row.word, spaced_input)), len(split_word(row.label, spaced))
        if counts[0] != counts[1]:
            shown = row.word if isinstance(row.word, str) else " ".join(row.word)
            raise TextError(
                f"{file.place(row.place)}: an output has the length of its input, but "
                f"{shown!r:.40} has {format_count(counts[0], 'symbol')} and {row.label!r:.40} has "
                f"{counts[1]}. Write a symbol for each symbol."
            )
