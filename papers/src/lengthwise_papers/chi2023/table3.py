"""Chi et al. (2023), Table 3: perplexity of natural language beyond the training length.

RegularGPT with C / K for chunk and thickness, beside transformers with KERPLE, T5 and ALiBi. The
paper trains on windows of 512 tokens of OpenWebText2, and asks for the last token of 1,000 random
windows of 512 to 8,192. `laptop` has windows of 128, and lengths and chunks in proportion: like the
paper's 32 and 64, C = 16 and C = 32 reach twice and eight times the training length, 64 past all
tested lengths, and of 96 places at a higher level training sees two, of the paper's 256 also two.

Some networks are also trained otherwise (`variants`): longer, since what happens beyond could grow
with training; and with norms after the branches, as RegularGPT's code for languages has them,
though the paper says that all else is as in GPT-2 (its code for natural language was not
published). With these alone perplexity explodes, and rises further with 20,000 steps, and thicker
is better, as printed.

Each RegularGPT is also tested with as many levels as it was trained with, whatever the length: this
separates the effect of more levels from that of longer texts.

The text is the corpus in `runs/corpora/PRESET`; if there is none, one is prepared from the source
that the preset names. The source of `paper` is on the hub, and a refusal has the command to fetch
it. To use your own text, prepare it before: `lengthwise prepare FILE --out runs/corpora/laptop`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from lengthwise.analysis.figures import Picture
from lengthwise.data.parts import TEST
from lengthwise.errors import TextError
from lengthwise.problems.planning import make_plan
from lengthwise.problems.sweep_tests import Test
from lengthwise.sweeps.job import jobs_over_seeds
from lengthwise.text.data.documents import HUB
from lengthwise.text.data.stored_corpus import INDEX
from lengthwise.text.data.text_corpus import Corpus, PrepareConfig, prepare_corpus
from lengthwise.text.evaluation.perplexity import require_windows
from lengthwise.text.problems.language_modelling.problem import FIELD, TRAINED_LEVELS
from lengthwise_papers.cells import cells
from lengthwise_papers.chi2023.table3_columns import (
    BASELINES,
    LAST,
    PRINTED,
    PUBLISHED,
    by_length,
    means,
)
from lengthwise_papers.chi2023.table3_statements import check
from lengthwise_papers.experiment import CORPORA, Record, Table, preset_catalogue
from lengthwise_papers.figures import lines_figure
from lengthwise_papers.trained_experiment import CellRun, TrainedExperiment

MULTIPLES = (1, 2, 4, 8, 16)
"""Tested lengths, as multiples of the training length."""


class Variant(NamedTuple):
    """Networks that are also trained otherwise."""

    chunks: tuple[tuple[int, int], ...]
    """C and K of each."""
    settings: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """Networks, text, and length of training."""

    preset: str
    source: str
    """Source of the corpus, if there is none yet."""
    vocab_size: int
    window: int
    chunks: tuple[tuple[int, int], ...]
    """C and K of each RegularGPT."""
    variants: Mapping[str, Variant] = field(default_factory=dict)
    """Variants by their part of the name of a column."""
    num_layers: int
    """Number of layers of the baselines."""
    seeds: tuple[int, ...]
    baselines: tuple[str, ...] = BASELINES
    windows: int = 1_000
    field_windows: int = 100
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Settings of all networks and of training."""

    @property
    def lengths(self) -> tuple[int, ...]:
        """Tested lengths."""
        return tuple(self.window * multiple for multiple in MULTIPLES)

    def corpus(self) -> Corpus:
        """Return the corpus of the preset; make it if there is none and nothing is to be fetched.

        Raises:
            TextError: there is none, and its source is on the hub.
        """
        folder = CORPORA / self.preset
        if (folder / INDEX).exists():
            return Corpus.load(folder)
        if self.source.startswith(HUB):
            raise TextError(
                f"{folder} holds no prepared corpus, and many gigabytes are not fetched unasked. "
                f"Make one: `lengthwise prepare {self.source} --set vocab_size={self.vocab_size} "
                f"--out {folder}`."
            )
        config = PrepareConfig(vocab_size=self.vocab_size)
        return prepare_corpus(folder, {"train": [self.source]}, config)


def runs(sizes: Sizes, seeds: Sequence[int]) -> list[CellRun]:
    """Return all runs of the table."""
    corpus, cell_runs = sizes.corpus(), []
    require_windows(corpus.part(TEST), max(sizes.lengths), f"the test part of {corpus.folder}")
    for column, (model, settings) in _networks(sizes).items():
        plan = make_plan(
            f"text:{corpus.folder}",
            model,
            preset=sizes.preset,
            settings={"window": sizes.window, **sizes.settings, **settings},
        )
        tests = [
            Test(name=LAST, lengths=sizes.lengths, words_per_length=sizes.windows),
            Test(name=FIELD, lengths=(sizes.lengths[2],), words_per_length=sizes.field_windows),
        ]
        if model == "regular-gpt-lm":
            tests.append(replace(tests[0], name=TRAINED_LEVELS))
        jobs = jobs_over_seeds(plan, seeds or sizes.seeds, tests)
        cell_runs += [CellRun(_text(corpus), column, job) for job in jobs]
    return cell_runs


def _networks(sizes: Sizes) -> dict[str, tuple[str, dict[str, Any]]]:
    """Return a model and its own settings by column."""
    positions = {"KERPLE": "kerple-log", "T5": "t5", "ALiBi": "alibi"}
    networks: dict[str, tuple[str, dict[str, Any]]] = {
        name: ("gpt-lm", {"position": positions[name], "num_layers": sizes.num_layers})
        for name in sizes.baselines
    }
    for chunk, num_layers in sizes.chunks:
        settings = {"chunk_size": chunk, "num_layers": num_layers}
        networks[f"{chunk} / {num_layers}"] = ("regular-gpt-lm", settings)
    for name, variant in sizes.variants.items():
        for chunk, num_layers in variant.chunks:
            settings = {"chunk_size": chunk, "num_layers": num_layers, **variant.settings}
            networks[f"{chunk} / {num_layers}, {name}"] = ("regular-gpt-lm", settings)
    return networks


def _text(corpus: Corpus) -> str:
    """Name the row: the text, and its tokens of training."""
    sources = [Path(source).name.partition(",")[0] for source in corpus.index["sources"]["train"]]
    tokens = corpus.index["parts"]["train"]["tokens"]
    return f"{', '.join(sources)} ({tokens / 1e6:.1f} million tokens)"


def table(records: Sequence[Record]) -> Table:
    """Return a row for each length, as printed: mean, least and greatest over seeds."""
    curves = {column: by_length(of_cell) for (_, column), of_cell in cells(records).items()}
    lengths = sorted({n for curve in curves.values() for n in curve})
    rows = [[f"{n:,}", *(_spread(curve.get(n, [])) for curve in curves.values())] for n in lengths]
    return Table(["length", *curves], rows)


def list_printed(records: Sequence[Record]) -> Table:
    """Return what the paper prints, for windows of 512."""
    lengths = sorted({n for _, n in PUBLISHED})
    rows = [[f"{n:,}", *(f"{PUBLISHED[column, n]:.2f}" for column in PRINTED)] for n in lengths]
    return Table(["length", *PRINTED], rows)


def intervals_table(records: Sequence[Record]) -> Table:
    """Return the 95 % intervals of the first seed, and time."""
    rows = []
    for (row, column), of_cell in cells(records).items():
        test = of_cell[0]["tests"][LAST]
        shortest, *_, longest = sorted(test["nats_by_length"], key=int)
        low, high = test["interval_95_by_length"][shortest]
        ratios = ", ".join(
            f"{int(n):,}: {low:.3f} to {high:.3f}"
            for n, (low, high) in test.get("ratio_95_by_length", {}).items()
            if n != shortest
        )
        milliseconds = 1e3 * test["seconds_by_length"][longest] / test["words_per_length"]
        time = f"{milliseconds:.0f} at {int(longest):,}"
        rows.append([row, column, f"{_short(low)} to {_short(high)}", ratios, time])
    first = "perplexity at the shortest"
    return Table(["text", "column", first, "times that, on the same tokens", "ms a window"], rows)


def levels_table(records: Sequence[Record]) -> Table:
    """Return perplexity over that at the shortest length; levels grow with the text, or not."""
    rows = []
    for (_, column), of_cell in cells(records).items():
        if TRAINED_LEVELS in of_cell[0]["tests"]:
            for name, level_rule in ((LAST, "ceil(log_C T)"), (TRAINED_LEVELS, "as in training")):
                curve = by_length(of_cell, name)
                lengths = sorted(curve)
                first = fmean(curve[lengths[0]])
                ratios = [f"{fmean(curve[n]) / first:.3f}" for n in lengths]
                rows.append([column, level_rule, *ratios])
    columns = [f"{n:,}" for n in lengths] if rows else []
    return Table(["column", "levels", *columns], rows)


def figures(records: Sequence[Record]) -> dict[str, Picture]:
    """Draw perplexity by length, on logarithmic axes, the mean over seeds."""
    curves = means(records)
    if not curves:
        return {}
    picture = lines_figure(
        curves, xlabel="tokens, of which the last is asked for", ylabel="perplexity"
    )
    return {"perplexity": picture}


def _spread(values: Sequence[float]) -> str:
    if not values:
        return ""
    mean = _short(fmean(values))
    return mean if len(values) == 1 else f"{mean} ({_short(min(values))} to {_short(max(values))})"


def _short(value: float) -> str:
    return f"{value:.2f}" if value < 1e4 else f"{value:.1e}"


_POST = "norms after the branches"

_SMOKE = Sizes(
    preset="smoke",
    source="python-topics",
    vocab_size=257,
    window=8,
    chunks=((2, 1), (3, 1), (4, 1)),
    variants={
        "6 steps": Variant(((2, 1),), {"steps": 6}),
        _POST: Variant(((2, 1),), {"norm": "post"}),
    },
    num_layers=1,
    baselines=("ALiBi",),
    seeds=(0,),
    windows=20,
    field_windows=3,
    settings={"d_model": 8, "num_heads": 2, "steps": 4, "validate_every": 2, "warmup": 0},
)

_LAPTOP = Sizes(
    preset="laptop",
    source="python",
    vocab_size=4096,
    window=128,
    chunks=((16, 2), (16, 6), (32, 2), (64, 2), (64, 4), (96, 2)),
    variants={
        "20,000 steps": Variant(((16, 2),), {"steps": 20_000}),
        _POST: Variant(((16, 2), (32, 2), (64, 2), (64, 4)), {"norm": "post"}),
        f"{_POST}, 20,000 steps": Variant(((16, 2),), {"norm": "post", "steps": 20_000}),
    },
    num_layers=4,
    seeds=(0,),
    settings={"d_model": 128, "num_heads": 4, "steps": 4_000, "batch_size": 16},
)

_PAPER = Sizes(
    preset="paper",
    source="hf:Skylion007/openwebtext",
    vocab_size=50_257,
    window=512,
    chunks=((32, 6), (64, 6), (128, 6), (128, 12), (256, 6)),
    num_layers=12,
    seeds=(0, 1, 2),
    settings={
        "d_model": 768,
        "num_heads": 12,
        "steps": 50_000,
        "warmup": 2_000,
        "learning_rate": 6e-4,
        "batch_size": 32,
        "validate_every": 1_000,
        "autocast": "bfloat16",
    },
)


TABLE_3 = TrainedExperiment(
    paper="Chi et al. (2023)",
    presets=preset_catalogue(_SMOKE, _LAPTOP, _PAPER),
    runs=runs,
    item="Table 3",
    claim="RegularGPT reads past its training length, as far as its levels reach.",
    printed="Perplexity of the last token of 1,000 windows of OpenWebText2, the mean over three "
    "seeds.",
    table=table,
    more={
        "Printed": list_printed,
        "The same weights with more levels, and without": levels_table,
        "Intervals of 95 %, first seed": intervals_table,
    },
    figures=figures,
    judge=check,
)
