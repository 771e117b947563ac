import random
from itertools import product

from hypothesis import given

from lengthwise.languages.language import Language
from lengthwise.languages.minimise import minimise, reachable
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

    transitions, classes = minimise(language.transitions, language.classes, language.start)

    assert len(transitions) == len(classes) == len(number)
    for state, row in rows.items():
        assert classes[number[row]] == language.classes[state]
        targets = [number[rows[target]] for target in language.transitions[state]]
        assert list(transitions[number[row]]) == targets


def test_large_machines_have_as_many_blocks_as_the_plainest_refinement_finds() -> None:
    """Moore's: states are told apart by their class, then by the blocks of their targets."""
    draw = random.Random(0)
    for number in range(300):
        size = draw.randint(8, 24)
        rows = tuple(tuple(draw.randrange(size) for _ in range(2)) for _ in range(size))
        classes = tuple(int(draw.random() < 0.2) for _ in range(size))
        met = reachable(rows, 0)
        blocks = {state: classes[state] for state in met}
        while True:
            told = {state: (blocks[state], *(blocks[t] for t in rows[state])) for state in met}
            index = {key: block for block, key in enumerate(sorted(set(told.values())))}
            if len(index) == len(set(blocks.values())):
                break
            blocks = {state: index[told[state]] for state in met}
        assert len(minimise(rows, classes, 0)[0]) == len(index), number
