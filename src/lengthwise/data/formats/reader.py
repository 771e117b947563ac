"""The contract of a reader: a format of files as a stream of words with their labels."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from lengthwise.data.columns import Columns
from lengthwise.data.formats.grouping import Event, words_of_events
from lengthwise.data.formats.places import Place
from lengthwise.data.formats.plain_block import PlainBlock
from lengthwise.errors import TextError, suggestion


class Row(NamedTuple):
    """A labelled word as it is written."""

    place: int
    """Number of its line, row or trace, from 1; that of its first event if it has several."""
    word: str | list[str]
    """The word as a string, or as a list of the names of its symbols."""
    label: str


class Reader(ABC):
    """Reads the words of files of one format."""

    name: ClassVar[str]
    """The format's name in `Columns.format`."""
    endings: ClassVar[tuple[str, ...]] = ()
    """Endings of files that are taken to have the format."""
    unit: ClassVar[str] = "line"
    """What `Row.place` counts."""
    shown: ClassVar[str]
    """How a word and its label are written, for messages."""

    @abstractmethod
    def rows(self, path: Path, columns: Columns) -> Iterator[Row]:
        """Yield the labelled words one by one, without keeping them.

        Raises:
            TextError: the file cannot be read, or breaks a rule of the format; one line says where,
                which rule, and what to do.
            MissingLibraryError: a library that it needs is not installed.
        """

    def blocks(self, path: Path, columns: Columns) -> Iterator[PlainBlock | list[Row]]:
        """Yield the words in blocks: as bytes where each symbol is a byte, else as rows."""
        block: list[Row] = []
        for row in self.rows(path, columns):
            block.append(row)
            if len(block) == _AT_ONCE:
                yield block
                block = []
        yield block

    def claims(self, beginning: bytes) -> bool:
        """Return whether the first lines of a file say that it has the format and no other."""
        return False


_AT_ONCE = 4_096
"""Number of rows of a block."""


class TableReader(Reader):
    """Reads a format of rows with columns: each row is a word, or an event of one."""

    @abstractmethod
    def records(self, path: Path, columns: Columns) -> Iterator[tuple[int, tuple[Any, ...]]]:
        """Yield the number of each row, and its values in the order of `columns.names`."""

    def rows(self, path: Path, columns: Columns) -> Iterator[Row]:
        """Yield the words; those of events come when all were read."""
        unit = self.unit
        if columns.case:
            events = (
                Event.of(Place(path, unit, number), *values)
                for number, values in self.records(path, columns)
            )
            for place, word, label in words_of_events(events):
                yield Row(place.number, word, label_of(label, place))
            return
        for number, (word, label) in self.records(path, columns):
            place = Place(path, unit, number)
            yield Row(number, read_word(word, place), label_of(label, place))


def values_of_record(record: Mapping[str, Any], columns: Columns, place: Place) -> tuple[Any, ...]:
    """Return the values of a row that has names.

    Raises:
        TextError: one of them is missing or null.
    """
    for name in columns.names:
        if name not in record:
            raise TextError(f"{place} has no {name}. {suggestion(name, record)}")
        if record[name] is None and not columns.case:
            raise TextError(f"{place}: the {name} is null. Give a string, or leave the line out.")
    return columns.label_row([record[name] for name in columns.names])


def label_of(value: object, place: Place) -> str:
    """Return a label as a string; integers and truth values are written as in JSON.

    Raises:
        TextError: it is something else, is empty, or cannot be printed.
    """
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str | int):
        raise TextError(f"{place}: a label is a string, but got {value!r:.40}. Write a string.")
    label = str(value).strip()
    if not label:
        raise TextError(f"{place} has neither label nor output. Write one for each word.")
    if not label.isprintable():
        raise TextError(f"{place}: the label {label!r:.40} has a character that cannot be printed.")
    return label


def read_word(value: object, place: Place) -> str | list[str]:
    """Return a word: a string, or the names of its symbols.

    Raises:
        TextError: it is something else.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(
        isinstance(symbol, str | int) and not isinstance(symbol, bool) for symbol in value
    ):
        return [str(symbol) for symbol in value]
    raise TextError(f"{place}: a word is a string or a list of symbols, but got {value!r:.40}.")
