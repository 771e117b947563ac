"""Recurrences with a matrix for each block, against their equation."""

import torch

from drawn_layers import close, draw, made
from lengthwise.layers.mixers.block_diagonal import BlockDiagonal

WIDTH, BLOCKS, PART = 8, 2, 4


def test_states_are_those_of_the_equation() -> None:
    mixer = made(BlockDiagonal, WIDTH, BLOCKS)
    inputs = draw(1, 7, WIDTH)
    state = mixer.first.reshape(-1)
    for x in inputs[0]:
        rows = mixer.matrices(x).reshape(BLOCKS, PART, PART)
        scaled = []
        for rough in rows:
            centred = rough - rough.mean(dim=0)
            longest = max(torch.linalg.vector_norm(column, 1.2).item() for column in centred.T)
            scaled.append(centred / longest)
        state = torch.cat(
            [m @ h for m, h in zip(scaled, state.view(BLOCKS, PART), strict=True)]
        ) + mixer.vectors(x)
    outputs, (last,) = mixer(inputs)
    close(last.flatten(), state)
    close(outputs[0, -1], mixer.output(state))


def test_the_longest_column_has_norm_one() -> None:
    matrices, _ = made(BlockDiagonal, WIDTH, BLOCKS)._selected(draw(20, WIDTH))
    norms = torch.linalg.vector_norm(matrices, 1.2, dim=-2).amax(dim=-1)
    close(norms, torch.ones_like(norms))


def test_a_matrix_that_is_zero_forgets_all() -> None:
    mixer = made(BlockDiagonal, WIDTH, BLOCKS)
    with torch.no_grad():
        mixer.matrices[-1].get_parameter("weight").zero_()
        mixer.matrices[-1].get_parameter("bias").zero_()
    outputs, (state,) = mixer(draw(1, 3, WIDTH))
    gradients = torch.autograd.grad(outputs.sum(), list(mixer.parameters()), allow_unused=True)
    assert all(g is None or g.isfinite().all() for g in gradients)
    close(state.flatten(), mixer.vectors(draw(1, 3, WIDTH))[0, -1])
