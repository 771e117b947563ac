"""A folder of computed weights: what is stored, what comes back, and what is refused."""

import dataclasses
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from lengthwise.circuits.gate_sequence import GateSequence
from lengthwise.constructions.construction import Computed
from lengthwise.constructions.folders import is_circuit, read_construction
from lengthwise.constructions.known_constructions import construct
from lengthwise.constructions.verify import verify_construction
from lengthwise.errors import LengthwiseError, RunError
from lengthwise.languages.spec import parse
from lengthwise.problems.circuit import complete_inputs
from lengthwise.problems.planning import make_plan
from lengthwise.problems.runs import load_run, train
from lengthwise.training.construction_files import (
    Compiled,
    is_compiled,
    load_compiled,
    save_compiled,
)
from lengthwise.training.runs import RunFolder

KINDS: dict[str, dict[str, Any]] = {
    "parity": {},
    "modular-arithmetic-left-to-right": {"norm": "post"},
    "chiang2022/parity": {"sharpness": 2.0},
    "chiang2022/first-confident": {"epsilon": 0.0},
    "steps2022/addition-2": {"bits": 1},
    "steps2022/addition-nor": {"bits": 1},
}


def make(name: str = "parity", **settings: Any) -> Computed:
    return construct(name, settings or KINDS.get(name, {}))


def save(path: Path, construction: Computed) -> Path:
    save_compiled(path, construction.compiled, construction.model, {"python": "3"})
    return path


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save(tmp_path_factory.mktemp("stored") / "made", make())


@pytest.fixture
def folder(stored: Path, tmp_path: Path) -> Path:
    """A copy, to be damaged."""
    return shutil.copytree(stored, tmp_path / "made")


def config_of(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    return found


@pytest.mark.slow_except("chiang2022/parity", "steps2022/addition-2", "steps2022/addition-nor")
@pytest.mark.parametrize("name", KINDS)
def test_all_that_is_claimed_comes_back(name: str, tmp_path: Path) -> None:
    before = make(name)
    after = read_construction(save(tmp_path / "made", before))
    assert after.folder is not None
    assert (after.folder.path, before.folder) == (tmp_path / "made", None)
    for field in dataclasses.fields(Computed):
        if field.name not in ("model", "folder"):
            assert getattr(after, field.name) == getattr(before, field.name), field.name
    assert after.compiled.to_dict() == before.compiled.to_dict()
    assert after.num_parameters == before.num_parameters
    assert not after.model.training
    for key, weight in after.model.state_dict().items():
        assert torch.equal(weight.double(), before.model.state_dict()[key]), key
    assert verify_construction(after, longest=16, all_words=64).holds


def test_a_folder_that_lacks_a_setting_of_today_is_that_of_its_default(tmp_path: Path) -> None:
    before = make("steps2022/addition-nor")
    folder = save(tmp_path / "made", before)
    old = config_of(folder)
    assert old["network"].pop("initial") == "xavier"
    (folder / "config.json").write_text(json.dumps(old), encoding="utf-8")
    assert save(folder, before) == folder
    assert config_of(folder) == old
    old["network"]["num_heads"] = 2
    (folder / "config.json").write_text(json.dumps(old), encoding="utf-8")
    with pytest.raises(RunError, match="num_heads"):
        save(folder, before)


@pytest.mark.parametrize("name", KINDS)
def test_settings_survive_as_plain_values(name: str) -> None:
    values = json.loads(json.dumps(make(name).compiled.to_dict()))
    assert is_compiled(values)
    assert Compiled.from_dict(values).to_dict() == values


@pytest.mark.parametrize(
    ("name", "settings", "kind"),
    [
        ("parity", {}, torch.float32),  # small whole numbers, right at every length
        ("group:Z3", {"norm": "post"}, torch.float64),  # roots do not fit
        ("chiang2022/first", {"sharpness": 2.0}, torch.float64),  # to 10,000 symbols only
        ("steps2022/addition-1", {"bits": 1}, torch.float64),
    ],
)
def test_weights_are_stored_in_single_precision_only_if_nothing_is_lost(
    name: str, settings: dict[str, Any], kind: torch.dtype, tmp_path: Path
) -> None:
    path = save(tmp_path / "made", make(name, **settings))
    assert {w.dtype for w in load_file(path / "model.safetensors").values()} == {kind}
    _, model = load_compiled(path)
    assert {w.dtype for w in model.parameters()} == {kind}


def test_a_claim_without_single_precision_keeps_double(tmp_path: Path) -> None:
    ranges: list[dict[str, int | None]] = [{"float64": None}, {"float64": None, "float32": 100}]
    for number, claimed in enumerate(ranges):
        some = dataclasses.replace(make(), range=claimed)
        stored = load_file(save(tmp_path / f"made-{number}", some) / "model.safetensors")
        assert {w.dtype for w in stored.values()} == {torch.float64}


def test_it_is_loaded_as_a_run(folder: Path) -> None:
    run = load_run(folder, device="cpu")
    assert isinstance(run.plan, Compiled)
    assert run.metrics == []
    assert run.language.spec == "parity"
    assert run.task.language == run.language
    assert run.plan.threads == torch.get_num_threads()


def test_a_circuit_is_no_run_of_words(tmp_path: Path) -> None:
    path = save(tmp_path / "made", make("steps2022/addition-2", bits=1))
    assert is_circuit(path)
    with pytest.raises(RunError, match="computes a circuit, and classifies no words"):
        load_run(path)
    again = read_construction(path)
    assert isinstance(again.about, GateSequence)
    assert complete_inputs(again.model, again.about, ["11", "10"]) == [
        list(again.about.complete((1, 1))),
        list(again.about.complete((1, 0))),
    ]
    assert complete_inputs(again.model, again.about, []) == []


def test_other_folders_hold_no_circuit(folder: Path, tmp_path: Path) -> None:
    assert not is_circuit(folder)
    assert not is_circuit(tmp_path / "nothing")


def test_the_same_may_be_saved_again_and_nothing_else(folder: Path) -> None:
    before = (folder / "model.safetensors").read_bytes()
    save(folder, make())
    for other in (make(chunk_size=3), make("tomita-2"), make("chiang2022/parity")):
        with pytest.raises(RunError, match="Use another folder") as caught:
            save(folder, other)
        assert "\n" not in str(caught.value)
    assert (folder / "model.safetensors").read_bytes() == before
    assert {path.name for path in folder.iterdir()} == {
        "config.json",
        "model.safetensors",
        "metrics.jsonl",
    }


def test_a_trained_run_is_none_of_ours_nor_the_other_way_round(
    folder: Path, tmp_path: Path
) -> None:
    plan = make_plan(parse("parity"), preset="smoke", settings={"steps": 2})
    with pytest.raises(RunError, match="Use another folder"):
        train(plan, out=folder, device="cpu")
    run = tmp_path / "run"
    train(plan, out=run, device="cpu")
    with pytest.raises(RunError, match="holds a trained run, not a construction"):
        read_construction(run)
    with pytest.raises(RunError, match="Use another folder"):
        save(run, make())


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "mine"
    path.mkdir()
    (path / "letter.txt").write_text("dear")
    with pytest.raises(RunError, match="holds no run of lengthwise"):
        save(path, make())
    assert [file.name for file in path.iterdir()] == ["letter.txt"]
    with pytest.raises(RunError, match="holds no run of lengthwise"):
        save(path / "letter.txt", make())


def test_what_was_interrupted_is_finished(tmp_path: Path) -> None:
    path = tmp_path / "made"
    RunFolder(path).claim({**make().compiled.to_dict(), "environment": {}})
    with pytest.raises(RunError, match="Run its `compile` command again"):
        read_construction(path)
    save(path, make())
    assert read_construction(path).claim == make().claim


def without(*path: str) -> Callable[[dict[str, Any]], None]:
    def change(config: dict[str, Any]) -> None:
        for key in path[:-1]:
            config = config[key]
        del config[path[-1]]

    return change


def put(value: object, *path: str) -> Callable[[dict[str, Any]], None]:
    def change(config: dict[str, Any]) -> None:
        for key in path[:-1]:
            config = config[key]
        config[path[-1]] = value

    return change


JUNK: tuple[Any, ...] = (None, 3, "x", [1])
DAMAGE = [
    *[without(key) for key in ("settings", "claim", "language", "model", "network")],
    *[
        put(junk, key)
        for key in ("settings", "claim", "language", "model", "network")
        for junk in JUNK
    ],
    *[without("claim", key) for key in ("text", "source", "range", "required_margin")],
    *[put(junk, "claim", "range") for junk in (None, "x", ["float64"], {"float8": None})],
    *[put(junk, "claim", "range", "float64") for junk in ("x", 1.5, True, [1])],
    *[put(junk, "claim", "required_margin") for junk in (None, "x", [1])],
    *[put(junk, "network", "d_model") for junk in (None, "x", 0, -1, 6)],
    put(1, "network", "colour"),
    put("encoder", "model"),
    put("recurrent", "model"),
    put([[0, 9], [1, 0]], "language", "transitions"),
    put({"num_inputs": 1}, "sequence"),
    put(3, "format"),
]


@pytest.mark.parametrize("number", range(len(DAMAGE)))
def test_a_damaged_description_is_refused_in_one_line(folder: Path, number: int) -> None:
    config = config_of(folder)
    DAMAGE[number](config)
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    with pytest.raises(LengthwiseError) as caught:
        verify_construction(read_construction(folder), longest=3)
    assert "\n" not in str(caught.value)


MORE_THAN_IS_SO = [
    put({"float64": None, "float16": None}, "claim", "range"),
    put({}, "claim", "range"),
    put({"float64": -1}, "claim", "range"),
    put(1.0, "claim", "required_margin"),
    put(float("nan"), "claim", "required_margin"),
    put("right at every length", "claim", "text"),
    put("tomita-2", "construction"),
    put("chiang2022/parity", "construction"),
    put({"sharpness": 2.0, "count_weight": 0.5}, "settings"),
]


@pytest.mark.parametrize("number", range(len(MORE_THAN_IS_SO)))
def test_a_claim_that_was_changed_is_refused(number: int, tmp_path: Path) -> None:
    folder = save(tmp_path / "made", make("chiang2022/first", sharpness=2.0))
    config = config_of(folder)
    MORE_THAN_IS_SO[number](config)
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    with pytest.raises(LengthwiseError) as caught:
        read_construction(folder)
    assert "\n" not in str(caught.value)


OTHER_FORM = [
    put("tomita-2", "construction"),
    put("a language", "construction"),
    put("circuit:any.blif", "construction"),
    put("tomita-2", "language", "spec"),
    put([[1, 0], [1, 0]], "language", "transitions"),
    put(3, "settings", "chunk_size"),
    put("post", "settings", "norm"),
    put(1, "settings", "colour"),
    without("settings", "target"),
]


@pytest.mark.parametrize("number", range(len(OTHER_FORM)))
def test_a_folder_does_not_lie_about_what_it_is(folder: Path, number: int) -> None:
    config = config_of(folder)
    OTHER_FORM[number](config)
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    with pytest.raises(LengthwiseError) as caught:
        read_construction(folder)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("error", [0, 1, -1, 0.9, float("nan"), "x", None])
def test_a_damaged_error_of_a_circuit_is_refused(error: object, tmp_path: Path) -> None:
    folder = save(tmp_path / "made", make("steps2022/addition-1", bits=1))
    config = config_of(folder)
    config["settings"]["error"] = error
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    with pytest.raises(LengthwiseError):
        read_construction(folder)


def test_what_it_is_about_cannot_be_changed(tmp_path: Path) -> None:
    folder = save(tmp_path / "made", make("steps2022/addition-1", bits=1))
    config = config_of(folder)
    config["sequence"] = make("steps2022/addition-2", bits=1).compiled.to_dict()["sequence"]
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    with pytest.raises(LengthwiseError, match="Compile again"):
        read_construction(folder)


def test_other_weights_are_not_taken_for_the_same_construction(folder: Path) -> None:
    weights = load_file(folder / "model.safetensors")
    weights["answer.weight"] = weights["answer.weight"].flip(0)
    save_file(weights, folder / "model.safetensors")
    before = (folder / "model.safetensors").read_bytes()
    with pytest.raises(RunError, match="holds other weights than parity has"):
        save(folder, make())
    assert (folder / "model.safetensors").read_bytes() == before


def truncate(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-50])


def nonsense(file: Path) -> None:
    file.write_bytes(b"nonsense")


def nothing(file: Path) -> None:
    file.write_bytes(b"")


def no_weights(file: Path) -> None:
    save_file({}, file)


def one_missing(file: Path) -> None:
    weights = load_file(file)
    del weights["pad"]
    save_file(weights, file)


def one_more(file: Path) -> None:
    save_file({**load_file(file), "more": torch.zeros(3)}, file)


def another_shape(file: Path) -> None:
    save_file({**load_file(file), "pad": torch.zeros(5)}, file)


def whole_numbers(file: Path) -> None:
    save_file({name: weight.long() for name, weight in load_file(file).items()}, file)


@pytest.mark.parametrize(
    "damage",
    [truncate, nonsense, nothing, no_weights, one_missing, one_more, another_shape, whole_numbers],
)
def test_damaged_weights_are_refused_in_one_line(
    folder: Path, damage: Callable[[Path], None]
) -> None:
    damage(folder / "model.safetensors")
    for load in (read_construction, load_run):
        with pytest.raises(RunError) as caught:
            load(folder)
        assert "\n" not in str(caught.value)
        assert "model.safetensors" in str(caught.value)


def test_weights_that_were_changed_are_loaded_and_found_wrong(folder: Path) -> None:
    weights = load_file(folder / "model.safetensors")
    weights["answer.weight"] = weights["answer.weight"].flip(0)
    save_file(weights, folder / "model.safetensors")
    assert not verify_construction(read_construction(folder), longest=5).holds


def test_no_folder_and_no_weights_are_told(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(RunError, match="is not a folder"):
        read_construction(tmp_path / "nowhere")
    (folder / "config.json").write_text("{", encoding="utf-8")
    with pytest.raises(LengthwiseError) as caught:
        read_construction(folder)
    assert "\n" not in str(caught.value)
