"""Step tasks: what a model writes, step by step, before the answer."""

from pathlib import Path
from typing import Any

from lengthwise.arguments import path_of
from lengthwise.errors import RunError
from lengthwise.problems.base import Run
from lengthwise.problems.capabilities import ProvingSteps
from lengthwise.proofs.check.rule_certificate import RuleCertificate, check_rule
from lengthwise.tasks.step_specs import make_step_task
from lengthwise.tasks.step_tasks import StepTask

__all__ = ["RuleCertificate", "StepTask", "certify", "check", "step_task"]


def step_task(spec: str, **settings: Any) -> StepTask:
    """Return a step task: what a model writes, step by step, before the answer.

    Args:
        spec: `steps:addition` or `steps:multiplication` (settings `bits`, `order`),
            `steps:circuit:FILE` (`order`), or a language such as `steps:group:S5` (`length`).
        settings: those of the specification.

    Returns:
        `.names` are those of the steps, `.outputs` those of the answer, and `.write_steps(inputs)`
        returns what is written for some inputs.

    Examples:
        >>> import lengthwise as lw
        >>> len(lw.steps.step_task("steps:addition", bits=2).names)
        11

    Raises:
        ConfigError: a setting is unknown, or of another kind.
        CircuitError, LanguageError: the circuit, the order or the language is wrong.
    """
    return make_step_task(spec, settings)


def certify(run: Run) -> RuleCertificate:
    """Prove that a run adds numbers of every length, or find the shortest that it adds wrong.

    Args:
        run: a `pointer-decoder` that was trained on `steps:addition` with `order="carries"`.

    Returns:
        `.verdict` is `equivalent`, `counterexample` (the bits are `.wrong`) or `not-closed`,
        `.statement` is the claim, and `.save(path)` writes a file that `check` checks again.

    Examples:
        >>> import lengthwise as lw
        >>> run = lw.train("steps:addition", "pointer-decoder", preset="smoke", order="carries")
        >>> lw.steps.certify(run).verdict != "equivalent"  # it was trained for 20 steps
        True

    Raises:
        RunError: the run is not about a step task.
        VerificationError: it is another task, network or type of weights.
    """
    if not isinstance(run.problem, ProvingSteps):
        raise RunError(f"this run is about {run.problem.name}. Use lw.certify.")
    return run.problem.certify_steps(run)


def check(file: Path | str) -> RuleCertificate:
    """Check the certificate of an addition in a file, without torch.

    Args:
        file: what `certify` saved.

    Returns:
        What follows from the weights in the file; `.statement` is the claim.

    Examples:
        >>> import lengthwise as lw
        >>> run = lw.train("steps:addition", "pointer-decoder", preset="smoke", order="carries")
        >>> found = lw.steps.certify(run)
        >>> found.save("rule.json")
        >>> lw.steps.check("rule.json").verdict == found.verdict
        True

    Raises:
        CertificateError: the file is not such a certificate, it was changed, or something in it
            does not follow.
    """
    return check_rule(RuleCertificate.load(path_of("a certificate", file)))
