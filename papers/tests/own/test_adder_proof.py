"""The proof of the hand-made adder: its intervals contain what the network computes."""

from dataclasses import replace

import numpy as np
import pytest

from lengthwise_papers.own.adder_proof import HandMadeProof
from lengthwise_papers.own.tiny_adders import DIGITS, HandMade, right_sums

KINDS = [np.float32, np.float64]


@pytest.mark.parametrize("kind", KINDS)
def test_weights_of_the_head_are_within_their_intervals(kind: type) -> None:
    network, proof = HandMade(kind), HandMadeProof(kind)
    draw = np.random.default_rng(0)
    for place in (30, 35, 40):
        tokens = draw.integers(0, 10, (20, place + 1))
        places = np.broadcast_to(np.arange(place + 1), tokens.shape)
        score = network.queries(tokens[:, -1], place)[:, None] * network.keys(tokens, places)
        power = np.exp(score.sum(axis=2) - score.sum(axis=2).max(axis=1, keepdims=True))
        weight = power / power.sum(axis=1, keepdims=True)
        bounds = proof.weights_at(place)
        assert (bounds.low <= weight).all()
        assert (weight <= bounds.high).all()
        assert (bounds.high - bounds.low).max() < 2e-3


@pytest.mark.parametrize("kind", KINDS)
def test_right_digits_are_ahead_by_the_margin_at_least(kind: type) -> None:
    network, proof = HandMade(kind), HandMadeProof(kind)
    draw = np.random.default_rng(1)
    a, b = (draw.integers(0, 10, (300, DIGITS)) for _ in "ab")
    a[:100] = 9 - b[:100]  # carries, or just none
    sums = right_sums(a, b)
    digits = {"a": a, "b": b}
    prompt = [
        np.zeros(len(a), dtype=int) if name == "0" else digits[name[0]][:, int(name[1:])]
        for name in HandMade.prompt
    ]
    for t in (0, 1, 6, DIGITS):
        tokens = np.stack([*prompt, *sums.T[:t]], axis=1)
        logits = network.write(tokens).astype(np.float64)
        right = logits[np.arange(len(a)), sums[:, t]]
        logits[np.arange(len(a)), sums[:, t]] = -np.inf
        margin = proof.margin(t)
        assert 0 < margin <= (right - logits.max(axis=1)).min()


@pytest.mark.parametrize(
    "change", [{"gate": (128 * -89.0, 128e3)}, {"value": -15000.0}, {"omega": 2 * np.pi / 18}]
)
def test_other_weights_are_not_proved(change: dict[str, object]) -> None:
    weights = replace(HandMade.weights, **change)  # type: ignore[arg-type]
    assert min(HandMadeProof(np.float64, weights).margin(t) for t in (1, 5)) <= 0
