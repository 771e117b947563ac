"""Counterexamples go back: a copy of a network is trained on them, and snapped again.

The copy learns words of the lengths of training as it runs, and at the same time words like the one
on which the snapped network is wrong, read with its state snapped after every symbol. The gradient
passes a snap unchanged, and a further term draws states to the representatives that they are
snapped to. Where no level of fineness is usable there are no representatives: states are then
moved by random numbers, so that the copy learns to come back from them.

Axes:
    word   words of a batch
    width  numbers of a state
"""

import copy
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lengthwise.deadline import require_time, until
from lengthwise.errors import LengthwiseError, OutOfTimeError, RunError, in_a_line
from lengthwise.evaluation.predict import right_aligned
from lengthwise.languages.language import Language
from lengthwise.messages import format_count
from lengthwise.models.alignment import align_left
from lengthwise.models.stepping import Rows, Steps, steps_of
from lengthwise.objectives.answers import accuracy_of, class_step, on_device, validate_answers
from lengthwise.problems.base import Plan, Run
from lengthwise.proofs.search.snapped_states import SnappedStates, distances
from lengthwise.proofs.search.state_snapping import StateSnapping
from lengthwise.tasks.task import Batch, Task
from lengthwise.training.loop import Step, Validation, find_kept_record, fit
from lengthwise.training.runs import RunFolder
from lengthwise.training.settings import TrainingConfig

_STEPS, _EACH = 150, 30
"""Steps of a round, and those from one validation to the next."""

_RATE, _WORDS, _ALIKE = 2e-3, 64, 16
"""Learning rate; words of a batch that are read as the network runs, and that are disturbed."""

_LONGEST = 400
"""Greatest length of a word that is learned."""

_COMMITMENT, _NOISE = 0.1, 0.05
"""Weight of the distance to representatives; size of random moves, as a share of the scale."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RetrainingRound:
    """One round: the word that went back, the steps taken, and the result."""

    wrong: tuple[int, ...] | None
    """The word on which the snapped network was wrong; None if there was no snapped network."""
    steps: int
    verdict: str
    """The verdict about the snapped network afterwards."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Retrained:
    """A copy of a network after its rounds, and its snapped network."""

    model: nn.Module
    snapping: StateSnapping
    rounds: tuple[RetrainingRound, ...]
    reason: str = ""
    """Reason why no further round was run, if it is not a proof or the number of rounds."""

    @property
    def is_proved(self) -> bool:
        """True if the snapped network of the copy is right at every length."""
        return self.snapping.verdict == "equivalent"

    def summary(self) -> dict[str, Any]:
        """Return the rounds and the last snapping as plain values."""
        return {
            "rounds": [
                {
                    "wrong_length": None if each.wrong is None else len(each.wrong),
                    "steps": each.steps,
                    "verdict": each.verdict,
                }
                for each in self.rounds
            ],
            "reason": self.reason,
            "snapping": self.snapping.summary(),
        }


def retrain(
    model: nn.Module,
    language: Language,
    snapping: StateSnapping,
    snap: Callable[[Steps], StateSnapping],
    *,
    rounds: int,
    longest: int,
    seed: int = 0,
    end: float = float("inf"),
) -> Retrained:
    """Train a copy on the counterexample of its snapped network and snap it again, in rounds.

    `snap` snaps a copy like the network itself was; `longest` is the greatest length of the words
    of training. The network itself is not changed.

    Returns:
        The copy after the last round: the first whose snapped network is proved, if there is one.
    """
    done: list[RetrainingRound] = []
    reason = ""
    if not any(weight.requires_grad for weight in model.parameters()):
        reason, rounds = "the network has no weights to train", 0
    try:
        network = copy.deepcopy(model)
    except (RuntimeError, TypeError) as error:  # such as tensors that are not leaves
        network, reason, rounds = model, f"the network cannot be copied ({error!s:.80})", 0
    for number in range(rounds):
        if snapping.verdict == "equivalent" or time.monotonic() > end:
            break
        before = copy.deepcopy(network.state_dict())
        try:
            with until(end):
                steps = _steps_of(network, language)
                lesson = _Lesson(steps, language, snapping, longest)
                config = TrainingConfig(
                    steps=_STEPS,
                    learning_rate=_RATE,
                    validate_every=_EACH,
                    schedule="cosine",
                    seed=seed + number,
                )
                with torch.enable_grad():
                    metrics = fit(network, lesson, config)
            after = snap(_steps_of(network, language))
        except OutOfTimeError:
            reason = "the next round would take longer than the budget"
        except (LengthwiseError, RuntimeError) as error:  # a network of one's own can do anything
            reason = f"a copy could not be trained ({in_a_line(error)})"
        if reason:
            network.load_state_dict(before)
            break
        wrong = snapping.wrong
        snapping = after
        done.append(RetrainingRound(wrong=wrong, steps=metrics[-1]["step"], verdict=after.verdict))
    return Retrained(model=network.eval(), snapping=snapping, rounds=tuple(done), reason=reason)


def store_run(run: Run, retrained: Retrained, out: Path) -> RunFolder:
    """Write the run of a retrained copy: the plan of the run, its own weights and validation.

    Raises:
        RunError: the folder is not free.
    """
    assert run.folder is not None
    assert isinstance(run.plan, Plan)  # computed weights are not trained
    folder = RunFolder(out)
    require_free(folder)
    said = f"in {format_count(len(retrained.rounds), 'round')} on words that its snapped network"
    config = run.folder.config()
    environment = {**config.get("environment", {}), "retrained": f"{said} got wrong"}
    folder.claim({**config, "environment": environment})
    with torch.no_grad():
        validated = run.problem.objective(run.plan).validate(
            retrained.model, torch.Generator().manual_seed(run.plan.training.seed + 2_000_003)
        )
    record = {
        **find_kept_record(run.metrics),
        "validation_loss": validated.loss,
        "validation_accuracy": validated.accuracy,
        "perfect": validated.perfect,
        "retrained_steps": sum(each.steps for each in retrained.rounds),
    }
    folder.finish(retrained.model.state_dict(), [record])
    return folder


def require_free(folder: RunFolder) -> None:
    """Refuse a folder that holds a run, or anything else.

    Raises:
        RunError: it does.
    """
    folder.require_free()
    if folder.is_claimed:
        raise RunError(f"{folder.path} holds a run already. Name a new folder.")


def _steps_of(network: nn.Module, language: Language) -> Steps:
    network.eval()
    return steps_of(network, language.num_symbols, language.num_classes)


class _Lesson:
    """Words as the network runs, and words like the counterexample with disturbed states."""

    def __init__(
        self, steps: Steps, language: Language, snapping: StateSnapping, longest: int
    ) -> None:
        self._steps, self._language = steps, language
        self._task, self._longest = Task(language=language), min(longest, _LONGEST)
        self._wrong = snapping.wrong
        self._snapped: SnappedStates | None = snapping.snapped

    def step(self, model: nn.Module, data: torch.Generator, noise: torch.Generator) -> Step:
        """Draw both kinds of words, and add their losses."""
        require_time()
        words = self._task.draw_mixed(_WORDS, self._longest, data)
        tokens, lengths, classes = on_device(model, words.tokens, words.lengths, words.classes)
        plain = class_step(model(tokens, lengths), classes)
        alike = self._draw_alike(data)
        logits, moved = self._read_disturbed(alike, data)
        loss = F.cross_entropy(logits, alike.classes.to(logits.device))
        return Step(
            plain.loss + loss + _COMMITMENT * moved, plain.accuracy, _WORDS + len(alike.lengths)
        )

    def validate(self, model: nn.Module, data: torch.Generator) -> Validation:
        """Measure both kinds of words."""
        require_time()
        plain = validate_answers(model, self._task.draw_mixed(4 * _WORDS, self._longest, data))
        alike = self._draw_alike(data)
        logits, _ = self._read_disturbed(alike, data)
        accuracy = accuracy_of(logits, alike.classes).item()
        loss = F.cross_entropy(logits, alike.classes.to(logits.device)).item()
        return Validation(
            plain.loss + loss, (plain.accuracy + accuracy) / 2, plain.perfect and accuracy == 1.0
        )

    def _draw_alike(self, data: torch.Generator) -> Batch:
        """Draw the wrong word, words that begin or end like it, and words of training.

        Words outside the domain are left out, and so is a wrong word that is too long to learn.
        """
        drawn = self._task.draw_mixed(_ALIKE, self._longest, data)
        width = drawn.tokens.shape[1]
        words = [
            tuple(row[width - length :])
            for row, length in zip(drawn.tokens.tolist(), drawn.lengths.tolist(), strict=True)
        ]
        wrong = self._wrong
        if wrong is not None and len(wrong) <= _LONGEST:
            cuts = torch.randint(len(wrong) + 1, (len(words),), generator=data).tolist()
            mixed = [
                (*wrong[:cut], *word) if row % 2 else (*word, *wrong[cut:])
                for row, (cut, word) in enumerate(zip(cuts, words, strict=True))
            ]
            domain = self._language.domain
            words = [
                *([wrong] * (_ALIKE // 4)),
                *words[: _ALIKE // 4],
                *(w for w in mixed if domain is None or domain.classes[domain.run(w)] == 1),
            ]
        tokens, lengths = right_aligned(words)
        classes = torch.tensor([self._language.classify(word) for word in words])
        return Batch(tokens=tokens, lengths=lengths, classes=classes)

    def _read_disturbed(self, words: Batch, data: torch.Generator) -> tuple[Tensor, Tensor]:
        """Return the logits of words read with disturbed states, and how far states were moved."""
        symbols, lengths = align_left(
            words.tokens, words.lengths, self._language.num_symbols, checked=False
        )
        logits, rows = self._steps.start()
        logits, rows = logits.expand(len(symbols), -1), rows.expand(len(symbols), -1)
        moved = rows.new_zeros(())
        for place, column in enumerate(symbols.unbind(dim=1)):
            after, states = self._steps.step_to_learn(rows, column)
            is_inside = (lengths > place)[:, None]
            logits = torch.where(is_inside, after, logits)
            rows, away = self._disturb(states, data)
            moved = moved + (away * is_inside[:, 0]).sum()
        return logits, moved / max(1, int(lengths.sum()))

    def _disturb(self, states: Rows, data: torch.Generator) -> tuple[Rows, Tensor]:
        """Return moved states, whose gradient passes unchanged, and squared distances."""
        fixed = states.detach()
        if self._snapped is None:
            noise = torch.randn(fixed.shape, generator=data, dtype=torch.float64).to(fixed.dtype)
            return states + _NOISE * fixed.abs().max() * noise, states.new_zeros(len(states))
        representatives = self._snapped.snaps.representatives
        nearest = representatives[distances(fixed, representatives).argmin(dim=1)]
        return states + (nearest - fixed), (states - nearest).square().sum(dim=1)
