"""The pages of `reproducing/`, from the catalogue of experiments and `results/`."""

import json
import re
from pathlib import Path
from typing import Any, NamedTuple

from lengthwise.analysis.figures import to_svg
from lengthwise_papers.catalogue import EXPERIMENTS
from lengthwise_papers.experiment import Experiment, file_name
from lengthwise_papers.page import section
from wrapping import wrap

OWN = "own"

PRESETS = ("laptop", "paper")
"""The presets whose records the pages show, in this order."""


class Measured(NamedTuple):
    """An experiment, and what is stored of it with one preset."""

    name: str
    experiment: Experiment
    result: dict[str, Any]

    @property
    def stem(self) -> str:
        """How its files begin: `chi2023-table1`, or `chi2023-table1-paper`."""
        return file_name(self.name, self.result["preset"]).removesuffix(".json")

    @property
    def command(self) -> str:
        """What measures it, without `reproduce`: `chi2023/table1 --preset paper`."""
        return self.name if self.is_usual else f"{self.name} --preset {self.result['preset']}"

    @property
    def is_usual(self) -> bool:
        """Whether it is measured with the preset that has all experiments."""
        return bool(self.result["preset"] == PRESETS[0])


def paper_of(name: str) -> str:
    """The first part of the name of an experiment, which is that of its paper's page."""
    return name.partition("/")[0]


def papers(results: Path) -> dict[str, str]:
    """Authors and year of each paper, by the name of its page."""
    found = {paper_of(name): one.paper for name, one, _ in _list_stored(results)}
    return {page: title for page, title in found.items() if page != OWN}


def load_measured(results: Path, page: str = "") -> list[Measured]:
    """What is stored of all experiments, or of those of a page."""
    return [
        Measured(name, experiment, json.loads(file.read_text(encoding="utf-8")))
        for name, experiment, file in _list_stored(results)
        if page in ("", paper_of(name))
    ]


def _list_stored(results: Path) -> list[tuple[str, Experiment, Path]]:
    """The files of records that there are, each with its experiment; none is read."""
    every = [
        (name, experiment, results / file_name(name, preset))
        for name, experiment in EXPERIMENTS.items()
        for preset in PRESETS
    ]
    return [each for each in every if each[2].exists()]


def sections(results: Path, page: str) -> dict[str, str]:
    """Return the section of each experiment of a paper, by the beginning of its files."""
    return {
        one.stem: wrap(
            section(one.name, one.experiment, one.result, pictures=f"../img/{one.stem}").replace(
                f"## {one.experiment.paper}, ", "## ", 1
            )
        )
        for one in load_measured(results, page)
    }


def anchor(one: Measured) -> str:
    """Return where the section of an experiment is: `chi2023.md#table-1`."""
    title = one.experiment.item + ("" if one.is_usual else f" preset {one.result['preset']}")
    kept = re.sub(r"[^\w\s-]", "", title).lower()
    return f"{paper_of(one.name)}.md#{'-'.join(kept.split())}"


def pictures(results: Path) -> dict[str, str]:
    """The figures as SVG, by the names of their files."""
    return {
        f"{one.stem}-{figure}.svg": to_svg(picture)
        for one in load_measured(results)
        for figure, picture in one.experiment.figures(one.result["records"]).items()
    }
