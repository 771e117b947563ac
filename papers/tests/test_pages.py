"""Tables and figures of the docs are those of the committed records."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from lengthwise_papers.catalogue import EXPERIMENTS
from lengthwise_papers.experiment import stem
from make import put, tables

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "papers" / "results"


def test_tables_come_from_the_committed_results() -> None:
    """All but those of the pages of papers, which take longer."""
    for (page, name), content in tables().items():
        text = (ROOT / page).read_text(encoding="utf-8")
        assert put(text, name, content) == text, f"run papers/docs/make.py; it would change {name}"


@pytest.mark.slow
def test_figures_and_tables_come_from_the_committed_results() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "papers" / "docs" / "make.py"), "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"run papers/docs/make.py; it would change {done.stderr}"


def test_results_say_how_they_were_made() -> None:
    for path in RESULTS.glob("*.json"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"/(home|root|tmp|work|Users)/", text), f"{path} names a folder"
        result = json.loads(text)
        made_with = {"preset", "seed", "commit", "environment", "date", "records"}
        assert made_with <= set(result), path
        assert result["commit"], path
        if result["experiment"].startswith("own/"):
            for one in result["records"]:
                assert {"seed", "date"} <= set(one)
                tests = one["tests"] if isinstance(one.get("tests"), dict) else {"": one}
                for measured in tests.values():
                    assert {"words_per_length", "protocol", "interval_95"} <= set(measured)


def test_figures_of_the_runs_of_a_table_have_all_of_them() -> None:
    def measure_by(name: str) -> dict[str, object]:
        held = json.loads((RESULTS / f"{stem(name)}.json").read_text(encoding="utf-8"))
        return {one["digest"]: one.get("tests") for one in held["records"]}

    owners = {name: getattr(one, "runs_of", "") for name, one in EXPERIMENTS.items()}
    shared = {name: owner for name, owner in owners.items() if owner}
    assert shared
    for name, owner in shared.items():
        assert measure_by(name) == measure_by(owner), name
