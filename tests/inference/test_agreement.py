"""Lines of repeated words: what they weigh is what a plain list of all lines says."""

import math
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from inference.samples import MACHINES, Word, machine
from lengthwise.inference.agreement import Agreement, Chances
from lengthwise.inference.hill_climbing import DrawnWords
from lengthwise.inference.judge import Judge
from lengthwise.inference.limits import chance_of_at_least
from lengthwise.inference.packed_words import PackedWords, count_misjudged
from lengthwise.inference.refining import refine
from lengthwise.inference.sample import Sample, answers_of, join_samples
from lengthwise.inference.searcher import SearchTask, size_in_bits
from lengthwise.inference.state_merging import bound_wrong_labels
from lengthwise.languages.language import Language

EVEN = machine([[1, 0], [0, 1]], [0, 1])

Lines = dict[Word, tuple[int, int, int]]
"""The label of words, and the lines with it and with the other one."""


@st.composite
def repeated(draw: st.DrawFn) -> Lines:
    words = st.lists(st.lists(st.integers(0, 1), max_size=6).map(tuple), min_size=2, unique=True)
    found = {}
    for word in draw(words.filter(lambda some: len(some) < 25)):
        others = draw(st.integers(0, 3))
        found[word] = draw(st.integers(0, 1)), others + draw(st.integers(1, 30)), others
    return found


def sample_of_lines(words: Lines) -> Sample:
    plain = Sample.of_words(list(words), [label for label, _, _ in words.values()], 2, 2)
    lines = np.array([(most, others) for _, most, others in words.values()])
    tokens = np.zeros((len(words), max(map(len, words))), dtype=np.int64)
    for row, word in enumerate(words):
        tokens[row, tokens.shape[1] - len(word) :] = word
    lengths = np.array([*map(len, words)])
    found = Sample.of(tokens, lengths, plain.classes[np.argsort(plain.rows)], 2, 2, lines=lines)
    assert found.rows.tolist() == plain.rows.tolist()
    return found


def written_out(words: Lines) -> list[tuple[Word, int]]:
    """Every line of the file."""
    return [
        (word, each)
        for word, (label, most, others) in words.items()
        for each in [label] * most + [1 - label] * others
    ]


@given(words=repeated(), language=st.sampled_from(MACHINES), noise=st.sampled_from([0.01, 0.2]))
def test_the_criterion_is_that_of_all_lines(words: Lines, language: Language, noise: float) -> None:
    sample, lines = sample_of_lines(words), written_out(words)
    is_wrong = [language.classify(word) != label for word, label in lines]
    found = Judge(sample.part(np.arange(1)), sample.part(np.arange(1, len(sample))), noise)(
        language, ""
    )
    assert found.wrong + found.wrong_in_validation == sum(is_wrong)
    bits = sum(-math.log2(noise if wrong else 1 - noise) for wrong in is_wrong)
    assert math.isclose(found.bits, size_in_bits(language) + bits)


@given(words=repeated(), language=st.sampled_from(MACHINES))
def test_a_misjudged_word_costs_its_weight(words: Lines, language: Language) -> None:
    """Local search leaves out what no automaton changes: as many lines of each label."""
    sample, lines = sample_of_lines(words), written_out(words)
    packed = PackedWords.of(sample, np.arange(len(sample)))
    counts = packed.counts(np.array(language.transitions)[None])[0]
    plain = np.zeros_like(counts)
    for word, label in lines:
        plain[language.run(word), label] += 1
    outvoted = sum(others for _, _, others in words.values())
    assert plain.sum() == counts.sum() + 2 * outvoted == len(lines)
    difference = [int(each[1] - each[0]) for each in (plain - counts)]
    assert difference == [0] * len(difference)
    search = DrawnWords.of(SearchTask(sample, 0.1), np.random.default_rng(0)).search(100, np.inf)
    assert search.enough == max(bound_wrong_labels(0.1, len(lines)) - outvoted, 0)
    assert count_misjudged(counts[None])[0] == count_misjudged(plain[None])[0] - outvoted


@given(words=repeated(), language=st.sampled_from(MACHINES))
def test_the_statement_counts_words_and_lines(words: Lines, language: Language) -> None:
    sample, lines = sample_of_lines(words), written_out(words)
    wrong = sum(language.classify(word) != label for word, label in lines)
    known, held = sample.part(np.arange(1, len(sample))), sample.part(np.arange(1))
    assert join_samples(held, known).num_lines == sample.num_lines == len(lines)
    parts = [Agreement.of(language, each) for each in (known, held)]
    assert [each.words for each in parts] == [len(sample) - 1, 1]
    assert sum(each.wrong for each in parts) == sum(
        language.classify(word) != label for word, (label, _, _) in words.items()
    )
    assert (sum(each.wrong_lines for each in parts), sum(each.lines for each in parts)) == (
        wrong,
        len(lines),
    )
    found = Chances.of(language, known, held, parts, noise=0.1, undecided_lines=3)
    assert found.every == chance_of_at_least(wrong + 3, len(lines) + 6, 0.1)
    assert found.held_out == chance_of_at_least(parts[1].wrong, 1, 0.1)


def test_a_word_with_most_of_the_lines_outweighs_many_others() -> None:
    """Redirecting `00` is wrong for the 3 longer words, and right for 30 lines of one."""
    words = {(0, 0): (1, 31, 1), (0, 0, 1): (0, 1, 0), (1, 0, 0): (0, 1, 0), (0, 1, 0): (0, 1, 0)}
    words |= {(0,): (1, 40, 0), (1,): (0, 1, 0)}
    sample = sample_of_lines(words)
    heavy, light = refine(EVEN, sample), refine(EVEN, Sample(**plain_fields(sample)))
    assert heavy.classify((0, 0)) == 1
    assert light.classify((0, 0)) == 0


def plain_fields(sample: Sample) -> dict[str, Any]:
    names = ("symbols", "lengths", "classes", "num_symbols", "num_classes", "rows")
    return {name: getattr(sample, name) for name in names}


def test_of_three_classes_the_next_most_frequent_one_counts() -> None:
    tokens, lengths = np.array([[0], [1]]), np.array([1, 1])
    lines = np.array([[5, 2], [3, 0]])
    sample = Sample.of(tokens, lengths, np.array([2, 1]), 2, 3, lines=lines)
    language = Language(
        alphabet=("0", "1"), transitions=((0, 0),), classes=(2,), class_names=("0", "1", "2")
    )
    wrong = answers_of(language, sample) != sample.classes
    assert wrong.tolist() == [False, True]
    assert (sample.wrong_lines(wrong), sample.wrong_lines(~wrong), sample.num_lines) == (5, 5, 10)
