"""Sentence pairs of a source of parallel text, read one at a time.

verses.tsv                a table with a header line; two of its columns are the languages
train.en,train.vi         two files, where line n of one translates line n of the other
hf:NAME[:CONFIG[:SPLIT]]  a dataset of the Hugging Face hub, streamed: rows that have a
                          `translation` of both languages, or both as columns
numbers                   made-up pairs: the `digits` of a number and its `words`

Files may be packed (.xz, .gz, .zst). Lines end with a line feed alone: other characters that some
take for line ends are text. Texts are brought to NFC, without white space around them.
"""

import hashlib
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from lengthwise.data.compressed_files import PACKED, decode_text, open_unpacked
from lengthwise.errors import ConfigError, TextError, suggestion
from lengthwise.text.data.documents import HUB, hub_parts, hub_rows, text_of_document
from lengthwise.text.data.numbers import DIGITS, WORDS, number_pairs

NUMBERS = "numbers"
_TABLE = ".tsv"
_NO_LINES = (_TABLE, ".csv", ".json", ".jsonl", ".ndjson", ".parquet")

_FORMS = f"FILE{_TABLE}, SOURCE_FILE,TARGET_FILE, {HUB}NAME for a dataset, or {NUMBERS}"

RECOGNISED = {
    (
        "15ead8ee3fb979c06b314594e1d2602d4308c1e5",
        "985cf3b6bb7aeda61cc06f439e3a7e0327470661",
    ): "IWSLT'15 English-Vietnamese, train"
}
"""Files that are known by their git blob ids, with what they are."""


class SentencePair(NamedTuple):
    """A sentence and its translation."""

    line: int
    """Line that it was read from, counted from 1; in a dataset, its row."""
    source: str
    target: str


def read_pairs(
    source: str,
    languages: tuple[str, str],
    split: str = "train",
    *,
    dropped: Callable[[int], None] | None = None,
) -> Iterator[SentencePair]:
    """Return the pairs of a source, one after the other, in the order of the source.

    A pair with an empty side is left out: `dropped` is called with its line. `split`, that is
    `train`, `valid` or `test`, says which part of a dataset or of the numbers is read.

    Raises:
        TextError: the source is missing, or something in it is not a pair; the message has the
            line.
        ConfigError: the languages are not two, or a library that it needs is not installed.
    """
    require_languages(languages)
    for line, source_text, other in _read(source, languages, split):
        pair = SentencePair(line, normalise(source_text), normalise(other))
        if pair.source and pair.target:
            yield pair
        elif dropped:
            dropped(line)


def require_languages(languages: tuple[str, str]) -> None:
    """Raise `ConfigError` unless there are two, with names."""
    if len(languages) != 2 or not all(languages) or languages[0] == languages[1]:
        raise ConfigError(
            f"parallel text has two different languages, but got {', '.join(languages)!r}. Name "
            f"two, such as en,vi."
        )


def normalise(text: str) -> str:
    """Return a string in NFC and on one line, without white space around it."""
    return unicodedata.normalize("NFC", text).replace("\n", " ").strip()


def recognise_files(source: str, known: Mapping[tuple[str, str], str] = RECOGNISED) -> str | None:
    """Return the name of two files that are known; packed files never are."""
    paths = source_files(source)
    if len(paths) != 2 or any(path.suffix.lower() in PACKED for path in paths):
        return None
    first, other = map(git_blob_id, paths)
    return known.get((first, other)) or known.get((other, first))


def git_blob_id(path: Path | str) -> str:
    """Return the git blob id of a file: 40 hex digits.

    Raises:
        TextError: it cannot be read.
    """
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise TextError(f"{path} cannot be read: {error.strerror}. Give a file.") from None
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def source_files(source: str) -> tuple[Path, ...]:
    """Return the files that a source is read from: one, two or none."""
    if source == NUMBERS or source.startswith(HUB):
        return ()
    if source.count(",") == 1 and not Path(source).is_file():
        first, other = source.split(",")
        return Path(first), Path(other)
    return (Path(source),)


def _read(source: str, languages: tuple[str, str], split: str) -> Iterator[tuple[int, str, str]]:
    """Yield lines with both texts, unchanged."""
    if source == NUMBERS:
        return _of_numbers(languages, split)
    if source.startswith(HUB):
        return _of_hub(source, languages, split)
    paths = source_files(source)
    for path in paths:
        if not path.is_file():
            raise TextError(f"{path} is not an existing file. Give {_FORMS}.")
    kinds = [_kind(path) for path in paths]
    if len(paths) == 2:
        for path, kind in zip(paths, kinds, strict=True):
            if kind in _NO_LINES:
                raise TextError(
                    f"{path} is a table, and two files of parallel text are plain lines. Give "
                    f"{_FORMS}."
                )
        return _of_lines(*paths)
    if kinds != [_TABLE]:
        raise TextError(f"{source} is not parallel text. Give {_FORMS}.")
    return _of_table(paths[0], languages)


def _kind(path: Path) -> str:
    """Return the ending that says what a file is, however it is packed."""
    return (path.with_suffix("") if path.suffix.lower() in PACKED else path).suffix.lower()


def _of_numbers(languages: tuple[str, str], split: str) -> Iterator[tuple[int, str, str]]:
    for line, pair in enumerate(number_pairs(split), 1):
        row = dict(zip((DIGITS, WORDS), pair, strict=True))
        first, other = (_side(row, name, f"the {NUMBERS} have") for name in languages)
        yield line, first, other


def _of_hub(source: str, languages: tuple[str, str], split: str) -> Iterator[tuple[int, str, str]]:
    name, *which = hub_parts(source, split)
    rows = hub_rows(name, *which, instead=f"file that ends in {_TABLE}")
    for line, row in enumerate(rows, 1):
        pair = row.get("translation")
        pair = pair if isinstance(pair, Mapping) else row
        first, other = (
            _side(pair, language, f"the dataset {name}, row {line}:") for language in languages
        )
        yield line, first, other


def _side(row: Mapping[str, Any], language: str, where: str) -> str:
    """Return the text of a language, which may be null in a dataset."""
    return "" if row.get(language, "") is None else text_of_document(row, language, where)


def _of_lines(source: Path, target: Path) -> Iterator[tuple[int, str, str]]:
    counts = [0, 0]
    for line, pair in enumerate(zip_longest(_lines(source), _lines(target)), 1):
        first, other = pair
        counts = [count if text is None else line for count, text in zip(counts, pair, strict=True)]
        if first is not None and other is not None:
            yield line, first, other
    if counts[0] != counts[1]:
        raise TextError(
            f"line n of one file translates line n of the other, but {source} has {counts[0]:,} "
            f"lines and {target} has {counts[1]:,}. Give files that were aligned."
        )


def _of_table(path: Path, languages: tuple[str, str]) -> Iterator[tuple[int, str, str]]:
    lines = _lines(path)
    columns = [name.strip() for name in next(lines, "").split("\t")]
    for name in languages:
        if columns.count(name) != 1:
            count = columns.count(name)
            known = f"Name another. {suggestion(name, columns)}" if not count else "Rename one."
            raise TextError(
                f"{path}: a language is one column of the header line, but {name!r} is "
                f"{count or 'none'} of them. {known}"
            )
    first, other = map(columns.index, languages)
    for line, text in enumerate(lines, 2):
        if not text.strip():
            yield line, "", ""
            continue
        row = text.split("\t")
        if len(row) != len(columns):
            raise TextError(
                f"{path}, line {line}: the header line has {len(columns)} columns, but this row "
                f"has {len(row)}. Repair the line."
            )
        yield line, row[first], row[other]


def _lines(path: Path) -> Iterator[str]:
    with open_unpacked(path) as file:
        for number, line in enumerate(file):
            yield decode_text(line.removesuffix(b"\n"), path, number)
