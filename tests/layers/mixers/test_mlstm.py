"""mLSTM against its equations without exponents kept apart, and against `transformers`."""

import pytest
import torch
from torch.nn import functional as F

from drawn_layers import close, draw, made
from lengthwise.layers.mixers.mixer import mix_by_steps
from lengthwise.layers.mixers.mlstm import MLstm

WIDTH, HEADS = 8, 2


def test_reads_are_those_of_the_equations() -> None:
    """With gates as they are, which double precision bears for a few positions."""
    mixer = made(MLstm, WIDTH, HEADS)
    inputs = draw(1, 6, WIDTH)
    query, key, value = (m(inputs)[0] for m in (mixer.query, mixer.key, mixer.value))
    gates = mixer.gates(inputs)[0]
    reads = torch.zeros_like(value)
    for head in range(HEADS):
        cell, norm = torch.zeros(4, 4).double(), torch.zeros(4).double()
        for t in range(6):
            enter, keep = gates[t, head].exp(), gates[t, HEADS + head].sigmoid()
            k = key[t, head] / 2
            cell = keep * cell + enter * torch.outer(k, value[t, head])
            norm = keep * norm + enter * k
            q = query[t, head]
            reads[t, head] = cell.T @ q / max(abs((norm @ q).item()), 1.0)
    normed = F.layer_norm(reads, (4,), eps=mixer.norm.eps).flatten(-2)
    normed = normed * mixer.norm.weight + mixer.norm.bias
    expected = mixer.output(normed * mixer.output_gate(inputs)[0].sigmoid())
    close(mixer(inputs)[0][0], expected)


def test_gates_of_any_size_are_read() -> None:
    """exp(900) is no number of double precision."""
    mixer = made(MLstm, WIDTH, HEADS)
    inputs = 400 * draw(2, 70, WIDTH)
    assert mixer.gates(inputs).max() > 900
    outputs, _ = mixer(inputs)
    assert outputs.isfinite().all()
    close(outputs, mix_by_steps(mixer, inputs)[0])


@pytest.mark.parametrize("length", [1, 3, 70])
def test_it_is_that_of_transformers_on_the_same_weights(length: int) -> None:
    """Their gates are bounded, by a bound that is out of reach here."""
    theirs_of = pytest.importorskip("transformers.models.xlstm.modeling_xlstm")
    config = pytest.importorskip("transformers").xLSTMConfig(
        hidden_size=WIDTH,
        num_heads=HEADS,
        qk_dim_factor=1.0,
        num_hidden_layers=1,
        gate_soft_cap=1e7,
        autocast_kernel_dtype="float32",
        inference_state_dtype="float32",
        eps=0.0,
        norm_eps=1e-5,
        chunk_size=16,
    )
    theirs = theirs_of.xLSTMLayer(config)
    ours = made(MLstm, WIDTH, HEADS).float()
    with torch.no_grad():
        ours.norm.bias.zero_()
        theirs.q.weight.copy_(ours.query.weight)
        theirs.k.weight.copy_(ours.key.weight)
        theirs.v.weight.copy_(ours.value.weight)
        theirs.ogate_preact.weight.copy_(ours.output_gate.weight)
        theirs.igate_preact.weight.copy_(ours.gates.weight[:HEADS])
        theirs.igate_preact.bias.copy_(ours.gates.bias[:HEADS])
        theirs.fgate_preact.weight.copy_(ours.gates.weight[HEADS:])
        theirs.fgate_preact.bias.copy_(ours.gates.bias[HEADS:])
        theirs.multihead_norm.weight.copy_(ours.norm.weight)
        theirs.out_proj.weight.copy_(ours.output.weight)
    inputs = draw(2, length, WIDTH).float()
    torch.testing.assert_close(ours(inputs)[0], theirs(inputs)[0], rtol=1e-4, atol=1e-4)
