"""Splitting finds automata in which most symbols change nothing, though labels are wrong."""

from dataclasses import replace

import numpy as np
import pytest

from inference.samples import Readings
from lengthwise.inference import splitting
from lengthwise.inference.local_search import LocalSearch, drop_states
from lengthwise.inference.sample import Sample
from lengthwise.inference.searcher import SearchTask, to_language
from lengthwise.inference.splitting import Splitting, settle
from lengthwise.languages.language import Language


def log_language(seed: int, *, states: int, symbols: int, alarm: bool) -> Language:
    """An automaton in which two or three symbols lead elsewhere; the last state may be final."""
    draw = np.random.default_rng(seed)
    while True:
        moves = np.repeat(np.arange(states)[:, None], symbols, axis=1)
        for state in range(states - alarm):
            for symbol in draw.permutation(symbols)[: draw.integers(2, 4)]:
                moves[state, symbol] = draw.choice(np.delete(np.arange(states - alarm), state))
        if alarm:
            moves[states - 2, draw.integers(symbols)] = states - 1
        found = Language(
            alphabet=tuple(map(str, range(symbols))),
            transitions=tuple(map(tuple, moves.tolist())),
            classes=(*(0 for _ in range(states - 1)), 1),
            class_names=("0", "1"),
        ).minimise()
        if found.num_states == states:
            return found


def logs(language: Language, count: int, seed: int, noise: float) -> Sample:
    """Different words of 5 to 40 symbols, with wrong labels."""
    draw = np.random.default_rng(seed)
    words: dict[tuple[int, ...], int] = {}
    while len(words) < count:
        word = tuple(draw.integers(0, language.num_symbols, draw.integers(5, 41)).tolist())
        words[word] = language.classify(word) ^ int(draw.random() < noise)
    return Sample.of_words(list(words), list(words.values()), language.num_symbols, 2)


def attempt(number: int, sample: Sample, noise: float) -> Language | None:
    readings = Readings()
    made = Splitting().attempt(number, SearchTask(sample, noise, read=readings.read))
    assert made is not None
    assert readings.symbols > 0
    return made.language


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_an_automaton_of_loops_is_found_though_labels_are_wrong(seed: int) -> None:
    truth = log_language(seed, states=4, symbols=8, alarm=False)
    found = attempt(0, logs(truth, 3_000, seed, 0.02), 0.02)
    assert found is not None
    assert found.difference(truth) is None


@pytest.mark.parametrize("seed", [pytest.param(0, marks=pytest.mark.slow), 1])
def test_an_alarm_that_is_never_left_is_found_though_labels_are_wrong(seed: int) -> None:
    truth = log_language(seed, states=4, symbols=8, alarm=True)
    sample = logs(truth, 3_000, seed, 0.02)
    alarm = 1 + int(sample.shares[1] > sample.shares[0])  # classes in turn, the rarest first
    found = attempt(alarm, sample, 0.02)
    assert found is not None
    assert found.difference(truth) is None


def test_an_attempt_depends_on_its_number_and_the_words_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(splitting, "_SYMBOLS", 1_000)  # a part of the words, which is drawn
    sample = logs(log_language(2, states=3, symbols=6, alarm=True), 200, 2, 0.05)
    first = [Splitting().attempt(number, SearchTask(sample, 0.05)) for number in (0, 1, 3)]
    again = [Splitting().attempt(number, SearchTask(sample, 0.05)) for number in (0, 1, 3)]
    assert first == again


def test_right_labels_of_classes_that_are_not_rare_are_left_to_others() -> None:
    sample = logs(log_language(0, states=3, symbols=6, alarm=False), 200, 0, 0.0)
    even = replace(sample, classes=np.arange(200) % 2)
    rare = replace(sample, classes=(np.arange(200) % 50 == 0).astype(np.int64))
    many = replace(sample, classes=np.arange(200) % 20, num_classes=20)
    assert Splitting().attempt(0, SearchTask(even)) is None
    assert Splitting().attempt(0, SearchTask(many)) is None
    assert Splitting().attempt(0, SearchTask(rare)) is not None


def test_no_more_states_are_made_than_are_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    sample = logs(log_language(0, states=4, symbols=8, alarm=False), 3_000, 0, 0.02)
    made = Splitting().attempt(0, SearchTask(sample, 0.02, max_states=3))
    assert made is not None
    assert made.language is not None
    assert 1 < made.language.num_states <= 3
    monkeypatch.setattr(splitting, "_ENTRIES", 64)  # too many symbols for two states
    assert Splitting().attempt(0, SearchTask(sample, 0.02)) is None


def test_an_automaton_settles_where_no_redirection_split_or_merge_saves_bits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    truth = log_language(0, states=4, symbols=8, alarm=False)
    sample = logs(truth, 3_000, 0, 0.02)
    task = SearchTask(sample, 0.02)
    assert settle(replace(task, best=truth)) == truth
    moves, classes = np.array(truth.transitions), np.array(truth.classes)
    redirected = moves.copy()
    redirected[2, 5] = (redirected[2, 5] + 1) % 4
    larger = np.concatenate([moves, moves[[1]]])
    larger[0, larger[0] == 1] = 4
    changed = [
        to_language(redirected, classes, sample),
        to_language(drop_states(moves)[0], classes[1:], sample),
        replace(truth, transitions=tuple(map(tuple, larger.tolist())), classes=(0, 0, 0, 1, 0)),
    ]
    for other in changed:
        assert other != truth
        assert settle(replace(task, best=other)) == truth
    elsewhere = np.array([1, 0, 2, 3])  # the start is state 1
    other = replace(
        truth,
        transitions=tuple(map(tuple, elsewhere[moves][elsewhere].tolist())),
        classes=tuple(classes[elsewhere].tolist()),
        start=1,
    )
    assert settle(replace(task, best=other)) == truth
    assert settle(replace(task, best=truth, max_states=4)) is None  # a split cannot be compared
    assert settle(replace(task, best=changed[1], max_states=4)) is None
    assert settle(replace(task, best=truth, max_states=5)) == truth
    monkeypatch.setattr(splitting, "_COMPARED", 8 * int(sample.lengths.sum()))
    assert settle(replace(task, best=truth)) == truth
    monkeypatch.setattr(splitting, "_COMPARED", 8 * int(sample.lengths.sum()) - 1)
    assert settle(replace(task, best=truth)) is None


@pytest.mark.parametrize(("states", "symbols", "seed"), [(3, 3, 5), (4, 3, 4), (4, 4, 2)])
def test_another_start_or_two_redirections_lead_out_of_what_single_changes_reach(
    states: int, symbols: int, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    truth = log_language(seed, states=states, symbols=symbols, alarm=False)
    sample, draw = logs(truth, 300, seed, 0.02), np.random.default_rng(seed)
    moves, classes = draw.integers(0, states, (states, symbols)), draw.integers(0, 2, states)
    other = to_language(moves, classes, sample)
    task = SearchTask(sample, 0.02, best=other)
    settled = settle(task)
    assert settled is not None
    assert settled.difference(truth) is None
    for change in ("restart", "redirect_two"):
        with monkeypatch.context() as without:
            without.setattr(LocalSearch, change, lambda self, moves: False)
            settled = settle(task)
            assert settled is not None
            assert settled.difference(truth) is not None
