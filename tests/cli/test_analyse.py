"""`lengthwise analyse`: records, figures, numbers, the report, and one line for each slip."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from lengthwise.analysis.analyses import ANALYSES
from lengthwise.cli.main import main
from lengthwise.problems.base import Run
from lengthwise.problems.runs import load_run

pytest.importorskip("matplotlib")  # the pages of these tests have figures

SMALL = ["--lengths", "9", "--words", "4"]
CAPTURE = pytest.CaptureFixture[str]


def train(path: Path, *arguments: str) -> Path:
    command = ["train", *arguments, "--out", str(path), "--preset", "smoke", "--device", "cpu"]
    assert main([*command, "--set", "steps=2"]) == 0
    return path


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was trained for a moment, and knows nothing."""
    return train(tmp_path_factory.mktemp("runs") / "parity", "parity")


@pytest.fixture
def run_folder(trained: Path, tmp_path: Path, capsys: CAPTURE) -> Path:
    """A copy to write into."""
    capsys.readouterr()
    shutil.copytree(trained, tmp_path / "parity")
    return tmp_path / "parity"


def analyse(capsys: CAPTURE, *arguments: str) -> tuple[int, str, str]:
    status = main(["analyse", *arguments])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def analyse_json(capsys: CAPTURE, *arguments: str) -> Any:
    status, out, _ = analyse(capsys, *arguments, "--json")
    assert status == 0
    assert out.count("\n") == 1
    return json.loads(out)


def test_all_figures_are_drawn_from_the_records_that_are_stored(
    run_folder: Path, capsys: CAPTURE
) -> None:
    result = analyse_json(capsys, str(run_folder), *SMALL)
    assert result["run"] == str(run_folder)
    assert list(result["figures"]) == list(ANALYSES)
    assert list(ANALYSES) == ["clusters", "receptive-field", "attention", "deeper-trees"]
    for name, record in result["figures"].items():
        files = record.pop("files")
        assert record.pop("meaning")
        folder = run_folder / "analysis"
        assert files == {
            "record": str(folder / f"{name}.json"),
            "figure": str(folder / f"{name}.svg"),
        }
        assert json.loads(Path(files["record"]).read_text()) == record
        assert (record["lengths"], record["words_per_length"], record["seed"]) == ([9], 4, 0)
        assert Path(files["figure"]).read_text().startswith("<svg")
    assert len(list((run_folder / "analysis").iterdir())) == 8


def test_numbers_and_paths_are_printed(run_folder: Path, capsys: CAPTURE) -> None:
    status, out, err = analyse(capsys, str(run_folder), *SMALL)
    assert (status, err) == (0, "")
    for said in ("purity ", "gap ", "spread ", "length 9: half of the gradient", "head 2"):
        assert said in out
    assert str(run_folder / "analysis" / "attention.svg") in out


@pytest.mark.usefixtures("undrawn")
def test_same_seed_same_record_other_seed_another(run_folder: Path, capsys: CAPTURE) -> None:
    arguments = [str(run_folder), "--figure", "receptive-field", *SMALL]
    first = analyse_json(capsys, *arguments)
    assert analyse_json(capsys, *arguments) == first
    other = analyse_json(capsys, *arguments, "--seed", "1")
    curves = [result["figures"]["receptive-field"]["curves"] for result in (first, other)]
    assert curves[0] != curves[1]


def test_one_figure_to_a_file_of_its_own(run_folder: Path, tmp_path: Path, capsys: CAPTURE) -> None:
    for name, start in (("a.png", b"\x89PNG"), ("a.svg", b"<svg")):
        out = tmp_path / name
        arguments = ["--figure", "attention", "--out", str(out), *SMALL]
        assert analyse(capsys, str(run_folder), *arguments)[0] == 0
        assert out.read_bytes().startswith(start)
    assert [path.name for path in (run_folder / "analysis").iterdir()] == ["attention.json"]


@pytest.mark.usefixtures("undrawn")
def test_several_lengths_and_the_usual_one(run_folder: Path, capsys: CAPTURE) -> None:
    arguments = [str(run_folder), "--figure", "receptive-field", "--words", "2"]
    several = analyse_json(capsys, *arguments, "--lengths", "3:7:2,20")
    curves = several["figures"]["receptive-field"]["curves"]
    assert [(curve["length"], curve["words"]) for curve in curves] == [
        *((3, 2), (5, 2), (7, 2), (20, 2))
    ]
    usual = analyse_json(capsys, *arguments)
    assert usual["figures"]["receptive-field"]["lengths"] == [500]


def test_the_usual_length_has_a_word(
    tmp_path: Path, capsys: CAPTURE, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Words of modular arithmetic are of even lengths."""
    monkeypatch.setattr("lengthwise.analysis.analyses.DEFAULT_LENGTH", 9)
    folder = train(tmp_path / "run", "modular-arithmetic", "--set", "num_layers=2")
    capsys.readouterr()
    arguments = [str(folder), "--figure", "attention", "--words", "1"]
    result = analyse_json(capsys, *arguments)["figures"]["attention"]
    assert (result["lengths"], result["num_layers"]) == ([8], 2)


@pytest.mark.usefixtures("undrawn")
def test_the_report_shows_what_was_analysed(
    run_folder: Path, tmp_path: Path, capsys: CAPTURE
) -> None:
    page = tmp_path / "page.html"
    assert main(["report", str(run_folder), "--out", str(page)]) == 0
    before = page.read_text()
    capsys.readouterr()
    assert "<h3>" not in before
    record = analyse_json(capsys, str(run_folder), *SMALL, "--figure", "clusters")
    assert main(["report", str(run_folder), "--out", str(page)]) == 0
    text = page.read_text()
    assert text.count("<h3>") == 1
    assert text.count("<svg") == before.count("<svg") + 1
    assert f"{record['figures']['clusters']['spread']:.3f}</td>" in text
    assert "Each point is the feed-forward output" in text
    assert "4 uniform words of 9 symbols" in text
    assert "src=" not in text


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("content", ["{}", "[]", '{"lengths": 5}', "{"])
def test_the_report_of_a_damaged_record_is_refused(
    run_folder: Path, tmp_path: Path, capsys: CAPTURE, content: str
) -> None:
    analyse_json(capsys, str(run_folder), *SMALL, "--figure", "clusters")
    (run_folder / "analysis" / "clusters.json").write_text(content)
    page = tmp_path / "page.html"
    assert main(["report", str(run_folder), "--out", str(page)]) == 2
    err = capsys.readouterr().err
    assert "clusters.json" in err
    assert err.count("\n") == 1
    assert not page.exists()


def test_a_length_without_words_is_refused(tmp_path: Path, capsys: CAPTURE) -> None:
    folder = train(tmp_path / "run", "modular-arithmetic")
    capsys.readouterr()
    status, out, err = analyse(capsys, str(folder), "--lengths", "9")
    assert (status, out) == (2, "")
    assert "has no word of length 9" in err


def test_another_model_is_refused(
    run_folder: Path, capsys: CAPTURE, monkeypatch: pytest.MonkeyPatch
) -> None:
    def other(path: Path, *, device: str) -> Run:
        run = load_run(path, device=device)
        return replace(run, model=torch.nn.Linear(1, 1), folder=None)

    monkeypatch.setattr("lengthwise.problems.runs.load_run", other)
    for name in ANALYSES:
        status, out, err = analyse(capsys, str(run_folder), "--figure", name)
        assert (status, out) == (2, "")
        assert "only a RegularGPT has levels" in err
        assert err.count("\n") == 1
    assert not (run_folder / "analysis").exists()


def test_an_unfinished_run_is_refused(run_folder: Path, capsys: CAPTURE) -> None:
    (run_folder / "model.safetensors").unlink()
    status, _, err = analyse(capsys, str(run_folder))
    assert status == 2
    assert "is not trained to the end" in err
