"""Bodies of GPT-2: what is trained, what stays, and that a cache changes nothing."""

import hashlib
import json
import logging
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from torch.nn import functional as F
from transformers import GPT2Config, GPT2LMHeadModel
from transformers.activations import ACT2FN

from lengthwise.errors import ConfigError, WordError
from lengthwise.models.step_models import STEP_MODELS
from lengthwise.problems.account import sizes_of
from lengthwise.problems.base import Plan
from lengthwise.problems.planning import make_plan
from lengthwise.problems.runs import load_run, train
from lengthwise.text.models.gpt2 import Backbone, draw_gpt2, gpt2_config
from lengthwise.training.construction_files import Compiled

WIDTH, LAYERS, PLACES = 8, 2, 24


@pytest.fixture(scope="module")
def body(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder of `save_pretrained` with weights of its own."""
    path = tmp_path_factory.mktemp("bodies") / "small"
    shape: dict[str, Any] = {"n_positions": PLACES, "n_embd": WIDTH, "n_layer": LAYERS, "n_head": 2}
    model = GPT2LMHeadModel(
        GPT2Config(vocab_size=11, bos_token_id=None, eos_token_id=None, **shape)
    )
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(0.0, 0.3, generator=torch.Generator().manual_seed(parameter.numel()))
    model.save_pretrained(path)
    return str(path)


def plan_of(body: str, **settings: Any) -> Plan:
    small = {"bits": 3, "order": "carries", "examples": 40, "validation_words": 8, "steps": 6}
    chosen = {**small, "warmup": 1, "validate_every": 3, "batch_size": 8, "body": body, **settings}
    return make_plan("steps:addition", "gpt2", settings=chosen)


def draw(body: str, **settings: Any) -> Backbone:
    model = plan_of(body, **settings).draw().eval()
    assert isinstance(model, Backbone)
    return model


def test_the_body_is_the_one_that_was_saved(body: str) -> None:
    model = draw(body)
    saved = GPT2LMHeadModel.from_pretrained(body).transformer.state_dict()
    own = model.body.state_dict()
    assert {*own} == {*saved} - {"wte.weight"}
    assert all(torch.equal(own[name], saved[name]) for name in own)


def test_logits_are_those_of_transformers_with_the_same_vectors(body: str) -> None:
    model = draw(body)
    reference = GPT2LMHeadModel.from_pretrained(body).transformer.eval()
    tokens = torch.randint(2, (5, PLACES), generator=torch.Generator().manual_seed(0))
    vectors = reference(inputs_embeds=F.embedding(tokens, model.embedding.weight))
    expected = F.linear(vectors.last_hidden_state, model.answer.weight, model.answer.bias)
    torch.testing.assert_close(model(tokens), expected)
    torch.testing.assert_close(model(tokens, first=3), expected[:, 3:])


def test_its_nonlinearity_is_that_of_gpt2_in_one_kernel() -> None:
    assert gpt2_config(activation="relu").activation_function == "relu"
    assert gpt2_config().activation_function == "gelu_pytorch_tanh"
    x = torch.linspace(-6, 6, 1001, dtype=torch.float64)
    cube = (2 / torch.pi) ** 0.5 * (x + 0.044715 * x**3)
    ours = ACT2FN["gelu_pytorch_tanh"](x)
    for expected in (0.5 * x * (1 + torch.tanh(cube)), ACT2FN["gelu_new"](x)):
        torch.testing.assert_close(ours, expected, rtol=1e-13, atol=1e-14)


@pytest.mark.slow
def test_it_comes_back_from_a_pickle_in_another_process(body: str, tmp_path: Path) -> None:
    model, tokens = draw(body), torch.randint(2, (5, PLACES))
    torch.save(model, tmp_path / "model")
    torch.save((tokens, model(tokens)), tmp_path / "answers")
    code = """
import torch
model, (tokens, answers) = (torch.load(name, weights_only=False) for name in ("model", "answers"))
torch.testing.assert_close(model(tokens), answers)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("trained", ["norms", "positions", "all"])
def test_what_is_trained_is_counted_and_changes_alone(body: str, trained: str) -> None:
    plan = plan_of(body, trained=trained)
    model = draw(body, trained=trained)
    width, vocabulary = WIDTH, 2
    ends = vocabulary * width + width * vocabulary + vocabulary
    norms = 2 * width * (2 * LAYERS + 1)
    counts = {
        "norms": ends + norms,
        "positions": ends + norms + model.config.places * width,
        "all": sum(p.numel() for p in model.parameters()),
    }
    assert sizes_of(model)["trained_parameters"] == counts[trained]

    before = {name: weight.clone() for name, weight in plan.draw().state_dict().items()}
    after = train(plan, device="cpu").model.state_dict()
    moved = {name for name in before if not torch.equal(before[name], after[name])}
    may = {name for name, p in model.named_parameters() if p.requires_grad}
    assert moved <= may
    assert {"embedding.weight", "answer.weight", "body.ln_f.weight"} <= moved
    assert ("body.wpe.weight" in moved) == (trained != "norms")
    assert ("body.h.0.mlp.c_fc.weight" in moved) == (trained == "all")


def test_random_bodies_are_those_of_their_seed(body: str) -> None:
    first, again, other = (
        draw(body, weights="random", seed=seed).state_dict() for seed in (1, 1, 2)
    )
    assert all(torch.equal(first[name], again[name]) for name in first)
    weight = "body.h.0.mlp.c_fc.weight"
    assert not torch.equal(first[weight], other[weight])
    assert not torch.equal(first[weight], draw(body).state_dict()[weight])


def test_weights_are_drawn_as_gpt2s_are() -> None:
    shape: dict[str, Any] = {
        "n_positions": 64,
        "n_embd": 128,
        "n_layer": 8,
        "n_head": 2,
        "vocab_size": 99,
    }
    model = GPT2LMHeadModel(GPT2Config(bos_token_id=None, eos_token_id=None, **shape))
    draw_gpt2(model, 8, torch.Generator().manual_seed(0))
    state = model.transformer.state_dict()
    assert state["wpe.weight"].std().item() == pytest.approx(0.02, rel=0.05)
    assert state["h.3.mlp.c_fc.weight"].std().item() == pytest.approx(0.02, rel=0.02)
    assert state["h.3.mlp.c_proj.weight"].std().item() == pytest.approx(0.02 / 4, rel=0.02)
    assert (state["h.3.ln_1.weight"] == 1).all()
    assert all((state[name] == 0).all() for name in state if name.endswith("bias"))


def test_completing_with_a_cache_is_completing_without(
    body: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = draw(body)
    prefix = torch.randint(2, (7, 6), generator=torch.Generator().manual_seed(1))
    words = prefix
    for _ in range(9):
        words = torch.cat([words, model(words)[:, -1].argmax(dim=1, keepdim=True)], dim=1)
    assert torch.equal(model.complete(prefix, 9), words)
    monkeypatch.setattr("lengthwise.text.models.gpt2._WORDS_AT_ONCE", 2)
    assert torch.equal(model.complete(prefix, 9), words)
    assert torch.equal(model.complete(prefix, 0), prefix)


def test_a_run_says_which_weights_it_began_with(body: str, tmp_path: Path) -> None:
    digest = hashlib.sha256((Path(body) / "model.safetensors").read_bytes()).hexdigest()[:12]
    for number, (settings, told) in enumerate(
        (({}, f"sha256 {digest}"), ({"weights": "random"}, "random"))
    ):
        plan = plan_of(body, steps=2, validate_every=2, **settings)
        run = train(plan, out=tmp_path / str(number), device="cpu")
        assert run.folder is not None
        assert run.folder.config()["environment"]["body"] == told


def test_a_run_comes_back_without_its_body(body: str, tmp_path: Path) -> None:
    run = train(plan_of(body), out=tmp_path / "run", device="cpu")
    again = load_run(tmp_path / "run", device="cpu")
    inputs = torch.tensor([[0, 1, 1, 0, 0, 1]])
    assert torch.equal(run.model(inputs), again.model(inputs))
    assert not isinstance(again.plan, Compiled)
    loaded = STEP_MODELS["gpt2"].build(again.plan.network)
    loaded.load_state_dict(again.model.state_dict())
    assert torch.equal(loaded.eval()(inputs), run.model(inputs))


def test_an_interrupted_run_ends_with_the_same_weights(body: str, tmp_path: Path) -> None:
    plan = plan_of(body)

    class Stop:
        def update(self, step: int, record: Any) -> None:
            if step == 4:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(plan, out=tmp_path / "run", device="cpu", progress=Stop())
    ended = train(plan, out=tmp_path / "run", device="cpu").model.state_dict()
    whole = train(plan, device="cpu").model.state_dict()
    assert all(torch.equal(ended[name], whole[name]) for name in whole)


def test_words_that_are_too_long_are_refused(body: str) -> None:
    model = draw(body)
    with pytest.raises(WordError, match=f"at most {PLACES} symbols, but the words have 25"):
        model(torch.zeros(1, PLACES + 1, dtype=torch.long))
    with pytest.raises(WordError, match="have 25 to read"):
        model.complete(torch.zeros(1, 6, dtype=torch.long), 20)
    with pytest.raises(WordError, match="the prefix is empty"):
        model.complete(torch.zeros(1, 0, dtype=torch.long), 2)
    with pytest.raises(WordError, match="steps=-1"):
        model.complete(torch.zeros(1, 3, dtype=torch.long), -1)
    with pytest.raises(ConfigError, match=f"has {PLACES} places, but the task needs 31"):
        plan_of(body, bits=8)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"body": ""}, "needs a body: a folder, or a name on the hub"),
        ({"body": 3}, "needs a body"),
        ({"body": "EMPTY"}, "holds no config.json"),
        ({"body": "./nowhere"}, "is not a folder"),
        ({"body": "python-smal"}, "Did you mean 'python-small'"),
        ({"body": "OTHER"}, "is a bert, but only gpt2"),
        ({"body": "BROKEN"}, "cannot be loaded"),
        ({"body": "NUMBER"}, "cannot be loaded"),
        ({"body": "FOREIGN"}, "cannot be loaded"),
        ({"d_model": 4}, "'d_model' is a setting of step-decoder"),
        ({"weights": "none"}, "one of 'pretrained', 'random'"),
    ],
)
def test_a_wrong_body_is_told(
    body: str, tmp_path: Path, settings: dict[str, Any], message: str
) -> None:
    contents = {
        "EMPTY": None,
        "OTHER": '{"model_type": "bert"}',
        "BROKEN": "{",
        "NUMBER": "3",
        "FOREIGN": '{"model_type": "foo", "auto_map": {"AutoConfig": "code.Code"}}',
    }
    for name, content in contents.items():
        (tmp_path / name).mkdir()
        if content:
            (tmp_path / name / "config.json").write_text(content)
    if settings.get("body") in contents:
        settings = {"body": str(tmp_path / settings["body"])}
    with pytest.raises(ConfigError, match=message):
        plan_of(**{"body": body, **settings})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_layer": 3}, "lacks weights, such as 'h.2"),
        ({"n_embd": 16}, r"cannot be loaded|lacks weights"),
        ({"n_embd": "x"}, "cannot be loaded"),
        ({"n_embd": None}, "cannot be loaded"),
        ({"layer_norm_epsilon": "a"}, "cannot be loaded"),
        ({"activation_function": 3}, "cannot be loaded"),
        ({"n_head": 3}, "cannot be split over its 3 heads"),
        ({"activation_function": "foo"}, "activation 'foo', which"),
        ({"scale_attn_by_inverse_layer_idx": True}, "unlike a plain GPT-2"),
        ({"add_cross_attention": True}, "unlike a plain GPT-2"),
    ],
)
def test_bodies_that_are_not_what_they_say_are_refused(
    body: str,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    change: dict[str, Any],
    message: str,
) -> None:
    path = tmp_path / "body"
    shutil.copytree(body, path)
    stored = json.loads((path / "config.json").read_text())
    (path / "config.json").write_text(json.dumps({**stored, **change}))
    logger = logging.getLogger("transformers")
    logger.addHandler(caplog.handler)
    try:
        with pytest.raises(ConfigError, match=message):
            draw(str(path))
    finally:
        logger.removeHandler(caplog.handler)
    assert not caplog.records


def test_weights_that_are_pickled_are_not_loaded(body: str, tmp_path: Path) -> None:
    path = tmp_path / "body"
    shutil.copytree(body, path)
    torch.save(load_file(path / "model.safetensors"), path / "pytorch_model.bin")
    (path / "model.safetensors").unlink()
    with pytest.raises(ConfigError, match="cannot be loaded"):
        draw(str(path))


def test_damaged_weights_are_told(body: str, tmp_path: Path) -> None:
    path = tmp_path / "body"
    shutil.copytree(body, path)
    weights = path / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:100])
    with pytest.raises(ConfigError, match="cannot be loaded"):
        draw(str(path))
