"""Small random languages, all their words, and whether frequencies are those of a distribution."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import product

import torch
from hypothesis import strategies as st
from torch import Tensor

from lengthwise.languages.language import Language

Word = tuple[int, ...]

TOO_IMPROBABLE = 1e-6
"""A distribution is refuted by frequencies that are less probable than this."""

PARITY = Language(alphabet=("0", "1"), transitions=((0, 1), (1, 0)), classes=(0, 1), spec="parity")
BEGINS_WITH_1 = Language(
    alphabet=("0", "1"), transitions=((1, 2), (1, 1), (2, 2)), classes=(0, 0, 1)
)
EVEN_LENGTH = Language(alphabet=("0", "1"), transitions=((1, 1), (0, 0)), classes=(1, 0))
MOD_3 = Language(
    alphabet=("0", "1", "2"), transitions=((0, 1, 2), (1, 2, 0), (2, 0, 1)), classes=(0, 1, 2)
)
# a(a|b)* | bb*: next to each other, exponentially many words and one
UNEQUAL = Language(
    alphabet=("a", "b"), transitions=((1, 2), (1, 1), (3, 2), (3, 3)), classes=(0, 1, 1, 0)
)


@st.composite
def machines(draw: st.DrawFn, num_symbols: int, num_classes: int = 2) -> Language:
    size = draw(st.integers(1, 4))
    row = st.tuples(*[st.integers(0, size - 1)] * num_symbols)
    return Language(
        alphabet=tuple("abc"[:num_symbols]),
        transitions=tuple(draw(row) for _ in range(size)),
        classes=tuple(draw(st.integers(0, num_classes - 1)) for _ in range(size)),
        class_names=tuple(str(c) for c in range(num_classes)),
    )


@st.composite
def languages(draw: st.DrawFn) -> Language:
    """Two or three symbols, two or three classes, sometimes a domain."""
    num_symbols = draw(st.integers(2, 3))
    language = draw(machines(num_symbols, draw(st.integers(2, 3))))
    if draw(st.booleans()):
        domain = draw(machines(num_symbols).filter(lambda d: d.shortest(1) is not None))
        return Language(
            alphabet=language.alphabet,
            transitions=language.transitions,
            classes=language.classes,
            class_names=language.class_names,
            domain=domain,
        )
    return language


def class_of(language: Language, word: Word) -> int | None:
    """The class by the definition; None outside the domain."""
    domain = language.domain
    if domain is not None and domain.classes[domain.run(word)] != 1:
        return None
    return language.classes[language.run(word)]


def words_of(language: Language, length: int, c: int | None = None) -> list[Word]:
    """All words of a class and length (of any class by default)."""
    words = product(range(language.num_symbols), repeat=length)
    classes = [(word, class_of(language, word)) for word in words]
    return [word for word, k in classes if k is not None and (c is None or k == c)]


def read_words(tokens: Tensor) -> list[Word]:
    """The words of a batch without what stands left of them, which must be PAD and nothing else."""
    words = [tuple(token for token in row if token != -1) for row in tokens.tolist()]
    for row, word in zip(tokens.tolist(), words, strict=True):
        assert tuple(row[len(row) - len(word) :]) == word, "padding stands left of the word"
    return words


def chance_of(observed: Counter[Word], expected: Mapping[Word, float]) -> float:
    """How probable frequencies at least this far from the expected are (chi-square)."""
    assert set(observed) <= {word for word, p in expected.items() if p > 0}, "an impossible word"
    total = sum(observed.values())
    cells = [(observed[word], total * p) for word, p in expected.items() if p > 0]
    if len(cells) == 1:
        return 1.0
    distance = sum((seen - e) ** 2 / e for seen, e in cells)
    return chi_square_tail(distance, len(cells) - 1)


def chance_same(one: Counter[Word], other: Counter[Word]) -> float:
    """How probable it is that two samples of one size from one distribution differ that much."""
    assert sum(one.values()) == sum(other.values())
    # Rare words are thrown together, or the approximation by chi-square would not hold.
    both = [(one[word], other[word]) for word in {*one, *other}]
    often = [pair for pair in both if sum(pair) >= 20]
    rare = [pair for pair in both if sum(pair) < 20]
    often.append((sum(a for a, _ in rare), sum(b for _, b in rare)))
    distance = sum((a - b) ** 2 / (a + b) for a, b in often if a + b)
    return chi_square_tail(distance, len(often) - 1)


def chi_square_tail(distance: float, freedom: int) -> float:
    half = torch.tensor([freedom / 2, distance / 2], dtype=torch.float64)
    return float(torch.special.gammaincc(half[0], half[1]))


def uniform(words: Sequence[Word]) -> dict[Word, float]:
    return {word: 1 / len(words) for word in words}


def sample(draw: Callable[[int], Tensor], count: int) -> Counter[Word]:
    return Counter(read_words(draw(count)))


def make_generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)
