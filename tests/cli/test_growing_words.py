"""What is said of a validation whose words had not grown to their full length."""

import json
import random
import re
import shutil
from pathlib import Path

import pytest

from lengthwise.cli.main import main
from lengthwise.messages import shorter_words

pytestmark = pytest.mark.usefixtures("undrawn")

pytest.importorskip("matplotlib")  # the pages of these tests have figures

GROWING = ["--set", "steps=4", "--set", "validate_every=2", "--set", "curriculum=3"]


def run_and_read(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(list(arguments)) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("validation", "expected"),
    [
        ({}, ""),
        ({"longest": 3}, ""),  # a run that was trained before `grows_to` was written
        ({"longest": None, "grows_to": None}, ""),
        ({"longest": 40, "grows_to": 40}, ""),
        (
            {"longest": 1, "grows_to": 4_000},
            " of at most 1 symbol (words had not grown to 4,000)",
        ),
    ],
)
def test_only_shorter_words_are_named(validation: dict[str, int | None], expected: str) -> None:
    assert shorter_words(validation) == expected


def test_of_a_language_no_accuracy_is_told_as_one_of_all_training_lengths(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, page = str(tmp_path / "run"), tmp_path / "page.html"
    expected = "% on fresh words of at most 3 symbols (words had not grown to 40)"
    told = run_and_read(capsys, "train", "group:S5", "--model", "gru", "--out", folder, *GROWING)
    assert f"{expected} after" in told
    assert "1..40" not in told.partition(" % on")[2]
    facts = json.loads(
        run_and_read(capsys, "train", "group:S5", "--model", "gru", "--out", folder, "--json")
    )
    assert (facts["longest"], facts["grows_to"]) == (3, 40)
    (listed,) = json.loads(run_and_read(capsys, "ls", str(tmp_path), "--json"))["runs"]
    assert (listed["longest"], listed["grows_to"]) == (3, 40)
    assert " (to 3)" in run_and_read(capsys, "ls", str(tmp_path))
    run_and_read(capsys, "report", folder, "--out", str(page))
    assert expected in page.read_text()


def test_words_that_have_grown_are_told_as_before(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    short = ["--set", "curriculum=4", "--set", "max_length=4"]
    folder = str(tmp_path / "run")
    told = run_and_read(
        capsys, "train", "parity", "--model", "gru", "--out", folder, *GROWING[:4], *short
    )
    assert "% on fresh words of length 1..4 after" in told
    assert "(to" not in run_and_read(capsys, "ls", str(tmp_path))


def test_of_a_file_the_words_are_those_of_training(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    generator, lines = random.Random(0), set[str]()
    while len(lines) < 400:
        word = "".join(generator.choice("ab") for _ in range(generator.randint(1, 12)))
        lines.add(f"{word}\t{word.count('a') % 5}")
    file, folder, page = tmp_path / "words.tsv", str(tmp_path / "run"), tmp_path / "page.html"
    file.write_text("\n".join(sorted(lines)) + "\n")
    told = run_and_read(
        capsys, "train", f"words:{file}", "--model", "gru", "--out", folder, *GROWING
    )
    found = re.search(
        r"% on words of training of at most (\d) symbols \(words had not grown to 12\)", told
    )
    assert found is not None
    assert "set apart for validation" not in told
    run_and_read(capsys, "report", folder, "--out", str(page))
    assert found[0] in page.read_text()
    assert page.read_text().count(found[0]) == 2, "in the overview and in the section"


@pytest.mark.parametrize("name", ["longest", "grows_to", "validation_accuracy"])
def test_a_damaged_number_is_told_of_its_run_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    run_and_read(
        capsys, "train", "parity", "--model", "gru", "--out", str(tmp_path / "run"), *GROWING
    )
    shutil.copytree(tmp_path / "run", tmp_path / "whole")
    metrics = tmp_path / "run" / "metrics.jsonl"
    records = [json.loads(line) | {name: "3"} for line in metrics.read_text().splitlines()]
    metrics.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    runs = json.loads(run_and_read(capsys, "ls", str(tmp_path), "--json"))["runs"]
    assert [run["state"] for run in runs] == ["damaged", "finished"]
    assert f"metrics.jsonl: {name} must be a" in runs[0]["reason"]
    run_and_read(capsys, "ls", str(tmp_path))
