"""Training that ends with a proof: products of the monoid, and replay of what exploration finds.

The loss has three parts, each about nodes rather than words:

- *compositions* (`tasks.compositions`): the state maps of the parts of nodes are drawn uniformly
  from all state maps of sub-words, so that rare products are learned, too;
- *code consistency*: the numbers before the sign are drawn to the signs that most nodes of the same
  meaning have, and away from 0;
- *hard-example replay*: at every validation the codes that the model can reach are explored
  (`proofs.search.closure`), and chunks on which it is wrong, ambiguous or unsure are replayed until
  the next one.

Validation is perfect when the exploration closes: the model is right on words of every length.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Any

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from lengthwise.device_copies import send
from lengthwise.errors import ConfigError, VerificationError
from lengthwise.evaluation.evaluate import answer_of
from lengthwise.languages.distinct_rows import distinct_rows
from lengthwise.languages.elements import MonoidElements
from lengthwise.languages.language import Language
from lengthwise.layers.chunks import ABSENT
from lengthwise.layers.memory import BinaryMemory
from lengthwise.models.regular_gpt import RegularGPT
from lengthwise.models.transformer_config import NetworkConfig
from lengthwise.objectives.answers import masked_cross_entropy, validate_answers
from lengthwise.objectives.base import ObjectiveConfig, Subject, lengths_of
from lengthwise.objectives.node import TreeObjective, transition_size
from lengthwise.objectives.sizes import (
    MOST_COMPOSED,
    MOST_LABELLED,
    num_elements,
    require_codes,
    require_few_elements,
)
from lengthwise.objectives.words import WordLengths, WordsConfig
from lengthwise.proofs.check.arrays import Integers
from lengthwise.proofs.search.binary_algebra import BinaryAlgebra
from lengthwise.proofs.search.closure import Closure, Level, Pairs, explore
from lengthwise.proofs.search.network import node_of
from lengthwise.settings import Setting
from lengthwise.tasks.compositions import Composed, Compositions
from lengthwise.tasks.state_maps import IGNORED, StateMaps, state_maps
from lengthwise.tasks.task import Task
from lengthwise.training.loop import Objective, Step, Validation

_MOST_CHUNKS = 300_000
"""Greatest number of chunks of one level that are explored in training, to save time."""

_MOST_REPLAYED = 512

_LONGEST_WRITTEN = 1_000
"""Greatest number of symbols of a wrong word in the records."""


@dataclass(frozen=True, slots=True)
class Replay:
    """Chunks of codes, and the state maps of the sub-words that they stand for."""

    codes: Bool[Tensor, "code bit"]
    children: Int[Tensor, "node chunk"]
    """Indices of codes, or `ABSENT`."""
    maps: Int[Tensor, "node state"]
    """State maps; at the edge only the image of the start state counts."""
    at_edge: Bool[Tensor, " node"]
    is_labelled: Bool[Tensor, " node"]
    """True where `maps` counts; the others only have to be sure, with any answer."""
    length: int
    """Length of the longest sub-word that a chunk can stand for, in symbols; 0 without replay."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CompositionConfig(ObjectiveConfig):
    """Settings of the weights of the loss, and of replay."""

    name: str = "composition"
    code_consistency: Annotated[float, Setting(least=0)] = 1.0
    """Weight of the loss that draws the numbers of all nodes of one meaning to one code."""
    margin: Annotated[float, Setting(least=0)] = 0.1
    """Weight of the loss on numbers that are near 0."""
    replay: bool = True
    """Hard-example replay: chunks that validation finds wrong are drawn more often."""


class CompositionLoss(Objective):
    """Compositions drawn uniformly, replay from exploration, and one code for each meaning.

    Raises:
        ConfigError: the model has no binary memory.
    """

    def __init__(
        self, task: Task, words: WordsConfig, settings: CompositionConfig, maps: StateMaps
    ) -> None:
        self._task = task
        self._words = words
        self._settings = settings
        self._maps = maps
        self._lengths = WordLengths(task, words)
        self._compositions: Compositions | None = None
        self._met = torch.empty((0, 0), dtype=torch.int64)
        self._replay: Replay | None = None

    def step(self, model: nn.Module, data: torch.Generator, noise: torch.Generator) -> Step:
        """Return cross-entropy of state maps and classes, with code consistency and margin."""
        model, memory = binary(model)
        if self._replay is None:  # depends on the weights only, so a resumed run has the same
            model.eval()
            _, self._replay = self._explore(model)
            model.train()
        composed = self._draw(model, data)
        replay = self._replay
        vectors_before = torch.cat(
            [*_compose(model, memory, composed, noise), _recall(model, memory, replay, noise)]
        )
        parts = (
            [len(composed.maps), len(replay.maps)] if len(replay.maps) else [len(vectors_before)]
        )
        maps = torch.cat([composed.maps, replay.maps])
        at_edge = torch.cat([composed.at_edge, replay.at_edge])
        labelled = torch.cat([torch.ones(len(composed.maps), dtype=torch.bool), replay.is_labelled])
        states, classes = self._targets(maps, at_edge, labelled)
        numbers, vectors = memory.numbers(vectors_before), memory(vectors_before, noise)
        logits, answers = model.read(vectors), model.read_transition(vectors)
        loss = numbers.new_zeros(())
        batches = (torch.split(tensor, parts) for tensor in (logits, classes, answers, states))
        for own_logits, own_classes, own_answers, own_states in zip(*batches, strict=True):
            loss = loss + masked_cross_entropy(own_logits, own_classes)
            by_probe = own_answers.view(*own_states.shape, -1)
            loss = loss + masked_cross_entropy(by_probe.flatten(0, 1), own_states.flatten())
        lack = F.relu(1.0 - numbers.abs()).amax(dim=1).mean()
        rows = send(labelled.nonzero()[:, 0], numbers.device)
        consistency = _code_consistency(numbers[rows], _meanings(maps, at_edge)[labelled])
        loss = loss + self._settings.margin * lack + self._settings.code_consistency * consistency
        is_labelled = classes != IGNORED
        right = (answer_of(logits).cpu() == classes)[is_labelled]
        return Step(
            loss, right.double().mean() if len(right) else torch.ones(()), len(composed.maps)
        )

    def validate(self, model: nn.Module, data: torch.Generator) -> Validation:
        """Return loss and accuracy on words of mixed lengths; perfect if exploration closes."""
        lengths = self._lengths.draw(self._words.validation_words, data)
        answers = validate_answers(model, self._task.draw(lengths, data))
        figures, self._replay = self._explore(binary(model)[0])
        return Validation(answers.loss, answers.accuracy, figures["proved"], more=figures)

    def tensors(self) -> dict[str, Tensor]:
        """Return the state maps met so far, in order, since draws depend on it."""
        return {"met": self._met if self._compositions is None else self._compositions.met}

    def restore(self, tensors: Mapping[str, Tensor]) -> None:
        """Restore the order of state maps."""
        self._met = tensors["met"]

    def _format_word(self, word: tuple[int, ...] | None) -> str | None:
        if word is None or len(word) > _LONGEST_WRITTEN:
            return None
        return self._task.language.decode(word)

    def _targets(
        self, maps: Int[Tensor, "node state"], at_edge: Tensor, labelled: Tensor
    ) -> tuple[Int[Tensor, "node probe"], Int[Tensor, " node"]]:
        """Return the states after each probe, and the classes; `IGNORED` if unlabelled."""
        states, classes = self._maps.transitions(maps), self._maps.classes(maps)
        states[at_edge, 1:] = IGNORED  # the first probe is the start state
        states[~labelled] = classes[~labelled] = IGNORED
        return states, classes

    def _draw(self, model: RegularGPT, generator: torch.Generator) -> Composed:
        if self._compositions is None:
            self._compositions = Compositions(
                self._task.language,
                model.config.chunk_size,
                self._words.max_length,
                2 * self._words.batch_size,
            )
            self._compositions.meet(self._met)
        return self._compositions.draw(generator)

    def _explore(self, model: RegularGPT) -> tuple[dict[str, Any], Replay]:
        algebra = BinaryAlgebra(node_of(model))
        try:
            closure = explore(algebra, self._task.language, max_chunks=_MOST_CHUNKS)
        except VerificationError:  # more codes than chunks of this size distinguish
            closure = Closure((), MonoidElements(self._task.language), algebra.chunk_size)
        figures = {
            "proved": closure.repeats is not None and algebra.is_certain,
            "right_to": closure.checked_length,
            "first_wrong": self._format_word(closure.wrong),
            "codes": len(algebra.codes),
            "room": round(algebra.signs.room, 4),
        }
        most = _MOST_REPLAYED if self._settings.replay else 0
        replay = replay_of(closure, algebra, self._maps, most)
        return {**figures, "lesson_length": replay.length}, replay


def _compose(
    model: RegularGPT, memory: BinaryMemory, composed: Composed, noise: torch.Generator
) -> list[Float[Tensor, "_ width"]]:
    """Return the output of the block for nodes, level by level from the vectors in memory."""
    below = model.leaf(torch.arange(model.config.vocab_size, device=model.pad.device))
    outputs = []
    for children in composed.levels:
        outputs.append(model.gather(below, send(children, model.pad.device), noise))
        below = memory(outputs[-1], noise)
    return outputs


def _recall(
    model: RegularGPT, memory: BinaryMemory, replay: Replay, noise: torch.Generator
) -> Float[Tensor, "node width"]:
    """Return the output of the block for the chunks of codes that are replayed."""
    below = memory.recall(send(replay.codes, model.pad.device))
    return model.gather(below, send(replay.children, model.pad.device), noise)


def replay_of(closure: Closure, algebra: BinaryAlgebra, maps: StateMaps, most: int) -> Replay:
    """Return the chunks at fault in an exploration, `most` at most.

    Two kinds of chunks are at fault. The first are sub-words whose code already stands for
    something else, on the first level that has any (above it the parts themselves are at fault, and
    their labels would contradict each other). The second are chunks with a sign that is not
    certain.
    """
    start, num_states = maps.machine.start, maps.machine.num_states
    labelled = np.empty((0, algebra.chunk_size), dtype=np.int64)
    meanings = np.empty((0, num_states), dtype=np.int64)
    at_edge = np.empty(0, dtype=np.bool_)
    seen = {False: np.empty((0, 2), dtype=np.int64), True: np.empty((0, 2), dtype=np.int64)}
    length = 0
    for number, (below, level) in enumerate(pairwise(closure.levels[1:]), start=2):
        for pairs, outer in ((level.interior, False), (level.edge, True)):
            rows, seen[outer] = _contradicting(pairs, seen[outer])
            meaning = np.zeros((len(rows), num_states), dtype=np.int64)
            if outer:
                meaning[:, start] = pairs.states[rows]
            else:
                meaning = closure.elements.maps[pairs.states[rows]]
            labelled = np.concatenate([labelled, _elements_of(pairs.children[rows], below, outer)])
            meanings = np.concatenate([meanings, meaning])
            at_edge = np.concatenate([at_edge, np.full(len(rows), outer)])
        if len(labelled):
            length = algebra.chunk_size**number
            break
    labelled, meanings, at_edge = labelled[:most], meanings[:most], at_edge[:most]
    unsure = algebra.unsure[: most - len(labelled)]
    if len(unsure):
        length = algebra.chunk_size ** len(closure.levels)
    none = np.zeros((len(unsure), num_states), dtype=np.int64)
    count = len(labelled) + len(unsure)
    return Replay(
        codes=torch.from_numpy(algebra.codes),
        children=torch.from_numpy(np.concatenate([labelled, unsure])),
        maps=torch.from_numpy(np.concatenate([meanings, none])),
        at_edge=torch.from_numpy(np.concatenate([at_edge, np.zeros(len(unsure), dtype=np.bool_)])),
        is_labelled=torch.arange(count) < len(labelled),
        length=length if count else 0,
    )


def _contradicting(pairs: Pairs, seen: Integers) -> tuple[Integers, Integers]:
    """Return pairs whose element has several meanings, here or before, and all meanings.

    The second array has all (element, meaning) so far.
    """
    own_pairs = np.stack([pairs.elements, pairs.states], axis=1)
    seen = distinct_rows(np.concatenate([seen, own_pairs])).rows
    elements, counts = np.unique(seen[:, 0], return_counts=True)
    return np.flatnonzero(np.isin(pairs.elements, elements[counts > 1])), seen


def _elements_of(children: Integers, below: Level, at_edge: bool) -> Integers:
    """Return children that are pairs of the level below as elements of the algebra."""
    rows, columns = np.nonzero(children != ABSENT)
    first = (children != ABSENT).argmax(axis=1)
    outer = at_edge & (columns == first[rows])
    result = children.copy()
    for part, pairs in ((outer, below.edge), (~outer, below.interior)):
        result[rows[part], columns[part]] = pairs.elements[children[rows[part], columns[part]]]
    return result


def _meanings(maps: Int[Tensor, "node state"], at_edge: Bool[Tensor, " node"]) -> Tensor:
    """Return a number for each node, the same for nodes with the same meaning."""
    rows = torch.cat([at_edge[:, None].long(), maps], dim=1)
    return torch.from_numpy(distinct_rows(rows.numpy()).inverse)


def _code_consistency(
    numbers: Float[Tensor, "node bit"], meaning: Int[Tensor, " node"]
) -> Float[Tensor, ""]:
    """Return the mean squared distance of tanh(numbers) to the signs of their meanings.

    The signs of a meaning are those of the mean over all nodes that have it.
    """
    soft = numbers.tanh()
    meaning = send(meaning, numbers.device)
    sums = soft.new_zeros(int(meaning.max()) + 1, soft.shape[1]).index_add_(0, meaning, soft)
    target = torch.where(sums >= 0, 1.0, -1.0).to(soft)
    return (soft - target[meaning]).square().mean()


def binary(model: nn.Module) -> tuple[RegularGPT, BinaryMemory]:
    """Return a model with binary memory, and its memory.

    Raises:
        ConfigError: it has none.
    """
    if not isinstance(model, RegularGPT) or not isinstance(model.memory, BinaryMemory):
        raise ConfigError(
            "objective='composition' and 'codebook' are about codes, but the memory is not "
            "binary. Use model regular-gpt-binary, or objective='transition'."
        )
    return model, model.memory


class Composition(TreeObjective):
    """What sub-words do to the states of the automaton, so that every product occurs."""

    settings = CompositionConfig
    told = (
        "training is given what every sub-word of the model's tree does to the states of the "
        "automaton, for sub-words composed so that every product occurs, until a proof closes"
    )

    def fallback(self, language: Language) -> str:
        """Return `codebook` from 33 elements on, as codes that the network finds close late or
        never; "" for more than 1,000, whose chunks are too many to label; and `transition` where
        elements are too many to tell apart."""
        count = num_elements(language)
        if count is None:
            return "transition"
        return "codebook" if MOST_COMPOSED < count <= MOST_LABELLED else ""

    def shape(
        self, subject: Subject, network: type[NetworkConfig], asked: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """Return the size of the second read-out."""
        return {"transition_size": transition_size(state_maps(subject.language))}

    def require(self, subject: Subject) -> None:
        """Refuse too many elements to tell apart, and memory without codes."""
        require_few_elements(subject.language, subject.settings.name)
        require_codes(subject)

    def loss(self, subject: Subject) -> Objective:
        """Return the loss of compositions, codes and replay."""
        maps = state_maps(subject.language)
        return CompositionLoss(subject.task, subject.words, subject.settings, maps)

    def labels(self, subject: Subject) -> str:
        """Return a few words for the compositions that are drawn."""
        return f"compositions of sub-words, {lengths_of(subject.words)}"


COMPOSITION = Composition()
