"""Lines of JSON: an object a line, or a pair of a word and its label."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lengthwise.data.columns import Columns
from lengthwise.data.compressed_files import decode_text, open_unpacked
from lengthwise.data.formats.places import Place
from lengthwise.data.formats.reader import TableReader, values_of_record
from lengthwise.errors import TextError
from lengthwise.files import parse_json


class JsonLines(TableReader):
    """Lines of JSON objects."""

    name = "jsonl"
    endings = (".jsonl", ".ndjson")
    shown = '{"word": "0110", "label": "1"}'

    def records(self, path: Path, columns: Columns) -> Iterator[tuple[int, tuple[Any, ...]]]:
        """Yield the values of each object."""
        with open_unpacked(path) as file:
            for number, content in enumerate(file, start=1):
                line = decode_text(content, path, number - 1).rstrip("\r\n")
                if line:
                    place = Place(path, self.unit, number)
                    yield number, values_of_record(_object(line, place), columns, place)


def _object(line: str, place: Place) -> dict[str, Any]:
    try:
        record = parse_json(line)
    except ValueError as error:
        raise TextError(f"{place}: not JSON ({error}). Write one object a line.") from None
    if not isinstance(record, dict):
        raise TextError(f"{place}: not an object. Write {JsonLines.shown} on each line.")
    return record
