"""The training loop, which is the same for every model and every objective.

It has AdamW or Muon, clipped gradients, validation on the training distribution only, and a
checkpoint of the `State` at every validation.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

import torch
from torch import Tensor, nn

from lengthwise.device_copies import send
from lengthwise.errors import ClaimError
from lengthwise.evaluation.predict import device_of
from lengthwise.models.threads import processor_threads
from lengthwise.training.adamw import AdamW
from lengthwise.training.clock import Clock
from lengthwise.training.determinism import deterministic
from lengthwise.training.distributed import ALONE, ProcessGroup
from lengthwise.training.runs import RunFolder
from lengthwise.training.settings import TrainingConfig
from lengthwise.training.state import Remembering, State

if TYPE_CHECKING:
    from lengthwise.training.film import Film

FUSED = frozenset({"cpu", "cuda"})
"""Devices on which AdamW goes over all weights once, instead of twelve times."""


@dataclass(frozen=True, slots=True)
class Step:
    """The loss of one batch, which is minimised, with its accuracy and its number of words.

    Where a batch is divided among processes, each has its part of the sum. An accuracy that is a
    tensor stays on its device, so that nothing waits for it before the step is taken.
    """

    loss: Tensor
    accuracy: Tensor | float
    num_words: int


@dataclass(frozen=True, slots=True)
class Validation:
    """Loss and accuracy of the model on fresh words of the training distribution."""

    loss: float
    accuracy: float
    perfect: bool
    score: float | None = None
    """The figure by which the best weights are chosen, if that is not the accuracy."""
    more: Mapping[str, Any] = field(default_factory=dict)
    """Further figures for the records."""


class Objective(Protocol):
    """An objective: it draws batches, computes their loss and validates the model."""

    def step(self, model: nn.Module, data: torch.Generator, noise: torch.Generator) -> Step:
        """Draw a batch and compute its loss."""
        ...

    def validate(self, model: nn.Module, data: torch.Generator) -> Validation:
        """Measure the model on fresh words of the training distribution, without noise."""
        ...


class Progress(Protocol):
    """A display of how far training is."""

    def update(self, step: int, record: Mapping[str, Any]) -> None:
        """Show a record; called after every step, with more figures after a validation."""
        ...


Ending: TypeAlias = Literal["perfect", "steps", "diverged"]
"""Why a stage ended: the weights that are kept are perfect, its steps are used up, or
a number was not finite."""


def fit(
    model: nn.Module,
    objective: Objective,
    config: TrainingConfig,
    *,
    folder: RunFolder | None = None,
    film: "Film | None" = None,
    progress: Progress | None = None,
    processes: ProcessGroup = ALONE,
) -> list[dict[str, Any]]:
    """Train `model` in place and return the records, one per validation.

    With a `folder`, a checkpoint is kept there, and an interrupted run continues from it; with a
    `film` as well, frames of that are kept there, too. The
    weights kept in the end are those of the best validation: perfect before not perfect, then the
    greatest accuracy (or the score that replaces it), then the least loss, then the latest. The
    model must already hold its initial weights. Each of several `processes` must get the same
    arguments, and an objective that takes its share; all of them read the folder, and one of them
    writes.

    Raises:
        ClaimError: the loss is not finite; the last checkpoint is kept.
        ConfigError: the device cannot do something in a fixed order, as `deterministic` asks for.
    """
    with processor_threads(config.threads), deterministic(device_of(model), config):
        state = begin(model, objective, config, folder, film)
        return _fit(state, objective, config, folder=folder, progress=progress, processes=processes)


def find_kept_record(metrics: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Return the record of the validation whose weights are kept: the latest of the best."""
    return max(
        reversed(metrics),
        key=lambda r: (
            r["perfect"],
            r.get("validation_score", r["validation_accuracy"]),
            -r["validation_loss"],
        ),
    )


def _fit(
    state: State,
    objective: Objective,
    config: TrainingConfig,
    *,
    folder: RunFolder | None,
    progress: Progress | None,
    processes: ProcessGroup,
) -> list[dict[str, Any]]:
    processes.wait()  # nothing is written before all have read the checkpoint
    if not processes.is_main:
        folder = progress = None
    clock = Clock()
    while not is_over(state, config):
        _advance(
            state, objective, config, clock, folder=folder, progress=progress, processes=processes
        )
    end(state, config, folder)
    return state.metrics


def fit_stage(
    model: nn.Module,
    objective: Objective,
    config: TrainingConfig,
    *,
    folder: RunFolder | None = None,
    film: "Film | None" = None,
    progress: Progress | None = None,
) -> tuple[list[dict[str, Any]], Ending, str]:
    """Train like `fit`, but end where a stage diverges; return the records, how it ended,
    and the error if it diverged.

    Only weights that a validation found perfect are
    stored in the folder, which ends its run; the best of other weights are those that the model has
    in the end. After a number that is not finite these are the best so far, or, if there was no
    validation, none, and the records are empty.

    Raises:
        ConfigError: the device cannot do something in a fixed order, as `deterministic` asks for.
    """
    with processor_threads(config.threads), deterministic(device_of(model), config):
        state = begin(model, objective, config, folder, film)
        ending: Ending = "steps"
        clock, message = Clock(), ""
        try:
            while not is_over(state, config):
                _advance(state, objective, config, clock, folder=folder, progress=progress)
        except ClaimError as error:
            ending, message = "diverged", str(error)
        if state.metrics:
            if find_kept_record(state.metrics)["perfect"]:
                ending = "perfect"
            end(state, config, folder if ending == "perfect" else None)
        return state.metrics, ending, message


def _advance(
    state: State,
    objective: Objective,
    config: TrainingConfig,
    clock: Clock,
    *,
    folder: RunFolder | None,
    progress: Progress | None,
    processes: ProcessGroup = ALONE,
) -> None:
    """Take a step, validate and store the model if that is due, and show the figures."""
    record = _train_step(state, objective, config, clock, processes)
    if figures := validate_if_due(state, objective, config, folder, record):
        record |= figures
        clock.restart()
    if progress:
        progress.update(state.step, record)


def is_over(state: State, config: TrainingConfig) -> bool:
    """Return True when training is finished."""
    return state.step >= config.steps or 0 < config.patience <= state.perfect


def end(state: State, config: TrainingConfig, folder: RunFolder | None) -> None:
    """Load the best weights, convert the model to its final precision, and store the weights."""
    state.model.load_state_dict(state.best_weights)
    state.model.eval()
    if config.precision == "double":
        state.model.double()
    if folder:
        folder.finish(state.model.state_dict(), state.metrics)


def begin(
    model: nn.Module,
    objective: Objective,
    config: TrainingConfig,
    folder: RunFolder | None,
    film: "Film | None" = None,
) -> State:
    """Return the state before the first step, or that of the checkpoint if there is one."""
    device = device_of(model)
    state = State(
        model=model,
        optimiser=_optimiser_of(model, config),
        generators={
            "data": torch.Generator().manual_seed(config.seed + 1_000_003),
            "validation": torch.Generator().manual_seed(config.seed + 2_000_003),
            "noise": torch.Generator(device).manual_seed(config.seed + 3_000_017),
        },
        objective=objective if isinstance(objective, Remembering) else None,
        film=film,
    )
    saved = folder.checkpoint() if folder else None
    if folder and saved is not None:
        state.restore(saved, folder.metrics())
    if folder and film is not None:
        film.restore(folder.frames(), state.step)
        if state.step == 0:
            film.shoot(model, 0, 0, math.nan)
    return state


@torch.no_grad()
def round_weights(model: nn.Module, places: int) -> None:
    """Round all weights to whole multiples of 2^-places, in place; none if `places` is 0."""
    if places:
        for weight in model.parameters():
            weight.copy_((weight * 2**places).round() / 2**places)


def _optimiser_of(model: nn.Module, config: TrainingConfig) -> AdamW:
    kind = AdamW
    if config.optimiser == "muon":
        from lengthwise.training.muon import Muon  # noqa: PLC0415  seldom

        kind = Muon
    return kind(
        _groups(model, config),
        lr=config.learning_rate,
        beta2=config.beta2,
        fused=device_of(model).type in FUSED,
    )


def decays(model: nn.Module) -> dict[str, bool]:
    """Return for the name of every parameter whether weight decay, and Muon, apply to it.

    It applies to the matrices that inputs are multiplied by. These are the `weight`s of layers by
    torch's naming, which recurrent layers and those of transformers' GPT-2 share. An embedding has
    a `weight`, too, and is excluded.
    """
    owners = dict(model.named_modules())

    def is_applied(name: str, parameter: Tensor) -> bool:
        owner, _, kind = name.rpartition(".")
        is_matrix = parameter.ndim == 2 and kind.startswith("weight")
        return is_matrix and not isinstance(owners[owner], nn.Embedding)

    return {name: is_applied(name, parameter) for name, parameter in model.named_parameters()}


def _groups(model: nn.Module, config: TrainingConfig) -> list[dict[str, Any]]:
    """Return the parameters in two groups: with weight decay, and maybe Muon, and without."""
    decayed = decays(model)
    return [
        {
            "params": [
                parameter
                for name, parameter in model.named_parameters()
                if decayed[name] is with_it
            ],
            "weight_decay": config.weight_decay if with_it else 0.0,
            "orthogonal": with_it and config.optimiser == "muon",
        }
        for with_it in (True, False)
    ]


def _train_step(
    state: State,
    objective: Objective,
    config: TrainingConfig,
    clock: Clock,
    processes: ProcessGroup,
) -> dict[str, Any]:
    for group in state.optimiser.param_groups:
        group["lr"] = config.learning_rate * share_of_rate(config, state.step)
    state.model.train()
    state.optimiser.zero_grad()
    batches = [_add_gradient(state, objective, config) for _ in range(config.accumulate)]
    processes.sum_gradients(state.model)
    norm = nn.utils.clip_grad_norm_(state.model.parameters(), config.clip)
    state.optimiser.step()
    *figures, norm_found = _read([*(number for batch in batches for number in batch[:2]), norm])
    loss, accuracy, num_words = processes.all_reduce(
        _mean(figures[::2]), _mean(figures[1::2]), sum(batch[2] for batch in batches)
    )
    require_finite("loss", loss, state, config)
    require_finite("norm of the gradient", norm_found, state, config)
    state.step += 1
    return {"loss": loss, "accuracy": accuracy, "words_per_second": clock.rate(num_words)}


def _add_gradient(
    state: State, objective: Objective, config: TrainingConfig
) -> tuple[Tensor, Tensor, int]:
    """Add a batch's part of the mean gradient; return its loss, accuracy and word count."""
    result = objective.step(state.model, state.generators["data"], state.generators["noise"])
    (result.loss / config.accumulate).backward()  # type: ignore[no-untyped-call]
    return result.loss.detach(), torch.as_tensor(result.accuracy), result.num_words


def _read(numbers: Sequence[Tensor]) -> list[float]:
    """Return the values of numbers on a device: the one wait for it in a step."""
    device = numbers[0].device
    values: list[float] = torch.stack(
        [send(number, device).double() for number in numbers]
    ).tolist()
    return values


def _mean(values: Sequence[float]) -> float:
    """Return the mean; the mean of one value is that value, with its sign even if it is zero."""
    return sum(values[1:], values[0]) / len(values)


def require_finite(quantity: str, value: float, state: State, config: TrainingConfig) -> None:
    """Refuse to continue with a number that is not finite.

    Raises:
        ClaimError: it is not finite.
    """
    if not math.isfinite(value):
        saved_step = state.metrics[-1]["step"] if state.metrics else 0
        raise ClaimError(
            f"the {quantity} is {value} at step {state.step + 1}, so training stops; what was "
            f"reached at step {saved_step} is kept. Lower learning_rate={config.learning_rate} or "
            f"clip={config.clip}."
        )


def share_of_rate(config: TrainingConfig, step: int) -> float:
    """Return the factor of the learning rate at a step, counted from 0."""
    if step < config.warmup:
        return (step + 1) / config.warmup
    if config.schedule == "constant":
        return 1.0
    return 0.5 * (1 + math.cos(math.pi * (step - config.warmup) / (config.steps - config.warmup)))


def is_due(state: State, config: TrainingConfig) -> bool:
    """Return whether the model is validated and stored after the last step."""
    return state.step % config.validate_every == 0 or state.step == config.steps


def validate_if_due(
    state: State,
    objective: Objective,
    config: TrainingConfig,
    folder: RunFolder | None,
    record: Mapping[str, Any],
) -> dict[str, Any]:
    """Validate and store the model if that is due after a step; return the figures, if any."""
    if not is_due(state, config):
        return {}
    figures = _validate(state, objective, config)
    state.metrics.append({"step": state.step, **record, **figures})
    if folder:
        if state.film is not None:  # first, so that no frame is lost between the two
            number, accuracy = len(state.metrics), figures["validation_accuracy"]
            state.film.shoot(state.model, number, state.step, accuracy)
            folder.save_film(state.film.tensors())
        folder.save_checkpoint(state.tensors(), state.metrics)
    return figures


def _validate(state: State, objective: Objective, config: TrainingConfig) -> dict[str, Any]:
    """Validate the model, keep its weights if they are the best so far, and return the figures."""
    state.model.eval()
    round_weights(state.model, config.binary_places)
    with torch.no_grad():
        result = objective.validate(state.model, state.generators["validation"])
    require_finite("validation loss", result.loss, state, config)
    state.perfect = state.perfect + 1 if result.perfect else 0
    chosen_by = result.accuracy if result.score is None else result.score
    rank = (float(result.perfect), chosen_by, -result.loss)
    if rank >= state.best:
        state.best = rank
        state.best_weights = {k: v.detach().clone() for k, v in state.model.state_dict().items()}
    return {
        "validation_loss": result.loss,
        "validation_accuracy": result.accuracy,
        "perfect": result.perfect,
        **({} if result.score is None else {"validation_score": result.score}),
        **result.more,
    }
