"""Chiang and Cholak (2022), Table 1: translation of long sentences by models of short ones.

A transformer translates, with attention logits as they are (`baseline`) and multiplied with log n
(`scaled`, in all three attentions). Trained and tested on sentences of all lengths, both should be
alike; trained on sources of at most the median length, and tested on longer ones, the scaled one
should be better. The paper's text is IWSLT'15 English to Vietnamese, its lengths are counted in
words or parts of words (it does not say which), and its runs have one seed. Here lengths are tokens
of the joint BPE, and every seed has a test of its own: paired bootstrap resampling of 1,000
samples. All test parts of the corpus are translated; those besides `test` are of another domain.

The third column is ours: the factor is log n / log 32 (`matched`), which is 1 for 32 tokens: about
the geometric mean of all sources of the Bible, but more than any source of the short protocol has.
With log n logits are 3.5 times as large from the start, as if the temperature were so much lower.

The text is the parallel corpus in `runs/corpora/pairs-PRESET`. Put yours there before: `lengthwise
prepare TRAIN --pairs en,vi --valid DEV --test TEST --out runs/corpora/pairs-laptop`. `smoke` makes
its own, of numbers in digits and in words, which are too short to say anything of lengths.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from lengthwise.analysis.figures import Picture
from lengthwise.data.parts import TEST, TRAIN, VALID
from lengthwise.problems.planning import make_plan
from lengthwise.problems.sweep_tests import Test
from lengthwise.sweeps.job import jobs_over_seeds
from lengthwise.text.data.numbers import DIGITS, WORDS
from lengthwise.text.data.pairs import NUMBERS
from lengthwise.text.data.parallel_corpus import PairsConfig, ParallelCorpus, prepare_parallel
from lengthwise.text.data.stored_corpus import INDEX
from lengthwise.text.evaluation.bleu import BUCKETS, BleuComparison, compare_systems
from lengthwise.text.problems.translation.problem import Translation
from lengthwise_papers.cells import cells
from lengthwise_papers.experiment import CORPORA, Record, Statement, Table, preset_catalogue
from lengthwise_papers.figures import panels_figure
from lengthwise_papers.trained_experiment import CellRun, TrainedExperiment

ALL, SHORT = "train-all-test-all", "train-short-test-long"
BASELINE, SCALED, MATCHED = "baseline", "scaled", "matched"

PUBLISHED: Mapping[tuple[str, str], float] = {
    (ALL, BASELINE): 32.6,
    (ALL, SCALED): 32.5,
    (SHORT, BASELINE): 11.4,
    (SHORT, SCALED): 12.4,
}
"""Protocol and column to BLEU."""

COLUMNS = {BASELINE: "standard", SCALED: "log-length", MATCHED: "log-length-32"}
"""The scale of all attentions."""

SIGNIFICANT, FLUENT = 0.01, 90.0

LENIENT = 0.05
"""Significance that is asked of `matched`, which is not the paper's."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """Text, network, and length of training."""

    preset: str
    vocab_size: int
    seeds: tuple[int, ...]
    protocols: tuple[str, ...] = (ALL, SHORT)
    sentences: int = 10_000
    """Greatest number of sentences of a test that are translated."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Settings of the network and of training."""

    def corpus(self) -> ParallelCorpus:
        """Return the corpus of the preset; of numbers, if it is the smallest, and there is none.

        Raises:
            TextError: there is none.
        """
        folder = CORPORA / f"pairs-{self.preset}"
        if self.preset != "smoke" or (folder / INDEX).exists():
            return ParallelCorpus.load(folder)
        config = PairsConfig(vocab_size=self.vocab_size)
        return prepare_parallel(folder, {TRAIN: [NUMBERS]}, (DIGITS, WORDS), config)


def runs(sizes: Sizes, seeds: Sequence[int]) -> list[CellRun]:
    """Return all runs of the table."""
    corpus, cell_runs = sizes.corpus(), []
    tested = [part for part in corpus.parts if part not in (TRAIN, VALID)]
    tests = [Test(name=part, lengths=BUCKETS, words_per_length=sizes.sentences) for part in tested]
    for protocol in sizes.protocols:
        for column, scale in COLUMNS.items():
            plan = make_plan(
                f"{Translation.prefix}{corpus.folder}",
                preset=sizes.preset,
                settings={**sizes.settings, "protocol": protocol, "scale": scale},
            )
            jobs = jobs_over_seeds(plan, seeds or sizes.seeds, tests)
            cell_runs += [CellRun(protocol, column, job) for job in jobs]
    return cell_runs


# ---- tables and figures ------------------------------------------------------------------------


def pairs_of(
    records: Sequence[Record], test: str, other: str = SCALED
) -> dict[str, dict[int, tuple[Record, Record]]]:
    """Return the tests of the baseline and another column by protocol and seed, if both exist."""
    pairs: dict[str, dict[int, tuple[Record, Record]]] = {}
    by_seed = {
        (row, column, run["seed"]): run["tests"][test]
        for (row, column), of_cell in cells(records).items()
        for run in of_cell
        if test in run["tests"]
    }
    for (row, column, seed), baseline in by_seed.items():
        scaled = by_seed.get((row, other, seed))
        if column == BASELINE and scaled is not None:
            pairs.setdefault(row, {})[seed] = baseline, scaled
    return pairs


def tests_of(records: Sequence[Record]) -> list[str]:
    """Return the parts that were translated."""
    return list(dict.fromkeys(name for record in records for name in record.get("tests", ())))


def comparisons(
    records: Sequence[Record], test: str, other: str = SCALED
) -> dict[str, dict[int, BleuComparison]]:
    """Compare the baseline with another column, by protocol and seed."""
    return {
        protocol: {seed: compare_systems(*pair) for seed, pair in of_seed.items()}
        for protocol, of_seed in pairs_of(records, test, other).items()
    }


def table(records: Sequence[Record]) -> Table:
    """Return printed and measured BLEU: the mean over seeds, and the least and the greatest."""
    rows = []
    for test in tests_of(records):
        for other in (SCALED, MATCHED):
            for protocol, of_seed in pairs_of(records, test, other).items():
                pairs = list(of_seed.values())
                like_theirs = test == TEST and not is_of_numbers(pairs[0][0])
                printed = [
                    str(PUBLISHED.get((protocol, column), "")) if like_theirs else ""
                    for column in (BASELINE, other)
                ]
                against = [compare_systems(*pair) for pair in pairs]
                rows.append(
                    [
                        protocol,
                        f"{test}: {pairs[0][0]['text']}",
                        f"{pairs[0][0]['sentences']:,}",
                        other,
                        *printed,
                        _spread([baseline["bleu"] for baseline, _ in pairs]),
                        _spread([scaled["bleu"] for _, scaled in pairs]),
                        _format_signed([comparison.difference for comparison in against]),
                        ", ".join(f"{comparison.p_value:.3f}" for comparison in against),
                    ]
                )
    columns = ["protocol", "test", "sentences", "column", "printed baseline", "printed column"]
    columns += ["baseline BLEU (least to greatest seed)", "column's BLEU (the same)"]
    return Table([*columns, "difference by seed", "p by seed"], rows)


def details_table(records: Sequence[Record]) -> Table:
    """Return a row for each run and test: how exact BLEU is, chrF, and how much was written."""
    rows = []
    for (row, column), of_cell in cells(records).items():
        for run in of_cell:
            for name, test in run["tests"].items():
                low, high = test["interval_95"]
                rows.append(
                    [
                        *(row, column, str(run["seed"]), name),
                        f"{test['bleu']:.2f}",
                        f"{low:.2f} to {high:.2f}",
                        f"{test['chrf']:.1f}",
                        f"{test['length_ratio']:.2f}",
                        f"{test['seconds']:.0f}",
                    ]
                )
    columns = ["protocol", "column", "seed", "test", "BLEU", "95 % interval", "chrF"]
    return Table([*columns, "words per reference word", "seconds"], rows)


def figures(records: Sequence[Record]) -> dict[str, Picture]:
    """Plot BLEU by the length of the source: a panel for each protocol and test."""
    panels: dict[str, dict[str, dict[int, float]]] = {}
    for test in tests_of(records):
        for (row, column), of_cell in cells(records).items():
            buckets = [run["tests"][test]["by_length"] for run in of_cell if test in run["tests"]]
            if buckets:
                panels.setdefault(f"{row}, {test}", {})[column] = {
                    bucket_group[0]["last"]: fmean(bucket["bleu"] for bucket in bucket_group)
                    for bucket_group in zip(*buckets, strict=True)
                }
    if not panels:
        return {}
    picture = panels_figure(panels, xlabel="longest source of a bucket, tokens", ylabel="BLEU")
    return {"bleu": picture}


# ---- what the paper says -----------------------------------------------------------------------


def check(records: Sequence[Record]) -> list[Statement]:
    """Check what section 5.4 says, of every seed."""
    if of_numbers := _of_numbers(records):
        return of_numbers
    statements = []
    against = comparisons(records, TEST)
    if all_pairs := list(against.get(ALL, {}).values()):
        statements.append(
            Statement(
                where="section 5.4",
                says="with all lengths in training, scaling has no significant effect",
                holds=all(comparison.p_value >= SIGNIFICANT for comparison in all_pairs),
                measured=_describe_comparisons(all_pairs),
                runs=len(all_pairs),
            )
        )
    if all_pairs := list(against.get(SHORT, {}).values()):
        better = [
            comparison.difference > 0 and comparison.p_value < SIGNIFICANT
            for comparison in all_pairs
        ]
        statements.append(
            Statement(
                where="section 5.4",
                says="trained on short sentences, the scaled model translates long ones better "
                f"(p < {SIGNIFICANT})",
                holds=all(better),
                measured=f"{_describe_comparisons(all_pairs)}: {sum(better)} of {len(better)} "
                "seeds",
                runs=len(all_pairs),
            )
        )
    matched = comparisons(records, TEST, MATCHED)
    if matched:
        every, short = (list(matched.get(row, {}).values()) for row in (ALL, SHORT))
        worse = [comparison.difference < 0 and comparison.p_value < LENIENT for comparison in every]
        better = [
            comparison.difference > 0 and comparison.p_value < LENIENT for comparison in short
        ]
        statements.append(
            Statement(
                where="ours",
                says="scaling by log n / log 32 is not worse with all lengths in training, and "
                f"better from short sentences to long ones (p < {LENIENT})",
                holds=bool(every and short) and all(better) and not any(worse),
                measured=f"all lengths: {_describe_comparisons(every) or 'not run'}; "
                f"short to long: {_describe_comparisons(short) or 'not run'}",
            )
        )
    return statements


def is_of_numbers(test: Record) -> bool:
    """Return whether a test is of numbers, which are too short to say anything of lengths."""
    return str(test["text"]).startswith(NUMBERS)


def _of_numbers(records: Sequence[Record]) -> list[Statement]:
    """Check numbers alone: they say nothing of long sentences."""
    tests = [
        run["tests"][TEST]
        for of_cell in cells(records).values()
        for run in of_cell
        if is_of_numbers(run["tests"][TEST])
    ]
    if not tests:
        return []
    least = min(test["bleu"] for test in tests)
    return [
        Statement(
            where="ours",
            says=f"numbers that were not in training are translated with BLEU over {FLUENT:.0f}",
            holds=least > FLUENT,
            measured=f"{least:.1f} at least",
        )
    ]


def _describe_comparisons(results: Sequence[BleuComparison]) -> str:
    return ", ".join(
        f"{comparison.difference:+.2f} BLEU (p = {comparison.p_value:.3f})"
        for comparison in results
    )


def _spread(values: Sequence[float]) -> str:
    mean = f"{fmean(values):.1f}"
    return mean if len(values) == 1 else f"{mean} ({min(values):.1f} to {max(values):.1f})"


def _format_signed(values: Sequence[float]) -> str:
    return ", ".join(f"{value:+.1f}" for value in values)


# ---- the experiment ----------------------------------------------------------------------------

_SMOKE = Sizes(
    preset="smoke",
    vocab_size=384,
    seeds=(0,),
    protocols=(ALL,),
    settings={
        "d_model": 64,
        "num_heads": 4,
        "num_layers": 2,
        "steps": 720,
        "warmup": 72,
        "validate_every": 360,
        "batch_tokens": 3_072,
    },
)

_LAPTOP = Sizes(
    preset="laptop",
    vocab_size=4_096,
    seeds=(0, 1, 2),
    settings={"d_model": 128, "num_layers": 3, "steps": 2_400, "warmup": 240},
)

_PAPER = Sizes(
    preset="paper",
    vocab_size=8_000,
    seeds=(0,),
    settings={
        "d_model": 512,
        "num_heads": 8,
        "num_layers": 6,
        "steps": 100_000,
        "warmup": 8_000,
        "learning_rate": 3e-4,
        "validate_every": 1_000,
    },
)

TABLE_1: TrainedExperiment[Sizes] = TrainedExperiment(
    paper="Chiang & Cholak (2022)",
    item="Table 1",
    claim="With attention scaled by log n, models trained on short sentences translate long ones "
    "better.",
    printed="BLEU of English to Vietnamese (IWSLT'15), one run each; bootstrap resampling of 1,000 "
    "samples.",
    presets=preset_catalogue(_SMOKE, _LAPTOP, _PAPER),
    runs=runs,
    table=table,
    more={"Runs in detail": details_table},
    figures=figures,
    judge=check,
)
