"""Uniform words, against all words of small lengths and against exact integers."""

import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st

from lengthwise.errors import TaskError
from lengthwise.languages.language import Language
from lengthwise.tasks import sampling
from lengthwise.tasks.automaton import PAD
from lengthwise.tasks.sampling import UniformSampler, _distinct_pairs
from tasks.filled import all_are_doubtful_that_have_begun, fill
from tasks.oracles import (
    BEGINS_WITH_1,
    EVEN_LENGTH,
    MOD_3,
    PARITY,
    TOO_IMPROBABLE,
    UNEQUAL,
    chance_of,
    languages,
    make_generator,
    read_words,
    sample,
    uniform,
    words_of,
)

# ---- exactly uniform -------------------------------------------------------------------------


@pytest.mark.slow_for(
    "4-language0-1",
    "4-language0-3",
    "4-language1-1",
    "4-language1-3",
    "4-language2-1",
    "4-language2-3",
    "4-language3-1",
    "4-language3-3",
)
@pytest.mark.parametrize("bits", [1, 3, 30])
@pytest.mark.parametrize("language", [PARITY, BEGINS_WITH_1, MOD_3, UNEQUAL])
@pytest.mark.parametrize("length", [1, 4])
def test_words_of_a_class_are_uniform(language: Language, bits: int, length: int) -> None:
    """With few bits, nearly every word is settled by exact integers."""
    sampler = UniformSampler(language, bits)
    generator = make_generator(bits)
    for c in sampler.classes_at(length):

        def draw(n: int, c: int = c) -> torch.Tensor:
            return sampler.draw(fill(c, n), fill(length, n), generator)

        expected = uniform(words_of(language, length, c))
        assert chance_of(sample(draw, 1500), expected) > TOO_IMPROBABLE


@given(language=languages(), length=st.integers(1, 4), bits=st.sampled_from([2, 30]))
def test_words_of_any_class_are_uniform_in_the_domain(
    language: Language, length: int, bits: int
) -> None:
    words = words_of(language, length)
    assume(words)
    sampler, generator = UniformSampler(language, bits), make_generator()

    seen = sample(lambda n: sampler.draw_any(fill(length, n), generator), 1000)

    assert chance_of(seen, uniform(words)) > TOO_IMPROBABLE


@pytest.mark.parametrize("language", [UNEQUAL, MOD_3])
def test_long_words_agree_with_exact_integers_too(language: Language) -> None:
    """3000 symbols: the counts of UNEQUAL's states differ by a factor of 2^3000."""
    sampler = UniformSampler(language)
    classes, lengths = torch.tensor([0, 1, 1]), torch.tensor([2999, 3000, 1])
    drawn = sampler.draw(classes, lengths, make_generator())

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sampler._by_class, "_doubtful", all_are_doubtful_that_have_begun(lengths))
        assert drawn.equal(sampler.draw(classes, lengths, make_generator()))
    assert sampler.automaton.classify(drawn).equal(classes)


# ---- what there is ---------------------------------------------------------------------------


@given(language=languages(), length=st.integers(0, 5))
def test_classes_that_have_words_are_known(language: Language, length: int) -> None:
    sampler = UniformSampler(language)
    expected = [c for c in range(language.num_classes) if words_of(language, length, c)]

    assert list(sampler.classes_at(length)) == expected
    assert [c for c in range(language.num_classes) if sampler.exists(length, c)] == expected


@given(language=languages(), length=st.integers(6, 200))
def test_classes_that_have_words_are_known_at_greater_lengths(
    language: Language, length: int
) -> None:
    counts = language.counts(length)

    found = UniformSampler(language).classes_at(length)

    assert list(found) == [c for c, number in enumerate(counts) if number]


def test_lengths_of_a_class_are_known_far_away() -> None:
    sampler = UniformSampler(EVEN_LENGTH)
    assert sampler.exists(10**12, 1)
    assert not sampler.exists(10**12, 0)


def test_a_class_without_a_word_of_the_length_is_refused_with_the_nearest_lengths() -> None:
    sampler = UniformSampler(EVEN_LENGTH)
    with pytest.raises(
        TaskError, match=r"class 1 of the language has no word of length 5. .* one: 4 and 6."
    ):
        sampler.draw(torch.tensor([0, 1]), torch.tensor([5, 5]), make_generator())


@pytest.mark.parametrize(
    ("c", "length", "part"), [(2, 3, "classes are 0..1"), (1, -1, "0 or more")]
)
def test_impossible_classes_and_lengths_are_refused(c: int, length: int, part: str) -> None:
    with pytest.raises(TaskError, match=part):
        UniformSampler(PARITY).draw(torch.tensor([c]), torch.tensor([length]), make_generator())


def test_a_class_without_any_word_is_refused() -> None:
    nothing = Language(alphabet=("a",), transitions=((0,),), classes=(0,))
    with pytest.raises(TaskError, match="No length has one"):
        UniformSampler(nothing).draw(torch.tensor([1]), torch.tensor([2]), make_generator())


def test_too_many_counts_are_refused_with_what_is_possible(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sampling, "MAX_COUNTS", 99)
    sampler = UniformSampler(MOD_3)  # 9 counts a length
    message = (
        r"of 11 symbols need 108 counts \(12 lengths x 3 states x 3 classes\), but the limit is 99"
        r". Use words of at most 10 symbols, or a language with fewer classes"
    )
    sampler.require_room(10)
    with pytest.raises(TaskError, match=message):
        sampler.require_room(11)

    ones = torch.tensor([1])
    assert sampler.draw(ones, torch.tensor([10]), make_generator()).shape == (1, 10)
    with pytest.raises(TaskError, match=message):
        sampler.draw(ones, torch.tensor([11]), make_generator())

    assert sampler.draw_any(torch.tensor([32]), make_generator()).shape == (1, 32)
    with pytest.raises(TaskError, match=r"34 lengths x 3 states x 1 class\).* at most 32 symbols"):
        sampler.draw_any(torch.tensor([33]), make_generator())


def test_a_language_with_too_many_counts_for_any_word_is_refused_before_they_are_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sampling, "MAX_COUNTS", 8)
    sampler = UniformSampler(MOD_3)
    with pytest.raises(TaskError, match=r"but the limit is 8. Use a language with fewer"):
        sampler.draw(torch.tensor([0]), torch.tensor([0]), make_generator())
    assert "_by_class" not in vars(sampler)


@given(st.lists(st.tuples(st.integers(-2, 5), st.integers(-3, 9)), max_size=20))
def test_distinct_pairs_are_those_of_the_words(pairs: list[tuple[int, int]]) -> None:
    columns = torch.tensor(pairs, dtype=torch.int64).reshape(-1, 2)
    assert _distinct_pairs(columns[:, 0], columns[:, 1]) == sorted(set(pairs))


# ---- use -------------------------------------------------------------------------------------


def test_one_letter_and_no_words_are_no_special_cases() -> None:
    unary = Language(alphabet=("a",), transitions=((1,), (0,)), classes=(0, 1))
    sampler = UniformSampler(unary)
    assert read_words(sampler.draw_any(torch.tensor([3, 0]), make_generator())) == [(0, 0, 0), ()]
    assert sampler.draw_any(torch.empty(0, dtype=torch.int64), make_generator()).shape == (0, 0)


def test_a_million_symbols_of_one_kind_take_no_counts() -> None:
    unary = Language(alphabet=("a",), transitions=((1,), (0,)), classes=(0, 1))
    sampler = UniformSampler(unary)
    words = sampler.draw_any(torch.tensor([1_000_000, 2]), make_generator())
    assert (words[0] == 0).all()
    assert words[1].tolist() == [PAD] * 999_998 + [0, 0]
    assert len(sampler._over_all._mantissas) == 1


def test_one_seed_gives_one_batch_whatever_was_drawn_before() -> None:
    fresh, used = UniformSampler(UNEQUAL), UniformSampler(UNEQUAL)
    used.draw_any(fill(90, 3), make_generator(5))
    used.draw(fill(1, 3), fill(90, 3), make_generator(5))
    lengths = torch.tensor([3, 12, 7])
    ones = torch.ones_like(lengths)
    assert fresh.draw(ones, lengths, make_generator()).equal(
        used.draw(ones, lengths, make_generator())
    )


@pytest.mark.slow
def test_a_word_of_a_hundred_thousand_symbols() -> None:
    sampler = UniformSampler(PARITY)
    tokens = sampler.draw(torch.tensor([1]), torch.tensor([100_000]), make_generator())
    assert tokens.shape == (1, 100_000)
    assert sampler.automaton.classify(tokens).tolist() == [1]
    assert 49_000 < tokens.sum() < 51_000
