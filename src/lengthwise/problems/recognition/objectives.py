"""Objectives of recognition: the class of each word, and labels of its prefixes or parts.

One length is drawn per batch, uniformly from those of `min_length` to `max_length` that have words.
"""

from abc import abstractmethod
from typing import Protocol, runtime_checkable

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from lengthwise.errors import ConfigError, TaskError
from lengthwise.evaluation.evaluate import answer_of
from lengthwise.languages.language import Language
from lengthwise.layers.chunks import ABSENT, Level, Tree, grow
from lengthwise.models.regular_gpt import RegularGPT, roots
from lengthwise.models.scratchpad import Scratchpad
from lengthwise.problems.classification import (
    accuracy_of,
    class_step,
    on_device,
    validate_answers,
    words_for,
)
from lengthwise.problems.recognition.settings import WordsConfig
from lengthwise.tasks.automaton import Automaton
from lengthwise.tasks.state_maps import IGNORED, StateMaps
from lengthwise.tasks.task import Batch, Task
from lengthwise.training.loop import Objective, Step, Validation
from lengthwise.transfer import sent


class WordLengths:
    """Lengths that are drawn uniformly from those in a range at which there are words."""

    def __init__(self, task: Task, words: WordsConfig) -> None:
        task.require_room(words.max_length)
        self.lengths = torch.tensor(task.lengths(words.min_length, words.max_length))
        if not len(self.lengths):
            raise TaskError(
                f"{task.title} has no word of a length in "
                f"{words.min_length}..{words.max_length}. Raise max_length."
            )

    def draw(
        self, count: int, generator: torch.Generator, longest: int | None = None
    ) -> Int[Tensor, " word"]:
        """Return that many lengths, of `longest` at most, each drawn independently."""
        own = self.lengths if longest is None else self.lengths[self.lengths <= longest]
        return own[torch.randint(len(own), (count,), generator=generator)]


class Final(Objective):
    """The class of the word alone; for any model from tokens to logits.

    All random numbers of training (noise, randomised positions) come from the generator that the
    model is called with, so that a seed determines a run.
    """

    def __init__(self, task: Task, words: WordsConfig) -> None:
        self._task = task
        self._words = words
        self._lengths = WordLengths(task, words)

    def draw(self, data: torch.Generator) -> Batch:
        """Draw words of one length for one step."""
        return _draw_one_length(self._task, self._lengths, self._words.batch_size, data)

    def step(self, model: nn.Module, data: torch.Generator, noise: torch.Generator) -> Step:
        """Return the cross-entropy of the class on words of one length."""
        batch = self.draw(data)
        (tokens,), (classes,) = words_for(model, batch.tokens), on_device(model, batch.classes)
        return class_step(model(tokens, generator=noise), classes)

    def validate(self, model: nn.Module, data: torch.Generator) -> Validation:
        """Return loss and accuracy on words of mixed lengths; perfect if all are right."""
        lengths = self._lengths.draw(self._words.validation_words, data)
        return validate_answers(model, self._task.draw(lengths, data))


@runtime_checkable
class AnswersEverywhere(Protocol):
    """A model that reads from left to right, and can answer after every symbol."""

    def every_position(
        self, tokens: Int[Tensor, "word place"], generator: torch.Generator | None = None
    ) -> Float[Tensor, "word place class"]:
        """Return the logits for every prefix."""
        ...


class Prefix(Objective):
    """The class after every prefix; for models that answer at every position."""

    def __init__(self, task: Task, words: WordsConfig) -> None:
        if task.language.domain is not None:
            raise ConfigError(
                f"supervision='prefix' asks for the class of every prefix, but prefixes of "
                f"words of {task.title} can be outside its domain. Use 'transition'."
            )
        self._task = task
        self._words = words
        self._lengths = WordLengths(task, words)
        self._automaton = Automaton(task.language)

    def step(self, model: nn.Module, data: torch.Generator, noise: torch.Generator) -> Step:
        """Return the cross-entropy averaged over all prefixes of words of one length."""
        batch = _draw_one_length(self._task, self._lengths, self._words.batch_size, data)
        targets = self._automaton.prefix_classes(batch.tokens)
        tokens, targets = on_device(model, batch.tokens, targets)
        logits = _answering(model).every_position(tokens, generator=noise)
        loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten())
        return Step(loss, accuracy_of(logits[:, -1], targets[:, -1]), len(tokens))

    def validate(self, model: nn.Module, data: torch.Generator) -> Validation:
        """Return loss and accuracy of the class of the word, as `final` does."""
        lengths = self._lengths.draw(self._words.validation_words, data)
        return validate_answers(model, self._task.draw(lengths, data))


class States(Objective):
    """The state of the smallest automaton after every prefix, including the empty one.

    The true states stand between the symbols; the class follows from the last one.
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
        tokens, states = on_device(model, *self._labelled(data))
        logits = _writing(model).state_logits(tokens, states, generator=noise)
        start = states.new_full((len(states), 1), self._automaton.start)
        loss = F.cross_entropy(logits.flatten(0, 1), torch.cat([start, states], dim=1).flatten())
        return Step(loss, accuracy_of(logits[:, -1], states[:, -1]), len(tokens))

    def validate(self, model: nn.Module, data: torch.Generator) -> Validation:
        """Return loss and accuracy of the class of the word, which the model decodes."""
        lengths = self._lengths.draw(self._words.validation_words, data)
        return validate_answers(model, self._task.draw(lengths, data))

    def _labelled(
        self, data: torch.Generator
    ) -> tuple[Int[Tensor, "word place"], Int[Tensor, "word place"]]:
        """Draw words of one length, with the states after each symbol."""
        batch = _draw_one_length(self._task, self._lengths, self._words.batch_size, data)
        return batch.tokens, self._automaton.states(batch.tokens)


def state_classes(language: Language) -> tuple[int, ...]:
    """Return the class of each state that `states` labels; `num_classes` outside the domain."""
    return tuple(_machine(language).classes)


def _machine(language: Language) -> Language:
    return language.total().minimised()


class _Tree(Objective):
    """Base of objectives about all distinct sub-words that nodes of the tree cover, equally."""

    def __init__(self, task: Task, words: WordsConfig, maps: StateMaps) -> None:
        self._task = task
        self._words = words
        self._lengths = WordLengths(task, words)
        self._maps = maps

    def step(self, model: nn.Module, data: torch.Generator, noise: torch.Generator) -> Step:
        """Return the loss over distinct nodes of words of one length and the empty word."""
        batch = _draw_one_length(self._task, self._lengths, self._words.batch_size, data)
        loss, logits, _ = self._judge(_regular_gpt(model), batch, None, noise)
        return Step(loss, accuracy_of(logits, batch.classes), len(batch.tokens))

    def validate(self, model: nn.Module, data: torch.Generator) -> Validation:
        """Return the same on mixed lengths; perfect if all answers on all nodes are right."""
        batch = self._task.draw(self._lengths.draw(self._words.validation_words, data), data)
        loss, logits, right = self._judge(_regular_gpt(model), batch, batch.lengths, None)
        accuracy = accuracy_of(logits, batch.classes).item()
        return Validation(loss.item(), accuracy, bool(right) and accuracy == 1.0)

    def _judge(
        self,
        model: RegularGPT,
        batch: Batch,
        lengths: Int[Tensor, " word"] | None,
        noise: torch.Generator | None,
    ) -> tuple[Float[Tensor, ""], Float[Tensor, "word class"], Bool[Tensor, ""]]:
        """Return the loss over all nodes, the words' logits, and whether all is right."""
        config = model.config
        tree = _with_empty_word(
            grow(batch.tokens, lengths, config.vocab_size, config.chunk), config.chunk
        )
        maps = torch.cat(self._maps.of_levels([level.children for level in tree.levels]))
        tree = tree.to(model.pad.device)
        vectors = model.nodes(tree, noise)
        loss, right = self._loss(model, torch.cat(vectors), maps)
        return loss, model.read(roots(tree, vectors)), right

    @abstractmethod
    def _loss(
        self, model: RegularGPT, vectors: Float[Tensor, "node width"], maps: Int[Tensor, "node s"]
    ) -> tuple[Float[Tensor, ""], Bool[Tensor, ""]]:
        """Return the loss over nodes with these vectors and maps, and whether all is right."""

    def _classes(
        self, model: RegularGPT, vectors: Float[Tensor, "node width"], maps: Int[Tensor, "node s"]
    ) -> tuple[Float[Tensor, ""], Bool[Tensor, ""]]:
        return _answers(model.read(vectors), self._maps.classes(maps))


class Nodes(_Tree):
    """The class of every sub-word, each taken as a word."""

    def _loss(
        self, model: RegularGPT, vectors: Float[Tensor, "node width"], maps: Int[Tensor, "node s"]
    ) -> tuple[Float[Tensor, ""], Bool[Tensor, ""]]:
        return self._classes(model, vectors, maps)


class Transitions(_Tree):
    """The class of every sub-word, and the state that it leads to from each probe state."""

    def _loss(
        self, model: RegularGPT, vectors: Float[Tensor, "node width"], maps: Int[Tensor, "node s"]
    ) -> tuple[Float[Tensor, ""], Bool[Tensor, ""]]:
        loss, right = self._classes(model, vectors, maps)
        targets = self._maps.transitions(maps)
        logits = model.read_transition(vectors).view(*targets.shape, -1)
        more, also = _answers(logits.flatten(0, 1), targets.flatten())
        return loss + more, right & also


def transition_size(maps: StateMaps) -> int:
    """Return the size of the read-out that `transition` trains: a logit per probe and state."""
    return len(maps.probes) * maps.machine.num_states


def _draw_one_length(
    task: Task, lengths: WordLengths, count: int, generator: torch.Generator
) -> Batch:
    return task.draw(lengths.draw(1, generator).expand(count).clone(), generator)


def _with_empty_word(tree: Tree, chunk: int) -> Tree:
    """Return the tree with a further node on its first level: the empty word.

    Every word follows the empty word.
    """
    first, *rest = tree.levels
    empty = first.children.new_full((1, chunk), ABSENT)
    first = Level(children=torch.cat([first.children, empty]), positions=first.positions)
    return Tree(levels=(first, *rest), root_level=tree.root_level, root=tree.root)


def _answers(
    logits: Float[Tensor, "node class"], targets: Int[Tensor, " node"]
) -> tuple[Float[Tensor, ""], Bool[Tensor, ""]]:
    """Return the mean cross-entropy over the labelled nodes, and whether all answers are right."""
    loss = masked_cross_entropy(logits, targets)  # looks at targets, so before they are moved
    targets = sent(targets, logits.device)
    right = (answer_of(logits) == targets) | (targets == IGNORED)
    return loss, right.all()


def masked_cross_entropy(
    logits: Float[Tensor, "node class"], targets: Int[Tensor, " node"]
) -> Float[Tensor, ""]:
    """Return the mean cross-entropy over the labelled nodes; 0 if there is none."""
    if not (targets != IGNORED).any():
        return logits.sum() * 0.0
    return F.cross_entropy(logits, sent(targets, logits.device), ignore_index=IGNORED)


def _answering(model: nn.Module) -> AnswersEverywhere:
    if not isinstance(model, AnswersEverywhere):
        raise ConfigError(
            f"{type(model).__name__} answers at the end of a word only, so it does not learn from "
            f"supervision='prefix'. Use 'final'."
        )
    return model


def _writing(model: nn.Module) -> Scratchpad:
    if not isinstance(model, Scratchpad):
        raise ConfigError(
            f"{type(model).__name__} writes no states down, so it does not learn from "
            f"supervision='states'. Use 'final'."
        )
    return model


def _regular_gpt(model: nn.Module) -> RegularGPT:
    if not isinstance(model, RegularGPT):
        raise ConfigError(
            f"{type(model).__name__} has no vectors of sub-words, so it learns from "
            f"supervision='final' or 'prefix' only."
        )
    return model
