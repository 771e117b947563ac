"""The tables of `arena.md` with published numbers beside measured ones.

The records are files `arena.json` of the arena, as `benchmarks/published-NAME.json`.
"""

from collections.abc import Sequence
from pathlib import Path

from lengthwise.arenas.record import Arena
from lengthwise.arenas.trained_cell import Cell
from lengthwise.escapes import table_in_markdown
from lengthwise.evaluation.scores import percent
from lengthwise.messages import format_count
from wrapping import wrap

_FIRST, _LAST = 41, 256
"""Lengths of both tests; the paper's begin with 40."""

_NEAR = 0.1
"""Difference of scaled accuracies that counts as the same."""

_PARITY, _ARITHMETIC = "chomsky-parity", "chomsky-modular-arithmetic"
_CHANCE = {_PARITY: 1 / 2, _ARITHMETIC: 1 / 5}

_GRAZZI = {
    "decoder": ("Transformer", ("0.022", "0.003"), ("0.031", "0.018")),
    "mlstm": ("mLSTM", ("0.087", "0.018"), ("0.040", "0.027")),
    "slstm": ("sLSTM", ("1.000", "1.000"), ("0.787", "0.124")),
    "mamba": ("Mamba [0, 1]", ("0.000", "0.000"), ("0.095", "0.066")),
    "mamba-negative": ("Mamba [-1, 1]", ("1.000", "1.000"), ("0.241", "0.214")),
    "deltanet": ("DeltaNet [0, 1]", ("0.017", "0.010"), ("0.314", "0.214")),
    "deltanet-negative": ("DeltaNet [-1, 1]", ("1.000", "0.999"), ("0.971", "0.826")),
}
"""Grazzi et al. (2025, arXiv 2411.12537), tables 3 and 5: scaled accuracy, best and median of 3
runs, of Parity and of modular arithmetic without brackets."""

_DELTAPRODUCT = {
    "deltanet": ("DeltaProduct, n = 1, [0, 1]", "does not converge"),
    "deltanet-negative": ("DeltaProduct, n = 1, [-1, 1]", "does not converge"),
    "deltaproduct": ("DeltaProduct, n = 2, [-1, 1]", "learns"),
}
"""Siems et al. (2025, arXiv 2502.10297): what the authors' repository expects of one layer on the
word problem of S3."""


def sections(folder: Path) -> str:
    """Return both tables, each with its conditions and what differs from the paper."""
    grazzi, product = (
        Arena.load(folder / f"published-{name}.json") for name in ("grazzi", "deltaproduct")
    )
    return "\n\n".join(
        [
            wrap(
                f"Scaled accuracy at {_FIRST} to {_LAST} symbols: 0 is guessing, 1 is perfect. "
                f"Published: Grazzi et al. (2025, [2411.12537](https://arxiv.org/abs/2411.12537)), "
                f"tables 3 and 5, the best and the median of 3 runs. Measured: "
                f"{_conditions(grazzi)} *In training lengths* is the accuracy in validation."
            ),
            table_in_markdown(*_grazzi_table(grazzi)),
            wrap(
                f"Within {_NEAR} of the best that is published: Parity {_met(grazzi, _PARITY)}, "
                f"arithmetic {_met(grazzi, _ARITHMETIC)}. Where arithmetic is below, training was "
                f"too short: the networks do not know the words of training either, after "
                f"{_words(grazzi):,} words. The paper's see 102 million, at width 128, with 2 "
                "layers for Parity and 3 for arithmetic, and the best of several learning rates "
                "counts. There DeltaNet has convolutions of 4 symbols, here `mamba` alone has "
                "them. There only the class of the whole word is given, here for Parity that of "
                "every prefix."
            ),
            wrap(
                "The word problem of S3 in one layer. Published: Siems et al. (2025, "
                "[2502.10297](https://arxiv.org/abs/2502.10297)), what the authors' repository "
                f"expects after training on products of 128 elements. Measured: "
                f"{_conditions(product)}"
            ),
            table_in_markdown(*_product_table(product)),
            wrap(
                f"The order is the published one, but {_words(product):,} words are not enough to "
                "carry further. The paper's networks see 10 million, and have 8 heads. n = 2 with "
                "rates to 1 is not in our catalogue."
            ),
        ]
    )


def _conditions(found: Arena) -> str:
    settings = found.protocol["settings"]
    seeds = found.protocol["seeds"]
    return (
        f"width {settings['d_model']}, {format_count(settings['num_layers'], 'layer')}, at most "
        f"{settings['steps']:,} steps of {settings['batch_size']} words of up to "
        f"{settings['max_length']} symbols, learning rate {settings['learning_rate']}, seed"
        f"{'s' * (len(seeds) > 1)} {', '.join(map(str, seeds))}, "
        f"{found.protocol['words_per_length']} words of each length; {found.date}. {found.cost}"
    )


def _words(found: Arena) -> int:
    """Return the greatest number of words of training."""
    settings = found.protocol["settings"]
    return int(settings["steps"] * settings["batch_size"])


def _met(found: Arena, language: str) -> str:
    """Return how many networks are as good as published."""
    place = 1 + list(_CHANCE).index(language)
    best = {network: float(row[place][0]) for network, row in _GRAZZI.items()}
    measured = {name: _scaled(found.of(name, language), _CHANCE[language]) for name in best}
    met = sum(abs(float(measured[name]) - best[name]) <= _NEAR for name in best)
    return f"{met} of {len(best)}"


def _grazzi_table(found: Arena) -> tuple[list[str], list[list[str]]]:
    columns = ["network", "as published"]
    for name in ("Parity", "arithmetic"):
        columns += [f"{name}: published, best and median", "measured", "in training lengths"]
    rows = []
    for network, (title, *published) in _GRAZZI.items():
        row = [network, title]
        for language, numbers in zip((_PARITY, _ARITHMETIC), published, strict=True):
            cells = found.of(network, language)
            row += [", ".join(numbers), _scaled(cells, _CHANCE[language]), _validated(cells)]
        rows.append(row)
    return columns, rows


def _product_table(found: Arena) -> tuple[list[str], list[list[str]]]:
    columns = ["network", "as published", "published", "in training lengths", "at 20 to 40"]
    columns.append(f"at {_FIRST} to {_LAST}")
    rows = []
    for network, (title, published) in _DELTAPRODUCT.items():
        cells = found.of(network)
        shares = [_share(cells, *lengths) for lengths in ((20, 40), (_FIRST, _LAST))]
        rows.append([network, title, published, _validated(cells), *shares])
    return columns, rows


def _best(cells: Sequence[Cell], first: int, last: int) -> float | None:
    scores = [score for cell in cells if (score := cell.score(first, last)) is not None]
    return max(scores, default=None)


def _share(cells: Sequence[Cell], first: int, last: int) -> str:
    best = _best(cells, first, last)
    return "not measured" if best is None else f"{percent(best)} %"


def _scaled(cells: Sequence[Cell], chance: float) -> str:
    best = _best(cells, _FIRST, _LAST)
    return "not measured" if best is None else f"{max(0.0, (best - chance) / (1 - chance)):.3f}"


def _validated(cells: Sequence[Cell]) -> str:
    shares = [cell.validation_accuracy for cell in cells if cell.validation_accuracy is not None]
    return f"{percent(max(shares))} %" if shares else ""
