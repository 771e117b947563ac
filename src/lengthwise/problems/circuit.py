"""Answers of a decoder that computes a circuit: the outputs for a line of input bits."""

from collections.abc import Sequence

import torch
from torch import nn

from lengthwise.circuits.gate_sequence import GateSequence
from lengthwise.evaluation.predict import device_of
from lengthwise.models.decoder import Decoder
from lengthwise.problems.results import Answer, Predictor


def circuit_predictor(model: nn.Module, sequence: GateSequence) -> Predictor:
    """Return the predictor, which reads bits such as `11001010`, and answers with output bits."""

    def read(line: str) -> str:
        return "".join(map(str, sequence.read(line)))

    def answer(inputs: Sequence[str]) -> list[Answer]:
        return [
            Answer(
                shown=(bits := "".join(str(result[index]) for index in sequence.outputs)),
                record={"word": word, "outputs": bits, "sequence": "".join(map(str, result))},
            )
            for word, result in zip(inputs, complete_inputs(model, sequence, inputs), strict=True)
        ]

    return Predictor(read=read, answer=answer)


def complete_inputs(
    model: nn.Module, sequence: GateSequence, inputs: Sequence[str]
) -> list[list[int]]:
    """Complete each line of inputs with a decoder; the result begins with the inputs."""
    if not inputs:
        return []
    assert isinstance(model, Decoder)
    words = torch.tensor([[int(bit) for bit in line] for line in inputs])
    steps = sequence.length - sequence.num_inputs
    result: list[list[int]] = model.complete(words.to(device_of(model)), steps).tolist()
    return result
