"""The record of an examination: numbers, words for people, and a page."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lengthwise.analysis.figures import bands_figure, to_page_svg
from lengthwise.arguments import path_of
from lengthwise.evaluation.scores import Scores, percent, percent_interval, wilson
from lengthwise.examination.by_length import Drift
from lengthwise.examination.retraining import Retrained
from lengthwise.examination.wrong_words import How, Search
from lengthwise.files import require_name, write_text
from lengthwise.languages.language import Language
from lengthwise.messages import format_count, shorten
from lengthwise.proofs.check.certificate import Certificate
from lengthwise.proofs.search.learning_by_tests import LearnedAutomaton
from lengthwise.proofs.search.state_snapping import StateSnapping
from lengthwise.templates import template

_LONGEST_SHOWN = 120

_UNREADABLE = "cannot be read without lw.adapt(network, pad_token=N) or a start symbol"

_HOW: dict[How, str] = {
    "exhaustive": "short",
    "sampled": "random",
    "guided": "chosen",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class ExaminedAutomaton:
    """The automaton that a network, or the snapped network, computes."""

    machine: Language
    of: str
    """What it was computed from: the snapped network, the weights, or queries."""
    is_language: bool
    difference: str | None
    """A shortest word on which it differs from the language."""
    learned: LearnedAutomaton | None = None
    """The tests behind it, if it was learned by queries."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Examination:
    """What was found about a network and a language.

    `print(found)` writes it in lines, `.to_dict()` has the numbers, and `.save("page.html")` writes
    a page. `.snapped` is the snapped network, which is called like another.

    Examples:
        >>> import lengthwise as lw
        >>> found = lw.examine(lw.load("zoo:parity"), budget=60, longest=50)
        >>> found
        Examination(regular-gpt-binary on parity: proved: The model as it runs gives every word ...)
        >>> found.snapping is None, found.empty_word
        (True, 'right')
    """

    language: Language
    network: str
    parameters: int
    reads_symbols: bool
    """Whether it is read symbol by symbol, so that states can be followed and snapped."""
    why_not: str
    """Reason why it is not."""
    empty_word: str
    """`right`, `wrong`, `outside` (the domain) or `unreadable`. All else is about other words."""
    search: Search
    scores: Scores
    shortcuts: dict[str, float]
    stopped: str
    """Reason why longer words were not tested, if so."""
    drift: Sequence[Drift]
    snapping: StateSnapping | None
    retrained: Retrained | None
    """A copy that was trained on counterexamples of the snapped network, if that is not proved."""
    agreeing: int | None
    """Number of words of the test to which the snapped network gives the network's class."""
    automaton: ExaminedAutomaton | None
    certificate: Certificate | None
    """What is proved of a network of the package that has proofs."""
    budget: float
    seconds: float

    @property
    def snapped(self) -> Any:
        """The snapped network, a `torch.nn.Module` that answers by a table; None if there is none.

        It is that of the retrained copy if only that one is proved.

        `.save(FILE)` stores it, and `lw.interpret.decide(found.snapped, language)` decides about it
        again.
        """
        if self.retrained is not None and self.retrained.is_proved:
            return self.retrained.snapping.snapped
        return None if self.snapping is None else self.snapping.snapped

    @property
    def is_proved(self) -> bool:
        """True if a certificate says that the network as it runs is right at every length."""
        proof = self.certificate
        return proof is not None and proof.verdict == "equivalent" and not proof.is_of_snapped

    @property
    def raw(self) -> str:
        """What is known of the network as it runs, in a sentence."""
        if self.is_proved:
            assert self.certificate is not None
            return f"proved: {self.certificate.statement}"
        search = self.search
        if search.word is None:
            return f"right on everything tried{self._but}, which is not a proof; {self._all_short}"
        assert search.how is not None
        found = f"wrong on a word of {format_count(len(search.word), 'symbol')}"
        if search.is_shortest:
            return f"{found}; all shorter words{self._but} are right"
        return f"{found}, a {_HOW[search.how]} one; {self._all_short}"

    @property
    def _tried(self) -> str:
        """The words that were tried: all short ones, random ones, and others chosen by states."""
        tried = self.search.tried
        each = (
            f"{tried[how]:,} {kind} {'words' if not place else 'ones'} to "
            f"{self.search.longest[how]:,}"
            for place, (how, kind) in enumerate((h, k) for h, k in _HOW.items() if h in tried)
        )
        return f"{', '.join(each)} symbols"

    @property
    def _all_short(self) -> str:
        if self.search.right_to < 1:
            return "no length was tried in full"
        longest = format_count(self.search.right_to, "symbol")
        return f"all words{self._but} to {longest} are right"

    @property
    def _but(self) -> str:
        """The empty word, where all else is about other words."""
        return " but the empty one" if self.empty_word in ("wrong", "unreadable") else ""

    @property
    def verdict(self) -> str:
        """What is known of the snapped network, in a sentence."""
        if self.snapping is None:
            return f"not snapped: {self.why_not}"
        return self.snapping.describe(self.language)

    @property
    def accuracy_41_500(self) -> tuple[int, int] | None:
        """Numbers of right words and of all words of 41 to 500 symbols; None if there are none."""
        records = [record for record in self.scores.records if 41 <= record.length <= 500]
        total = sum(record.total for record in records)
        return (sum(record.correct for record in records), total) if total else None

    def by_length(self) -> list[dict[str, Any]]:
        """Return the accuracy at each length, with Wilson's 95 % interval."""
        rows = []
        for length in self.scores.lengths:
            records = [record for record in self.scores.records if record.length == length]
            right, total = (sum(getattr(r, name) for r in records) for name in ("correct", "total"))
            low, high = wilson(right, total)
            rows.append(
                {
                    "length": length,
                    "accuracy": right / total,
                    "interval_95": [low, high],
                    "words": total,
                }
            )
        return rows

    # ---- what it says

    @property
    def _subject(self) -> str:
        """The specification of the language, shortened."""
        return shorten(self.language.spec, _LONGEST_SHOWN)

    def facts(self) -> list[tuple[str, str]]:
        """Return names and values for people."""
        search = self.search
        how = "symbol by symbol" if self.reads_symbols else "as a whole"
        lines = [
            ("network", f"{self.network}, {self.parameters:,} parameters, read {how}"),
            ("language", self._subject or f"{self.language.num_states} states"),
            ("as it runs", self.raw),
        ]
        if search.word is not None:
            word = shorten(self.language.decode(search.word), _LONGEST_SHOWN)
            lines.append(("wrong word", word))
        lines.append(("tried", self._tried))
        if self.empty_word in ("wrong", "unreadable"):
            said = "is wrong" if self.empty_word == "wrong" else _UNREADABLE
            lines.append(("empty word", f"{said}; all lines are about the other words"))
        lines += self._accuracy_facts()
        if self.drift:
            lines.append(("drift", self._drift))
        if self.automaton is not None:
            lines.append(("automaton", self._automaton))
        if self.certificate is not None and not self.is_proved:
            lines.append(("certificate", self.certificate.statement))
        if self.certificate is None:
            lines.append(("snapped", self.verdict))
        if self.retrained is not None:
            lines.append(("retrained", self._retrained))
        if self.agreeing is not None and self.snapping is not None:
            moved = self.snapping.summary()["largest_move"]
            lines.append(
                (
                    "snapping costs",
                    f"states move by at most {moved:.3g}; {percent(self.agreeing / self.total)} % "
                    f"of the {self.total:,} test words keep their class",
                )
            )
        lines.append(("time", f"{self.seconds:.0f} s of a budget of {self.budget:.0f} s"))
        return lines

    @property
    def _retrained(self) -> str:
        """What a copy is after its rounds."""
        copy = self.retrained
        assert copy is not None
        if not copy.rounds:
            return f"no copy was: {copy.reason or 'there was no time'}"
        words = [
            "random words" if each.wrong is None else format_count(len(each.wrong), "symbol")
            for each in copy.rounds
        ]
        rounds = format_count(len(copy.rounds), "round")
        more = f"; {copy.reason}" if copy.reason else ""
        return (
            f"a copy, in {rounds} on {', '.join(words)}; snapped, "
            f"{copy.snapping.describe(self.language)}{more}"
        )

    @property
    def total(self) -> int:
        """Number of words of the test."""
        return self.scores.total

    def _accuracy_facts(self) -> list[tuple[str, str]]:
        lines = []
        if (middle := self.accuracy_41_500) is not None:
            low, high = wilson(*middle)
            said = f"{percent(middle[0] / middle[1])} % ({percent_interval(low, high)} %)"
            if self.shortcuts:
                best = max(self.shortcuts, key=lambda name: self.shortcuts[name])
                said += f"; the best shortcut, {best}, {percent(self.shortcuts[best])} %"
            else:
                said += "; shortcuts were not measured, since the budget was spent"
            lines.append(("accuracy, 41 to 500", said))
        long = [row for row in self.by_length() if row["length"] > 500]
        if long:
            each = ", ".join(f"{percent(row['accuracy'])} % at {row['length']:,}" for row in long)
            lines.append(("accuracy beyond", each))
        if self.stopped:
            lines.append(("not tested", self.stopped))
        return lines

    @property
    def grows(self) -> bool:
        """True if the largest number of a state grew more than fourfold over its last doublings."""
        first = next((row for row in self.drift if row.length >= 40), None)
        return first is not None and self.drift[-1].norm > 4 * max(first.norm, 1e-9)

    @property
    def _drift(self) -> str:
        last = self.drift[-1]
        if last.largest is None:
            said = f"largest number of a state {last.norm:.3g} at {last.length:,} symbols"
        else:
            three = (self.drift[0], self.drift[len(self.drift) // 2], last)
            rows = {row.length: row.largest for row in three if row.largest is not None}
            each = (f"{largest:.3g} at {length:,}" for length, largest in rows.items())
            said = f"farthest state from a representative: {', '.join(each)} symbols"
        if self.grows:
            said += "; states grow with the word, so no finite automaton follows them for ever"
        return said

    @property
    def _automaton(self) -> str:
        found = self.automaton
        assert found is not None
        states = format_count(found.machine.num_states, "state")
        same = "it is the language"
        if found.difference is not None:
            same = f"not the language, first on {shorten(found.difference, 40)!r}"
        elif found.learned is not None:
            same = "it is the language, as far as the tests go; nothing is proved of the network"
        return f"{states}, of {found.of}: {same}"

    def __str__(self) -> str:
        lines = self.facts()
        width = max(len(name) for name, _ in lines)
        return "\n".join(f"{name:{width}}  {value}" for name, value in lines)

    def __repr__(self) -> str:
        return f"Examination({self.network} on {self._subject}: {self.raw})"

    def to_dict(self) -> dict[str, Any]:
        """Return everything that was found as plain values."""
        search, automaton = self.search, self.automaton
        word = None if search.word is None else self.language.decode(search.word)
        return {
            "network": self.network,
            "parameters": self.parameters,
            "language": self.language.spec,
            "reads_symbols": self.reads_symbols,
            "why_not": self.why_not,
            "raw": self.raw,
            "is_proved": self.is_proved,
            "empty_word": self.empty_word,
            "wrong_word": word,
            "wrong_length": None if search.word is None else len(search.word),
            "found_by": search.how,
            "is_shortest": search.is_shortest,
            "all_words_right_to": search.right_to,
            "tried": dict(search.tried),
            "longest_tried": dict(search.longest),
            "accuracy_by_length": self.by_length(),
            "shortcuts": self.shortcuts,
            "stopped": self.stopped,
            "drift": [asdict(row) for row in self.drift],
            "state_grows": self.grows,
            "automaton": None
            if automaton is None
            else {
                "states": automaton.machine.num_states,
                "of": automaton.of,
                "is_language": automaton.is_language,
                "difference": automaton.difference,
                "agrees_with_tests": None
                if automaton.learned is None
                else automaton.learned.agrees_with_tests,
            },
            "snapping": None if self.snapping is None else self.snapping.summary(),
            "snapped": self.verdict if self.certificate is None else None,
            "retrained": None if self.retrained is None else self.retrained.summary(),
            "agreement": None if self.agreeing is None else self.agreeing / self.total,
            "certificate": None if self.certificate is None else self.certificate.summary(),
            "budget": self.budget,
            "seconds": round(self.seconds, 1),
        }

    def to_html(self) -> str:
        """Return the page, which loads nothing from elsewhere."""
        rows = self.by_length()
        curve = {row["length"]: 100 * row["accuracy"] for row in rows if row["length"] <= 500}
        figure = None
        if len(curve) > 1:
            figure = to_page_svg(
                bands_figure(
                    {self.network: [curve]},
                    xlabel="length (symbols)",
                    ylabel="accuracy (%)",
                    shortcuts={name: 100 * value for name, value in self.shortcuts.items()},
                )
            )
        table = [
            (
                f"{row['length']:,}",
                percent(row["accuracy"]),
                percent_interval(*row["interval_95"]),
                row["words"],
            )
            for row in rows
        ]
        levels = () if self.snapping is None else self.snapping.tried
        return template("lengthwise.report", "examination.html").render(
            title=f"{self.network} on {self._subject or 'a language'}",
            facts=self.facts(),
            figure=figure,
            table=table,
            drift=self.drift,
            levels=levels,
        )

    def save(self, path: Path | str) -> None:
        """Write the page.

        Args:
            path: the file.

        Raises:
            ConfigError: the name does not end in `.html`.
        """
        write_text(require_name(path_of("a page", path, "examine.html"), ".html"), self.to_html())
