"""The table of verdicts on the papers' statements."""

import argparse
import json
import re
import shlex
from pathlib import Path

import pytest

import verdicts
from lengthwise_papers import reproduce
from lengthwise_papers.catalogue import EXPERIMENTS
from lengthwise_papers.cells import run_name
from lengthwise_papers.experiment import Statement, choose_places, file_name
from lengthwise_papers.parts import PartsExperiment
from lengthwise_papers.trained_experiment import TrainedExperiment
from remaining import OPEN, Remaining

RESULTS = Path(__file__).parent.parent / "results"


def test_each_statement_that_does_not_hold_has_a_reason_and_no_other() -> None:
    assert verdicts.list_undecided(RESULTS) == set(verdicts.WHY)


def test_each_open_statement_names_the_command_that_decides_it_and_its_hours() -> None:
    assert verdicts.open_statements(RESULTS) == set(OPEN)
    table = verdicts.table(RESULTS)
    rows = [row for row in table.splitlines() if " | open | " in row]
    assert len(rows) == len(OPEN)
    assert all(
        re.search(r"`lengthwise reproduce \S+.*`, about [\d.,]+ \w+ of a \w+", r) for r in rows
    )


@pytest.mark.parametrize("remaining", dict.fromkeys(OPEN.values()), ids=lambda one: one.arguments)
def test_what_is_to_be_run_exists_and_takes_about_as_long(remaining: Remaining) -> None:
    """Records of the same cells say how long a run takes, to a factor of three."""
    parser = argparse.ArgumentParser()
    reproduce.add_arguments(parser)
    asked = parser.parse_args(shlex.split(remaining.arguments))
    experiment = EXPERIMENTS[asked.experiment]
    seeds = tuple(map(int, asked.seeds.split(","))) if asked.seeds else ()
    sizes = experiment.presets[asked.preset]
    if not isinstance(experiment, TrainedExperiment):
        assert isinstance(experiment, PartsExperiment)
        return
    if asked.experiment == "chi2023/table3":  # its rows are those of a corpus that was prepared
        names = [f"{row}, seed {seed}" for row in known(asked.experiment) for seed in seeds]
        if not seeds:
            return
    else:
        names = [run.name for run in experiment.runs(sizes, seeds)]
    names = [names[place] for place in choose_places(asked.experiment, names, asked.only)]
    if asked.preset == "paper":
        return
    seconds = sum(known(asked.experiment)[name.rpartition(", seed")[0]] for name in names)
    assert 1 / 3 < seconds / 3600 / remaining.hours < 3


def known(name: str) -> dict[str, float]:
    """The time of a run of each cell, in seconds, on a processor."""
    records = json.loads((RESULTS / file_name(name, "laptop")).read_text())["records"]
    return {
        run_name(one).rpartition(", seed")[0]: one["seconds"]
        for one in records
        if one["environment"]["device"] == "cpu"
    }


def test_each_note_is_shown() -> None:
    table = verdicts.table(RESULTS)
    assert all(f"*{note}*" in table for note in verdicts.NOTES.values())


def test_the_table_has_every_statement_of_the_papers_and_counts_each_once() -> None:
    expected, counted = [], dict[tuple[str, str], str]()
    for name, experiment in EXPERIMENTS.items():
        if name.startswith("own/"):
            continue
        for preset in ("laptop", "paper"):
            file = RESULTS / file_name(name, preset)
            if not file.exists():
                continue
            said = experiment.check(json.loads(file.read_text())["records"])
            found = [one for one in said if one.where != "ours"]
            expected += [(one.shown, one.text) for one in found]
            if preset == "laptop":
                for one in found:
                    counted.setdefault((name, one.says), one.verdict)
    rows = [row.split(" | ") for row in verdicts.table(RESULTS).splitlines()[2:]]
    assert sorted((row[2], row[1]) for row in rows) == sorted(expected)
    words = verdicts.summary(RESULTS).replace(":", "").split()
    numbers = [int(word) for word in words if word.isdigit()]
    every, verdicts_ = numbers[::4], list(counted.values())
    assert sum(every) == len(verdicts_)
    for place, verdict in enumerate(("yes", "no", "open"), start=1):
        assert sum(numbers[place::4]) == verdicts_.count(verdict)


@pytest.mark.parametrize(
    ("holds", "runs", "verdict"),
    [
        (True, 0, "yes"),
        (True, 1, "yes"),
        (True, 3, "yes"),
        (False, 0, "no"),
        (False, 1, "open"),
        (False, 2, "no"),
        (None, 0, "open"),
        (None, 3, "open"),
    ],
)
def test_one_run_that_fails_decides_nothing(holds: bool | None, runs: int, verdict: str) -> None:
    assert Statement("Table 1", "it learns", holds, "", runs=runs).verdict == verdict


@pytest.mark.parametrize("length", [0, 100, 120, 121, 400])
def test_a_long_measurement_is_cut_at_a_part(length: int) -> None:
    text = "; ".join(f"part {number}" for number in range(100))[:length]
    short = verdicts._short(text)
    assert len(short) <= 122
    assert text.startswith(short.removesuffix(" …"))
    assert (short == text) == (length <= 120)
