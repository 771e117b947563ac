"""The class of the word alone; for any network from tokens to logits.

All lengths are drawn from the start, or a curriculum begins with short words. A network that keeps
codes is trained until its own automaton has settled.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import torch
from torch import nn

from lengthwise.languages.language import Language
from lengthwise.models.binary_recurrent_config import BinaryRecurrentConfig
from lengthwise.models.entry import Entry
from lengthwise.models.regular_gpt_config import RegularGPTConfig
from lengthwise.models.scratchpad import ScratchpadConfig
from lengthwise.models.state_slots_config import StateSlotsConfig
from lengthwise.models.transformer_config import NetworkConfig
from lengthwise.models.window_scratchpad_config import WindowScratchpadConfig
from lengthwise.objectives.answers import class_step, on_device, validate_answers, words_for
from lengthwise.objectives.base import ObjectiveConfig, Subject, Suited, WordObjective
from lengthwise.objectives.curriculum import CurriculumWords
from lengthwise.objectives.fresh_words import FreshWords, OperatorsFirst
from lengthwise.objectives.learning import COMMITMENT, Labels, Learning, Regularised
from lengthwise.objectives.own_automaton import curriculum
from lengthwise.objectives.words import WordLengths, WordsConfig, draw_one_length
from lengthwise.settings import Setting, require
from lengthwise.tasks.task import Batch, Task
from lengthwise.training.loop import Objective, Step, Validation

_OF_STATES = (ScratchpadConfig, WindowScratchpadConfig, StateSlotsConfig)
"""Settings of networks that answer by states, which the class of a word does not tell."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FinalConfig(ObjectiveConfig):
    """Settings of the order of words, and of further terms of the loss."""

    name: str = "final"
    curriculum: Annotated[int, Setting(unit="symbols", least=0)] = 0
    """Greatest length of the first words. It grows by a quarter whenever 98 % of a validation's
    words are right, up to `max_length`. 0: words of all lengths from the start."""
    order: Literal["as-drawn", "operators-first"] = "as-drawn"
    """Which words of a curriculum are learned first. `operators-first`: while words grow, half of a
    step are those with the fewest different symbols among four times as many, so that the effect of
    single symbols is seen before that of many."""
    bits: Literal["straight-through", "soft", "quantised"] = "straight-through"
    """How training takes the bits of binary memory from numbers. `straight-through`: the sign, with
    the gradient of tanh. `soft`: tanh, so that only noise makes codes. `quantised`: the sign, as
    the nearest vector of a codebook, with a commitment loss."""
    anneal: Annotated[int, Setting(unit="batches", least=0)] = 0
    """Number of batches over which the noise of binary memory falls linearly to 0; 0 to keep it."""
    associativity: Annotated[float, Setting(least=0)] = 0.0
    """Weight of the mean squared difference between f(f(a, b), c) and f(a, f(b, c)), where f is the
    composition of a network of trees, and a, b and c are nodes of the batch."""
    identity: Annotated[float, Setting(least=0)] = 0.0
    """Weight of the mean squared difference between f(pad, x) and x, where f is the composition of
    a network of trees, and x are nodes of the batch."""
    closure: Annotated[float, Setting(least=0)] = 0.0
    """Weight of the mean squared distance of upper nodes of a tree and of products of random nodes
    from the nearest nodes of the lower half of the levels, over the variance of these; what is
    above 0.3 counts as 0."""
    closure_after: Annotated[int, Setting(least=0, unit="batches")] = 0
    """Number of batches after which `closure` counts."""
    consensus: Annotated[float, Setting(least=0)] = 0.0
    """Weight of the mean squared distance of products of nodes of a tree from those on which
    associativity agrees, over the variance of nodes. It counts where nodes have settled near at
    most 256 vectors; these and their products are the network's own."""
    consensus_after: Annotated[int, Setting(least=0, unit="batches")] = 0
    """Number of batches after which products are compared for `consensus`; 64 more make the first
    table of them."""

    def __post_init__(self) -> None:
        ObjectiveConfig.__post_init__(self)
        require(
            self.order == "as-drawn" or self.curriculum > 0,
            f"order={self.order!r} needs words that grow in length. Set curriculum=3, say.",
        )
        for name in _DELAYED:
            after = getattr(self, f"{name}_after")
            require(
                getattr(self, name) > 0 or after == 0,
                f"{name}_after={after} needs a weight. Set {name}, such as {name}=1.",
            )


class FinalLoss(Objective):
    """The class of the word alone, on words of all lengths from the start.

    All random numbers of training (noise, randomised positions) come from the generator that the
    model is called with, so that a seed determines a run.
    """

    def __init__(self, task: Task, words: WordsConfig) -> None:
        self._task = task
        self._words = words
        self._lengths = WordLengths(task, words)

    def draw(self, data: torch.Generator) -> Batch:
        """Draw words of one length for one step."""
        return draw_one_length(self._task, self._lengths, self._words.batch_size, data)

    def step(self, model: nn.Module, data: torch.Generator, noise: torch.Generator) -> Step:
        """Return the cross-entropy of the class on words of one length."""
        batch = self.draw(data)
        (tokens,), (classes,) = words_for(model, batch.tokens), on_device(model, batch.classes)
        return class_step(model(tokens, generator=noise), classes)

    def validate(self, model: nn.Module, data: torch.Generator) -> Validation:
        """Return loss and accuracy on words of mixed lengths; perfect if all are right."""
        lengths = self._lengths.draw(self._words.validation_words, data)
        return validate_answers(model, self._task.draw(lengths, data))


class Final(WordObjective):
    """The class of the word alone."""

    settings = FinalConfig
    told = "training is given the class of the whole word"

    def fits(self, entry: Entry) -> bool:
        """Return whether the class of a word tells the network all that it answers by."""
        return not issubclass(entry.config, _OF_STATES)

    def names(self, network: type[NetworkConfig]) -> set[str]:
        """Return all settings but those of binary memory or trees that the network lacks."""
        every = WordObjective.names(self, network)
        if issubclass(network, RegularGPTConfig):
            return every
        return every - (_OF_TREES if issubclass(network, BinaryRecurrentConfig) else _SPECIAL)

    def defaults(
        self, language: Language, preset: str, network: type[NetworkConfig], *, is_named: bool
    ) -> Suited:
        """Return those of recurrent networks with codes, the same for all languages, since the
        learner knows nothing of them."""
        if not issubclass(network, BinaryRecurrentConfig):
            return Suited({})
        return Suited(_GROWING if preset == "smoke" else {**_GROWING, **_NUMBERS})

    def require(self, subject: Subject) -> None:
        """Refuse settings without effect on the network, and terms that would never count."""
        settings, usual = subject.settings, FinalConfig()
        for name in _DELAYED:
            after = getattr(settings, f"{name}_after")
            require(
                after == 0 or after < subject.steps,
                f"{name}_after={after} is not before the last of steps={subject.steps}, so {name} "
                f"would never count. Lower it, or leave out both.",
            )
        if subject.network.has_codes:
            return
        for name in sorted(_OF_BITS):
            value = getattr(settings, name)
            require(
                value == getattr(usual, name),
                f"{name}={value!r} is for binary memory. Leave it out.",
            )

    def loss(self, subject: Subject) -> Objective:
        """Return the cross-entropy of the class, with the terms that have a weight."""
        task, words, settings = subject.task, subject.words, subject.settings
        weights = {name: getattr(settings, name) for name in _TERMS_OF_TREES}
        weights["commitment"] = COMMITMENT if settings.bits == "quantised" else 0.0
        is_plain = (
            settings.bits == "straight-through"
            and not settings.anneal
            and not any(weights.values())
        )
        if is_plain and not settings.curriculum:
            return FinalLoss(task, words)
        learning: Learning = Labels()
        if not is_plain:
            after = {name: getattr(settings, f"{name}_after") for name in _DELAYED}
            learning = Regularised(weights, bits=settings.bits, anneal=settings.anneal, after=after)
        fresh = FreshWords(task, words)
        source: CurriculumWords = fresh
        if settings.order == "operators-first":
            source = OperatorsFirst(fresh, words.batch_size, task.language.num_symbols)
        return curriculum(
            source,
            settings.curriculum or words.max_length,
            subject.network,
            learning=learning,
            precision=subject.precision,
        )


_OF_BITS = {"bits", "anneal"}
_DELAYED = ("closure", "consensus")
_TERMS_OF_TREES = ("associativity", "identity", *_DELAYED)
_OF_TREES = {*_TERMS_OF_TREES, *(f"{name}_after" for name in _DELAYED)}
_SPECIAL = _OF_BITS | _OF_TREES

_GROWING: Mapping[str, Any] = {"curriculum": 3, "min_length": 0, "precision": "double"}
"""Settings of recurrent networks with codes, in every preset."""

_NUMBERS: Mapping[str, Any] = {
    "learning_rate": 3e-3,
    "validation_words": 512,
    "validate_every": 50,
}
"""Their numbers in the presets but `smoke`."""

FINAL = Final()
