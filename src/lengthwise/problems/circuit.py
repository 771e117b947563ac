"""Answers of a decoder that computes a circuit: the outputs for a line of input bits."""

from collections.abc import Sequence

from torch import nn

from lengthwise.circuits.gate_sequence import GateSequence
from lengthwise.constructions.folders import completed
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
            for word, result in zip(inputs, completed(model, sequence, inputs), strict=True)
        ]

    return Predictor(read=read, answer=answer)
