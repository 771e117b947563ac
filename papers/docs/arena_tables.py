"""The tables and figures of `arena.md` and `board.md`, from the records of `lengthwise arena`.

A record is the file `arena.json` that the command wrote, as `benchmarks/arena-NAME.json`.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from lengthwise.analysis.figures import to_svg
from lengthwise.arenas.record import Arena
from lengthwise.arenas.trained_cell import LEARNED
from lengthwise.escapes import table_in_markdown
from lengthwise.messages import format_count
from wrapping import wrap


def load_arenas(folder: Path) -> Iterator[tuple[str, Arena]]:
    """Yield each stored record with its name, by name."""
    for path in sorted(folder.glob("arena-*.json")):
        yield path.stem, Arena.load(path)


def sections(folder: Path) -> str:
    """Return a section for each record: its conditions, its figure and its tables."""
    return "\n\n".join(_section(name, found) for name, found in load_arenas(folder))


def _section(name: str, found: Arena) -> str:
    learned = [cell for cell in found.cells if cell.is_learned and not cell.writes_output]
    noun = "task" if any(cell.writes_output for cell in found.cells) else "language"
    proved = sum(cell.is_snapped_proved for cell in learned)
    settings = found.protocol["settings"]
    seeds = sorted({cell.seed for cell in found.cells})
    conditions = (
        f"{format_count(len(found.networks), 'network')}, "
        f"{format_count(len(found.languages), noun)}, seed{'s' * (len(seeds) > 1)} "
        f"{', '.join(map(str, seeds))}; at most "
        f"{settings['steps']:,} steps of {settings['batch_size']} words, learning rate "
        f"{settings['learning_rate']}; {found.protocol['words_per_length']} words of each length; "
        f"{found.date}. {found.cost} Of {format_count(len(learned), 'network')} that are right on "
        f"{100 * LEARNED:.1f} % of the validation words, {proved} are proved when they are snapped."
    )
    tables = [table_in_markdown(*found.table), table_in_markdown(*found.matrix)]
    kinds = "Accuracy in per cent by kind of words:"
    return "\n\n".join(
        [
            f"## Measured: {name.removeprefix('arena-').replace('-', ' ')}",
            wrap(conditions),
            f"![Share of learned networks that are proved snapped, and accuracy by length]"
            f"(img/{name}.svg)",
            *tables,
            kinds,
            table_in_markdown(*found.kinds),
        ]
    )


def pictures(folder: Path) -> dict[str, str]:
    """Return the figure of each record, by the name of its file."""
    return {f"{name}.svg": to_svg(found.figure) for name, found in load_arenas(folder)}


def best(folder: Path) -> str:
    """Return for each language of a suite the best networks of all its records."""
    suites: dict[str, Arena] = {}
    for _, found in load_arenas(folder):
        cells = [*suites[found.suite].cells] if found.suite in suites else []
        suites[found.suite] = replace(found, cells=[*cells, *found.cells])
    return "\n\n".join(table_in_markdown(*found.best_table) for found in suites.values())
