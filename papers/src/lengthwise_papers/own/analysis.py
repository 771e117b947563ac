"""RegularGPT after Parity and Cycle Navigation, looked into: Figures 3 and 4a of Chi et al. (2023).

The words are of 500 symbols, and no run was trained or selected on them. `lengthwise analyse` gives
the same numbers in the folder of a run.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from lengthwise.analysis.analyses import ANALYSES, analysis_of
from lengthwise.analysis.figures import Picture, clusters_figure, receptive_field_figure
from lengthwise.evaluation.scores import percent
from lengthwise.problems.runs import load_run
from lengthwise_papers.experiment import Record, Table, preset_catalogue
from lengthwise_papers.own import main_job
from lengthwise_papers.own.main_job import Sizes
from lengthwise_papers.parts import Part, PartsExperiment

LANGUAGES = ("parity", "cycle-navigation")
MODEL = "regular-gpt"


def parts(sizes: Sizes, seeds: Sequence[int]) -> list[Part]:
    """Return the parts of the main job with continuous memory."""
    return [part for part in main_job.parts(sizes, seeds) if f", {MODEL}, " in part.name]


def measure(settings: Mapping[str, Any], folder: Path) -> list[Record]:
    """Train a run, test it and analyse it."""
    (record,) = main_job.measure(settings, folder)
    run = load_run(folder / "run", device="cpu")
    del record["accuracy_by_length"]
    found = {name: rounded(analysis_of(name, run.model, run.task)) for name in ANALYSES}
    return [{**record, **found}]


def rounded(value: Any) -> Any:
    """Round all numbers of a record to six digits."""
    if isinstance(value, dict):
        return {key: rounded(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [rounded(inner) for inner in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value


def clusters_table(records: Sequence[Record]) -> Table:
    """Return a row for each language: how well the vectors separate its elements."""
    rows = []
    for one in records:
        found = one["clusters"]
        rows.append(
            [
                one["language"],
                percent(one["mean_accuracy"]),
                str(len(found["elements"])),
                str(found["points"]),
                percent(found["purity"]),
                *(f"{found[name]:.2f}" for name in ("gap", "spread", "gap_to_spread")),
                f"{100 * sum(found['explained'][:2]):.1f}",
            ]
        )
    columns = ["language", "mean accuracy on 41..500 %", "elements", "vectors", "purity %", "gap"]
    return Table([*columns, "spread", "gap / spread", "variance of 2 components %"], rows)


def receptive_field_table(records: Sequence[Record]) -> Table:
    """Return a row for each language: how the gradient is spread over the positions."""
    rows = [
        [
            one["language"],
            f"{curve['half']} of {curve['length']} symbols",
            f"{curve['deviation']:.3f}",
            f"{curve['least']:.3f} / {curve['length']}",
        ]
        for one in records
        for curve in one["receptive-field"]["curves"]
    ]
    columns = ["language", "half of the gradient lies in the last"]
    columns += ["farthest from the straight line", "least share of a position"]
    return Table(columns, rows)


def figures(records: Sequence[Record]) -> dict[str, Picture]:
    """Plot the clusters and receptive fields of all runs."""
    return {
        "clusters": clusters_figure([one["clusters"] for one in records]),
        "receptive-field": receptive_field_figure([one["receptive-field"] for one in records]),
    }


_LAPTOP = Sizes(preset="laptop", languages=LANGUAGES, seeds=(0,))

ANALYSIS = PartsExperiment(
    item="analysis",
    claim="Vectors of sub-words cluster by what the sub-word does, and every position counts.",
    printed="Figures 3 and 4a of Chi et al. (2023).",
    presets=preset_catalogue(
        smoke=replace(main_job.MAIN_JOB.presets["smoke"], seeds=(0,)),
        laptop=_LAPTOP,
        paper=replace(_LAPTOP, preset="paper"),
    ),
    parts=parts,
    measure=measure,
    table=clusters_table,
    more={"Receptive field": receptive_field_table},
    figures=figures,
)
