"""Every language of the benchmarks against a second definition, in plain Python, on all words."""

import re
from collections.abc import Callable

import pytest

from lengthwise.errors import WordError
from lengthwise.languages.benchmark_languages import BENCHMARKS
from lengthwise.languages.spec import languages, parse
from strategies import texts


def odd_pairs(word: str) -> int:
    return (word.count("01") + word.count("10")) % 2


def announce(word: str) -> int:
    moves, digit = word[:-1], word[-1:]
    right = re.fullmatch("[><=]*", moves) and digit.isdigit()
    return int(bool(right) and (moves.count(">") - moves.count("<")) % 5 == int(digit))


def true_equation(word: str) -> int:
    if not re.fullmatch("[0-4]([-+*][0-4])*=[0-4]", word):
        return 0
    left, right = word.split("=")
    value = int(left[0])
    for operator, digit in zip(left[1::2], left[2::2], strict=True):
        value = int(eval(f"({value}){operator}{digit}"))
    return int(value % 5 == int(right))


def is_nested(word: str) -> int:
    for _ in range(3):  # the innermost pairs go first, those beside each other at once
        word = re.sub(r"(?:\(\.*\)|\[\.*\])", lambda pair: "." * len(pair[0]), word)
    return int(set(word) <= {"."})


SECOND: dict[str, Callable[[str], int]] = {
    "chomsky-even-pairs": odd_pairs,
    "chomsky-modular-arithmetic": lambda w: int(eval(w)) % 5,
    "chomsky-parity": lambda w: w.count("1") % 2,
    "chomsky-cycle-navigation": lambda w: (w.count("2") - w.count("0")) % 5,
    "flare-even-pairs": lambda w: 1 - odd_pairs(w),
    "flare-repeat-01": lambda w: int(w == "01" * (len(w) // 2)),
    "flare-parity": lambda w: w.count("1") % 2,
    "flare-cycle-navigation": announce,
    "flare-modular-arithmetic": true_equation,
    "flare-dyck-2-3": is_nested,
    "flare-first": lambda w: int(w[:1] == "1"),
}

LENGTHS = {2: 11, 3: 7, 4: 6, 8: 5, 9: 4}
"""Longest words by size of the alphabet."""


def test_every_language_has_a_second_definition() -> None:
    assert list(SECOND) == list(BENCHMARKS)


@pytest.mark.slow_for("chomsky-modular-arithmetic", "flare-cycle-navigation")
@pytest.mark.parametrize("name", list(BENCHMARKS))
def test_a_language_is_what_its_second_definition_says(name: str) -> None:
    language = parse(name)
    assert language.spec == name
    found = set()
    for text in texts("".join(language.alphabet), LENGTHS[language.num_symbols]):
        if language.domain is not None and not re.fullmatch("[0-4]([-+*][0-4])*", text):
            with pytest.raises(WordError):
                language.classify(text)
        else:
            assert language.classify(text) == SECOND[name](text), text
            found.add(language.classify(text))
    assert found == set(range(language.num_classes))


@pytest.mark.parametrize("text", ["1+2*3-4*1=0", "4-4-4=1", "1+2*3-4*1=1", "2*2*2*2=1", "3=3=3"])
def test_longer_equations(text: str) -> None:
    assert (text in parse("flare-modular-arithmetic")) == true_equation(text)


@pytest.mark.parametrize("text", ["((()))", "[(([]))]", "([()[]])", "((])", "[[[]]]()"])
def test_longer_nestings(text: str) -> None:
    assert (text in parse("flare-dyck-2-3")) == is_nested(text)


@pytest.mark.parametrize("name", list(BENCHMARKS))
def test_entries_are_minimal_and_their_examples_right(name: str) -> None:
    entry = BENCHMARKS[name]
    language = entry.build()
    assert language == language.minimise()
    for word, class_name in entry.examples:
        assert language.class_names[language.classify(word)] == class_name
    assert len({class_name for _, class_name in entry.examples}) > 1
    assert name in {each["spec"] for each in languages()}


def test_languages_of_one_name_that_differ_are_told_apart() -> None:
    for ours, theirs in [
        ("even-pairs", "flare-even-pairs"),
        ("cycle-navigation", "chomsky-cycle-navigation"),
    ]:
        assert parse(ours).difference(parse(theirs)) is not None
    for ours, theirs in [("even-pairs", "chomsky-even-pairs"), ("parity", "flare-parity")]:
        assert parse(ours).difference(parse(theirs)) is None
