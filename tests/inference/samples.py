"""Labelled words by hand and drawn, and all small machines."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from hypothesis import strategies as st

from lengthwise.inference.sample import Sample
from lengthwise.inference.searcher import AttemptLostError
from lengthwise.languages.language import Language
from lengthwise.tasks.sampling import UniformSampler

Word = tuple[int, ...]

EVERY = [word for n in range(5) for word in itertools.product((0, 1), repeat=n)]
"""All words up to length 4, which tell machines of 3 states apart."""


def sample_of(words: Sequence[Word], classes: Sequence[int], symbols: int = 2) -> Sample:
    return Sample.of_words(words, classes, symbols, 2)


def machine(moves: Sequence[Sequence[int]], classes: Sequence[int]) -> Language:
    return Language(
        alphabet=("0", "1"), transitions=tuple(map(tuple, moves)), classes=tuple(classes)
    )


FIVE = machine([[1, 2], [3, 0], [0, 4], [4, 1], [2, 3]], [0, 1, 0, 0, 1])


def enlarge(language: Language, depth: int, seed: int) -> Language:
    """Return an automaton that is right on longer words, and has a state for each shorter one."""
    draw = np.random.default_rng(seed)
    words: list[Word] = [()]
    for word in words:
        if len(word) + 1 < depth:
            words += [(*word, 0), (*word, 1)]
    places = {word: place for place, word in enumerate(words)}

    def lead(word: Word) -> int:
        state = language.start
        for symbol in word:
            state = language.transitions[state][symbol]
        return places.get(word, len(words) + state)

    moves = [[lead((*word, symbol)) for symbol in (0, 1)] for word in words]
    moves += [[len(words) + target for target in row] for row in language.transitions]
    classes = [*draw.integers(0, 2, len(words)).tolist(), *language.classes]
    return machine(moves, classes).minimise()


def draw_long_words(language: Language, count: int, seed: int, noise: float) -> Sample:
    """Draw words of 10 to 20 symbols, with wrong labels."""
    draw = np.random.default_rng(seed)
    words: dict[Word, int] = {}
    while len(words) < count:
        word = tuple(draw.integers(0, 2, draw.integers(10, 21)).tolist())
        words[word] = language.classify(word) ^ int(draw.random() < noise)
    return sample_of(list(words), list(words.values()))


def small_machines() -> tuple[list[Language], np.ndarray]:
    """All machines of 3 states over 2 symbols, and their answers to `EVERY`."""
    found, answers = [], []
    for moves in itertools.product(range(3), repeat=6):
        table = (moves[:2], moves[2:4], moves[4:])
        states = []
        for word in EVERY:
            state = 0
            for symbol in word:
                state = table[state][symbol]
            states.append(state)
        for classes in itertools.product((0, 1), repeat=3):
            found.append(machine(table, classes))
            answers.append([classes[state] for state in states])
    return found, np.array(answers)


MACHINES, ANSWERS = small_machines()


@st.composite
def samples(draw: st.DrawFn, longest: int = 6) -> Sample:
    """Different words with classes that follow no rule."""
    words = draw(
        st.lists(
            st.lists(st.integers(0, 1), max_size=longest).map(tuple),
            min_size=1,
            max_size=25,
            unique=True,
        )
    )
    return sample_of(words, [draw(st.integers(0, 1)) for _ in words])


def words_of(sample: Sample) -> dict[Word, int]:
    return {sample.word(row): int(sample.classes[row]) for row in range(len(sample))}


def balance(language: Language, count: int, *, shortest: int, longest: int, seed: int) -> Sample:
    """Different words of each class, as many of each, uniform among those of their length."""
    generator = torch.Generator().manual_seed(seed)
    sampler = UniformSampler(language)
    words: dict[Word, int] = {}
    each = count // language.num_classes
    lengths = [n % (longest + 1 - shortest) + shortest for n in range(2 * each)]
    for c in range(language.num_classes):
        there = [n for n in lengths if sampler.exists(n, c)]
        drawn = sampler.draw(torch.full((len(there),), c), torch.tensor(there), generator)
        rows = [tuple(row[len(row) - n :]) for row, n in zip(drawn.tolist(), there, strict=True)]
        words |= dict.fromkeys(list(dict.fromkeys(rows))[:each], c)
    return Sample.of_words(
        list(words), list(words.values()), language.num_symbols, language.num_classes
    )


def number_symbols(language: Language) -> Language:
    """The same language, with numbers as symbols and classes, as samples have them."""
    return replace(
        language,
        alphabet=tuple(map(str, range(language.num_symbols))),
        class_names=tuple(map(str, range(language.num_classes))),
    )


@dataclass
class Readings:
    """Adds up the symbols that an attempt reads."""

    symbols: int = 0
    times: int = 0

    def read(self, symbols: int) -> None:
        """Count some symbols."""
        self.symbols += symbols
        self.times += 1


def end_at_once(symbols: int) -> None:
    """Refuse to read anything, as if the time were used up."""
    raise AttemptLostError
