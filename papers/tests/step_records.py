"""Records of runs on steps, written down."""

from lengthwise_papers.experiment import Record, Table
from lengthwise_papers.steps2022.table1 import Choice


def record(regime: str, bits: int, choice: Choice, exact: float, seed: int = 0) -> Record:
    test = {
        "lengths": str(2 * bits),
        "missing": [],
        "words_per_length": 10_000,
        "mean_accuracy": exact,
        "shortcuts": {},
        "wrong": {},
    }
    return {
        "row": f"{regime}, n = {bits}",
        "column": str(choice),
        "seed": seed,
        "supervision": regime,
        "trained_on": "10,000 examples",
        "steps": 10,
        "seconds": 1.0,
        "parameters": 5,
        "flops": 7,
        "tests": {"unseen": test},
    }


SINE, HOT = Choice(128, 10_000, "sinusoidal"), Choice(128, 10_000, "one-hot")


def by_name(table: Table) -> dict[tuple[str, str], dict[str, str]]:
    """The cells of a table, by the first two columns and by column."""
    columns, rows = table
    return {(row[0], row[1]): dict(zip(columns, row, strict=True)) for row in rows}
