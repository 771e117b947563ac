"""States and classes of batches, against reading word by word."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.errors import WordError
from lengthwise.languages.language import Language
from lengthwise.tasks.automaton import PAD, Automaton
from tasks.oracles import MOD_3, PARITY, class_of, languages


def batch(words: list[list[int]]) -> torch.Tensor:
    longest = max(map(len, words))
    rows = [[PAD] * (longest - len(word)) + word for word in words]
    return torch.tensor(rows, dtype=torch.int64).reshape(len(words), longest)


@given(language=languages(), data=st.data())
def test_classes_are_those_of_the_language(language: Language, data: st.DataObject) -> None:
    symbols = st.integers(0, language.num_symbols - 1)
    words = data.draw(st.lists(st.lists(symbols, max_size=8), min_size=1, max_size=5))
    automaton = Automaton(language)

    classes = automaton.classify(batch(words)).tolist()
    after_prefixes = automaton.prefix_classes(batch(words)).tolist()

    expected = [class_of(language, tuple(word)) for word in words]
    outside = language.num_classes
    assert classes == [outside if c is None else c for c in expected]
    for word, row in zip(words, after_prefixes, strict=True):
        prefixes = [class_of(language, tuple(word[: i + 1])) for i in range(len(word))]
        assert row[len(row) - len(word) :] == [outside if c is None else c for c in prefixes]


@given(language=languages(), seed=st.integers(0, 99), length=st.integers(1, 40))
def test_long_words_are_read_in_pieces_to_the_same_states(
    language: Language, seed: int, length: int
) -> None:
    automaton = Automaton(language)
    generator = torch.Generator().manual_seed(seed)
    tokens = torch.randint(language.num_symbols, (3, length), generator=generator)
    tokens[1, : length // 2] = PAD

    whole = automaton.states(tokens)
    start = torch.full((3, 1), automaton.start * automaton._width)
    pieces = automaton._read_in_pieces(start, (tokens + 1).T.contiguous())

    assert (pieces // automaton._width).equal(whole)


def test_a_word_of_a_hundred_thousand_symbols() -> None:
    tokens = torch.randint(3, (1, 100_000), generator=torch.Generator().manual_seed(0))

    states = Automaton(MOD_3).states(tokens)

    assert states.equal(tokens.cumsum(dim=1) % 3)


def test_empty_words_have_the_class_of_the_start() -> None:
    assert Automaton(PARITY).classify(torch.empty(2, 0, dtype=torch.int64)).tolist() == [0, 0]


@pytest.mark.parametrize("token", [-2, 2])
def test_a_token_that_is_no_symbol_is_refused(token: int) -> None:
    with pytest.raises(WordError, match=rf"token {token} is not a symbol. Use 0..1"):
        Automaton(PARITY).states(torch.tensor([[0, token]]))
