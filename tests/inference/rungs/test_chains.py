"""Lines of states are searched by changing one step at a time."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inference.rungs.oracles import samples, words_of
from inference.rungs.test_classes import sample_of
from inference.samples import end_at_once
from lengthwise.inference.rungs.chains import Line, StateLines
from lengthwise.inference.rungs.literals import MarkedWords
from lengthwise.inference.sample import Sample
from lengthwise.inference.searcher import AttemptLostError
from lengthwise.languages.spec import parse


def walk(line: Line, word: tuple[int, ...], last: int) -> int:
    state = line.start
    for symbol in word:
        state = min(max(state + int(line.steps[state, symbol]), 0), last)
    return state


def misfit(line: Line, sample: Sample) -> float:
    """The entropy of the classes by the last state, in natural units."""
    ends: dict[int, list[int]] = {}
    for word, label in zip(words_of(sample), sample.classes.tolist(), strict=True):
        ends.setdefault(walk(line, word, len(line.steps) - 1), []).append(label)
    return -sum(
        labels.count(c) * np.log(labels.count(c) / len(labels))
        for labels in ends.values()
        for c in set(labels)
    )


@settings(max_examples=20, deadline=None)
@given(samples(least=3), st.integers(2, 4), st.integers(0, 9))
def test_no_single_step_improves_a_line(sample: Sample, states: int, seed: int) -> None:
    lines = StateLines(MarkedWords.of(sample))
    draw = np.random.default_rng(seed)
    found = lines.anneal(states, 3, draw)
    line = lines.improve(found, draw)
    least = misfit(line, sample)
    assert line.is_right == (least < 1e-9)
    assert least <= misfit(found, sample) + 1e-6
    for state in range(states):
        for symbol in range(3):
            for step in (-1, 0, 1):
                steps = line.steps.copy()
                steps[state, symbol] = step
                assert misfit(Line(steps, line.start, False), sample) >= least - 1e-6


def test_moves_end_at_both_sides() -> None:
    line = Line(np.array([[-1, 1], [1, 0], [1, -1]]), 0, False)
    assert line.moves.tolist() == [[0, 1], [2, 1], [2, 1]]


@pytest.mark.parametrize("spec", ["d-3", "d-4", "regex[abc]:(b|c)*a(b|c)*a(b|c)*"])
def test_saturating_counters_are_found_from_long_words(spec: str) -> None:
    language = parse(spec)
    sample = sample_of(language, 400)
    lines = StateLines(MarkedWords.of(sample))
    draw = np.random.default_rng(0)
    # the sink of nested words stands at both ends of the line
    assert any(lines.anneal(language.num_states + 1, 8, draw).is_right for _ in range(6))


def test_a_search_stops_when_the_time_is_used_up() -> None:
    lines = StateLines(MarkedWords.of(sample_of(parse("d-3"), 100), end_at_once))
    with pytest.raises(AttemptLostError):
        lines.anneal(4, 2, np.random.default_rng(0))
