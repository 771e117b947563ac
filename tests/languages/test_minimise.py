from itertools import product

from hypothesis import given

from lengthwise.languages.language import Language
from lengthwise.languages.minimise import minimised, reachable
from strategies import all_words, machines


@given(machines(max_states=9))
def test_states_are_reached_by_shortest_words_first(language: Language) -> None:
    words = all_words(language, language.num_states)
    met = list(dict.fromkeys(language.run(word) for word in words))
    assert reachable(language.transitions, language.start) == met


@given(machines(max_states=6))
def test_two_states_are_kept_exactly_if_some_word_tells_them_apart(language: Language) -> None:
    """The oracle: the classes after all words shorter than the number of states."""
    suffixes = [
        suffix
        for length in range(language.num_states)
        for suffix in product(range(language.num_symbols), repeat=length)
    ]
    rows = {
        state: tuple(language.classes[language.run(suffix, state)] for suffix in suffixes)
        for state in reachable(language.transitions, language.start)
    }
    number = {row: i for i, row in enumerate(dict.fromkeys(rows.values()))}

    transitions, classes = minimised(language.transitions, language.classes, language.start)

    assert len(transitions) == len(classes) == len(number)
    for state, row in rows.items():
        assert classes[number[row]] == language.classes[state]
        targets = [number[rows[target]] for target in language.transitions[state]]
        assert list(transitions[number[row]]) == targets
