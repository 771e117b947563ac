"""Chi et al. (2023), Limitations: a chunk size C that the data choose.

The paper sets C to a constant, and asks for a "flexible and data-driven" one. Its smallest form is
tried here: networks with several C learn from the shorter half of the training lengths; the C with
the highest mean accuracy on the longer half is chosen, the smaller of two that are equal; the
paper's tests then say whether another C would have been better. No test word chooses anything.

The rows are those on which the paper's Transformer is at chance, or near it, without Modular
Arithmetic, which no C learns in so few steps. In all of them the paper's C = 3 has a lower mean
than its C = 2. All networks have the same settings and seeds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from lengthwise.evaluation.scores import parse_lengths
from lengthwise.languages.spec import parse
from lengthwise.problems.planning import make_plan
from lengthwise.problems.sweep_tests import Test
from lengthwise.sweeps.job import jobs_over_seeds
from lengthwise_papers.cells import best_and_mean, cells, curves, of_seeds, one_digit
from lengthwise_papers.chi2023.published import find_lengths
from lengthwise_papers.chi2023.table1_columns import NEAR
from lengthwise_papers.chi2023.table1_statements import CLEAR, FAILING, HARD
from lengthwise_papers.experiment import Record, Statement, Table, preset_catalogue
from lengthwise_papers.trained_experiment import CellRun, TrainedExperiment

DECIDING = "deciding"
"""Names the test on the longer training lengths, which chooses C."""

ROWS = tuple(row for row in FAILING if row != HARD)


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """Rows, chunk sizes and seeds, and how long is trained and on how many words is tested."""

    preset: str
    seeds: tuple[int, ...] = (0, 1, 2)
    rows: tuple[str, ...] = ROWS
    chunks: tuple[int, ...] = (2, 3, 4)
    settings: Mapping[str, Any] = field(default_factory=dict)
    words: int = 512
    stride: int = 1
    """Every `stride`-th length of the paper's test has words, in the second group all have."""


def runs(sizes: Sizes, seeds: Sequence[int]) -> list[CellRun]:
    """Return the runs of each row and chunk size."""
    cell_runs = []
    for row in sizes.rows:
        longest, (first, last) = find_lengths(row)
        step = max(1, sizes.stride * (last - first + 1) // 460) | 1  # odd: both parities come
        asked = {
            DECIDING: f"{longest // 2 + 1}:{longest}",
            NEAR: f"{first}:{last}:{step}",
        }
        tests = [
            Test(
                name=name,
                lengths=tuple(parse_lengths(lengths)),
                words_per_length=sizes.words,
                protocol="published",
            )
            for name, lengths in asked.items()
        ]
        for chunk in sizes.chunks:
            plan = make_plan(
                parse(row),
                "regular-gpt",
                preset=sizes.preset,
                options={"protocol": "published"},
                settings={"max_length": longest // 2, "chunk_size": chunk, **sizes.settings},
            )
            jobs = jobs_over_seeds(plan, seeds or sizes.seeds, tests)
            cell_runs += [CellRun(row, f"C={chunk}", job) for job in jobs]
    return cell_runs


class Choice(NamedTuple):
    """The chunk sizes of one row, and the one that the longer training lengths choose."""

    of_chunk: Mapping[str, Sequence[Record]]
    """Column to its runs, the smallest chunk first."""

    def mean(self, chunk: str, test: str) -> float:
        """Return the mean over seeds of the accuracy in a test, in per cent."""
        return best_and_mean(self.of_chunk[chunk], test)[1]

    @property
    def chosen(self) -> str:
        """The first chunk with the highest mean at the deciding lengths."""
        return max(self.of_chunk, key=lambda chunk: self.mean(chunk, DECIDING))

    @property
    def best(self) -> str:
        """The first chunk with the highest mean at the paper's lengths."""
        return max(self.of_chunk, key=lambda chunk: self.mean(chunk, NEAR))

    @property
    def lost(self) -> float:
        """The points by which the chosen chunk is below the best one at the paper's lengths."""
        return self.mean(self.best, NEAR) - self.mean(self.chosen, NEAR)


def choose(records: Sequence[Record]) -> dict[str, Choice]:
    """Return the choice for each row with at least two chunk sizes."""
    of_rows: dict[str, dict[str, Sequence[Record]]] = {}
    for (row, chunk), of_cell in cells(records).items():
        of_rows.setdefault(row, {})[chunk] = of_cell
    return {
        row: Choice({chunk: of_chunk[chunk] for chunk in sorted(of_chunk)})
        for row, of_chunk in of_rows.items()
        if len(of_chunk) > 1
    }


def table(records: Sequence[Record]) -> Table:
    """Return for each row both accuracies of each chunk size, and the one that is chosen."""
    choices = choose(records)
    chunks = sorted({chunk for choice in choices.values() for chunk in choice.of_chunk})
    rows = [
        [row, *(_cell(choice, chunk) for chunk in chunks), choice.chosen, one_digit(choice.lost)]
        for row, choice in choices.items()
    ]
    columns = [f"{chunk}, deciding / tested %" for chunk in chunks]
    return Table(["language", *columns, "chosen", "points lost"], rows)


def _cell(choice: Choice, chunk: str) -> str:
    if chunk not in choice.of_chunk:
        return ""
    means = (one_digit(choice.mean(chunk, test)) for test in (DECIDING, NEAR))
    return " / ".join(means) + of_seeds(choice.of_chunk[chunk])


def check(records: Sequence[Record]) -> list[Statement]:
    """Check whether the data choose a good C, and whether that is better than a constant."""
    choices = choose(records)
    if not choices:
        return []
    fewest = min(
        len(of_cell) for choice in choices.values() for of_cell in choice.of_chunk.values()
    )
    missed = [
        f"{row} {choice.chosen}, {one_digit(choice.lost)} points below {choice.best}"
        for row, choice in choices.items()
        if choice.lost >= CLEAR
    ]
    constant = {
        chunk: [choice.mean(chunk, NEAR) for choice in choices.values()]
        for chunk in next(iter(choices.values())).of_chunk
        if all(chunk in choice.of_chunk for choice in choices.values())
    }
    means = {chunk: sum(values) / len(values) for chunk, values in constant.items()}
    of_chosen = [choice.mean(choice.chosen, NEAR) for choice in choices.values()]
    chosen, fixed = sum(of_chosen) / len(of_chosen), max(means, key=lambda chunk: means[chunk])
    return [
        Statement(
            where="ours",
            says="the C that longer training lengths choose is the best one at the paper's lengths "
            f"(to {CLEAR} points)",
            holds=not missed,
            measured="; ".join(missed)
            or ", ".join(f"{row} {choice.chosen}" for row, choice in choices.items()),
            runs=fewest,
        ),
        Statement(
            where="ours",
            says="a C for each language is better than the best constant C (in the mean over rows "
            f"by {CLEAR} points)",
            holds=chosen >= means[fixed] + CLEAR,
            measured=f"{one_digit(chosen)}, constant "
            + ", ".join(f"{chunk} {one_digit(mean)}" for chunk, mean in means.items()),
            runs=fewest,
        ),
    ]


CHUNK_SIZE = TrainedExperiment(
    paper="Chi et al. (2023)",
    item="Limitations, a chosen chunk size",
    claim="The longer training lengths choose the chunk size C of each language.",
    printed="A question: whether a data-driven C helps.",
    presets=preset_catalogue(
        smoke=Sizes(
            preset="smoke",
            seeds=(0,),
            rows=("parity",),
            chunks=(2, 3),
            settings={"steps": 4, "validate_every": 2},
            words=4,
            stride=200,
        ),
        laptop=Sizes(preset="laptop", stride=9),
        paper=Sizes(preset="paper", chunks=(2, 3, 4, 5)),
    ),
    runs=runs,
    table=table,
    figures=lambda records: curves(records, [NEAR], lambda row, chunk: (row, chunk)),
    judge=check,
)
