"""The class of every sub-word that a node of a network's tree covers."""

from abc import abstractmethod

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from lengthwise.device_copies import send
from lengthwise.evaluation.evaluate import answer_of
from lengthwise.layers.chunks import ABSENT, ChunkLevel, Tree, grow
from lengthwise.models.entry import Entry
from lengthwise.models.regular_gpt import RegularGPT, roots
from lengthwise.models.regular_gpt_config import RegularGPTConfig
from lengthwise.objectives.answers import accuracy_of, masked_cross_entropy, require_kind
from lengthwise.objectives.base import Subject, WordObjective
from lengthwise.objectives.words import WordLengths, WordsConfig, draw_one_length
from lengthwise.tasks.state_maps import IGNORED, StateMaps, state_maps
from lengthwise.tasks.task import Batch, Task
from lengthwise.training.loop import Objective, Step, Validation


class TreeLoss(Objective):
    """Base of objectives about all distinct sub-words that nodes of the tree cover, equally."""

    def __init__(self, task: Task, words: WordsConfig, maps: StateMaps) -> None:
        self._task = task
        self._words = words
        self._lengths = WordLengths(task, words)
        self._maps = maps

    def step(self, model: nn.Module, data: torch.Generator, noise: torch.Generator) -> Step:
        """Return the loss over distinct nodes of words of one length and the empty word."""
        batch = draw_one_length(self._task, self._lengths, self._words.batch_size, data)
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
            grow(batch.tokens, lengths, config.vocab_size, config.chunk_size), config.chunk_size
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
        return answers_at_nodes(model.read(vectors), self._maps.classes(maps))


class NodeLoss(TreeLoss):
    """The class of every sub-word, each taken as a word."""

    def _loss(
        self, model: RegularGPT, vectors: Float[Tensor, "node width"], maps: Int[Tensor, "node s"]
    ) -> tuple[Float[Tensor, ""], Bool[Tensor, ""]]:
        return self._classes(model, vectors, maps)


def _with_empty_word(tree: Tree, chunk_size: int) -> Tree:
    """Return the tree with a further node on its first level: the empty word.

    Every word follows the empty word.
    """
    first, *rest = tree.levels
    empty = first.children.new_full((1, chunk_size), ABSENT)
    first = ChunkLevel(children=torch.cat([first.children, empty]), positions=first.positions)
    return Tree(levels=(first, *rest), root_level=tree.root_level, root=tree.root)


def answers_at_nodes(
    logits: Float[Tensor, "node class"], targets: Int[Tensor, " node"]
) -> tuple[Float[Tensor, ""], Bool[Tensor, ""]]:
    """Return the mean cross-entropy over the labelled nodes, and whether all answers are right."""
    loss = masked_cross_entropy(logits, targets)  # looks at targets, so before they are moved
    targets = send(targets, logits.device)
    right = (answer_of(logits) == targets) | (targets == IGNORED)
    return loss, right.all()


def _regular_gpt(model: nn.Module) -> RegularGPT:
    lacks = "has no vectors of sub-words, so it learns from objective='final' or 'prefix' only."
    return require_kind(model, RegularGPT, lacks)


def transition_size(maps: StateMaps) -> int:
    """Return the size of the read-out that its labels train: a logit per probe and state."""
    return len(maps.probes) * maps.machine.num_states


class TreeObjective(WordObjective):
    """Base of objectives about the vectors of sub-words."""

    def fits(self, entry: Entry) -> bool:
        """Return whether the network is a tree whose nodes have vectors of sub-words."""
        return issubclass(entry.config, RegularGPTConfig)


class NodeLabels(TreeObjective):
    """The class of every sub-word that a node covers."""

    told = "training is given the class of every sub-word that the model's tree covers"

    def loss(self, subject: Subject) -> Objective:
        """Return the cross-entropy averaged over all distinct nodes."""
        return NodeLoss(subject.task, subject.words, state_maps(subject.language))


NODE = NodeLabels()
