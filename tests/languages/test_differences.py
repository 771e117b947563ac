"""The differences of two languages are those that trying all words finds."""

import itertools

import pytest
from hypothesis import given

from lengthwise.languages import differences
from lengthwise.languages.differences import Differences
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from strategies import machines, machines_with_domain, recognisers


def label(language: Language, word: tuple[str, ...], outside: str) -> str:
    """The class of a word of any symbols, step by step."""
    if not {*word} <= {*language.alphabet}:
        return outside
    numbers = [language.alphabet.index(symbol) for symbol in word]
    if language.domain is not None and language.domain.classes[language.domain.run(numbers)] != 1:
        return "outside"
    return language.class_names[language.classes[language.run(numbers)]]


def require_right(first: Language, second: Language, longest: int) -> None:
    """Compare with the classes of all words up to a length."""
    found = Differences(first, second)
    alphabet = dict.fromkeys(first.alphabet + second.alphabet)
    outside = [
        "0" if one.class_names == ("0", "1") and one.domain is None else "outside"
        for one in (first, second)
    ]
    only: dict[tuple[str, str], tuple[str, ...]] = {}
    shortest: tuple[str, ...] | None = None
    counts = found.counts(longest)
    assert [one.length for one in counts] == list(range(longest + 1))
    for length in range(longest + 1):
        differing = 0
        for word in itertools.product(alphabet, repeat=length):
            classes = label(first, word, outside[0]), label(second, word, outside[1])
            differing += classes[0] != classes[1]
            only.setdefault(classes, word)
            if classes[0] != classes[1] and shortest is None:
                shortest = word
                assert found.shortest is not None
                assert found.classes(found.shortest) == classes
        assert (counts[length].total, counts[length].differing) == (
            len(alphabet) ** length,
            differing,
        )
    if found.shortest is None or len(found.shortest) <= longest:
        assert shortest == _symbols(found, found.shortest)
        assert found.equal == (shortest is None)
    if found.are_recognisers:
        for alone, classes in ((found.only_first, ("1", "0")), (found.only_second, ("0", "1"))):
            if alone is None or len(alone) <= longest:
                assert _symbols(found, alone) == only.get(classes)


def _symbols(found: Differences, word: tuple[int, ...] | None) -> tuple[str, ...] | None:
    return None if word is None else tuple(found.alphabet[symbol] for symbol in word)


@given(recognisers(max_states=3), recognisers(max_states=3))
def test_recognisers(first: Language, second: Language) -> None:
    require_right(first, second, 6)


@given(machines(max_states=3) | machines_with_domain(), machines(max_states=3))
def test_classes_and_domains(first: Language, second: Language) -> None:
    require_right(first, second, 5)


@given(machines(alphabet="ba", max_states=3), recognisers(alphabet="bc", max_states=3))
def test_alphabets_that_differ(first: Language, second: Language) -> None:
    require_right(first, second, 4)


@given(recognisers(alphabet="ab", max_states=3), recognisers(alphabet="bc", max_states=3))
def test_recognisers_over_other_alphabets(first: Language, second: Language) -> None:
    require_right(first, second, 4)


def test_names_of_classes_are_compared_and_unused_ones_are_not() -> None:
    table = {"alphabet": ("a",), "transitions": ((0,),), "classes": (0,)}
    one = Language(**table, class_names=("0", "1"))  # type: ignore[arg-type]
    assert Differences(one, Language(**table, class_names=("0", "1", "2"))).equal  # type: ignore[arg-type]
    found = Differences(one, Language(**table, class_names=("no", "yes")))  # type: ignore[arg-type]
    assert found.shortest == ()
    assert found.classes(()) == ("0", "no")


def test_a_search_that_is_too_long_says_how_far_it_went(monkeypatch: pytest.MonkeyPatch) -> None:
    some = parse("regex[ab]:(aaaaaaaaaaa)*")
    more = parse("regex[ab]:(aaaaaaaaaaa)*|(aaaaaaaaaaaaa)*")
    found = Differences(some, more)
    assert (found.only_first, found.only_second, found.searched) == (None, (0,) * 13, None)
    monkeypatch.setattr(differences, "MAX_STEPS", 60)
    found = Differences(some, more)
    assert (found.only_first, found.only_second) == (None, (0,) * 13)
    assert found.searched is not None
    assert 13 <= found.searched < 143
    assert len(found.counts(100)) < 100


def test_many_symbols_that_act_alike_are_one() -> None:
    found = Differences(parse(r"regex[\x00-\u1fff]:a.*"), parse(r"regex[\x00-\u1fff]:.*b"))
    counted = found.counts(3)[3]
    size = len(found.alphabet)
    assert size > 8_000
    assert counted.total == size**3
    assert counted.only_first == counted.only_second == size * (size - 1)
