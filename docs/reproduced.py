"""The sections of `reproducing.md`, from the catalogue of experiments and `results/`."""

import json
from pathlib import Path

from wrapping import wrapped

from lengthwise.analysis.figures import to_svg
from lengthwise.experiments.catalogue import EXPERIMENTS
from lengthwise.experiments.experiment import Experiment, stem
from lengthwise.experiments.page import section


def measured(results: Path) -> dict[str, Experiment]:
    """The experiments whose records are among the results."""
    return {
        name: experiment
        for name, experiment in EXPERIMENTS.items()
        if (results / f"{stem(name)}.json").exists()
    }


def sections(results: Path) -> str:
    """A section for each experiment: what is claimed, printed and measured."""
    parts = []
    for name, experiment in measured(results).items():
        if name.startswith("own/"):  # they have pages of their own
            continue
        result = json.loads((results / f"{stem(name)}.json").read_text(encoding="utf-8"))
        parts.append(section(name, experiment, result, pictures=f"img/{stem(name)}"))
    return wrapped("\n\n".join(parts))


def pictures(results: Path) -> dict[str, str]:
    """The figures as SVG, by the names of their files."""
    drawn = {}
    for name, experiment in measured(results).items():
        result = json.loads((results / f"{stem(name)}.json").read_text(encoding="utf-8"))
        for figure, picture in experiment.figures(result["records"]).items():
            drawn[f"{stem(name)}-{figure}.svg"] = to_svg(picture)
    return drawn
