"""Operations on languages mean what their definition says, on all short words."""

from collections.abc import Callable

import pytest
from hypothesis import given

from lengthwise.errors import LanguageError
from lengthwise.languages import moore_machine, operations
from lengthwise.languages.language import Language
from lengthwise.languages.operations import concatenation, left_quotient, reverse, right_quotient
from lengthwise.languages.spec import parse
from strategies import all_words, class_of, machines, machines_with_domain, recognisers, texts


@given(machines_with_domain() | machines())
def test_a_reversal_reads_words_from_their_end(language: Language) -> None:
    backwards = reverse(language)
    for word in all_words(language, 6):
        assert class_of(backwards, word) == class_of(language, word[::-1])
    assert backwards == backwards.minimise()
    assert reverse(backwards) == language.minimise()


@given(recognisers(max_states=4), recognisers(max_states=4))
def test_a_concatenation_is_a_word_of_each(first: Language, second: Language) -> None:
    both = concatenation(first, second)
    for word in texts("ab", 6):
        splits = [(word[:at], word[at:]) for at in range(len(word) + 1)]
        assert (word in both) == any(one in first and two in second for one, two in splits)


@given(recognisers(max_states=3), recognisers(max_states=3))
def test_quotients_are_what_a_word_can_complete(language: Language, by: Language) -> None:
    """Words of `by` of up to 8 symbols: a pair of states is reached by one, if by any."""
    dividers = [word for word in texts("ab", 8) if word in by]
    after, before = left_quotient(language, by), right_quotient(language, by)
    for word in texts("ab", 3):
        assert (word in after) == any(divider + word in language for divider in dividers)
        assert (word in before) == any(word + divider in language for divider in dividers)


@given(recognisers(max_states=5), recognisers(max_states=5))
def test_a_quotient_from_the_right_is_one_from_the_left_reversed(
    language: Language, by: Language
) -> None:
    assert right_quotient(language, by) == reverse(left_quotient(reverse(language), reverse(by)))


@pytest.mark.parametrize("operation", [concatenation, left_quotient, right_quotient])
def test_only_recognisers_of_all_words_over_one_alphabet_are_taken(
    operation: Callable[[Language, Language], Language],
) -> None:
    parity = parse("parity")
    for other, part in (
        (parse("count:1:3"), r"one of them has 0, 1, 2\. Use others"),
        (
            Language(alphabet=("0", "1"), transitions=((0, 0),), classes=(1,), domain=parity),
            "one of them has a domain",
        ),
        (parse("regex:ab"), "two languages are combined over one alphabet"),
    ):
        for pair in ((parity, other), (other, parity)):
            with pytest.raises(LanguageError, match=part):
                operation(*pair)


def test_what_is_too_large_is_refused_with_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """The symbol before the last n decides: 2^n states, and n + 2 from the other end."""
    late = parse(f"regex:(a|b)*a{'(a|b)' * 9}")
    early = reverse(late)
    assert (late.num_states, early.num_states) == (2**10, 12)
    with pytest.raises(LanguageError, match=r"automaton of 22 states has more than 20,000 states"):
        reverse(parse(f"regex:{'(a|b)' * 19}a(a|b)*"))
    monkeypatch.setattr(operations, "MAX_STATES", 100)
    with pytest.raises(LanguageError, match="automaton of 12 states has more than 100 states"):
        reverse(early)
    everything, exact = parse("regex:(a|b)*"), parse(f"regex:a{'(a|b)' * 9}")
    with pytest.raises(LanguageError, match="concatenation of automata of 1 and 12 states needs"):
        concatenation(everything, exact)
    turns, merges = ((1, 2, 3, 4, 5, 6, 7, 0), (1, 1, 2, 3, 4, 5, 6, 7))  # of Cerny's automaton
    sets = Language(
        alphabet=("a", "b"),
        transitions=tuple(zip(turns, merges, strict=True)),
        classes=(1, *[0] * 7),
    )
    with pytest.raises(LanguageError, match="left quotient of automata of 1 and 8 states needs mo"):
        left_quotient(sets, everything)
    monkeypatch.setattr(operations, "MAX_STATES", 255)
    assert left_quotient(sets, everything).num_states == 255
    monkeypatch.setattr(operations, "MAX_PAIRS", 100)
    with pytest.raises(LanguageError, match=r"at most 100, but automata of 1,024 and 1 states"):
        right_quotient(late, everything)
    monkeypatch.setattr(moore_machine, "MAX_PAIRS", 100)
    with pytest.raises(LanguageError, match=r"at most 100 pairs of their states.*1,024 and 1 st"):
        late.combine(everything, lambda a, b: a & b)
