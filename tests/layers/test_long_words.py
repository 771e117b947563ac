"""GRUs and Elman networks that read one long word, against torch's own."""

from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from lengthwise.layers.long_words import read_long_word
from lengthwise.models.recognisers import MODELS
from lengthwise.models.recurrent import CELLS
from lengthwise.objectives.prefix import prefix_reader


@given(
    st.sampled_from(["elman", "elman-relu", "gru"]),
    st.tuples(st.integers(1, 40), st.integers(1, 9), st.integers(1, 3)),
    st.booleans(),
    st.integers(0, 99),
)
def test_states_are_those_of_torch(
    name: str, sizes: tuple[int, int, int], begins: bool, seed: int
) -> None:
    torch.manual_seed(seed)
    length, width, num_layers = sizes
    cell: Any = CELLS[name](3, width, num_layers).double()
    word = torch.randint(3, (length,))
    inputs = nn.functional.one_hot(word, 3)[:, None].double()
    state = torch.randn(num_layers, 1, width).double() if begins else None
    before = None if state is None else state.clone()
    with torch.no_grad():
        for ours, theirs in zip(
            read_long_word(cell, word, state), cell(inputs, before), strict=True
        ):
            assert ours.shape == theirs.shape
            torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-12)
    if state is not None and before is not None:
        assert torch.equal(state, before)


@pytest.mark.parametrize("name", ["elman", "elman-relu", "gru"])
def test_a_recogniser_answers_the_same_alone_and_with_gradients(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = MODELS[name]
    model = entry.draw_from(entry.configure({"vocab_size": 2, "num_classes": 3, "d_model": 8}), 0)
    word = torch.randint(2, (1, 300), generator=torch.Generator().manual_seed(0))
    used = list[int]()

    def read(*given: Any) -> Any:
        used.append(len(given[1]))
        return read_long_word(*given)

    monkeypatch.setattr("lengthwise.models.recurrent.read_long_word", read)
    logits = model(word)
    logits.sum().backward()
    assert not used
    monkeypatch.setattr("lengthwise.models.recurrent.POSITIONS_AT_ONCE", 77)
    with torch.no_grad():
        alone, everywhere = model(word), prefix_reader(model)(word)[:, -1]
        both = model(word.repeat(2, 1))[:1]
    assert used == 2 * [77, 77, 77, 69]
    for other in (alone, everywhere, both):
        torch.testing.assert_close(other, logits.detach(), rtol=1e-4, atol=1e-5)
    assert not alone.is_inference()


def test_numbers_that_overflow_are_those_of_torch() -> None:
    torch.manual_seed(0)
    cell = nn.RNN(2, 4, nonlinearity="relu")
    with torch.no_grad():
        for parameter in cell.parameters():
            parameter.abs_().mul_(10)
        word = torch.zeros(60, dtype=torch.long)
        ours, theirs = (
            read_long_word(cell, word, None),
            cell(nn.functional.one_hot(word, 2)[:, None].float()),
        )
    assert theirs[0].isinf().any()
    torch.testing.assert_close(ours, theirs, equal_nan=True)


def test_a_precision_that_numpy_has_not_is_read_by_torch() -> None:
    entry = MODELS["gru"]
    model = entry.draw_from(entry.configure({"vocab_size": 2, "num_classes": 3, "d_model": 8}), 0)
    word = torch.ones(1, 100, dtype=torch.long)
    with torch.no_grad():
        exact, rounded = model(word), model.bfloat16()(word)
    torch.testing.assert_close(rounded.float(), exact, rtol=0.1, atol=0.1)
