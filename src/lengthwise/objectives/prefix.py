"""The class after every prefix; for networks that answer at every position."""

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lengthwise.errors import ConfigError
from lengthwise.evaluation.outputs import AnswersEverywhere
from lengthwise.models.custom import OwnEntry
from lengthwise.models.custom_network import Adapted, unwrap
from lengthwise.models.entry import Entry
from lengthwise.models.state_slots_config import StateSlotsConfig
from lengthwise.objectives.answers import accuracy_of, on_device, validate_answers
from lengthwise.objectives.base import Subject, WordObjective
from lengthwise.objectives.words import WordLengths, WordsConfig, draw_one_length
from lengthwise.tasks.automaton import Automaton
from lengthwise.tasks.task import Task
from lengthwise.training.loop import Objective, Step, Validation


class PrefixLoss(Objective):
    """The class after every prefix; for models that answer at every position."""

    def __init__(self, task: Task, words: WordsConfig) -> None:
        if task.language.domain is not None:
            raise ConfigError(
                f"objective='prefix' asks for the class of every prefix, but prefixes of "
                f"words of {task.title} can be outside its domain. Use 'transition'."
            )
        self._task = task
        self._words = words
        self._lengths = WordLengths(task, words)
        self._automaton = Automaton(task.language)

    def step(self, model: nn.Module, data: torch.Generator, noise: torch.Generator) -> Step:
        """Return the cross-entropy averaged over all prefixes of words of one length."""
        batch = draw_one_length(self._task, self._lengths, self._words.batch_size, data)
        targets = self._automaton.prefix_classes(batch.tokens)
        tokens, targets = on_device(model, batch.tokens, targets)
        logits = prefix_reader(model)(tokens, generator=noise)
        loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten())
        return Step(loss, accuracy_of(logits[:, -1], targets[:, -1]), len(tokens))

    def validate(self, model: nn.Module, data: torch.Generator) -> Validation:
        """Return loss and accuracy of the class of the word, as `final` does."""
        lengths = self._lengths.draw(self._words.validation_words, data)
        return validate_answers(model, self._task.draw(lengths, data))


def prefix_reader(model: nn.Module) -> Callable[..., Tensor]:
    """Return what computes the logits of every prefix.

    Raises:
        ConfigError: the network answers at the end of a word only.
    """
    if isinstance(model, Adapted) and model.answers_everywhere:
        return model.every_prefix
    if isinstance(model, AnswersEverywhere):
        return model.every_position
    raise ConfigError(
        f"{type(unwrap(model)).__name__} answers at the end of a word only, and not after every "
        f"symbol. Give it every_position(tokens), or use objective='final' for a language."
    )


class Prefix(WordObjective):
    """The class after every prefix."""

    told = "training is given the class after every prefix"

    def fits(self, entry: Entry) -> bool:
        """Return whether the network answers at every position, and its answers have a gradient; of
        a user's own, it is seen when it is built."""
        if isinstance(entry, OwnEntry):
            return True
        if issubclass(entry.config, StateSlotsConfig):
            return False
        module = entry.architecture.module
        return isinstance(module, type) and issubclass(module, AnswersEverywhere)

    def loss(self, subject: Subject) -> Objective:
        """Return the cross-entropy averaged over all prefixes."""
        return PrefixLoss(subject.task, subject.words)


PREFIX = Prefix()
