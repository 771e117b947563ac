"""Recurrences symbol by symbol: torch's cells, two methods, and what is refused."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from lengthwise.errors import ConfigError, VerificationError
from lengthwise.models.custom_network import adapt, with_lengths
from lengthwise.models.recurrent import Recurrent, RecurrentConfig
from lengthwise.models.stepped import Stepped
from lengthwise.models.stepping import StateError, Steps, steps_of
from models.recurrences import CountedParity, Layered, Looped, MeanOfBatch, Positioned

WORDS = [[0, 1, 1, 0, 1, 1], [1, 1, 1, 1, 0, 0], [0, 0, 0, 0, 0, 1]]


class Oscillators(nn.Module):
    """Complex numbers that turn, beside a real one that counts."""

    def __init__(self, dtype: torch.dtype = torch.float32) -> None:
        super().__init__()
        self.turn = nn.Parameter(torch.polar(torch.ones(3), torch.rand(3)).to(dtype.to_complex()))
        self.answer = nn.Linear(7, 2, dtype=dtype)

    def start(self) -> tuple[Tensor, Any]:
        state = (torch.zeros_like(self.turn)[None], torch.zeros(1, dtype=self.answer.weight.dtype))
        return self._read(state), state

    def step(self, state: Any, symbols: Tensor) -> tuple[Tensor, Any]:
        after = (state[0] * self.turn + 1j * symbols[:, None], state[1] + symbols)
        return self._read(after), after

    def _read(self, state: Any) -> Tensor:
        numbers = torch.view_as_real(state[0]).flatten(1)
        return self.answer(torch.cat([numbers, state[1][:, None]], dim=1))


class Flat(Oscillators):
    """Its first state lacks the axis of words."""

    def start(self) -> tuple[Tensor, Any]:
        return torch.zeros(1, 2), torch.zeros(4)


@pytest.fixture(autouse=True)
def _seeded() -> None:
    torch.manual_seed(0)


def stepped(module: nn.Module, **layout: Any) -> tuple[nn.Module, Steps]:
    model = with_lengths(adapt(module, **layout) if layout else module).eval()
    return model, steps_of(model, 2, 2)


@pytest.mark.filterwarnings("ignore:LSTM with projections")
@pytest.mark.parametrize(
    "network",
    [
        *(lambda kind=kind: Layered(kind(4, 6, 2, batch_first=True)) for kind in (nn.RNN, nn.GRU)),
        lambda: Layered(nn.LSTM(4, 6, 2, batch_first=True, proj_size=3), width=3),
        lambda: Layered(nn.GRU(4, 6, batch_first=True), has_own_start=True),
        lambda: Layered(nn.LSTM(4, 6, batch_first=True), has_first_token=True),
        lambda: Looped(nn.GRUCell(4, 6)),
        lambda: Looped(nn.LSTMCell(4, 6)),
        CountedParity,
        Oscillators,
    ],
)
def test_symbol_by_symbol_the_logits_are_those_of_words(network: Any) -> None:
    model, steps = stepped(network())
    for length in range(1, 7):
        words = [word[:length] for word in WORDS]
        logits, _ = steps.read(words)
        with torch.no_grad():
            whole = model(torch.tensor(words), torch.full((3,), length))
        assert torch.allclose(logits, whole.cpu(), atol=1e-5)


def test_complex_states_keep_both_parts_and_their_type() -> None:
    for dtype, width in ((torch.float32, torch.float32), (torch.float64, torch.float64)):
        _, steps = stepped(Oscillators(dtype))
        _, rows = steps.read(WORDS)
        assert rows.shape == (3, 7)
        assert rows.dtype == width
        assert rows[:, 1].abs().min() > 0


@pytest.mark.parametrize("cell", ["elman", "elman-relu", "gru", "lstm"])
def test_networks_of_the_package_are_stepped_with_their_empty_word(cell: Any) -> None:
    config = RecurrentConfig(vocab_size=2, num_classes=2, cell=cell, d_model=5, num_layers=2)
    network = Recurrent(config)
    network.initialise(torch.Generator().manual_seed(0))
    model, steps = stepped(network)
    with torch.no_grad():
        empty = model(torch.zeros(1, 0, dtype=torch.long), torch.zeros(1, dtype=torch.long))
        whole = model(torch.tensor(WORDS), torch.full((3,), 6))
    assert torch.allclose(steps.start()[0], empty)
    assert torch.allclose(steps.read(WORDS)[0], whole, atol=1e-5)


def test_a_network_without_forward_is_read_by_its_steps() -> None:
    model = with_lengths(CountedParity())
    tokens = torch.tensor([[-1, 1, 0], [1, 1, 1]])
    assert model(tokens, torch.tensor([2, 3])).argmax(dim=1).tolist() == [1, 1]


def test_arguments_are_copies() -> None:
    class InPlace(CountedParity):
        def step(self, state: Tensor, symbols: Tensor) -> tuple[Tensor, Tensor]:
            logits, after = super().step(state, symbols)
            state.zero_()
            symbols.fill_(1)
            return logits, after

    _, steps = stepped(InPlace())
    _, rows = steps.read(WORDS)
    kept = rows.clone()
    steps.step(rows, torch.zeros(3, dtype=torch.long))
    assert torch.equal(rows, kept)


class Growing(CountedParity):
    def step(self, state: Tensor, symbols: Tensor) -> tuple[Tensor, Tensor]:
        logits, _ = super().step(state[:, :2], symbols)
        return logits, torch.cat([state, symbols[:, None].float()], dim=1)


class Random(CountedParity):
    def step(self, state: Tensor, symbols: Tensor) -> tuple[Tensor, Tensor]:
        logits, after = super().step(state, symbols)
        return logits + torch.rand(1), after


class NotANumber(CountedParity):
    def step(self, state: Tensor, symbols: Tensor) -> tuple[Tensor, Tensor]:
        logits, after = super().step(state, symbols)
        return logits, after / (after[:, 1:] != 7)


class LogitsAlone(CountedParity):
    def step(self, state: Tensor, symbols: Tensor) -> Any:
        return super().step(state, symbols)[0]


class Counting(nn.Module):
    """Turns over after 30 symbols, which it counts in a number of Python."""

    def start(self) -> tuple[Tensor, Any]:
        return torch.tensor([[1.0, 0.0]]), {"parity": torch.zeros(1), "count": 0}

    def step(self, state: Any, symbols: Tensor) -> tuple[Tensor, Any]:
        parity, count = (state["parity"] - symbols).abs(), state["count"] + 1
        logits = torch.stack([1 - parity, parity], dim=1)
        return logits if count < 30 else -logits, {"parity": parity, "count": count}


class Failing(CountedParity):
    def step(self, state: Tensor, symbols: Tensor) -> Any:
        raise RuntimeError("no\nluck")


@pytest.mark.parametrize(
    ("network", "said"),
    [
        (Flat, r"start has to return the state of one word, .* but it has the shape \[4\]\. Add"),
        (Growing, "2 numbers at the start and 3 after a symbol. A state that grows"),
        (Random, "answers differently when it is asked again"),
        (Positioned, "answers differently when it is asked again"),
        (MeanOfBatch, "depends on the other words of a batch"),
        (NotANumber, r"state or the logits of NotANumber are not finite after the symbols \["),
        (LogitsAlone, "has to return two things"),
        (Counting, "something other than tensors"),
        (Failing, r"Failing\.step fails \(RuntimeError: no\)"),
        (lambda: Layered(nn.GRU(4, 6, batch_first=True, bidirectional=True), 12), "both ends"),
        (lambda: nn.Sequential(nn.Embedding(2, 2)), "not read symbol by symbol"),
        (
            lambda: Layered(nn.GRU(4, 6, batch_first=True), sums=True),
            "differ by .* from those .* Make forward and step agree",
        ),
    ],
)
def test_what_is_not_a_recurrence_is_refused_in_a_line(network: Any, said: str) -> None:
    with pytest.raises(VerificationError, match=said) as refused:
        stepped(network())
    assert "\n" not in str(refused.value)


def test_logits_of_other_classes_are_refused() -> None:
    with pytest.raises(VerificationError, match=r"logits \[1, 3\]"):
        steps_of(with_lengths(CountedParity()), 2, 3)


def test_the_row_of_a_bad_state_is_known() -> None:
    steps = Steps(NotANumber(), num_symbols=2, num_classes=2, name="NotANumber")
    rows = torch.tensor([[0.0, 1.0], [1.0, 6.0]])
    with pytest.raises(StateError) as refused:
        steps.step(rows, torch.tensor([0, 0]))
    assert refused.value.row == 1


class OneLogit(CountedParity):
    def step(self, state: Tensor, symbols: Tensor) -> Any:
        logits, after = super().step(state, symbols)
        return logits[:, :1], after


class StateAlone(CountedParity):
    def step(self, state: Tensor, symbols: Tensor) -> Any:
        return super().step(state, symbols)[1]


class Turned(CountedParity):
    def step(self, state: Tensor, symbols: Tensor) -> Any:
        logits, after = super().step(state, symbols)
        return torch.cat([after, after], dim=1), logits


class WithoutWords(CountedParity):
    def start(self) -> Any:
        logits, state = super().start()
        return logits, state[0]


@pytest.mark.parametrize(
    ("module", "why"),
    [
        (OneLogit(), r"OneLogit\.step has to return logits \[3, 2\], .* they are \[3, 1\]"),
        (StateAlone(), r"StateAlone\.step has to return two things, .* it returned a Tensor"),
        (Turned(), r"Return logits and state, in this order"),
        (WithoutWords(), r"WithoutWords\.start has to return logits .* Add that axis"),
    ],
)
def test_what_methods_return_is_named_where_a_network_is_called(
    module: CountedParity, why: str
) -> None:
    with pytest.raises(ConfigError, match=why):
        Stepped(module)(torch.zeros(3, 2, dtype=torch.long))
