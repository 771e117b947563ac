"""Labels of whole words alone: the words of a language as those of a curriculum over lengths."""

import torch
from jaxtyping import Int
from torch import Tensor

from lengthwise.models.binary_recurrent_config import BinaryRecurrentConfig
from lengthwise.models.regular_gpt_config import RegularGPTConfig
from lengthwise.models.transformer_config import NetworkConfig
from lengthwise.problems.base import Plan
from lengthwise.problems.curriculum import WordSource
from lengthwise.problems.learning import COMMITMENT, Labels, Learning, Regularised
from lengthwise.problems.own_automaton import curriculum
from lengthwise.problems.recognition.objectives import Final, WordLengths
from lengthwise.problems.recognition.settings import SupervisionConfig, WordsConfig
from lengthwise.settings import require
from lengthwise.tasks.task import Batch, Task
from lengthwise.training.loop import Objective

_DRAWN = 4
"""Number of words that are drawn for each that is kept, where those with few symbols are."""


class FreshWords:
    """Fresh words of a task for a curriculum; those of one step have one length."""

    def __init__(self, task: Task, words: WordsConfig) -> None:
        self._task = task
        self._words = words
        self._lengths = WordLengths(task, words)

    @property
    def lengths(self) -> Int[Tensor, " length"]:
        """The lengths of words, ascending."""
        return self._lengths.lengths

    def step(self, longest: int, generator: torch.Generator) -> Batch:
        """Draw the words of a step."""
        return self.of_one_length(longest, self._words.batch_size, generator)

    def of_one_length(self, longest: int, count: int, generator: torch.Generator) -> Batch:
        """Draw so many words of one length, of `longest` symbols at most."""
        length = self._lengths.draw(1, generator, longest)
        return self._task.draw(length.expand(count).clone(), generator)

    def review(self, longest: int, generator: torch.Generator) -> Batch:
        """Draw fresh words of mixed lengths."""
        return self.validation(longest, generator)

    def validation(self, longest: int, generator: torch.Generator) -> Batch:
        """Draw fresh words of mixed lengths."""
        lengths = self._lengths.draw(self._words.validation_words, generator, longest)
        return self._task.draw(lengths, generator)


class OperatorsFirst:
    """Fresh words for a curriculum; while words grow, half of them have few different symbols.

    A symbol is an operator on states, so words with one symbol show what it does, and words with
    many how operators compose. For half of a step `_DRAWN` times as many words are drawn, and those
    with the fewest different symbols are kept. At the greatest length words are as they are drawn.
    """

    def __init__(self, words: FreshWords, batch_size: int, num_symbols: int) -> None:
        self._words = words
        self._batch_size = batch_size
        self._num_symbols = num_symbols

    @property
    def lengths(self) -> Int[Tensor, " length"]:
        """The lengths of words, ascending."""
        return self._words.lengths

    def step(self, longest: int, generator: torch.Generator) -> Batch:
        """Draw the words of a step."""
        if longest >= int(self.lengths[-1]):
            return self._words.step(longest, generator)
        few = self._batch_size // 2
        rest = self._batch_size - few
        drawn = self._words.of_one_length(longest, rest + _DRAWN * few, generator)
        seen = torch.zeros(len(drawn.tokens), self._num_symbols, dtype=torch.int64)
        different = seen.scatter_(1, drawn.tokens, 1).sum(dim=1)
        ranked = rest + different[rest:].argsort(stable=True)
        kept = torch.cat([torch.arange(rest), ranked[:few]])
        return Batch(
            tokens=drawn.tokens[kept], lengths=drawn.lengths[kept], classes=drawn.classes[kept]
        )

    def review(self, longest: int, generator: torch.Generator) -> Batch:
        """Draw fresh words of mixed lengths."""
        return self._words.review(longest, generator)

    def validation(self, longest: int, generator: torch.Generator) -> Batch:
        """Draw fresh words of mixed lengths."""
        return self._words.validation(longest, generator)


def labels_alone(task: Task, plan: Plan) -> Objective:
    """Return the objective of `final`: with a curriculum, or on words of all lengths from the
    start. A network that keeps codes is trained until its own automaton has settled."""
    words, told = plan.data, plan.objective
    weights = {name: getattr(told, name) for name in _TERMS_OF_TREES}
    weights["commitment"] = COMMITMENT if told.bits == "quantised" else 0.0
    is_plain = told.bits == "straight-through" and not told.anneal and not any(weights.values())
    if is_plain and not words.curriculum:
        return Final(task, words)
    learning: Learning = Labels()
    if not is_plain:
        after = {name: getattr(told, f"{name}_after") for name in _DELAYED}
        learning = Regularised(weights, bits=told.bits, anneal=told.anneal, after=after)
    fresh = FreshWords(task, words)
    source: WordSource = fresh
    if words.order == "operators-first":
        source = OperatorsFirst(fresh, words.batch_size, task.language.num_symbols)
    return curriculum(
        source,
        words.curriculum or words.max_length,
        plan.network,
        learning=learning,
        precision=plan.training.precision,
    )


def require_labels_alone(
    words: WordsConfig, labels: SupervisionConfig, network: NetworkConfig, steps: int
) -> None:
    """Refuse settings of learning from labels alone for what has no use of them.

    `steps` is the number of batches of training.

    Raises:
        ConfigError: there is one.
    """
    told = labels.supervision
    require(
        told == "final" or not words.curriculum,
        f"curriculum={words.curriculum} is for supervision='final', but supervision="
        f"{told!r}. Use final, or curriculum=0.",
    )
    for name in _DELAYED:
        after = getattr(labels, f"{name}_after")
        require(
            getattr(labels, name) > 0 or after == 0,
            f"{name}_after={after} needs a weight. Set {name}, such as {name}=1.",
        )
        require(
            after == 0 or after < steps,
            f"{name}_after={after} is not before the last of steps={steps}, so {name} would never "
            f"count. Lower it, or leave out both.",
        )
    usual, useless = SupervisionConfig(), useless_terms(type(network))
    if not network.has_codes:
        useless = useless | _OF_BITS
    for name in sorted(_OF_BITS | _OF_TREES):
        value, needed = getattr(labels, name), _NEEDED[name in _OF_TREES]
        require(
            value == getattr(usual, name) or (told == "final" and name not in useless),
            f"{name}={value!r} is for supervision='final' and {needed}. Leave it out.",
        )


_OF_BITS = {"bits", "anneal"}
_DELAYED = ("closure", "consensus")
_TERMS_OF_TREES = ("associativity", "identity", *_DELAYED)
_OF_TREES = {*_TERMS_OF_TREES, *(f"{name}_after" for name in _DELAYED)}

_NEEDED = ("binary memory", "a network of trees, such as regular-gpt")


def useless_terms(network: type[NetworkConfig]) -> set[str]:
    """Return the settings of terms that networks of this kind have no use of."""
    if issubclass(network, RegularGPTConfig):
        return set()
    return _OF_TREES if issubclass(network, BinaryRecurrentConfig) else _OF_TREES | _OF_BITS
