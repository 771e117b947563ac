"""Other packages add problems, models, positions and languages by entry points alone."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import lengthwise
from lengthwise.cli.main import main

PLUGIN = Path(__file__).parent / "plugin"

DRIVE = """
import json, sys
from contextlib import redirect_stdout, redirect_stderr
from io import StringIO
from lengthwise.cli.main import main

class Stop(BaseException):
    pass

def run(*arguments, given=""):
    sys.stdin, out, err = StringIO(given), StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = main(list(arguments))
    return {"status": status, "out": out.getvalue(), "err": err.getvalue()}

found = {}
SCRIPT
json.dump(found, sys.stdout)
"""


def drive(tmp_path: Path, script: str, plugin: Path = PLUGIN) -> dict[str, dict[str, Any]]:
    """Run a script in a process that sees the plug-in, and return what it found."""
    ours = Path(lengthwise.__file__).parent.parent
    path = os.pathsep.join(map(str, (plugin, ours)))
    done = subprocess.run(
        [sys.executable, "-c", DRIVE.replace("SCRIPT", script)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    result: dict[str, dict[str, Any]] = json.loads(done.stdout)
    return result


USE = """
from lengthwise.problems.planning import make_plan
from lengthwise.problems.runs import train
from lengthwise.problems.sweep_tests import Test
from lengthwise.sweeps.executors import InProcess
from lengthwise.sweeps.job import jobs_over_seeds
from lengthwise.sweeps.sweep import run_sweep

class Watch:
    def update(self, step, record):
        if step == 25:
            raise Stop

plan = make_plan("copying:10", settings={"patience": 0})
try:
    train(plan, out="stopped", progress=Watch())
except Stop:
    pass
found["resumed"] = run("train", "copying:10", "--out", "stopped", "--set", "patience=0", "--json")
found["train"] = run("train", "copying:10", "--out", "run", "--set", "patience=0", "--json")
found["text"] = run("train", "copying:10", "--out", "run", "--set", "training.patience=0")
found["evaluate"] = run("evaluate", "run", "--words", "50", "--lengths", "5,50", "--json")
found["facts"] = run("evaluate", "run")
found["predict"] = run("predict", "run", given="012\\n9\\n")
found["wrong line"] = run("predict", "run", given="012\\nx\\n")
found["report"] = run("report", "run", "--out", "page.html")
found["settings"] = run("settings", "copying:10", "--json")
found["certify"] = run("certify", "run")
found["ambiguous"] = run("train", "copying:10", "--out", "other", "--set", "max_length=3")
found["another option"] = run("evaluate", "run", "--snapped")
found["wrong spec"] = run("train", "copying:11", "--out", "other")
jobs = jobs_over_seeds(plan, [0, 1], [Test(name="all", lengths=(4, 40), words_per_length=20)])
outcomes = run_sweep("copying", jobs, "sweep", InProcess())
found["sweep"] = {"copied": [each.test("all").summary["figures"]["copied"] for each in outcomes]}
from hashlib import sha256
from pathlib import Path
from typing import Any
weights = [Path(each, "model.safetensors").read_bytes() for each in ("stopped", "run")]
found["weights"] = {each: sha256(w).hexdigest() for each, w in zip(("stopped", "run"), weights)}
"""


@pytest.mark.slow
def test_a_problem_of_another_package_goes_the_whole_way(tmp_path: Path) -> None:
    found = drive(tmp_path, USE)
    for name in ("resumed", "train", "text", "evaluate", "facts", "predict", "report", "settings"):
        assert found[name]["status"] == 0, (name, found[name])
    assert found["weights"]["stopped"] == found["weights"]["run"]
    trained = json.loads(found["train"]["out"])
    assert trained["task"] == "copying:10"
    assert trained["validation_accuracy"] == 1.0
    assert "in validation  100.00 % after " in found["text"]["out"]
    assert json.loads(found["evaluate"]["out"])["copied"] == {"5": 1.0, "50": 1.0}
    assert found["facts"]["out"] == "copied  100.00 % at the worst length\n"
    assert found["predict"]["out"] == "012\n9\n"
    assert found["sweep"]["copied"] == [{"4": 1.0, "40": 1.0}] * 2
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "copying:10, table" in page
    assert "training.steps" in page
    names = {each["name"] for each in json.loads(found["settings"]["out"])["settings"]}
    assert {"network.max_length", "data.max_length", "training.steps"} <= names
    lines = {name: found[name]["err"] for name in found if found[name].get("status") == 2}
    assert "classifies no words of a formal language" in lines["certify"]
    assert "'max_length' could be network.max_length or data.max_length" in lines["ambiguous"]
    assert lines["wrong line"] == "lengthwise: line 2: 'x' is not made of digits below 10.\n"
    assert "--snapped is for languages" in lines["another option"]
    assert "copying has 2 to 10 digits" in lines["wrong spec"]
    assert all(line.count("\n") == 1 for line in lines.values()), lines


@pytest.mark.slow
def test_an_objective_of_another_package_is_trained_by_name(tmp_path: Path) -> None:
    """That of the recipe, with its setting, in a package of its own."""
    recipe = Path(__file__).parents[2] / "examples" / "recipes" / "smoothed.py"
    about = tmp_path / "plugin" / "smooth-1.0.dist-info"
    about.mkdir(parents=True)
    shutil.copy(recipe, tmp_path / "plugin" / "smooth_module.py")
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: smooth\nVersion: 1.0\n")
    entry = "[lengthwise.objectives]\nsmoothed = smooth_module:SMOOTHED\n"
    (about / "entry_points.txt").write_text(entry)
    script = """
asked = ("parity", "--model", "gru", "--objective", "smoothed", "--preset", "smoke")
found["train"] = run("train", *asked, "--set", "objective.smoothing=0.2", "--out", "run", "--json")
found["again"] = run("evaluate", "run", "--lengths", "5", "--words", "8")
found["settings"] = run("settings", *asked, "--json")
found["wrong"] = run("train", *asked, "--set", "margin=0.2", "--out", "other")
"""
    found = drive(tmp_path, script, tmp_path / "plugin")
    assert json.loads(found["train"]["out"])["supervision"] == "smoothed"
    assert found["again"]["status"] == 0
    names = {each["name"] for each in json.loads(found["settings"]["out"])["settings"]}
    assert "objective.smoothing" in names
    assert "objective.margin" not in names
    said = "margin is a setting of objective composition, but this run learns from 'smoothed'"
    assert said in found["wrong"]["err"]


@pytest.mark.slow
def test_what_a_plug_in_cannot_import_is_said_in_one_line(tmp_path: Path) -> None:
    broken = tmp_path / "plugin"
    (broken / "broken-1.0.dist-info").mkdir(parents=True)
    (broken / "broken_module.py").write_text("raise RuntimeError('no such luck\\nmore')\n")
    about = broken / "broken-1.0.dist-info"
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    kinds = ("positions", "models", "languages")
    lines = (f"[lengthwise.{kind}]\nours = broken_module:thing\n" for kind in kinds)
    (about / "entry_points.txt").write_text("\n".join(lines))
    script = """
found["language"] = run("describe", "ours")
found["model"] = run("train", "parity", "--model", "ours", "--out", "run")
found["position"] = run(
    "train", "parity", "--model", "decoder", "--set", "position=ours", "--out", "run"
)
found["unknown"] = run("train", "parity", "--model", "theirs", "--out", "run")
found["others"] = run("describe", "parity")
"""
    found = drive(tmp_path, script, broken)
    for name in ("language", "model", "position"):
        assert found[name]["status"] == 2, found[name]
        assert "'ours' of broken cannot be imported from broken_module:thing" in found[name]["err"]
        assert "RuntimeError: no such luck)" in found[name]["err"]
        said = [line for line in found[name]["err"].splitlines() if ": working, " not in line]
        assert len(said) == 1
    assert "unknown model 'theirs'" in found["unknown"]["err"]
    assert "ours" in found["unknown"]["err"]
    assert found["others"]["status"] == 0


@pytest.mark.slow
def test_what_is_no_variant_of_its_kind_is_refused(tmp_path: Path) -> None:
    about = tmp_path / "plugin" / "odd-1.0.dist-info"
    about.mkdir(parents=True)
    module = "from lengthwise.problems.base import Problem\nthing = 3\nclass Bare(Problem): ..."
    (tmp_path / "plugin" / "odd_module.py").write_text(module)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: odd\nVersion: 1.0\n")
    entries = {"models": "thing", "languages": "thing", "problems": "Bare"}
    lines = (f"[lengthwise.{kind}]\nodd = odd_module:{name}\n" for kind, name in entries.items())
    (about / "entry_points.txt").write_text("\n".join(lines))
    script = """
found["language"] = run("describe", "odd")
found["problem"] = run("train", "odd:3", "--out", "run")
"""
    found = drive(tmp_path, script, tmp_path / "plugin")
    assert (
        "language 'odd' of odd at odd_module:thing is not a NamedLanguage"
        in found["language"]["err"]
    )
    assert "problem 'odd' of odd at odd_module:Bare has no 'kind'" in found["problem"]["err"]
    assert {each["status"] for each in found.values()} == {2}


@pytest.mark.parametrize(
    ("entry", "line"),
    [
        (
            '{"format": 3}',
            "is of format 3, but this version of lengthwise reads format 2 alone. Use",
        ),
        ('{"format": 1}', "reads format 2 alone. Train again in a new folder."),
        (
            '{"format": 2, "problem": {"kind": "juggling"}, "model": "x", "preset": "smoke"}',
            "unknown problem 'juggling'",
        ),
    ],
)
def test_folders_of_other_versions_and_packages_are_refused(
    entry: str, line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "config.json").write_text(entry)
    assert main(["evaluate", str(tmp_path)]) == 2
    error = capsys.readouterr().err
    assert line in error
    assert error.count("\n") == 1
