"""The state of training: all that a checkpoint holds.

That is the weights, the state of the optimiser and of all random generators, and what the objective
remembers, so that a run that is killed and started again ends with the same weights, bit for bit.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import torch
from torch import Tensor, nn

from lengthwise.errors import RunError
from lengthwise.memory import lacks_memory
from lengthwise.training.adamw import AdamW, state_keys

if TYPE_CHECKING:
    from lengthwise.training.film import Film


@runtime_checkable
class Remembering(Protocol):
    """Something with a state that checkpoints keep, such as a curriculum or a term of the loss."""

    def tensors(self) -> dict[str, Tensor]:
        """Return the state as named tensors."""
        ...

    def restore(self, tensors: Mapping[str, Tensor]) -> None:
        """Restore the state from the result of `tensors`.

        Raises:
            KeyError: a tensor is missing.
        """
        ...


@dataclass(slots=True)
class State:
    """The part of a run that changes from step to step."""

    model: nn.Module
    optimiser: AdamW
    generators: dict[str, torch.Generator]
    objective: Remembering | None = None
    film: "Film | None" = None
    step: int = 0
    perfect: int = 0
    best: tuple[float, float, float] = (0.0, -math.inf, -math.inf)
    best_weights: dict[str, Tensor] = field(default_factory=dict)
    metrics: list[dict[str, Any]] = field(default_factory=list)

    def tensors(self) -> dict[str, Tensor]:
        """Return the state as named tensors."""
        counters = torch.tensor([self.step, self.perfect, *self.best], dtype=torch.float64)
        result = {"counters": counters}
        for name, tensor in self.model.state_dict().items():
            result[f"model/{name}"] = tensor
        for name, tensor in self.best_weights.items():
            result[f"best/{name}"] = tensor
        for name, parameter in self.model.named_parameters():
            for key, value in self.optimiser.state.get(parameter, {}).items():
                result[f"adam/{key}/{name}"] = value  # Muon's, too
        for name, generator in self.generators.items():
            result[f"generator/{name}"] = generator.get_state()
        if self.objective is not None:
            for name, tensor in self.objective.tensors().items():
                result[f"objective/{name}"] = tensor
        return result

    def restore(self, tensors: Mapping[str, Tensor], metrics: list[dict[str, Any]]) -> None:
        """Restore the state from the result of `tensors`."""

        def part(prefix: str) -> dict[str, Tensor]:
            return {k[len(prefix) :]: v for k, v in tensors.items() if k.startswith(prefix)}

        try:
            step, perfect, *best = tensors["counters"].tolist()
            was_perfect, accuracy, loss = best
            self.model.load_state_dict(part("model/"))
            keys = state_keys(self.optimiser)
            counted_there = self.optimiser.fused
            for name, parameter in self.model.named_parameters():
                if not parameter.requires_grad:
                    continue
                self.optimiser.state[parameter] = {
                    key: tensors[f"adam/{key}/{name}"].to(
                        parameter.device if key != "step" or counted_there else "cpu"
                    )
                    for key in keys[parameter]
                }
            for name, generator in self.generators.items():
                generator.set_state(tensors[f"generator/{name}"])
            if self.objective is not None:
                self.objective.restore(part("objective/"))
        except (KeyError, RuntimeError, ValueError) as error:
            if lacks_memory(error):
                raise
            raise RunError(
                f"the checkpoint does not fit the model ({str(error).splitlines()[0]}). "
                f"Train again in a new folder."
            ) from None
        self.step, self.perfect = int(step), int(perfect)
        self.best = (was_perfect, accuracy, loss)
        self.best_weights = part("best/")
        self.metrics = [record for record in metrics if record["step"] <= self.step]
