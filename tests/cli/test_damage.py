"""Damaged files of a run: one line and status 2 from every command that reads them."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cli.prepared import prepare
from cli.shell import Shell
from lengthwise.files import read_json
from lengthwise.problems.recognition import section
from lengthwise.report import report
from proofs.trained import SMALL, train_proved

COMMANDS: dict[str, Callable[[str], list[str]]] = {
    "train": lambda run: [
        *("train", "parity", "--out", run, "--device", "cpu"),
        *(word for key, value in SMALL.items() for word in ("--set", f"{key}={value}")),
    ],
    "predict": lambda run: ["predict", run],
    "predict --snapped": lambda run: ["predict", run, "--snapped"],
    "evaluate": lambda run: ["evaluate", run, "--lengths", "5", "--words", "4"],
    "evaluate --snapped": lambda run: [
        *("evaluate", run, "--snapped", "--lengths", "5", "--words", "4"),
    ],
    "certify": lambda run: ["certify", run],
    "certify --check": lambda run: ["certify", run, "--check", f"{run}/certificate.json"],
    "snap": lambda run: ["snap", run],
    "extract": lambda run: ["extract", run],
    "analyse": lambda run: [
        *("analyse", run, "--figure", "clusters", "--lengths", "5", "--words", "4"),
    ],
    "report": lambda run: ["report", run, "--out", f"{run}/../report.html"],
    "explore": lambda run: ["explore", run, "--out", f"{run}/../explorer.html"],
    "verify": lambda run: ["verify", run],
    "translate": lambda run: ["translate", run],
}
"""Every command that takes the folder of a run."""

LOADING = {"train", "predict", "predict --snapped", "evaluate", "evaluate --snapped", "certify"}
LOADING |= {"snap", "extract", "analyse", "translate", "explore"}
"""Those that load the model."""

READERS = {
    "config.json": set(COMMANDS),
    "metrics.jsonl": LOADING | {"report"},
    "scores.jsonl": {"report"},
    "evaluation.json": {"report"},
    "certificate.json": {"report", "certify --check", "explore"},
    "analysis/clusters.json": {"report"},
    "snapped.safetensors": {"predict --snapped", "evaluate --snapped"},
    "model.safetensors": LOADING,
}


def double(content: bytes) -> bytes:
    """Every object of a file with its first key once more."""
    lines = content.decode().splitlines() if content.count(b"\n{") else [content.decode()]
    return "\n".join(
        f"{{{json.dumps(next(iter(json.loads(li))))}: 0, {li[1:]}" for li in lines
    ).encode()


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "bad UTF-8": lambda content: content[:9] + b"\xff\xfe" + content[9:],
    "cut off": lambda content: content[: len(content) // 2],
    "empty": lambda content: b"",
    "100,000 lists": lambda content: b"[" * 100_000,
    "100,000 lists, closed": lambda content: b"[" * 100_000 + b"]" * 100_000,
    "100,000 objects": lambda content: b'{"a":' * 100_000 + b"0" + b"}" * 100_000,
    "NUL bytes": lambda content: b"\0" * 100,
    "a list": lambda content: b"[1, 2]",
    "a number": lambda content: b"3",
    "an empty object": lambda content: b"{}",
    "too large a number": lambda content: b'{"step": 1e999, ' + content.lstrip()[1:],
    "an endless number": lambda content: b'{"step": ' + b"9" * 5000 + b", " + content.lstrip()[1:],
    "no number": lambda content: b'{"step": NaN, ' + content.lstrip()[1:],
    "half a character": lambda content: b'{"\\ud800": 1, ' + content.lstrip()[1:],
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with every file that a command may leave in it."""
    from lengthwise.cli.main import main  # noqa: PLC0415  not by the shell, which is of one test

    run = train_proved(tmp_path_factory, "parity")
    assert run.folder is not None
    folder = tmp_path_factory.mktemp("whole") / "run"
    shutil.copytree(run.folder.path, folder)
    for command in ("evaluate", "certify", "snap", "analyse"):
        assert main(COMMANDS[command](str(folder))) == 0
    for name in READERS:
        assert (folder / name).exists()
    return folder


def refuse_in_one_line(shell: Shell, arguments: list[str]) -> str:
    status, out, error = shell(*arguments, stdin="01\n")
    assert "Traceback" not in error
    assert (status, out, error.count("\n")) == (2, "", 1), error
    assert len(error) < 600
    return error


@pytest.mark.parametrize("thorough", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", READERS)
def test_a_damaged_file_is_told_in_one_line_by_every_command_that_reads_it(
    shell: Shell, whole: Path, tmp_path: Path, name: str, thorough: bool
) -> None:
    """Thorough: every command for every damage. Otherwise the commands take turns."""
    shutil.copytree(whole, tmp_path / "run")
    file = tmp_path / "run" / name
    content = file.read_bytes()
    readers = sorted(READERS[name])
    for turn, damage in enumerate(DAMAGES.values()):
        file.write_bytes(damage(content))
        for command in readers if thorough else [readers[turn % len(readers)]]:
            error = refuse_in_one_line(shell, COMMANDS[command](str(tmp_path / "run")))
            assert file.name in error or command in ("train", "verify", "translate"), error


@pytest.mark.parametrize("name", ["scores.jsonl", "evaluation.json", "analysis/clusters.json"])
def test_a_file_that_is_not_read_does_not_matter(
    shell: Shell, whole: Path, tmp_path: Path, name: str
) -> None:
    shutil.copytree(whole, tmp_path / "run")
    (tmp_path / "run" / name).write_bytes(b"[" * 100_000)
    for command in ("predict", "extract", "train"):
        status, _, error = shell(*COMMANDS[command](str(tmp_path / "run")), stdin="01\n")
        assert status == 0, error


def undrawn(figure: Any) -> str:
    """Return an empty picture in the place of a figure."""
    return "<svg/>"


WRONG_VALUES: list[Any] = [None, [], {}, "x", "a\n\0b", -1, 1.5, True, [None], {"a": 1}]


@pytest.mark.slow_except("scores.jsonl-False")
@pytest.mark.parametrize("thorough", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ["metrics.jsonl", "scores.jsonl", "evaluation.json"])
def test_a_value_of_another_kind_gives_a_page_or_one_line(
    shell: Shell,
    whole: Path,
    tmp_path: Path,
    name: str,
    *,
    thorough: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Every value of the last record, one at a time; what is only shown may be anything.

    Thorough: every wrong value in each place. Otherwise two of them, which take turns. Figures are
    made each time, and become SVG where a text may have come into them.
    """
    shutil.copytree(whole, tmp_path / "run")
    file = tmp_path / "run" / name
    *before, last = (
        file.read_text("utf-8").splitlines()
        if name.endswith("l")
        else [json.dumps(read_json(file))]
    )
    record = json.loads(last)
    for turn, key in enumerate(record):
        some = [WRONG_VALUES[(2 * turn + step) % len(WRONG_VALUES)] for step in range(2)]
        for value in WRONG_VALUES if thorough else some:
            changed = json.dumps({**record, key: value})
            file.write_text("\n".join([*before, changed]) + "\n", encoding="utf-8")
            with monkeypatch.context() as patched:
                if not isinstance(value, str | dict):
                    patched.setattr(section, "to_page_svg", undrawn)
                    patched.setattr(report, "to_page_svg", undrawn)
                status, _, error = shell(*COMMANDS["report"](str(tmp_path / "run")))
            assert (status, error.count("\n")) in [(0, 0), (2, 1)], (key, value, error)
        file.write_text(
            "\n".join([*before, json.dumps({k: v for k, v in record.items() if k != key})]) + "\n",
            encoding="utf-8",
        )
        status, _, error = shell(*COMMANDS["report"](str(tmp_path / "run")))
        assert (status, error.count("\n")) in [(0, 0), (2, 1)], (key, error)


@pytest.mark.parametrize("value", [1e308, -1e308, -0.5, 1.01])
@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("metrics.jsonl", "validation_accuracy"),
        ("evaluation.json", "mean_accuracy"),
        ("evaluation.json", "worst_accuracy"),
    ],
)
def test_a_share_that_is_none_is_refused(
    shell: Shell, whole: Path, tmp_path: Path, *, name: str, key: str, value: float
) -> None:
    run = tmp_path / "run"
    shutil.copytree(whole, run)
    *before, last = (
        (run / name).read_text("utf-8").splitlines()
        if name.endswith("l")
        else [json.dumps(read_json(run / name))]
    )
    changed = json.dumps({**json.loads(last), key: value})
    (run / name).write_text("\n".join([*before, changed]) + "\n", encoding="utf-8")
    if key != "worst_accuracy":  # which `ls` does not show
        _, out, _ = shell("ls", str(run))
        assert f"{name}: {key} must be a share" in out
    error = refuse_in_one_line(shell, COMMANDS["report"](str(run)))
    assert f"{key} must be a share, but it is {value!r}, and not from 0 to 1." in error


@pytest.fixture(scope="module")
def evaluated_runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder, the current one, with runs of every kind that are evaluated."""
    from lengthwise.cli.main import main  # noqa: PLC0415  not by the shell, which is of one test

    path = tmp_path_factory.mktemp("kinds")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(path)
        prepare(path)
        for run in OTHER_KINDS:
            assert main(["evaluate", run]) == 0
        yield path


OTHER_KINDS = ("steps", "words", "gpt", "translator")


@pytest.mark.slow
@pytest.mark.parametrize("run", OTHER_KINDS)
def test_an_evaluation_of_another_problem_with_a_wrong_value_gives_a_page_or_one_line(
    shell: Shell, evaluated_runs: Path, run: str
) -> None:
    file = evaluated_runs / run / "evaluation.json"
    content = file.read_bytes()
    record = read_json(file)
    for turn, key in enumerate(record):
        for value in (WRONG_VALUES[turn % len(WRONG_VALUES)], "x"):
            file.write_text(json.dumps({**record, key: value}), encoding="utf-8")
            for command in (["report", run, "--out", "report.html"], ["compare", run]):
                status, _, error = shell(*command)
                assert (status, error.count("\n")) in [(0, 0), (2, 1)], (command, key, value)
            status, out, _ = shell("ls", run)
            assert status == 0
            named = f"damaged: {run}/evaluation.json"
            assert "damaged" not in out or named in out, (key, value, out)
    file.write_bytes(content)


@pytest.mark.parametrize(
    ("run", "name", "place", "value"),
    [
        ("gpt", "perplexity", None, None),
        ("translator", "by_length", "bleu", None),
        ("steps", "right_at", None, None),
        ("steps", "right_at", None, 1e308),  # in per cent it is infinite
    ],
)
def test_a_number_at_a_length_that_is_none_gives_a_page_or_one_line(
    shell: Shell,
    evaluated_runs: Path,
    *,
    run: str,
    name: str,
    place: str | None,
    value: float | None,
) -> None:
    file = evaluated_runs / run / "evaluation.json"
    content = file.read_bytes()
    record = read_json(file)
    inner = record[name]
    if place is None:
        inner[next(iter(inner))] = value
    else:
        for each in inner:
            each[place] = value
    file.write_text(json.dumps(record), encoding="utf-8")
    for command in (["report", run, "--out", "report.html"], ["compare", run]):
        status, _, error = shell(*command)
        assert (status, error.count("\n")) in [(0, 0), (0, 1), (2, 1)], (command, error)
    file.write_bytes(content)


def test_a_key_that_stands_twice_is_refused(shell: Shell, whole: Path, tmp_path: Path) -> None:
    shutil.copytree(whole, tmp_path / "run")
    for name in ("config.json", "evaluation.json"):
        file = tmp_path / "run" / name
        content = file.read_bytes()
        file.write_bytes(double(content))
        assert "appears twice" in refuse_in_one_line(shell, COMMANDS["report"](str(file.parent)))
        file.write_bytes(content)


def test_a_deep_settings_file_is_refused(shell: Shell, tmp_path: Path) -> None:
    for name, content in [
        ("deep.json", b"[" * 100_000),
        ("closed.json", b'{"steps": ' + b"[" * 5_000 + b"]" * 5_000 + b"}"),
        ("deep.toml", b"steps = " + b"[" * 5_000 + b"]" * 5_000),
        ("latin.json", b'{"steps": "\xe9"}'),
    ]:
        (tmp_path / name).write_bytes(content)
        out = str(tmp_path / "run")
        error = refuse_in_one_line(
            shell, ["train", "parity", "--out", out, "--config", str(tmp_path / name)]
        )
        assert name in error
    deep = ["train", "parity", "--out", str(tmp_path / "run"), "--set", "steps=" + "[" * 100_000]
    assert shell(*deep)[0] == 2
