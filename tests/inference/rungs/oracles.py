"""Literals by their definition, and words to try them on."""

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from lengthwise.inference.rungs.literals import Literal, MarkedWords, Mask
from lengthwise.inference.sample import Sample

Word = tuple[int, ...]


def holds(literal: Literal, word: Word, tier: Mask) -> bool:
    """Whether a literal holds of a word of at most 8 symbols, by a regular expression."""
    marked = "#" + "".join(str(symbol) for symbol in word if tier[symbol]) + "#"
    blocks = ["".join("#" if s == len(tier) else str(s) for s in block) for block in literal.blocks]
    if len(blocks) > 1:
        return re.search(".*".join(blocks), marked) is not None
    return len(re.findall(f"(?={blocks[0]})", marked)) >= literal.times


@st.composite
def samples(draw: st.DrawFn, symbols: int = 3, longest: int = 8, least: int = 1) -> Sample:
    """Different words over some symbols with two classes that follow no rule."""
    words = draw(
        st.lists(
            st.lists(st.integers(0, symbols - 1), max_size=longest).map(tuple),
            min_size=least,
            max_size=40,
            unique=True,
        )
    )
    return Sample.of_words(words, [draw(st.integers(0, 1)) for _ in words], symbols, 2)


def tiers(symbols: int = 3) -> st.SearchStrategy[Mask]:
    """Tiers that are not empty."""
    return st.lists(st.booleans(), min_size=symbols, max_size=symbols).filter(any).map(np.array)


def words_of(sample: Sample) -> Sequence[Word]:
    return [sample.word(row) for row in range(len(sample))]


def in_cells(sample: Sample, num_cells: int) -> MarkedWords:
    """The words of a sample, in some cells by turns."""
    words, cells = MarkedWords.of(sample), np.arange(len(sample)) % num_cells
    groups = words.num_classes * cells + words.groups
    return replace(words, groups=groups, num_cells=num_cells)
