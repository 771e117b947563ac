"""Files of labelled words, read one row at a time.

words.tsv               WORD<TAB>LABEL on each line; a first line `word<TAB>label` is a heading
words.jsonl             {"word": ..., "label": ...} on each line; a word is a text or a list
words.tsv.gz, .xz, .zst the same, unpacked as it is read
folder                  a dataset that `datasets` saved, with columns `word` and `label`
"""

import hashlib
from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from lengthwise.data.extra import require_extra
from lengthwise.data.packed import PACKED, decoded, opened
from lengthwise.errors import TextError, suggestion
from lengthwise.files import parse_json

WORD, LABEL = "word", "label"
"""The columns."""

TABLES, OBJECTS = (".tsv",), (".jsonl", ".ndjson")
"""Endings of files with two fields on a line, and with an object on a line."""

_SAVED = "state.json"
"""File that `datasets` writes into the folder of a dataset."""

_SEVERAL = "dataset_dict.json"
"""File that it writes into a folder of several datasets."""


class Row(NamedTuple):
    """A labelled word as it is written."""

    place: int
    """Number of its line, or of its row in a dataset, from 1."""
    word: str | list[str]
    """The word as a text, or as a list of symbols."""
    label: str


def read_rows(path: Path) -> Iterator[Row]:
    """Yield the labelled words of a file, or of the folder of a dataset.

    Raises:
        TextError: it cannot be read, or a line is no labelled word; the message has its number.
        ConfigError: a library that it needs is not installed.
    """
    require_kind(path)
    if path.is_dir():
        yield from _rows_of_dataset(path)
        return
    one = _of_table if word_kind(path) in TABLES else _of_object
    with opened(path) as file:
        is_first = True
        for number, content in enumerate(file, start=1):
            line = decoded(content, path, number - 1).rstrip("\r\n")
            if not line:
                continue
            if not (is_first and line.lower().split("\t") == [WORD, LABEL]):
                yield one(line, number, place_of(path, number))
            is_first = False


def place_of(path: Path, place: int) -> str:
    """Return the words by which a message names a line of a file or a row of a dataset."""
    return f"{path}, {'row' if path.is_dir() else 'line'} {place}"


def word_kind(path: Path) -> str:
    """Return the ending that names the format of a file of words, without that of a packer."""
    name = path.with_suffix("") if path.suffix.lower() in PACKED else path
    return name.suffix.lower()


def require_kind(path: Path) -> None:
    """Refuse a path at which there is no file of labelled words, by its name.

    Raises:
        TextError: there is none.
    """
    if not path.exists():
        raise TextError(f"{path} is not there. Give a file of labelled words, .tsv or .jsonl.")
    if path.is_dir():
        if (path / _SEVERAL).exists():
            parts = sorted(each.name for each in path.iterdir() if (each / _SAVED).exists())
            raise TextError(
                f"{path} holds several datasets, {', '.join(parts)}. Give one of them, such as "
                f"words:{path / next(iter(parts), 'train')}."
            )
        if not (path / _SAVED).exists():
            raise TextError(
                f"{path} is a folder, but no dataset that `save_to_disk` of the library datasets "
                f"wrote. Give one, or a .tsv or .jsonl file."
            )
    elif word_kind(path) not in (*TABLES, *OBJECTS):
        raise TextError(
            f"{path} is none of {', '.join((*TABLES, *OBJECTS))}, packed or not "
            f"({', '.join(PACKED)}). Write WORD<TAB>LABEL on each line of a .tsv file."
        )


def digest_of_source(path: Path) -> str:
    """Return the SHA-256 of a file, or of the names and contents of all files of a folder.

    Raises:
        TextError: it cannot be read.
    """
    total = hashlib.sha256()
    files = sorted(each for each in path.rglob("*") if each.is_file()) if path.is_dir() else [path]
    try:
        for each in files:
            with each.open("rb") as file:
                content = hashlib.file_digest(file, "sha256").hexdigest()
            total.update(f"{each.relative_to(path).as_posix()} {content}\n".encode())
    except OSError as error:
        raise TextError(f"{path} cannot be read: {error.strerror}. Give a file.") from None
    return total.hexdigest()


def _of_table(line: str, number: int, where: str) -> Row:
    fields = line.split("\t")
    if len(fields) != 2:
        found = "has no tab" if len(fields) == 1 else f"has {len(fields) - 1} tabs"
        raise TextError(f"{where} {found}. Write WORD<TAB>LABEL.")
    label = _label(fields[1], where)
    if len(label) > 1 and label[0] == label[-1] == '"':  # as spreadsheets write them
        raise TextError(
            f"{where}: the label {label:.40} stands in quotes, which a .tsv file takes as part of "
            f"it, and of words. Leave them out, or write .jsonl."
        )
    return Row(number, fields[0], label)


def _of_object(line: str, number: int, where: str) -> Row:
    try:
        found = parse_json(line)
    except ValueError as error:
        raise TextError(f"{where}: not JSON ({error}). Write one object a line.") from None
    if not isinstance(found, dict):
        raise TextError(
            f'{where}: no object. Write {{"{WORD}": "0110", "{LABEL}": "1"}} on each line.'
        )
    return _of_record(found, number, where)


def _of_record(record: Mapping[str, Any], number: int, where: str) -> Row:
    for name in (WORD, LABEL):
        if name not in record:
            raise TextError(f"{where} has no {name}. {suggestion(name, record)}")
        if record[name] is None:
            raise TextError(f"{where}: the {name} is null. Give a text, or leave the line out.")
    return Row(number, _word(record[WORD], where), _label(record[LABEL], where))


def _label(value: object, where: str) -> str:
    """Return a label as a text; whole numbers and truth values are written as JSON does."""
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str | int):
        raise TextError(f"{where}: a label is a text, but it is {value!r:.40}. Write a text.")
    label = str(value).strip()
    if not label:
        raise TextError(f"{where} has no label. Write one for each word.")
    if not label.isprintable():
        raise TextError(f"{where}: the label {label!r:.40} has a character that cannot be printed.")
    return label


def _word(value: object, where: str) -> str | list[str]:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(
        isinstance(each, str | int) and not isinstance(each, bool) for each in value
    ):
        return [str(each) for each in value]
    raise TextError(f"{where}: a word is a text or a list of symbols, but it is {value!r:.40}.")


def _rows_of_dataset(path: Path) -> Iterator[Row]:
    require_extra("datasets")
    import datasets  # noqa: PLC0415

    try:
        table = datasets.load_from_disk(str(path))
        columns = table.column_names
    except (OSError, ValueError, RuntimeError, KeyError) as error:
        why = (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
        raise TextError(f"{path} cannot be read as a dataset: {why:.200}. Save it again.") from None
    for name in (WORD, LABEL):
        if name not in columns:
            raise TextError(f"{path} has no column {name!r}. {suggestion(name, columns)}")
    names = getattr(table.features[LABEL], "names", None)  # of a ClassLabel, which stores numbers
    for number, record in zip(count(1), table.select_columns([WORD, LABEL]), strict=False):
        if names is not None and isinstance(record[LABEL], int):
            record[LABEL] = names[record[LABEL]] if record[LABEL] >= 0 else None
        yield _of_record(record, number, place_of(path, number))
