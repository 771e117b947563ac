"""Programs of steps, against the steps themselves, in float64 and in float32."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from lengthwise.layers.mixers.catalogue import MIXERS
from lengthwise.models.custom_network import unwrap, with_lengths
from lengthwise.models.stepping import Steps, steps_of
from lengthwise.proofs.check.balls import Arithmetic, Floats
from lengthwise.proofs.check.layer_node import quietly
from lengthwise.proofs.check.numbers import Numbers
from lengthwise.proofs.check.program import TracedProgram
from lengthwise.proofs.search.step_program import StepProgram, trace
from models.recurrences import CountedParity
from proofs.traced_steps import Choosing, OfCell, Plain, stack_of

WITHOUT_PROGRAM = "ldru"  # torch.export does not trace it


def steps_and_program(model: nn.Module) -> tuple[Steps, StepProgram]:
    steps = steps_of(with_lengths(model), 3, 2)
    return steps, trace(steps, unwrap(model))


@quietly
def assert_computes_the_step(model: nn.Module, type_: str, within: float | None) -> None:
    """Compare program and step after random words: within a bound of ours, or of its own."""
    model = model.to(getattr(torch, type_))
    steps, traced = steps_and_program(model)
    assert not traced.reason, traced.reason
    program = TracedProgram(traced.text, traced.arrays, Arithmetic.of(type_))
    generator = torch.Generator().manual_seed(1)
    _, rows = steps.read(torch.randint(3, (40, 6), generator=generator).tolist())
    symbols = torch.randint(3, (40,), generator=generator)
    logits, after = (part.double().numpy() for part in steps.step(rows, symbols))
    found, state = program.step(rows.double().numpy(), symbols.numpy())
    first, first_state = steps.start()
    pairs = [
        (found, logits[:, None]),
        *zip(state, _parts(after, state), strict=True),
        (program.first[0], first.double().numpy()[None]),
        *zip(program.first[1], _parts(first_state.double().numpy(), state), strict=True),
    ]
    for numbers, value in pairs:
        off = np.abs(numbers.centre - value)
        assert (off <= (numbers.radius if within is None else within)).all()
        assert (numbers.radius < 0.5).all()


def _parts(rows: Floats, state: tuple[Numbers, ...]) -> list[Floats]:
    shapes = [part.centre.shape[1:] for part in state]
    ends = np.cumsum([int(np.prod(shape)) for shape in shapes])[:-1]
    split = np.split(rows, ends, axis=1)
    return [part.reshape(-1, *shape) for part, shape in zip(split, shapes, strict=True)]


LAYERS = [name for name in MIXERS if name != WITHOUT_PROGRAM]


@pytest.mark.parametrize(
    "name",
    [
        name
        if name in ("deltanet-negative", "pd-ssm")
        else pytest.param(name, marks=pytest.mark.slow)
        for name in LAYERS
    ],
)
def test_a_layer_and_its_program(name: str) -> None:
    assert_computes_the_step(stack_of(name).double(), "float64", 1e-7)  # RetNet's decay is rounded
    assert_computes_the_step(stack_of(name), "float32", None)


@pytest.mark.parametrize("cell", [nn.GRU, nn.LSTM, nn.RNN])
def test_a_network_of_torchs_cells(cell: type[nn.GRU | nn.LSTM | nn.RNN]) -> None:
    assert_computes_the_step(OfCell(cell), "float32", None)


def test_a_step_with_choices_and_a_dictionary() -> None:
    assert_computes_the_step(Plain(), "float64", 1e-12)
    assert_computes_the_step(Plain(), "float32", None)


def test_a_step_of_rows_and_combined_choices() -> None:
    assert_computes_the_step(Choosing(), "float64", 1e-12)
    assert_computes_the_step(Choosing(), "float32", None)


def test_two_layers_have_the_weights_of_both() -> None:
    model = stack_of("deltanet", num_layers=2)
    _, traced = steps_and_program(model)
    assert set(model.state_dict()) <= set(traced.arrays)
    assert "@layers.1.expand.weight" in traced.text
    assert {name for name in traced.arrays if name.startswith(".")} <= {".0", ".1", ".2"}


class Branching(CountedParity):
    """A step that looks at its numbers in Python."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(1))

    def step(self, state: Tensor, symbols: Tensor) -> tuple[Tensor, Tensor]:
        if bool((state[:, 0] > 5).any()):
            return super().step(state * 0, symbols)
        return super().step(state, symbols)


class Twisted(CountedParity):
    """A step that uses an operation that programs do not have."""

    def step(self, state: Tensor, symbols: Tensor) -> tuple[Tensor, Tensor]:
        logits, after = super().step(state, symbols)
        return torch.special.bessel_j0(logits), after


class Widened(CountedParity):
    """A step that computes in a wider type than its weights have."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(1))

    def step(self, state: Tensor, symbols: Tensor) -> tuple[Tensor, Tensor]:
        logits, after = super().step(state, symbols)
        return (logits.double() * self.weight.double()).float(), after


class Counting(CountedParity):
    """A state with an integer."""

    def start(self) -> tuple[Tensor, Any]:
        logits, state = super().start()
        return logits, (state, torch.zeros(1, dtype=torch.long))

    def step(self, state: Any, symbols: Tensor) -> tuple[Tensor, Any]:
        logits, after = super().step(state[0], symbols)
        return logits, (after, state[1])


class Named(CountedParity):
    """A weight whose name is not one of Python."""

    def __init__(self) -> None:
        super().__init__()
        self.register_parameter("a-b", nn.Parameter(torch.zeros(1)))


class Stepped(CountedParity):
    """A step by a function of state and symbols, in the type of a weight."""

    def __init__(self, function: Callable[[Tensor, Tensor], Tensor]) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.tensor([[0.5], [2.0]]))
        self.function = function

    def step(self, state: Tensor, symbols: Tensor) -> tuple[Tensor, Tensor]:
        chosen = nn.functional.embedding(self.function(state, symbols), self.weight)
        logits, after = super().step(state, symbols)
        return logits + chosen, after


class Mapped(Stepped):
    """A step by a function whose values are added."""

    def step(self, state: Tensor, symbols: Tensor) -> tuple[Tensor, Tensor]:
        logits, after = CountedParity.step(self, state, symbols)
        return logits * self.weight[:1, 0] + self.function(state, symbols), after


def grid(state: Tensor) -> Tensor:
    """Return an array of shape `(2, 3)` for each word."""
    return state[:, :1, None] * torch.arange(6.0).view(1, 2, 3) + torch.tensor([1.0, -2.0, 0.5])


def windows(state: Tensor, symbols: Tensor) -> Tensor:
    """Convolve windows of 3, in 4 channels of 2 groups."""
    kernels, bias = torch.arange(-6.0, 6.0).view(2, 2, 3).sin(), torch.tensor([0.5, -1.5])
    channels = grid(state).repeat(1, 2, 1)
    return nn.functional.conv1d(channels, kernels, bias, groups=2)[:, :, 0]


def normed(state: Tensor, symbols: Tensor) -> Tensor:
    """Norm two axes together."""
    gain, bias = torch.arange(6.0).view(2, 3), torch.ones(2, 3)
    return nn.functional.layer_norm(grid(state), (2, 3), gain, bias)[:, :, 2]


@pytest.mark.parametrize(
    "model",
    [
        Mapped(lambda state, symbols: grid(state).std(-1)),
        Mapped(lambda state, symbols: grid(state).var((1, 2), correction=0)[:, None]),
        Mapped(lambda state, symbols: grid(state).repeat(1, 1, 2)[:, :, 4]),
        Mapped(lambda state, symbols: grid(state).min(-1).values),
        Mapped(lambda state, symbols: nn.functional.log_softmax(grid(state), -1)[:, :, 0]),
        Mapped(lambda state, symbols: nn.functional.hardtanh(grid(state))[:, :, 0]),
        Mapped(lambda state, symbols: nn.functional.relu6(3 * grid(state))[:, :, 0]),
        Mapped(windows),
        Mapped(normed),
        Mapped(lambda state, symbols: (state + 1) ** 2.0),
        Stepped(lambda state, symbols: (state[:, 0] > 0.5).long()),
    ],
)
def test_a_step_by_a_function(model: Any) -> None:
    steps = Steps(model, num_symbols=2, num_classes=2, name="Network")
    traced = trace(steps, model)
    assert not traced.reason, traced.reason
    program = TracedProgram(traced.text, traced.arrays, Arithmetic.of("float32"))
    _, rows = steps.read([[0, 0], [0, 1], [1, 1]])
    symbols = torch.tensor([0, 1, 1])
    logits, after = (part.double().numpy() for part in steps.step(rows, symbols))
    found, (state,) = program.step(rows.double().numpy(), symbols.numpy())
    assert (np.abs(found.centre[:, 0] - logits) <= found.radius[:, 0]).all()
    assert (np.abs(state.centre[:, 0] - after) <= state.radius[:, 0]).all()


@pytest.mark.parametrize(
    ("model", "why"),
    [
        (Branching(), "torch.export does not trace it"),
        (Twisted(), "it uses special_bessel_j0"),
        (Widened(), "float64"),
        (Counting(), "its state has torch.int64"),
        (Named().bfloat16(), "a-b is of torch.bfloat16"),
        (Named(), "'a-b' is the name of a weight"),
        (Mapped(lambda state, _: state + torch.rand(2)), "it draws at random"),
        (Mapped(lambda state, symbols: ((state > 0) + (state < 1)).float()), "add of booleans"),
        (Mapped(lambda state, symbols: state.sum(1, True, dtype=torch.int64)), "sum has settings"),
    ],
)
def test_steps_without_a_program(model: CountedParity, why: str) -> None:
    steps = Steps(model, num_symbols=2, num_classes=2, name="Network")
    assert why in trace(steps, model).reason
