"""A monitor says of each sequence what the automaton says of its events."""

import itertools
import logging
from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.errors import ConfigError, RunError, WordError
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from lengthwise.monitor import Change, Monitor, MonitorHandler, MonitorVerdict
from strategies import machines, recognisers, texts

EVENTS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("ab")), max_size=40)


def shortest_change(
    language: Language, word: tuple[int, ...], longest: int
) -> tuple[int, ...] | None:
    """The first shortest continuation of a word to another class, by trying all."""
    for length in range(1, longest + 1):
        for more in itertools.product(range(language.num_symbols), repeat=length):
            if language.classify(word + more) != language.classify(word):
                return more
    return None


@given(machines(alphabet="ab", max_states=4), EVENTS)
def test_verdicts_are_those_of_the_automaton(
    language: Language, events: list[tuple[str, str]]
) -> None:
    monitor, read = Monitor(language), defaultdict[str, str](str)
    expected = []
    for key, event in events:
        before = monitor.verdict(key)
        read[key] += event
        after = monitor.read(event, key)
        word = language.encode(read[key])
        change = shortest_change(language, word, language.num_states)
        assert after.is_final == (change is None)
        assert after.to_change == tuple(language.alphabet[symbol] for symbol in change or ())
        name = language.class_names[language.classify(word)]
        assert after.name == name
        if (before.name, before.is_final) != (after.name, after.is_final):
            expected.append(Change(key, len(read[key]), event, after))
    at_once = Monitor(language)
    keys, symbols = [key for key, _ in events], [event for _, event in events]
    assert at_once.read_many(symbols, keys) == expected
    assert at_once.to_dict() == monitor.to_dict()
    assert len(Monitor(language).read_many(symbols, keys, every=True)) == len(events)


@given(recognisers())
def test_members_are_accepted(language: Language) -> None:
    for word in texts("ab", 4):
        monitor = Monitor(language)
        monitor.read_many(word)
        assert monitor.verdict().name == ("accepted" if word in language else "rejected")


def test_three_verdicts_of_a_rule() -> None:
    monitor = Monitor(parse("ltlf[abc]:(F a) & G !c"))
    assert monitor.verdict() == MonitorVerdict("rejected", is_final=False, to_change=("a",))
    assert str(monitor.read("a")) == "accepted"
    assert monitor.verdict().to_change == ("c",)
    assert str(monitor.read("c")) == "rejected, whatever comes"
    assert monitor.tally() == {"rejected, whatever comes": 1}


def test_classes_with_names_are_called_by_them() -> None:
    monitor = Monitor(parse("count:a:3"))
    assert [monitor.read("a").name for _ in range(4)] == ["1", "2", "0", "1"]


def test_a_word_outside_the_domain_is_said_to_be() -> None:
    domain = parse("regex[ab]:a*")
    language = Language(
        alphabet=("a", "b"), transitions=((0, 0),), classes=(1,), domain=domain.minimise()
    )
    monitor = Monitor(language)
    assert str(monitor.read("a")) == "accepted"
    assert str(monitor.read("b")) == "outside, whatever comes"


def test_events_that_are_not_symbols() -> None:
    monitor = Monitor(parse("ltlf:G (a -> X b)"))
    with pytest.raises(WordError, match=r"the event 'c' is not among the 2 symbols .*\(a b\)"):
        monitor.read_many(["a", "c"])
    assert monitor.keys == []
    skipping = Monitor(parse("ltlf:G (a -> X b)"), unknown="skip")
    changes = skipping.read_many(["a", "c", "b", "c"], list("xxxy"))
    assert [(change.key, change.count, change.event) for change in changes] == [
        ("x", 1, "a"),
        ("x", 2, "b"),
    ]
    assert skipping.skipped == 2
    with pytest.raises(ConfigError, match="unknown is refuse or skip, but got 'ignore'"):
        Monitor(parse("parity"), unknown="ignore")


@given(EVENTS, EVENTS)
def test_a_restored_monitor_goes_on(
    first: list[tuple[str, str]], second: list[tuple[str, str]]
) -> None:
    language = parse("ltlf:G (a -> F b)")
    whole, early, late = Monitor(language), Monitor(language), Monitor(language)
    for key, event in first:
        whole.read(event, key)
        early.read(event, key)
    late.restore(early.to_dict())
    for key, event in second:
        assert late.read(event, key) == whole.read(event, key)
    assert late.to_dict() == whole.to_dict()
    with pytest.raises(RunError, match="belongs to another automaton"):
        Monitor(parse("parity")).restore(whole.to_dict())


def test_a_key_is_restored_once() -> None:
    monitor = Monitor("regex:(ab)*")
    monitor.read("a", "x")
    kept = monitor.to_dict()
    monitor.read("b", "x")
    monitor.restore(kept)
    assert (monitor.to_dict(), monitor.tally()) == (kept, {"rejected": 1})
    with pytest.raises(RunError, match="names a state that is not there"):
        monitor.restore({**kept, "sequences": {"y": [9, 1]}})
    with pytest.raises(ConfigError, match="got 2 events and 1 key"):
        monitor.read_many(["b", "a"], ["x"])
    with pytest.raises(WordError, match="the event '1' is not among"):
        monitor.read(1)  # type: ignore[arg-type]
    assert monitor.to_dict() == kept


def test_records_of_logging_are_events() -> None:
    changes: list[Change] = []
    monitor = Monitor(parse("ltlf[ab]:G !b"), unknown="skip")
    logger = logging.getLogger("sessions.anna")
    logger.propagate = False
    handler = MonitorHandler(monitor, changes.append)
    logger.addHandler(handler)
    try:
        for event in ("a", "something else", "b"):
            logger.warning("%s", event)
    finally:
        logger.removeHandler(handler)
    (change,) = changes
    assert (change.key, change.count, str(change.verdict)) == (
        "sessions.anna",
        2,
        "rejected, whatever comes",
    )
