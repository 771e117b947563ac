"""Words that test whether a hypothesis agrees with a recogniser: shortest, through states, audited.

`distinguishing_suffixes` finds the suffixes that tell the states of an automaton apart.
"""

import random
from collections.abc import Iterator
from itertools import islice
from typing import Any

import torch
from torch import Tensor

from lengthwise.errors import TaskError
from lengthwise.languages.language import Language
from lengthwise.proofs.search.learning import Answers, Word
from lengthwise.tasks.audited_draws import draw_audited, one_edit_into, other_classes
from lengthwise.tasks.sampling import UniformSampler


class WordSource:
    """A source of different random words for tests, determined by seed and hypotheses."""

    def __init__(self, blank: Language, max_length: int, seed: int) -> None:
        self._blank = blank
        self._max_length = max_length
        self._random = random.Random(seed)
        self._generator = torch.Generator().manual_seed(seed)

    def tests(self, hypothesis: Language, number: int) -> list[Word]:
        """Return at most `number` words: the shortest, walks through states, and audited ones."""
        third = number // 3
        shortest = islice(self._blank.words(max_length=self._max_length), third)
        walks = self._walks(hypothesis.total(), hypothesis.num_classes, third)
        audited = self.draw_audited(hypothesis, number - 2 * third)
        return list(dict.fromkeys([*shortest, *walks, *audited]))

    def draw_audited(self, hypothesis: Language, number: int) -> list[Word]:
        """Draw at most `number` words of the domain, of uniform lengths and balanced classes."""
        sampler = UniformSampler(hypothesis)
        word_lengths, _ = self._lengths(sampler, number)
        try:
            tokens, _ = draw_audited(sampler, word_lengths, self._generator)
        except TaskError:  # too many classes and states to count the words of each
            tokens = sampler.draw_any(word_lengths, self._generator)
        return list(dict.fromkeys(_words(tokens, word_lengths)))

    def independent(
        self, hypothesis: Language, number: int
    ) -> tuple[list[Word], tuple[int, int], str]:
        """Draw `number` words like audited ones, but each independently, so some may repeat.

        `draw_audited` balances classes and near misses over a batch, so its words depend on each
        other.
        Return also the shortest and the longest possible length, and a description of the draw.
        """
        sampler, generator = UniformSampler(hypothesis), self._generator
        lengths, ends = self._lengths(sampler, number)
        try:
            classes = torch.tensor(
                [self._random.choice(sampler.classes_at(n)) for n in lengths.tolist()]
            )
            sources = other_classes(sampler, classes, lengths, generator)
            near = (sources != classes) & torch.randint(2, (number,), generator=generator).bool()
            if hypothesis.num_classes == 2:
                near &= classes == 0
            tokens = sampler.draw(classes, lengths, generator)
            starts = sampler.draw(torch.where(near, sources, classes), lengths, generator)
            edited, is_found = one_edit_into(sampler.automaton, starts, classes, generator)
            tokens = torch.where((near & is_found)[:, None], edited, tokens)
        except TaskError:  # too many classes and states to count the words of each
            tokens = sampler.draw_any(lengths, generator)
            return _words(tokens, lengths), ends, "uniform lengths and words"
        return _words(tokens, lengths), ends, "uniform lengths and classes, half near misses"

    def _lengths(self, sampler: UniformSampler, number: int) -> tuple[Tensor, tuple[int, int]]:
        """Draw uniform lengths among those that have words; also their minimum and maximum."""
        lengths = [n for n in range(self._max_length + 1) if sampler.classes_at(n)]
        picked = torch.randint(len(lengths), (number,), generator=self._generator)
        return torch.tensor(lengths)[picked], (lengths[0], lengths[-1])

    def draw_unasked(self, hypothesis: Language, number: int, answers: Answers) -> list[Word]:
        """Draw audited words, and return those that were never asked."""
        return [w for w in self.draw_audited(hypothesis, number) if w not in answers.known]

    def _walks(self, machine: Language, outside: int, number: int) -> Iterator[Word]:
        """Yield words to a random state, then at random, then along a distinguishing suffix.

        The walk stays where words of the domain can still follow, and the suffix ends in one.
        """
        alive = machine.reaching(lambda c: c != outside)
        access = _access_words(machine, alive)
        states = list(access)
        steps = {
            state: [a for a, target in enumerate(machine.transitions[state]) if target in alive]
            for state in states
        }
        suffixes = distinguishing_suffixes(machine)
        ends = {
            state: [w for w in suffixes if machine.classes[machine.run(w, state)] != outside]
            for state in states
        }
        for _ in range(number):
            state = self._random.choice(states)
            word = [*access[state]]
            for _ in range(self._random.randint(0, self._max_length // 2)):
                if not steps[state]:
                    break
                word.append(self._random.choice(steps[state]))
                state = machine.transitions[state][word[-1]]
            if ends[state]:
                yield (*word, *self._random.choice(ends[state]))


def _words(tokens: Tensor, lengths: Tensor) -> list[Word]:
    """Return the words at the right end of rows."""
    rows = zip(tokens.tolist(), lengths.tolist(), strict=True)
    return [tuple(row[len(row) - length :]) for row, length in rows]


def _access_words(machine: Language, allowed: frozenset[int]) -> dict[int, Word]:
    """Return a shortest word to each of the allowed states."""
    words: dict[int, Word] = {machine.start: ()}
    for state in (queue := [machine.start]):
        for symbol, target in enumerate(machine.transitions[state]):
            if target in allowed and target not in words:
                words[target] = (*words[state], symbol)
                queue.append(target)
    return words


def distinguishing_suffixes(machine: Language) -> list[Word]:
    """Return a small set of suffixes that distinguishes all distinguishable states.

    The set is not the smallest, and the domain is ignored. A suffix w is kept if it splits a block
    of states that the kept ones before it leave together, and then every aw is tried. At the end
    no aw splits a block, so states of a block move into the same block, and no longer word can
    split it either.
    """
    suffixes: list[Word] = [()]
    answers = [machine.classes]
    blocks: list[Any] = list(machine.classes)
    for suffix, after in zip(suffixes, answers, strict=False):  # both grow on the way
        for symbol in range(machine.num_symbols):
            values = tuple(after[row[symbol]] for row in machine.transitions)
            number: dict[tuple[int, int], int] = {}
            finer = [number.setdefault(p, len(number)) for p in zip(blocks, values, strict=True)]
            if len(number) > len(set(blocks)):
                blocks = finer
                suffixes.append((symbol, *suffix))
                answers.append(values)
    return suffixes
