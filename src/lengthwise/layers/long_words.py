r"""One long word, read by a GRU of torch's with few operations for each symbol.

torch's own GRU does about fifteen operations for a symbol on a processor, and each costs more than
its arithmetic at usual widths. Here are five: what symbols add to the gates is looked up, and
buffers are used again.

Axes:
    position  symbols of the word
    layer     layers of the cell
    one       1
    width     numbers in a state
"""

from collections.abc import Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F


def read_by_gru(
    cell: nn.GRU, symbols: Int[Tensor, " position"], state: Float[Tensor, "layer one width"] | None
) -> tuple[Float[Tensor, "position one width"], Float[Tensor, "layer one width"]]:
    """Return what `cell(F.one_hot(symbols)[:, None], state)` does, up to rounding, without
    gradients.

    Args:
        cell: with biases, and in one direction.
        symbols: one word.
        state: the state before its first symbol; None for 0.
    """
    first = next(cell.parameters())
    if state is None:
        state = first.new_zeros(cell.num_layers, 1, cell.hidden_size)
    inputs = torch.eye(cell.input_size, dtype=first.dtype)
    places: Sequence[int] = symbols.tolist()
    vectors, last = inputs, list[Tensor]()
    for layer, before in enumerate(state[:, 0]):
        into, recurrent, *biases = (
            getattr(cell, f"{name}_l{layer}")
            for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
        )
        read = F.linear(inputs, into, biases[0])
        vectors = read.new_empty(len(places), cell.hidden_size)
        with torch.inference_mode():
            _read_layer(_to_gates(read, biases[1]), recurrent, before, places, vectors)
        inputs, places = vectors, range(len(places))
        last.append(vectors[-1:])
    return vectors[:, None], torch.stack(last)


def _to_gates(read: Tensor, bias: Tensor) -> list[tuple[Tensor, Tensor]]:
    """Return for each row what is added to the product of the recurrence, and to the new numbers.

    `read` is added to the gates, reset and keep, and to the new numbers; the bias of the recurrence
    is part of what reset multiplies.
    """
    two = len(bias) * 2 // 3
    to_product = bias.repeat(len(read), 1)
    to_product[:, :two] += read[:, :two]
    return list(zip(to_product.unbind(), read[:, two:].unbind(), strict=True))


def _read_layer(
    added: Sequence[tuple[Tensor, Tensor]],
    recurrent: Tensor,
    before: Tensor,
    places: Sequence[int],
    states: Tensor,
) -> None:
    """Write the states after each symbol into `states`."""
    width = len(before)
    sums, new = before.new_empty(3 * width), before.new_empty(width)
    gates, (reset, keep, memory) = sums[: 2 * width], torch.split(sums, width)
    addmv, addcmul, lerp = torch.addmv, torch.addcmul, torch.lerp
    sigmoid, tanh = gates.sigmoid_, new.tanh_
    for place, after in zip(places, states.unbind(), strict=True):
        to_product, to_new = added[place]
        addmv(to_product, recurrent, before, out=sums)
        sigmoid()
        addcmul(to_new, reset, memory, out=new)
        tanh()
        before = lerp(new, before, keep, out=after)
