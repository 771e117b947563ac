"""What the classes of words of one label mean, by their definitions."""

import itertools
import random
from collections.abc import Callable, Iterable

from inference.samples import sample_of
from lengthwise.inference.sample import Sample
from lengthwise.languages.language import Language

Word = tuple[int, ...]

SHORT = [word for n in range(7) for word in itertools.product((0, 1), repeat=n)]
"""All words of up to six symbols."""


def windows(word: Word, size: int) -> set[Word]:
    """Return the windows of a word between two marks; the whole, if it is shorter."""
    marked = (-1, *word, -1)
    if len(marked) <= size:
        return {marked}
    return {marked[at : at + size] for at in range(len(marked) - size + 1)}


def local(words: Iterable[Word], size: int) -> set[Word]:
    """Return the short words all of whose windows occur in some of the words."""
    seen = set[Word]().union(*(windows(word, size) for word in words))
    return {word for word in SHORT if windows(word, size) <= seen}


def beginnings(words: Iterable[Word]) -> list[Word]:
    """Return all beginnings of words."""
    return sorted({word[:at] for word in words for at in range(len(word) + 1)})


def list_accepted(language: Language) -> set[Word]:
    """Return the short words of a language."""
    return {word for word in SHORT if language.classify(word) == 1}


def is_reversible(language: Language, level: int) -> bool:
    """Return whether two states with the same `level` symbols before them, both of which some
    ending completes, are always one."""
    machine = language.minimise()
    alive = machine.reaching(lambda c: c == 1)
    ends = {q: {z for z in SHORT if machine.classes[machine.run(z, q)] == 1} for q in alive}
    for leader in itertools.product(range(machine.num_symbols), repeat=level):
        reached = {machine.run(leader, q) for q in machine.reachable()} & set(alive)
        for one, other in itertools.combinations(sorted(reached), 2):
            if ends[one] & ends[other]:
                return False
    return True


Rule = Callable[[Word], bool]

RULES: dict[str, Rule] = {
    "2-testable": lambda word: (1, 1) not in itertools.pairwise(word),
    "3-testable": lambda word: (0, 0, 0) not in zip(word, word[1:], word[2:], strict=False),
    "0-reversible": lambda word: sum(word) % 2 == 0,
}


def words_of(rule: Rule, count: int = 600) -> tuple[Sample, Sample]:
    """Return words of training and of validation that a rule accepts."""
    draw = random.Random(5)
    words = {tuple(draw.choices((0, 1), k=draw.randint(0, 12))) for _ in range(20 * count)}
    there = sorted(filter(rule, words))
    draw.shuffle(there)
    parts = there[20:count], there[:20]
    train, valid = (sample_of(part, [1] * len(part)) for part in parts)
    return train, valid
