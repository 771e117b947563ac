"""Scores of a model at each length: the records of an evaluation, and figures derived from them."""

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from lengthwise.display import Viewed
from lengthwise.errors import ConfigError, RunError
from lengthwise.files import require_kinds
from lengthwise.messages import format_count

_MOST_LENGTHS = 100_000

Z_95 = 1.959963984540054
"""Standard normal quantile of a two-sided 95 % interval."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Score:
    """Number of right answers and mean loss of a model on the words of one length and class."""

    task: str
    model: str
    length: int
    label: str
    """Name of the class."""
    correct: int
    total: int
    loss: float
    """Mean cross-entropy, in nats per word; infinite if the class of a word was ruled out, and if
    outputs are judged, which have none."""


_OF_SCORES = {
    "task": "a string",
    "model": "a string",
    "length": "an integer",
    "label": "a string",
    "correct": "an integer",
    "total": "an integer",
    "loss": "a number or null",
}


@dataclass(frozen=True, slots=True)
class Scores(Viewed):
    """The records of one evaluation, and the lengths that have no word.

    Examples:
        >>> import lengthwise as lw
        >>> scores = lw.evaluate(lw.load("zoo:parity"), lengths=[50, 500], words_per_length=20)
        >>> scores.accuracy_by_length(), scores.summary()["worst_length"]
        ({50: 1.0, 500: 1.0}, 50)
        >>> lw.Scores.from_records(scores.to_records()) == scores
        True
    """

    records: tuple[Score, ...]
    missing: tuple[int, ...] = ()
    rules: Callable[[], dict[str, float]] | None = field(default=None, compare=False, repr=False)
    """Computes the accuracy of shortcuts; None where the words are not known."""

    def __repr__(self) -> str:
        if not self.records:
            return "Scores(no length was tested)"
        summary = self.summary()
        first, last = summary["lengths"]
        return (
            f"Scores({self.records[0].model} on {self.records[0].task}: mean "
            f"{percent(summary['mean_accuracy'])} %, worst {percent(summary['worst_accuracy'])} % "
            f"at length {summary['worst_length']}; {format_count(summary['words'], 'word')} of "
            f"length {first}..{last})"
        )

    @property
    def lengths(self) -> list[int]:
        """The tested lengths in increasing order."""
        return sorted({record.length for record in self.records})

    @property
    def total(self) -> int:
        """Number of words."""
        return sum(record.total for record in self.records)

    @property
    def correct(self) -> int:
        """Number of words that were classified correctly."""
        return sum(record.correct for record in self.records)

    def accuracy_by_length(self) -> dict[int, float]:
        """Return the share of words of each length that were classified correctly."""
        return self._by_length(lambda record: record.correct)

    def loss_by_length(self) -> dict[int, float]:
        """Return the mean cross-entropy at each length, in nats per word."""
        return self._by_length(lambda record: record.loss * record.total)

    def shortcuts(self) -> dict[str, float]:
        """Return the accuracy of rules that recognise no language, on words such as those tested.

        The rules are `majority`, `length only`, `symbol counts` and `first and last symbol`, learnt
        from other words of the same lengths. A model that does no better has learnt none of the
        language. The mean is over lengths; of more than 60 lengths, five runs of twelve
        neighbouring ones are used.

        Raises:
            ConfigError: the scores were read from records, which do not have the words.
        """
        if self.rules is None:
            raise ConfigError(
                "scores from records do not have their words. Evaluate again, or use "
                "lw.interpret.shortcuts(language)."
            )
        return self.rules()

    def summary(self) -> dict[str, Any]:
        """Return mean accuracy, worst length, first length under 99 %, words and interval.

        The interval is Wilson's at 95 % for the share of all words, which is the mean over lengths
        since every length has as many words. An infinite mean loss is None.
        """
        accuracy = self.accuracy_by_length()
        worst = min(accuracy, key=lambda length: (accuracy[length], length))
        low, high = wilson(self.correct, self.total)
        return {
            "mean_accuracy": math.fsum(accuracy.values()) / len(accuracy),
            "interval_95": [low, high],
            "worst_length": worst,
            "worst_accuracy": accuracy[worst],
            "first_length_below_99": next((n for n in self.lengths if accuracy[n] < 0.99), None),
            "mean_loss": finite_or_none(math.fsum(self.loss_by_length().values()) / len(accuracy)),
            "lengths": [min(accuracy), max(accuracy)],
            "num_lengths": len(accuracy),
            "lengths_without_words": len(self.missing),
            "words": self.total,
        }

    def to_records(self) -> list[dict[str, Any]]:
        """Return the records as plain values, for JSON lines; an infinite loss is None."""
        return [{**asdict(record), "loss": finite_or_none(record.loss)} for record in self.records]

    @classmethod
    def from_records(cls, records: Iterable[Mapping[str, Any]]) -> "Scores":
        """Rebuild the scores from the result of `to_records`.

        Args:
            records: plain values, one mapping for each length and class.

        Raises:
            RunError: a record is not one of an evaluation.
        """
        try:
            scores = [Score(**record) for record in records]
        except TypeError as error:
            raise RunError(
                f"a record of scores.jsonl does not fit ({error}). Evaluate again."
            ) from None
        for number, score in enumerate(scores, start=1):
            where = f"scores.jsonl, line {number}"
            require_kinds(asdict(score), _OF_SCORES, where=where, remedy="Evaluate again.")
            if score.loss is None:
                scores[number - 1] = replace(score, loss=math.inf)
            if not 0 <= score.correct <= score.total or score.total < 1 or score.length < 0:
                raise RunError(
                    f"{where}: of `total` words `correct` are right, but they are {score.total} "
                    f"and {score.correct}, of length {score.length}. Evaluate again."
                )
        return cls(tuple(scores))

    def _by_length(self, amount: Any) -> dict[int, float]:
        sums: dict[int, float] = dict.fromkeys(self.lengths, 0.0)
        totals: dict[int, int] = dict.fromkeys(self.lengths, 0)
        for record in self.records:
            sums[record.length] += amount(record)
            totals[record.length] += record.total
        return {length: sums[length] / totals[length] for length in sums}


def finite_or_none(number: float) -> float | None:
    """Return a number as JSON can hold it: None if it is infinite."""
    return number if math.isfinite(number) else None


def wilson(correct: int, total: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval for a share, from `correct` of `total` observed."""
    share, z2 = correct / total, Z_95**2
    middle = (share + z2 / (2 * total)) / (1 + z2 / total)
    half = Z_95 * math.sqrt(share * (1 - share) / total + z2 / (4 * total**2)) / (1 + z2 / total)
    low = max(0.0, middle - half) if correct else 0.0  # exact, where rounding would miss it
    return low, min(1.0, middle + half) if correct < total else 1.0


def parse_lengths(text: str) -> list[int]:
    """Parse lengths: `41:500`, `41:500:10` (with a step), `10,100,1000`, or a mix of these.

    Raises:
        ConfigError: the text is none of these, or means too many lengths to evaluate.
    """
    lengths: set[int] = set()
    for part in text.split(","):
        pieces = part.split(":")
        if any(re.fullmatch(r"[0-9]{10,}", piece) for piece in pieces):
            raise ConfigError(f"a length has at most nine digits, but got {part!r:.40}.")
        if not all(re.fullmatch(r"[0-9]+", piece) for piece in pieces) or len(pieces) > 3:
            raise ConfigError(
                f"lengths are written as 41:500, 41:500:10 or 10,100,1000, but got {text!r}."
            )
        first, last, step = (
            [int(pieces[0])] * 2 + [1]
            if len(pieces) == 1
            else [*(int(piece) for piece in pieces), 1][:3]
        )
        if last < first or step < 1:
            raise ConfigError(f"a range of lengths increases, like 41:500, but got {part!r}.")
        if (last - first) // step > _MOST_LENGTHS:
            raise ConfigError(
                f"{part!r} means more than {_MOST_LENGTHS:,} lengths. Give a step, as in 41:500:10."
            )
        lengths.update(range(first, last + 1, step))
    return sorted(lengths)


def percent(share: float) -> str:
    """Return a share as a percentage with two decimals, rounded down, so that 100.00 means all."""
    return f"{math.floor(1e4 * share + 1e-9) / 100:.2f}"


_ALL = 1 - 1e-12
"""Wilson's upper end if all of N are right, up to rounding; one wrong lowers it by 0.2 / N."""


def percent_interval(low: float, high: float, decimals: int = 3) -> str:
    """Return an interval of shares as percentages; 100.000 means all.

    The ends are rounded down and up, but not up to 100.000.
    """
    unit = 10**decimals
    all_units = 100 * unit
    upper = all_units if high >= _ALL else min(math.ceil(all_units * high - 1e-9), all_units - 1)
    lower = math.floor(all_units * low + 1e-9)
    return f"{lower / unit:.{decimals}f} to {upper / unit:.{decimals}f}"
