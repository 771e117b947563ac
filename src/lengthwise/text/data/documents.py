"""Documents of files, folders and datasets, read one at a time.

notes.txt                  one document
books.jsonl                one a line: an object with a column `text`
books.jsonl.xz, .gz, .zst  the same, unpacked as it is read; so is .txt.xz
folder                     all such files in it, in the order of their paths
hf:NAME                    a dataset of the Hugging Face hub, streamed; also hf:NAME:CONFIG, and
                           hf:NAME:CONFIG:SPLIT or hf:NAME::SPLIT
python                     the English text that ships with Python
python-topics              a quarter of it: the topics of Python's help
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from lengthwise.data.compressed_files import PACKED, decode_text, open_unpacked
from lengthwise.data.extra import require_extra
from lengthwise.errors import TextError, suggestion
from lengthwise.text.data.python_text import python_documents, python_topics

PYTHON, TOPICS, HUB = "python", "python-topics", "hf:"

_LINES = (".jsonl", ".ndjson")
_TABLES = (".json", ".csv", ".tsv", ".parquet")
_PLAIN = (".txt", ".md", ".rst", ".text")


def documents(source: str, *, column: str = "text", split: str = "train") -> Iterator[str]:
    """Return the documents of a source, one after the other; never all in memory.

    `column` is where JSON lines and datasets have their text, and `split` which part of a dataset
    is read, if the source does not say it.

    Raises:
        TextError: the source is missing, or something in it is not text; the message has the line.
        ConfigError: a library that it needs is not installed.
    """
    if source == PYTHON:
        return python_documents()
    if source == TOPICS:
        return python_topics()
    if source.startswith(HUB):
        name, *which = hub_parts(source, split)
        rows = hub_rows(name, *which, instead="file or folder of .txt or .jsonl")
        return (text_of_document(row, column, f"the dataset {name} has") for row in rows)
    path = Path(source)
    if not source:
        raise TextError("the name of a source is empty. Give a file, a folder or a dataset.")
    if path.is_dir():
        return _of_folder(path, column)
    if not path.exists():
        raise TextError(
            f"{source} does not exist. Give a file, a folder, {HUB}NAME for a dataset, or {PYTHON}."
        )
    if path.suffix.lower() in _TABLES:
        raise TextError(
            f"{source} is a table, and texts are {', '.join(_PLAIN)} or {', '.join(_LINES)}. "
            f"Write one JSON object a line, each with its text."
        )
    return _of_file(path, column)


def document_files(source: str) -> list[Path]:
    """Return the files that a source is read from; none for a dataset or Python's own text."""
    if source in (PYTHON, TOPICS) or source.startswith(HUB):
        return []
    return _texts_in(Path(source)) if Path(source).is_dir() else [Path(source)]


def _texts_in(folder: Path) -> list[Path]:
    return sorted(
        path
        for path in folder.rglob("*")
        if path.is_file()
        and _kind(path)
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    )


def _of_folder(folder: Path, column: str) -> Iterator[str]:
    paths = _texts_in(folder)
    if not paths:
        endings = ", ".join((*_PLAIN, *_LINES))
        raise TextError(
            f"{folder} holds no text. Put files in it that end in {endings}, packed or not."
        )
    return (document for path in paths for document in _of_file(path, column))


def _kind(path: Path) -> str:
    """Return the ending that says what a file is, or nothing."""
    name = path.with_suffix("") if path.suffix.lower() in PACKED else path
    ending = name.suffix.lower()
    return ending if ending in (*_LINES, *_PLAIN) else ""


def _of_file(path: Path, column: str) -> Iterator[str]:
    """Yield one document, or one a line."""
    with open_unpacked(path) as file:
        if _kind(path) in _LINES:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield _of_line(decode_text(line, path, number - 1), column, path, number)
        else:
            yield _plain_text(file.read(), path)


def _plain_text(content: bytes, path: Path) -> str:
    """Return the text of a file, with line ends as everywhere but on Windows."""
    text = decode_text(content, path, 0)
    if (wrong := text.find("\0")) >= 0:
        line = text.count("\n", 0, wrong) + 1
        raise TextError(
            f"{path}: the file must be UTF-8, but line {line} has a NUL, as UTF-16 "
            f"does. Convert the file."
        )
    return text.replace("\r\n", "\n")


def _of_line(line: str, column: str, path: Path, number: int) -> str:
    """Return the document in a line of JSON."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        raise TextError(f"{path}, line {number}: not JSON. Write one object a line.") from None
    return text_of_document(
        record if isinstance(record, dict) else {}, column, f"{path}, line {number}:"
    )


def text_of_document(row: Mapping[str, Any], column: str, where: str) -> str:
    """Return the text of a row.

    Raises:
        TextError: the column has no text, or half of a character.
    """
    text = row.get(column)
    if not isinstance(text, str):
        known = [name for name, value in row.items() if isinstance(value, str)]
        raise TextError(
            f"{where} no text under {column!r}. Name the column. {suggestion(column, known)}"
        )
    try:
        text.encode()
    except UnicodeEncodeError:
        raise TextError(
            f"{where} half of a character (a lone surrogate). Repair the text."
        ) from None
    return text


_HUB_SPLITS = {"valid": "validation"}
"""Splits that most datasets name differently."""


def hub_parts(source: str, split: str) -> tuple[str, str, str]:
    """Return the name, config and split that a source names; `split` if it names none.

    Raises:
        TextError: it has no name, or more parts.
    """
    name, config, split_named, *rest = [*source.removeprefix(HUB).split(":"), "", ""]
    if not name or any(rest):
        raise TextError(f"{source} names no dataset. Give {HUB}NAME or {HUB}NAME:CONFIG:SPLIT.")
    return name, config, split_named or _HUB_SPLITS.get(split, split)


def hub_rows(name: str, config: str, split: str, *, instead: str) -> Iterator[Mapping[str, Any]]:
    """Return the rows of a dataset, as they come; `instead` is what else can be given.

    Raises:
        TextError: it cannot be reached.
        ConfigError: the library `datasets` is not installed.
    """
    require_extra("datasets")
    import datasets  # noqa: PLC0415

    datasets.disable_progress_bars()
    try:
        yield from datasets.load_dataset(name, config or None, split=split, streaming=True)
    except (OSError, ValueError, RuntimeError) as error:
        why = (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
        raise TextError(
            f"the dataset {name} ({config or 'no config'}, split {split}) cannot be read from the "
            f"hub, its cache or a folder of that name: {why}. Give another "
            f"split as {HUB}NAME:CONFIG:SPLIT, or a local {instead} instead."
        ) from None
