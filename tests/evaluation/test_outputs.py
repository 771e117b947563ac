"""The outputs of networks against the function itself, at every position."""

from random import Random

import numpy as np
import pytest
import torch
from torch import nn

import lengthwise as lw
from function_strategies import draw_function, draw_large, inputs_of
from lengthwise.errors import ConfigError
from lengthwise.evaluation.outputs import outputs_of, right_outputs
from lengthwise.languages.functions.by_name import function
from lengthwise.languages.functions.function import Function
from lengthwise.languages.functions.reading import reading_of


def long_inputs(function: Function, lengths: tuple[int, ...]) -> list[list[int]]:
    draw = Random(0)
    return [[draw.randrange(len(function.alphabet)) for _ in range(n)] for n in lengths]


def require_right(model: nn.Module, function: Function, words: list[list[int]]) -> None:
    for word, written in zip(words, outputs_of(model, reading_of(function), words), strict=True):
        assert written.tolist() == function.run(word)


@pytest.mark.parametrize("rung", ["tree", "slots", "scan", "cascade"])
@pytest.mark.parametrize("spec", ["add[base=2]", "rule:a -> b / c _ d"])
def test_weights_computed_on_every_rung_are_right_everywhere(spec: str, rung: str) -> None:
    made = function(spec)
    model = lw.compile(spec, rung=rung).model
    short = [[*word] for word in inputs_of(made, 2)]
    require_right(model, made, [*short, *long_inputs(made, (7, 64, 65, 100))])


@pytest.mark.slow
@pytest.mark.parametrize("is_sequential", [True, False])
def test_drawn_functions_are_right_to_100_000_symbols(is_sequential: bool) -> None:
    for seed in range(100 if is_sequential else 50):
        made = draw_large(seed, is_sequential=is_sequential)
        language = reading_of(made).language
        model = lw.compile(language).model
        require_right(model, made, long_inputs(made, (1, 2, 3, 10, 1_000, 100_000)))


def test_a_drawn_function_of_each_kind_is_right() -> None:
    for is_sequential in (True, False):
        made = draw_large(1, is_sequential=is_sequential)
        model = lw.compile(reading_of(made).language).model
        require_right(model, made, long_inputs(made, (1, 2, 3, 10, 1_000)))


class Prefixes(nn.Module):
    """Classifies words, and cannot answer at every position."""

    def __init__(self, spec: str, wrong_at: int = -1) -> None:
        super().__init__()
        self.language = lw.language(spec)
        self.wrong_at = wrong_at

    def forward(self, tokens: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        rows = zip(tokens.tolist(), lengths.tolist(), strict=True)
        classes = [
            (self.language.classify(tuple(row[len(row) - n :])) + (n == self.wrong_at))
            % self.language.num_classes
            for row, n in rows
        ]
        return nn.functional.one_hot(torch.tensor(classes), self.language.num_classes).float()


def test_other_networks_classify_every_prefix() -> None:
    gray = function("gray")
    require_right(Prefixes("gray"), gray, long_inputs(gray, (0, 1, 5, 9)))
    (written,) = outputs_of(Prefixes("gray", wrong_at=3), reading_of(gray), [[1, 1, 1, 1, 1]])
    assert [t for t, y in enumerate(written) if y != gray.run([1] * 5)[t]] == [2]
    with pytest.raises(ConfigError, match="logits of 2 classes, but"):
        outputs_of(Prefixes("gray"), reading_of(function("add")), [[1]])


def test_many_words_of_one_length_are_answered_by_the_automata_together() -> None:
    for seed in range(5):
        made = draw_function(seed, left=3, right=2, symbols=3)
        words = np.array(long_inputs(made, (30,) * 20))
        assert right_outputs(made, words).tolist() == [made.run(word) for word in words.tolist()]
