"""Pointers find the cell that they mean at every size, and decoding follows the predictions."""

from fractions import Fraction

import numpy as np
import pytest
import torch
from torch import Tensor

from lengthwise.errors import CircuitError, WordError
from lengthwise.models.pointer_decoder import (
    OFFSETS,
    SHARPNESS,
    PointerDecoder,
    PointerDecoderConfig,
)
from lengthwise.proofs.check.local_rule import READ_ERROR, exact_numbers
from lengthwise.tasks.step_specs import make_step_task


def drawn(cells: str, symbols: int = 2, seed: int = 0) -> PointerDecoder:
    model = PointerDecoder(PointerDecoderConfig(vocab_size=symbols, cells=cells, d_model=8))
    model.initialise(torch.Generator().manual_seed(seed))
    return model.double().eval()


def cells_of(spec: str, **settings: object) -> str:
    task = make_step_task(spec, settings)
    return " ".join(task.cells(task.layout("strong")))


def plain_logits(model: PointerDecoder, word: list[int]) -> Tensor:
    """Return the logits of the next symbol, cell by cell, with softmax as a sum of powers."""
    cells = model.config.numbered_cells()
    letters = sorted({letter for letter, _ in cells})
    letter, number = cells[len(word)]
    total = model.written[letters.index(letter)].clone()
    for place, other in enumerate(letters):
        for turn, offset in enumerate(OFFSETS):
            powers = [np.exp(-SHARPNESS / 2)]  # of the blank
            contents = [model.config.vocab_size]
            for (its_letter, its_number), symbol in zip(cells, word, strict=False):
                if its_letter == other:
                    powers.append(np.exp(-SHARPNESS * (number + offset - its_number) ** 2))
                    contents.append(symbol)
            for power, content in zip(powers, contents, strict=True):
                total += power / sum(powers) * model.read[place, turn, content]
    return model.answer(total.clamp(min=0))


@pytest.mark.parametrize(
    "cells",
    [
        cells_of("steps:addition", bits=3, order="carries"),
        cells_of("steps:addition", bits=2, order=1),
        cells_of("steps:parity", length=4),
    ],
)
def test_logits_are_those_of_the_formula_cell_by_cell(cells: str) -> None:
    symbols = 6
    model = drawn(cells, symbols)
    word = torch.randint(symbols, (1, len(model.number) - 1))
    logits = model(word, first=1)[0]
    for length in range(2, word.shape[1] + 1):
        expected = plain_logits(model, word[0, :length].tolist())
        torch.testing.assert_close(logits[length - 2], expected, rtol=1e-9, atol=1e-9)


def test_what_is_decoded_is_what_is_predicted_of_all_before() -> None:
    model = drawn(cells_of("steps:addition", bits=4, order=2))
    prefix = torch.randint(2, (5, 8))
    words = model.complete(prefix, 20)
    assert torch.equal(words[:, :8], prefix)
    assert torch.equal(model(words[:, :-1], first=7).argmax(dim=2), words[:, 8:])


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_a_head_is_at_one_cell_to_the_largest_number(precision: str) -> None:
    largest = exact_numbers(precision)
    numbers = [1, 2, 3, *range(largest - 6, largest + 1)]
    model = drawn(" ".join(f"{letter}{n}" for letter in "ab" for n in numbers))
    model.to(getattr(torch, precision))
    asked = torch.arange(len(numbers), 2 * len(numbers) - 1)
    weights = model.pointers(asked, 2 * len(numbers) - 1).double()
    for row, place in enumerate(asked.tolist()):
        for turn, offset in enumerate(OFFSETS):
            aim = numbers[place + 1 - len(numbers)] + offset
            for letter, seen in ((0, numbers), (1, numbers[: place + 1 - len(numbers)])):
                meant = seen.index(aim) + letter * len(numbers) if aim in seen else -1
                expected = torch.zeros(weights.shape[3], dtype=torch.float64)
                expected[meant] = 1.0
                assert (weights[row, letter, turn] - expected).abs().sum() < READ_ERROR


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_one_number_more_is_not_exact(precision: str) -> None:
    kind, largest = np.dtype(precision).type, exact_numbers(precision)
    for number in (largest - 1, largest, largest + 1):
        less = kind(number) * kind(number) - kind(0.5)
        assert (2 * Fraction(float(less)) == 2 * number**2 - 1) == (number <= largest)


def test_other_names_and_longer_words_are_refused() -> None:
    with pytest.raises(CircuitError, match="such as c2, but 'p2_1' is not of that form"):
        PointerDecoderConfig(vocab_size=2, cells="a1 b1 p2_1")
    with pytest.raises(WordError, match="reads at most 2 symbols, but the words have 3"):
        drawn("a1 b1 e1")(torch.zeros(1, 3, dtype=torch.long))
    with pytest.raises(WordError, match="continues from at least one symbol"):
        drawn("a1 b1 e1").complete(torch.zeros(1, 0, dtype=torch.long), 1)
