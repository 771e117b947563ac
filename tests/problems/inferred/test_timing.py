"""All phases of an inference share its budget."""

import random
import time
from pathlib import Path

import pytest

import lengthwise as lw
from lengthwise.problems.inferred.timing import Timer


def test_the_search_has_what_reading_and_the_statement_leave(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [100.0]
    monkeypatch.setattr("lengthwise.problems.inferred.timing.time.monotonic", lambda: now[0])
    shown: list[tuple[int, int | None, str]] = []
    timer = Timer(20.0, lambda done, total, note="": shown.append((done, total, note)), start=100.0)
    now[0] = 103.5
    timer.begin_search()
    assert timer.left == 13.0
    now[0] = 119.0
    assert timer.left == 0.0
    now[0] = 130.0
    timer.begin_search()
    timer.show("late")
    assert timer.left == 1.0
    assert shown == [(20, 20, "late")]


def test_words_of_thousands_of_symbols_keep_to_the_budget(tmp_path: Path) -> None:
    draw, file = random.Random(1), tmp_path / "long.tsv"
    words = ["".join(draw.choices("abcd", k=3_000)) for _ in range(200)]
    file.write_text("".join(f"{word}\t{draw.randint(0, 1)}\n" for word in words))
    lw.infer(file, budget=0.1)  # libraries are loaded, and the file is read
    start = time.process_time()
    found = lw.infer(file, budget=3, max_states=200)
    assert found.end == "out of time"
    assert time.process_time() - start < 3 + 2
