"""Can many small runs be trained as one? Yes, with the numbers of training them one by one.

Runs that differ in seed, learning rate and clip alone take their steps together. Each keeps its
own words, rate, clipping, state of Adam, validations and end; only sums come out in another order,
so that weights agree to about 1e-5, not bit for bit. A run folder can be begun in a stack and
ended alone, and the other way round. Of several threads each computes members of its own.

Axes:
    member  runs that are still training
"""

import math
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from copy import deepcopy
from dataclasses import replace
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils import parameters_to_vector

from lengthwise.config import require
from lengthwise.errors import ConfigError
from lengthwise.evaluation.evaluate import answer_of
from lengthwise.models.recognisers import MODELS
from lengthwise.models.threads import processor_threads
from lengthwise.tasks.task import Batch, Task
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
from lengthwise.training.members import Members, members_of, together
from lengthwise.training.recognition import Final, RecognitionConfig
from lengthwise.training.runs import RunFolder
from lengthwise.training.train import Plan, Run, choose_device, claim, environment

_AtOnce = Callable[[Callable[[list[int]], Any], list[list[int]]], Iterable[Any]]
"""`map`, or that of a pool of threads."""

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
    threads = plans[0].threads if where.type == "cpu" else 1
    with ExitStack() as locks, processor_threads(1), ThreadPoolExecutor(threads) as pool:
        for plan, folder in zip(plans, folders, strict=True):
            if folder is not None:
                claim(folder, plan, made_with)
                locks.enter_context(folder.locked())
        members = [
            _Member(plan, model.to(where), goal, folder)
            for plan, model, goal, folder in zip(plans, models, goals, folders, strict=True)
        ]
        at_once = map if threads == 1 else pool.map
        _fit([member for member in members if not member.is_over], threads, at_once, progress)
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


def _fit(members: list[_Member], threads: int, at_once: _AtOnce, progress: Progress | None) -> None:
    """Steps of all members together, until the last one ends."""
    while members:
        stack = _Stack(members, threads, at_once)
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

    def __init__(self, members: list[_Member], threads: int, at_once: _AtOnce) -> None:
        self._members = members
        threads = min(threads, len(members))
        self._most = math.ceil(len(members) / threads)
        self._at_once = at_once
        self._free: SimpleQueue[Members] = SimpleQueue()
        """For each thread one, since a call puts weights into the network and takes them out."""
        for _ in range(threads):
            self._free.put(members_of(deepcopy(members[0].state.model).train()))
        models = [member.state.model for member in members]
        self._shapes = {name: own.shape for name, own in models[0].named_parameters()}
        self._all = torch.stack([parameters_to_vector(m.parameters()).detach() for m in models])
        self._means, self._squares = torch.zeros_like(self._all), torch.zeros_like(self._all)
        self._decayed = torch.zeros_like(self._all[0])
        weights, means, squares, decayed = (
            self._named(each)
            for each in (self._all, self._means, self._squares, self._decayed[None])
        )
        for name, is_decayed in decays(models[0]).items():
            decayed[name].fill_(is_decayed)
            for index, (member, model) in enumerate(zip(members, models, strict=True)):
                own = model.get_parameter(name)
                own.data = weights[name][index]
                kept = member.state.optimiser.state[own]
                kept.setdefault("step", torch.tensor(0.0))
                for key, moments in ("exp_avg", means), ("exp_avg_sq", squares):
                    view = moments[name][index]
                    kept[key] = view.copy_(kept[key]) if key in kept else view

    def step(self) -> list[dict[str, Any]]:
        """One step of every member, and the record of each."""
        batches = [m.goal.draw(m.state.generators["data"]) for m in self._members]
        groups = together([batch.tokens.shape[1] for batch in batches], self._most)
        gradient = torch.empty_like(self._all)
        losses, shares = [math.nan] * len(batches), [math.nan] * len(batches)
        parts = self._at_once(partial(self._part, batches), groups)
        for group, part in zip(groups, parts, strict=True):
            gradient[group], values, right = part
            for member, value, share in zip(group, values, right, strict=True):
                losses[member], shares[member] = value, share
        self._check("loss", losses)
        norms = torch.linalg.vector_norm(gradient, dim=1)
        self._check("norm of the gradient", norms.tolist())
        clip = norms.new_tensor([member.config.clip for member in self._members])
        self._descend(gradient.mul_((clip / (norms + 1e-6)).clamp(max=1.0).view(-1, 1)))
        num_words = len(batches[0].tokens)
        return [
            member.advance(loss, share, num_words)
            for member, loss, share in zip(self._members, losses, shares, strict=True)
        ]

    def _part(
        self, batches: Sequence[Batch], group: list[int]
    ) -> tuple[Tensor, list[float], list[float]]:
        """Gradient, cross-entropy and accuracy of some members, each on its own words."""
        own = self._all[group].requires_grad_()
        tokens = [batches[m].tokens.to(own.device) for m in group]
        answers = self._free.get()
        try:
            logits = answers(self._named(own), tokens)
        finally:
            self._free.put(answers)
        classes = torch.stack([batches[m].classes for m in group]).to(own.device)
        loss = F.cross_entropy(logits.transpose(1, 2), classes, reduction="none").mean(dim=1)
        right = (answer_of(logits.detach()) == classes).double().mean(dim=1)
        (gradient,) = torch.autograd.grad(loss.sum(), own)
        return gradient, loss.tolist(), right.tolist()

    def _named(self, weights: Tensor) -> dict[str, Tensor]:
        """Name to `[member, ...]`, views of `[member, number]`."""
        parts = torch.split(weights, [shape.numel() for shape in self._shapes.values()], dim=1)
        return {
            name: part.view(len(weights), *shape)
            for part, (name, shape) in zip(parts, self._shapes.items(), strict=True)
        }

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
