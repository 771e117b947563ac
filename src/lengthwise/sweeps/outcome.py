"""The result of a job: an outcome with its figures, or a failure with its error."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from lengthwise.errors import RunError
from lengthwise.messages import format_count
from lengthwise.problems.sweep_tests import AtLength, TestResult

FORMAT = 1
"""Version of the stored format."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """The result of a job that is done."""

    digest: str
    plan: Mapping[str, Any]
    """Settings of the run, from `Plan.to_dict`."""
    tests: tuple[TestResult, ...]
    steps: int
    """Number of steps trained; early stopping makes it less than planned."""
    perfect: bool
    """Whether validation found no error of the weights that were kept; with `composition`, whether
    they were proved right at every length."""
    seconds: float
    """Wall-clock time of training up to its last checkpoint, over all attempts. Steps that a killed
    attempt took after a checkpoint were repeated, and are counted once."""
    attempts: int
    """Number of times that training was begun or resumed."""
    parameters: int
    """Number of trained parameters."""
    environment: Mapping[str, str]
    """Versions, processor and device with which training was begun, as the run's `config.json` has
    them; but `lengthwise` is the version that ran the tests."""
    date: str
    """Date of the tests; training may have ended long before."""
    validation_accuracy: float | None = None
    """Accuracy of the weights that were kept in the validation by which they were chosen; None in
    outcomes of earlier versions."""
    longest: int | None = None
    """Greatest length of the words of that validation, if words grow; None if they do not."""

    def __repr__(self) -> str:
        tests = "".join(f"; {test.in_words()}" for test in self.tests)
        return f"Outcome({_about(self)}: {format_count(self.steps, 'step')}{tests})"

    def test(self, name: str) -> TestResult:
        """Return the result of the test of that name.

        Raises:
            RunError: the job had no such test.
        """
        for result in self.tests:
            if result.name == name:
                return result
        names = ", ".join(result.name for result in self.tests)
        raise RunError(f"job {self.digest} has no test {name!r}. It has {names}.")

    def to_dict(self) -> dict[str, Any]:
        """Return the outcome as plain values, ready for JSON."""
        return {"format": FORMAT, **asdict(self)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Outcome":
        """Rebuild the outcome that `to_dict` stored.

        Raises:
            RunError: something is missing, or it is of another version.
        """
        try:
            if values["format"] != FORMAT:
                raise RunError(
                    f"an outcome is of format {values['format']}, but this version reads {FORMAT}. "
                    f"Run the sweep again in a new folder."
                )
            fields = {name: value for name, value in values.items() if name != "format"}
            tests = tuple(
                TestResult(
                    name=test["name"],
                    by_length=tuple(AtLength(*row) for row in test["by_length"]),
                    summary=test["summary"],
                )
                for test in values["tests"]
            )
            return cls(**{**fields, "tests": tests})
        except (KeyError, TypeError) as error:
            raise RunError(
                f"a stored outcome is damaged ({error!r}). Delete it, and run the sweep again."
            ) from None


@dataclass(frozen=True, kw_only=True, slots=True)
class Failure:
    """The result of a job that raised an error, or whose workers died."""

    digest: str
    plan: Mapping[str, Any]
    error: str
    """The error in one line."""
    details: str = ""
    """The traceback, if an error was raised."""

    def __repr__(self) -> str:
        return f"Failure({_about(self)}: {self.error})"

    def to_dict(self) -> dict[str, Any]:
        """Return the failure as plain values, ready for JSON."""
        return asdict(self)


def _about(result: Outcome | Failure) -> str:
    """Return the digest, the model and the seed of a job."""
    plan = result.plan
    found = [result.digest, plan.get("model"), plan.get("training", {}).get("seed")]
    words = zip(("", "", "seed "), found, strict=True)
    return ", ".join(f"{word}{value}" for word, value in words if value is not None)
