"""What problems give to those who show it: evaluations, answers, sections of the report."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

Facts = list[tuple[str, str]]
"""Names and values, as a person reads them."""

Options = Mapping[str, Any]
"""What a command or a caller asks for, by the name of the option; what is not given is left out."""


class Watch(Protocol):
    """Shows how far something is: `with watch("evaluating", "words") as progress: ...`."""

    def __call__(
        self, title: str, what: str = "words"
    ) -> AbstractContextManager[Callable[[int, int], None] | None]:
        """Return a context whose value is called with what is done and all there is to do."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Evaluation:
    """What a test of a run found."""

    values: dict[str, Any]
    """The summary: figures, and what made them; `evaluation.json` of the run's folder."""
    records: list[dict[str, Any]] = field(default_factory=list)
    """Figures by length or by sample; `scores.jsonl` of the run's folder."""
    facts: Facts = field(default_factory=list)
    """The summary as a person reads it."""
    table: tuple[list[str], list[list[str]]] | None = None
    """Columns, and rows of cells."""
    printed: dict[str, Any] | None = None
    """What `evaluate --json` prints; the summary, if nothing is given."""
    notes: list[str] = field(default_factory=list)
    """What a person should know besides."""
    is_stored: bool = True
    """Whether it belongs in the folder of the run."""

    def summary(self) -> dict[str, Any]:
        """Return figures, and what made them."""
        return dict(self.values)

    def to_records(self) -> list[dict[str, Any]]:
        """Return figures by length or by sample."""
        return list(self.records)


class TrainingCost(NamedTuple):
    """What a word or token costs in training, and how many a second there would be at best."""

    flops: float
    full_speed: float
    """Words or tokens a second if all processes did nothing but a large matrix product."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """What a model makes of one input."""

    shown: str
    """As `predict` prints it."""
    record: dict[str, Any]
    """As `predict --json` prints it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Predictor:
    """How a run is asked."""

    read: Callable[[str], Any]
    """From a line to an input; raises `WordError`."""
    answer: Callable[[Sequence[Any]], Sequence[Answer]]
    """From inputs to answers, in their order."""
    key: str = "words"
    """What `predict --json` calls the list of answers."""
    together: int | None = None
    """Lines that are answered at once; None for all of them."""
    joint: str = ": "
    """Stands between the number of a line and what is wrong with it."""
    totals: Callable[[Sequence[Answer]], Mapping[str, Any]] = lambda answers: {}
    """What `predict --json` prints beside the list of answers."""
    notes: Callable[[Sequence[Answer]], list[str]] = lambda answers: []
    """What a person should know besides."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Section:
    """What the report says of a run beyond settings and losses."""

    title: str
    subtitle: str = ""
    columns: list[str] = field(default_factory=lambda: ["run"])
    """The head of the overview of runs of one problem; the first column is the run."""
    cells: list[str] = field(default_factory=list)
    """The run's line in the overview, from the second column on."""
    note: str = ""
    """What the overview is to be read with."""
    body: str = ""
    """HTML; in its place, if it is empty, `facts`."""
    facts: Facts = field(default_factory=list)


def no_watch(title: str, what: str = "words") -> AbstractContextManager[None]:
    """Return a context in which nobody watches."""
    return nullcontext()
