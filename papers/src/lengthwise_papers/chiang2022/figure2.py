"""Chiang & Cholak (2022), Figure 2: cross-entropy of the exact networks, by length.

Three kinds of networks for PARITY and for FIRST, in float64, on words of uniform bits:

- without layer norm (section 3; c = 1);
- with layer norm, for several epsilon > 0;
- with layer norm and epsilon = 0.

Those with layer norm have the layer of Proposition 2, too, as layer norm alone does not help: the
last vector at CLS still holds the marks of CLS, so its variance is of order one, and the norm
leaves the small logit s as small as it is. Proposition 2's layer forgets all but (s, -s), and only
then the norm divides by |s|. With epsilon > 0 it divides by sqrt(2 s^2 / d + epsilon), which stays
away from 0 as s goes to 0. (The authors' code, github.com/ndnlp/parity, forgets all but s, too, but
in the feed-forward network of the second layer.)
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch

from lengthwise.analysis.figures import Picture
from lengthwise.constructions.first import compile_confident_first, compile_first
from lengthwise.constructions.parity import compile_confident_parity, compile_parity
from lengthwise.languages.spec import parse
from lengthwise.models.encoder import Encoder
from lengthwise.sweeps.sweep import Progress
from lengthwise.tasks.automaton import Automaton
from lengthwise_papers.cells import from_to
from lengthwise_papers.chiang2022.answers import answers, random_words
from lengthwise_papers.experiment import (
    MeasuredExperiment,
    Record,
    Statement,
    Table,
    count_steps,
    preset_catalogue,
)
from lengthwise_papers.figures import cross_entropy_figure
from lengthwise_papers.parts import group_records

ETA = 1e-3
"""Cross-entropy in nats that Proposition 2 is asked for, with epsilon = 0."""

EPSILONS = (1e-1, 1e-3, 1e-5, 1e-7, 0.0)
"""1e-5 is what the paper trains with, and torch's default."""

LENGTHS_IN_A_DECADE = 4

ROUNDING = 1e-9
"""Bits that float64 may differ by from length to length where the paper says `independent`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """Lengths, and words of each length. The paper has 1000 words, and does not say how far."""

    longest: int
    words: int


def measure(sizes: Sizes, seed: int, progress: Progress) -> list[Record]:
    """Return a record for each language, length and network; all networks see the same words."""
    generator = torch.Generator().manual_seed(seed)
    all_networks, lengths = _networks(), geometric(sizes.longest)
    records: list[Record] = []
    num_networks = sum(len(networks) for networks in all_networks.values())
    advance = count_steps(progress, num_networks * sum(lengths) * sizes.words)
    for language, networks in all_networks.items():
        automaton = Automaton(parse(language))
        for length in lengths:
            batches = random_words(length, sizes.words, generator)
            for epsilon, answer in answers(networks, automaton, batches, advance).items():
                record = {"language": language, "epsilon": epsilon, "eta": ETA, "length": length}
                records.append({**record, "words": sizes.words, **answer._asdict()})
    return records


def geometric(longest: int) -> list[int]:
    """Return lengths 1, 2, 3, 6, 10, 18, ... with about equal ratios, up to the longest."""
    steps = round(math.log10(longest) * LENGTHS_IN_A_DECADE)
    return sorted({round(10 ** (step / LENGTHS_IN_A_DECADE)) for step in range(steps + 1)})


Curves = Mapping[tuple[str, float | None], Mapping[int, float]]
"""Bits by length, for each language and epsilon (None: without layer norm)."""


def curves(records: Sequence[Record]) -> Curves:
    """Return the bits of the records."""
    bits_by_network: dict[tuple[str, float | None], dict[int, float]] = {}
    for record in records:
        curve = bits_by_network.setdefault((record["language"], record["epsilon"]), {})
        curve[record["length"]] = record["bits"]
    return bits_by_network


def table(records: Sequence[Record]) -> Table:
    """Return a row for each network, a column for each power of ten."""
    by_network = curves(records)
    lengths = [n for n in next(iter(by_network.values())) if math.log10(n).is_integer()]
    of_network = group_records(records, "language", "epsilon")
    rows = [
        [
            language.upper(),
            _name(epsilon),
            from_to([record["words"] for record in of_network[language, epsilon]]),
            *(f"{curve[n]:.5f}" for n in lengths),
        ]
        for (language, epsilon), curve in by_network.items()
    ]
    columns = ["language", "network", "words of each length"]
    return Table([*columns, *(f"bits at {n:,}" for n in lengths)], rows)


def figures(records: Sequence[Record]) -> dict[str, Picture]:
    """Draw bits by length, a panel for each language."""
    panels: dict[str, dict[str, Mapping[int, float]]] = {}
    for (language, epsilon), curve in curves(records).items():
        panels.setdefault(language.upper(), {})[_name(epsilon)] = curve
    return {"cross-entropy": cross_entropy_figure(panels)}


def check(records: Sequence[Record]) -> list[Statement]:
    """Check the caption of Figure 2, and what the sections say of the same networks."""
    all_curves = curves(records)
    plain: Curves = {key: curve for key, curve in all_curves.items() if key[1] is None}
    normed: Curves = {key: curve for key, curve in all_curves.items() if key[1]}
    exact: Curves = {key: curve for key, curve in all_curves.items() if key[1] == 0}
    largest = max(epsilon for _, epsilon in normed if epsilon)
    gains = [
        all_curves[language, None][length] - bits
        for (language, _), curve in normed.items()
        for length, bits in curve.items()
    ]
    flat = [bits for curve in exact.values() for bits in curve.values()]
    eta = records[0]["eta"] / math.log(2)
    return [
        Statement(
            where="section 3.4",
            says="the exact networks have perfect accuracy",
            holds=all(record["accuracy"] == 1 for record in records),
            measured=f"accuracy {min(record['accuracy'] for record in records):g} at the worst "
            f"length of the worst network, to {max(record['length'] for record in records):,} "
            f"symbols",
        ),
        Statement(
            where="Figure 2",
            says="without layer norm, the cross-entropy quickly approaches its upper bound of one",
            holds=all(_rises(curve) and _last(curve) > 0.99 for curve in plain.values()),
            measured=_lasts(plain),
        ),
        Statement(
            where="Figure 2",
            says="with layer norm and ε > 0, the cross-entropy is better",
            holds=min(gains) > 0,
            measured=f"lower by {min(gains):.2g} to {max(gains):.2g} bits at the same length",
        ),
        Statement(
            where="Figure 2, section 4.3",
            says="but it still grows with n and approaches one",
            holds=all(
                _rises(curve) and (epsilon != largest or _last(curve) > 0.5)
                for (_, epsilon), curve in normed.items()
            ),
            measured=f"{_lasts(normed)}; the smaller ε, the longer it takes",
        ),
        Statement(
            where="Figure 2",
            says="with ε = 0, the cross-entropy is independent of n",
            holds=max(flat) - min(flat) <= ROUNDING,
            measured=f"{min(flat):.9f} bits, and {max(flat) - min(flat):.1g} more at most",
        ),
        Statement(
            where="section 4.3",
            says="and can be made as low as desired",
            holds=max(flat) <= eta + ROUNDING,
            measured=f"{max(flat):.9f} bits where {eta:.9f} are asked for",
        ),
    ]


def _rises(curve: Mapping[int, float]) -> bool:
    """Return whether the curve rises from each length to all that are ten times as long or longer.

    Between neighbours the words that happen to be drawn can count for more than the length.
    """
    return all(curve[n] < curve[m] for n in curve for m in curve if m >= 10 * n)


def _last(curve: Mapping[int, float]) -> float:
    return curve[max(curve)]


def _lasts(all_curves: Curves) -> str:
    """Return how far the bits at the longest words are from one, language by language."""
    by_language: dict[str, list[float]] = {}
    for (language, _), curve in all_curves.items():
        by_language.setdefault(language.upper(), []).append(1 - _last(curve))
    longest = max(next(iter(all_curves.values())))
    texts = [
        (f"{min(short):.2g} to " if len(short) > 1 else "") + f"{max(short):.2g} ({name})"
        for name, short in by_language.items()
    ]
    return f"at {longest:,} symbols less than one by {', '.join(texts)}"


def _name(epsilon: float | None) -> str:
    return "no layer norm" if epsilon is None else f"ε = {epsilon:g}".replace("e-0", "e-")


def _networks() -> dict[str, dict[float | None, Encoder]]:
    return {
        "parity": {
            None: compile_parity(),
            **{epsilon: compile_confident_parity(eta=ETA, epsilon=epsilon) for epsilon in EPSILONS},
        },
        "first": {
            None: compile_first(),
            **{epsilon: compile_confident_first(eta=ETA, epsilon=epsilon) for epsilon in EPSILONS},
        },
    }


FIGURE_2 = MeasuredExperiment(
    paper="Chiang & Cholak (2022)",
    item="Figure 2",
    claim="Without layer norm the exact networks lose confidence on longer words; with layer "
    "norm and ε = 0 they never do.",
    printed="Curves for PARITY and FIRST over 1000 random strings of each length n. Without layer "
    "norm, the cross-entropy quickly approaches its upper bound of one. With layer norm and ε > 0, "
    "it is better but still grows with n. With ε = 0, it is independent of n.",
    presets=preset_catalogue(
        smoke=Sizes(longest=1_000, words=10),
        laptop=Sizes(longest=100_000, words=50),
        paper=Sizes(longest=100_000, words=1_000),
    ),
    measure=measure,
    table=table,
    figures=figures,
    check=check,
)
"""Cross-entropy of the exact networks by length."""
