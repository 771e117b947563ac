"""Can many small runs be trained as one? Yes, with the numbers of training them one by one.

Runs that differ in seed, learning rate and clip alone take their steps together. Each keeps its
own words, rate, clipping, state of Adam, validations and end; only sums come out in another order,
so that weights agree to about 1e-5, not bit for bit. A run folder can be begun in a stack and
ended alone, and the other way round.

Axes:
    member  runs that are still training
"""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils import parameters_to_vector

from lengthwise.config import require
from lengthwise.errors import ConfigError
from lengthwise.models.catalogue import MODELS
from lengthwise.models.threads import processor_threads
from lengthwise.tasks.task import Task
from lengthwise.training.compiled import load_weights
from lengthwise.training.loop import (
    BETA1,
    Clock,
    LoopConfig,
    Progress,
    State,
    begin,
    decays,
    end,
    is_due,
    is_over,
    require_finite,
    share_of_rate,
    validate_if_due,
)
from lengthwise.training.members import members_of, together
from lengthwise.training.recognition import Final, RecognitionConfig
from lengthwise.training.runs import RunFolder
from lengthwise.training.train import Plan, Run, choose_device, claim, environment

_EPSILON = 1e-8
"""Of Adam, as torch has it."""


def train_stack(
    plans: Sequence[Plan],
    *,
    outs: Sequence[Path] | None = None,
    goal: Callable[[Task, RecognitionConfig], Final] = Final,
    device: str = "auto",
    progress: Progress | None = None,
) -> list[Run]:
    """Train runs that differ in seed, learning rate or clip; with `outs`, in a folder for each.

    Runs that have ended are loaded, and interrupted ones go on where each of them stood. `progress`
    is told of the member that is furthest behind.

    Raises:
        ConfigError: the plans differ in something else, or their model cannot be stacked.
        RunError: a folder holds another run.
        ClaimError: the loss of a run is not finite; all last checkpoints are kept.
    """
    require_stackable(plans)
    where = choose_device(device)
    models = [MODELS[p.model].draw(p.network, _seeded(p)) for p in plans]
    members_of(models[0])  # all that can be refused has been, before anything is written
    goals = [goal(plan.task, plan.recognition) for plan in plans]
    folders = [None] * len(plans) if outs is None else [RunFolder(Path(out)) for out in outs]
    require(len(folders) == len(plans), f"{len(plans)} plans have {len(folders)} folders.")
    made_with = {**environment(device), "stack": str(len(plans))}
    with ExitStack() as locks, processor_threads(plans[0].threads):
        for plan, folder in zip(plans, folders, strict=True):
            if folder is not None:
                claim(folder, plan, made_with)
                locks.enter_context(folder.locked())
        members = [
            _Member(plan, model.to(where), goal, folder)
            for plan, model, goal, folder in zip(plans, models, goals, folders, strict=True)
        ]
        _fit([member for member in members if not member.is_over], progress)
    return [member.run() for member in members]


def require_stackable(plans: Sequence[Plan]) -> None:
    """Refuse plans that cannot take their steps together.

    Raises:
        ConfigError: there are none, they differ too much, or are trained in another way.
    """
    require(bool(plans), "a stack needs at least one plan. Give one.")
    first = plans[0]
    for plan in plans:
        require(
            plan.recognition.supervision == "final",
            f"supervision={plan.recognition.supervision!r} cannot be trained in a stack. "
            f"Use 'final', or train these runs one by one.",
        )
        require(
            plan.loop.accumulate == 1,
            f"accumulate={plan.loop.accumulate} cannot be trained in a stack. Use 1, or train "
            f"these runs one by one.",
        )
        loop = replace(
            plan.loop,
            seed=first.loop.seed,
            learning_rate=first.loop.learning_rate,
            clip=first.loop.clip,
        )
        if replace(plan, loop=loop) != first:
            raise ConfigError(
                "the runs of a stack may differ in seed, learning_rate and clip only. Train the "
                "others in a stack of their own."
            )


def _seeded(plan: Plan) -> torch.Generator:
    return torch.Generator().manual_seed(plan.loop.seed)


class _Member:
    """One run of the stack: all that is its own."""

    def __init__(self, plan: Plan, model: nn.Module, goal: Final, folder: RunFolder | None) -> None:
        self.plan = plan
        self.goal = goal
        self.folder = folder
        self.ended_before = folder is not None and folder.is_finished
        self.state: State = begin(model, plan.loop, None if self.ended_before else folder)
        self.clock = Clock()

    @property
    def config(self) -> LoopConfig:
        return self.plan.loop

    @property
    def is_over(self) -> bool:
        """Whether no step is left to take."""
        return self.ended_before or is_over(self.state, self.config)

    def advance(self, loss: float, accuracy: float, num_words: int) -> dict[str, Any]:
        """What the loop does after each step."""
        state = self.state
        state.step += 1
        if is_due(state, self.config):  # only then somebody looks
            for kept in state.optimiser.state.values():
                kept["step"].fill_(state.step)
        rate = self.clock.rate(num_words)
        record = {"loss": loss, "accuracy": accuracy, "words_per_second": rate}
        return record | validate_if_due(state, self.goal, self.config, self.folder, record)

    def run(self) -> Run:
        """The run, ended."""
        model, state = self.state.model, self.state
        if self.ended_before and self.folder:
            load_weights(model, self.folder.weights(), self.folder.path)
            state.metrics = self.folder.metrics()
            model.eval()
        else:
            end(state, self.config, self.folder)
        return Run(plan=self.plan, model=model, metrics=state.metrics, folder=self.folder)


def _fit(members: list[_Member], progress: Progress | None) -> None:
    """Steps of all members together, until the last one ends."""
    while members:
        stack = _Stack(members)
        while not any(member.is_over for member in members):
            records = stack.step()
            if progress:
                behind = min(range(len(members)), key=lambda m: members[m].state.step)
                progress.update(members[behind].state.step, records[behind])
        members = [member for member in members if not member.is_over]


class _Stack:
    """The weights of the members and the state of their Adam, each `[member, number]`.

    The models of the members hold views of them, so that each can be validated and stored alone.
    """

    def __init__(self, members: list[_Member]) -> None:
        self._members = members
        self._answers = members_of(members[0].state.model)
        self._weights: dict[str, Tensor] = {}
        """Name to `[member, ...]`, views of `_all`."""
        models = [member.state.model for member in members]
        self._all = torch.stack([parameters_to_vector(m.parameters()).detach() for m in models])
        self._means, self._squares = torch.zeros_like(self._all), torch.zeros_like(self._all)
        self._decayed = torch.zeros_like(self._all[0])
        decayed = decays(models[0])
        stop = 0
        for name, parameter in models[0].named_parameters():
            start, stop = stop, stop + parameter.numel()
            every = self._all[:, start:stop]
            self._decayed[start:stop] = decayed[name]
            self._weights[name] = every.view(len(members), *parameter.shape)
            for index, (member, model) in enumerate(zip(members, models, strict=True)):
                own = model.get_parameter(name)
                own.data = self._weights[name][index]
                kept = member.state.optimiser.state[own]
                kept.setdefault("step", torch.tensor(0.0))
                for key, moments in ("exp_avg", self._means), ("exp_avg_sq", self._squares):
                    view = moments[index, start:stop].view(parameter.shape)
                    kept[key] = view.copy_(kept[key]) if key in kept else view

    def step(self) -> list[dict[str, Any]]:
        """One step of every member, and the record of each."""
        for member in self._members:
            if not member.state.model.training:  # a walk through all modules, each time
                member.state.model.train()
        weights = {name: weight.requires_grad_() for name, weight in self._weights.items()}
        losses, right, num_words = self._losses(weights)
        gradients = torch.autograd.grad(losses.sum(), list(weights.values()))
        for weight in self._weights.values():
            weight.requires_grad_(False)
        values = losses.tolist()
        self._check("loss", values)
        gradient = torch.cat([each.flatten(1) for each in gradients], dim=1)
        norms = torch.linalg.vector_norm(gradient, dim=1)
        self._check("norm of the gradient", norms.tolist())
        clip = norms.new_tensor([member.config.clip for member in self._members])
        self._descend(gradient.mul_((clip / (norms + 1e-6)).clamp(max=1.0).view(-1, 1)))
        return [
            member.advance(value, share, num_words)
            for member, value, share in zip(self._members, values, right.tolist(), strict=True)
        ]

    def _losses(self, weights: dict[str, Tensor]) -> tuple[Tensor, Tensor, int]:
        """Cross-entropy and accuracy of each member on its own words."""
        device = next(iter(weights.values())).device
        batches = [m.goal.draw(m.state.generators["data"]) for m in self._members]
        losses: list[Tensor] = [torch.empty(0)] * len(batches)
        right = list(losses)
        for group in together([batch.tokens.shape[1] for batch in batches]):
            own = weights
            if group != list(range(len(batches))):
                index = torch.tensor(group, device=device)
                own = {name: weight.index_select(0, index) for name, weight in weights.items()}
            logits = self._answers(own, [batches[m].tokens.to(device) for m in group])
            classes = torch.stack([batches[m].classes for m in group]).to(device)
            loss = F.cross_entropy(logits.transpose(1, 2), classes, reduction="none").mean(dim=1)
            hits = (logits.detach().argmax(dim=2) == classes).double().mean(dim=1)
            for place, member in enumerate(group):
                losses[member], right[member] = loss[place], hits[place]
        return torch.stack(losses), torch.stack(right), len(batches[0].tokens)

    def _check(self, what: str, values: Sequence[float]) -> None:
        for member, value in zip(self._members, values, strict=True):
            require_finite(what, value, member.state, member.config)

    def _descend(self, gradient: Tensor) -> None:
        """AdamW, with the clipped gradients, rate and count of steps of each member."""
        loop = self._members[0].config
        beta2, decay = loop.beta2, loop.weight_decay  # all have the same
        counts = [member.state.step + 1 for member in self._members]
        rates = [
            m.config.learning_rate * share_of_rate(m.config, m.state.step) for m in self._members
        ]
        steps = [rate / (1 - BETA1**count) for rate, count in zip(rates, counts, strict=True)]
        roots = [(1 - beta2**count) ** 0.5 for count in counts]
        rate, root = (gradient.new_tensor(each).view(-1, 1) for each in (steps, roots))
        if decay:
            self._all.mul_(1 - gradient.new_tensor(rates).view(-1, 1) * decay * self._decayed)
        mean = self._means.lerp_(gradient, 1 - BETA1)
        square = self._squares.mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
        self._all.sub_(square.sqrt().div_(root).add_(_EPSILON).reciprocal_().mul_(mean).mul_(rate))
