"""What words say against an automaton: verdict, headline and first sentence."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest

from inference.samples import machine
from lengthwise.inference.limits import chance_of_at_least
from lengthwise.inference.sample import Sample, answers_of
from lengthwise.inference.statement import DataStatement, state_data
from lengthwise.languages.language import Language

EVEN = machine([[1, 0], [0, 1]], [0, 1])
"""Words with an odd number of the first symbol are of class 1."""

CONSTANT = machine([[0, 0]], [0])


def words(count: int, seed: int) -> Sample:
    draw = np.random.default_rng(seed)
    some = {tuple(draw.integers(2, size=12).tolist()) for _ in range(2 * count)}
    chosen = sorted(some)[:count]
    return Sample.of_words(chosen, [word.count(0) % 2 for word in chosen], 2, 2)


def flip(sample: Sample, rows: Iterable[int]) -> Sample:
    classes = sample.classes.copy()
    classes[list(rows)] ^= 1
    return replace(sample, classes=classes)


def make_statement(
    wrong_known: int, wrong_held: int, noise: float, language: Language = EVEN
) -> DataStatement:
    known = flip(words(900, 1), range(wrong_known))
    held = flip(words(100, 2), range(wrong_held))
    return state_data(language, known, known.part(np.zeros(0, dtype=int)), held, noise=noise)


def test_one_wrong_word_refutes_where_no_label_is_wrong() -> None:
    right, wrong = make_statement(0, 0, 0.0), make_statement(0, 1, 0.0)
    assert (right.verdict, right.headline) == (
        "",
        f"right on 100 of 100 words held out (the best shortcut: {right.shortcut_right})",
    )
    assert right.sentences()[0].startswith("A, an automaton of 2 states, agrees with 100 of 100 ")
    assert wrong.headline.startswith("refuted: right on 99 of 100 words held out (")
    assert wrong.sentences()[0].startswith(
        "A is not the language, or labels are wrong: 1 of 100 words held out is wrong, such as "
    )


@pytest.mark.parametrize(
    ("known", "held", "verdict"),
    [(20, 2, ""), (27, 2, "in doubt"), (60, 2, "refuted"), (18, 6, "in doubt"), (18, 9, "refuted")],
)
def test_more_wrong_words_than_noise_explains_are_said_first(
    known: int, held: int, verdict: str
) -> None:
    """The probability is that of the binomial, whose test alone decides."""
    found = make_statement(known, held, 0.02)
    assert found.verdict == verdict
    assert found.chances.every == pytest.approx(chance_of_at_least(known + held, 1_000, 0.02))
    assert found.chances.held_out == pytest.approx(chance_of_at_least(held, 100, 0.02))
    first = found.sentences()[0]
    assert first.startswith("A is not the language, or more labels") == (verdict == "refuted")
    assert first.startswith("A may not be the language") == (verdict == "in doubt")
    if verdict:
        assert found.headline.startswith(f"{verdict}: right on {100 - held} of 100 words held out")
        shown = f"{held} of 100 words held out" if held > 2 else f"{known + held} of 1,000 words"
        assert shown in first
        assert ("explain 2 ± 1" if held > 2 else "explain 20 ± 4") in first


def test_an_automaton_that_a_shortcut_equals_is_not_found() -> None:
    """All words end in the first symbol: a shortcut knows their label, and A is wrong on half."""
    sample = words(1_000, 5)
    last = np.array([sample.word(row)[-1] for row in range(len(sample))])
    ends = replace(sample, classes=last)
    held, known = ends.part(np.arange(100)), ends.part(np.arange(100, 1_000))
    found = state_data(EVEN, known, known.part(np.zeros(0, dtype=int)), held)
    assert (found.verdict, found.shortcut_right) == ("not found", 100)
    assert found.shortcut == "first and last symbol"
    assert found.refutation == found.sentences()[0]
    assert found.refutation.startswith(
        f"The language is not found: A is right on {100 - found.held_out.wrong} of 100 words held "
        f"out, and the shortcut 'first and last symbol' on 100. Give shorter words too, more words"
    )
    assert replace(found, shortcut_right=10).verdict == "refuted"


@pytest.mark.parametrize(("wrong", "verdict"), [(12, ""), (20, "not found"), (24, "not found")])
def test_an_automaton_at_chance_is_not_found_however_many_labels_may_be_wrong(
    wrong: int, verdict: str
) -> None:
    """Of 40 words, 20 wrong ones do not refute where three labels of ten may be wrong."""
    known, held = words(900, 1), flip(words(40, 2), range(wrong))
    found = state_data(EVEN, known, known.part(np.zeros(0, dtype=int)), held, noise=0.3)
    assert found.verdict == verdict
    assert found.sentences()[0].startswith("The language is not found: A is right") == bool(verdict)
    assert (chance_of_at_least(wrong, 40, 0.3) > 0.001 / 3) == (wrong < 24)


def test_an_automaton_of_one_answer_is_no_better_than_chance() -> None:
    known, held = words(900, 1), words(100, 2)
    rare = [flip(each, np.flatnonzero(each.classes)) for each in (known, held)]
    some = [flip(each, range(0, len(each), 60)) for each in rare]
    found = state_data(CONSTANT, some[0], some[0].part(np.zeros(0, dtype=int)), some[1], noise=0.02)
    assert found.verdict == "at chance"
    assert "each word the same label" in found.sentences()[0]
    assert found.refutation


def test_noise_among_many_does_not_hide_that_the_rare_label_is_guessed() -> None:
    """A is wrong on few words, but on half of those to which it gives the rare label."""
    held = words(1_000, 3)
    answers = answers_of(EVEN, held)
    ones = np.flatnonzero(answers == 1)
    rare, others = ones[:20], ones[20:]
    sample = flip(held, others)  # now of class 0, as A does not say
    kept = sample.part(np.setdiff1d(np.arange(len(sample)), others))
    half = flip(kept, np.flatnonzero(answers_of(EVEN, kept) == 1)[:10])
    known = kept.part(np.flatnonzero(kept.classes == 0))
    found = state_data(EVEN, known, known.part(np.zeros(0, dtype=int)), half, noise=0.05)
    assert len(rare) == 20
    assert found.chances.every > 0.05 < found.chances.held_out
    assert found.verdict == "refuted"
    assert "where it does not give the commonest label" in found.sentences()[0]


def test_the_bound_is_about_different_words_at_any_noise() -> None:
    for noise in (0.0, 0.02):
        (bound,) = [
            each for each in make_statement(0, 0, noise).sentences() if "With confidence" in each
        ]
        assert "of different words like those held out, each counted once" in bound
        assert "words that come independently of one another" in bound
        assert ("wrong labels included" in bound) == (noise > 0)
