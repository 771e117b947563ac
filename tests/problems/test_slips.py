"""Settings from several places, and slips in Python: each in one line."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import lengthwise as lw
from lengthwise.cli.main import main
from lengthwise.errors import ConfigError, LengthwiseError
from lengthwise.problems.base import Run
from lengthwise.problems.planning import make_plan
from lengthwise.problems.recognition.problem import Recognition
from lengthwise.problems.reference import settings_reference
from lengthwise.problems.registry import PROBLEMS

SMALL = ("--preset", "smoke", "--set", "validate_every=1")


@pytest.fixture(scope="module")
def steps() -> Run:
    return lw.train("steps:addition", preset="smoke", bits=3, examples=8, steps=2)


def train(tmp_path: Path, *more: str) -> dict[str, Any]:
    out = tmp_path / "run"
    assert main(["train", "parity", "--out", str(out), *SMALL, *more]) == 0
    found: dict[str, Any] = json.loads((out / "config.json").read_text(encoding="utf-8"))
    return found


def test_tables_of_settings_are_merged_and_the_line_stands_over_the_file(tmp_path: Path) -> None:
    file = tmp_path / "own.json"
    tables = {"network": {"d_model": 8, "ff_factor": 2}, "training": {"steps": 5, "seed": 3}}
    file.write_text(json.dumps(tables), encoding="utf-8")
    more = ("--set", 'network={"num_heads":4}', "--set", 'network={"d_model":4}', "--set")
    found = train(tmp_path, "--config", str(file), *more, "steps=2")
    network, training = found["network"], found["training"]
    assert (network["d_model"], network["num_heads"], network["ff_factor"]) == (4, 4, 2)
    assert (training["steps"], training["seed"]) == (2, 3)


def test_a_setting_stands_over_the_option_and_that_over_the_file(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text('steps = 2\n[data]\nprotocol = "audited"\n', encoding="utf-8")
    found = train(tmp_path, "--config", str(file), "--protocol", "published")
    assert found["data"]["protocol"] == "published"
    settings = {"protocol": "audited"}
    plan = make_plan("parity", "elman", settings=settings, options={"protocol": "published"})
    assert plan.data.protocol == "audited"


def test_a_problem_is_trained_as_its_specification_is() -> None:
    problem = Recognition(language=lw.language("parity"))
    for spec in (problem, problem.language, "parity"):
        assert make_plan(spec, options={"protocol": "published"}).data.protocol == "published"
    with pytest.raises(ConfigError, match="--protocol is for languages"):
        make_plan("steps:addition", options={"protocol": "published"})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"bits": 3, "task.bits": 4}, "bits is also given as task.bits"),
        ({"task.nosuch": 4}, "unknown setting of task 'nosuch'"),
        ({"network": 3}, "network is a section of settings, but got 3"),
        ({"training": []}, "training is a section of settings, but got"),
    ],
)
def test_slips_in_settings(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        make_plan("steps:addition", settings=settings)


@pytest.mark.parametrize(
    ("spec", "model", "name", "now"),
    [
        ("parity", None, "lessons", "objective.replay"),
        ("parity", None, "objective.pull", "objective.code_consistency"),
        ("parity", "decoder", "longest_word", "network.max_length"),
        ("steps:addition", "gpt2", "backbone", "network.body"),
    ],
)
def test_a_former_name_is_refused_with_the_present_one(
    spec: str, model: str | None, name: str, now: str
) -> None:
    with pytest.raises(ConfigError, match=f"is the former name of {now}, and is not read. Give"):
        make_plan(spec, model, settings={name: 1})


def test_a_former_value_is_refused_with_the_present_ones() -> None:
    with pytest.raises(ConfigError, match="codebook"):
        make_plan("parity", settings={"objective": "assigned"})


def test_supervision_is_refused_with_the_present_name() -> None:
    with pytest.raises(ConfigError, match="--objective codebook"):
        make_plan("parity", settings={"supervision": "codebook"})


def test_settings_of_a_task_are_a_section() -> None:
    plan = make_plan("steps:addition", settings={"task": {"bits": 3}, "examples": 8})
    assert "3-bit" in plan.problem.name
    assert make_plan("parity", "decoder", settings={"network.max_length": 90}).network.max_length
    with pytest.raises(ConfigError, match=r"network\.max_length=30 is shorter .* data\.max_length"):
        make_plan("parity", "decoder", settings={"network.max_length": 30})


def test_defaults_of_the_reference_are_those_of_training() -> None:
    kind = PROBLEMS["recognition"]
    for model in kind.setup.models:
        plan = make_plan("parity", model, preset="smoke")
        for each in settings_reference(kind, model, preset="smoke", spec="parity"):
            section, _, name = each.name.partition(".")
            if each.name not in kind.setup.derived:
                assert each.default == getattr(getattr(plan, section), name), (model, each.name)
    with pytest.raises(LengthwiseError, match="unknown language 'nosuch'"):
        settings_reference(kind, spec="nosuch")


def test_computed_weights_are_not_trained_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compile", "parity", "--out", str(tmp_path / "exact")]) == 0
    assert main(["train", "parity", "--out", str(tmp_path / "exact"), *SMALL]) == 2
    assert "exact holds computed weights, which are not trained" in capsys.readouterr().err


class Nothing:
    """An algebra in name."""

    num_symbols = 2

    def start(self) -> int:
        """Return the element of the empty word."""
        return 0

    def step(self, elements: Any, symbols: Any) -> Any:
        """Return the elements as they are."""
        return elements

    def read(self, elements: Any) -> Any:
        """Return the elements as classes."""
        return elements


def test_slips_of_python_are_one_line(steps: Run) -> None:
    calls: list[tuple[Callable[[], Any], str]] = [
        (lambda: lw.evaluate(steps, language="parity"), "classifies no words"),
        (lambda: lw.predict(steps, ["1"], language="parity"), "classifies no words"),
        (
            lambda: lw.evaluate(steps, words="a"),
            "words is an integer of 0 or more, but got 'a'",
        ),
        (
            lambda: lw.evaluate(steps, words=2, seed=3),
            "inputs of the test are fixed. Leave --seed out",
        ),
        (
            lambda: lw.evaluate(steps, words=-1),
            "words is an integer of 0 or more, but got -1",
        ),
        (lambda: lw.certify(None, language="parity"), "got a NoneType"),  # type: ignore[arg-type]
        (
            lambda: lw.certify(Nothing(), language="parity"),  # type: ignore[arg-type]
            "got a Nothing. Use lw.interpret.decide for an algebra",
        ),
        (
            lambda: lw.certify(lw.compile("steps2022/addition-1", bits=2)),
            "computes a circuit, and classifies no words of any length. Use predict or verify",
        ),
        (lambda: lw.certify(steps), "classifies no words of a formal language"),
    ]
    for call, message in calls:
        with pytest.raises(LengthwiseError) as found:
            call()
        assert message in str(found.value)
        assert "\n" not in str(found.value)


def test_evaluating_in_python_leaves_the_folder_alone_if_it_is_asked(tmp_path: Path) -> None:
    run = lw.train("parity", preset="smoke", steps=2, validate_every=1, out=tmp_path / "run")
    before = sorted(path.name for path in (tmp_path / "run").iterdir())
    lw.evaluate(run, lengths=[3], words_per_length=4, store=False)
    lw.evaluate(run, language="parity", lengths=[3], words_per_length=4)
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == before
    with pytest.raises(LengthwiseError, match="at least one length"):
        lw.evaluate(run, lengths=[])


def test_a_stored_evaluation_is_that_of_the_command_and_can_be_compared(tmp_path: Path) -> None:
    small: dict[str, Any] = {"preset": "smoke", "steps": 2, "validate_every": 1}
    folders = [tmp_path / name for name in ("one", "two")]
    for seed, folder in enumerate(folders):
        run = lw.train("parity", out=folder, seed=seed, **small)
        scores = lw.evaluate(run, lengths=[41, 60], words_per_length=50)
        stored = json.loads((folder / "evaluation.json").read_text())
        assert stored["mean_accuracy"] == scores.summary()["mean_accuracy"]
        rules = lw.interpret.shortcuts("parity", [41, 60], words_per_length=50)
        assert stored["shortcuts"] == scores.shortcuts() == rules
        alone = lw.evaluate(run.model, language="parity", lengths=[41, 60], words_per_length=50)
        assert alone.shortcuts() == rules
        with pytest.raises(LengthwiseError, match=r"or use lw\.interpret\.shortcuts"):
            lw.Scores.from_records(scores.to_records()).shortcuts()
    assert len(lw.compare(folders).runs) == 2
