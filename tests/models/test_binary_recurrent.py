"""Recurrent networks with binary memory against their equations, one symbol at a time."""

from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from torch.nn import functional as F

from lengthwise.errors import ConfigError
from lengthwise.layers.cells import CELLS
from lengthwise.models.binary_recurrent import BinaryRecurrent
from lengthwise.models.binary_recurrent_config import BinaryRecurrentConfig
from perturbed import perturb

SYMBOLS, CLASSES, WIDTH, BITS = 3, 4, 6, 5
cells = pytest.mark.parametrize("cell", sorted(CELLS))


def make(cell: str, **values: Any) -> BinaryRecurrent:
    shape = {"vocab_size": SYMBOLS, "num_classes": CLASSES, "d_model": WIDTH, "num_bits": BITS}
    config = BinaryRecurrentConfig.from_dict({"cell": cell, **shape, **values})
    return perturb(BinaryRecurrent(config), 0.3, 1)


def by_the_equations(model: BinaryRecurrent, word: list[int]) -> Tensor:
    """The logits for a word, from the weights by name."""
    w = model.state_dict()

    def keep_vector(x: Tensor) -> Tensor:
        numbers = w["memory.write.weight"] @ x + w["memory.write.bias"]
        read = w["memory.read.weight"] @ (numbers >= 0).double() + w["memory.read.bias"]
        if "memory.norm.weight" not in w:
            return read
        return F.layer_norm(read, [WIDTH], w["memory.norm.weight"], w["memory.norm.bias"])

    h = keep_vector(w["start"])
    for symbol in word:
        here = w["cell.symbols.weight"][symbol]
        there = w["cell.recurrent.weight"] @ h + w["cell.recurrent.bias"]
        if model.config.cell == "elman":
            h = keep_vector((here + there).tanh())
        elif model.config.cell == "relu":
            h = keep_vector((here + there).clamp(min=0))
        else:
            (reset_x, keep_x, new_x), (reset_h, keep_h, new_h) = here.chunk(3), there.chunk(3)
            reset, keep = (reset_x + reset_h).sigmoid(), (keep_x + keep_h).sigmoid()
            h = keep_vector((1 - keep) * (new_x + reset * new_h).tanh() + keep * h)
    return w["answer.weight"] @ h + w["answer.bias"]


@cells
@given(word=st.lists(st.integers(0, SYMBOLS - 1), max_size=12))
def test_answers_follow_the_equations(cell: str, word: list[int]) -> None:
    model = make(cell)
    tokens = torch.tensor([word], dtype=torch.long)
    torch.testing.assert_close(model(tokens)[0], by_the_equations(model, word))


@cells
def test_only_as_many_answers_as_codes_occur(cell: str) -> None:
    model = make(cell, num_bits=2)
    with torch.no_grad():
        model.memory.write.bias.zero_()
        model.cell.symbols.weight.mul_(5)  # so that symbols turn bits
    words = torch.randint(SYMBOLS, (500, 9), generator=torch.Generator().manual_seed(0))
    assert 1 < len(torch.unique(model(words), dim=0)) <= 4


@cells
def test_nothing_to_read_is_no_error(cell: str) -> None:
    model = make(cell)
    assert model(torch.zeros(0, 3, dtype=torch.long)).shape == (0, CLASSES)
    for shape in ((0, 3), (2, 0)):
        nothing = torch.zeros(shape, dtype=torch.long)
        assert model.every_position(nothing).shape == (*shape, CLASSES)


@cells
def test_every_matrix_product_is_counted(cell: str) -> None:
    model = make(cell)
    gates = {"elman": 1, "relu": 1, "gru": 3}[cell]
    symbol = gates * WIDTH * WIDTH + 2 * WIDTH * BITS
    for length in (0, 1, 7):
        whole = length * symbol + 2 * WIDTH * BITS + WIDTH * CLASSES
        assert model.flops(length) == 2 * whole


@pytest.mark.parametrize("values", [{"cell": "lstm"}, {"d_model": 0}, {"num_bits": 0}])
def test_shapes_that_cannot_be_are_refused(values: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        BinaryRecurrentConfig.from_dict(
            {"vocab_size": 2, "num_classes": 2, "cell": "gru", **values}
        )


@cells
@pytest.mark.parametrize("bits", [2, BITS])
def test_remembered_steps_give_the_same_bits_as_all_steps(cell: str, bits: int) -> None:
    model = make(cell, num_bits=bits).eval()
    draw = torch.Generator().manual_seed(bits)
    word = torch.randint(SYMBOLS, (1, 700), generator=draw)
    with torch.no_grad():
        vectors = model.first()
        for length, column in enumerate(word.unbind(dim=1), start=1):
            vectors = model.step(vectors, column)
            if length in (256, 257, 699):
                assert torch.equal(model(word[:, :length]), model.read(vectors))


def test_words_beyond_what_is_remembered_are_read_to_their_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = make("gru").eval()
    word = torch.randint(SYMBOLS, (3, 300), generator=torch.Generator().manual_seed(0))
    lengths = torch.tensor([0, 300, 7])
    with torch.no_grad():
        expected = model(word, lengths)
        monkeypatch.setattr("lengthwise.models.binary_recurrent._MOST", 2)
        assert torch.equal(model(word, lengths), expected)
    torch.testing.assert_close(model(word, lengths), expected)  # with gradients, all together


def test_a_long_word_takes_each_step_once(monkeypatch: pytest.MonkeyPatch) -> None:
    model = make("elman", num_bits=2).eval()
    taken: list[int] = []
    own = model.step

    def step(vectors: Tensor, symbols: Tensor) -> Tensor:
        taken.append(int(symbols))
        return own(vectors, symbols)

    monkeypatch.setattr(model, "step", step)
    with torch.no_grad():
        model(torch.randint(SYMBOLS, (1, 1000), generator=torch.Generator().manual_seed(0)))
    assert len(taken) <= 5 * SYMBOLS
