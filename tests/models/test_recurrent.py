"""Recurrent networks against their equations, one symbol at a time."""

from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from lengthwise.errors import ConfigError
from lengthwise.models import recurrent
from lengthwise.models.recurrent import CELLS, Recurrent, RecurrentConfig
from perturbed import perturb

SYMBOLS, CLASSES, WIDTH = 3, 4, 6
cells = pytest.mark.parametrize("cell", sorted(CELLS))


def make(cell: str, **values: Any) -> Recurrent:
    shape = {"vocab_size": SYMBOLS, "num_classes": CLASSES, "d_model": WIDTH, **values}
    return perturb(Recurrent(RecurrentConfig.from_dict({"cell": cell, **shape})), 0.3, 1)


def by_the_equations(model: Recurrent, word: list[int]) -> Tensor:
    """The answer for a word: the update of each layer as it is printed, from a zero state."""
    weights = model.state_dict()
    num_layers, cell = model.config.num_layers, model.config.cell
    h = [torch.zeros(WIDTH, dtype=torch.double) for _ in range(num_layers)]
    c = list(h)
    for symbol in word:
        x = torch.eye(SYMBOLS, dtype=torch.double)[symbol]
        for layer in range(num_layers):
            here, there = (
                (weights[f"cell.weight_{k}_l{layer}"] @ v + weights[f"cell.bias_{k}_l{layer}"])
                for k, v in (("ih", x), ("hh", h[layer]))
            )
            if cell == "elman":
                x = (here + there).tanh()
            elif cell == "elman-relu":
                x = (here + there).clamp(min=0)
            elif cell == "gru":
                (reset, keep, new), (reset_h, keep_h, new_h) = here.chunk(3), there.chunk(3)
                reset, keep = (reset + reset_h).sigmoid(), (keep + keep_h).sigmoid()
                x = (1 - keep) * (new + reset * new_h).tanh() + keep * h[layer]
            else:
                let_in, keep, new, show = (here + there).chunk(4)
                c[layer] = keep.sigmoid() * c[layer] + let_in.sigmoid() * new.tanh()
                x = show.sigmoid() * c[layer].tanh()
            h[layer] = x
    return weights["answer.weight"] @ h[-1] + weights["answer.bias"]


@cells
@given(word=st.lists(st.integers(0, SYMBOLS - 1), max_size=12), num_layers=st.integers(1, 2))
def test_answers_follow_the_equations(cell: str, word: list[int], num_layers: int) -> None:
    model = make(cell, num_layers=num_layers)
    tokens = torch.tensor([word], dtype=torch.long)
    torch.testing.assert_close(model(tokens)[0], by_the_equations(model, word))


@cells
def test_long_words_in_stretches_are_as_in_one_go(
    cell: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = make(cell)
    tokens = torch.randint(SYMBOLS, (4, 11), generator=torch.Generator().manual_seed(0))
    lengths = torch.tensor([11, 6, 0, 3])
    whole, everywhere = model(tokens, lengths), model.every_position(tokens)
    for places in (1, 8, 12, 20):
        monkeypatch.setattr(recurrent, "POSITIONS_AT_ONCE", places)
        torch.testing.assert_close(model(tokens, lengths), whole)
        torch.testing.assert_close(model.every_position(tokens), everywhere)


@cells
def test_nothing_to_read_is_no_error(cell: str) -> None:
    model = make(cell)
    assert model(torch.zeros(0, 3, dtype=torch.long)).shape == (0, CLASSES)
    for shape in ((0, 3), (2, 0)):
        nothing = torch.zeros(shape, dtype=torch.long)
        assert model.every_position(nothing).shape == (*shape, CLASSES)


def test_gates_of_an_lstm_begin_open() -> None:
    model = Recurrent(RecurrentConfig(vocab_size=2, num_classes=2, cell="lstm", d_model=3))
    model.initialise(torch.Generator())
    biases = model.state_dict()["cell.bias_ih_l0"] + model.state_dict()["cell.bias_hh_l0"]
    assert biases.tolist() == [0] * 3 + [1] * 3 + [0] * 6


def test_initial_matrices_neither_swell_nor_fade() -> None:
    model = Recurrent(RecurrentConfig(vocab_size=4, num_classes=2, cell="gru"))
    model.initialise(torch.Generator().manual_seed(0))
    for name, inputs in {"weight_ih_l0": 4, "weight_hh_l0": 256}.items():
        assert model.state_dict()[f"cell.{name}"].std().item() == pytest.approx(
            inputs**-0.5, rel=0.05
        )


@pytest.mark.parametrize("values", [{"cell": "rnn"}, {"d_model": 0}, {"num_layers": 0}])
def test_shapes_that_cannot_be_are_refused(values: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        RecurrentConfig.from_dict({"vocab_size": 2, "num_classes": 2, "cell": "gru", **values})
