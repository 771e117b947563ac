"""Languages of subsequences: symbols that act alike are asked once, and no answer changes by it."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from lengthwise.languages.subsequences import piecewise_testable, strictly_piecewise
from lengthwise.languages.verdicts import LadderSubject

EXPRESSIONS = ("(a|b)*", "a*b*", "(a|b)*a(a|b)*b", "(ab)*", "b*ab*", "(a|b)*aa")


def with_copies(language: Language, copies: int) -> Language:
    """Return the language with so many further symbols that act as its first one."""
    added = tuple(chr(0x4E00 + number) for number in range(copies))
    return replace(
        language,
        alphabet=(*language.alphabet, *added),
        transitions=tuple((*row, *row[:1] * copies) for row in language.transitions),
        spec="",
    )


@given(st.sampled_from(EXPRESSIONS), st.integers(0, 6))
def test_copies_of_a_symbol_change_no_answer(expression: str, copies: int) -> None:
    language = parse(f"regex[ab]:{expression}")
    before, after = LadderSubject(language), LadderSubject(with_copies(language, copies))
    assert after.distinct == before.distinct
    for wanted in (0, 1):
        assert strictly_piecewise(after, wanted) == strictly_piecewise(before, wanted)
    assert piecewise_testable(after).holds == piecewise_testable(before).holds


def test_an_alphabet_of_a_range_is_decided_by_its_kinds_of_symbols() -> None:
    """All pairs of the symbols would take hours."""
    subject = LadderSubject(with_copies(parse("regex[ab]:a*b*"), 20_000))
    assert piecewise_testable(subject).holds
    assert strictly_piecewise(subject).holds
    assert len(subject.distinct) == 2
