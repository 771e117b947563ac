"""The queue of all experiments: its order, what it keeps, and 20 kills at random moments."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from concurrent.futures import Future, wait
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lengthwise.errors import MissingLibraryError, RunError
from lengthwise.registry import Catalogue
from lengthwise_papers import queue, store
from lengthwise_papers.experiment import (
    MeasuredExperiment,
    MeasurementOptions,
    Record,
    Table,
)
from lengthwise_papers.parts import Part, PartsExperiment
from lengthwise_papers.queue import Queue, Work


def square(settings: Mapping[str, Any], folder: Path) -> list[Record]:
    """Leave a mark in the folder, to be counted."""
    (folder / "called").touch()
    return [{"value": settings["value"]}, {"value": settings["value"] ** 2}]


def table(records: Any) -> Table:
    return Table(["value"], [[str(one["value"])] for one in records])


SQUARES: PartsExperiment[Any] = PartsExperiment(
    item="squares",
    claim="Squares are squares.",
    presets=Catalogue("preset", {"smoke": (2, 3)}),
    parts=lambda sizes, seeds: [
        Part(f"value {n}, seed {seed}", {"value": n, "seed": seed})
        for n in sizes
        for seed in seeds or (0, 1)
    ],
    measure=square,
    table=table,
)

FIGURE: MeasuredExperiment[Any] = MeasuredExperiment(
    paper="Nobody",
    item="figure",
    claim="One is one.",
    printed="1",
    presets=Catalogue("preset", {"smoke": 1}),
    measure=lambda sizes, seed, progress: [{"value": sizes}],
    table=table,
    check=lambda records: [],
)


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Queue:
    """A queue of two experiments, one of the papers and one of our own."""
    known: dict[str, Any] = {"own/squares": SQUARES, "nobody/figure": FIGURE}
    monkeypatch.setattr(queue, "EXPERIMENTS", known)
    monkeypatch.setattr(store, "EXPERIMENTS", known)
    return Queue(preset="smoke", runs=tmp_path / "runs", out=tmp_path / "out")


class Here:
    """Does the work in this process, which knows the experiments of a test."""

    def __init__(self, workers: int) -> None:
        self.slots = workers

    def __enter__(self) -> "Here":
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def submit(self, call: Any, *arguments: Any) -> Future[Any]:
        future = Future[Any]()
        future.set_result(call(*arguments))
        return future


def names(asked: Queue) -> list[str]:
    return [work.name for work in asked.survey()[0]]


def do(asked: Queue, only: str) -> None:
    options = MeasurementOptions(progress=lambda *step: None, runs=asked.runs, only=(only,))
    store.measure_and_store("own/squares", "smoke", options, asked.out)


def test_what_tells_most_comes_first(asked: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    """A seed of each kind comes before the second of any."""
    every = ["value 2, seed 0", "value 3, seed 0", "value 2, seed 1", "value 3, seed 1"]
    assert names(asked) == ["nobody/figure", *(f"own/squares: {one}" for one in every)]
    monkeypatch.setattr(queue, "LocalProcesses", Here)
    told = list[str]()
    squares = replace(asked, only=("squares",))
    report = queue.work_off(squares, workers=1, seconds=None, tell=told.append)
    begun = [line.removeprefix("begins: ") for line in told if line.startswith("begins: ")]
    assert begun[:2] == [f"own/squares: {one}" for one in every[:2]]
    assert set(begun[2:]) == {f"own/squares: {one}" for one in every[2:]}  # the quicker first
    assert [line for line in told if line.startswith("done: ")] == [f"done: {u}" for u in begun]
    assert (report.done, report.failed, report.is_over) == (begun, {}, False)


def test_a_unit_that_was_quick_is_followed_by_those_of_its_kind(
    asked: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two kinds of which nothing is known, the second seeds come by the times of the first."""
    taken = {"value 2, seed 0": 50.0, "value 3, seed 0": 1.0}
    begun = list[str]()

    class Clock:
        now = 0.0

        @classmethod
        def monotonic(cls) -> float:
            return cls.now

    class Slow(Here):
        def submit(self, call: Any, *arguments: Any) -> Future[Any]:
            begun.append(arguments[1].unit)
            return super().submit(call, *arguments)

    def pass_on(running: Any, *given: Any, **more: Any) -> Any:
        (work, _) = next(iter(running.values()))
        Clock.now += taken.get(work.unit, 1.0)
        return wait(running, *given, **more)

    monkeypatch.setattr(queue, "LocalProcesses", Slow)
    monkeypatch.setattr(queue, "wait", pass_on)
    monkeypatch.setattr(queue, "time", Clock)
    squares = replace(asked, only=("squares",))
    queue.work_off(squares, workers=1, seconds=None, tell=lambda line: None)
    assert begun == ["value 2, seed 0", "value 3, seed 0", "value 3, seed 1", "value 2, seed 1"]


def test_what_is_done_counts_for_the_order(asked: Queue) -> None:
    do(asked, "value 2, seed 0")
    left = ["value 3, seed 0", "value 2, seed 1", "value 3, seed 1"]
    assert names(asked) == ["nobody/figure", *(f"own/squares: {one}" for one in left)]
    other = asked.survey()[0][-2]
    assert (other.num_done, other.seconds is None) == (1, False)
    count = asked.survey().counts["own/squares"]
    assert (count.done, count.missing, count.unknown) == (1, 3, 2)
    assert count.seconds == other.seconds
    assert replace(asked, only=("value 3",)).survey().counts["own/squares"]._replace(seconds=0) == (
        queue.Count(done=0, missing=2, seconds=0, unknown=2)
    )


def test_what_this_queue_has_finished_tells_how_long_others_take() -> None:
    works = [Work("own/a", f"{kind} 1", 0, 5.0, kind, 1) for kind in ("quick", "slow")]
    times = {("own/a", "slow"): [9.0, 7.0, 8.0], ("own/a", "quick"): [6.0]}
    assert queue._next(works, times).kind == "quick"
    assert queue._next(works, times | {("own/a", "quick"): [60.0]}).kind == "slow"
    assert queue._next(works, {("own/a", "slow"): [1.0]}).kind == "slow"


def test_what_lacks_a_library_is_left_out(asked: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    def lacks(sizes: Any, seeds: Any) -> Any:
        raise MissingLibraryError("this needs the library tokenizers, which is not installed.")

    known: dict[str, Any] = {"own/squares": SQUARES, "own/text": replace(SQUARES, parts=lacks)}
    monkeypatch.setattr(queue, "EXPERIMENTS", known)
    monkeypatch.setattr(store, "EXPERIMENTS", known)
    assert len(names(asked)) == 4
    assert "tokenizers" in asked.survey()[1]["own/text"]


def test_quick_work_comes_before_long_work_and_known_before_unknown() -> None:
    works = [
        Work("own/a", "long", 0, 9.0),
        Work("own/b", "unknown", 0, None),
        Work("own/c", "quick", 0, 1.0),
        Work("chi/d", "of a paper", 0, 99.0),
        Work("chi/e", "another seed", 1, 0.1, num_before=1),
    ]
    ordered = sorted(works, key=queue._order)
    assert [work.unit for work in ordered] == [
        *("of a paper", "quick", "long", "unknown", "another seed")
    ]


def test_another_machine_goes_on_from_the_records_alone(asked: Queue, tmp_path: Path) -> None:
    do(asked, "value 2")
    there = Queue(preset="smoke", runs=tmp_path / "other", out=asked.out)
    left = ["own/squares: value 3, seed 0", "own/squares: value 3, seed 1"]
    assert [one for one in names(there) if "squares" in one] == left
    do(there, "value")
    assert sorted(path.parent.name for path in there.runs.glob("*/*/called")) == sorted(
        Part("", {"value": 3, "seed": seed}).digest for seed in (0, 1)
    )
    records = json.loads((asked.out / "own-squares-smoke.json").read_text())["records"]
    assert [one["value"] for one in records] == [2, 4, 2, 4, 3, 9, 3, 9]


def test_what_is_only_shown_leaves_the_records_as_they_are(
    asked: Queue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    do(asked, "value 2")
    file = asked.out / "own-squares-smoke.json"
    content = file.read_text().replace('"commit": "', '"commit": "of-another-machine-')
    file.write_text(content)
    shown = asked.options(finished=True)
    assert not store.measure_and_store("own/squares", "smoke", shown, asked.out).is_changed
    assert file.read_text() == content

    # on a machine whose text is another, so that no part is one of these
    other = replace(SQUARES, presets=Catalogue("preset", {"smoke": (5,)}))
    monkeypatch.setattr(store, "EXPERIMENTS", {"own/squares": other})
    shown = replace(shown, runs=tmp_path / "none")
    found = store.measure_and_store("own/squares", "smoke", shown, asked.out)
    assert [one["value"] for one in found.result["records"]] == [2, 4, 2, 4]
    assert file.read_text() == content
    with pytest.raises(RunError, match="no finished part"):
        store.measure_and_store("own/squares", "smoke", shown, tmp_path / "nowhere")


def test_records_that_do_not_name_their_part_are_of_all_parts(asked: Queue) -> None:
    do(asked, "value 2")
    file = asked.out / "own-squares-smoke.json"
    result = json.loads(file.read_text())
    for one in result["records"]:
        del one["part"]
    file.write_text(json.dumps(result))
    there = Queue(preset="smoke", runs=asked.runs / "none", out=asked.out)
    assert names(there) == ["nobody/figure"]


def test_units_that_ended_as_a_queue_was_killed_are_written_at_the_next_start(
    asked: Queue,
) -> None:
    do(asked, "value 2")
    file = asked.out / "own-squares-smoke.json"
    before = file.read_bytes()
    do(asked, "value 3")
    file.write_bytes(before)  # as if the queue had been killed before it wrote the file
    assert asked.list_unwritten() == ["own/squares"]
    told = list[str]()
    report = queue.work_off(asked, workers=1, seconds=0, tell=told.append)
    assert (told[1:], report.done) == (["written: own/squares"], [])
    records = json.loads(file.read_text())["records"]
    assert [one["value"] for one in records] == [2, 4, 2, 4, 3, 9, 3, 9]
    assert asked.list_unwritten() == []


PROGRAM = ("-m", "lengthwise.cli.main", "reproduce", "all", "--preset", "smoke", "--workers", "2")


def command(folder: Path, *more: str) -> list[str]:
    places = ("--runs", f"{folder / 'runs'}", "--out", f"{folder / 'out'}")
    return [sys.executable, *PROGRAM, "--only", "parity, r", *places, *more]


def read_stored(folder: Path) -> dict[str, Any]:
    """All records, without what differs between two measurements of the same."""
    found = {}
    for file in sorted((folder / "out").glob("*.json")):
        result = json.loads(file.read_text())
        found[file.name] = [lasting(one) for one in result["records"]]
    return found


def lasting(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: lasting(one)
            for key, one in value.items()
            if "second" not in key and key not in ("date", "commit")
        }
    return [lasting(one) for one in value] if isinstance(value, list) else value


@pytest.mark.slow
def test_killed_twenty_times_it_loses_nothing(tmp_path: Path) -> None:
    draw, killed, whole = random.Random(0), tmp_path / "killed", tmp_path / "whole"
    assert subprocess.run(command(whole), check=False).returncode == 0
    before: dict[str, Any] = {}
    interrupted = 0
    while interrupted < 20:
        process = subprocess.Popen(
            command(killed), start_new_session=True, stderr=subprocess.DEVNULL, text=True
        )
        time.sleep(draw.uniform(1, 8))
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            interrupted += 1
        ended_itself = process.wait() == 0
        assert ended_itself or process.returncode == -signal.SIGKILL
        now = read_stored(killed)  # every file is whole, and no record is lost
        for name, records in before.items():
            assert all(one in now[name] for one in records)
        before = now
        if ended_itself:  # sooner than it was killed 20 times: it begins anew
            assert now == read_stored(whole)
            shutil.rmtree(killed)
            before = {}
    assert subprocess.run(command(killed), check=False).returncode == 0
    assert read_stored(killed) == read_stored(whole)
    (killed / "runs").rename(tmp_path / "gone")
    left = subprocess.run(
        command(killed, "--finished", "--json"), check=True, capture_output=True, text=True
    )
    assert json.loads(left.stdout)["missing"] == []
