r"""One long word, read by a GRU or an Elman network of torch's with few operations for each symbol.

An operation of torch costs more than its arithmetic at usual widths, and torch's GRU does about
fifteen for a symbol. Numpy's operations start sooner. Here are eleven of them for a GRU, and three
for an Elman network: what symbols add is looked up, and buffers are used again. A gate is
$\sigma(x) = (1 + \tanh(x/2)) / 2$; the weights are halved before.

Axes:
    position  symbols of the word
    layer     layers of the cell
    one       1
    width     numbers in a state
"""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

_Numbers: TypeAlias = npt.NDArray[np.floating]


def read_long_word(
    cell: nn.GRU | nn.RNN,
    symbols: Int[Tensor, " position"],
    state: Float[Tensor, "layer one width"] | None,
) -> tuple[Float[Tensor, "position one width"], Float[Tensor, "layer one width"]]:
    """Return what `cell(F.one_hot(symbols)[:, None], state)` does, up to rounding, without
    gradients.

    Args:
        cell: on a processor, in single or double precision, with biases, and in one direction.
        symbols: one word, which is not empty.
        state: the state before its first symbol; None for 0.
    """
    if state is None:
        state = next(cell.parameters()).new_zeros(cell.num_layers, 1, cell.hidden_size)
    places: Sequence[int] = symbols.tolist()
    rows: _Numbers | None = None
    last = list[_Numbers]()
    for layer, before in enumerate(state[:, 0].numpy()):
        into, recurrent, bias_in, bias = (
            getattr(cell, f"{name}_l{layer}").detach().numpy()
            for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
        )
        with np.errstate(all="ignore"):
            read = np.add(into.T if rows is None else rows @ into.T, bias_in, order="C")
            states = np.empty((len(places) + 1, cell.hidden_size), dtype=read.dtype)
            states[0] = before
            if isinstance(cell, nn.GRU):
                _read_by_gru(read, bias, recurrent, places, states)
            else:
                _read_by_elman(read + bias, recurrent, cell.nonlinearity, places, states)
        rows, places = states[1:], range(len(places))
        last.append(rows[-1:])
    return torch.from_numpy(rows)[:, None], torch.from_numpy(np.stack(last))


def _read_by_gru(
    read: _Numbers, bias: _Numbers, recurrent: _Numbers, places: Sequence[int], states: _Numbers
) -> None:
    """Write the states after each symbol into `states`, behind the first.

    `read` is added to the gates, reset and keep, and to the new numbers; the bias of the recurrence
    is part of what reset multiplies.
    """
    two = len(bias) * 2 // 3
    matrix, to_sums = np.array(recurrent, order="F"), np.tile(bias, (len(read), 1))
    to_sums[:, :two] += read[:, :two]
    matrix[:two] /= 2
    to_sums[:, :two] /= 2
    added = list(zip(to_sums, read[:, two:], strict=True))
    sums = np.empty_like(bias)
    gates, (reset, keep, new) = sums[:two], np.split(sums, 3)
    halves = np.full_like(gates, 0.5)
    product, add, subtract, multiply, tanh = matrix.dot, np.add, np.subtract, np.multiply, np.tanh
    rows = iter(states)
    before = next(rows)
    for place, after in zip(places, rows, strict=True):
        to_sum, to_new = added[place]
        product(before, sums)
        add(sums, to_sum, sums)
        tanh(gates, gates)
        multiply(gates, halves, gates)
        add(gates, halves, gates)
        multiply(reset, new, new)
        add(new, to_new, new)
        tanh(new, new)
        subtract(before, new, after)
        multiply(after, keep, after)
        before = add(after, new, after)


def _read_by_elman(
    read: _Numbers, recurrent: _Numbers, nonlinearity: str, places: Sequence[int], states: _Numbers
) -> None:
    """Write the states after each symbol into `states`, behind the first."""
    added, zeros = list(read), np.zeros_like(states[0])
    product, add, tanh, maximum = np.asfortranarray(recurrent).dot, np.add, np.tanh, np.maximum
    is_tanh = nonlinearity == "tanh"
    rows = iter(states)
    before = next(rows)
    for place, after in zip(places, rows, strict=True):
        product(before, after)
        add(after, added[place], after)
        before = tanh(after, after) if is_tanh else maximum(after, zeros, out=after)
