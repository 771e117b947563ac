"""The account of a run: every rendering has all its statements, in its order."""

import json
import random
import re
from collections.abc import Callable, Mapping
from html import unescape
from pathlib import Path

import pytest

from cli.shell import Shell
from lengthwise.cli.main import main
from lengthwise.evaluation.scores import percent
from lengthwise.explorer.run_values import run_values
from lengthwise.files import read_object
from lengthwise.problems.account import Account, Records
from lengthwise.problems.base import Run
from lengthwise.problems.planning import plan_from_dict
from lengthwise.problems.runs import load_run, train
from lengthwise.report.report import read_run, render
from lengthwise.training.runs import RunFolder
from staged import plan
from stored_runs import copy

pytestmark = pytest.mark.usefixtures("undrawn")

STORED = ("binary-proved", "continuous", "encoder", "steps", "text", "pairs")
WARNED = {"noisy": "refuted", "constant": "at chance", "doubt": "in doubt"}
"""Files of words whose automaton the words speak against, and what they say."""


def words_of(kind: str) -> tuple[dict[str, int], tuple[str, ...]]:
    """Return labelled words, and settings of their inference."""
    draw = random.Random(4)
    words = sorted({"".join(draw.choices("ab", k=draw.randint(4, 12))) for _ in range(300)})
    if kind == "constant":
        noisy = dict.fromkeys(words, 1) | dict.fromkeys(words[5::40], 0)
        return noisy, ("label_noise=0.1", "budget=2")
    labels = {word: word.count("a") % 2 for word in words}
    noisy = {word: one ^ (draw.random() < 0.06) for word, one in labels.items()}
    return noisy, (("test_share=0.3" if kind == "noisy" else "label_noise=0.03"), "budget=2")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Runs of every problem, some of which end with a warning."""
    place = tmp_path_factory.mktemp("runs")
    found = {name: place / name / "run" for name in (*STORED, "staged", "labels", *WARNED)}
    for name in STORED:
        (place / name).mkdir()
        copy(name, place / name)
        if name in ("text", "pairs"):  # what they were tested on is not there
            (found[name] / "evaluation.json").unlink()
    train(plan(), out=found["staged"], device="cpu")
    for name, verdict in WARNED.items():
        labels, settings = words_of(name)
        file = place / f"{name}.tsv"
        file.write_text("".join(f"{word}\t{int(one)}\n" for word, one in labels.items()))
        own = [part for each in settings for part in ("--set", each)]
        status = main(["train", f"words:{file}", "--out", str(found[name]), *own])
        assert status == (0 if verdict == "in doubt" else 1)
    small = ("--model", "gru", "--preset", "smoke", "--device", "cpu")
    assert main(["train", f"words:{place}/doubt.tsv", "--out", str(found["labels"]), *small]) == 0
    return found


def page(run: Run, shell: Shell) -> str:
    assert run.folder is not None
    return unescape(render([read_run(run.folder.path)]))


def terminal(run: Run, shell: Shell) -> str:
    assert run.folder is not None
    return shell("resume", str(run.folder.path), "--device", "cpu")[1]


RENDERINGS: Mapping[str, Callable[[Run, Shell], str]] = {
    "page": page,
    "card": lambda run, shell: unescape(run._repr_html_() or ""),
    "terminal": terminal,
}
"""Those that show everything, whole."""


@pytest.mark.parametrize("name", [*STORED, "staged", "labels", *WARNED])
def test_every_rendering_has_all_statements_in_their_order(
    shell: Shell, runs: dict[str, Path], name: str
) -> None:
    run = load_run(runs[name], device="cpu")
    said = run.account
    assert said.rows
    for kind, rendered in RENDERINGS.items():
        shown = rendered(run, shell)
        assert said.title in shown, kind
        conditions = said.conditions
        if kind == "page":  # which loads no model, and so counts no parameters
            conditions = say_without_model(run).conditions
        place = shown.index(conditions)
        for label, text in said.rows:
            assert label in shown, kind
            place = shown.index(text, place)  # raises if it is not there, or comes too early
    assert said.rows[0][1] in repr(run)


def say_without_model(run: Run) -> Account:
    assert run.folder is not None
    folder = RunFolder(run.folder.path)
    return run.problem.account(Records.of(folder, plan_from_dict(folder.config())))


@pytest.mark.parametrize("name", [*STORED, "staged", "labels", *WARNED])
def test_what_programs_read_is_what_people_read(
    shell: Shell, runs: dict[str, Path], name: str
) -> None:
    said = load_run(runs[name], device="cpu").account
    _, out, _ = shell("resume", str(runs[name]), "--device", "cpu", "--json")
    printed = json.loads(out)
    assert {key: printed[key] for key in said.values} == json.loads(json.dumps(said.values))
    (listed,) = shell.json("ls", str(runs[name]))["runs"]
    assert listed["validation_accuracy"] == printed["validation_accuracy"]
    assert listed["verdict"] == said.verdict
    if "held_out_accuracy" in printed:
        assert listed["held_out_accuracy"] == printed["held_out_accuracy"]
    row = shell("ls", str(runs[name]))[1]
    assert percent(printed.get("held_out_accuracy", printed["validation_accuracy"])) in row
    assert Path(listed["subject"].removeprefix("words:")).name in said.title


@pytest.mark.parametrize("name", WARNED)
def test_what_speaks_against_an_automaton_leads_everywhere(
    shell: Shell, runs: dict[str, Path], name: str
) -> None:
    run, verdict = load_run(runs[name], device="cpu"), WARNED[name]
    said, lead = run.account, read_object(runs[name] / "statement.json")["headline"]
    assert said.rows[0] == ("A, judged by words", lead)
    assert lead.startswith(f"{verdict}: ")
    assert (said.verdict, bool(said.refutation)) == (verdict, verdict != "in doubt")
    shows = {kind: rendered(run, shell) for kind, rendered in RENDERINGS.items()}
    shows["evaluate"] = shell("evaluate", str(runs[name]))[1]
    shows["explorer"] = str(run_values(run)["about"])
    for kind, shown in shows.items():
        text = re.sub("<svg.*?</svg>|<style>.*?</style>", "", shown, flags=re.DOTALL)
        before, found, _ = text.rpartition("<h2")[2].partition(lead)
        assert found, kind
        assert ("%" in before, "proof" in before) == (False, False), kind
    assert f">{verdict}</span>" in shows["card"]
    assert lead in repr(run)
    assert shell.json("evaluate", str(runs[name]))["judged_by_words"] == lead
    assert verdict in shell("ls", str(runs[name]))[1]


def test_a_run_that_has_not_validated_yet_says_so(tmp_path: Path) -> None:
    said = plan().problem.account(Records(plan=plan(), folder=RunFolder(tmp_path)))
    assert said.rows == [("in validation", "not yet"), ("stage", "1 of 2, composition")]
