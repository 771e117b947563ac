"""The columns of Table 3: the numbers that Chi et al. (2023) print, and perplexities of cells."""

from collections.abc import Sequence
from statistics import fmean

from lengthwise.text.evaluation.perplexity import perplexity_of
from lengthwise_papers.cells import cells
from lengthwise_papers.experiment import Record

BASELINES = ("KERPLE", "T5", "ALiBi")

PRINTED: dict[str, tuple[float, ...]] = {
    "KERPLE": (24.71, 24.42, 24.21, 24.53, 24.74),
    "T5": (24.50, 24.38, 25.01, 28.91, 39.08),
    "ALiBi": (24.53, 24.90, 25.08, 25.08, 25.08),
    "32 / 6": (32.06, 32.03, 791.74, 812.00, 818.49),
    "64 / 6": (30.17, 30.30, 30.56, 30.80, 1175.91),
    "128 / 6": (28.80, 28.94, 29.14, 29.25, 29.41),
    "128 / 12": (26.37, 26.91, 27.08, 27.28, 27.39),
    "256 / 6": (27.90, 34.38, 34.85, 35.11, 35.42),
}

PUBLISHED: dict[tuple[str, int], float] = {
    (column, 512 * 2**power): value
    for column, row in PRINTED.items()
    for power, value in enumerate(row)
}
"""Column and length to perplexity, the mean over three seeds."""

LAST = "last token"


def split_column(column: str) -> tuple[int, int, str]:
    """Return C, K and the variant of a column; the variant is "" where there is none."""
    chunk, _, rest = column.partition(" / ")
    num_layers, _, variant = rest.partition(", ")
    return int(chunk), int(num_layers), variant


def by_length(of_cell: Sequence[Record], test: str = LAST) -> dict[int, list[float]]:
    """Return the perplexity of each seed by length."""
    nats = [run["tests"][test]["nats_by_length"] for run in of_cell]
    return {int(n): [perplexity_of(by_window[n]) for by_window in nats] for n in nats[0]}


def means(records: Sequence[Record]) -> dict[str, dict[int, float]]:
    """Return the mean perplexity over seeds by column and length."""
    return {
        column: {n: fmean(values) for n, values in by_length(of_cell).items()}
        for (_, column), of_cell in cells(records).items()
    }
