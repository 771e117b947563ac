"""`lengthwise reproduce`: the list, one experiment, its files, and one line for each slip."""

import json
from pathlib import Path
from typing import Any

import pytest

from cli.shell import Shell
from lengthwise.training.devices import commit
from lengthwise_papers import catalogue, store
from lengthwise_papers.catalogue import EXPERIMENTS
from lengthwise_papers.experiment import (
    MeasuredExperiment,
    Statement,
    Table,
    reproduce,
)

NAME = "steps2022/figure1"
SMALL = [NAME, "--preset", "smoke"]


@pytest.fixture
def shell(shell: Shell, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Shell:
    monkeypatch.chdir(tmp_path)
    return shell


def test_without_a_name_it_lists_what_can_be_reproduced(shell: Shell, tmp_path: Path) -> None:
    status, out, error = shell("reproduce")
    assert (status, error) == (0, "")
    assert out.splitlines()[0] == "name\tclaim"
    assert [line.split("\t")[0] for line in out.splitlines()[1:]] == list(EXPERIMENTS)
    listed = shell.json("reproduce")["experiments"]
    assert [entry["name"] for entry in listed] == list(EXPERIMENTS)
    assert {"name", "paper", "item", "claim"} == set(listed[0])
    assert list(tmp_path.iterdir()) == []


def test_list_names_the_runs_for_only(shell: Shell, tmp_path: Path) -> None:
    status, out, error = shell("reproduce", "chi2023/table1", "--list", "--only", "parity, rnn")
    assert (status, error) == (0, "")
    assert out.splitlines()[:2] == ["run\tstate", "parity, rnn, seed 0\tmissing"]
    assert all(line.startswith("parity, rnn") for line in out.splitlines()[1:])
    listed = shell.json("reproduce", "chiang2022/ffnn", "--list")
    assert listed == {"runs": [{"name": "(measured in one go)", "state": "missing"}]}
    assert shell("reproduce", "--list") == shell("reproduce")
    status, out, error = shell("reproduce", "all", "--list")
    assert (status, out) == (2, "")
    assert "for all use --finished" in error
    assert list(tmp_path.iterdir()) == []


def test_what_takes_settings_is_said(shell: Shell) -> None:
    status, out, error = shell("reproduce", "chi2023/table1", "--set", "steps=1")
    assert (status, out, error.count("\n")) == (2, "", 1)
    assert "Without NAME all are listed." in error
    assert "lengthwise train takes others by --set." in error


def test_one_experiment_prints_its_table_and_verdicts_and_says_where_its_files_are(
    shell: Shell, tmp_path: Path
) -> None:
    status, out, error = shell("reproduce", *SMALL)
    assert status == 0
    experiment = EXPERIMENTS[NAME]
    assert experiment.claim in out
    assert experiment.printed in out
    stored = json.loads((tmp_path / "reproduced" / "steps2022-figure1-smoke.json").read_text())
    columns, rows = experiment.tables(stored["records"])[""]
    assert "\n".join("\t".join(line) for line in [columns, *rows]) in out
    assert "holds" not in out
    assert "FAILS" not in out
    svg = Path("reproduced") / "steps2022-figure1-smoke-attention.svg"
    assert (tmp_path / svg).read_text().startswith("<svg")
    assert error.splitlines() == [
        "preset smoke shows in seconds that steps2022/figure1 runs; it decides no statement",
        "written: reproduced/steps2022-figure1-smoke.json",
        f"written: {svg}",
        "written: reproduced/steps2022-figure1-smoke.md",
    ]
    page = (tmp_path / "reproduced" / "steps2022-figure1-smoke.md").read_text()
    assert "preset smoke, seed 0" in page
    assert f"]({svg.name})" in page
    assert all(f"| {' | '.join(line)} |" in page for line in [columns, *rows])


def test_the_paper_may_be_left_out_where_one_experiment_has_the_name(shell: Shell) -> None:
    short, whole = (shell.json("reproduce", name, *SMALL[1:]) for name in ("figure1", NAME))
    assert short["experiment"] == NAME
    assert short["files"] == whole["files"]
    assert catalogue.full_name("ladder") == "own/ladder"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("figure2", "2 experiments are called 'figure2'. Give chiang2022/figure2 or steps2022/"),
        ("laddr", "unknown experiment 'laddr'. Did you mean 'own/ladder'? Known: chi2023/table1,"),
        ("own/", "'own/' is not one experiment. Give own/"),
        ("chiang2022", "'chiang2022' is not one experiment. Give chiang2022/table1 or "),
        ("/ladder", "unknown experiment '/ladder'. Did you mean 'own/ladder'?"),
    ],
)
def test_a_name_of_several_experiments_or_none_is_one_line(
    shell: Shell, tmp_path: Path, name: str, told: str
) -> None:
    status, out, error = shell("reproduce", name)
    assert (status, out, error.count("\n")) == (2, "", 1)
    assert error.startswith(f"lengthwise: {told}")
    assert list(tmp_path.iterdir()) == []


def test_json_is_one_object_with_table_statements_and_files(shell: Shell, tmp_path: Path) -> None:
    out = tmp_path / "some" / "where"
    printed = shell.json("reproduce", *SMALL, "--out", str(out), "--seed", "3")
    stored = json.loads((out / "steps2022-figure1-smoke.json").read_text())
    assert stored["seed"] == printed["seed"] == 3
    assert {key: stored[key] for key in stored if key != "records"} == {
        key: printed[key] for key in stored if key != "records"
    }
    assert "records" not in printed
    assert set(printed["table"]) == {"columns", "rows"}
    assert printed["statements"] == []
    assert sorted(map(Path, printed["files"])) == sorted(out.iterdir())
    assert not (tmp_path / "reproduced").exists()


def test_a_statement_that_fails_is_exit_status_1_after_all_is_written(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    experiment: MeasuredExperiment[int] = MeasuredExperiment(
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
            Statement("Table 1", "it is four", None, "not run"),
        ],
    )
    for module in (store, catalogue):
        monkeypatch.setattr(module, "EXPERIMENTS", {"a/table1": experiment})
    status, out, error = shell("reproduce", "a/table1")
    assert status == 1
    assert "twice\n2\n" in out
    assert "FAILS  Table 1: it is three" in out
    assert "open   Table 1: it is four" in out
    last = error.splitlines()[-1]
    assert last.startswith("lengthwise: 1 of 3 statements of a/table1")
    assert "it is three (2)" in last
    assert (tmp_path / "reproduced" / "a-table1.json").exists()
    status, out, _ = shell("reproduce", "a/table1", "--json")
    assert status == 1
    verdicts = [statement["verdict"] for statement in json.loads(out)["statements"]]
    assert verdicts == ["yes", "no", "open"]
    assert shell("reproduce", "a/table1", "--seed", "1")[0] == 0


TABLE_1 = ("reproduce", "chi2023/table1", "--preset", "smoke")


def read_stored(file: Path) -> list[dict[str, Any]]:
    records: list[dict[str, Any]] = json.loads(file.read_text())["records"]
    return records


def test_runs_that_are_asked_for_later_are_added_to_those_that_are_there(
    shell: Shell, tmp_path: Path
) -> None:
    """In the order of the table, whatever the order in which they came."""
    file = tmp_path / "reproduced" / "chi2023-table1-smoke.json"
    asked = [["transformer", "0"], ["rnn", "1"], ["rnn", "0"]]
    for column, seed in asked:
        shell(*TABLE_1, "--only", f"parity, {column},", "--seeds", seed)
    found = [(one["column"], one["seed"]) for one in read_stored(file)]
    assert found == [("rnn", 0), ("rnn", 1), ("transformer", 0)]
    assert all(one["settings"]["training"]["seed"] == one["seed"] for one in read_stored(file))
    assert [column for column, _ in found] == [
        row[1]
        for row in EXPERIMENTS["chi2023/table1"].tables(read_stored(file))["Runs"].rows
        for _ in row[4].split(", ")
    ]

    content = file.read_bytes()
    _, out, error = shell(*TABLE_1, "--finished", "--runs", "none", "--json")
    assert file.read_bytes() == content
    assert json.loads(out)["files"][0].endswith("chi2023-table1-smoke.json")
    assert "unchanged: reproduced/chi2023-table1-smoke.json" in error


def test_a_figure_is_drawn_from_the_stored_runs_of_its_table(shell: Shell, tmp_path: Path) -> None:
    small = ("--preset", "smoke", "--only", "strong")
    shell("reproduce", "steps2022/table1", *small, "--runs", "first")
    status, _, error = shell("reproduce", "steps2022/figure3", *small, "--runs", "second")
    assert (status, Path("second").exists()) == (0, False), error
    of_table, of_figure = (
        read_stored(tmp_path / "reproduced" / f"steps2022-{item}-smoke.json")
        for item in ("table1", "figure3")
    )
    assert [one.pop("commit") for one in of_figure] == [commit()]
    assert of_figure == of_table


def test_a_run_that_another_command_stored_meanwhile_is_kept(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "reproduced" / "chi2023-table1-smoke.json"
    shell(*TABLE_1, "--only", "transformer")
    other = file.read_text()
    file.unlink()

    def meanwhile(*arguments: Any, **more: Any) -> dict[str, Any]:
        result = reproduce(*arguments, **more)
        file.write_text(other)
        return result

    monkeypatch.setattr(store, "reproduce", meanwhile)
    shell(*TABLE_1, "--only", "rnn")
    assert [one["column"] for one in read_stored(file)] == ["rnn", "transformer"]


def test_a_run_that_was_only_kept_gives_way_to_one_that_was_measured_meanwhile(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "reproduced" / "chi2023-table1-smoke.json"
    shell(*TABLE_1, "--only", "transformer")
    good = json.loads(file.read_text())
    failed = {**good["records"][0], "error": "OutOfMemoryError: it was full"}
    file.write_text(json.dumps({**good, "records": [failed]}))

    def meanwhile(*arguments: Any, **more: Any) -> dict[str, Any]:
        result = reproduce(*arguments, **more)
        file.write_text(json.dumps(good))
        return result

    monkeypatch.setattr(store, "reproduce", meanwhile)
    shell(*TABLE_1, "--only", "rnn")
    assert ["error" in one for one in read_stored(file)] == [False, False]


def test_a_file_of_another_preset_is_left_alone(shell: Shell, tmp_path: Path) -> None:
    """As older versions wrote them: without the preset in the name."""
    file = tmp_path / "reproduced" / "chi2023-table1.json"
    file.parent.mkdir()
    file.write_text(
        json.dumps(
            {"experiment": "chi2023/table1", "preset": "paper", "commit": "a", "records": []}
        )
    )
    before = file.read_text()
    status, out, error = shell("reproduce", "chi2023/table1")
    assert (status, out, error.count("\n")) == (2, "", 1)
    assert "holds chi2023/table1, preset paper, but chi2023/table1, preset laptop" in error
    assert file.read_text() == before


def test_the_commit_of_a_run_stays_where_its_folder_is_still_there(
    shell: Shell, tmp_path: Path
) -> None:
    file = tmp_path / "reproduced" / "chi2023-table1-smoke.json"
    shell(*TABLE_1, "--only", "rnn")
    made = json.loads(file.read_text())
    file.write_text(json.dumps({**made, "commit": "long ago"}))
    shell(*TABLE_1, "--only", "rnn")
    assert [one["commit"] for one in read_stored(file)] == ["long ago"]
    page = file.with_suffix(".md").read_text()
    assert "preset smoke" in page
    assert "commit long ago," in page
    assert made["records"][0]["environment"]["processor"] in page


@pytest.mark.parametrize("other", ["digest", "default"])
def test_stored_runs_of_other_settings_are_replaced_if_they_are_asked_for_and_refused_else(
    shell: Shell, tmp_path: Path, other: str
) -> None:
    """Whether the plan has changed since, or a default that is left out of the digest."""
    file = tmp_path / "reproduced" / "chi2023-table1-smoke.json"
    shell(*TABLE_1, "--only", "rnn")
    made = json.loads(file.read_text())
    if other == "digest":
        made["records"][0]["digest"] = "0" * 12
    else:
        made["records"][0]["settings"]["training"]["clip"] = 9.0
    file.write_text(json.dumps(made))
    status, out, error = shell(*TABLE_1, "--only", "transformer", "--runs", "unused")
    assert (status, out, error.count("\n")) == (2, "", 1)
    assert "1 stored runs are of other settings, such as 'parity, rnn, seed 0'" in error
    assert not (tmp_path / "unused").exists()
    assert json.loads(file.read_text()) == made
    shell(*TABLE_1, "--only", "rnn", "--runs", "unused")
    (run,) = read_stored(file)
    assert run["digest"] != "0" * 12
    assert run["settings"]["training"]["clip"] == 1.0
    assert "commit" not in run


def test_failed_runs_stay_in_a_table_of_what_is_done_and_are_tried_again(
    shell: Shell, tmp_path: Path
) -> None:
    file = tmp_path / "reproduced" / "chi2023-table1-smoke.json"
    shell(*TABLE_1, "--only", "rnn")
    made = json.loads(file.read_text())
    made["records"] = [{**made["records"][0], "error": "OutOfMemoryError: it was full"}]
    file.write_text(json.dumps(made))
    status, out, _ = shell(*TABLE_1, "--finished", "--runs", "none")
    assert status == 1
    assert "FAILS  runs: every run ends" in out
    assert "it was full" in out
    shell(*TABLE_1, "--only", "rnn", "--runs", "new")
    assert "error" not in read_stored(file)[0]


OF_TABLE_1 = '{"experiment": "chi2023/table1", "preset": "smoke", "commit": "a", "records": '


@pytest.mark.parametrize(
    "content",
    [
        '{"records": [1]}',
        "[]",
        OF_TABLE_1 + "{}}",
        '{"commit": "a", "records": [{"digest": []}]}',
        OF_TABLE_1 + '[{"digest": "b", "row": "c", "column": "d", "seed": 0, "tests": {"e": {}}}]}',
    ],
)
def test_a_file_that_is_no_result_is_refused_in_one_line(
    shell: Shell, tmp_path: Path, content: str
) -> None:
    file = tmp_path / "reproduced" / "chi2023-table1-smoke.json"
    file.parent.mkdir()
    file.write_text(content)
    status, out, error = shell(*TABLE_1, "--only", "rnn")
    assert (status, out, error.count("\n")) == (2, "", 1)
    assert "chi2023-table1-smoke.json is damaged" in error
    assert file.read_text() == content


def test_runs_that_the_file_has_are_not_trained_again_where_their_folder_is_gone(
    shell: Shell, tmp_path: Path
) -> None:
    command = ("reproduce", "chi2023/table1", "--preset", "smoke", "--only", "rnn")
    assert shell(*command, "--runs", "first")[0] == 0
    file = tmp_path / "reproduced" / "chi2023-table1-smoke.json"
    made = json.loads(file.read_text())
    made["records"][0]["seconds"] = 123_456.0  # none of a run that is trained now
    settings = made["records"][0].pop("settings")  # as in files of older versions
    file.write_text(json.dumps(made))

    status, out, error = shell(*command, "--runs", "second", "--json")
    assert status == 0
    assert "1 records are those that" in error
    assert not (tmp_path / "second").exists()
    kept = json.loads(file.read_text())["records"]
    assert kept == [{**made["records"][0], "commit": made["commit"], "settings": settings}]
    assert json.loads(out)["preset"] == "smoke"

    shell(*command, "--runs", "first")  # its folder comes before the file
    again = json.loads(file.read_text())["records"][0]
    assert again["seconds"] < 123_456.0
    assert "commit" not in again


@pytest.mark.slow
def test_all_lists_what_is_missing_and_works_through_it(shell: Shell, tmp_path: Path) -> None:
    some = ("reproduce", "all", "--preset", "smoke", "--only", "constructions: groups")
    status, out, error = shell(*some, "--finished")
    assert (status, error) == (0, "")
    assert out.splitlines()[1] == "own/constructions\t0\t2\tnot known"
    assert "next    own/constructions: groups, S3, chunk 2; own/constructions: " in out
    assert "in all  0 of 2 are done" in out
    assert not (tmp_path / "reproduced").exists()
    found = shell.json(*some)
    count = found["experiments"]["own/constructions"]
    assert (count["done"], count["missing"]) == (2, 0)
    assert (found["is_over"], found["left_out"]) == (False, {})
    assert found["done"] == [f"own/constructions: groups, S3, chunk {c}" for c in (2, 3)]
    assert (found["failed"], found["stopped"], found["missing"]) == ({}, [], [])
    assert len(read_stored(tmp_path / "reproduced" / "own-constructions-smoke.json")) == 2


@pytest.mark.slow
def test_a_name_that_no_unit_has_is_refused(shell: Shell) -> None:
    status, out, error = shell("reproduce", "all", "--preset", "smoke", "--only", "nosuch")
    assert (status, out) == (2, "")
    assert "units has nosuch in its name, such as" in error


def test_what_the_queue_cannot_mean_is_refused(shell: Shell, tmp_path: Path) -> None:
    for arguments, told in [
        (("all", "--seed", "1"), "has no --seed"),
        (("all", "--budget", "8 hours"), "such as 8h or 90m, but got '8 hours'"),
        (("all", "--budget", "8h", "--finished"), "has no --budget"),
        (("--only", "parity"), "name an experiment, or all"),
        (("parity", "--workers", "2", "--scheduler", "tcp://x:1"), "Leave --workers out"),
        (("parity", "--seeds", "99999999999"), "of at most nine digits"),
        (("all", "--preset", "small"), "small"),
        (("chi2023/table1", "--budget", "8h"), "--budget is for `reproduce all`"),
    ]:
        status, out, error = shell("reproduce", *arguments)
        assert (status, out) == (2, "")
        assert told in error
    assert list(tmp_path.iterdir()) == []
