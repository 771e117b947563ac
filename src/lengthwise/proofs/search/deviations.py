"""Measured differences between models as they run and their node functions in float64."""

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from lengthwise.layers.memory import BinaryMemory
from lengthwise.models.binary_recurrent import BinaryRecurrent
from lengthwise.models.regular_gpt import RegularGPT
from lengthwise.models.state_slots import StateSlots
from lengthwise.models.threads import processor_threads
from lengthwise.models.window_scratchpad import WindowScratchpad
from lengthwise.proofs.check.balls import Floats
from lengthwise.proofs.check.node import Node
from lengthwise.proofs.check.recurrent_node import RecurrentNode
from lengthwise.proofs.check.slot_node import SlotNode
from lengthwise.proofs.check.window_node import WindowNode
from lengthwise.proofs.search.binary_algebra import BinaryAlgebra
from lengthwise.proofs.search.code_recurrence import CodeRecurrence

_SAMPLE = 4096
_ALONE = 64
_PAIRS = 32


@torch.no_grad()
def measure_difference(model: RegularGPT, node: Node, algebra: BinaryAlgebra) -> float:
    """Return the largest difference of numbers before the sign between the running model and
    float64.

    It is taken over a sample of the explored chunks: in one batch, one by one, and with another
    number of threads.
    """
    memory = model.memory
    assert isinstance(memory, BinaryMemory)
    device = model.pad.device
    codes = torch.from_numpy(algebra.codes).to(device)
    leaves = model.leaf(torch.arange(model.config.vocab_size, device=device))
    worst = 0.0
    for level, below, same in (
        (0, leaves, node.leaves()),
        (1, memory.recall(codes), node.recall(algebra.codes)),
    ):
        children = algebra.evaluate(level, _SAMPLE)
        exact, _ = node.numbers(node.gather(same, children))
        rows = torch.from_numpy(children).to(device)

        def numbers(part: slice, below: Tensor = below, rows: Tensor = rows) -> Tensor:
            return memory.numbers(model.gather(below, rows[part]))

        worst = max(worst, _largest(numbers, exact))
    return worst


@torch.no_grad()
def measure_steps(model: BinaryRecurrent, node: RecurrentNode, known: CodeRecurrence) -> float:
    """Return the same of a recurrent network: over the start and steps that were taken."""
    device = model.start.device
    elements, symbols = known.sample_steps(_SAMPLE)
    distinct, row = np.unique(elements, return_inverse=True)
    codes = known.codes(distinct).astype(np.bool_)
    exact, _ = node.numbers(node.recall(codes)[row], symbols)
    bits, symbol_batch = (
        torch.from_numpy(codes[row]).to(device),
        torch.from_numpy(symbols).to(device),
    )

    def step(part: slice) -> Tensor:
        return model.memory.numbers(model.cell(model.memory.recall(bits[part]), symbol_batch[part]))

    def start(part: slice) -> Tensor:
        return model.memory.numbers(model.start[None])[part]

    return max(_largest(step, exact), _largest(start, node.start_numbers()[0]))


@torch.no_grad()
def measure_tokens(model: WindowScratchpad, node: WindowNode, known: CodeRecurrence) -> float:
    """Return the same of a scratchpad: over the logits of tokens, in steps that were taken.

    It is 0 where there is one token alone, whose logit decides nothing.
    """
    if node.base == 1:
        return 0.0
    first = model.first_context
    elements, symbols = known.sample_steps(_SAMPLE)
    contexts = np.concatenate([known.codes(elements), symbols[:, None]], axis=1)
    contexts = np.concatenate([first.cpu().numpy(), contexts]).astype(np.int64)
    inputs = torch.from_numpy(contexts).to(first.device)

    def logits(part: slice) -> Tensor:
        return model.logits(inputs[part])

    return _largest(logits, node.logits(contexts)[0])


@torch.no_grad()
def measure_products(model: StateSlots, node: SlotNode) -> float:
    """Return the same of a network with a slot for each state: over random pairs of nodes.

    The left ones are valid, so that `node.apart` bounds the difference.
    """
    slots, bits = model.config.num_slots, model.config.num_bits
    draw = np.random.default_rng(0)
    places = np.arange(bits)
    left = (node.states @ 2**places)[draw.integers(0, slots, size=(_PAIRS, slots))]
    right = draw.integers(0, 2**bits, size=(_PAIRS, slots))
    exact = node.numbers(left[..., None] >> places & 1 == 1, right[..., None] >> places & 1 == 1)
    device = model.pad.device
    before, after = torch.from_numpy(left).to(device), torch.from_numpy(right).to(device)

    def numbers(part: slice) -> Tensor:
        weights = model.weights(before[part].reshape(-1)).view(-1, slots, slots)
        return model.numbers(weights, model.signs(after[part]))

    return _largest(numbers, exact)


@np.errstate(invalid="ignore")
def _largest(numbers: Callable[[slice], Tensor], exact: Floats) -> float:
    """Return the largest difference over all rows together, by one and by two threads, and over
    some of them alone."""
    count, worst = len(exact), 0.0
    ways = [(0, count, 1), (0, count, 2)]
    ways += [(index, index + 1, 1) for index in range(min(_ALONE, count))]
    for first, last, threads in ways:
        with processor_threads(threads):
            computed = numbers(slice(first, last))
        off = np.abs(computed.double().cpu().numpy() - exact[first:last])
        worst = max(worst, float(off.max(initial=0.0)) if np.isfinite(off).all() else np.inf)
    return worst
