"""The paper's words, against its rules carried out one word at a time."""

import random
from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import product

import pytest
import torch

from lengthwise.errors import TaskError
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from lengthwise.tasks import published_draws
from lengthwise.tasks.published_draws import PUBLISHED, Draw, find_published_draw, has_published
from lengthwise.tasks.sampling import UniformSampler
from tasks.oracles import (
    MOD_3,
    TOO_IMPROBABLE,
    Word,
    chance_of,
    chance_same,
    make_generator,
    read_words,
    sample,
    uniform,
    words_of,
)

SPECS = (*PUBLISHED, "d-2", "d-12")
HALVES = ("d-2", "d-3", "d-12", "tomita-3", "tomita-4", "tomita-5", "tomita-6")


def count(language: Language, draw: Draw, length: int, count: int) -> Counter[Word]:
    sampler, generator = UniformSampler(language), make_generator()
    return sample(lambda n: draw(sampler, torch.full((n,), length), generator), count)


# ---- whatever the language -------------------------------------------------------------------


@pytest.mark.parametrize("spec", SPECS)
def test_words_of_many_lengths_are_in_the_domain_and_have_these_lengths(spec: str) -> None:
    language = parse(spec)
    sampler = UniformSampler(language)
    lengths = torch.tensor([n for n in (*range(30), 3, 3, 80, 7) if sampler.classes_at(n)])

    tokens = find_published_draw(language)(sampler, lengths, make_generator())

    assert [len(word) for word in read_words(tokens)] == lengths.tolist()
    assert (sampler.automaton.classify(tokens) < language.num_classes).all()


@pytest.mark.parametrize("spec", HALVES)
def test_half_of_the_words_are_members_where_both_classes_exist(spec: str) -> None:
    language = parse(spec)
    sampler = UniformSampler(language)
    draw = find_published_draw(language)
    for length in range(1, 20):
        classes = sampler.automaton.classify(
            draw(sampler, torch.full((16,), length), make_generator())
        )
        share = {(0,): 0, (1,): 16, (0, 1): 8}[sampler.classes_at(length)]
        assert classes.sum() == share
        if share == 8:
            assert classes.tolist() != classes.sort().values.tolist(), "in random order"


@pytest.mark.parametrize(
    ("spec", "lengths", "c"),
    [
        ("d-2", (1, 3, 41), 0),
        ("tomita-5", (1, 3, 41), 0),
        ("tomita-4", (1, 2), 1),
        ("tomita-3", (1,), 1),
        ("tomita-6", (1,), 0),
    ],
)
def test_lengths_with_one_class_alone(spec: str, lengths: tuple[int, ...], c: int) -> None:
    language = parse(spec)
    sampler = UniformSampler(language)
    tokens = find_published_draw(language)(sampler, torch.tensor(lengths), make_generator())
    assert sampler.automaton.classify(tokens).tolist() == [c] * len(lengths)


NEGATIVES, MEMBERS = (4, 0, 2000), (6, 1, 3000)
"""Length and class of words, and how many are drawn."""


@pytest.mark.parametrize(
    ("spec", "kind"),
    [
        *((spec, NEGATIVES) for spec in ("d-2", "tomita-3", "tomita-5", "tomita-6")),
        *((spec, MEMBERS) for spec in ("tomita-5", "tomita-6")),
    ],
)
def test_negatives_and_members_of_tomita_5_and_6_are_uniform(
    spec: str, kind: tuple[int, int, int]
) -> None:
    language, (length, c, number) = parse(spec), kind
    words = words_of(language, length, c)

    seen = count(language, find_published_draw(language), length, number)

    found = Counter({word: times for word, times in seen.items() if word in words})
    assert chance_of(found, uniform(words)) > TOO_IMPROBABLE


# ---- words of all classes --------------------------------------------------------------------


@pytest.mark.parametrize("p_one", [0.1, 0.5])
def test_bits_of_parity_are_one_with_the_given_probability(p_one: float) -> None:
    seen = count(parse("parity"), find_published_draw(parse("parity"), p_one), 3, 3000)
    expected = {
        word: p_one ** sum(word) * (1 - p_one) ** (3 - sum(word))
        for word in product((0, 1), repeat=3)
    }
    assert chance_of(seen, expected) > TOO_IMPROBABLE


@pytest.mark.parametrize("spec", ["even-pairs", "cycle-navigation"])
def test_symbols_are_uniform(spec: str) -> None:
    language = parse(spec)
    seen = count(language, find_published_draw(language), 3, 3000)
    assert chance_of(seen, uniform(words_of(language, 3))) > TOO_IMPROBABLE


def test_sums_begin_with_plus_and_are_uniform_otherwise() -> None:
    language = parse("modular-arithmetic")
    seen = count(language, find_published_draw(language), 4, 6000)
    plus = [language.encode(f"+{a}{o}{b}") for a in range(5) for o in "+-*" for b in range(5)]
    assert chance_of(seen, uniform(plus)) > TOO_IMPROBABLE


def test_sums_of_odd_length_are_refused() -> None:
    language = parse("modular-arithmetic")
    with pytest.raises(TaskError, match=r"modular-arithmetic has no word of length 7. .* 6 and 8"):
        find_published_draw(language)(
            UniformSampler(language), torch.tensor([6, 7]), make_generator()
        )


# ---- the paper's members, one word at a time ---------------------------------------------------


def brackets(depth: int, length: int, rng: random.Random) -> list[int]:
    word: list[int] = []
    while depth > 0 and len(word) < length:
        most = length - len(word) - 2
        target = max(0, min(most, int(rng.gauss(0.75 * most, 0.075 * most))))
        word += [0, *brackets(depth - 1, target - target % 2, rng), 1]
    return word


def tomita_3(length: int, rng: random.Random) -> list[int]:
    language = parse("tomita-3")
    while True:
        word: list[int] = []
        last_ones = 0
        while len(word) < length:
            symbol = rng.randrange(2)
            run = rng.randint(0, length - len(word))
            if symbol == 1:
                last_ones = run
            elif last_ones % 2 == 1:
                run -= run % 2
            word += [symbol] * run
        if language.classify(word) == 1:
            return word


def tomita_4(length: int, rng: random.Random) -> list[int]:
    word: list[int] = []
    while len(word) < length:
        bit = rng.randrange(2)
        if word[-2:] != [0, 0] or bit == 1:
            word.append(bit)
    return word


@pytest.mark.parametrize(
    ("spec", "members", "one_by_one", "length"),
    [
        ("d-2", partial(published_draws.draw_nested_brackets, depth=2), partial(brackets, 2), 10),
        ("d-3", partial(published_draws.draw_nested_brackets, depth=3), partial(brackets, 3), 14),
        ("d-1", partial(published_draws.draw_nested_brackets, depth=1), partial(brackets, 1), 8),
        ("tomita-3", published_draws.tomita_3_members, tomita_3, 4),
        ("tomita-4", published_draws.tomita_4_members, tomita_4, 5),
    ],
)
def test_members_come_as_often_as_one_word_at_a_time(
    spec: str,
    members: Draw,
    one_by_one: Callable[[int, random.Random], list[int]],
    length: int,
) -> None:
    language, rng = parse(spec), random.Random(0)
    seen = count(language, members, length, 2_000)
    reference = Counter(tuple(one_by_one(length, rng)) for _ in range(2_000))

    assert all(language.classify(word) == 1 for word in seen)
    assert chance_same(seen, reference) > TOO_IMPROBABLE


def test_members_of_different_lengths_do_not_disturb_each_other() -> None:
    language = parse("d-3")
    sampler, generator = UniformSampler(language), make_generator()
    lengths = torch.tensor([14, 2, 0, 8] * 750)
    words = read_words(published_draws.draw_nested_brackets(sampler, lengths, generator, depth=3))

    long = Counter(word for word in words if len(word) == 14)
    rng = random.Random(1)
    reference = Counter(tuple(brackets(3, 14, rng)) for _ in range(750))

    assert all(language.classify(word) == 1 for word in words)
    assert chance_same(long, reference) > TOO_IMPROBABLE


# ---- refusals --------------------------------------------------------------------------------


@pytest.mark.parametrize("language", [MOD_3, parse("tomita-7"), parse("first")])
def test_languages_that_the_paper_does_not_use_are_refused(language: Language) -> None:
    assert not has_published(language)
    with pytest.raises(TaskError, match=r"the paper has no words of .* Use the protocol 'audited'"):
        find_published_draw(language)


@pytest.mark.parametrize("spec", SPECS)
def test_languages_that_the_paper_uses_are_known(spec: str) -> None:
    assert has_published(parse(spec))
