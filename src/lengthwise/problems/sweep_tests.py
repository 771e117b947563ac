"""Tests of the runs of a sweep, and their results, as plain values."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple, Self

from lengthwise.arguments import require_integer
from lengthwise.errors import ConfigError
from lengthwise.evaluation.scores import Scores, percent
from lengthwise.settings import require


@dataclass(frozen=True, kw_only=True, slots=True)
class Test:
    """A test on fresh words of some lengths, drawn with a separate seed."""

    __test__ = False  # pytest would collect a class of this name

    name: str
    lengths: tuple[int, ...]
    words_per_length: int = 512
    protocol: str | None = None
    """Protocol of the words; None for the one that the run was trained with."""
    seed: int = 0
    p_one: float | None = None
    """P(1) of the words of Parity; None for that of training."""
    measure: Mapping[str, Any] | None = None
    """What is measured in place of the problem's own test: `function` is the import path of a
    function of the run and this test, and the rest are its keyword arguments."""

    def __post_init__(self) -> None:
        test_name = f"test {self.name!r}"
        if isinstance(self.lengths, str) or not isinstance(self.lengths, Iterable):
            raise ConfigError(
                f"{test_name} has lengths={self.lengths!r:.60}. Give a list of integers; "
                f"parse_lengths reads 41:500."
            )
        lengths = tuple(
            require_integer(f"a length of {test_name}", length) for length in self.lengths
        )
        object.__setattr__(self, "lengths", lengths)
        require(bool(self.lengths), f"{test_name} has no length. Give at least one.")
        require(
            len(set(self.lengths)) == len(self.lengths),
            f"{test_name} has length {find_repeated(self.lengths)} twice. Give each once.",
        )
        require(
            self.words_per_length >= 1,
            f"{test_name} has words_per_length={self.words_per_length}. Use 1 or more.",
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the test as plain values, without those added later that have no value."""
        values = {**asdict(self), "lengths": list(self.lengths)}
        added = ("p_one", "measure")
        return {k: value for k, value in values.items() if value is not None or k not in added}


class AtLength(NamedTuple):
    """Numbers of words and of right answers at a length."""

    length: int
    words: int
    correct: int


@dataclass(frozen=True, kw_only=True, slots=True)
class TestResult:
    """The result of one test."""

    __test__ = False  # pytest would collect a class of this name

    name: str
    by_length: tuple[AtLength, ...]
    summary: Mapping[str, Any]
    """Figures and the conditions of the test: protocol, words per length, seed, ..."""

    @property
    def shortcuts(self) -> dict[str, float]:
        """Accuracy of rules that use very little of a word, on the same test."""
        return dict(self.summary["shortcuts"])

    def in_words(self) -> str:
        """Return the name, and the mean accuracy over lengths if words were scored."""
        shares = self.accuracy_by_length().values()
        mean = f" {percent(sum(shares) / len(shares))} %" if shares else ""
        return f"{self.name}{mean}"

    def accuracy_by_length(self) -> dict[int, float]:
        """Return the share of right answers at each length."""
        return {length: correct / words for length, words, correct in self.by_length}

    @classmethod
    def of_scores(cls, test: Test, scores: Scores, summary: Mapping[str, Any]) -> Self:
        """Return the result of a test whose words were scored."""
        words = dict.fromkeys(scores.lengths, 0)
        correct = dict.fromkeys(scores.lengths, 0)
        for record in scores.records:
            words[record.length] += record.total
            correct[record.length] += record.correct
        by_length = tuple(AtLength(length, words[length], correct[length]) for length in words)
        return cls(name=test.name, by_length=by_length, summary=summary)

    @classmethod
    def plain(cls, test: Test, protocol: str, more: Mapping[str, Any]) -> Self:
        """Return a result of the common form with other figures in place of accuracies."""
        summary = {
            "protocol": protocol,
            "words_per_length": test.words_per_length,
            "missing_lengths": [],
            "shortcuts": {},
            **more,
        }
        return cls(name=test.name, by_length=(), summary=summary)


def find_repeated(values: Iterable[Any]) -> Any:
    """Return the first value that is repeated, or None."""
    seen = set()
    for value in values:
        if value in seen:
            return value
        seen.add(value)
    return None
