"""Balanced words and near misses, against all words of small lengths."""

from collections import Counter, defaultdict

import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st

from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from lengthwise.tasks import audited_draws
from lengthwise.tasks.audited_draws import draw_audited, one_edit_into, other_classes
from lengthwise.tasks.sampling import UniformSampler
from tasks.oracles import (
    BEGINS_WITH_1,
    MOD_3,
    PARITY,
    TOO_IMPROBABLE,
    UNEQUAL,
    Word,
    chance_of,
    class_of,
    languages,
    make_generator,
    read_words,
    uniform,
    words_of,
)


def edits(language: Language, word: Word, c: int) -> dict[Word, float]:
    """The words of class `c` one edit away, with their chances: a coin picks the kind of edit."""
    replaced = [
        (*word[:i], symbol, *word[i + 1 :])
        for i in range(len(word))
        for symbol in range(language.num_symbols)
        if symbol != word[i]
    ]
    swapped = [
        (*word[:i], word[i + 1], word[i], *word[i + 2 :])
        for i in range(len(word) - 1)
        if word[i] != word[i + 1]
    ]
    kinds = [
        [other for other in words if class_of(language, other) == c]
        for words in (replaced, swapped)
    ]
    share: defaultdict[Word, float] = defaultdict(float)
    possible = [words for words in kinds if words]
    for words in possible:
        for other in words:
            share[other] += 1 / len(possible) / len(words)
    return dict(share)


def near_misses(language: Language, length: int, c: int) -> dict[Word, float]:
    """The distribution of words of class `c` one edit away from another class."""
    share: defaultdict[Word, float] = defaultdict(float)
    uniform_words = uniform(words_of(language, length, c))
    others = [
        words
        for k in range(language.num_classes)
        if k != c and (words := words_of(language, length, k))
    ]
    for words in others:
        for word in words:
            weight = 1 / len(others) / len(words)
            for other, p in (edits(language, word, c) or uniform_words).items():
                share[other] += weight * p
    return dict(share) if others else uniform_words


@pytest.mark.parametrize(
    ("language", "length"),
    [(PARITY, 3), (BEGINS_WITH_1, 4), (MOD_3, 3), (UNEQUAL, 4), (parse("d-2"), 6)],
)
def test_words_of_each_class_come_as_promised(language: Language, length: int) -> None:
    """Class 1 of a recogniser uniform; the rest half uniform, half near misses."""
    sampler, generator = UniformSampler(language), make_generator()
    tokens, classes = draw_audited(sampler, torch.full((4000,), length), generator)
    words = read_words(tokens)
    assert sampler.automaton.classify(tokens).equal(classes)
    for c in sampler.classes_at(length):
        plain = uniform(words_of(language, length, c))
        near = near_misses(language, length, c)
        if language.num_classes == 2 and c == 1:
            near = plain
        expected = {word: (plain[word] + near.get(word, 0)) / 2 for word in plain}
        seen = Counter(word for word, k in zip(words, classes.tolist(), strict=True) if k == c)
        assert chance_of(seen, expected) > TOO_IMPROBABLE


@given(language=languages(), lengths=st.lists(st.integers(0, 7), min_size=1, max_size=24))
def test_classes_are_right_and_balanced_within_each_length(
    language: Language, lengths: list[int]
) -> None:
    sampler = UniformSampler(language)
    chosen = torch.tensor([n for n in lengths if sampler.classes_at(n)], dtype=torch.int64)

    tokens, classes = draw_audited(sampler, chosen, make_generator())

    words = read_words(tokens)
    assert [len(word) for word in words] == chosen.tolist()
    assert [class_of(language, word) for word in words] == classes.tolist()
    for length in set(chosen.tolist()):
        numbers = Counter(classes[chosen == length].tolist())
        present = [numbers[c] for c in sampler.classes_at(length)]
        assert max(present) - min(present) <= 1


@pytest.mark.parametrize("most", [1, 2**24])
@given(language=languages(), data=st.data())
def test_edits_are_found_exactly_where_there_are_some(
    language: Language, data: st.DataObject, most: int
) -> None:
    sampler = UniformSampler(language)
    lengths = torch.tensor(data.draw(st.lists(st.integers(0, 5), min_size=1, max_size=6)))
    lengths = lengths[[bool(sampler.classes_at(n)) for n in lengths.tolist()]]
    assume(len(lengths))
    tokens = sampler.draw_any(lengths, make_generator())
    wanted = torch.randint(language.num_classes, lengths.shape, generator=make_generator())

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(audited_draws, "_MAX_EDITS", most)
        patch.setattr(audited_draws, "_AT_ONCE", most)
        edited, found = one_edit_into(sampler.automaton, tokens, wanted, make_generator())

    cases = zip(
        read_words(tokens), read_words(edited), wanted.tolist(), found.tolist(), strict=True
    )
    for before, after, c, was_found in cases:
        possible = edits(language, before, c)
        assert was_found == bool(possible)
        assert after in (possible or {before: 1.0})


def test_edits_are_uniform_among_those_of_a_kind() -> None:
    """Several symbols fit at one place (0 times any digit); leaving the domain is no edit."""
    language = parse("modular-arithmetic")
    sampler = UniformSampler(language)
    word = language.encode("+0*3-2")
    possible = edits(language, word, 3)
    tokens = torch.tensor([word]).repeat(2000, 1)

    edited, found = one_edit_into(
        sampler.automaton, tokens, torch.full((2000,), 3), make_generator()
    )

    assert found.all()
    assert chance_of(Counter(read_words(edited)), possible) > TOO_IMPROBABLE


def test_exchanges_leave_the_counts_as_they_were() -> None:
    """Half of the near misses of D_3 are told from members by no count of symbols."""
    language = parse("d-3")
    tokens, classes = draw_audited(
        UniformSampler(language), torch.full((4000,), 30), make_generator()
    )
    balanced = (tokens[classes == 0] == 1).sum(dim=1) == 15
    assert 0.3 < balanced.double().mean().item() < 0.37  # a quarter, and 14 % of the uniform half


def test_near_misses_start_from_all_other_classes_equally() -> None:
    sampler = UniformSampler(MOD_3)
    classes, lengths = torch.tensor([0, 1, 2] * 600), torch.full((1800,), 2)

    others = other_classes(sampler, classes, lengths, make_generator())

    seen: Counter[Word] = Counter(zip(classes.tolist(), others.tolist(), strict=True))
    pairs = [(a, b) for a in range(3) for b in range(3) if a != b]
    assert chance_of(seen, uniform(pairs)) > TOO_IMPROBABLE


def test_a_length_with_one_class_has_uniform_words() -> None:
    language = parse("tomita-5")
    tokens, classes = draw_audited(
        UniformSampler(language), torch.full((800,), 3), make_generator()
    )
    assert not classes.any()
    assert chance_of(Counter(read_words(tokens)), uniform(words_of(language, 3))) > TOO_IMPROBABLE


def test_large_groups_stay_within_bounds() -> None:
    """S5 with all its 120 elements as symbols: 120 states, classes and symbols."""
    sampler = UniformSampler(parse("group:S5"))
    tokens, classes = draw_audited(sampler, torch.full((120,), 20), make_generator())
    assert classes.sort().values.tolist() == list(range(120))
    assert sampler.automaton.classify(tokens).equal(classes)
