"""The table of all chunks: true, complete up to a length, and a function of codes."""

import random
from itertools import product
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.errors import ConfigError
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from lengthwise.tasks import codebook as module
from lengthwise.tasks.codebook import StateCodebook, make_codebook
from lengthwise.tasks.state_maps import IGNORED

Word = tuple[int, ...]
Code = tuple[bool, ...]

SPECS = ["parity", "even-pairs", "tomita-3", "d-2", "group:S3", "group:S3,generators=2,seed=0"]


class Reader:
    """Codes of words by the table alone, cut as the tree cuts them."""

    def __init__(self, table: StateCodebook, chunk_size: int) -> None:
        self.chunk_size = chunk_size
        codes = [tuple(code) for code in table.codes.tolist()]
        self.class_of: dict[Code, int] = {}
        for code, class_ in zip(codes, table.classes.tolist(), strict=True):
            assert self.class_of.setdefault(code, class_) == class_
        self.first: dict[tuple[int, ...], Code] = {}
        self.above: dict[tuple[Code | None, ...], Code] = {}
        for row, result in zip(table.symbols.tolist(), table.symbol_results.tolist(), strict=True):
            assert self.first.setdefault(tuple(row), codes[result]) == codes[result]
        for row, result in zip(table.parts.tolist(), table.results.tolist(), strict=True):
            key = tuple(codes[part] if part >= 0 else None for part in row)
            assert self.above.setdefault(key, codes[result]) == codes[result]

    def code(self, word: Word) -> Code:
        """Raises KeyError if a chunk is not in the table."""
        parts = -(-max(len(word), 1) // self.chunk_size)
        row = (-1,) * (parts * self.chunk_size - len(word)) + word
        level: list[Code | None] = [self.first[part] for part in self._cut(row)]
        while len(level) > 1:
            missing = -len(level) % self.chunk_size
            level = [self.above[part] for part in self._cut((None,) * missing + tuple(level))]
        assert level[0] is not None
        return level[0]

    def _cut(self, row: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        return [row[i : i + self.chunk_size] for i in range(0, len(row), self.chunk_size)]


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize(("chunk_size", "most"), [(2, 7), (3, 5)])
def test_the_table_classifies_every_word_up_to_its_length(
    spec: str, chunk_size: int, most: int
) -> None:
    language = parse(spec)
    reader = Reader(make_codebook(language, chunk_size, most), chunk_size)
    for length in range(min(most, 5 if language.num_symbols > 3 else most) + 1):
        for word in product(range(language.num_symbols), repeat=length):
            assert reader.class_of[reader.code(word)] == language.classify(word)


def test_only_words_of_the_domain_are_told() -> None:
    language = parse("modular-arithmetic")
    table = make_codebook(language, 2, 40)
    plus, star = language.alphabet.index("+"), language.alphabet.index("*")
    rows = {tuple(row) for row in table.symbols.tolist()}
    digits = {language.alphabet.index(digit) for digit in "01234"}
    assert rows == {(o, d) for o in {plus, star, language.alphabet.index("-")} for d in digits} | {
        (-1, -1)
    }
    assert set(table.classes.tolist()) <= {IGNORED, 0, 1, 2, 3, 4}


def test_no_chunk_is_longer_than_asked() -> None:
    """Of D_6 much occurs in long words only."""
    sizes = [len(make_codebook(parse("d-6"), 2, most).codes) for most in (4, 8, 16)]
    assert sizes == sorted(set(sizes))
    assert len(make_codebook(parse("parity"), 2, 1).parts) == 0


def test_a_language_without_memory_has_one_bit() -> None:
    everything = Language(alphabet=("a",), transitions=((0,),), classes=(0,))
    table = make_codebook(everything, 2, 9)
    assert table.num_bits == 1
    assert torch.equal(table.codes, torch.ones_like(table.codes))


@pytest.mark.slow_for("2-modular-arithmetic", "3-tomita-3")
@pytest.mark.parametrize("spec", [*SPECS, "d-3", "modular-arithmetic"])
@pytest.mark.parametrize("chunk_size", [2, 3])
def test_the_table_of_all_lengths_is_that_of_very_long_words(spec: str, chunk_size: int) -> None:
    if chunk_size == 3 and spec == "modular-arithmetic":
        spec = "cycle-navigation"  # a smaller one
    language = parse(spec)
    found, expected = (
        make_codebook(language, chunk_size, None),
        make_codebook(language, chunk_size, 3**12),
    )
    for name in ("symbols", "symbol_results", "parts", "results", "codes", "classes"):
        assert torch.equal(getattr(found, name), getattr(expected, name)), name


@settings(deadline=None)
@given(seed=st.integers(0, 10**6), chunk_size=st.sampled_from([2, 3]))
def test_words_of_any_length_are_in_the_table_of_all_lengths(seed: int, chunk_size: int) -> None:
    draw = random.Random(seed)
    states, symbols = draw.randint(2, 3), draw.randint(1, 2)
    language = Language(
        alphabet=tuple("ab"[:symbols]),
        transitions=tuple(
            tuple(draw.randrange(states) for _ in range(symbols)) for _ in range(states)
        ),
        classes=tuple(draw.randrange(2) for _ in range(states)),
    )
    reader = Reader(make_codebook(language, chunk_size, None), chunk_size)
    for length in (0, 1, 2, 7, 64, 81, 300, draw.randint(1, 1000)):
        word = tuple(draw.randrange(symbols) for _ in range(length))
        assert reader.class_of[reader.code(word)] == language.classify(word)


def test_some_chunks_are_in_long_words_only() -> None:
    language = parse("count:a:9")
    assert len(make_codebook(language, 2, 4).parts) < len(make_codebook(language, 2, None).parts)


def test_too_many_chunks_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_CHUNKS", 30)
    with pytest.raises(ConfigError, match="at most 30 chunks of a level, but there are 6 x 6"):
        make_codebook(parse("group:S3"), 2, 41)
