"""Merged states: the same classes on every word of the domain, and fewer states."""

from hypothesis import given

from lengthwise.languages.domain_merging import merge_outside_domain
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from strategies import machines, machines_with_domain


@given(language=machines_with_domain())
def test_words_of_the_domain_keep_their_class(language: Language) -> None:
    small = merge_outside_domain(language)
    for word in language.words(max_length=9):
        assert small.classify(word) == language.classify(word), word
    assert small.domain is None
    assert small.num_states <= language.total().minimise().num_states


@given(language=machines())
def test_without_a_domain_it_is_the_smallest_automaton(language: Language) -> None:
    assert merge_outside_domain(language) == language.minimise()


def test_states_that_no_word_of_the_domain_tells_apart_are_one() -> None:
    sizes = {"modular-arithmetic": (52, 25), "modular-arithmetic-left-to-right": (20, 13)}
    for spec, (before, after) in sizes.items():
        language = parse(spec)
        assert (language.minimise().num_states, merge_outside_domain(language).num_states) == (
            before,
            after,
        )


def test_a_merge_that_changes_a_class_is_seen() -> None:
    """The check above, on an automaton with two states swapped."""
    language = parse("modular-arithmetic-left-to-right")
    small = merge_outside_domain(language)
    rows = list(small.transitions)
    rows[1], rows[2] = rows[2], rows[1]
    wrong = Language(alphabet=small.alphabet, transitions=tuple(rows), classes=small.classes)
    words = list(language.words(max_length=4))
    assert any(wrong.classify(word) != language.classify(word) for word in words)
