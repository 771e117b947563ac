"""Records of the models of the zoo are those of their files."""

import hashlib
import json
from pathlib import Path

from lengthwise.board.entries import LANGUAGES
from lengthwise.zoo.records import card, read_records
from lengthwise.zoo_paths import ROOT, list_shipped

PROVED = [name for name in list_shipped() if (ROOT / name / "certificate.json").exists()]


def test_every_language_of_the_board_has_a_trained_model_with_a_proof() -> None:
    every = read_records()
    records = [one for one in every if one["made"] == "trained" and "perplexity" not in one]
    assert {one["language"] for one in records} == set(LANGUAGES.values()) - {"first"}
    assert all(one["name"] in PROVED for one in records)


def test_records_are_those_of_the_files() -> None:
    for one in read_records():
        folder = ROOT / one["name"]
        assert (folder / "README.md").read_text(encoding="utf-8") == card(one), one["name"]
        assert (one["strength"] is not None) == (one["name"] in PROVED)
        assert "/work" not in json.dumps(one)
        if one["certificate"] is not None:
            content = (folder / "certificate.json").read_bytes()
            assert hashlib.sha256(content).hexdigest() == one["certificate"]
            assert one["accuracy"]
            assert set(one["accuracy"].values()) == {1.0}


def test_the_front_page_counts_the_proved_models() -> None:
    page = " ".join((Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8").split())
    proved = [one for one in read_records() if one["strength"] is not None]
    exact = [one for one in proved if one["made"] == "constructed"]
    snapped = sum(one["strength"] == "snapped" for one in exact)
    assert f"[{len(PROVED)} models with proofs](docs/zoo.md)" in page
    assert f": {len(proved) - len(exact)} trained, and {len(exact)} with exact weights" in page
    assert f"({snapped} of them about snapped vectors)" in page
