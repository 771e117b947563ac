"""Tables of columns: files of Parquet, and folders that the library `datasets` saved."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

from lengthwise.data.columns import Columns
from lengthwise.data.extra import require_extra
from lengthwise.data.formats.places import Place
from lengthwise.data.formats.reader import TableReader, values_of_record
from lengthwise.errors import TextError, suggestion

SAVED = "state.json"
"""File that `datasets` writes into the folder of a dataset."""

SEVERAL = "dataset_dict.json"
"""File that it writes into a folder of several datasets."""

_AT_ONCE = 2**14
"""Number of rows that are read at once."""


class Parquet(TableReader):
    """Files of Apache Parquet, read some rows at a time."""

    name = "parquet"
    endings = (".parquet",)
    unit = "row"
    shown = "columns word and label"

    def records(self, path: Path, columns: Columns) -> Iterator[tuple[int, tuple[Any, ...]]]:
        """Yield the values of each row."""
        require_extra("pyarrow")
        import pyarrow  # noqa: PLC0415
        from pyarrow import parquet  # noqa: PLC0415

        try:
            with parquet.ParquetFile(path) as file:
                require_columns(path, columns, file.schema_arrow.names)
                numbers = count(1)
                names = list(dict.fromkeys(columns.names))
                for batch in file.iter_batches(batch_size=_AT_ONCE, columns=names):
                    for record in batch.to_pylist():
                        number = next(numbers)
                        place = Place(path, self.unit, number)
                        yield number, values_of_record(record, columns, place)
        except (pyarrow.ArrowException, OSError) as error:
            why = (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
            raise TextError(
                f"{path} cannot be read as Parquet: {why:.200}. Write it again."
            ) from None


class SavedDataset(TableReader):
    """A folder that `save_to_disk` of the library `datasets` wrote."""

    name = "dataset"
    unit = "row"
    shown = "columns word and label"

    def records(self, path: Path, columns: Columns) -> Iterator[tuple[int, tuple[Any, ...]]]:
        """Yield the values of each row."""
        require_extra("datasets")
        import datasets  # noqa: PLC0415

        try:
            table = datasets.load_from_disk(str(path))
            known = table.column_names
        except (OSError, ValueError, RuntimeError, KeyError) as error:
            why = (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
            raise TextError(
                f"{path} cannot be read as a dataset: {why:.200}. Save it again."
            ) from None
        require_columns(path, columns, known)
        label = columns.label
        names = getattr(table.features.get(label), "names", None)  # of numbers that stand for names
        rows = table.select_columns(list(dict.fromkeys(columns.names)))
        for number, record in zip(count(1), rows, strict=False):
            if names is not None and isinstance(record[label], int):
                record[label] = names[record[label]] if record[label] >= 0 else None
            yield number, values_of_record(record, columns, Place(path, self.unit, number))


def require_columns(path: Path, columns: Columns, known: list[str]) -> None:
    """Refuse a table without the columns that are read.

    Raises:
        TextError: one is missing.
    """
    for name in columns.names:
        if name not in known:
            remedy = "" if columns.are_named else " Name them with --columns word=...,label=..."
            raise TextError(f"{path} has no column {name!r:.60}. {suggestion(name, known)}{remedy}")
