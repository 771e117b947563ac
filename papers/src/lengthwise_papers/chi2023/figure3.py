"""RegularGPT after Parity and Cycle Navigation, looked into: Figures 3 and 4a of Chi et al. (2023).

The words are of 500 symbols, and no run was trained or selected on them. `lengthwise analyse` gives
the same numbers in the folder of a run.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

from lengthwise.analysis.analyses import ANALYSES, analysis_of
from lengthwise.analysis.figures import Picture, clusters_figure, receptive_field_figure
from lengthwise.evaluation.scores import percent
from lengthwise.problems.runs import load_run
from lengthwise_papers.experiment import Record, Statement, Table, preset_catalogue
from lengthwise_papers.own import main_job
from lengthwise_papers.own.main_job import Sizes
from lengthwise_papers.parts import Part, PartsExperiment, group_records

LANGUAGES = ("parity", "cycle-navigation")
MODEL = "regular-gpt"

STRAIGHT = 0.05
"""Greatest distance of a cumulated gradient from the straight line, as a share."""


def parts(sizes: Sizes, seeds: Sequence[int]) -> list[Part]:
    """Return the parts of the main job with continuous memory."""
    return [part for part in main_job.parts(sizes, seeds) if f", {MODEL}, " in part.name]


def measure(settings: Mapping[str, Any], folder: Path) -> list[Record]:
    """Train a run, test it and analyse it."""
    (record,) = main_job.measure(settings, folder)
    run = load_run(folder / "run", device="cpu")
    del record["accuracy_by_length"]
    analyses = {name: round_record(analysis_of(name, run.model, run.task)) for name in ANALYSES}
    return [{**record, **analyses}]


def round_record(value: Any) -> Any:
    """Round all numbers of a record to six digits."""
    if isinstance(value, dict):
        return {key: round_record(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [round_record(inner) for inner in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value


def clusters_table(records: Sequence[Record]) -> Table:
    """Return a row for each run: how well the vectors separate the elements of its language."""
    rows = []
    for record in records:
        cluster = record["clusters"]
        rows.append(
            [
                record["language"],
                str(record["seed"]),
                percent(record["mean_accuracy"]),
                str(len(cluster["elements"])),
                str(cluster["points"]),
                percent(cluster["purity"]),
                *(f"{cluster[name]:.2f}" for name in ("gap", "spread", "gap_to_spread")),
                f"{100 * sum(cluster['explained'][:2]):.1f}",
            ]
        )
    columns = ["language", "seed", "mean accuracy on 41..500 %", "elements", "vectors", "purity %"]
    return Table([*columns, "gap", "spread", "gap / spread", "variance of 2 components %"], rows)


def receptive_field_table(records: Sequence[Record]) -> Table:
    """Return a row for each run: how the gradient is spread over the positions."""
    rows = [
        [
            record["language"],
            str(record["seed"]),
            f"{curve['half']} of {curve['length']} symbols",
            f"{curve['deviation']:.3f}",
            f"{curve['least']:.3f} / {curve['length']}",
        ]
        for record in records
        for curve in record["receptive-field"]["curves"]
    ]
    columns = ["language", "seed", "half of the gradient lies in the last"]
    columns += ["farthest from the straight line", "least share of a position"]
    return Table(columns, rows)


def figures(records: Sequence[Record]) -> dict[str, Picture]:
    """Plot the clusters and receptive fields of the first run of each language."""
    first = [runs[0] for runs in group_records(records, "language").values()]
    return {
        "clusters": clusters_figure([record["clusters"] for record in first]),
        "receptive-field": receptive_field_figure([record["receptive-field"] for record in first]),
    }


def check(records: Sequence[Record]) -> list[Statement]:
    """Check what sections 7.3 and 7.4 say."""
    of_language = {spec: runs for (spec,), runs in group_records(records, "language").items()}
    clusters = {
        language: [record["clusters"] for record in runs] for language, runs in of_language.items()
    }
    counts = [{len(one["elements"]) for one in of_runs} for of_runs in clusters.values()]
    gaps = {language: _least_gap(of_runs) for language, of_runs in clusters.items()}
    bent = {
        language: [curve["deviation"] for run in runs for curve in run["receptive-field"]["curves"]]
        for language, runs in of_language.items()
    }
    fewest = min(map(len, of_language.values()))
    return [
        Statement(
            where="section 7.3",
            says="vectors of sub-words have 2 clusters in PARITY and 5 in Cycle Navigation",
            holds=min(gaps.values()) > 1 and counts == [{2}, {5}],
            measured=", ".join(
                f"{language} {' or '.join(map(str, sorted(count)))}, the gap "
                f"{gaps[language]:.2f} times the spread"
                for language, count in zip(gaps, counts, strict=True)
            ),
            runs=fewest,
        ),
        Statement(
            where="section 7.4",
            says="the cumulated gradient of a regular language is a slanted line "
            f"(to {STRAIGHT} of its height)",
            holds=all(fmean(off) <= STRAIGHT for off in bent.values()),
            measured=", ".join(
                f"{language} {', '.join(f'{value:.3f}' for value in off)} away"
                for language, off in bent.items()
            ),
            runs=fewest,
        ),
    ]


def _least_gap(clusters: Sequence[Mapping[str, Any]]) -> float:
    """Return the least gap between clusters of any run, in spreads; 0 if elements are mixed."""
    return min(one["gap_to_spread"] if one["purity"] == 1 else 0.0 for one in clusters)


_LAPTOP = Sizes(preset="laptop", languages=LANGUAGES)

FIGURE_3: PartsExperiment[Sizes] = PartsExperiment(
    paper="Chi et al. (2023)",
    item="Figures 3 and 4a",
    claim="Vectors of sub-words cluster by what the sub-word does, and every position counts.",
    printed="Two and five clusters in the plane, and a slanted line of cumulated gradients.",
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
    check=check,
)
