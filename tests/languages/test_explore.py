import pytest
from hypothesis import given

from lengthwise.errors import LanguageError
from lengthwise.languages.explore import from_function
from lengthwise.languages.language import Language
from lengthwise.languages.regex import from_regex
from strategies import machines


@given(machines(max_states=5))
def test_the_machine_behind_a_function_is_found(language: Language) -> None:
    """Five states each: machines that differ do so on a word of at most 8 symbols."""
    found = from_function(language.classify, "ab", check_length=8)
    assert found.difference(language) is None
    assert found.num_states == language.minimised().num_states


def test_a_state_that_shows_only_late_is_found() -> None:
    assert from_function(lambda w: "1" * 9 in w, "01") == from_regex("(0|1)*1{9}(0|1)*")
    assert from_function(lambda w: w.count("a") % 150, "a").num_states == 150


def test_long_random_words_are_checked_too() -> None:
    found = from_function(lambda w: len(w) > 8, "01", check_length=2)
    assert found.num_states == 10


def test_symbols_of_several_characters_are_written_with_spaces() -> None:
    found = from_function(lambda w: w.split(" ").count("up") % 2, ["up", "down"])
    assert found.classify("up down up up") == 1
    assert found.num_states == 2


def test_a_function_that_is_not_regular_is_refused() -> None:
    with pytest.raises(LanguageError, match=r"at most 10 states .* Raise max_states"):
        from_function(lambda w: w.count("0") == w.count("1"), "01", max_states=10)


def test_a_class_that_is_no_class_is_refused() -> None:
    with pytest.raises(LanguageError, match="says -1 of the word ''"):
        from_function(lambda w: -1, "01")
    with pytest.raises(LanguageError, match=r"says 0\.5 of the word ''"):
        from_function(lambda w: 0.5, "01")  # type: ignore[arg-type, return-value]


@pytest.mark.parametrize("answer", [3, 10**9, 10**5000], ids=["3", "10^9", "10^5000"])
def test_a_class_past_the_states_is_refused(answer: int) -> None:
    with pytest.raises(LanguageError, match=r"from 0 to 2 \(max_states - 1\), but") as caught:
        from_function(lambda w: answer, "01", max_states=3)
    assert "\n" not in str(caught.value)


def test_the_largest_classes_are_found() -> None:
    found = from_function(lambda w: len(w) % 3, "a", max_states=3)
    assert found.num_classes == 3
    assert from_function(lambda w: True, "a", max_states=1).classes == (1,)
