"""Compiled circuits: greedy decoding computes every gate, as surely as is claimed."""

import random
import time
from collections.abc import Callable

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from circuit_strategies import ALL_KINDS, all_inputs, circuits
from lengthwise.circuits.adders import adder, adder_circuit
from lengthwise.circuits.circuit import Circuit
from lengthwise.circuits.gate_sequence import GateSequence, GateStep
from lengthwise.circuits.gates import KINDS
from lengthwise.constructions import circuits as construction
from lengthwise.constructions.circuits import LEAK, MIN_ERROR, compile_circuit, min_logit
from lengthwise.constructions.nor_circuits import compile_nor
from lengthwise.errors import ConstructionError
from lengthwise.models.decoder import Decoder
from ordinary import few

FORMATS = (torch.float64, torch.float32, torch.bfloat16, torch.float16)


def right_words(sequence: GateSequence) -> Tensor:
    """The right sequences for all inputs."""
    return torch.from_numpy(sequence.complete_many(all_inputs(sequence.num_inputs)))


def complete(model: Decoder, sequence: GateSequence, words: Tensor) -> Tensor:
    """What greedy decoding makes of the inputs of these words."""
    return model.complete(words[:, : sequence.num_inputs], len(sequence.steps))


@torch.no_grad()
def margin(model: Decoder, sequence: GateSequence, words: Tensor) -> float:
    """By how much the logit of the right symbol is above the other, at least."""
    first = sequence.num_inputs
    logits = model(words[:, :-1])[:, first - 1 :].double()
    right = words[:, first:, None]
    return float((logits.gather(2, right) - logits.gather(2, 1 - right)).min())


@torch.no_grad()
def least_probability(model: Decoder, sequence: GateSequence, words: Tensor) -> float:
    """P(correct), at least."""
    first = sequence.num_inputs
    probability = model(words[:, :-1])[:, first - 1 :].softmax(dim=-1)
    return float(probability.gather(2, words[:, first:, None]).min())


def any_order(circuit: Circuit, seed: int) -> GateSequence:
    """The circuit with its gates in an order drawn from those that are possible."""
    chance = random.Random(seed)
    done, order, waiting = set(circuit.inputs), [], list(circuit.gates)
    while waiting:
        gate = chance.choice([g for g in waiting if done.issuperset(g.inputs)])
        waiting.remove(gate)
        done.add(gate.name)
        order.append(gate.name)
    return circuit.sequence(order)


def of_all_kinds() -> GateSequence:
    """Every kind of gate, of different sources and of the same, early and late."""
    steps: list[GateStep] = []
    for kind in ALL_KINDS * 2:
        count = len(KINDS[kind]).bit_length() - 1
        last = 3 + len(steps)
        steps += [
            GateStep(kind=kind, sources=sources[:count]) for sources in ((0, 1), (1, 2), (2, 2))
        ]
        steps.append(GateStep(kind=kind, sources=(last, 0)[:count]))
    names = tuple(f"s{i}" for i in range(3 + len(steps)))
    return GateSequence(num_inputs=3, steps=tuple(steps), outputs=(2,), names=names)


def pairs(n: int, count: int, representation: int) -> tuple[GateSequence, Tensor]:
    """The right sequences for random pairs of numbers; their sums are checked as integers."""
    sequence = adder(n, representation)
    inputs = np.random.default_rng(n).integers(0, 2, (count, 2 * n)).astype(np.bool_)
    words = sequence.complete_many(inputs)
    powers = [2**i for i in range(n)]
    for word in words[:100].tolist():
        a, b, total = (
            sum(p * bit for p, bit in zip(powers, bits, strict=True))
            for bits in (word[:n], word[n : 2 * n], [word[i] for i in sequence.outputs])
        )
        assert total == (a + b) % 2**n
    return sequence, torch.from_numpy(words)


@settings(max_examples=few(6, 20))
@given(circuit=circuits(max_inputs=10, min_gates=5, max_gates=60), seed=st.integers(0, 2**32))
def test_any_circuit_in_any_order_is_completed_for_all_inputs(circuit: Circuit, seed: int) -> None:
    sequence = any_order(circuit, seed)
    words = right_words(sequence)
    model = compile_circuit(sequence, error=1e-6)
    assert torch.equal(complete(model, sequence, words), words)
    assert least_probability(model, sequence, words) > 1 - 1e-6
    assert margin(model, sequence, words) >= min_logit(1e-6)


@pytest.mark.slow_except(
    "0.49-1000.0",
    "1e-06-1000.0",
    "1e-12-1e-05",
    "2.220446049250313e-16-1.0",
    "2.220446049250313e-16-1000.0",
    "2.220446049250313e-16-1e-05",
)
@pytest.mark.parametrize("epsilon", [0.0, 1e-5, 1.0, 1e3])
@pytest.mark.parametrize("error", [0.49, 0.1, 1e-6, 1e-12, MIN_ERROR])
def test_every_kind_of_gate_is_as_sure_as_claimed(error: float, epsilon: float) -> None:
    sequence = of_all_kinds()
    words = right_words(sequence)
    model = compile_circuit(sequence, error=error, epsilon=epsilon)
    assert model.config.epsilon == epsilon
    assert torch.equal(complete(model, sequence, words), words)
    assert least_probability(model, sequence, words) > 1 - error
    assert margin(model, sequence, words) >= min_logit(error)


def test_the_margin_is_not_far_from_the_bound_of_the_proof() -> None:
    """So the bound says something: a weaker read-out would miss it."""
    sequence, words = pairs(32, 20, 1)
    assert margin(compile_circuit(sequence), sequence, words) < 1.1 * min_logit(1e-6)


@pytest.mark.parametrize("dtype", FORMATS, ids=str)
def test_every_kind_of_gate_in_every_format(dtype: torch.dtype) -> None:
    sequence = of_all_kinds()
    words = right_words(sequence)
    model = compile_circuit(sequence).to(dtype)
    assert torch.equal(complete(model, sequence, words), words)
    assert margin(model, sequence, words) > 0.95 * min_logit(1e-6)


@pytest.mark.parametrize("representation", [1, 2])
def test_attention_is_at_the_sources_but_for_the_stated_leak(representation: int) -> None:
    sequence, words = pairs(16, 5, representation)
    weights = compile_circuit(sequence).attention_weights(words[:, :-1])[0, :, 0]
    for place, step in enumerate(sequence.steps, start=sequence.num_inputs - 1):
        if step.sources:
            shares = weights[:, place, list(step.sources)]
            assert float(shares.sum(dim=-1).min()) >= 1 - LEAK
            assert torch.equal(shares.amin(dim=-1), shares.amax(dim=-1))


def test_units_are_silent_at_places_whose_gate_does_not_use_them() -> None:
    sequence = of_all_kinds()
    model = compile_circuit(sequence)
    found: list[Tensor] = []
    model.block[0].expand.register_forward_hook(lambda *call: found.append(call[2].detach().relu()))
    model(right_words(sequence)[:, :-1])
    rise, fall, right, left = range(4)
    used = {"AND": {rise}, "OR": {rise}, "NAND": {fall}, "NOR": {fall}, "NOT": {fall}}
    used["XOR"] = {right, left}
    hidden = found[0][:, sequence.num_inputs - 1 :].amax(dim=0)
    for row, step in zip(hidden, sequence.steps, strict=True):
        loud = {unit for unit in (rise, fall, right, left) if float(row[unit]) > 0}
        assert loud == used.get(step.kind, set())


def test_nothing_is_claimed_of_inputs() -> None:
    sequence, words = pairs(4, 8, 2)
    logits = compile_circuit(sequence)(words[:, :-1])
    inputs, gates = logits[:, : 2 * 4 - 1], logits[:, 2 * 4 - 1 :]
    torch.testing.assert_close(inputs, torch.zeros_like(inputs), rtol=0, atol=1e-12)
    assert float(gates.detach().abs().min()) > 1


@pytest.mark.parametrize(
    "compiler", [compile_circuit, compile_nor], ids=["compile_circuit", "compile_nor"]
)
def test_the_smallest_circuits(compiler: Callable[[GateSequence], Decoder]) -> None:
    steps = (GateStep(kind="NOT", sources=(0,)), GateStep(kind="NOR", sources=(1, 1)))
    for count in range(3):
        sequence = GateSequence(
            num_inputs=1, steps=steps[:count], outputs=(count,), names=("x", "y", "z")[: count + 1]
        )
        words = torch.tensor([[0, 1, 0], [1, 0, 1]])[:, : count + 1]
        assert torch.equal(complete(compiler(sequence), sequence, words), words)


@settings(max_examples=15)
@given(circuit=circuits(max_inputs=6, min_gates=1, max_gates=20), seed=st.integers(0, 2**32))
def test_any_circuit_of_nor_gates_is_completed_by_the_printed_entries(
    circuit: Circuit, seed: int
) -> None:
    sequence = any_order(circuit.as_nor(), seed)
    words = right_words(sequence)
    model = compile_nor(sequence, error=1e-6)
    assert torch.equal(complete(model, sequence, words), words)
    assert least_probability(model, sequence, words) > 1 - 1e-6
    assert margin(model, sequence, words) > min_logit(2e-6)


@pytest.mark.parametrize("error", [0.49, 1e-12, MIN_ERROR])
def test_nor_gates_are_as_sure_as_claimed(error: float) -> None:
    sequence = adder_circuit(3).as_nor().sequence()
    words = right_words(sequence)
    model = compile_nor(sequence, error=error)
    assert least_probability(model, sequence, words) > 1 - error
    assert torch.equal(complete(model, sequence, words), words)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16], ids=str)
def test_nor_gates_in_formats_that_hold_their_logits(dtype: torch.dtype) -> None:
    sequence = adder_circuit(2).as_nor().sequence()
    words = right_words(sequence)
    model = compile_nor(sequence).to(dtype)
    assert torch.equal(complete(model, sequence, words), words)


def test_logits_of_the_printed_entries_are_past_float16() -> None:
    sequence = adder_circuit(2).as_nor().sequence()
    model = compile_nor(sequence)
    assert float(model.answer.weight.detach().max()) > torch.finfo(torch.float16).max
    assert margin(model, sequence, right_words(sequence)) > torch.finfo(torch.float16).max


@pytest.mark.parametrize("representation", [1, 2])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_all_pairs_of_small_numbers_are_added(n: int, representation: int) -> None:
    sequence = adder(n, representation)
    words = right_words(sequence)
    assert len(words) == 4**n
    model = compile_circuit(sequence)
    assert torch.equal(complete(model, sequence, words), words)
    assert margin(model, sequence, words) >= min_logit(1e-6)


LARGEST = pytest.param(64, 3, marks=pytest.mark.slow)


@pytest.mark.slow_except("8-300-1", "8-300-2")
@pytest.mark.parametrize("representation", [1, 2])
@pytest.mark.parametrize(("n", "count"), [(8, 300), (16, 100), (32, 20), LARGEST])
def test_pairs_of_large_numbers_are_added(n: int, count: int, representation: int) -> None:
    sequence, words = pairs(n, count, representation)
    model = compile_circuit(sequence)
    assert torch.equal(complete(model, sequence, words), words)
    assert margin(model, sequence, words) >= min_logit(1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("representation", [1, 2])
@pytest.mark.parametrize("n", [8, 16, 32, 64])
def test_ten_thousand_pairs_are_added(
    n: int, representation: int, record_property: Callable[[str, object], None]
) -> None:
    """In float32, whose margin is tested beside it."""
    sequence, words = pairs(n, 10_000, representation)
    model = compile_circuit(sequence).float()
    start = time.perf_counter()
    assert torch.equal(complete(model, sequence, words), words)
    record_property("seconds", round(time.perf_counter() - start, 1))
    assert margin(model, sequence, words[:100]) > min_logit(1e-6)


@pytest.mark.slow
@settings(max_examples=200)
@given(circuit=circuits(max_inputs=10, min_gates=5, max_gates=60), seed=st.integers(0, 2**32))
def test_many_circuits_are_completed_for_all_inputs(circuit: Circuit, seed: int) -> None:
    sequence = any_order(circuit, seed)
    words = right_words(sequence)
    model = compile_circuit(sequence)
    assert torch.equal(complete(model, sequence, words), words)
    assert margin(model, sequence, words) >= min_logit(1e-6)


NO_SHARE = (0.0, -1.0, 0.5, 1.0, float("nan"), float("inf"))


@pytest.mark.parametrize("compiler", [compile_circuit, compile_nor])
@pytest.mark.parametrize(
    ("error", "says"),
    [
        *((error, f"0 < error < 1/2, but error={error}") for error in NO_SHARE),
        *((error, r"below 2\.2e-16, the least") for error in (1e-20, 0.99 * MIN_ERROR)),
    ],
)
def test_errors_that_are_no_share_or_that_floats_cannot_reach_are_refused(
    error: float, says: str, compiler: Callable[..., Decoder]
) -> None:
    sequence = adder_circuit(1).as_nor().sequence()
    with pytest.raises(ConstructionError, match=rf"^[^\n]*{says}"):
        compiler(sequence, error=error)


@pytest.mark.parametrize("epsilon", [-1e-9, float("nan")])
def test_an_epsilon_that_is_not_added_to_a_variance_is_refused(epsilon: float) -> None:
    with pytest.raises(ConstructionError, match="epsilon >= 0"):
        compile_circuit(adder(1, 1), epsilon=epsilon)


def test_a_gate_that_the_printed_entries_do_not_know_is_refused() -> None:
    with pytest.raises(ConstructionError, match=r"^[^\n]*'d1' is XOR\. Use Circuit\.as_nor first"):
        compile_nor(adder_circuit(1).sequence(["d1", "c1", "e1", "f1", "g1", "c2"]))


@pytest.mark.parametrize("compiler", [compile_circuit, compile_nor])
def test_a_circuit_that_is_too_large_is_refused(
    compiler: Callable[..., Decoder], monkeypatch: pytest.MonkeyPatch
) -> None:
    sequence = adder_circuit(2).as_nor().sequence()
    monkeypatch.setattr(construction, "MAX_SYMBOLS", sequence.length)
    compiler(sequence)
    monkeypatch.setattr(construction, "MAX_SYMBOLS", sequence.length - 1)
    message = rf"^[^\n]*has {sequence.length} inputs and gates[^\n]*{sequence.length - 1} are"
    with pytest.raises(ConstructionError, match=message):
        compiler(sequence)
