"""Shared runs: those that another sweep has trained are copied instead of trained again."""

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lengthwise.errors import LengthwiseError
from lengthwise.files import read_json
from lengthwise.sweeps.folder import BusyError, JobFolder
from lengthwise.sweeps.job import Job
from lengthwise.training.runs import RunFolder


def take_over(jobs: Sequence[Job], folder: Path) -> int:
    """Copy runs of the same plans from the sweeps beside `folder`; return the number of copies.

    The training time of a run is also counted as that of its copy. A run that has begun in `folder`
    continues there.
    """
    missing = [job for job in jobs if not JobFolder.of(job, folder).run.exists()]
    done = _find_done(folder) if missing else {}
    copies = 0
    for job in missing:
        other, place = done.get(_key(job.plan.to_dict())), JobFolder.of(job, folder)
        if other is None:
            continue
        try:
            with place.lock():
                if not place.run.exists():
                    place.describe(job)
                    _copy(other, place)
                    copies += 1
        except (BusyError, OSError):  # another process works on it, or a file is unreadable
            continue
    return copies


def _find_done(folder: Path) -> dict[str, JobFolder]:
    """Return the finished jobs of other sweeps by their plans; damaged ones are ignored."""
    done = {}
    for path in sorted(folder.parent.glob("*/*/job.json")):
        place = JobFolder(path.parent)
        try:
            if path.parent.parent != folder and RunFolder(place.run).is_finished:
                place.clock()
                done[_key(read_json(path)["plan"])] = place
        except (LengthwiseError, OSError, KeyError, TypeError, ValueError):
            continue
    return done


def _key(plan: Mapping[str, Any]) -> str:
    return json.dumps(plan, sort_keys=True)


def _copy(source: JobFolder, target: JobFolder) -> None:
    aside = target.path / "taken"
    shutil.rmtree(aside, ignore_errors=True)
    try:
        shutil.copytree(source.run, aside)
        target.save_clock(source.clock())
        aside.rename(target.run)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
