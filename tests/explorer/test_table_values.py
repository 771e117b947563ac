"""The tables that the page reads words by, read as the page reads them, against the network."""

import base64
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import lengthwise as lw
from lengthwise.analysis.attention import attention
from lengthwise.errors import VerificationError
from lengthwise.explorer import table_values as module
from lengthwise.explorer.run_values import Network
from lengthwise.explorer.table_values import children_of, merge_tables, table_values
from lengthwise.languages.spec import parse
from lengthwise.models.regular_gpt import RegularGPT, RegularGPTConfig
from lengthwise.proofs.check.arrays import ABSENT
from lengthwise.proofs.search.binary_algebra import BinaryAlgebra
from lengthwise.proofs.search.finite_algebra import tabulate
from lengthwise.proofs.search.network import node_of, predict_class
from ordinary import few


def network(seed: int, chunk_size: int, *, pad: str = "learned", bits: int = 3) -> RegularGPT:
    model = RegularGPT(
        RegularGPTConfig(
            vocab_size=2,
            num_classes=3,
            chunk_size=chunk_size,
            d_model=8,
            num_heads=2,
            memory="binary",
            num_bits=bits,
            pad=pad,  # type: ignore[arg-type]
        )
    )
    model.initialise(torch.Generator().manual_seed(seed))
    return model.eval()


MODELS = st.builds(
    network,
    st.integers(0, 10_000),
    st.sampled_from([2, 3]),
    pad=st.sampled_from(["learned", "absent"]),
)
WORDS = st.lists(st.lists(st.integers(0, 1), max_size=30), max_size=20)


class Read:
    """The values of tables, as the page reads them."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.values = values

    def phase(self, level: int) -> int:
        count, repeat = len(self.values["levels"]), int(self.values["repeat"])
        return level if level < count else repeat + (level - repeat) % (count - repeat)

    def level(self, level: int) -> dict[str, Any]:
        found: dict[str, Any] = self.values["levels"][self.phase(level)]
        return found

    def place(self, level: int, children: Sequence[int], edge: bool) -> tuple[int, int]:
        values, place = self.level(level), 0
        for child in children:
            place = place * values["inner"] + child
        is_shared = len(values["tables"]) == self.values["chunk_size"]
        return len(children) - 1 if is_shared else (len(children) if edge else 0), place

    def compose(self, level: int, children: Sequence[int], edge: bool) -> int:
        number, place = self.place(level, children, edge)
        packed = base64.b64decode(self.level(level)["tables"][number])
        found = int(np.frombuffer(packed, dtype="<u2")[place])
        assert found != 65_535
        return found

    def tree(self, word: Sequence[int]) -> list[list[int]]:
        chunk, nodes, levels = self.values["chunk_size"], list(word), list[list[int]]()
        if not word:
            return [[self.values["empty"]]]
        while not levels or len(nodes) > 1:
            first = (len(nodes) - 1) % chunk + 1
            bounds = [0, *range(first, len(nodes) + 1, chunk)]
            nodes = [self.compose(len(levels), nodes[a:b], a == 0) for a, b in pairwise(bounds)]
            levels.append(nodes)
        return levels

    def classify(self, word: Sequence[int]) -> int:
        levels = self.tree(word)
        return int(self.level(len(levels) - 1)["classes"][levels[-1][0]])


@settings(max_examples=few(6))
@given(MODELS, WORDS)
def test_tables_answer_as_the_network_does(model: RegularGPT, words: list[list[int]]) -> None:
    read = Read(table_values(model, None))
    for word in words:
        assert read.classify(word) == predict_class(model, tuple(word))


@given(MODELS, WORDS)
def test_one_table_for_all_levels_is_the_tables_of_each(
    model: RegularGPT, words: list[list[int]]
) -> None:
    algebra = BinaryAlgebra(node_of(model))
    finite, numbered = tabulate(algebra, num_classes=3)
    small = merge_tables(finite, numbered, algebra)
    for word in words:
        assert small.classify(word) == finite.classify(word)


@settings(max_examples=few(6))
@given(MODELS, WORDS)
def test_the_server_names_the_codes_that_the_tables_name(
    model: RegularGPT, words: list[list[int]]
) -> None:
    values = table_values(model, None)
    language = parse("count:1:3")
    asked, read = Network(model, language), Read(values)
    for word in words[:4]:
        found = asked.answer({"word": language.decode(word)})
        named = [[values["codes"][each] for each in level] for level in read.tree(word)]
        assert found == {"answer": predict_class(model, tuple(word)), "levels": named}


def check_attention(model: RegularGPT, word: list[int], values: dict[str, Any]) -> None:
    """The mean over the chunks of a word, in the tables and by the analysis of a network."""
    read, chunk, heads = Read(values), model.config.chunk_size, model.config.num_heads
    tokens = torch.tensor([word])
    expected = attention(model, parse("parity"), tokens, torch.tensor([len(word)]))["weights"]
    levels = [word, *read.tree(word)]
    for level, below in enumerate(levels[:-1]):
        first = (len(below) - 1) % chunk + 1
        bounds = [0, *range(first, len(below) + 1, chunk)]
        found = []
        for a, b in pairwise(bounds):
            number, place = read.place(level, below[a:b], a == 0)
            packed = values["attention"][read.phase(level)][number]
            weights = np.frombuffer(base64.b64decode(packed), np.uint8)
            found.append(weights.reshape(-1, chunk, heads)[place] / 255)
        mean = np.mean(found, axis=0).T
        np.testing.assert_allclose(mean, expected[level], atol=0.5 / 255 + 1e-6)


@settings(max_examples=few(6))
@given(MODELS, st.lists(st.integers(0, 1), min_size=1, max_size=9))
def test_attention_is_that_of_the_network(model: RegularGPT, word: list[int]) -> None:
    check_attention(model, word, table_values(model, None))


def test_attention_to_vectors_is_that_of_the_network() -> None:
    """Of computed weights, whose vectors are their own representatives."""
    model = lw.compile("tomita-4", target="images").model
    assert isinstance(model, RegularGPT)
    with torch.no_grad():  # computed weights attend to both children alike
        for layer in model.block:
            layer.attention.query.weight.normal_(generator=torch.Generator().manual_seed(0))
            layer.attention.key_value.weight[: model.config.d_model].normal_(
                generator=torch.Generator().manual_seed(1)
            )
    values = table_values(model, None)
    for word in ([0], [1, 0], [0, 1, 1], [1, 0, 0, 1, 0, 1, 1], [0, 0, 1] * 5):
        check_attention(model, word, values)


def test_snapped_vectors_answer_by_their_tables() -> None:
    made = lw.compile("tomita-4", target="images")
    read = Read(values := table_values(made.model, None))  # type: ignore[arg-type]
    assert values["codes"] is None
    assert "continuous" in values["note"]
    language = parse("tomita-4")
    for word in language.words(max_length=8):
        assert read.classify(word) == language.classify(word)
    weights = [np.frombuffer(base64.b64decode(each), np.uint8) for each in values["attention"][1]]
    heads = values["num_heads"]
    for each in weights:
        total = each.reshape(-1, 2, heads).sum(axis=1)
        assert np.abs(total - 255.0).max() <= 2, "the weights of a chunk add up to 1"


def test_tables_that_are_too_large_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_ENTRIES", 10)
    with pytest.raises(VerificationError, match="at most 10 entries of tables"):
        table_values(network(0, 2), None)


def test_children_of_entries_are_rows_of_edge_and_interior() -> None:
    """Two edge vectors stand before three interior ones; an edge chunk begins with the former."""
    edge = children_of((2, 3), 3, 0, 2).tolist()
    assert edge == [[ABSENT, a, 2 + b] for a in range(2) for b in range(3)]
    interior = children_of((3, 3), 2, 2, 2).tolist()
    assert interior == [[2 + a, 2 + b] for a in range(3) for b in range(3)]
