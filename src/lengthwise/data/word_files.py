"""Files of labelled words as they are read: a path, its columns, and the reader of its format."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from lengthwise.data.columns import Columns
from lengthwise.data.formats.catalogue import reader_of, word_kind
from lengthwise.data.formats.places import Place
from lengthwise.data.formats.plain_block import PlainBlock
from lengthwise.data.formats.reader import Reader, Row
from lengthwise.errors import TextError


@dataclass(frozen=True, slots=True)
class WordFile:
    """A file of labelled words, or the folder of a dataset."""

    path: Path
    columns: Columns
    reader: Reader

    @classmethod
    def of(cls, path: Path, columns: Columns | None = None) -> Self:
        """Return the file at a path.

        Raises:
            TextError: it does not exist, or its format is unknown.
            ConfigError: the columns do not fit the format.
        """
        columns = columns or Columns()
        return cls(path, columns, reader_of(path, columns))

    def __str__(self) -> str:
        return str(self.path)

    def rows(self) -> Iterator[Row]:
        """Yield the labelled words one by one.

        Raises:
            TextError: it cannot be read, or breaks a rule of its format; the message has the place.
            MissingLibraryError: a library that it needs is not installed.
        """
        return self.reader.rows(self.path, self.columns)

    def blocks(self) -> Iterator[PlainBlock | list[Row]]:
        """Yield the labelled words in blocks."""
        return self.reader.blocks(self.path, self.columns)

    def place(self, number: int) -> Place:
        """Return how a message names a line, row or trace."""
        return Place(self.path, self.reader.unit, number)

    @property
    def kind(self) -> list[object]:
        """What decides how its bytes are read."""
        heading = (
            ["dataset"] if self.path.is_dir() else [word_kind(self.path), self.path.suffix.lower()]
        )
        return [self.reader.name, *heading, self.columns.to_dict()]

    def digest(self) -> str:
        """Return the SHA-256 of the file, or of the names and contents of all files of the folder.

        Raises:
            TextError: it cannot be read.
        """
        path, total = self.path, hashlib.sha256()
        is_folder = path.is_dir()
        files = sorted(path for path in path.rglob("*") if path.is_file()) if is_folder else [path]
        try:
            for file_path in files:
                with file_path.open("rb") as file:
                    content = hashlib.file_digest(file, "sha256").hexdigest()
                total.update(f"{file_path.relative_to(path).as_posix()} {content}\n".encode())
        except OSError as error:
            raise TextError(f"{path} cannot be read: {error.strerror}. Give a file.") from None
        return total.hexdigest()
