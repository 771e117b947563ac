"""What stands before a word is put away, and words that are none are refused in one line."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.errors import WordError
from lengthwise.layers.right_aligned import only_words

ANYTHING = st.integers(-(2**63), 2**63 - 1)


@given(
    words=st.lists(st.lists(st.integers(0, 4), max_size=6), min_size=1, max_size=4),
    room=st.integers(0, 3),
    data=st.data(),
)
def test_words_stay_and_everything_before_them_becomes_one_number(
    words: list[list[int]], room: int, data: st.DataObject
) -> None:
    time = max(map(len, words)) + room
    rows = [
        data.draw(st.lists(ANYTHING, min_size=time - len(word), max_size=time - len(word))) + word
        for word in words
    ]
    tokens = torch.tensor(rows, dtype=torch.int64).view(len(words), time)
    lengths = torch.tensor([len(word) for word in words])
    for checked in (True, False):
        found = only_words(tokens, lengths, 5, elsewhere=-7, checked=checked)
        expected = [[-7] * (time - len(word)) + word for word in words]
        assert found.tolist() == expected


@pytest.mark.parametrize("dtype", [torch.int16, torch.int32, torch.int64])
def test_any_type_of_integer_will_do(dtype: torch.dtype) -> None:
    tokens = torch.tensor([[9, 1, 2]], dtype=dtype)
    found = only_words(tokens, torch.tensor([2]), 3, elsewhere=-1)
    assert found.tolist() == [[-1, 1, 2]]
    assert found.dtype == torch.int64
    assert only_words(tokens, None, 10, elsewhere=-1).tolist() == [[9, 1, 2]]


@pytest.mark.parametrize(
    ("row", "length", "message"),
    [
        ([0, 1, 3], None, "a word has the symbol 3, which is not in 0..2. "),
        ([-1, 1, 2], None, "a word has the symbol -1, which is not in 0..2. "),
        ([0, -1, 2], 2, "a word has the symbol -1, which is not in 0..2. "),
        ([0, 2**40, 2], 2, f"a word has the symbol {2**40}, which is not in 0..2. "),
        ([0, 1, 2], 4, "a word of 4 symbols does not fit into a row of 3 positions. "),
        ([0, 1, 2], -1, "a word of -1 symbols does not fit into a row of 3 positions. "),
        ([], 1, "a word of 1 symbols does not fit into a row of 0 positions. "),
    ],
)
def test_what_is_no_word_is_refused_in_one_line(
    row: list[int], length: int | None, message: str
) -> None:
    tokens = torch.tensor([row], dtype=torch.int64)
    lengths = None if length is None else torch.tensor([length])
    with pytest.raises(WordError) as caught:
        only_words(tokens, lengths, 3, elsewhere=-1)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_empty_batches_and_empty_words_pass() -> None:
    none = torch.zeros(0, 0, dtype=torch.int64)
    assert only_words(none, None, 3, elsewhere=-1).shape == (0, 0)
    assert only_words(none, torch.zeros(0, dtype=torch.int64), 3, elsewhere=-1).shape == (0, 0)
    empty = torch.zeros(2, 0, dtype=torch.int64)
    assert only_words(empty, torch.tensor([0, 0]), 3, elsewhere=-1).shape == (2, 0)
