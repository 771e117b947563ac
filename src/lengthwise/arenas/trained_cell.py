"""One cell of an arena: a trained network and the result of its test."""

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from lengthwise.arenas.cell import LONG
from lengthwise.arenas.protocol import EXAMINATION
from lengthwise.problems.registry import problem_from_dict
from lengthwise.sweeps.outcome import Failure, Outcome

OUTPUTS = "outputs"
"""Supervision of tasks that are not languages."""

LEARNED = 0.999
"""Accuracy on validation words from which a network counts as having learned its language."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Cell:
    """One trained network that was examined."""

    network: str
    language: str
    seed: int
    given: str
    """Supervision: `prefix`, the class after every prefix; `final`, that of the word; `outputs`,
    the output after the string."""
    error: str = ""
    """Why there is nothing else, if training or examining raised an error."""
    parameters: int = 0
    steps: int = 0
    validation_accuracy: float | None = None
    training_seconds: float | None = None
    """Processor time of training."""
    by_length: tuple[tuple[int, int, int], ...] = ()
    """Length, number of words and of right answers, of the network as it runs; or of symbols of
    outputs."""
    found: Mapping[str, Any] | None = None
    """Result of the examination (`cell.examine_run`), or of the test of outputs."""

    @property
    def is_learned(self) -> bool:
        """True if validation words, no longer than those of training, are right but for 0.1 %."""
        return self.validation_accuracy is not None and self.validation_accuracy >= LEARNED

    @property
    def is_proved(self) -> bool:
        """True if the network as it runs is proved right at every length."""
        return bool(self.found and self.found.get("is_proved"))

    @property
    def is_snapped_proved(self) -> bool:
        """True if the *snapped* network is right at every length, decided on its table."""
        return bool(self.found and self.found.get("verdict") == "equivalent")

    @property
    def writes_output(self) -> bool:
        """True of a task with an output after the string, of which nothing can be proved."""
        return self.given == OUTPUTS

    @property
    def verdict(self) -> str:
        """The verdict about the snapped network in a word or two."""
        if not self.found:
            return "failed"
        if self.is_proved:
            return "proved as it runs"
        if self.writes_output:
            return "not regular"
        names = {"equivalent": "proved", "counterexample": "refuted", None: "not a recurrence"}
        return names.get(self.found["verdict"], "not closed")

    @property
    def seconds(self) -> float | None:
        """Processor time of training and examination."""
        if not self.found or self.training_seconds is None:
            return None
        return self.training_seconds + float(self.found["seconds"])

    def right(self, first: int, last: int) -> tuple[int, int] | None:
        """Return the numbers of right and of all words of some lengths; None without words."""
        rows = [row for row in self.by_length if first <= row[0] <= last]
        total = sum(words for _, words, _ in rows)
        return (sum(right for _, _, right in rows), total) if total else None

    def score(self, first: int, last: int) -> float | None:
        """Return the mean over some lengths of the share that is right; None without words."""
        rows = [row for row in self.by_length if first <= row[0] <= last and row[1]]
        return fmean(right / total for _, total, right in rows) if rows else None

    @property
    def wrong_length(self) -> int | None:
        """Length of the shortest wrong word that was found, in any test."""
        if not self.found:
            return None
        wrong = [length for length, words, right in self.by_length if right < words]
        searched = self.found["wrong_length"]
        return min(wrong if searched is None else [*wrong, searched], default=None)

    @classmethod
    def of(cls, result: Outcome | Failure, training_seconds: float | None) -> "Cell":
        """Return the cell of a job of the arena's sweep, given the processor time of training."""
        plan = result.plan
        about: dict[str, Any] = {
            "network": plan["model"],
            "language": problem_from_dict(plan["problem"]).name,
            "seed": plan["training"]["seed"],
            "given": plan["objective"].get("name", OUTPUTS),
        }
        if isinstance(result, Failure):
            return cls(**about, error=result.error)
        test = result.test(EXAMINATION)
        rows = [(row.length, row.words, row.correct) for row in test.by_length]
        if (far := test.summary.get("far")) is not None:
            rows.append((LONG, far[2], far[1]))
        return cls(
            **about,
            parameters=result.parameters,
            steps=result.steps,
            validation_accuracy=result.validation_accuracy,
            training_seconds=training_seconds,
            by_length=tuple(rows),
            found=dict(test.summary),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the cell as plain values."""
        return {name: getattr(self, name) for name in Cell.__slots__}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Cell":
        """Restore a cell."""
        return cls(**{**values, "by_length": tuple(tuple(row) for row in values["by_length"])})
