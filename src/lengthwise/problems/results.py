"""Results of problems for display: evaluations, answers, sections of the report."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from lengthwise.arguments import number, require_integer
from lengthwise.display import Viewed
from lengthwise.evaluation.scores import parse_lengths
from lengthwise.messages import shorten

if TYPE_CHECKING:
    from lengthwise.training.progress import Count

Facts = list[tuple[str, str]]
"""Names and values for people to read."""

Options = Mapping[str, Any]
"""Options of a command or a caller, by name; those that are not given are absent."""


class Watch(Protocol):
    """Shows progress: `with watch("evaluating", "words") as progress: ...`."""

    def __call__(self, title: str, what: str = "words") -> AbstractContextManager["Count | None"]:
        """Return a context whose value is called with the number done and the total."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Evaluation(Viewed):
    """The result of testing a run.

    Examples:
        >>> import lengthwise as lw
        >>> run = lw.train("steps:addition", preset="smoke", steps=2, bits=3, examples=8)
        >>> tested = lw.evaluate(run, words=8)
        >>> tested.summary()["task"], tested.summary()["words"]
        ('addition of 3-bit numbers, representation 2', 8)
    """

    values: dict[str, Any]
    """The summary: figures and the conditions of the test; `evaluation.json` of the run's
    folder."""
    records: list[dict[str, Any]] = field(default_factory=list)
    """Figures by length or by sample; `scores.jsonl` of the run's folder."""
    facts: Facts = field(default_factory=list)
    """The summary for people to read."""
    table: tuple[list[str], list[list[str]]] | None = None
    """Column names, and rows of cells."""
    printed: dict[str, Any] | None = None
    """The object that `evaluate --json` prints; if None, the summary."""
    notes: list[str] = field(default_factory=list)
    """Further lines for people."""
    is_stored: bool = True
    """Whether it belongs in the folder of the run."""

    def __repr__(self) -> str:
        facts_text = ", ".join(f"{name}: {value}" for name, value in self.facts)
        return f"Evaluation({shorten(facts_text, 300)})"

    def summary(self) -> dict[str, Any]:
        """Return the figures and the conditions of the test."""
        return dict(self.values)

    def to_records(self) -> list[dict[str, Any]]:
        """Return figures by length or by sample."""
        return list(self.records)


@dataclass(frozen=True, kw_only=True, slots=True)
class Condition:
    """A condition of a test that must be the same for runs to be compared."""

    value: Any
    """Equal where the condition is."""
    shown: str
    """The condition as a message names it: `protocol audited`."""
    options: str
    """The options of `evaluate` that ask for it: `--protocol audited`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Curve:
    """The last evaluation of a run by length, for a figure with other runs of its problem."""

    points: Mapping[int, float]
    """The measure at each length; shares are in per cent."""
    measure: str
    """Name and unit of the measure, the label of the vertical axis: `accuracy (%)`."""
    conditions: Sequence[Condition] = ()
    """Conditions of the test, the same ones for all runs of a problem."""
    sample: str = ""
    """What was drawn for the test: `512 words of each length, seed 0`."""
    overall: float | None = None
    """The measure over the whole test set, such as BLEU, where that is not a mean over lengths."""
    horizontal: str = "length"
    """Label of the horizontal axis."""
    trained_to: int | None = None
    """Greatest length in training."""
    is_less_better: bool = False
    shortcuts: Mapping[str, float] = field(default_factory=dict)
    """The measure of rules that solve another problem, by their names."""


class TrainingCost(NamedTuple):
    """Operations of a word or token in training, and the greatest possible number per second."""

    flops: float
    full_speed: float
    """Words or tokens per second if all processes computed nothing but a large matrix product."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """A model's answer to one input."""

    shown: str
    """The answer as `predict` prints it."""
    record: dict[str, Any]
    """The answer as `predict --json` prints it."""
    mark: str = ""
    """A word that `predict` prints behind the answer: `guess`."""

    @property
    def line(self) -> str:
        """The answer and its mark, with a tab between them."""
        return f"{self.shown}\t{self.mark}" if self.mark else self.shown


@dataclass(frozen=True, kw_only=True, slots=True)
class Predictor:
    """Answers inputs with a run."""

    read: Callable[[str], Any]
    """Reads an input from a line; raises `WordError`."""
    answer: Callable[[Sequence[Any]], Sequence[Answer]]
    """Returns the answers to inputs, in their order."""
    key: str = "words"
    """Name of the list of answers in `predict --json`."""
    together: int | None = None
    """Number of lines that are answered at once; None for all of them."""
    joint: str = ": "
    """Text between the number of a line and its error."""
    totals: Callable[[Sequence[Answer]], Mapping[str, Any]] = lambda answers: {}
    """Returns the entries that `predict --json` prints beside the list of answers."""
    notes: Callable[[Sequence[Answer]], list[str]] = lambda answers: []
    """Returns further lines for people."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Section:
    """The section of the report about a run, besides its account, settings and losses."""

    columns: list[str] = field(default_factory=lambda: ["run"])
    """Column names of the overview of runs of one problem; the first column is the run."""
    cells: list[str] = field(default_factory=list)
    """The run's row in the overview, from the second column on."""
    note: str = ""
    """Explanation of the overview."""
    body: str = ""
    """HTML of the section; if it is empty, `facts` are shown."""
    facts: Facts = field(default_factory=list)
    about: Facts = field(default_factory=list)
    """What the run is about: its language or corpus, and some of its words."""
    terms: Facts = field(default_factory=list)
    """The words of the section that need a definition, and their definitions."""


def read_options(options: Options) -> Options:
    """Return the options of a test or of answers; a string of `lengths` is read as by `--lengths`.

    Raises:
        ConfigError: an option is of another kind, or the text is not one of lengths.
    """
    for name, least in (("words", 0), ("seed", 0), ("tokens", 1)):
        if name in options:
            options = {**options, name: require_integer(name, options[name], least)}
    if "temperature" in options:
        options = {**options, "temperature": number("temperature", options["temperature"], 0.8)}
    if isinstance(lengths := options.get("lengths"), str):
        return {**options, "lengths": parse_lengths(lengths)}
    return options


def no_watch(title: str, what: str = "words") -> AbstractContextManager[None]:
    """Return a context that shows no progress."""
    return nullcontext()
