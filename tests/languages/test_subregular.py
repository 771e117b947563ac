"""Drawn languages of the sixteen classes, against definitions by words and by equations."""

import itertools
import re
from collections.abc import Callable

import pytest

import ladder_oracles as oracles
from ladder_oracles import Naive
from lengthwise.errors import LanguageError
from lengthwise.languages.ladder import QUESTIONS
from lengthwise.languages.ladder import answer as ladder_answer
from lengthwise.languages.language import Language
from lengthwise.languages.spec import is_self_contained, parse
from lengthwise.languages.subregular import (
    CLASSES,
    SYMBOLS,
    _occurs,
    _subsequence,
    _with_distinct_symbols,
    subregular,
)
from lengthwise.languages.verdicts import LadderSubject
from strategies import texts

_WIDTHS = range(1, 8)
_MOST = 400
"""Largest number of elements of a monoid whose equations are tried."""


def is_strictly_local(language: Language) -> bool:
    return any(oracles.strictly_local(language, k) for k in _WIDTHS)


def equation(holds: Callable[[Naive], bool]) -> Callable[[Language], bool]:
    def answer(language: Language) -> bool:
        naive = Naive(language, _MOST)
        if holds is oracles.dot_depth_one and oracles.knast_work(naive) > 10_000_000:
            raise OverflowError
        return holds(naive)

    return answer


SECOND: dict[str, Callable[[Language], bool]] = {
    "strictly_local": is_strictly_local,
    "strictly_piecewise": oracles.strictly_piecewise,
    "locally_testable": equation(oracles.locally_testable),
    "threshold_testable": equation(oracles.threshold_testable),
    "piecewise_testable": equation(oracles.j_trivial),
    "dot_depth_one": equation(oracles.dot_depth_one),
    "star_free": equation(oracles.aperiodic),
    "group": equation(oracles.group),
}


def second(language: Language, question: str) -> bool:
    """The answer by another definition; an OverflowError where that takes too long."""
    way, _, rest = question.partition("_")
    if way == "tier":
        return oracles.on_some_tier(language, lambda kept: second(kept, rest))
    return second(~language, rest) if way == "co" else SECOND[question](language)


def answer(language: Language, question: str) -> bool | None:
    try:
        return second(language, question)
    except OverflowError:
        return None


@pytest.mark.slow_for("LT", "PLT", "PT", "TPLT")
@pytest.mark.parametrize("name", list(CLASSES))
def test_drawn_languages_are_of_their_class_and_of_no_smaller_one(name: str) -> None:
    said = []
    for seed in range(4):
        language = subregular(name, seed=seed, symbols=3)
        assert language == language.minimise()
        for expected, questions in ((True, CLASSES[name].yes), (False, CLASSES[name].no)):
            answers = [answer(language, question) for question in questions]
            assert set(answers) <= {expected, None}
            said += answers
    assert set(said) != {None}  # Knast's equation, and large monoids, soon take too long


@pytest.mark.slow_for("LT", "PLT", "PT", "TLT")
@pytest.mark.parametrize("name", list(CLASSES))
def test_seeds_draw_one_language_each(name: str) -> None:
    language = parse(f"subregular:{name},seed=7")
    assert language.spec == f"subregular:{name},seed=7,symbols=4"
    assert language.alphabet == ("a", "b", "c", "d")
    assert parse(language.spec) == language
    assert is_self_contained(language.spec)
    drawn = {subregular(name, seed=seed, symbols=3) for seed in range(6)}
    assert len(drawn) >= 3


@pytest.mark.parametrize(("name", "symbols"), [("SL", 16), ("TSL", 64), ("PT", 64), ("Reg", 64)])
def test_languages_over_many_symbols_are_of_their_class(name: str, symbols: int) -> None:
    language = subregular(name, seed=0, symbols=symbols)
    assert language.alphabet == tuple(SYMBOLS[:symbols])
    assert parse(language.spec) == language
    subject = LadderSubject(language)
    for expected, questions in ((True, CLASSES[name].yes), (False, CLASSES[name].no)):
        assert {ladder_answer(subject, each).holds for each in questions} <= {expected}


def test_symbols_that_act_alike_make_no_class_of_their_own() -> None:
    """Half of the symbols act as others do: without them, the answers are the same."""
    rows = subregular("LT", seed=1, symbols=4).transitions
    doubled = Language(
        alphabet=tuple(SYMBOLS[:8]),
        transitions=tuple((*row, *row[::-1]) for row in rows),
        classes=subregular("LT", seed=1, symbols=4).classes,
    )
    small = _with_distinct_symbols(doubled)
    assert small.num_symbols == 4
    two = LadderSubject(doubled), LadderSubject(small)
    for question in QUESTIONS:
        answers = [ladder_answer(subject, question).holds for subject in two]
        assert answers[0] == answers[1], question


@pytest.mark.parametrize(
    ("windows", "times"),
    [
        (["ab"], 1),
        (["aa"], 2),
        (["aba"], 2),
        (["#ab"], 1),
        (["b#"], 1),
        (["ab", "ba"], 1),
        (["aa", "aa"], 1),
        (["#a", "b#"], 1),
    ],
)
def test_windows_occur(windows: list[str], times: int) -> None:
    language = _occurs(windows, "ab", times)
    for text in texts("ab", 8):
        marked = f"#{text}#"
        if len(windows) == 1:
            found = len(re.findall(f"(?={windows[0]})", marked)) >= times
        else:
            found = re.search(".*".join(windows), marked) is not None
        assert (text in language) is found, text


def test_subsequences_occur() -> None:
    language = _subsequence("aba", "ab")
    for text in texts("ab", 8):
        assert (text in language) is (tuple("aba") in set(itertools.combinations(text, 3)))


def test_symbols_off_the_tier_change_nothing() -> None:
    language = subregular("TSL", seed=1)
    subject = LadderSubject(language)
    off = {symbol for a, symbol in enumerate(language.alphabet) if a not in subject.tier}
    assert off
    small = subject.on_tier.machine
    for text in texts("abcd", 5):
        rest = "".join(symbol for symbol in text if symbol not in off)
        assert (text in language) == (rest in language) == (rest in small)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("subregular:LTS", "unknown subregular class 'LTS'. Did you mean 'LT'"),
        ("subregular:LT,symbols=2", "3 to 64 symbols, but symbols=2"),
        ("subregular:LT,sed=2", "unknown subregular option 'sed'. Did you mean 'seed'"),
        ("subregular:LT,seed=x", "subregular option seed is an integer, but it is 'x'"),
        ("subregular:LT,seed=1,seed=2", "seed appears twice"),
    ],
)
def test_what_cannot_be_drawn_is_refused(spec: str, message: str) -> None:
    with pytest.raises(LanguageError, match=re.escape(message)):
        parse(spec)
