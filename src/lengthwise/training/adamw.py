"""AdamW: the optimiser of all training, which is torch's without the import of its compiler.

`torch.optim.AdamW` imports `torch._dynamo` when it is made, which takes as long as training on a
small language does. The step is torch's own function.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.optim.adamw import adamw

BETA1 = 0.9
"""Adam's beta1: the share of the running mean of gradients that is kept at a step."""

_EPSILON = 1e-8


class AdamW:
    """Adam with decoupled weight decay (Loshchilov and Hutter 2019).

    A group has its `params` and its `weight_decay`, and may have a rate `lr` of its own. The state
    of a parameter begins with its first gradient.
    """

    def __init__(
        self,
        groups: Sequence[Mapping[str, Any]],
        *,
        lr: float,
        beta2: float = 0.999,
        fused: bool = False,
    ) -> None:
        self.param_groups = [{"lr": lr, **group} for group in groups]
        self.fused = fused
        """Whether a step goes over all weights once; counters of steps are on the device then."""
        self.state: dict[Tensor, dict[str, Tensor]] = {}
        self._beta2 = beta2

    def zero_grad(self) -> None:
        """Forget all gradients."""
        for group in self.param_groups:
            for parameter in group["params"]:
                parameter.grad = None

    @torch.no_grad()
    def step(self) -> None:
        """Take one step; parameters without a gradient are left as they are."""
        for group in self.param_groups:
            moved = [parameter for parameter in group["params"] if parameter.grad is not None]
            if moved:
                self._adapt(moved, group["lr"], group["weight_decay"])

    def _adapt(self, moved: Sequence[Tensor], rate: float, decay: float) -> None:
        states = [self._state(parameter) for parameter in moved]
        adamw(
            list(moved),
            [parameter.grad for parameter in moved if parameter.grad is not None],
            [state["exp_avg"] for state in states],
            [state["exp_avg_sq"] for state in states],
            [],
            [state["step"] for state in states],
            fused=self.fused or None,
            amsgrad=False,
            beta1=BETA1,
            beta2=self._beta2,
            lr=rate,
            weight_decay=decay,
            eps=_EPSILON,
            maximize=False,
        )

    def _state(self, parameter: Tensor) -> dict[str, Tensor]:
        if parameter not in self.state:
            self.state[parameter] = {
                "step": torch.zeros((), device=parameter.device if self.fused else "cpu"),
                "exp_avg": torch.zeros_like(parameter),
                "exp_avg_sq": torch.zeros_like(parameter),
            }
        return self.state[parameter]


def state_keys(optimiser: AdamW) -> dict[Tensor, tuple[str, ...]]:
    """Return the names of the tensors that the optimiser keeps of each parameter."""
    adam, muon = ("step", "exp_avg", "exp_avg_sq"), ("momentum",)
    return {
        parameter: muon if group.get("orthogonal") else adam
        for group in optimiser.param_groups
        for parameter in group["params"]
    }
