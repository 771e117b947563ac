"""The state of the automaton after every prefix, written between the symbols.

A scratchpad with sliding-window attention is trained until a proof closes.
"""

from collections.abc import Mapping
from typing import Any, Literal

import torch
from jaxtyping import Int
from torch import Tensor, nn
from torch.nn import functional as F

from lengthwise.languages.language import Language
from lengthwise.models.entry import Entry
from lengthwise.models.scratchpad import Scratchpad, ScratchpadConfig
from lengthwise.models.transformer_config import NetworkConfig
from lengthwise.models.window_scratchpad_config import WindowScratchpadConfig
from lengthwise.objectives.answers import (
    accuracy_of,
    in_precision,
    on_device,
    require_kind,
    validate_answers,
)
from lengthwise.objectives.base import Subject, WordObjective
from lengthwise.objectives.state_tokens import make_window_node, state_token_loss, window_scratchpad
from lengthwise.objectives.step_table import explore_network
from lengthwise.objectives.words import WordLengths, WordsConfig, draw_one_length
from lengthwise.tasks.automaton import Automaton
from lengthwise.tasks.state_maps import IGNORED
from lengthwise.tasks.task import Task
from lengthwise.training.loop import Objective, Step, Validation


class StateLoss(Objective):
    """The state of the smallest automaton after every prefix, including the empty one.

    The true states are written between the symbols; the class follows from the last one.
    """

    def __init__(self, task: Task, words: WordsConfig) -> None:
        self._task = task
        self._words = words
        self._lengths = WordLengths(task, words)
        self._automaton = Automaton(_machine(task.language))

    def step(self, model: nn.Module, data: torch.Generator, noise: torch.Generator) -> Step:
        """Return the cross-entropy averaged over all prefixes of words of one length.

        Accuracy is that of the last state where all states before it are given.
        """
        tokens, states = on_device(model, *self._draw_labelled(data))
        logits = _writing(model).state_logits(tokens, states, generator=noise)
        start = states.new_full((len(states), 1), self._automaton.start)
        loss = F.cross_entropy(logits.flatten(0, 1), torch.cat([start, states], dim=1).flatten())
        return Step(loss, accuracy_of(logits[:, -1], states[:, -1]), len(tokens))

    def validate(self, model: nn.Module, data: torch.Generator) -> Validation:
        """Return loss and accuracy of the class of the word, which the model decodes."""
        lengths = self._lengths.draw(self._words.validation_words, data)
        return validate_answers(model, self._task.draw(lengths, data))

    def _draw_labelled(
        self, data: torch.Generator
    ) -> tuple[Int[Tensor, "word place"], Int[Tensor, "word place"]]:
        """Draw words of one length, with the states after each symbol."""
        batch = draw_one_length(self._task, self._lengths, self._words.batch_size, data)
        return batch.tokens, self._automaton.states(batch.tokens)


def state_classes(language: Language) -> tuple[int, ...]:
    """Return the class of each state that is labelled; `num_classes` outside the domain."""
    return tuple(_machine(language).classes)


def _machine(language: Language) -> Language:
    return language.total().minimise()


class StateTokenLoss(StateLoss):
    """The token of the state after every prefix of words, with states between their symbols."""

    def __init__(
        self, task: Task, words: WordsConfig, *, precision: Literal["single", "double"] = "single"
    ) -> None:
        super().__init__(task, words)
        self._precision = precision
        machine = task.language.total().minimise()
        outside = task.language.num_classes
        self._classes = torch.tensor([c if c < outside else IGNORED for c in machine.classes])

    def step(self, model: nn.Module, data: torch.Generator, noise: torch.Generator) -> Step:
        """Return the cross-entropy averaged over all prefixes of words of one length.

        Accuracy is that of the last state where all states before it are given.
        """
        network = window_scratchpad(model)
        tokens, states = on_device(model, *self._draw_labelled(data))
        start = states.new_full((len(states), 1), self._automaton.start)
        states = torch.cat([start, states], dim=1)
        logits = network.logits(network.contexts(tokens, states).flatten(0, 1))
        loss = state_token_loss(network, logits, states.flatten(), self._classes)
        right = (logits.argmax(dim=2) == network.digits_of(states.flatten())).all(dim=1)
        last = right.view(states.shape)[:, -1]
        return Step(loss, last.double().mean(), len(tokens))

    def validate(self, model: nn.Module, data: torch.Generator) -> Validation:
        """Return loss and accuracy on words of mixed lengths; perfect if exploration closes."""
        lengths = self._lengths.draw(self._words.validation_words, data)
        answers = validate_answers(model, self._task.draw(lengths, data))
        rounded, language = in_precision(model, self._precision), self._task.language
        closure, proved = explore_network(make_window_node(rounded), language)
        wrong = closure.wrong
        figures = {
            "proved": proved,
            "right_to": closure.checked_length,
            "first_wrong": None if wrong is None else language.decode(wrong),
        }
        return Validation(answers.loss, answers.accuracy, proved, more=figures)


def _writing(model: nn.Module) -> Scratchpad:
    lacks = "writes no states down, so it does not learn from objective='states'. Use 'final'."
    return require_kind(model, Scratchpad, lacks)


class States(WordObjective):
    """The state after every prefix, including the empty one."""

    told = "training is given the state of the automaton after every prefix"

    def fits(self, entry: Entry) -> bool:
        """Return whether the network writes states down."""
        return issubclass(entry.config, ScratchpadConfig | WindowScratchpadConfig)

    def shape(
        self, subject: Subject, network: type[NetworkConfig], asked: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """Return the number of states that can be written, or the class of each."""
        if issubclass(network, WindowScratchpadConfig):
            return {"num_states": _machine(subject.language).num_states}
        return {"state_classes": state_classes(subject.language)}

    def loss(self, subject: Subject) -> Objective:
        """Return the cross-entropy of the states, averaged over all prefixes."""
        if isinstance(subject.network, WindowScratchpadConfig):
            return StateTokenLoss(subject.task, subject.words, precision=subject.precision)
        return StateLoss(subject.task, subject.words)


STATES = States()
