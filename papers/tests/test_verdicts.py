"""The table of verdicts on the papers' statements."""

import json
from pathlib import Path

import pytest

import verdicts
from lengthwise_papers.catalogue import EXPERIMENTS
from lengthwise_papers.experiment import stem

RESULTS = Path(__file__).parent.parent / "results"


def test_each_statement_that_fails_has_a_reason_and_no_other() -> None:
    assert verdicts.failing(RESULTS) == set(verdicts.WHY)


def test_each_note_is_shown() -> None:
    table = verdicts.table(RESULTS)
    assert all(f"*{note}*" in table for note in verdicts.NOTES.values())


def test_the_table_has_every_statement_of_the_papers() -> None:
    expected, counted = [], list[bool]()
    for name, experiment in EXPERIMENTS.items():
        if name.startswith("own/"):
            continue
        for file in RESULTS.glob(f"{stem(name)}*.json"):
            stored = json.loads(file.read_text())
            if stored["experiment"] == name:
                said = experiment.check(stored["records"])
                found = [one for one in said if one.where != "ours"]
                expected += [("yes" if one.holds else "**no**", one.says) for one in found]
                if stored["preset"] == "laptop":
                    counted += [one.holds for one in found]
    rows = [row.split(" | ") for row in verdicts.table(RESULTS).splitlines()[2:]]
    assert sorted((row[2], row[1]) for row in rows) == sorted(expected)
    counts = [int(word) for word in verdicts.summary(RESULTS).split() if word.isdigit()]
    assert (sum(counts[::2]), sum(counts[1::2])) == (sum(counted), len(counted))


@pytest.mark.parametrize("length", [0, 100, 120, 121, 400])
def test_a_long_measurement_is_cut_at_a_part(length: int) -> None:
    text = "; ".join(f"part {number}" for number in range(100))[:length]
    short = verdicts._short(text)
    assert len(short) <= 122
    assert text.startswith(short.removesuffix(" …"))
    assert (short == text) == (length <= 120)
