r"""One long word, read by a GRU of torch's with few operations for each symbol.

torch's own GRU does about fifteen operations for a symbol on a processor, and each costs more than
its arithmetic at usual widths. Here are five: what symbols add to the gates is computed for all of
them at once, and buffers are used again.

Axes:
    position  symbols of the word
    input     numbers that a symbol enters with
    layer     layers of the cell
    one       1
    width     numbers in a state
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F


def read_by_gru(
    cell: nn.GRU,
    inputs: Float[Tensor, "position one input"],
    state: Float[Tensor, "layer one width"] | None,
) -> tuple[Float[Tensor, "position one width"], Float[Tensor, "layer one width"]]:
    """Return what `cell(inputs, state)` does, up to rounding, without gradients.

    Args:
        cell: with biases, and in one direction.
        inputs: one word.
        state: the state before its first symbol; None for 0.
    """
    if state is None:
        state = inputs.new_zeros(cell.num_layers, 1, cell.hidden_size)
    vectors, last = inputs[:, 0], []
    for layer, before in enumerate(state[:, 0]):
        weights = (getattr(cell, f"{name}_l{layer}") for name in ("weight_ih", "bias_ih"))
        read = F.linear(vectors, *weights)
        recurrent, bias = (getattr(cell, f"{name}_l{layer}") for name in ("weight_hh", "bias_hh"))
        vectors = torch.empty_like(read[:, : cell.hidden_size])
        with torch.inference_mode():
            _read_layer(read, recurrent, bias, before, vectors)
        last.append(vectors[-1:])
    return vectors[:, None], torch.stack(last)


def _read_layer(
    read: Tensor, recurrent: Tensor, bias: Tensor, before: Tensor, states: Tensor
) -> None:
    """Write the states after each symbol into `states`.

    `read` is what symbols add to the gates: reset and keep, which also get their `bias` of the
    recurrence here, and new.
    """
    width = len(before)
    bias = bias.expand(len(read), -1).clone()
    bias[:, : 2 * width] += read[:, : 2 * width]
    sums, new = before.new_empty(3 * width), before.new_empty(width)
    gates, reset, keep, memory = (
        sums[: 2 * width],
        sums[:width],
        sums[width : 2 * width],
        sums[2 * width :],
    )
    for added, symbol, after in zip(
        bias.unbind(), read[:, 2 * width :].unbind(), states.unbind(), strict=True
    ):
        torch.addmv(added, recurrent, before, out=sums)
        gates.sigmoid_()
        torch.addcmul(symbol, reset, memory, out=new)
        new.tanh_()
        before = torch.lerp(new, before, keep, out=after)
