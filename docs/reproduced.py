"""The pages of `reproducing/`, from the catalogue of experiments and `results/`."""

import json
from pathlib import Path
from typing import Any

from wrapping import wrapped

from lengthwise.analysis.figures import to_svg
from lengthwise.experiments.catalogue import EXPERIMENTS
from lengthwise.experiments.experiment import Experiment, stem
from lengthwise.experiments.page import section

OWN = "own"


def measured(results: Path) -> dict[str, Experiment]:
    """The experiments whose records are among the results."""
    return {
        name: experiment
        for name, experiment in EXPERIMENTS.items()
        if (results / f"{stem(name)}.json").exists()
    }


def paper_of(name: str) -> str:
    """The first part of the name of an experiment, which is that of its paper's page."""
    return name.partition("/")[0]


def papers(results: Path) -> dict[str, str]:
    """Authors and year of each paper, by the name of its page."""
    found = {paper_of(name): one.paper for name, one in measured(results).items()}
    return {page: title for page, title in found.items() if page != OWN}


def result_of(results: Path, page: str) -> list[tuple[str, Experiment, dict[str, Any]]]:
    """The experiments of a paper, with what is stored of each."""
    return [
        (name, one, json.loads((results / f"{stem(name)}.json").read_text(encoding="utf-8")))
        for name, one in measured(results).items()
        if paper_of(name) == page
    ]


def sections(results: Path, page: str) -> str:
    """A section for each experiment of a paper: what is claimed, printed and measured."""
    parts = [
        section(name, one, result, pictures=f"../img/{stem(name)}")
        for name, one, result in result_of(results, page)
    ]
    return wrapped("\n\n".join(parts))


def pictures(results: Path) -> dict[str, str]:
    """The figures as SVG, by the names of their files."""
    drawn = {}
    for page in (*papers(results), OWN):
        for name, experiment, result in result_of(results, page):
            for figure, picture in experiment.figures(result["records"]).items():
                drawn[f"{stem(name)}-{figure}.svg"] = to_svg(picture)
    return drawn
