"""Pretraining: the next token of a text, saved for transformers, and gone on with."""

import hashlib
import json
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional as F
from transformers import AutoModelForCausalLM, AutoTokenizer

from cli.shell import Shell
from lengthwise.errors import ConfigError, RunError, TextError
from lengthwise.problems.runs import load_run
from lengthwise.text.data.text_corpus import PARTS, PrepareConfig, prepare_corpus
from lengthwise.text.models.backbones import BACKBONES
from lengthwise.text.models.gpt2 import BackboneConfig, origin, shape_of
from lengthwise.text.problems.language_modelling import pretrain as pretraining
from lengthwise.text.problems.language_modelling.pretrain import (
    PretrainConfig,
    build_gpt2,
    make_named,
    objective,
    pretrain,
)
from lengthwise.training.run_listing import list_runs
from lengthwise.training.runs import RunFolder
from lengthwise.training.settings import MixedTrainingConfig

TEXT = "the words of a language are classified by the states of its automaton.\n" * 60
SMALL = PretrainConfig(
    vocab_size=256, d_model=16, num_layers=1, num_heads=2, places=32, window=16, batch_size=4
)
LOOP = MixedTrainingConfig(steps=30, learning_rate=1e-2, validate_every=10, patience=0)


def run(out: Path, **chosen: Any) -> dict[str, Any]:
    return pretrain(out, TEXT, "a test", SMALL, LOOP, device="cpu", **chosen)


def test_what_is_saved_is_loaded_by_transformers(tmp_path: Path) -> None:
    found = run(tmp_path / "body")
    model = AutoModelForCausalLM.from_pretrained(tmp_path / "body").eval()
    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "body")
    tokens = torch.tensor([tokenizer(TEXT)["input_ids"]])
    assert tokens.shape[1] == found["tokens"] == len(TEXT.encode())
    assert found["parameters"] == sum(p.numel() for p in model.parameters())
    held_out = tokens[0, -(tokens.shape[1] // 10) :]
    windows = [held_out[i : i + 17] for i in range(0, len(held_out) - 16, 16)]
    with torch.no_grad():
        losses = [
            F.cross_entropy(model(w[None, :-1]).logits[0], w[1:]).item() for w in windows[:256]
        ]
    assert found["bits_per_token"] == pytest.approx(sum(losses) / len(losses) / math.log(2))
    assert found["bits_per_token"] < 5
    stored = json.loads((tmp_path / "body" / "training" / "config.json").read_text())
    assert stored["text"]["source"] == "a test"
    assert stored["text"]["characters"] == len(TEXT)
    assert not (tmp_path / "body" / "training" / "saved").exists()


def test_an_interrupted_pretraining_goes_on_to_the_same_body(tmp_path: Path) -> None:
    class Stop:
        def update(self, step: int, record: Any) -> None:
            if step == 25:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "one", progress=Stop())
    assert not (tmp_path / "one" / "config.json").exists()
    assert run(tmp_path / "one") == run(tmp_path / "two")
    (tmp_path / "one" / "config.json").unlink()  # stopped while it was saved
    assert run(tmp_path / "one") == run(tmp_path / "two")
    first, second = (
        AutoModelForCausalLM.from_pretrained(tmp_path / name).state_dict()
        for name in ("one", "two")
    )
    assert all(torch.equal(first[name], second[name]) for name in first)


def test_a_pretraining_from_before_a_setting_came_is_found_done(tmp_path: Path) -> None:
    expected = run(tmp_path / "body")
    config = tmp_path / "body" / "training" / "config.json"
    stored = json.loads(config.read_text())
    del stored["loop"]["accumulate"], stored["loop"]["autocast"]
    config.write_text(json.dumps(stored))
    assert run(tmp_path / "body") == expected
    for changed in ({"accumulate": 2}, {"steps": 31}, {"clip": 0.5}):
        loop = MixedTrainingConfig.from_dict({**LOOP.to_dict(), **changed})
        with pytest.raises(RunError, match=f"loop.{next(iter(changed))}="):
            pretrain(tmp_path / "body", TEXT, "a test", SMALL, loop, device="cpu")


@pytest.mark.needs_precision("bfloat16")
def test_a_body_is_pretrained_in_bfloat16_if_that_is_said(tmp_path: Path) -> None:
    half = replace(LOOP, autocast="bfloat16")
    single = run(tmp_path / "single")
    found = pretrain(tmp_path / "half", TEXT, "a test", SMALL, half, device="cpu")
    assert found["bits_per_token"] != single["bits_per_token"]
    assert found["bits_per_token"] == pytest.approx(single["bits_per_token"], rel=0.05)
    model = AutoModelForCausalLM.from_pretrained(tmp_path / "half")
    assert {weights.dtype for weights in model.parameters()} == {torch.float32}
    for name, end in (("half", " tokens) in bfloat16"), ("single", " tokens)")):
        body: dict[str, Any] = {"body": str(tmp_path / name)}
        config = BackboneConfig(vocab_size=2, max_length=4, **body, **shape_of(body))
        assert origin(config).endswith(end)
    with pytest.raises(RunError, match=r"loop\.autocast="):
        run(tmp_path / "half")


def test_a_finished_body_is_not_refused_for_want_of_bfloat16(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    half = replace(LOOP, autocast="bfloat16")

    def refuse(*_: object) -> None:
        raise ConfigError("bfloat16 cannot be used")

    expected = run(tmp_path / "body")
    config = tmp_path / "body" / "training" / "config.json"
    stored = json.loads(config.read_text())
    stored["loop"]["autocast"] = "bfloat16"
    config.write_text(json.dumps(stored))
    monkeypatch.setattr(pretraining, "require_autocast", refuse)
    assert pretrain(tmp_path / "body", TEXT, "a test", SMALL, half, device="cpu") == expected
    with pytest.raises(ConfigError, match="bfloat16 cannot"):
        pretrain(tmp_path / "new", TEXT, "a test", SMALL, half, device="cpu")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("loop", [5, None])
def test_damaged_settings_of_a_pretraining_are_told(tmp_path: Path, loop: object) -> None:
    run(tmp_path / "body")
    config = tmp_path / "body" / "training" / "config.json"
    config.write_text(json.dumps({**json.loads(config.read_text()), "loop": loop}))
    with pytest.raises(RunError, match="loop must be an object"):
        run(tmp_path / "body")
    body: dict[str, Any] = {"body": str(tmp_path / "body")}
    config_of_it = BackboneConfig(vocab_size=2, max_length=4, **body, **shape_of(body))
    assert origin(config_of_it).endswith(" tokens)")
    assert config_of_it.activation == BACKBONES["python-tiny"].shape()["activation"]


def test_training_never_sees_the_held_out_end() -> None:
    seen: set[int] = set()

    watching = build_gpt2(SMALL, 1000)
    watching.get_submodule("transformer.wte").register_forward_pre_hook(
        lambda module, given: seen.update(given[0].flatten().tolist())
    )
    goal = objective(np.arange(1000), SMALL)
    for _ in range(300):
        goal.step(watching, torch.Generator().manual_seed(len(seen)), torch.Generator())
    assert max(seen) <= 899
    seen.clear()
    goal.validate(watching, torch.Generator())
    assert min(seen) == 900


def test_texts_folders_and_shapes_that_do_not_fit_are_told(tmp_path: Path) -> None:
    with pytest.raises(TextError, match="has 300 tokens, but at least 340 are needed"):
        pretrain(tmp_path / "x", "a" * 300, "a test", SMALL, LOOP)
    assert not (tmp_path / "x").exists()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes").write_text("mine")
    with pytest.raises(RunError, match="holds no pretraining"):
        run(tmp_path / "full")
    run(tmp_path / "body")
    with pytest.raises(RunError):
        pretrain(tmp_path / "body", TEXT + "more", "a test", SMALL, LOOP, device="cpu")
    for settings, message in (
        ({"window": 600}, "window=600 is longer than places=512"),
        ({"num_heads": 3}, "d_model=128 cannot be split"),
        ({"window": 1}, "window=1 is too small"),
    ):
        with pytest.raises(ConfigError, match=message):
            PretrainConfig(**settings)


def test_a_refused_pretraining_leaves_nothing_that_blocks_the_next(tmp_path: Path) -> None:
    large = replace(SMALL, batch_size=10**8)
    with pytest.raises(ConfigError, match="tokens at once"):
        pretrain(tmp_path / "body", TEXT, "a test", large, LOOP, device="cpu")
    assert not (tmp_path / "body").exists()
    run(tmp_path / "body")


def test_the_training_of_a_body_is_no_run(tmp_path: Path) -> None:
    run(tmp_path / "body")
    assert list_runs(tmp_path) == []
    with pytest.raises(RunError, match="has the pretraining of a body, and not a run"):
        load_run(tmp_path / "body" / "training")


def test_the_command_makes_a_body_that_train_takes(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    shell = Shell(capsys, monkeypatch)
    text, body = tmp_path / "text", str(tmp_path / "body")
    text.write_text(TEXT)
    small = [f"--set={name}={getattr(SMALL, name)}" for name in ("vocab_size", "d_model", "window")]
    small += ["--set=num_layers=1", "--set=steps=4", "--set=warmup=0", "--device=cpu"]
    found = shell.json("pretrain", str(text), "--out", body, *small)
    assert found["source"] == "text"
    status, out, error = shell("pretrain", str(text), "--out", body, *small)
    assert status == 0
    assert "bits per token" in out
    assert f"--set body={body}" in error
    status, out, _ = shell(
        *("train", "steps:addition", "--model", "gpt2", "--set", f"body={body}"),
        *("--set", "bits=3", "--set", "examples=40", "--set", "validation_words=8"),
        *("--preset", "smoke", "--device", "cpu", "--out", str(tmp_path / "run")),
    )
    assert status == 0
    assert f", gpt2 (backbone {body}, pretrained weights, frozen, " in out
    norms, layers = 3 * 2 * 16, 2 * 16 + 16 * 2 + 2  # input and output layer
    assert re.search(rf" [\d,]+ parameters, {norms + layers} of them trained", out)
    made_with = json.loads((tmp_path / "run" / "config.json").read_text())["environment"]
    assert re.search(r"sha256 \w{12}, pretrained on text \([\d,]+ characters", made_with["body"])
    for arguments, message in (
        (["--set", "layers=3"], "unknown setting 'layers'"),
        (["python-tiny"], "Give nothing else"),
        ([str(tmp_path / "none")], "none does not exist"),
        ([""], "the name of a source is empty"),
    ):
        status, _, error = shell("pretrain", "--out", str(tmp_path / "no"), *arguments)
        assert status == 2
        assert message in error
        assert not (tmp_path / "no").exists()


@pytest.mark.slow
def test_a_body_with_a_name_is_made_once_in_its_place(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    shell = Shell(capsys, monkeypatch)
    small = ["--set", "bits=3", "--set", "examples=40", "--set", "validation_words=8"]
    command = ["train", "steps:addition", "--model", "gpt2", "--set", "body=python-tiny", *small]
    command += ["--preset", "smoke", "--device", "cpu", "--out", "run"]
    status, _, error = shell(*command)
    assert status == 2
    assert "has not been made yet. Make it: lengthwise pretrain python-tiny." in error
    assert not Path("run").exists()
    assert shell("pretrain", "--out")[0] == 2
    assert "Add --out DIR" in shell("pretrain")[2]
    found = shell.json("pretrain", "python-tiny")
    assert found["body"] == "python-tiny"
    made = Path("runs/bodies/python-tiny/config.json")
    stamp = made.stat().st_mtime_ns
    make_named("python-tiny")
    make_named("gpt2")  # is on the hub
    assert made.stat().st_mtime_ns == stamp
    assert shell(*command)[0] == 0


@pytest.mark.slow
def test_a_body_with_a_name_is_made_of_a_corpus(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    texts = [f"text number {number}, und ein ü" for number in range(100)]
    lines = "".join(json.dumps({"text": text}) + "\n" for text in texts)
    for part in PARTS:
        Path(f"{part}.jsonl").write_text(lines.replace("number", part), encoding="utf-8")
    sources = {part: [f"{part}.jsonl"] for part in PARTS}
    corpus = prepare_corpus(Path("corpus"), sources, PrepareConfig(vocab_size=257))
    make_named("python-tiny", corpus=corpus.folder)
    text = "".join(line.replace("number", "train") + "\n" for line in texts)
    made = RunFolder(Path("runs/bodies/python-tiny/training")).config()["text"]
    assert made["source"] == "train.jsonl"
    assert made["sha256"] == hashlib.sha256(text.encode()).hexdigest()
