"""The common part of objectives: losses by their formulas, and which answers are right."""

import math

import torch
from torch import nn

from lengthwise.objectives.answers import (
    accuracy_of,
    class_step,
    in_precision,
    masked_cross_entropy,
    sign_loss,
    validate_answers,
)
from lengthwise.tasks.state_maps import IGNORED
from lengthwise.tasks.task import Batch

LOGITS = torch.tensor([[2.0, 0.0], [0.0, 1.0], [1.0, 1.0]])


def entropy(row: int, label: int) -> float:
    logits = LOGITS[row].tolist()
    return math.log(sum(map(math.exp, logits))) - logits[label]


def test_the_loss_of_signs_is_a_softplus_summed_over_bits_alone() -> None:
    sides = torch.tensor([[0.0, 1.0], [-0.5, 2.0]])
    losses = [[math.log1p(math.exp(-2 * side)) for side in row] for row in sides.tolist()]
    expected = (sum(losses[0]) + sum(losses[1])) / 2
    assert math.isclose(sign_loss(sides).item(), expected, rel_tol=1e-6)


def test_nodes_without_a_label_are_left_out_of_the_mean() -> None:
    found = masked_cross_entropy(LOGITS, torch.tensor([0, IGNORED, 1]))
    assert math.isclose(found.item(), (entropy(0, 0) + entropy(2, 1)) / 2, rel_tol=1e-6)


def test_where_no_node_has_a_label_the_loss_is_zero_and_has_a_gradient() -> None:
    logits = LOGITS.clone().requires_grad_()
    loss = masked_cross_entropy(logits, torch.full((3,), IGNORED))
    loss.backward()  # type: ignore[no-untyped-call]
    assert loss.item() == 0.0
    assert logits.grad is not None
    assert not logits.grad.any()


def test_a_tie_is_an_answer_of_the_first_class() -> None:
    assert accuracy_of(LOGITS, torch.tensor([0, 1, 0])).item() == 1.0
    assert math.isclose(accuracy_of(LOGITS, torch.tensor([1, 1, 1])).item(), 1 / 3)


def test_a_step_has_loss_accuracy_and_number_of_words() -> None:
    step = class_step(LOGITS, torch.tensor([0, 0, 0]))
    expected = sum(entropy(row, 0) for row in range(3)) / 3
    assert math.isclose(step.loss.item(), expected, rel_tol=1e-6)
    assert (float(step.accuracy), step.num_words) == (2 / 3, 3)


class Fixed(nn.Module):
    """A network that answers as it is written down."""

    def __init__(self) -> None:
        super().__init__()
        self.logits = nn.Parameter(LOGITS)

    def forward(self, tokens: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        return self.logits


def test_a_validation_is_perfect_only_if_all_answers_are_right() -> None:
    tokens, lengths = torch.zeros(3, 1, dtype=torch.int64), torch.ones(3, dtype=torch.int64)
    for classes, accuracy in ([0, 1, 0], 1.0), ([0, 1, 1], 2 / 3):
        batch = Batch(tokens=tokens, lengths=lengths, classes=torch.tensor(classes))
        found = validate_answers(Fixed(), batch)
        assert math.isclose(found.accuracy, accuracy)
        assert found.perfect == (accuracy == 1)


def test_a_proof_in_double_precision_is_about_a_copy() -> None:
    model = Fixed()
    assert in_precision(model, "single") is model
    assert in_precision(model, "double").logits.dtype == torch.float64
    assert model.logits.dtype == torch.float32
