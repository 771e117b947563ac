"""State merging by other people's programs gives automata of the words' language."""

import json
from pathlib import Path

import pytest

from lengthwise.errors import MissingLibraryError
from lengthwise.languages.spec import parse
from lengthwise_papers.own.state_mergers import MERGERS, merge_by_flexfringe

PARITY = parse("parity")
WORDS = {(): 0, (0,): 0, (1,): 1, (1, 1): 0, (1, 0, 1): 0, (0, 1): 1}


@pytest.mark.parametrize("name", ["RPNI", "EDSM"])
def test_merged_automata_fit_the_words(name: str, tmp_path: Path) -> None:
    found = MERGERS[name](PARITY, WORDS, 60, tmp_path)
    assert found is not None
    assert {word: found.classify(word) for word in WORDS} == WORDS


def install(script: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a program of a few lines in the place of flexfringe."""
    program = folder / "flexfringe"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=":")


def test_the_automaton_that_flexfringe_writes_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It numbers labels as they come, here 1 before 0, and its start is state -1."""
    nodes = [
        {"id": 7, "level": 1, "data": {"final_counts": {"0": 3, "1": 0}}},
        {"id": -1, "level": 0, "data": {"final_counts": {"1": 2}}},
    ]
    edges = [
        {"source": str(source), "target": str(target), "name": str(symbol)}
        for source, symbol, target in ((-1, 1, 7), (7, 1, -1), (7, 0, 7))
    ]
    model = {"types": ["1", "0"], "nodes": nodes, "edges": edges}
    (tmp_path / "model.json").write_text(json.dumps(model))
    install('for file; do :; done; cp model.json "$file.ff.final.json"', tmp_path, monkeypatch)
    found = merge_by_flexfringe(PARITY, WORDS, 60, tmp_path)
    assert found is not None
    assert found.difference(PARITY) is None
    lines = (tmp_path / "words.dat").read_text().splitlines()
    assert lines[0] == "6 2"
    assert lines[1].split() == ["0", "0"]
    assert lines[-1].split() == ["1", "2", "0", "1"]


def test_flexfringe_finds_nothing_where_its_time_is_used_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install("while :; do :; done", tmp_path, monkeypatch)
    assert merge_by_flexfringe(PARITY, WORDS, 1, tmp_path) is None


def test_flexfringe_has_to_be_on_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingLibraryError, match=r"Build .*FlexFringe and put it on the PATH"):
        merge_by_flexfringe(PARITY, WORDS, 60, tmp_path)
