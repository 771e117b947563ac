"""What is asked is all words, or words of every kind; answers are judged as they are decided."""

import math
from itertools import pairwise, product

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

from circuit_strategies import circuits
from lengthwise.circuits.adders import adder
from lengthwise.circuits.circuit import Circuit
from lengthwise.constructions.cases import CircuitCases, WordCases, cases_for, is_wrong, margins
from lengthwise.constructions.circuits import compile_circuit
from lengthwise.errors import TaskError
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from strategies import machines, machines_with_domain


class Constant(nn.Module):
    """Says the same of every word."""

    def __init__(self, *logits: float) -> None:
        super().__init__()
        self.logits = torch.tensor(logits)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.logits.expand(len(tokens), -1)


def ask(words: WordCases, length: int) -> list[tuple[int, ...]]:
    return [tuple(word) for word in words.at(length).tolist()]


@given(language=st.one_of(machines(), machines_with_domain()), most=st.integers(1, 40))
def test_all_words_are_asked_while_they_are_few(language: Language, most: int) -> None:
    words = WordCases(language, most, 4, 0)
    assert 2**words.exhaustive_to <= most < 2 ** (words.exhaustive_to + 1)
    for length in range(words.exhaustive_to + 1):
        assert sorted(ask(words, length)) == [
            word for word in language.words(max_length=length) if len(word) == length
        ]


def test_words_of_one_symbol_are_counted_by_length() -> None:
    words = WordCases(parse("aa-star"), 5, 4, 0)
    assert words.exhaustive_to == 5
    assert ask(words, 5) == [(0,) * 5]
    assert ask(words, 9) == [(0,) * 9] * len(ask(words, 9))


@given(language=st.one_of(machines(), machines_with_domain()), length=st.integers(5, 12))
def test_longer_words_are_in_the_domain_and_of_every_class(language: Language, length: int) -> None:
    words = WordCases(language, 16, 40, 3)
    found = ask(words, length)
    assert found == ask(words, length)  # the same whenever they are asked for
    for word in found:
        language.require_in_domain(word)
    present = {c for c, ways in enumerate(language.counts(length)) if ways}
    assert {language.classify(word) for word in found} == present


def test_longer_words_come_with_repetitions_and_neighbours_of_another_class() -> None:
    language = parse("parity")
    found = ask(WordCases(language, 1, 10, 0), 30)
    plain, edited = found[:12], found[12:]
    assert plain[10:] == [(0,) * 30, (1,) * 30]
    assert len(edited) == 12
    for word, near in zip(plain, edited, strict=True):
        assert sum(a != b for a, b in zip(word, near, strict=True)) == 1
        assert language.classify(word) != language.classify(near)


def test_lengths_rise_by_a_quarter_with_odd_and_even_ones() -> None:
    lengths = WordCases(parse("parity"), 16, 4, 0).lengths(1_000)
    assert lengths[:6] == [0, 1, 2, 3, 4, 5]
    assert lengths[-1] == 1_000
    assert all(b <= a + max(1, a // 4) for a, b in pairwise(lengths))
    assert {n % 2 for n in lengths if n > 100} == {0, 1}
    assert WordCases(parse("parity"), 16, 4, 0).lengths(2) == [0, 1, 2]
    assert WordCases(parse("parity"), 16, 4, 0).lengths(0) == [0]


def test_lengths_without_words_are_passed_over() -> None:
    words = WordCases(parse("modular-arithmetic"), 64, 4, 0)
    assert all(n and n % 2 == 0 for n in words.lengths(100))
    assert words.lengths(1) == []
    assert [len(words.at(n)) for n in (1, 99)] == [0, 0]


NAN, INF = math.nan, math.inf


@pytest.mark.parametrize(
    ("logits", "right", "margin", "wrong"),
    [
        ([3.0, 1.0], 0, 2.0, False),
        ([3.0, 1.0], 1, -2.0, True),
        ([1.0, 1.0], 0, 0.0, False),  # at a tie the first class wins
        ([1.0, 1.0], 1, 0.0, True),
        ([0.0, -0.0], 0, 0.0, False),
        ([-0.0, 0.0], 1, 0.0, True),
        ([0.0, 2.0, 2.0], 2, 0.0, True),
        ([0.0, 2.0, 2.0], 1, 0.0, False),
        ([1.0, 4.0, 2.5], 1, 1.5, False),
        ([5.0], 0, INF, False),
        ([NAN, 1.0], 0, -INF, True),
        ([1.0, NAN], 0, -INF, True),
        ([INF, 1.0], 0, INF, False),
        ([INF, 1.0], 1, -INF, True),
        ([-INF, -INF], 1, 0.0, True),
    ],
)
def test_margins_are_distances_from_the_decision(
    logits: list[float], right: int, margin: float, wrong: bool
) -> None:
    found = margins(torch.tensor([logits]), torch.tensor([right]))
    assert float(found[0]) == margin
    assert bool(is_wrong(found)[0]) is wrong


@given(
    logits=st.lists(st.lists(st.integers(-3, 3), min_size=3, max_size=3), min_size=1, max_size=9),
    right=st.integers(0, 2),
)
def test_what_is_wrong_is_what_is_decided_otherwise(logits: list[list[int]], right: int) -> None:
    scores = torch.tensor(logits, dtype=torch.float32)
    found = margins(scores, torch.full((len(logits),), right))
    for row, margin, wrong in zip(logits, found.tolist(), is_wrong(found).tolist(), strict=True):
        others = [x for c, x in enumerate(row) if c != right]
        assert margin == row[right] - max(others)
        assert wrong == (row.index(max(row)) != right)


def test_words_are_judged_by_their_class() -> None:
    language = parse("parity")
    words = WordCases(language, 64, 4, 0)
    found = words.margins(Constant(2.0, -1.0), words.at(3))
    expected = [3.0 if language.classify(word) == 0 else -3.0 for word in ask(words, 3)]
    assert found.tolist() == expected
    assert words.write((0, 1, 1)) == "011"


def test_all_inputs_are_asked_while_they_are_few() -> None:
    questions = CircuitCases(adder(2, 1), 16, 4, 0)
    assert questions.exhaustive_to == 4
    assert questions.lengths(1_000) == [4]
    found = questions.at(4)[:, :4].tolist()
    assert sorted(map(tuple, found)) == list(product((0, 1), repeat=4))
    few = CircuitCases(adder(2, 1), 15, 4, 0)
    assert few.exhaustive_to == -1
    drawn = few.at(4)[:, :4]
    assert (drawn[:4] != drawn[4:8]).sum(dim=1).tolist() == [1] * 4
    assert drawn[8:].tolist() == [[0] * 4, [1] * 4]


@given(circuit=circuits(max_inputs=4, max_gates=6))
def test_inputs_come_with_all_that_follows(circuit: Circuit) -> None:
    sequence = circuit.sequence()
    for word in CircuitCases(sequence, 16, 4, 0).at(sequence.num_inputs).tolist():
        assert tuple(word) == sequence.complete(word[: sequence.num_inputs])


class Forgetful(nn.Module):
    """Foresees every next symbol rightly if it is given the right ones; completes wrongly."""

    def __init__(self, words: Tensor, strays: int) -> None:
        super().__init__()
        self.words, self.strays = words, strays

    def forward(self, tokens: Tensor) -> Tensor:
        following = self.words[:, 1 : tokens.shape[1] + 1]
        return torch.nn.functional.one_hot(following, 2).double() * 7

    def complete(self, prefix: Tensor, steps: int) -> Tensor:
        completed = self.words[: len(prefix)].clone()
        completed[self.strays, -1] ^= 1
        return completed


def test_a_completion_that_strays_is_wrong_whatever_the_margins() -> None:
    questions = CircuitCases(adder(1, 1), 16, 4, 0)
    words = questions.at(2)
    found = questions.margins(Forgetful(words, strays=2), words)
    assert is_wrong(found).tolist() == [False, False, True, False]
    assert found[is_wrong(found).logical_not()].tolist() == [7.0] * 3


def test_margins_of_circuits_are_the_least_of_all_steps() -> None:
    sequence = adder(2, 2)
    model = compile_circuit(sequence)
    questions = CircuitCases(sequence, 16, 4, 0)
    words = questions.at(4)
    with torch.no_grad():
        found = questions.margins(model, words).tolist()
        for word, margin in zip(words.tolist(), found, strict=True):
            least = math.inf
            for place in range(4, sequence.length):
                logits = model(torch.tensor([word[:place]]))[0, -1]
                least = min(least, float(logits[word[place]] - logits[1 - word[place]]))
            assert margin == pytest.approx(least, rel=1e-9)


def test_a_circuit_without_gates_asks_nothing() -> None:
    circuit = Circuit(inputs=("a",), gates=(), outputs=("a",))
    questions = cases_for(circuit.sequence(), all_words=4, words_per_length=2, seed=0)
    with pytest.raises(TaskError, match="no gates"):
        questions.margins(Constant(1.0, 0.0), questions.at(1))
