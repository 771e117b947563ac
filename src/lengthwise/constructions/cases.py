"""Test cases of constructions: words of a length, or inputs of a circuit, with the right answers.

Axes:
    word    cases of one length
    some    words inside the domain
    time    symbols
    option  classes, or symbols that may come next
"""

from typing import Protocol, runtime_checkable

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from lengthwise.circuits.gate_sequence import GateSequence
from lengthwise.errors import TaskError
from lengthwise.evaluation.evaluate import answer_of
from lengthwise.languages.language import Language
from lengthwise.tasks.audited_draws import one_edit_into, other_classes
from lengthwise.tasks.balance import draw_balanced_classes
from lengthwise.tasks.sampling import UniformSampler

_MOST_SYMBOLS = 1 << 18
"""Largest number of positions computed together, so that memory stays bounded."""


@runtime_checkable
class Cases(Protocol):
    """Test cases by length, and the margin of a network's answer to each."""

    exhaustive_to: int
    """Length up to which all words are cases; -1 if there is none."""

    def lengths(self, longest: int) -> list[int]:
        """Return the lengths with cases, in increasing order."""
        ...

    def at(self, length: int) -> Int[Tensor, "word time"]:
        """Return the cases of a length; every call returns the same."""
        ...

    def margins(self, model: nn.Module, words: Int[Tensor, "word time"]) -> Float[Tensor, " word"]:
        """Return the margin of each answer; negative, or -0.0, where it is wrong."""
        ...

    def write(self, word: tuple[int, ...]) -> str:
        """Write a case as text."""
        ...


class WordCases:
    """Words of a language: all words of short lengths, and samples of every kind at longer ones.

    A sample holds uniform words of each class, words that repeat one symbol, and each of these
    after an edit that changes its class.
    """

    def __init__(
        self, language: Language, all_words: int, words_per_length: int, seed: int
    ) -> None:
        self._language = language
        self._sampler = UniformSampler(language)
        self._automaton = self._sampler.automaton
        self._count, self._seed = words_per_length, seed
        size, self.exhaustive_to = 1, -1
        while size <= all_words and self.exhaustive_to < all_words:
            self.exhaustive_to += 1
            size *= language.num_symbols

    def lengths(self, longest: int) -> list[int]:
        """Return all short lengths, then lengths that grow by a quarter, and the longest."""
        lengths = list(range(min(longest, self.exhaustive_to) + 1))
        while lengths[-1] < longest:
            lengths.append(min(longest, lengths[-1] + max(1, lengths[-1] // 4)))
        near = {n + 1 for n in lengths if self.exhaustive_to < n < longest}  # odd and even
        return [n for n in sorted({*lengths, *near}) if self._sampler.classes_at(n)]

    def at(self, length: int) -> Int[Tensor, "word time"]:
        """Return words of a length, all inside the domain."""
        num_symbols = self._language.num_symbols
        if length <= self.exhaustive_to:
            powers = num_symbols ** torch.arange(length - 1, -1, -1)
            words = torch.arange(num_symbols**length)[:, None] // powers % num_symbols
        elif not self._sampler.classes_at(length):
            return torch.empty((0, length), dtype=torch.int64)
        else:
            generator = torch.Generator().manual_seed(self._seed + length)
            lengths = torch.full((self._count,), length)
            classes = draw_balanced_classes(self._sampler, lengths, generator)
            sampled = self._sampler.draw(classes, lengths, generator)
            same = torch.arange(num_symbols)[:, None].expand(-1, length)
            plain = self._inside(torch.cat([sampled, same]))
            lengths = torch.full((len(plain),), length)
            classes = self._automaton.classify(plain)
            goals = other_classes(self._sampler, classes, lengths, generator)
            edited, _ = one_edit_into(self._automaton, plain, goals, generator)
            words = torch.cat([plain, edited])
        return self._inside(words)

    def _inside(self, words: Int[Tensor, "word time"]) -> Int[Tensor, "some time"]:
        return words[self._automaton.classify(words) < self._language.num_classes]

    def margins(self, model: nn.Module, words: Int[Tensor, "word time"]) -> Float[Tensor, " word"]:
        """Return the logit of the right class minus the largest other logit."""
        right = self._automaton.classify(words)
        size = max(1, _MOST_SYMBOLS // (words.shape[1] + 1))
        logits = torch.cat([model(part).double() for part in torch.split(words, size)])
        return margins(logits, right)

    def write(self, word: tuple[int, ...]) -> str:
        """Write the word as text."""
        return self._language.decode(word)


class CircuitCases:
    """Inputs of a circuit: all of them if there are few, else random inputs and neighbours.

    The decoder predicts every next symbol of the correct sequence. If all predictions are right, it
    also completes the inputs correctly by itself, which is checked for some.
    """

    def __init__(
        self, sequence: GateSequence, all_words: int, words_per_length: int, seed: int
    ) -> None:
        self._sequence = sequence
        self._count, self._seed = words_per_length, seed
        is_small = 2**sequence.num_inputs <= all_words
        self.exhaustive_to = sequence.num_inputs if is_small else -1

    def lengths(self, longest: int) -> list[int]:
        """Return the number of inputs, the only length."""
        return [self._sequence.num_inputs]

    def at(self, length: int) -> Int[Tensor, "word time"]:
        """Return inputs followed by all symbols that they determine."""
        if self.exhaustive_to == length:
            powers = 2 ** torch.arange(length)
            inputs = torch.arange(2**length)[:, None] // powers % 2
        else:
            generator = torch.Generator().manual_seed(self._seed)
            sampled = torch.randint(2, (self._count, length), generator=generator)
            flipped = torch.randint(length, (self._count, 1), generator=generator)
            near = sampled.scatter(1, flipped, 1 - sampled.gather(1, flipped))
            same = torch.arange(2)[:, None].expand(-1, length)
            inputs = torch.cat([sampled, near, same])
        return torch.from_numpy(self._sequence.complete_many(inputs.bool().numpy()))

    def margins(self, model: nn.Module, words: Int[Tensor, "word time"]) -> Float[Tensor, " word"]:
        """Return the least margin of all steps by sequence; -0.0 if the completion is wrong."""
        first = self._sequence.num_inputs
        if first == words.shape[1]:
            raise TaskError("the circuit has no gates, so there is nothing to ask. Add one.")
        size = max(1, _MOST_SYMBOLS // words.shape[1] ** 2)
        least = []
        for part in torch.split(words, size):
            logits = model(part[:, :-1])[:, first - 1 :].double()
            least.append(margins(logits, part[:, first:]).amin(dim=1))
        least_margins = torch.cat(least)
        sample = words[: min(len(words), size)]
        completed = model.complete(sample[:, :first], words.shape[1] - first)  # type: ignore[operator]
        strayed = (completed != sample).any(dim=1)
        least_margins[: len(sample)][strayed & ~is_wrong(least_margins[: len(sample)])] = -0.0
        return least_margins

    def write(self, word: tuple[int, ...]) -> str:
        """Write the inputs as bits."""
        return "".join(map(str, word[: self._sequence.num_inputs]))


def cases_for(
    subject: Language | GateSequence, *, all_words: int, words_per_length: int, seed: int
) -> Cases:
    """Return the test cases of a language or of a circuit."""
    kind = CircuitCases if isinstance(subject, GateSequence) else WordCases
    return kind(subject, all_words, words_per_length, seed)  # type: ignore[arg-type]


def margins(
    logits: Float[Tensor, "*axes option"], right: Int[Tensor, "*axes"]
) -> Float[Tensor, "*axes"]:
    """Return the logit of the right option minus the largest other one; -0.0 for a lost tie.

    The first of equal options wins. NaN logits count as wrong.
    """
    right_logits = logits.gather(-1, right[..., None])
    other_logits = logits.scatter(-1, right[..., None], -torch.inf)
    margin = right_logits[..., 0] - other_logits.amax(dim=-1)
    lost = answer_of(logits) != right
    margin = torch.where(lost & ~(margin < 0), -0.0, margin)
    return torch.where(logits.isnan().any(dim=-1), -torch.inf, margin)


def is_wrong(margin: Float[Tensor, "*axes"]) -> Tensor:
    """Return the mask of wrong answers: the margin is negative, or -0.0."""
    return torch.signbit(margin)
