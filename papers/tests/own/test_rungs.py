"""`own/rungs`: a language whose network is too large is recorded, and counted in no number."""

from pathlib import Path

import pytest

from lengthwise.constructions import cascades
from lengthwise_papers.own import rungs


def test_a_language_that_is_refused_is_said_and_counted_apart(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(rungs, "SHORT", 3)
    asked = {"family": "automata with a group", "words": 20, "longest": 12, "verified_to": 2}
    (made,) = rungs.measure({**asked, "seed": 3}, tmp_path)
    monkeypatch.setattr(cascades, "MAX_CASES", 1)
    (refused,) = rungs.measure({**asked, "seed": 4}, tmp_path)

    assert "more than 1 cases" in refused["refused"]
    ((row),) = rungs.table([made, refused]).rows
    ((alone),) = rungs.table([made]).rows
    assert row[0] == "2 random automata with a group, 1 refused"
    assert alone[0] == "1 random automata with a group"
    assert row[1:] == alone[1:]
    assert f"that of seed 4 is refused: {refused['refused']}" in rungs.note([made, refused])
    assert rungs.check([made, refused]) == rungs.check([made])
