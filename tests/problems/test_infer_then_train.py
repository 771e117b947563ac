"""Training on words without a model's name: an automaton is inferred first, and once."""

import random
from pathlib import Path

import pytest

import lengthwise as lw
from lengthwise.errors import ConfigError, LanguageError, RunError
from lengthwise.problems import infer_then_train
from lengthwise.problems.infer_then_train import with_inference
from lengthwise.problems.inferred.problem import InferredProblem
from lengthwise.problems.labelled_words.problem import LabelledWordsProblem
from lengthwise.problems.planning import make_plan
from lengthwise.problems.registry import infers


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("words") / "own.tsv"
    draw = random.Random(8)
    words = {"".join(draw.choices("ab", k=draw.randint(0, 12))) for _ in range(500)}
    place.write_text("".join(f"{word}\t{word.count('a') % 2}\n" for word in sorted(words)))
    return place


def test_only_words_without_a_model_are_inferred_from(file: Path) -> None:
    assert infers(f"words:{file}", None)
    assert not infers(f"words:{file}", "gru")
    assert not infers("parity", None)
    assert not infers(lw.language("parity"), None)


def test_a_specification_of_words_is_read_as_the_file_alone(file: Path) -> None:
    """Reading it does no work that takes long, and without a model there is nothing to plan."""
    plan = make_plan(f"words:{file}", "gru")
    assert isinstance(plan.problem, LabelledWordsProblem)
    with pytest.raises(ConfigError, match="no model is named that learns them"):
        make_plan(f"words:{file}")


def test_settings_go_to_the_inference_or_to_the_training(file: Path) -> None:
    layers = [
        {"label_noise": 0.1, "steps": 7, "budget": 1},
        {"inference.label_noise": 0.02, "seed": 3},
    ]
    asked = with_inference(f"words:{file}", layers, {}, None)
    assert isinstance(asked.subject, InferredProblem)
    assert asked.subject.inference.label_noise == 0.02
    assert asked.settings == [{"steps": 7}, {"seed": 3}]
    plan = make_plan(asked.subject, asked.model, settings=asked.settings)
    assert (plan.training.steps, plan.training.seed) == (7, 3)


@pytest.mark.parametrize(
    ("settings", "options", "message"),
    [
        ({"stepz": 5}, {}, "stepz"),
        ({"min_length": 5}, {}, "min_length"),
        ({"inference.steps": 5}, {}, "inference"),
        ({"max_states": 5, "inference.max_states": 6}, {}, "also given as"),
        ({}, {"protocol": "audited"}, "--protocol is for languages"),
    ],
)
def test_slips_are_told_before_the_inference(
    file: Path,
    settings: dict[str, object],
    options: dict[str, str],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(infer_then_train, "infer_from", lambda *_: pytest.fail("it was inferred"))
    with pytest.raises(ConfigError, match=message):
        with_inference(f"words:{file}", [settings], options, None)


def test_a_run_goes_on_without_another_inference(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec, out = f"words:{file}", tmp_path / "run"
    run = lw.train(spec, out=out, device="cpu", label_noise=0.01, budget=2)
    monkeypatch.setattr(infer_then_train, "infer_from", lambda *_: pytest.fail("it was inferred"))
    again = lw.train(spec, out=out, device="cpu")
    assert again.plan == run.plan
    with pytest.raises(RunError, match=r"with label_noise=0\.01, but now label_noise=0\.02"):
        lw.train(spec, out=out, label_noise=0.02)
    other = tmp_path / "other.tsv"
    other.write_text(file.read_text() + f"{'ab' * 9}\t1\n")
    with pytest.raises(RunError, match=r"not those of words:.*other\.tsv\. Use another folder"):
        lw.train(f"words:{other}", out=out)


def test_the_former_prefix_names_what_took_its_place() -> None:
    with pytest.raises(LanguageError, match=r"words:FILE; `lengthwise infer FILE`") as caught:
        make_plan("labels:parity")
    assert "\n" not in str(caught.value)
