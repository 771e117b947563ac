"""What Chi et al. (2023) say of Table 3, checked in the records of its runs."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from lengthwise.layers.chunks import depth
from lengthwise_papers.cells import cells
from lengthwise_papers.chi2023.table3_columns import means, split_column
from lengthwise_papers.experiment import Record, Statement

FLAT, GROWN, EXPLODED = 1.3, 1.5, 2.0
"""Times the perplexity at the training length: at most, and at least."""

LARGEST, WORSE = 256, 1.1
"""The paper's largest chunk, and times the perplexity at the training length that are worse."""

NEAR = 0.15
"""Share by which the best RegularGPT may be behind the best transformer, to be near it."""


def check(records: Sequence[Record]) -> list[Statement]:
    """Check what section 6 says, of the means over seeds."""
    regular = {column: curve for column, curve in means(records).items() if " / " in column}
    if not regular:
        return []
    within: dict[str, dict[str, float]] = {}
    beyond: dict[str, dict[str, float]] = {}
    alike: dict[str, dict[tuple[int, int], dict[int, float]]] = {}
    for column, curve in regular.items():
        chunk, num_layers, variant = split_column(column)
        trained = min(curve)
        reach = chunk ** depth(trained, chunk)
        ratios = {n: value / curve[trained] for n, value in curve.items()}
        short = within.setdefault(variant, {})
        short[column] = max(r for n, r in ratios.items() if n <= reach)
        past = [ratio for n, ratio in ratios.items() if n > reach]
        if past:
            beyond.setdefault(variant, {})[column] = min(past)
        alike.setdefault(variant, {})[chunk, num_layers] = curve
    statements = [
        Statement(
            where="section 6",
            says="perplexity stays about the same as at the training length, up to C^ceil(log_C T)",
            variant=variant,
            holds=max(ratios.values()) <= FLAT,
            measured=f"highest ratio: {_ratios(ratios)}",
        )
        for variant, ratios in within.items()
    ]
    statements += [
        Statement(
            where="section 6",
            says="and explodes beyond",
            variant=variant,
            holds=min(ratios.values()) >= EXPLODED,
            measured=f"lowest ratio: {_ratios(ratios)}",
        )
        for variant, ratios in beyond.items()
    ]
    for variant, of_variant in alike.items():
        statements += _of_thickness(of_variant, variant)
    statements += [*_of_chunk(alike.get("", {})), *_of_baselines(records, regular)]
    runs_ = min(map(len, cells(records).values()))
    return [
        statement if statement.holds is None else statement._replace(runs=runs_)
        for statement in statements
    ]


def _of_baselines(
    records: Sequence[Record], regular: Mapping[str, Mapping[int, float]]
) -> list[Statement]:
    """Check what section 6 says of transformers with relative positions, and of the largest C."""
    curves = {column: curve for column, curve in means(records).items() if column not in regular}
    statements = []
    if curves:
        lengths = sorted(next(iter(curves.values())))
        shortest, longest = lengths[0], lengths[-1]
        growth = {column: curve[longest] / curve[shortest] for column, curve in curves.items()}
        flat = [ratio for column, ratio in growth.items() if column != "T5"]
        grows = growth.get("T5", math.inf)
        statements.append(
            Statement(
                where="Table 3",
                says=f"with T5's positions perplexity grows with the length ({GROWN} times and "
                "more), with ALiBi's and KERPLE's it does not",
                holds=grows >= GROWN and max(flat, default=1) <= FLAT,
                measured=f"from {shortest:,} to {longest:,} tokens times {_ratios(growth)}",
            )
        )
        alike = [column for column in regular if "steps" not in column]
        best = min(alike, key=lambda column: regular[column][shortest])
        ratio = regular[best][shortest] / min(curve[shortest] for curve in curves.values())
        statements.append(
            Statement(
                where="Table 3",
                says=f"the best RegularGPT is near the best of these (within {100 * NEAR:.0f} %; "
                "printed: 7.6 %)",
                holds=ratio <= 1 + NEAR,
                measured=f"{best} has {ratio:.3f} times its perplexity at {shortest:,} tokens",
            )
        )
    return [*statements, _of_largest(regular)]


def _of_largest(regular: Mapping[str, Mapping[int, float]]) -> Statement:
    """Check the largest chunk of the paper, which needs its windows of 512 tokens."""
    growth = {
        column: min(value for n, value in curve.items() if n > min(curve)) / curve[min(curve)]
        for column, curve in regular.items()
        if column.startswith(f"{LARGEST} / ") and len(curve) > 1
    }
    return Statement(
        where="section 6",
        says=f"with C = {LARGEST} performance deteriorates beyond the training length "
        f"({WORSE} times and more)",
        holds=min(growth.values()) >= WORSE if growth else None,
        measured=f"lowest ratio: {_ratios(growth)}"
        if growth
        else "not run: `--preset paper` has the windows of 512 tokens that it needs",
    )


def _of_thickness(
    regular: Mapping[tuple[int, int], Mapping[int, float]], variant: str
) -> list[Statement]:
    """Check thickness among networks that were trained alike."""
    pairs = [(key, (key[0], 2 * key[1])) for key in regular if (key[0], 2 * key[1]) in regular]
    if not pairs:
        return []
    gains = [regular[thin][n] / regular[thick][n] for thin, thick in pairs for n in regular[thin]]
    return [
        Statement(
            where="section 6",
            says="twice the thickness is better, at every length",
            variant=variant,
            holds=min(gains) > 1,
            measured=f"the thinner has {min(gains):.3f} to {max(gains):.3f} times the perplexity",
        )
    ]


def _of_chunk(regular: Mapping[tuple[int, int], Mapping[int, float]]) -> list[Statement]:
    """Check chunks among networks of the commonest thickness."""
    counts = Counter(num_layers for _, num_layers in regular)
    num_layers = max(counts, key=counts.__getitem__, default=0)
    alike = {chunk: curve for (chunk, k), curve in regular.items() if k == num_layers}
    if len(alike) < 3:
        return []
    longest = max(min(alike.values(), key=max))
    trained = min(min(alike.values(), key=min))
    best, chosen = (
        min(alike, key=lambda chunk_size: alike[chunk_size][n]) for n in (longest, trained)
    )
    return [
        Statement(
            where="section 6",
            says="neither the smallest nor the largest chunk generalises best",
            holds=min(alike) < best < max(alike),
            measured=f"C = {best} at {longest:,} tokens, of "
            + ", ".join(f"{chunk}: {alike[chunk][longest]:.4g}" for chunk in sorted(alike)),
        ),
        Statement(
            where="ours",
            says="the chunk that is best at the training length is best at the greatest, too",
            holds=chosen == best,
            measured=f"C = {chosen} at {trained:,} tokens, C = {best} at {longest:,}",
        ),
    ]


def _ratios(ratios: Mapping[str, float]) -> str:
    return ", ".join(f"{ratio:.3g} ({column})" for column, ratio in ratios.items())
