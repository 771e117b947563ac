"""Events of cases, one a row: the events of one case make up its word."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any, NamedTuple

from lengthwise.data.formats.places import Place
from lengthwise.errors import TextError


class Event(NamedTuple):
    """An event of a case."""

    place: Place
    case: str
    name: str
    """Its symbol; empty if the row only names a case."""
    label: str
    """The label of the case; empty if another row has it."""
    time: Any = None

    @classmethod
    def of(cls, place: Place, case: Any, name: Any, label: Any, *time: Any) -> "Event":
        """Return the event of a row's values.

        Raises:
            TextError: the case is missing, or a value is neither a string nor an integer.
        """
        texts = []
        for kind, value in (("case", case), ("event", name), ("label", label)):
            if value is None:
                texts.append("")
            elif isinstance(value, bool):
                texts.append(str(value).lower())
            elif isinstance(value, str | int):
                texts.append(str(value).strip())
            else:
                raise TextError(
                    f"{place}: the {kind} must be a string, but is {value!r:.40}. Write a string."
                )
        if not texts[0]:
            raise TextError(f"{place} has no case. Write one for each event.")
        return cls(place, *texts, *("" if part is None else part for part in time))


@dataclass(slots=True)
class _Case:
    """The events of a case so far, by the numbers of their names."""

    first: Place
    label: str = ""
    labelled: Place | None = None
    events: list[int] = field(default_factory=list)
    times: list[float] = field(default_factory=list)


def words_of_events(events: Iterable[Event]) -> Iterator[tuple[Place, list[str], str]]:
    """Yield each case's first place, the names of its events in order, and its label.

    Raises:
        TextError: a case has no label or two, or a time cannot be read, or is not like others.
    """
    cases: dict[str, _Case] = {}
    names: dict[str, int] = {}
    dated: bool | None = None
    for event in events:
        case = cases.get(event.case)
        if case is None:
            case = cases[event.case] = _Case(event.place)
        if event.name:
            case.events.append(names.setdefault(event.name, len(names)))
            if event.time is not None:
                moment, is_date = _moment(event.time, event.place)
                case.times.append(moment)
                dated = is_date if dated is None else dated
                if is_date != dated:
                    raise TextError(
                        f"{event.place}: the time {event.time!r:.40} is a "
                        f"{'date' if is_date else 'number'}, but those before are "
                        f"{'dates' if dated else 'numbers'}. Write all alike."
                    )
        if event.label and case.labelled is None:
            case.label, case.labelled = event.label, event.place
        elif event.label and event.label != case.label:
            assert case.labelled is not None
            raise TextError(
                f"{event.place}: case {event.case!r:.40} has the label {event.label!r:.40}, but "
                f"{case.label!r:.40} in {event.place.unit} {case.labelled.number}. Leave one label "
                f"for each case."
            )
    known = list(names)
    for name, case in cases.items():
        if case.labelled is None:
            raise TextError(f"{case.first}: case {name!r:.40} has no label. Write it in one row.")
        order = (
            sorted(range(len(case.events)), key=case.times.__getitem__)
            if case.times
            else range(len(case.events))
        )
        yield case.first, [known[case.events[at]] for at in order], case.label


def _moment(value: Any, place: Place) -> tuple[float, bool]:
    """Return a time as a number, and whether it is a date and time of ISO 8601, not a number.

    Without a zone it is taken for UTC.
    """
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if math.isfinite(number):
        return number, False
    try:
        when = value if isinstance(value, date) else datetime.fromisoformat(str(value).strip())
        if not isinstance(when, datetime):
            when = datetime(when.year, when.month, when.day)
        return when.replace(tzinfo=when.tzinfo or UTC).timestamp(), True
    except ValueError:
        raise TextError(
            f"{place}: the time {value!r:.40} is neither a number nor a date as in ISO 8601. Write "
            f"2026-01-31T12:00:00, or leave time= out and put the rows in order."
        ) from None
