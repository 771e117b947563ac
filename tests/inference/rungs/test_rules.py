"""Rules of few literals, against all rules."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inference.rungs.oracles import in_cells, samples
from lengthwise.inference.rungs.literals import MarkedWords, Pool, windows
from lengthwise.inference.rungs.rules import combine_literals, covering, score_literals
from lengthwise.inference.sample import Sample


def pool_of(sample: Sample) -> Pool:
    return windows(2)(MarkedWords.of(sample))


def split(pool: Pool, chosen: tuple[int, ...], classes: np.ndarray) -> list[list[int]]:
    """The classes of the words of each combination of truth values."""
    cells: dict[tuple[bool, ...], list[int]] = {}
    columns = [pool.column(each).tolist() for each in chosen]
    for row, label in enumerate(classes.tolist()):
        cells.setdefault(tuple(column[row] for column in columns), []).append(label)
    return list(cells.values())


def entropy(cells: list[list[int]]) -> float:
    bits = 0.0
    for labels in cells:
        for number in (labels.count(0), labels.count(1)):
            if number:
                bits -= number * np.log2(number / len(labels))
    return bits


def misjudge(cells: list[list[int]]) -> int:
    return sum(min(labels.count(0), labels.count(1)) for labels in cells)


@given(samples())
def test_scores_are_entropy_and_errors_of_the_split(sample: Sample) -> None:
    pool = pool_of(sample)
    score = score_literals(pool, MarkedWords.of(sample))
    for number in range(len(pool)):
        cells = split(pool, (number,), sample.classes)
        assert score.bits[number] == pytest.approx(entropy(cells), abs=1e-6)
        assert score.wrong[number] == misjudge(cells)


@settings(max_examples=30)
@given(samples(least=4))
def test_a_wide_beam_finds_the_best_of_all_pairs(sample: Sample) -> None:
    pool = pool_of(sample)
    every = [
        *((one,) for one in range(len(pool))),
        *itertools.combinations(range(len(pool)), 2),
    ]
    if not every:
        return
    rules = combine_literals(
        pool, MarkedWords.of(sample), most=2, widths=[len(pool)] * 2, enough=-1, returned=10**6
    )
    least = min(misjudge(split(pool, chosen, sample.classes)) for chosen in every)
    assert rules[0].wrong == least
    for rule in rules:
        chosen = tuple(literal for (literal,) in rule.clauses)
        cells = split(pool, chosen, sample.classes)
        assert rule.wrong == misjudge(cells)
        assert rule.bits == pytest.approx(entropy(cells), abs=1e-6)
        assert rule.size == sum(pool.get(each).size for each in chosen)


@settings(max_examples=30)
@given(samples(least=4), st.integers(1, 3))
def test_cells_that_are_known_split_the_words_before(sample: Sample, count: int) -> None:
    pool = pool_of(sample)
    cells = np.arange(len(sample)) % count
    rules = combine_literals(pool, in_cells(sample, count), most=1, widths=[5], returned=5)
    for rule in rules:
        ((literal,),) = rule.clauses
        wrong = 0
        for cell in range(count):
            for value in (False, True):
                there = (cells == cell) & (pool.column(literal) == value)
                labels = sample.classes[there].tolist()
                wrong += min(labels.count(0), labels.count(1))
        assert rule.wrong == wrong


@given(samples(), st.integers(0, 2))
def test_what_covers_a_class_holds_of_few_other_words_and_is_all_needed(
    sample: Sample, exceptions: int
) -> None:
    pool = pool_of(sample)
    chosen = covering(pool, sample.classes, most=50, exceptions=exceptions)
    columns = [pool.column(each) for each in chosen]
    is_covered = sample.classes == 1
    for column in columns:
        assert (column & ~is_covered).sum() <= exceptions
    for place in range(len(columns)):
        rest = np.zeros(len(sample), dtype=bool)
        for column in columns[:place] + columns[place + 1 :]:
            rest |= column
        assert (columns[place] & is_covered & ~rest).any()
    if exceptions == 0:
        able = [pool.column(each) for each in range(len(pool))]
        able = [column for column in able if not (column & ~is_covered).any()]
        assert np.any([*columns, is_covered & False], axis=0)[is_covered].tolist() == (
            np.any([*able, is_covered & False], axis=0)[is_covered].tolist()
        )
