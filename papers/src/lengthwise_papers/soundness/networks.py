r"""Networks that compute machines of bits: weights by hand, for `certify` and for other verifiers.

*Vectors.* Bit i is kept as x_i = 1 or -1 in one coordinate and -x_i in another, so that every
vector that memory recalls has the mean 0 and the same length, and layer norm changes nothing but a
common factor near 1.

*Terms.* A term of n literals is a hidden unit: with s the signs that its bits must have it sees
$\sum s_i x_i - (n - 1)$, which is 1 if the term holds and at most -1 if it does not. A bit is on if
one of its units is.

*Trees.* Head j of attention looks at the child j + 1 places back alone, by a bias of 60, and writes
its bits into coordinates of their own; units of the feed-forward network are the terms, and their
sums go to coordinates that nothing else uses, which memory keeps the signs of.

*Recurrences.* The units are the numbers before tanh, five times as large.
"""

from typing import Any

import torch
from torch import Tensor, nn

from lengthwise.models.binary_recurrent import BinaryRecurrent
from lengthwise.models.binary_recurrent_config import BinaryRecurrentConfig
from lengthwise.models.regular_gpt import RegularGPT, RegularGPTConfig
from lengthwise_papers.soundness.bits import Machine, Term

_STEEP = 5.0
_FAR = 60.0
"""A gate or an attention bias that decides: exp(-60) is below what either precision resolves."""
_OUTPUT = 0.5


def number_terms(machine: Machine) -> dict[Term, int]:
    """Number the distinct terms of a machine."""
    distinct = dict.fromkeys(term for terms in machine.terms for term in terms)
    return {term: number for number, term in enumerate(distinct)}


@torch.no_grad()
def recurrence(machine: Machine, *, cell: str, dtype: torch.dtype) -> BinaryRecurrent:
    """Return the recurrent network (`elman` or `gru`) that computes a machine."""
    units, bits = number_terms(machine), machine.registers.num_bits
    width = max(2 * bits, len(units)) + 1
    width += width % 2
    model = BinaryRecurrent(
        BinaryRecurrentConfig(
            vocab_size=len(machine.leaves),
            num_classes=2,
            cell="gru" if cell == "gru" else "elman",
            d_model=width,
            num_bits=bits,
        )
    ).to(dtype)
    _zero(model)
    into = slice(2 * width, 3 * width) if cell == "gru" else slice(0, width)
    symbols, step = torch.zeros(len(machine.leaves), width), torch.zeros(width, width)
    shift = torch.zeros(width)
    for term, unit in units.items():
        shift[unit] = -_STEEP * (len(term) - 1)
        for source, place, on in term:
            sign = _STEEP if on else -_STEEP
            if source == 0:
                step[unit, 2 * place] += sign
            else:
                symbols[:, unit] -= sign
                symbols[place, unit] += 2 * sign
    model.cell.symbols.weight[:, into] = symbols.to(dtype)
    model.cell.recurrent.weight[into] = step.to(dtype)
    model.cell.recurrent.bias[into] = shift.to(dtype)
    if cell == "gru":  # nothing is reset, and nothing is kept
        model.cell.recurrent.bias[:width] = _FAR
        model.cell.recurrent.bias[width : 2 * width] = -_FAR
    write = model.memory.write
    for bit, terms in enumerate(machine.terms):
        for term in terms:
            write.weight[bit, units[term]] += 0.5
        write.bias[bit] = 0.5 * len(terms) - _OUTPUT
    model.start[-1] = 1.0  # of which no cell makes anything but 0
    for bit, (on, terms) in enumerate(zip(machine.first, machine.terms, strict=True)):
        write.weight[bit, -1] = (1.0 if on else -1.0) * (len(terms) + 1)
    _recall(model, bits, off=0.0)
    _answer(model, machine)
    return model.eval()


@torch.no_grad()
def tree(machine: Machine, *, dtype: torch.dtype, extra: int = 0) -> RegularGPT:
    """Return the RegularGPT that computes a machine, with room for `extra` hidden units.

    Coordinates: 2 for each bit of a vector, 1 for each bit of every other child, 1 for each bit
    that is written, and the last one is free.
    """
    units, bits, chunk = number_terms(machine), machine.registers.num_bits, machine.chunk_size
    heads = chunk - 1
    width = 2 * bits + heads * bits + bits + 1
    width += -width % (2 * heads)
    model = RegularGPT(
        RegularGPTConfig(
            vocab_size=len(machine.leaves),
            num_classes=2,
            chunk_size=chunk,
            d_model=width,
            num_heads=heads,
            ff_factor=-(-(len(units) + extra) // width),
            norm="none",
            memory="binary",
            num_bits=bits,
            noise=0.0,
            embedding_scale=1.0,
        )
    ).to(dtype)
    _zero(model)
    for row, code in zip(model.embedding.weight, machine.leaves, strict=True):
        row.copy_(_vector(code, width, dtype))
    model.pad.copy_(_vector(machine.first, width, dtype))
    (layer,) = model.block
    size = width // heads
    for head in range(heads):
        layer.attention.bias[head, head + 1] = _FAR
        for bit in range(bits):
            layer.attention.key_value.weight[width + head * size + bit, 2 * bit] = 1.0
            layer.attention.output.weight[(2 + head) * bits + bit, head * size + bit] = 1.0
    for term, unit in units.items():
        see(model, machine, term, unit)
    memory: Any = model.memory
    for bit, terms in enumerate(machine.terms):
        output = (1 + chunk) * bits + bit
        layer.contract.bias[output] = -_OUTPUT
        memory.write.weight[bit, output] = 1.0
        for term in terms:
            layer.contract.weight[output, units[term]] = 1.0
    _recall(model, bits, off=-1.0)
    _answer(model, machine)
    return model.eval()


@torch.no_grad()
def see(model: RegularGPT, machine: Machine, pattern: Term, unit: int) -> None:
    """Let a hidden unit be the number of literals of a term that hold, less all but one."""
    (layer,) = model.block
    bits, chunk = machine.registers.num_bits, machine.chunk_size
    layer.expand.bias[unit] = 1.0 - len(pattern)
    for source, place, on in pattern:
        back = chunk - 1 - source
        column = 2 * place if back == 0 else (1 + back) * bits + place
        layer.expand.weight[unit, column] += 1.0 if on else -1.0


def _zero(model: nn.Module) -> None:
    for parameter in model.parameters():
        parameter.zero_()


def _vector(code: tuple[bool, ...], width: int, dtype: torch.dtype) -> Tensor:
    vector = torch.zeros(width, dtype=dtype)
    for bit, on in enumerate(code):
        vector[2 * bit] = 1.0 if on else -1.0
        vector[2 * bit + 1] = -vector[2 * bit]
    return vector


def _recall(model: RegularGPT | BinaryRecurrent, bits: int, *, off: float) -> None:
    """Let memory recall bits as 1 and -1, each with its negative beside it.

    `off` is what stands for a bit that is 0 where memory is read.
    """
    memory: Any = model.memory
    width = model.config.d_model
    for bit in range(bits):
        for column, sign in ((2 * bit, 1.0), (2 * bit + 1, -1.0)):
            memory.read.weight[column, bit] = sign * 2 / (1 - off)
            memory.read.bias[column] = -sign * (1 + off) / (1 - off)
    memory.norm.weight[: 2 * bits] = (2 * bits / width) ** 0.5


def _answer(model: RegularGPT | BinaryRecurrent, machine: Machine) -> None:
    """Read class 1 off where the scores of bits sum to more than 0."""
    bias = machine.bias
    for bit, score in enumerate(machine.scores):
        model.answer.weight[1, 2 * bit] = score / 2
        bias += score / 2
    model.answer.bias[1] = bias
