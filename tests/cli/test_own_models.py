"""Models of users by import path, on the command line."""

import json
from pathlib import Path

import pytest

from cli.shell import Shell
from models.users_own import SMALL, package_in

pytestmark = pytest.mark.usefixtures("undrawn")


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return package_in(tmp_path, monkeypatch)


def test_a_model_by_import_path_goes_the_whole_way(shell: Shell, package: Path) -> None:
    given = ["--device", "cpu"]
    for name, value in SMALL.items():
        given += ["--set", f"{name}={value}"]
    model = ["--model", "users_own:gru", "--set", "width=4"]
    found = shell.json("train", "tomita-4", *model, *given, "--out", "run")
    assert found["model"] == "users_own:gru"
    config = json.loads(Path("run/config.json").read_text())
    assert config["network"] == {"vocab_size": 2, "num_classes": 2, "width": 4, "dropout": 0.1}
    scores = shell.json("evaluate", "run", "--lengths", "1:9:4", "--words", "8")
    assert scores["shortcuts"]
    assert shell("predict", "run", stdin="01\n\n")[0] == 0
    assert shell("report", "run", "--out", "page.html")[0] == 0
    assert "users_own:gru" in Path("page.html").read_text()
    status, _, error = shell("certify", "run", "--strength", "robust")
    assert (status, error.count("\n")) == (2, 1)
    listed = shell.json("settings", "parity", "--model", "users_own:gru")["settings"]
    assert {"network.width", "network.dropout"} <= {each["name"] for each in listed}


def test_a_network_with_steps_is_snapped_and_its_program_certified(
    shell: Shell, package: Path
) -> None:
    options = ["--set", "steps=1", "--set", "max_length=6", "--device", "cpu"]
    assert shell("train", "parity", "--model", "users_own:known", "--out", "run", *options)[0] == 0
    assert shell.json("snap", "run")["verdict"] == "equivalent"
    assert shell("predict", "run", "--snapped", stdin="1011\n")[:2] == (0, "1\n")
    status, out, _ = shell("certify", "run")
    assert status == 0
    assert "The program in this file, said to be a step of users_own.Known" in out
    status, out, error = shell("certify", "--check", "run/certificate.json", "run")
    assert (status, "the network in the folder takes every step as the program" in error) == (
        0,
        True,
    )
    code = (package / "users_own.py").read_text()
    (package / "users_own.py").write_text(code.replace("state - symbols[:", "state + symbols[:"))
    status, out, error = shell("ls", ".")
    assert "snapped" in out


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("--model users_own:grus", "cannot be imported (AttributeError"),
        ("--model nowhere:gru", "cannot be imported (ModuleNotFoundError"),
        ("--model users_own:broken", "could not be built (ValueError: no such)"),
        ("--model users_own:leaving", "could not be built (SystemExit: 3)"),
        ("--model users_own:nothing", "built a int, which is not a torch.nn.Module"),
        ("--model users_own:incomplete", "must take vocab_size and num_classes, but it takes size"),
        ("--model users_own:torch", "is a module, which builds no network"),
        ("--model users_own:gru --set wdith=3", "unknown setting 'wdith'. Did you mean 'width'?"),
        ("--model users_own:gru --set width=wide", "width='wide' must be an integer"),
        ("--model users_own:gru --set objective=prefix", "answers at the end of a word only"),
        ("--model users_own:Gru()", "cannot be built again from its name"),
    ],
)
def test_slips_are_told_in_a_line(shell: Shell, package: Path, command: str, says: str) -> None:
    given = ["train", "parity", *command.split(), "--out", "run", "--device", "cpu"]
    status, out, error = shell(*given, "--set", "steps=1")
    assert (status, out) == (2, "")
    assert says in error
    assert error.count("\n") == 1
    assert not Path("run").exists()
