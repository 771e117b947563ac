"""Bounds that round inwards: each is accepted where the honest one refuses, in a checked file.

Of a proved network one bias is moved until some number before a sign is just within its bound on
rounding of 0. Every code is the same as before, but the honest checker must refuse, since rounding
could turn that sign over. Then a checker is planted whose bound is left out, halved, or at the
wrong end, and it must accept: nothing but that bound stood between the network and a proof. A fault
that is planted in the source instead makes the two checkers one, and these tests fail.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
import torch

from lengthwise.errors import CertificateError
from lengthwise.languages.spec import parse
from lengthwise.problems.planning import make_plan
from lengthwise.problems.runs import train
from lengthwise.proofs.check import balls, slot_node
from lengthwise.proofs.check.balls import Arithmetic
from lengthwise.proofs.check.certificate import Certificate
from lengthwise.proofs.check.induction import check
from lengthwise.proofs.check.slot_node import SlotNode
from lengthwise.proofs.search.certify import certify
from proofs.recurrent import automaton_of, random_recurrence


def accepts(claim: Certificate) -> bool:
    """Whether the checker believes a certificate."""
    with suppress(CertificateError):
        check(claim)
        return True
    return False


def with_bias(claim: Certificate, name: str, bit: int, shift: float) -> Certificate:
    """The certificate of a network with another bias, signed again."""
    bias = claim.weights[name].copy()
    bias[bit] += shift
    return replace(claim, weights={**claim.weights, name: bias})


def just_refused(claim: Certificate, name: str) -> Certificate:
    """The certificate with a bias that the checker would accept if it were the next number."""
    low, high = 0.0, 64.0
    assert accepts(claim)
    assert not accepts(with_bias(claim, name, 0, -high))
    while high - low > 1e-9:
        middle = (low + high) / 2
        is_fine = accepts(with_bias(claim, name, 0, -middle))
        low, high = (middle, high) if is_fine else (low, middle)
    refused = with_bias(claim, name, 0, -high)
    with pytest.raises(CertificateError, match=r"every sign is certain|cannot change a product"):
        check(refused)
    return refused


@lru_cache
def of_slots() -> Certificate:
    """A structural certificate that the honest checker refuses for want of rounding alone."""
    run = train(make_plan("tomita-3", "regular-gpt-slots"), device="cpu")
    return just_refused(certify(run.model, parse("tomita-3")), "write.bias")


@lru_cache
def of_recurrence(cell: str) -> Certificate:
    """The same of a recurrent network."""
    model = random_recurrence(3, dtype=torch.float32, cell=cell)
    return just_refused(certify(model, automaton_of(model)), "memory.write.bias")


# ---- planted bounds ------------------------------------------------------------------------------


def _zero(radius: Any) -> Any:
    return np.zeros_like(radius)


def _halve(honest: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *given: 0.5 * honest(*given)


def _round_up(honest: Callable[..., Any]) -> Callable[..., Any]:
    def own_weights(node: SlotNode) -> Any:
        lowest, moved = honest(node)
        return lowest * np.exp(4.0 * moved), moved

    return own_weights


def _exact_numbers(arithmetic: Arithmetic, x: Any, matrix: Any) -> Any:
    numbers, radius = x.centre @ matrix.weight.T + matrix.bias, x.radius[..., None] * matrix.rows
    return numbers, radius


OF_SLOTS: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "no rounding of products": lambda patch: patch.setattr(
        SlotNode, "_rounding", lambda *given: _zero(given[2])
    ),
    "half the rounding of products": lambda patch: patch.setattr(
        SlotNode, "_rounding", _halve(SlotNode._rounding)
    ),
    "radii that shrink": lambda patch: patch.setattr(
        slot_node, "outward", lambda radius: 0.5 * radius
    ),
    "weights of attention that are rounded up": lambda patch: patch.setattr(
        SlotNode, "_own_weights", _round_up(SlotNode._own_weights)
    ),
}

OF_RECURRENCES: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "no rounding in any operation": lambda patch: patch.setattr(
        Arithmetic, "safe", lambda *given: _zero(given[2])
    ),
    "no rounding before the signs": lambda patch: patch.setattr(
        Arithmetic, "numbers", _exact_numbers
    ),
    "radii that shrink": lambda patch: patch.setattr(balls, "outward", lambda radius: 0.5 * radius),
    "no rounding of gates": lambda patch: patch.setattr(Arithmetic, "add", lambda _, x, y: x + y),
}


@pytest.mark.slow_for("no rounding of products")
@pytest.mark.parametrize("name", OF_SLOTS)
def test_a_structural_proof_rests_on_each_bound(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    claim = of_slots()
    assert not accepts(claim)
    OF_SLOTS[name](monkeypatch)
    assert accepts(claim)


@pytest.mark.slow_for("no rounding in any operation-elman", "no rounding in any operation-gru")
@pytest.mark.parametrize("cell", ["gru", "elman"])
@pytest.mark.parametrize("name", OF_RECURRENCES)
def test_a_recurrent_proof_rests_on_each_bound(
    cell: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    claim = of_recurrence(cell)
    assert not accepts(claim)
    OF_RECURRENCES[name](monkeypatch)
    assert accepts(claim)
