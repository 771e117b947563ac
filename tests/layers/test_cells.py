"""Cells against those of torch."""

from functools import partial
from typing import Any

import pytest
import torch
from torch import nn

from lengthwise.layers.cells import CELLS

SYMBOLS, WIDTH = 3, 5


@pytest.mark.parametrize("name", sorted(CELLS))
def test_a_cell_is_that_of_torch_with_one_hot_symbols(name: str) -> None:
    generator = torch.Generator().manual_seed(1)
    cell = CELLS[name](SYMBOLS, WIDTH).double()
    cell.initialise(generator)
    with torch.no_grad():
        cell.recurrent.bias.normal_(generator=generator)
    relu = partial(nn.RNNCell, nonlinearity="relu")
    kinds: dict[str, Any] = {"elman": nn.RNNCell, "relu": relu, "gru": nn.GRUCell}
    theirs = kinds[name](SYMBOLS, WIDTH).double()
    theirs.load_state_dict(
        {
            "weight_ih": cell.symbols.weight.t(),
            "weight_hh": cell.recurrent.weight,
            "bias_ih": torch.zeros_like(cell.recurrent.bias),
            "bias_hh": cell.recurrent.bias,
        }
    )
    vectors = torch.randn(2, 4, WIDTH, dtype=torch.double, generator=generator)
    symbols = torch.randint(SYMBOLS, (2, 4), generator=generator)
    one_hot = nn.functional.one_hot(symbols, SYMBOLS).double()
    expected = theirs(one_hot.flatten(0, 1), vectors.flatten(0, 1)).view(vectors.shape)
    torch.testing.assert_close(cell(vectors, symbols), expected)


@pytest.mark.parametrize("name", sorted(CELLS))
def test_initial_weights_follow_from_the_generator_and_neither_swell_nor_fade(name: str) -> None:
    def draw(seed: int) -> Any:
        cell = CELLS[name](50, 64)
        cell.initialise(torch.Generator().manual_seed(seed))
        return cell

    one, same, other = draw(0), draw(0), draw(1)
    assert torch.equal(one.recurrent.weight, same.recurrent.weight)
    assert not torch.equal(one.recurrent.weight, other.recurrent.weight)
    assert one.symbols.weight.std().item() == pytest.approx(1, rel=0.05)
    assert one.recurrent.weight.std().item() == pytest.approx(1 / 8, rel=0.05)
    assert not one.recurrent.bias.any()
