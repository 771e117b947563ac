"""The codebook of recurrent networks: a code of bits for each state of the automaton.

The loss is on the signs of the code after every step (`step_table`).
"""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from lengthwise.device_copies import send
from lengthwise.models.binary_recurrent import BinaryRecurrent
from lengthwise.objectives.answers import masked_cross_entropy, require_kind, sign_loss
from lengthwise.objectives.step_table import StepTable
from lengthwise.proofs.check.bounded import BoundedCoded
from lengthwise.proofs.search.network import recurrent_node_of
from lengthwise.training.loop import Step


class StateCodeTable(StepTable):
    """The loss on the signs of the code after every step, and on the class of every state."""

    def _compute_loss(
        self,
        model: nn.Module,
        rows: Int[Tensor, " row"],
        data: torch.Generator,
        noise: torch.Generator,
    ) -> Step:
        """Return the softplus loss of signs, summed over bits, plus the loss of classes."""
        network = recurrent(model)
        sides, logits, classes = self._numbers(network, rows, noise)
        start = self._start_sides(network, noise)
        loss = sign_loss(torch.cat([sides, start]))
        loss = loss + masked_cross_entropy(logits, classes)
        right = (sides > 0).all(dim=1).double().mean()
        return Step(loss, right, len(sides))

    def _sides(self, model: nn.Module, rows: Int[Tensor, " row"]) -> Float[Tensor, " row"]:
        return self._numbers(recurrent(model), rows, None)[0].amin(dim=1)

    def _start_side(self, model: nn.Module) -> Float[Tensor, "1"]:
        return self._start_sides(recurrent(model), None).amin(dim=1)

    def _make_node(self, model: nn.Module) -> BoundedCoded:
        return recurrent_node_of(recurrent(model))

    def _numbers(
        self, model: BinaryRecurrent, rows: Int[Tensor, " row"], noise: torch.Generator | None
    ) -> tuple[Float[Tensor, "row bit"], Float[Tensor, "state class"], Int[Tensor, " state"]]:
        """Return how far each number is from 0 on the right side, and the logits of the states
        before the steps with their classes."""
        table, device = self._table, model.start.device
        states, row = torch.unique(table.states[rows], return_inverse=True)
        vectors = model.memory.recall(send(table.codes[states], device))
        after = model.cell(vectors[send(row, device)], send(table.symbols[rows], device))
        codes = send(table.codes[table.results[rows]], device)
        numbers = _on_side(model, after, codes, noise)
        ends, state_classes = torch.unique(table.results[rows]), table.classes
        read = torch.cat([vectors, model.memory.recall(send(table.codes[ends], device))])
        return numbers, model.read(read), torch.cat([state_classes[states], state_classes[ends]])

    def _start_sides(
        self, model: BinaryRecurrent, noise: torch.Generator | None
    ) -> Float[Tensor, "1 bit"]:
        start = send(self._table.codes[self._table.start][None], model.start.device)
        return _on_side(model, model.start[None], start, noise)


def _on_side(
    model: BinaryRecurrent,
    vectors: Float[Tensor, "row width"],
    codes: Bool[Tensor, "row bit"],
    noise: torch.Generator | None,
) -> Float[Tensor, "row bit"]:
    numbers = model.memory.numbers(vectors)
    if noise is not None and model.memory.noise:
        normal = torch.randn(numbers.shape, generator=noise, device=numbers.device)
        numbers = numbers + model.memory.noise * normal
    return torch.where(codes, numbers, -numbers)


def recurrent(model: nn.Module) -> BinaryRecurrent:
    """Return a recurrent network with binary memory; `require_kind` refuses others."""
    return require_kind(
        model,
        BinaryRecurrent,
        "keeps no code after each symbol, so it does not learn from codes of states. Use model "
        "gru-binary or elman-binary.",
    )
