"""Event logs in XES (IEEE 1849): a trace is a word of the names of its events.

The label of a trace is its attribute `label`, the name of an event `concept:name`; `Columns` may
name others.
"""

from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from lengthwise.data.columns import Columns
from lengthwise.data.compressed_files import open_unpacked
from lengthwise.data.formats.grouping import Event, words_of_events
from lengthwise.data.formats.places import Place
from lengthwise.data.formats.reader import Reader, Row, label_of
from lengthwise.errors import TextError, suggestion

_NAME = "concept:name"


class EventLog(Reader):
    """Files of XES, read one trace at a time."""

    name = "xes"
    endings = (".xes",)
    unit = "trace"
    shown = '<trace><string key="label" value="1"/><event>...</event></trace>'

    def rows(self, path: Path, columns: Columns) -> Iterator[Row]:
        """Yield the trace of each case."""
        number = 0
        try:
            with open_unpacked(path) as file:
                for trace in _traces(file):
                    number += 1
                    yield self._row(trace, Place(path, self.unit, number), columns)
        except ElementTree.ParseError as error:
            line, column = error.position
            why = str(error).partition(":")[0]
            raise TextError(
                f"{path}, line {line}, column {column + 1}: not XML ({why}). Export the log again."
            ) from None

    def _row(self, trace: ElementTree.Element, place: Place, columns: Columns) -> Row:
        attributes = _attributes(trace)
        if columns.label and columns.label not in attributes:
            raise TextError(
                f"{place} has no attribute {columns.label!r:.60}, which is its label. "
                f"{suggestion(columns.label, attributes)} Name one with --columns label=..., or "
                f"none, label=, if no trace has a label."
            )
        events: list[Event] = []
        name = columns.event or _NAME
        for number, event in enumerate((e for e in trace if _tag(e) == "event"), start=1):
            values = _attributes(event)
            keys = [name, *([columns.time] if columns.time else [])]
            for key in keys:
                if not values.get(key, "").strip():
                    raise TextError(
                        f"{place}, event {number} has no {key!r:.60}. {suggestion(key, values)} "
                        f"Name one with --columns event=..."
                    )
            times = (values[columns.time],) if columns.time else ()
            events.append(Event.of(place, "trace", values[name], "1", *times))
        label = label_of(attributes[columns.label], place) if columns.label else "1"
        for _, word, _ in words_of_events(events):
            return Row(place.number, word, label)
        return Row(place.number, [], label)


def _traces(file: object) -> Iterator[ElementTree.Element]:
    """Yield the traces of a log, and release each when the next is read."""
    parser = ElementTree.iterparse(file, events=("start", "end"))  # type: ignore[call-overload]
    log: ElementTree.Element | None = None
    for event, element in parser:
        if event == "start":
            log = element if log is None else log
        elif _tag(element) == "trace":
            yield element
            assert log is not None
            log.clear()


def _tag(element: ElementTree.Element) -> str:
    return str(element.tag).rpartition("}")[2]


def _attributes(element: ElementTree.Element) -> dict[str, str]:
    """Return the attributes of a trace or an event by their keys."""
    return {
        child.attrib["key"]: child.get("value", "") for child in element if "key" in child.attrib
    }
