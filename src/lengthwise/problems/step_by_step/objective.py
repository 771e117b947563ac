"""The objective of step tasks: the next symbol, at the positions that the regime supervises.

Training uses teacher forcing: the right symbols precede the predicted one. Validation is like
testing: only the inputs are given, all else is decoded greedily, and a word counts as right if all
its outputs are.

Examples are a fixed set. Test, validation and training inputs are one list of different inputs,
divided into three: none can be in two of them.

Axes:
    word    words of a batch
    input   symbols that are given
    place   positions of a sequence
    symbol  the vocabulary
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from lengthwise.device_copies import send
from lengthwise.errors import TaskError
from lengthwise.evaluation.predict import device_of
from lengthwise.evaluation.steps import exact_matches
from lengthwise.settings import Config, Setting, require
from lengthwise.tasks.step_tasks import Regime, StepTask
from lengthwise.training.autocast import Autocast, autocast
from lengthwise.training.loop import Objective, Step, Validation

_MOST_SYMBOLS = 2**30


@dataclass(frozen=True, kw_only=True, slots=True)
class ExamplesConfig(Config):
    """Settings of the examples."""

    examples: Annotated[int, Setting(unit="inputs", least=1)] = 10_000
    """Number of different inputs that are trained on."""
    batch_size: Annotated[int, Setting(unit="inputs", least=1)] = 32
    """Number of inputs of a batch."""
    validation_words: Annotated[int, Setting(unit="inputs", least=1)] = 1_000
    """Greatest number of inputs of a validation; where few are left, half of them."""
    test_words: Annotated[int, Setting(unit="inputs", least=1)] = 10_000
    """Greatest number of inputs that are reserved for the test."""
    data_seed: Annotated[int, Setting(least=0, most=2**62)] = 0
    """Seed by which examples are drawn, so that runs of other seeds, models and supervision have
    the same examples."""


@dataclass(frozen=True, kw_only=True, slots=True)
class StepSupervisionConfig(Config):
    """Settings of step supervision: the symbols that have labels in training."""

    supervision: Regime = "strong"
    """`weak`: outputs follow the inputs at once. `medium`: they follow intermediate steps that are
    not supervised. `strong`: they follow intermediate steps that are supervised."""


class Split(NamedTuple):
    """The inputs of training, validation and test; no two are the same."""

    train: Int[Tensor, "word input"]
    validation: Int[Tensor, "word input"]
    test: Int[Tensor, "word input"]


def split_sizes(task: StepTask, config: ExamplesConfig) -> tuple[int, int, int]:
    """Return the numbers of inputs for training, validation and test.

    Raises:
        TaskError: the task has not enough inputs, or they are more than memory could hold.
    """
    if task.num_words < 3:
        raise TaskError(
            f"{task.name} has {task.num_words} inputs, too few to train, validate and test on. Use "
            f"a larger task."
        )
    left = task.num_words - config.examples
    if left < 2:
        raise TaskError(
            f"{task.name} has {task.num_words:,} different inputs, so "
            f"examples={config.examples:,} leave none to test on. Set "
            f"examples={max(task.num_words // 2, 1)}, or at most {task.num_words - 2:,}."
        )
    validation = min(config.validation_words, left // 2)
    test = min(config.test_words, left - validation)
    symbols = (config.examples + validation + test) * (task.num_inputs + len(task.names))
    require(
        symbols <= _MOST_SYMBOLS,
        f"examples={config.examples:,}, validation_words and test_words together have {symbols:,} "
        f"symbols, and {_MOST_SYMBOLS:,} is the most. Lower them.",
    )
    return config.examples, validation, test


def split(task: StepTask, config: ExamplesConfig) -> Split:
    """Return the inputs of a run.

    Test inputs are drawn first, so that they are the same whatever number is trained on; where few
    are left, there are fewer of the same.

    Raises:
        TaskError: the task has not enough of them.
    """
    train, validation, test = split_sizes(task, config)
    generator = torch.Generator().manual_seed(config.data_seed)
    inputs = task.draw(train + validation + test, generator)
    for_test, for_validation, for_training = torch.split(inputs, [test, validation, train])
    return Split(for_training, for_validation, for_test)


class NextStep(Objective):
    """Cross-entropy of the next symbol at the supervised positions; for any `Completer`."""

    def __init__(
        self,
        task: StepTask,
        config: ExamplesConfig,
        supervision: Regime,
        *,
        half: Autocast = "none",
    ) -> None:
        split_sizes(task, config)
        self._task, self._config, self._autocast = task, config, half
        self._layout = task.layout(supervision)
        self._supervised = task.num_inputs + torch.tensor(self._layout.supervised)
        self._first = int(self._supervised.min()) - 1

    @cached_property
    def _examples(self) -> tuple[Int[Tensor, "word place"], Int[Tensor, "word place"]]:
        inputs = split(self._task, self._config)
        train = self._task.sequences(inputs.train, self._layout)
        return train, self._task.sequences(inputs.validation, self._layout)

    def step(self, model: nn.Module, data: torch.Generator, noise: torch.Generator) -> Step:
        """Return the mean loss of supervised positions; accuracy is that of whole words."""
        train, _ = self._examples
        rows = torch.randint(len(train), (self._config.batch_size,), generator=data)
        words = send(train[rows], device_of(model))
        loss, right = self._judge(model, words, noise)
        return Step(loss, right, len(words))

    def validate(self, model: nn.Module, data: torch.Generator) -> Validation:
        """Return the loss with teacher forcing, and the exact match of outputs without it."""
        _, validation = self._examples
        words = send(validation, device_of(model))
        parts = torch.split(words, _AT_ONCE)
        losses = [self._judge(model, part, None)[0].item() * len(part) for part in parts]
        inputs = validation[:, : self._task.num_inputs]
        scores = exact_matches(model, self._task, self._layout, inputs)
        return Validation(
            loss=sum(losses) / len(words),
            accuracy=scores.exact / scores.words,
            perfect=scores.exact == scores.words,
        )

    def _judge(
        self, model: nn.Module, words: Tensor, noise: torch.Generator | None
    ) -> tuple[Float[Tensor, ""], Float[Tensor, ""]]:
        supervised = send(self._supervised, words.device)
        with autocast(words.device, self._autocast):
            logits = model(words[:, :-1], first=self._first, generator=noise)
        logits, targets = logits[:, supervised - 1 - self._first], words[:, supervised]
        logits = logits.to(torch.promote_types(logits.dtype, torch.float32))  # for the softmax
        loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten())
        return loss, (logits.argmax(dim=2) == targets).all(dim=1).double().mean()


_AT_ONCE = 512
"""Number of words of validation that are computed together."""
