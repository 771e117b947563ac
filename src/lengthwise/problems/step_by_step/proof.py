"""Proofs that a decoder with pointers adds numbers of every length."""

from typing import TYPE_CHECKING

from lengthwise.errors import TaskError, VerificationError
from lengthwise.models.pointer_decoder import PointerDecoder
from lengthwise.proofs.check.local_rule import PRECISIONS
from lengthwise.proofs.check.rule_certificate import RuleCertificate, prove_rule
from lengthwise.proofs.search.integrity import require_plain_arithmetic
from lengthwise.tasks.step_specs import make_step_task, resize
from lengthwise.tasks.step_tasks import StepTask

if TYPE_CHECKING:
    from lengthwise.problems.base import Run


def certify_rule(run: "Run", task: StepTask) -> RuleCertificate:
    """Return the certificate of a run that adds numbers and writes the carries.

    Raises:
        VerificationError: it is another task, network or type of weights.
    """
    plan, model = run.require_plan(), run.model
    if not isinstance(model, PointerDecoder):
        raise VerificationError(
            f"{plan.model} has no proof: what it writes can depend on the size of the numbers. "
            f"Train --model pointer-decoder."
        )
    if plan.objective.supervision == "weak" or not _adds_with_carries(task):
        raise VerificationError(
            f"there is a proof for steps:addition with order=carries and strong or medium "
            f"supervision, but the run writes {task.name:.80}, {plan.objective.supervision}."
        )
    require_plain_arithmetic(model)
    kinds = {str(w.dtype).removeprefix("torch.") for w in model.parameters()}
    if len(kinds) > 1 or not kinds <= set(PRECISIONS):
        raise VerificationError(
            f"weights are all float32 or all float64, but these are {' and '.join(sorted(kinds))}. "
            f"Use model.float()."
        )
    return prove_rule({name: w.detach().cpu().numpy() for name, w in model.named_parameters()})


def _adds_with_carries(task: StepTask) -> bool:
    """Return whether a task is an addition that writes the carries, and then the sum."""
    try:
        two_bits = resize(task, 2)
    except TaskError:
        return False
    return two_bits == make_step_task("steps:addition", {"bits": 2, "order": "carries"})
