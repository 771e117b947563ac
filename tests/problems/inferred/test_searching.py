"""A search that is killed or stopped: the best automaton so far is kept, and it goes on."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lengthwise as lw
from lengthwise.inference import working_set
from lengthwise.inference.judge import Judge
from lengthwise.inference.portfolio import End, SearchState, search_automaton
from lengthwise.inference.searcher import to_language
from lengthwise.problems.inferred import searching


@pytest.fixture
def unlearnable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Words of which nothing explains the labels, and a cache of its own."""
    draw = random.Random(1)
    words = {"".join(draw.choices("abcd", k=draw.randint(8, 20))) for _ in range(1_500)}
    file = tmp_path / "own.tsv"
    file.write_text("".join(f"{word}\t{draw.randint(0, 1)}\n" for word in sorted(words)))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return file


def states_of(folder: Path) -> list[Path]:
    return list((folder / "cache" / "lengthwise" / "inference").glob("*.json"))


def begin(command: Sequence[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@pytest.mark.parametrize("kills", [1, pytest.param(20, marks=pytest.mark.slow)])
def test_a_search_that_is_killed_goes_on(unlearnable: Path, tmp_path: Path, kills: int) -> None:
    command = [sys.executable, "-m", "lengthwise", "infer", str(unlearnable), "--budget", "600"]
    draw, before = random.Random(2), 0
    for _ in range(kills):
        process = begin(command)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and process.poll() is None:
            time.sleep(0.05)
            made = read_in(tmp_path)
            if made > before:
                break
        time.sleep(draw.random())
        process.send_signal(signal.SIGKILL)
        process.wait()
        after = read_in(tmp_path)
        assert after > before, "it went on, and lost no attempt that was over"
        before = after
    (state,) = states_of(tmp_path)
    assert json.loads(state.read_text())["best"]["language"]["classes"]


def read_in(folder: Path) -> int:
    """Return the symbols that the attempts read which were over."""
    return sum(sum(json.loads(each.read_text())["work"].values()) for each in states_of(folder))


def test_ctrl_c_keeps_the_best_so_far(unlearnable: Path) -> None:
    command = [sys.executable, "-m", "lengthwise", "infer", str(unlearnable), "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    place = Path(os.environ["XDG_CACHE_HOME"]) / "lengthwise" / "inference"
    while not list(place.glob("*.json")) and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, error = process.communicate(timeout=60)
    assert process.returncode == 1, error
    found = json.loads(out)
    assert found["search"]["end"] == "stopped"
    assert found["statement"]["verdict"] in ("at chance", "not found")


def test_a_damaged_state_begins_anew(unlearnable: Path, tmp_path: Path) -> None:
    lw.infer(unlearnable, budget=1)
    (state,) = states_of(tmp_path)
    for content in ("", "{}", '{"best": 3}', "[" * 10_000):
        state.write_text(content)
        assert lw.infer(unlearnable, budget=0.2).end == "out of time"


def test_another_budget_goes_on_and_another_setting_begins_anew(
    unlearnable: Path, tmp_path: Path
) -> None:
    first = lw.infer(unlearnable, budget=0.5)
    second = lw.infer(unlearnable, budget=0.7)
    assert second.seconds > first.seconds + 0.2
    assert len(states_of(tmp_path)) == 1
    lw.infer(unlearnable, budget=0.5, max_states=5)
    assert len(states_of(tmp_path)) == 2


def test_a_search_that_is_over_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    draw = random.Random(1)
    words = {"".join(draw.choices("ab", k=draw.randint(0, 9))) for _ in range(300)}
    file = tmp_path / "own.tsv"
    file.write_text("".join(f"{word}\t{word.count('a') % 2}\n" for word in sorted(words)))
    assert lw.infer(file).end == "explained"
    assert not states_of(tmp_path)


def test_a_place_without_room_does_not_end_a_search(
    unlearnable: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, value: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(searching, "write_json", refuse)
    assert lw.infer(unlearnable, budget=0.3).end == "out of time"


def test_a_search_among_some_words_ends_with_what_all_words_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first words suggest that all are of class 0; those with `abbab` in them refute it."""
    draw = random.Random(4)
    words = {"".join(draw.choices("ab", k=draw.randint(0, 18))) for _ in range(3_000)}
    file = tmp_path / "own.tsv"
    file.write_text("".join(f"{word}\t{int('abbab' in word)}\n" for word in sorted(words)))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    whole = lw.infer(file)
    sizes: list[int] = []
    monkeypatch.setattr(working_set, "ENOUGH", 1)
    monkeypatch.setattr(working_set, "_LEAST", 200)
    monkeypatch.setattr(working_set, "_MORE", 20)

    def noting(judge: Judge, **rest: Any) -> SearchState:
        sizes.append(len(judge.train))
        if len(sizes) > 1:
            return search_automaton(judge, **rest)
        constant = to_language(np.zeros((1, 2), dtype=np.int64), np.array([0]), judge.train)
        return SearchState(best=judge(constant, "nobody"), end="explained")

    monkeypatch.setattr(searching, "search_automaton", noting)
    found = lw.infer(file, budget=20)
    assert len(sizes) > 1
    assert sizes == sorted(set(sizes))
    assert sizes[-1] < 1_000
    assert found.language.difference(whole.language) is None
    assert found.statement == whole.statement


def test_a_search_among_some_words_goes_on_with_the_same_words(
    unlearnable: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What refuted the automata of earlier rounds is found again from these automata."""
    monkeypatch.setattr(working_set, "ENOUGH", 1)
    monkeypatch.setattr(working_set, "_LEAST", 60)
    begun: list[list[int]] = []
    own = searching._load_progress

    def noting(place: Path, judge: Judge) -> Any:
        found = own(place, judge)
        begun.append(found[0].chosen.tolist())
        return found

    ends: list[End] = ["explained", "out of time", "out of time"]

    def end(judge: Judge, *, keep: Any, state: SearchState | None, **rest: Any) -> SearchState:
        constant = to_language(np.zeros((1, 4), dtype=np.int64), np.array([0]), judge.train)
        state = state or SearchState()
        state.best, state.end = judge(constant, "nobody"), ends.pop(0)
        keep(state)
        return state

    monkeypatch.setattr(searching, "_load_progress", noting)
    monkeypatch.setattr(searching, "search_automaton", end)
    for _ in range(2):
        lw.infer(unlearnable)
    assert len(begun) == 2
    assert not ends
    assert set(begun[0]) < set(begun[1])
