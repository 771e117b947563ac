"""The record of an arena: one cell for each network, language and seed; tables, figure and page."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import fmean, median
from typing import TYPE_CHECKING, Any

from lengthwise.arenas.cell import LONG
from lengthwise.arenas.trained_cell import LEARNED, Cell
from lengthwise.arguments import path_of
from lengthwise.errors import RunError
from lengthwise.evaluation.scores import percent, percent_interval, wilson
from lengthwise.files import read_object, require_name, values_of, write_text
from lengthwise.templates import template

if TYPE_CHECKING:
    from lengthwise.analysis.figures import Picture

FORMAT = 1
"""Version of the stored format."""

_RANGES = (
    *((1, 5), (6, 12), (13, 25), (26, 40), (41, 100), (101, 200), (201, 300), (301, 400)),
    *((401, 500), (LONG, LONG)),
)
"""Ranges of lengths of the curves."""

COLUMNS = (
    *("network", "parameters", "given", "learned", "proved snapped", "proved as it runs"),
    *("accuracy, 41 to 500", f"at {LONG:,}", "first wrong length", "seconds"),
)


@dataclass(frozen=True, kw_only=True)
class Arena:
    """Networks that were trained and examined on a suite under one protocol.

    `.table` and `.matrix` are column names with rows, `.figure` is drawn, `.to_dict()` has the
    numbers, and `.save(file)` writes a page, or the record if the name ends in `.json`.

    Examples:
        >>> import lengthwise as lw
        >>> tiny = {"preset": "smoke", "steps": 2, "budget": 0.2, "words_per_length": 1}
        >>> found = lw.arena("elman", languages=["tomita-1"], seeds=[0], progress=False, **tiny)
        >>> found.matrix[0], len(found.table[1])
        (['language', 'best shortcut', 'elman'], 1)
        >>> found.save("arena.json")
        >>> lw.Arena.load("arena.json").languages
        ['tomita-1']
    """

    suite: str
    protocol: Mapping[str, Any]
    """Settings of all networks, and of the examination."""
    cells: Sequence[Cell]
    environment: Mapping[str, str]
    date: str

    @property
    def networks(self) -> list[str]:
        """Names of the networks, in the order that was given."""
        return list(dict.fromkeys(cell.network for cell in self.cells))

    @property
    def languages(self) -> list[str]:
        """Specifications of the languages."""
        return list(dict.fromkeys(cell.language for cell in self.cells))

    def of(self, network: str, language: str | None = None) -> list[Cell]:
        """Return the cells of a network, on one language or on all."""
        return [
            cell
            for cell in self.cells
            if cell.network == network and language in (None, cell.language)
        ]

    # ---- tables

    @property
    def table(self) -> tuple[list[str], list[list[str]]]:
        """A row for each network."""
        return list(COLUMNS), [self._row(name) for name in self.networks]

    def _row(self, network: str) -> list[str]:
        cells = self.of(network)
        learned = [cell for cell in cells if cell.is_learned]
        wrong = [cell.wrong_length for cell in cells if cell.wrong_length is not None]
        sizes = [cell.parameters for cell in cells if not cell.error]
        seconds = [seconds for cell in cells if (seconds := cell.seconds) is not None]
        return [
            network,
            _range(sizes),
            ", ".join(sorted({cell.given for cell in cells})),
            f"{len(learned)} of {len(cells)}",
            f"{sum(cell.is_snapped_proved for cell in learned)} of "
            f"{sum(not cell.writes_output for cell in learned)}",
            str(sum(cell.is_proved for cell in cells)),
            _share(cells, 41, 500),
            _share(cells, LONG, LONG),
            f"median {median(wrong):,.0f}, {len(wrong)} of {len(cells)}" if wrong else "none",
            f"{fmean(seconds):.0f}" if seconds else "",
        ]

    @property
    def matrix(self) -> tuple[list[str], list[list[str]]]:
        """A row for each language: the best shortcut, and of each network its accuracy at 41 to
        500, and proofs."""
        rows = [
            [
                language,
                _best_shortcut([cell for cell in self.cells if cell.language == language]),
                *(self._square(self.of(name, language)) for name in self.networks),
            ]
            for language in self.languages
        ]
        return ["language", "best shortcut", *self.networks], rows

    @staticmethod
    def _square(cells: Sequence[Cell]) -> str:
        if not cells or all(cell.error for cell in cells):
            return "failed" if cells else ""
        text = _share(cells, 41, 500, interval=False) or "not read"
        learned = sum(cell.is_learned for cell in cells)
        if not learned:
            return f"{text}; not learned"
        if cells[0].writes_output:
            return f"{text}; learned by {learned} of {len(cells)}"
        runs, snapped = (
            sum(cell.is_proved for cell in cells),
            sum(cell.is_snapped_proved for cell in cells if cell.is_learned),
        )
        proved = f"{runs} proved" if runs else f"{snapped} of {learned} proved snapped"
        return f"{text}; {proved}"

    @property
    def kinds(self) -> tuple[list[str], list[list[str]]]:
        """Accuracy in per cent on short and long, random and adversarial words, by network."""
        names = ("short random", "short adversarial", "long random", "long adversarial")
        rows = []
        for network in self.networks:
            found = [cell.found.get("kinds", {}) for cell in self.of(network) if cell.found]
            row = [network]
            for name in names:
                pairs = [kinds[name] for kinds in found if kinds.get(name, (0, 0))[1]]
                row.append(percent(_mean(pairs)) if pairs else "")
            rows.append(row)
        return ["network", *names], rows

    @property
    def failures(self) -> list[str]:
        """A line for each cell that failed."""
        return [
            f"{cell.network} on {cell.language}, seed {cell.seed}: {cell.error}"
            for cell in self.cells
            if cell.error
        ]

    def best(self) -> list[dict[str, Any]]:
        """Return for each language the smallest network that is proved as it runs, the smallest
        that is proved snapped, and the one that carries farthest."""
        return [
            {
                "language": language,
                "proved": _smallest(cells, lambda cell: cell.is_proved),
                "proved_snapped": _smallest(cells, lambda cell: cell.is_snapped_proved),
                "farthest": _farthest(cells),
            }
            for language in self.languages
            for cells in [[cell for cell in self.cells if cell.language == language]]
        ]

    @property
    def best_table(self) -> tuple[list[str], list[list[str]]]:
        """A row for each language: the networks of `best`, with their parameters."""
        columns = ["language", "proved as it runs", "proved snapped", "carries farthest"]
        rows = []
        for best in self.best():
            named = (best["proved"], best["proved_snapped"], best["farthest"])
            cells = [
                "" if each is None else f"{each['network']}, {each['parameters']:,} parameters"
                for each in named
            ]
            if best["farthest"] is not None:
                wrong = best["farthest"]["wrong_length"]
                far = "no wrong word found" if wrong is None else f"wrong on a word of {wrong:,}"
                cells[2] += f": {far}"
            rows.append([best["language"], *cells])
        return columns, rows

    @property
    def cost(self) -> str:
        """Return how long training and examining took, in words."""
        seconds = [seconds for cell in self.cells if (seconds := cell.seconds) is not None]
        hours = sum(seconds) / 3600
        took = f"{hours:.1f} hours" if hours >= 0.5 else f"{60 * hours:.0f} minutes"
        return f"{len(seconds)} of {len(self.cells)} cells took {took} of one processor core."

    # ---- picture and page

    @cached_property
    def figure(self) -> "Picture":
        """Share of learned networks that are proved snapped, and accuracy by length."""
        from lengthwise.analysis.figures import arena_figure  # noqa: PLC0415  tables need none

        shares, curves = {}, {}
        for network in self.networks:
            cells = self.of(network)
            learned = [cell for cell in cells if cell.is_learned and not cell.writes_output]
            shares[network] = (sum(cell.is_snapped_proved for cell in learned), len(learned))
            curves[network] = _curve(cells)
        trained = int(self.protocol["settings"]["max_length"])
        return arena_figure(shares, curves, trained_to=trained)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {
            "format": FORMAT,
            "suite": self.suite,
            "protocol": dict(self.protocol),
            "environment": dict(self.environment),
            "date": self.date,
            "cells": [cell.to_dict() for cell in self.cells],
        }

    @classmethod
    def load(cls, path: Path | str) -> "Arena":
        """Restore an arena from the JSON that `save` wrote.

        Args:
            path: the file.

        Raises:
            RunError: the file is damaged, or of another format.
        """
        path = path_of("a record", path, "arena/arena.json")
        stored = read_object(path)
        if stored.get("format") != FORMAT:
            raise RunError(f"{path} is not an arena of format {FORMAT}. Run the arena again.")
        with values_of(path):
            return cls(
                suite=stored["suite"],
                protocol=stored["protocol"],
                cells=[Cell.from_dict(cell) for cell in stored["cells"]],
                environment=stored["environment"],
                date=stored["date"],
            )

    def to_html(self) -> str:
        """Return the page, which loads nothing from elsewhere."""
        from lengthwise.analysis.figures import to_page_svg  # noqa: PLC0415  tables need none

        return template("lengthwise.report", "arena.html").render(
            arena=self, figure=to_page_svg(self.figure), long=LONG, learned=100 * LEARNED
        )

    def save(self, path: Path | str) -> None:
        """Write the page, or the record if the name ends in `.json`.

        Args:
            path: the file.

        Raises:
            ConfigError: the name ends otherwise.
        """
        path = require_name(path_of("a page", path, "arena.html"), ".html", ".json")
        if path.suffix == ".html":
            write_text(path, self.to_html())
            return
        head = {k: v for k, v in self.to_dict().items() if k != "cells"}
        lines = ",\n".join(json.dumps(cell.to_dict()) for cell in self.cells)
        write_text(path, f'{json.dumps(head, indent=1)[:-2]},\n "cells": [\n{lines}\n]}}\n')


def _mean(pairs: Sequence[Sequence[int]]) -> float:
    """Return the share of right words of all pairs of right and total together."""
    return sum(right for right, _ in pairs) / sum(total for _, total in pairs)


def _share(cells: Sequence[Cell], first: int, last: int, *, interval: bool = True) -> str:
    """Return the accuracy at some lengths in words, over the cells that were tested there."""
    asked = [cell for cell in cells if cell.right(first, last) is not None]
    if not asked:
        return ""
    shown = f"{percent(_accuracy(asked, first, last))} %"
    if interval and not any(cell.writes_output for cell in asked):
        right, total = (sum(numbers) for numbers in zip(*_pairs(asked, first, last), strict=True))
        shown += f" ({percent_interval(*wilson(right, total), decimals=1)})"
    return shown if len(asked) == len(cells) else f"{shown}, {len(asked)} of {len(cells)}"


def _pairs(cells: Sequence[Cell], first: int, last: int) -> list[tuple[int, int]]:
    """Return the numbers of right and of all words of the cells that were tested there."""
    return [pair for cell in cells if (pair := cell.right(first, last)) is not None]


def _accuracy(cells: Sequence[Cell], first: int, last: int) -> float:
    """Return the share of right words of cells together; of outputs, the mean of their scores."""
    if not any(cell.writes_output for cell in cells):
        return _mean(_pairs(cells, first, last))
    return fmean(score for cell in cells if (score := cell.score(first, last)) is not None)


def _best_shortcut(cells: Sequence[Cell]) -> str:
    """Return the accuracy of the best rule that was tried on a language."""
    best = [max(rules.values()) for cell in cells if (rules := (cell.found or {}).get("shortcuts"))]
    return f"{percent(max(best))} %" if best else ""


def _range(numbers: Sequence[int]) -> str:
    if not numbers:
        return ""
    low, high = min(numbers), max(numbers)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _curve(cells: Sequence[Cell]) -> dict[int, float]:
    """Return the accuracy in per cent, the mean over languages, at the ends of ranges of lengths.

    Single lengths would not do, since some languages have words of even length only.
    """
    by_language: dict[str, list[Cell]] = {}
    for cell in cells:
        by_language.setdefault(cell.language, []).append(cell)
    curve = {}
    for first, last in _RANGES:
        shares = [
            _accuracy(alike, first, last)
            for alike in by_language.values()
            if _pairs(alike, first, last)
        ]
        if shares:
            curve[last] = 100 * fmean(shares)
    return curve


def _smallest(cells: Sequence[Cell], is_meant: Callable[[Cell], bool]) -> dict[str, Any] | None:
    meant = [cell for cell in cells if is_meant(cell)]
    if not meant:
        return None
    cell = min(meant, key=lambda each: each.parameters)
    return {"network": cell.network, "seed": cell.seed, "parameters": cell.parameters}


def _farthest(cells: Sequence[Cell]) -> dict[str, Any] | None:
    """Return the cell that found no wrong word, or the longest shortest one; then the smallest."""
    tested = [cell for cell in cells if cell.found]
    if not tested:
        return None

    def rank(cell: Cell) -> tuple[float, float, int]:
        far = cell.right(LONG, LONG) or cell.right(41, 500) or (0, 1)
        wrong = float("inf") if cell.wrong_length is None else float(cell.wrong_length)
        return wrong, far[0] / far[1], -cell.parameters

    cell = max(tested, key=rank)
    return {
        "network": cell.network,
        "seed": cell.seed,
        "parameters": cell.parameters,
        "wrong_length": cell.wrong_length,
    }
