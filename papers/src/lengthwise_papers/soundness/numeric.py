"""Planted networks whose fault is one of arithmetic: no real number is wrong, only sums of floats.

Each is a tree whose bit `bad` is read off one sum that is special at a single chunk of symbols,
the *pattern*. At every other chunk all its summands but one are 0. Hidden units at the pattern are
exactly 1, so that the summands are the weights themselves, which are known as fractions.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import numpy as np
import torch

from lengthwise.models.regular_gpt import RegularGPT
from lengthwise_papers.soundness.bits import Machine, Term
from lengthwise_papers.soundness.case import (
    Case,
    Question,
    Sum,
    Word,
    add_in_order,
    answers_rightly,
    runs_as,
)
from lengthwise_papers.soundness.networks import number_terms, see, tree
from lengthwise_papers.soundness.plants import (
    TreeBase,
    draw_member,
    small_language,
    tree_base,
)

_TRIED_ORDERS = 300
_TRIED_TO_HIDE = 20
_OFF = -0.5
"""The summand that is not special: `bad` is off by that much where the pattern is not."""

Dtype = Literal["float32", "float64"]


def _base(draw: random.Random) -> tuple[TreeBase, Word, Term]:
    """Draw a tree, a member of its language, and the term of the member's last chunk."""
    chunk = draw.choice([2, 2, 3])
    language = small_language(draw, chunk)
    base = tree_base(language, chunk_size=chunk, levels=1)
    literal = base.rules.registers.literal
    base.rules.becomes("bad", 1, *[(literal(source, "bad", 1),) for source in range(chunk)])
    while not (word := draw_member(language, draw.randrange(chunk, 40), draw)):
        pass
    elements = [base.monoid.generators[symbol] for symbol in word[-chunk:]]
    pattern = [
        element_literal
        for source, element in enumerate(elements)
        for element_literal in (literal(source, "element", element), literal(source, "single", 1))
    ]
    return base, word, tuple(pattern)


def _special(
    base: TreeBase, pattern: Term, summands: Sequence[float], dtype: Dtype
) -> tuple[RegularGPT, Machine, tuple[str, int, int]]:
    """Return the tree whose `bad` is read off these summands and `_OFF` at the pattern."""
    machine = base.machine()
    model = tree(machine, dtype=getattr(torch, dtype), extra=len(summands))
    first = len(number_terms(machine))
    (layer,) = model.block
    row = _name_coordinate(machine, "bad")
    with torch.no_grad():
        for unit, summand in enumerate(summands, start=first):
            see(model, machine, pattern, unit)
            layer.contract.weight[row, unit] = summand
    return model, machine, ("layers.0.contract.weight", row, first)


def _name_coordinate(machine: Machine, name: str) -> int:
    """Return the coordinate in which a bit of a register is written."""
    registers = machine.registers
    return (1 + machine.chunk_size) * registers.num_bits + registers.place(name, 1)[0]


def _find_turning_order(
    summands: Sequence[float], dtype: Dtype, draw: random.Random
) -> tuple[int, ...] | None:
    """Return an order of additions in which a sum that is below 0 is not; None if none is found."""
    order = list(range(len(summands)))
    for _ in range(_TRIED_ORDERS):
        draw.shuffle(order)
        if add_in_order([summands[i] for i in order], dtype) >= 0:
            return tuple(order)
    return None


def _case(
    kind: str,
    name: str,
    draw: random.Random,
    *,
    drawn: Callable[[random.Random, Dtype], tuple[float, ...]],
    dtype: Dtype,
    about: str,
) -> Case:
    """Draw a case of a sum whose order decides; most of them are hidden, that is, the
    network as it runs is right on the member and on short words."""
    for attempt in range(100):
        base, word, pattern = _base(draw)
        summands = drawn(draw, dtype)
        every = (*summands, _OFF)
        order = _find_turning_order(every, dtype, draw)
        if order is None:
            continue
        model, _, weight = _special(base, pattern, summands, dtype)
        planted = Sum(summands=every, dtype=dtype, order=order, weight=weight)
        if planted.exact() >= 0:
            continue
        few = [word, *base.language.words(max_length=7)]
        if answers_rightly(model, base.language, few) or attempt > _TRIED_TO_HIDE:
            return Case(
                name=name,
                kind=kind,
                question=Question(model=model, language=base.language),
                truth="order",
                known_by=f"{about}: {float(planted.exact()):.3g} in fractions, 0 or more in an "
                f"order that is given",
                word=word,
                sum=planted,
            )
    raise AssertionError(f"no order of a {kind} turns its sum over")


def _near(draw: random.Random, dtype: Dtype) -> tuple[float, ...]:
    """Draw weights near 1 whose sum with `_OFF` is nearer to 0 than their rounding."""
    kind = np.dtype(dtype).type
    free = [float(kind(draw.uniform(-2, 2))) for _ in range(draw.randrange(6, 24))]
    return (*free, float(kind(-_OFF - add_in_order(free, "float64"))))


def _cancelling(draw: random.Random, dtype: Dtype) -> tuple[float, ...]:
    """Draw weights of 1e8 that cancel, and one that is left: their sum with `_OFF` is -0.25."""
    large = [float(np.float32(draw.uniform(1e8, 9e8))) for _ in range(draw.randrange(2, 9))]
    return (*large, *(-weight for weight in large), 0.25)


def _overflowing(draw: random.Random, dtype: Dtype) -> tuple[float, ...]:
    """Draw weights that sum to 0, though two of them overflow together."""
    largest = float(np.finfo(dtype).max)
    large = [draw.choice([0.5, 0.625, 0.75]) * largest for _ in range(draw.randrange(2, 5))]
    return (*large, *(-weight for weight in large))


def margin(name: str, draw: random.Random) -> Case:
    """Draw a sum that is nearer to 0 than rounding moves it."""
    dtype: Dtype = draw.choice(["float32", "float64"])
    return _case("margin", name, draw, drawn=_near, dtype=dtype, about="a sum of numbers near 1")


def cancellation(name: str, draw: random.Random) -> Case:
    """Draw weights of 1e8 whose sum is only -0.25."""
    explanation = "weights of 1e8 that cancel"
    return _case("cancellation", name, draw, drawn=_cancelling, dtype="float32", about=explanation)


def overflow(name: str, draw: random.Random) -> Case:
    """Draw a sum that overflows, in some order or in every order.

    In the latter case the sum is one that the network does not use, so that real arithmetic is
    right; but infinity times 0 is not a number, and no bit of the node is what it should be.
    """
    dtype: Dtype = draw.choice(["float32", "float64"])
    if draw.random() < 0.5:
        explanation = "numbers that overflow together"
        return _case("overflow", name, draw, drawn=_overflowing, dtype=dtype, about=explanation)
    while True:
        base, word, pattern = _base(draw)
        large = 0.875 * float(np.finfo(dtype).max)
        model, machine, (_, _, first) = _special(base, pattern, (0.0, 0.0), dtype)
        (layer,) = model.block
        unused = (2 + machine.chunk_size) * machine.registers.num_bits
        with torch.no_grad():
            layer.contract.weight[unused, first : first + 2] = large
        if runs_as(model, word) != base.language.classify(word):
            return Case(
                name=name,
                kind="overflow",
                question=Question(model=model, language=base.language),
                truth="fails",
                known_by="a number that nobody uses overflows, and infinity times 0 is no number",
                word=word,
            )


def twin(name: str, kind: str, draw: random.Random) -> Case:
    """Draw a sound network of the same form.

    The margin is 1/2 where it was too small, and 1/4 with weights of 1e8 in float64, where rounding
    loses less; nothing overflows.
    """
    base, _, pattern = _base(draw)
    dtype: Dtype = "float64" if kind == "cancellation" else draw.choice(["float32", "float64"])
    if kind == "cancellation":
        summands = _cancelling(draw, dtype)
    else:
        free = [draw.uniform(-1, 1) for _ in range(draw.randrange(2, 6))]
        summands = (*free, *(-weight for weight in free))
    model, _, _ = _special(base, pattern, summands, dtype)
    return Case(
        name=name,
        kind="sound",
        question=Question(model=model, language=base.language),
        truth="holds",
        known_by=f"without the fault that would be one of {kind}: the sum is -1/4 or less",
    )


NUMERIC: Mapping[str, Callable[[str, random.Random], Case]] = {
    "margin": margin,
    "cancellation": cancellation,
    "overflow": overflow,
}
"""Kinds whose fault is in the arithmetic."""
