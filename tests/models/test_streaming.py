"""A stream answers as the batch does, with few vectors."""

from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.errors import WordError
from lengthwise.models.streaming import open_stream
from models.drawn_trees import draw, make, shapes


@given(
    shape=shapes,
    memory=st.sampled_from(["continuous", "binary"]),
    lengths=st.lists(st.integers(0, 70), min_size=1, max_size=3),
)
@settings(max_examples=25)
def test_stream_answers_as_the_batch_at_every_announced_length(
    shape: dict[str, Any], memory: str, lengths: list[int]
) -> None:
    model = make(**shape, memory=memory)
    tokens = draw(1, max(lengths))
    stream = open_stream(model, *lengths)
    for length in sorted(set(lengths)):
        stream.feed(tokens[0, stream.num_fed : length].tolist())
        with torch.no_grad():
            expected = model(tokens[:, :length])[0]
        torch.testing.assert_close(stream.answer(), expected, rtol=0, atol=1e-10)


def test_stream_holds_at_most_c_log_t_vectors() -> None:
    model = make(chunk_size=3)
    stream = open_stream(model, 3**6)
    most = 0
    for symbol in draw(1, 3**6)[0].tolist():
        stream.feed([symbol])
        most = max(most, stream.num_vectors)
    assert most <= 2 * 6


@pytest.mark.parametrize("length", [0, 7])
def test_a_stream_computes_without_dropout_and_leaves_the_mode_of_training(length: int) -> None:
    model = make(dropout=0.5).train()
    tokens = draw(1, length)
    stream = open_stream(model, length)
    stream.feed(symbol for symbol in tokens[0].tolist() if model.train())
    answer = stream.answer()
    assert model.training
    with torch.no_grad():
        torch.testing.assert_close(answer, model.eval()(tokens)[0], rtol=0, atol=1e-10)


def test_stream_refuses_what_was_not_announced() -> None:
    stream = open_stream(make(), 3)
    stream.feed([0, 1])
    with pytest.raises(WordError, match="2 symbols were fed, but the announced lengths are 3"):
        stream.answer()
    stream.feed([2])
    stream.answer()
    with pytest.raises(WordError, match="which is the longest announced length"):
        stream.feed([0])
    with pytest.raises(WordError, match="symbol 3 is not one of"):
        open_stream(make(), 3).feed([3])
