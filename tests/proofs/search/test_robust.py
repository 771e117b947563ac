"""Balls that hold all vectors of a network: where they exist they are found, and they are true."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest
import torch

from lengthwise.errors import CertificateError, VerificationError
from lengthwise.languages.spec import parse
from lengthwise.models.regular_gpt import RegularGPT, RegularGPTConfig
from lengthwise.proofs.check.balls import Ball
from lengthwise.proofs.check.certificate import Certificate
from lengthwise.proofs.check.induction import check
from lengthwise.proofs.check.tight_node import TightNode
from lengthwise.proofs.search.certify import certify
from lengthwise.proofs.search.extraction import extract_algebra
from lengthwise.proofs.search.network import node_of, weights_of
from lengthwise.proofs.search.robust import robustness


def parity_by_hand(slope: float = 4.0, leak: float = 0.0) -> RegularGPT:
    """Coordinate 0 holds a bit, coordinate 1 the sum of two; relus make the exclusive or of them.

    Around 0, 1 and 2 the exclusive or is flat, so small errors vanish; `leak` lets a share of the
    bit through, so that they do not.
    """
    model = RegularGPT(
        RegularGPTConfig(
            vocab_size=2, num_classes=2, d_model=4, num_heads=1, norm="none", pad="learned"
        )
    )
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
        model.embedding.weight[1, 0] = 0.5  # times sqrt(4)
        (layer,) = model.block
        layer.attention.key_value.weight[4 + 0, 0] = 1.0
        layer.attention.output.weight[1, 0] = 2.0
        expand, contract = layer.expand, layer.contract
        for place, kept in enumerate((leak, 0.0, 0.0, 0.0)):  # x - (1 - kept) (relu(x + 1) - 1)
            expand.weight[place, place] = expand.bias[place] = 1.0
            contract.weight[place, place], contract.bias[place] = kept - 1.0, 1.0 - kept
        for unit, (start, sign) in enumerate(
            ((0.25, 1), (0.25 + 1 / slope, -1), (1.5, -1), (1.5 + 1 / slope, 1)), start=4
        ):
            expand.weight[unit, 1], expand.bias[unit] = slope, -slope * start
            contract.weight[0, unit] = sign
        model.answer.weight[1, 0], model.answer.bias[1] = 2.0, -1.0
    return model.eval()


def test_a_network_whose_errors_vanish_is_proved_as_it_runs(tmp_path: Path) -> None:
    model = parity_by_hand()
    made = certify(model, parse("parity"), strength="robust")
    assert (made.verdict, made.strength) == ("equivalent", "robust")
    made.save(tmp_path / "file.json")
    check(Certificate.load(tmp_path / "file.json"))


def test_another_language_has_its_shortest_wrong_word() -> None:
    made = certify(parity_by_hand(), parse("even-pairs"), strength="robust")
    assert made.verdict == "counterexample"
    assert made.counterexample is not None
    assert made.counterexample.word == "1"


def test_where_errors_stay_nothing_is_claimed() -> None:
    made = certify(parity_by_hand(leak=0.15), parse("parity"), strength="robust")
    assert made.verdict == "not-closed"
    assert "bounds are too loose" in made.reason
    assert made.checked_length == 6  # found by trying all short words
    assert "is wrong on '" in made.reason


def test_balls_hold_every_vector_of_disturbed_networks() -> None:
    """Vectors that are moved within their balls stay within the balls of the next level."""
    model = parity_by_hand()
    snapping = extract_algebra(model).snapping
    node = TightNode(model.config.to_dict(), weights_of(model))
    found = robustness(node, snapping)
    assert found.holds
    random = np.random.default_rng(0)
    centres = np.array([[0.0, 0, 0, 0], [1.0, 0, 0, 0]])
    below = Ball(centres, np.full(2, 0.05))
    children = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [-1, 1]])
    image = node.gather(below, children)
    plain = node_of(model)
    for _ in range(200):
        step = random.normal(size=(2, 4))
        step *= 0.05 * random.random((2, 1)) / np.linalg.norm(step, axis=1, keepdims=True)
        moved = plain.gather(Ball(centres + step, np.zeros(2)), children).centre
        assert (np.linalg.norm(moved - image.centre, axis=1) <= image.radius).all()


@pytest.mark.parametrize("seed", range(3))
def test_tight_balls_lie_within_loose_ones_and_hold_random_points(seed: int) -> None:
    config = RegularGPTConfig(vocab_size=2, num_classes=2, d_model=8, num_heads=2)
    model = RegularGPT(config)
    model.initialise(torch.Generator().manual_seed(seed))
    tight, loose = TightNode(config.to_dict(), weights_of(model)), node_of(model)
    random = np.random.default_rng(seed)
    below = Ball(random.normal(size=(6, 8)), np.full(6, 0.02))
    children = random.integers(-1, 6, size=(20, 2))
    small, large = tight.gather(below, children), loose.gather(below, children)
    assert (small.radius <= large.radius * (1 + 1e-9)).all()
    np.testing.assert_allclose(small.centre, large.centre, atol=1e-12)
    for _ in range(100):
        step = random.normal(size=(6, 8))
        step *= 0.02 / np.linalg.norm(step, axis=1, keepdims=True)
        moved = loose.gather(Ball(below.centre + step, np.zeros(6)), children).centre
        assert (np.linalg.norm(moved - small.centre, axis=1) <= small.radius).all()


def test_a_snapped_proof_is_one_of_its_weights(tmp_path: Path) -> None:
    made = certify(parity_by_hand(leak=0.02), parse("parity"), strength="snapped")
    assert (made.verdict, made.strength) == ("equivalent", "snapped")
    check(made)
    weights = {name: w.copy() for name, w in made.weights.items()}
    weights["layers.0.contract.weight"][0, 4] += 0.2
    with pytest.raises(CertificateError, match="nearest representative"):
        check(dataclasses.replace(made, weights=weights))


def test_a_strength_for_the_other_memory_is_refused() -> None:
    with pytest.raises(VerificationError, match="strength='discrete' is not for continuous memory"):
        certify(parity_by_hand(), parse("parity"), strength="discrete")


def test_no_shorter_words_are_called_right_that_bounds_leave_open() -> None:
    """The model gives the empty word the wrong class by a hair, less than rounding is known to."""
    model = parity_by_hand()
    with torch.no_grad():
        model.pad[2] = 0.2
        model.answer.weight[1, 2] = 1.0
        model.answer.bias[1] = -1e-8
    made = certify(model, parse("parity") ^ parse("regex:11", alphabet="01"), strength="robust")
    assert made.verdict == "not-closed"
    assert "right on all shorter words" not in made.statement
