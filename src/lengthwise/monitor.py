"""A monitor: reads events of many interleaved sequences, and says what holds of each so far.

The verdict on a sequence is that of the automaton: the class of what was read, and whether any
continuation can change it (the three-valued verdicts of Bauer, Leucker and Schallhart 2011, where a
verdict that can still change also says what holds now).
"""

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import repeat
from typing import Any

from lengthwise.errors import ConfigError, RunError, WordError
from lengthwise.languages.language import Language
from lengthwise.languages.serialisation import machine_name
from lengthwise.languages.spec import language as language_of
from lengthwise.messages import format_count, shorten

_SPOKEN = {"0": "rejected", "1": "accepted"}
"""Names of the classes of a recogniser."""

UNKNOWN = ("refuse", "skip")
"""Policies for an event that the automaton does not read."""


@dataclass(frozen=True, slots=True)
class MonitorVerdict:
    """A verdict on a sequence of events."""

    name: str
    """`accepted` or `rejected`; of more than two classes the name of the class."""
    is_final: bool
    """True if it stays so, whatever comes."""
    to_change: tuple[str, ...] = ()
    """The shortest events that would change it; empty if it is final."""

    def __str__(self) -> str:
        return f"{self.name}, whatever comes" if self.is_final else self.name


@dataclass(frozen=True, slots=True)
class Change:
    """An event after which another verdict holds of its sequence."""

    key: str
    count: int
    """Number of events of the sequence that were read, this one included."""
    event: str
    verdict: MonitorVerdict


class Monitor:
    """Follows sequences of events, each with a key, through the automaton of a language.

    Args:
        language: the language, or its specification; its symbols are the events.
        unknown: what to do with an event that is not a symbol: `refuse` it, or `skip` it.

    Raises:
        ConfigError: `unknown` is something else.
        LanguageError: there is no such language.

    Examples:
        >>> import lengthwise as lw
        >>> monitor = lw.Monitor(lw.language("ltlf[propositions=login admin]:G (admin -> login)"))
        >>> str(monitor.read("login+admin", key="anna"))
        'accepted'
        >>> str(monitor.read("admin", key="ben"))
        'rejected, whatever comes'
        >>> monitor.verdict("anna").to_change
        ('admin',)
    """

    def __init__(self, language: Language | str, *, unknown: str = "refuse") -> None:
        if unknown not in UNKNOWN:
            raise ConfigError(f"unknown is {' or '.join(UNKNOWN)}, but got {unknown!r}.")
        self.language = language = language_of(language)
        self.skips = unknown == "skip"
        self.skipped = 0
        """Number of events that were skipped."""
        self._table = _Table(language)
        self._symbols = {symbol: number for number, symbol in enumerate(language.alphabet)}
        self._numbers: dict[str, int] = {}
        self._states: list[int] = []
        self._counts: list[int] = []

    @property
    def keys(self) -> list[str]:
        """The keys of the sequences, in the order of their first events."""
        return list(self._numbers)

    def verdict(self, key: str = "") -> MonitorVerdict:
        """Return what holds of the sequence of a key; perhaps none of its events was read."""
        number = self._numbers.get(key)
        return self._table.verdict(0 if number is None else self._states[number])

    def read(self, event: str, key: str = "") -> MonitorVerdict:
        """Read an event of the sequence of a key, and return what holds then.

        Raises:
            WordError: the event is not a symbol of the language, and is not to be skipped.
        """
        self.read_many([event], [key])
        return self.verdict(key)

    def read_many(
        self, events: Sequence[str], keys: Sequence[str] | None = None, *, every: bool = False
    ) -> list[Change]:
        """Read many events, each of the sequence of its key, and return the changes of verdicts.

        Args:
            events: the events in their order.
            keys: the key of each; by default all belong to one sequence.
            every: whether to return each event, and not only those that change a verdict.

        Raises:
            WordError: an event is not a symbol; nothing was read of these events.
            ConfigError: there are not as many keys as events; the same.
        """
        if keys is not None and len(keys) != len(events):
            raise ConfigError(
                f"each event has a key, but got {format_count(len(events), 'event')} and "
                f"{format_count(len(keys), 'key')}. Give as many keys as events."
            )
        try:
            symbols = list(map(self._symbols.__getitem__, events))
        except KeyError as error:
            if not self.skips:
                self._refuse(error.args[0])
            kept = [at for at, event in enumerate(events) if event in self._symbols]
            self.skipped += len(events) - len(kept)
            keys = keys if keys is None else [keys[at] for at in kept]
            events = [events[at] for at in kept]
            symbols = list(map(self._symbols.__getitem__, events))
        states, counts = self._states, self._counts
        rows, kinds = self._table.rows, self._table.kinds
        changed: list[tuple[int, int, int]] = []
        numbers = self._number_keys(keys, len(symbols))
        for place, number, symbol in zip(range(len(symbols)), numbers, symbols, strict=True):
            before = states[number]
            state = rows[before][symbol]
            counts[number] += 1
            if state != before:
                states[number] = state
                if kinds[state] != kinds[before]:
                    changed.append((place, counts[number], state))
                    continue
            if every:
                changed.append((place, counts[number], state))
        return [
            Change(
                "" if keys is None else keys[place],
                count,
                events[place],
                self._table.verdict(state),
            )
            for place, count, state in changed
        ]

    def tally(self) -> dict[str, int]:
        """Return the number of sequences by verdict, most first."""
        by_verdict = Counter[str]()
        for state, number in Counter(self._states).items():
            by_verdict[str(self._table.verdict(state))] += number
        return dict(sorted(by_verdict.items(), key=lambda item: (-item[1], item[0])))

    def to_dict(self) -> dict[str, Any]:
        """Return the state of every sequence as plain values; `restore` reads them."""
        return {
            "machine": machine_name(self.language),
            "sequences": {
                key: [self._states[number], self._counts[number]]
                for key, number in self._numbers.items()
            },
        }

    def restore(self, values: Mapping[str, Any]) -> None:
        """Continue with the sequences of another monitor of this language, as values of `to_dict`.

        Raises:
            RunError: they are those of another language, or damaged.
        """
        if values["machine"] != machine_name(self.language):
            raise RunError(
                f"the stored state belongs to another automaton ({values['machine']}), and this is "
                f"{machine_name(self.language)}. Give another file for the state."
            )
        sequences = values["sequences"]
        if any(state not in range(len(self._table.rows)) for state, _ in sequences.values()):
            raise RunError("the stored state is damaged: it names a state that is not there.")
        for key, number in zip(sequences, self._number_keys([*sequences], 0), strict=True):
            self._states[number], self._counts[number] = sequences[key]

    def _number_keys(self, keys: Sequence[str] | None, length: int) -> Iterable[int]:
        known, given = self._numbers, [""] if keys is None else keys
        try:
            numbers = list(map(known.__getitem__, given))
        except KeyError:
            for key in dict.fromkeys(given):
                if key not in known:
                    known[key] = len(known)
                    self._states.append(0)
                    self._counts.append(0)
            numbers = list(map(known.__getitem__, given))
        return repeat(numbers[0], length) if keys is None else numbers

    def _refuse(self, event: str) -> None:
        symbols = shorten(" ".join(self._symbols), 60)
        raise WordError(
            f"the event {shorten(f'{event}', 40)!r} is not among the "
            f"{format_count(len(self._symbols), 'symbol')} of the language ({symbols}). Skip "
            f"such events (--unknown skip; unknown='skip'), or give a language that has it."
        )


class MonitorHandler(logging.Handler):
    """A handler of logging whose records are events.

    Args:
        monitor: follows the sequences.
        on_change: called with each change of a verdict.
        event: returns the event of a record, None for a record that is not an event; by default its
            message.
        key: returns the key of a record; by default the name of its logger.
    """

    def __init__(
        self,
        monitor: Monitor,
        on_change: Callable[[Change], None],
        *,
        event: Callable[[logging.LogRecord], str | None] = logging.LogRecord.getMessage,
        key: Callable[[logging.LogRecord], str] = lambda record: record.name,
    ) -> None:
        super().__init__()
        self._monitor, self._on_change, self._event, self._key = monitor, on_change, event, key

    def emit(self, record: logging.LogRecord) -> None:
        """Read the event of a record."""
        try:
            event = self._event(record)
            if event is not None:
                for change in self._monitor.read_many([event], [self._key(record)]):
                    self._on_change(change)
        except Exception:
            self.handleError(record)


class _Table:
    """The table of an automaton, and the verdict of each of its states."""

    def __init__(self, language: Language) -> None:
        spoken = _SPOKEN if language.class_names == ("0", "1") else {}
        machine = language.total().minimise()
        self.names = [spoken.get(name, name) for name in machine.class_names]
        self.alphabet, self.classes = machine.alphabet, machine.classes
        self.rows = [list(row) for row in machine.transitions]
        self._nearer = _towards_change(machine)
        self.kinds = [2 * c + (state in self._nearer) for state, c in enumerate(machine.classes)]
        """A number for each state, equal where the verdicts are."""
        self.verdict = cache(self._verdict)

    def _verdict(self, state: int) -> MonitorVerdict:
        way, at = list[str](), state
        while at in self._nearer and self.classes[at] == self.classes[state]:
            symbol, at = self._nearer[at]
            way.append(self.alphabet[symbol])
        is_final = state not in self._nearer
        return MonitorVerdict(self.names[self.classes[state]], is_final, tuple(way))


def _towards_change(machine: Language) -> dict[int, tuple[int, int]]:
    """Return for each state from which the class can change the first symbol of a shortest way to
    that, and the state after it.
    """
    classes = machine.classes
    sources: list[list[tuple[int, int]]] = [[] for _ in classes]
    nearer: dict[int, tuple[int, int]] = {}
    for state, row in enumerate(machine.transitions):
        for symbol, target in enumerate(row):
            if classes[target] == classes[state]:
                sources[target].append((state, symbol))
            else:
                nearer.setdefault(state, (symbol, target))
    for target in (queue := list(nearer)):
        for state, symbol in sources[target]:
            if state not in nearer:
                nearer[state] = (symbol, target)
                queue.append(state)
    return nearer
