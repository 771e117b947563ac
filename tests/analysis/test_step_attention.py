"""Attention of decoders: what is read from a model whose attention is known."""

import json

import numpy as np
import pytest
import torch

from circuit_strategies import all_inputs
from lengthwise.analysis.step_attention import step_attention
from lengthwise.circuits.adders import adder
from lengthwise.constructions.circuits import compile_circuit
from lengthwise.errors import CircuitError, WordError
from lengthwise.models.decoder import Decoder, DecoderConfig


@pytest.mark.parametrize("representation", [1, 2])
def test_compiled_adders_attend_to_the_sources_of_each_gate(representation: int) -> None:
    sequence = adder(3, representation)
    record = step_attention(compile_circuit(sequence), sequence, all_inputs(6))

    weights, targets = np.array(record["weights"]), np.array(record["targets"])
    assert record["symbols"] == list(sequence.names[:-1])
    assert record["gates"] == list(sequence.names[6:])
    assert weights.shape == targets.shape == (16, 21)
    constant = record["gates"].index("c1")
    assert record["gates_with_sources"] == [row for row in range(16) if row != constant]
    for gate, row in zip(record["gates"], targets, strict=True):
        i = gate[1]
        sources = {"d": {f"a{i}", f"b{i}"}, "e": {f"c{i}", f"d{i}"}, "f": {f"a{i}", f"b{i}"}}
        sources |= {"g": {f"c{i}", f"d{i}"}, "c": {f"f{int(i) - 1}", f"g{int(i) - 1}"}}
        wanted = set() if gate == "c1" else sources[gate[0]]
        assert {record["symbols"][j] for j in np.flatnonzero(row == 0.5)} == wanted
    rows = record["gates_with_sources"]
    np.testing.assert_allclose(weights[rows], targets[rows], atol=1 / 16)
    assert 1 - 1 / 16 < record["on_sources"] < 1
    visible = np.tril(np.ones((16, 21)), 5)
    np.testing.assert_allclose(weights[constant], visible[constant] / (constant + 6), atol=1e-6)
    assert json.loads(json.dumps(record)) == record


def test_weights_are_means_over_words_and_heads_of_the_last_layer() -> None:
    sequence = adder(2, 1)
    model = Decoder(
        DecoderConfig(
            vocab_size=2, max_length=sequence.length, d_model=8, num_heads=2, num_layers=2
        )
    )
    model.initialise(torch.Generator().manual_seed(0))
    words = torch.from_numpy(sequence.complete_many(all_inputs(4)))[:, :-1]

    record = step_attention(model, sequence, all_inputs(4))

    expected = model.attention_weights(words)[1].mean(dim=(0, 1))[3:]
    np.testing.assert_allclose(record["weights"], expected, atol=1e-6)
    shares = [
        float(expected[row, list(step.sources)].sum())
        for row, step in enumerate(sequence.steps)
        if step.sources
    ]
    assert record["on_sources"] == pytest.approx(np.mean(shares), abs=1e-5)
    assert record["words"] == 16


def test_what_does_not_fit_is_refused() -> None:
    sequence = adder(2, 1)
    model = compile_circuit(sequence)
    with pytest.raises(CircuitError):
        step_attention(model, sequence, all_inputs(3))
    with pytest.raises(WordError):
        step_attention(model, adder(3, 1), all_inputs(6))
