"""`lengthwise reproduce`: the list, one experiment, its files, and one line for each slip."""

import json
from pathlib import Path
from typing import Any

import pytest

from cli.shell import Shell
from lengthwise.cli import reproduce
from lengthwise.errors import ConfigError
from lengthwise.experiments.catalogue import EXPERIMENTS
from lengthwise.experiments.experiment import Experiment, Statement, Table

NAME = "steps2022/figure1"
SMALL = [NAME, "--preset", "smoke"]


@pytest.fixture
def shell(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Shell:
    monkeypatch.chdir(tmp_path)
    return Shell(capsys, monkeypatch)


def test_without_a_name_it_lists_what_can_be_reproduced(shell: Shell, tmp_path: Path) -> None:
    status, out, error = shell("reproduce")
    assert (status, error) == (0, "")
    assert out.splitlines()[0] == "name\tclaim"
    assert [line.split("\t")[0] for line in out.splitlines()[1:]] == list(EXPERIMENTS)
    listed = shell.json("reproduce")["experiments"]
    assert [entry["name"] for entry in listed] == list(EXPERIMENTS)
    assert {"name", "paper", "item", "claim"} == set(listed[0])
    assert list(tmp_path.iterdir()) == []


def test_one_experiment_prints_its_table_and_verdicts_and_says_where_its_files_are(
    shell: Shell, tmp_path: Path
) -> None:
    status, out, error = shell("reproduce", *SMALL)
    assert status == 0
    experiment = EXPERIMENTS[NAME]
    assert experiment.claim in out
    assert experiment.printed in out
    stored = json.loads((tmp_path / "reproduced" / "steps2022-figure1.json").read_text())
    columns, rows = experiment.tables(stored["records"])[""]
    assert "\n".join("\t".join(line) for line in [columns, *rows]) in out
    assert out.count("holds  ") == len(experiment.check(stored["records"]))
    assert "FAILS" not in out
    svg = Path("reproduced") / "steps2022-figure1-attention.svg"
    assert (tmp_path / svg).read_text().startswith("<svg")
    assert error.splitlines() == [
        f"written: reproduced/{NAME.replace('/', '-')}.json",
        f"written: {svg}",
    ]


def test_json_is_one_object_with_table_statements_and_files(shell: Shell, tmp_path: Path) -> None:
    out = tmp_path / "some" / "where"
    printed = shell.json("reproduce", *SMALL, "--out", str(out), "--seed", "3")
    stored = json.loads((out / "steps2022-figure1.json").read_text())
    assert stored["seed"] == printed["seed"] == 3
    assert {key: stored[key] for key in stored if key != "records"} == {
        key: printed[key] for key in stored if key != "records"
    }
    assert "records" not in printed
    assert set(printed["table"]) == {"columns", "rows"}
    assert all(statement["holds"] is True for statement in printed["statements"])
    assert sorted(map(Path, printed["files"])) == sorted(out.iterdir())
    assert not (tmp_path / "reproduced").exists()


def test_a_statement_that_fails_is_exit_status_1_after_all_is_written(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    experiment: Experiment[int] = Experiment(
        paper="A paper",
        item="Table 1",
        claim="Twice one is three.",
        printed="3",
        presets=EXPERIMENTS[NAME].presets,
        measure=lambda sizes, seed, progress: [{"twice": 2 + seed}],
        table=lambda records: Table(["twice"], [[str(records[0]["twice"])]]),
        figures=lambda records: {},
        check=lambda records: [
            Statement("Table 1", "it is a number", True, "it is"),
            Statement("Table 1", "it is three", records[0]["twice"] == 3, "2"),
        ],
    )
    monkeypatch.setattr(reproduce, "EXPERIMENTS", {"a/table1": experiment})
    status, out, error = shell("reproduce", "a/table1")
    assert status == 1
    assert "twice\n2\n" in out
    assert "FAILS  Table 1: it is three" in out
    last = error.splitlines()[-1]
    assert last.startswith("lengthwise: 1 of 2 statements of a/table1")
    assert "it is three (2)" in last
    assert (tmp_path / "reproduced" / "a-table1.json").exists()
    status, out, _ = shell("reproduce", "a/table1", "--json")
    assert status == 1
    assert [statement["holds"] for statement in json.loads(out)["statements"]] == [True, False]
    assert shell("reproduce", "a/table1", "--seed", "1")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["chiang2022/figur2"], "Did you mean 'chiang2022/figure2'?"),
        ([NAME, "--preset", "smok"], "unknown preset 'smok'. Did you mean 'smoke'?"),
        ([*SMALL, "--seed", "-1"], "whole number"),
        ([*SMALL, "--out", "file"], "file: File exists."),
        ([*SMALL, "--out", "file/in"], "Not a directory."),
    ],
)
def test_slips_are_one_line_before_anything_is_measured_or_written(
    shell: Shell,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    words: str,
) -> None:
    monkeypatch.setattr(reproduce, "reproduced", lambda *_, **__: pytest.fail("was measured"))
    (tmp_path / "file").touch()
    status, out, error = shell("reproduce", *arguments)
    assert (status, out) == (2, "")
    assert error.count("\n") == 1
    assert words in error
    assert list(tmp_path.iterdir()) == [tmp_path / "file"]


def test_records_of_more_runs_are_kept_and_of_the_same_runs_replaced(tmp_path: Path) -> None:
    def result(*seeds: int, digest: str = "a") -> dict[str, Any]:
        records = [{"row": "parity", "column": "rnn", "seed": s, "digest": digest} for s in seeds]
        return {"preset": "laptop", "records": records}

    file = tmp_path / "a-table1.json"
    assert reproduce._earlier(file, "laptop") == []
    file.write_text(json.dumps(result(0, 1)))
    assert reproduce._earlier(file, "smoke") == []
    earlier = reproduce._earlier(file, "laptop")
    keep = reproduce._keep_other_runs
    keep(file, [], result(0))
    keep(file, earlier, result(0, 1, digest="b"))
    keep(file, earlier, result(0, 1, 2))
    with pytest.raises(ConfigError, match="has 1 runs that are not among these"):
        keep(file, earlier, result(1))


def test_runs_that_the_file_has_are_not_trained_again_where_their_folder_is_gone(
    shell: Shell, tmp_path: Path
) -> None:
    command = ("reproduce", "chi2023/table1", "--preset", "smoke", "--only", "rnn")
    assert shell(*command, "--runs", "first")[0] == 1  # 4 steps reach nothing
    file = tmp_path / "reproduced" / "chi2023-table1.json"
    made = json.loads(file.read_text())
    made["records"][0]["seconds"] = 123_456.0  # none of a run that is trained now
    file.write_text(json.dumps(made))

    status, out, error = shell(*command, "--runs", "second", "--json")
    assert status == 1
    assert "1 runs are those that" in error
    assert not (tmp_path / "second").exists()
    kept = json.loads(file.read_text())["records"]
    assert kept == [{**made["records"][0], "commit": made["commit"]}]
    assert json.loads(out)["preset"] == "smoke"

    shell(*command, "--runs", "first")  # its folder comes before the file
    again = json.loads(file.read_text())["records"][0]
    assert again["seconds"] < 123_456.0
    assert "commit" not in again
