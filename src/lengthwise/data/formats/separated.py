"""Tables of lines of fields: .tsv, whose fields are taken literally, and .csv with quotes.

In a line of .tsv a tab separates the fields, so a tab in a name is written `\\t`.
"""

import csv
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import ClassVar

from lengthwise.data.columns import Columns
from lengthwise.data.compressed_files import decode_text, open_unpacked
from lengthwise.data.formats.places import Place
from lengthwise.data.formats.plain_block import PlainBlock
from lengthwise.data.formats.reader import Row, TableReader, label_of
from lengthwise.errors import TextError, suggestion
from lengthwise.messages import format_count

_AT_ONCE = 2**21
"""Bytes of a block."""


class TabSeparated(TableReader):
    """Lines of fields between tabs."""

    name = "tsv"
    endings = (".tsv", ".tab")
    shown = "WORD<TAB>LABEL"

    def records(self, path: Path, columns: Columns) -> Iterator[tuple[int, tuple[str, ...]]]:
        """Yield the fields of each line."""
        with open_unpacked(path) as file:
            yield from self._choose(enumerate(file, start=1), path, columns, None)

    def blocks(self, path: Path, columns: Columns) -> Iterator[PlainBlock | list[Row]]:
        """Yield blocks of lines as bytes where they are plain."""
        if columns.are_named:
            yield from super().blocks(path, columns)
            return
        number, fields = 1, _Fields(columns, len(columns.names))
        with open_unpacked(path) as file:
            for lines in _whole_lines(file):
                start = 0
                while fields.at is None and start < len(lines):  # one of these is the heading
                    end = lines.index(b"\n", start) + 1
                    yield list(self._rows([(number, lines[start:end])], path, columns, fields))
                    start, number = end, number + 1
                part, is_plain = lines[start:], fields.at == [0, 1] and fields.width == 2
                block = PlainBlock.of(part, number, _plain_label) if is_plain else None
                if block is None:
                    numbered = enumerate(part.split(b"\n")[:-1], start=number)
                    yield list(self._rows(numbered, path, columns, fields))
                else:
                    yield block
                number += part.count(b"\n")

    def _rows(
        self,
        lines: Iterable[tuple[int, bytes]],
        path: Path,
        columns: Columns,
        fields: "_Fields",
    ) -> Iterator[Row]:
        for number, (word, label) in self._choose(lines, path, columns, fields):
            yield Row(number, word, label_of(label, Place(path, self.unit, number)))

    def _choose(
        self,
        lines: Iterable[tuple[int, bytes]],
        path: Path,
        columns: Columns,
        fields: "_Fields | None",
    ) -> Iterator[tuple[int, tuple[str, ...]]]:
        fields = fields or _Fields(columns, len(columns.names))
        for number, content in lines:
            line = decode_text(content, path, number - 1).rstrip("\r\n")
            if not line:
                continue
            place = Place(path, self.unit, number)
            values = fields.choose(line.split("\t"), place, self)
            if values is None:
                continue
            label = values[2 if columns.case else 1].strip()
            if len(label) > 1 and label[0] == label[-1] == '"':  # as spreadsheets write them
                raise TextError(
                    f"{place}: the label {label:.40} is in quotes, which a .tsv file takes as "
                    f"part of it, and of words. Leave them out, or write .csv or .jsonl."
                )
            yield number, values


class CommaSeparated(TableReader):
    """Lines of fields between commas, which may be quoted as in RFC 4180."""

    name = "csv"
    endings = (".csv",)
    shown = "WORD,LABEL"

    def records(self, path: Path, columns: Columns) -> Iterator[tuple[int, tuple[str, ...]]]:
        """Yield the fields of each row, which may go over several lines."""
        fields = _Fields(columns, len(columns.names))
        with open_unpacked(path) as file:
            lines = (decode_text(line, path, number) for number, line in enumerate(file))
            rows = csv.reader(lines, strict=True)
            number = 1
            try:
                for row in rows:
                    if row:
                        values = fields.choose(row, Place(path, self.unit, number), self)
                        if values is not None:
                            yield number, values
                    number = rows.line_num + 1
            except csv.Error as error:
                raise TextError(
                    f"{Place(path, self.unit, number)}: not CSV ({error}). Put fields with commas "
                    f'or quotes in "quotes", and double a quote within.'
                ) from None


class _Fields:
    """Which fields of a line are read: those that the heading names, or the first ones."""

    names: ClassVar[tuple[str, str]] = ("word", "label")

    def __init__(self, columns: Columns, count: int) -> None:
        self.columns, self.count = columns, count
        self.at: list[int] | None = None
        """Places of the columns; None before the first line."""
        self.width = count
        """Number of fields of a line."""

    def choose(
        self, fields: Sequence[str], place: Place, reader: TableReader
    ) -> tuple[str, ...] | None:
        """Return the fields that are read, or None if the line is a heading.

        Raises:
            TextError: the number of fields is wrong, or a column is missing.
        """
        if self.at is None:
            names = list(self.columns.names)
            headings = [field.strip() for field in fields]
            if not self.columns.are_named:
                headings = [heading.lower() for heading in headings]
            if self.columns.are_named or set(names) <= set(headings):
                for name in names:
                    if name not in headings:
                        raise TextError(
                            f"{place} is the heading, and has no column {name!r:.60}. "
                            f"{suggestion(name, headings)}"
                        )
                self.at, self.width = [headings.index(name) for name in names], len(headings)
                return None
            self.at = list(range(self.count))
        if len(fields) != self.width:
            raise TextError(f"{place} {self._make_count_error(len(fields), reader)}")
        return self.columns.label_row([fields[at] for at in self.at])

    def _make_count_error(self, count: int, reader: TableReader) -> str:
        mark = "tab" if reader.name == "tsv" else "comma"
        if self.at == [0] and self.width == 1:
            return f"has {format_count(count - 1, mark)}, but label= says that it is a word alone."
        if self.at != [0, 1] or self.width != 2:
            return (
                f"has {count} fields, but the heading names {self.width}. Write "
                f"{self.width} in each line."
            )
        has = f"no {mark}" if count == 1 else f"{count - 1} {mark}s"
        hint = (
            ", or, if no word has a label, --columns label="
            if count == 1
            else (
                ", or name the columns in the first line, such as --columns word=text,label=class"
            )
        )
        return f"has {has}. Write {reader.shown}{hint}."


def _plain_label(field: bytes) -> str | None:
    """Return a label that breaks no rule, or None."""
    label = field.decode("ascii", errors="replace").strip()
    is_plain = label.isascii() and label.isprintable() and '"' not in label
    return label if label and is_plain else None


def _whole_lines(file: object) -> Iterator[bytes]:
    """Yield the bytes of a file in blocks that end with a line."""
    rest = b""
    while True:
        part = file.read(_AT_ONCE)  # type: ignore[attr-defined]
        if not part:
            if rest:
                yield rest + b"\n"
            return
        block = rest + part
        end = block.rfind(b"\n") + 1
        if end:
            yield block[:end]
        rest = block[end:]
