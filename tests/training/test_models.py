"""Every model of the catalogue is trained by the one loop, goes on after a stop, and can learn."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import torch

from lengthwise.errors import ConfigError, LengthwiseError, WordError
from lengthwise.evaluation.evaluate import evaluate
from lengthwise.languages.spec import parse
from lengthwise.models.catalogue import MODELS
from lengthwise.training.presets import PRESETS
from lengthwise.training.recognition import Nodes, Prefix
from lengthwise.training.train import Plan, load_run, make_plan, train

SMALL = {"steps": 9, "validate_every": 3, "batch_size": 8, "validation_words": 16, "patience": 0}
names = pytest.mark.parametrize("name", sorted(MODELS))
others = sorted(set(MODELS) - {"regular-gpt", "regular-gpt-binary"})


def plan_for(name: str, spec: str = "tomita-3", **settings: Any) -> Plan:
    return make_plan(parse(spec), name, preset="smoke", settings={**SMALL, **settings})


def weights(model: torch.nn.Module) -> torch.Tensor:
    return torch.cat([p.detach().flatten() for p in model.parameters()])


class StopAt:
    """Ctrl-C after some step."""

    def __init__(self, step: int) -> None:
        self.step = step

    def update(self, step: int, record: Mapping[str, Any]) -> None:
        if step == self.step:
            raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("name", "supervision"), [(n, s) for n in others for s in MODELS[n].supervisions]
)
def test_stopped_training_goes_on_to_the_same_weights(
    tmp_path: Path, name: str, supervision: str
) -> None:
    plan = plan_for(name, supervision=supervision, max_length=12)
    whole = train(plan, out=tmp_path / "whole")
    for step in (2, 3, 7):  # before and at the first checkpoint, and after the second
        with pytest.raises(KeyboardInterrupt):
            train(plan, out=tmp_path / "broken", progress=StopAt(step))

    run = train(plan, out=tmp_path / "broken")

    assert torch.equal(weights(run.model), weights(whole.model))
    assert run.plan == plan
    assert load_run(tmp_path / "broken").plan == plan
    assert [record["step"] for record in run.metrics] == [3, 6, 9]
    for file in ("model.safetensors", "config.json"):
        one, other = (tmp_path / folder / file for folder in ("whole", "broken"))
        assert one.read_bytes() == other.read_bytes()
    assert torch.equal(weights(train(plan).model), weights(run.model))
    assert not torch.equal(
        weights(train(plan_for(name, supervision=supervision, max_length=12, seed=1)).model),
        weights(run.model),
    )


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("elman", {"d_model": 64, "learning_rate": 3e-3}),
        ("gru", {"d_model": 24, "learning_rate": 5e-3}),
        ("lstm", {"d_model": 32, "supervision": "prefix"}),
    ],
)
def test_parity_is_learned_and_carried_further(name: str, settings: dict[str, Any]) -> None:
    plan = make_plan(
        parse("parity"),
        name,
        settings={"max_length": 8, "steps": 1500, "validate_every": 100, **settings},
    )
    run = train(plan)
    assert run.metrics[-1]["perfect"]
    words = torch.randint(2, (256, 24), generator=torch.Generator().manual_seed(5))
    assert (run.model(words).argmax(dim=1) == words.sum(dim=1) % 2).double().mean() > 0.95


def test_first_is_learned_by_the_encoder_with_its_positions() -> None:
    """Chiang and Cholak's language and encoding; the class of a word is its first symbol."""
    settings = {
        **{"position": "first", "max_length": 10, "steps": 1500, "validate_every": 100},
        **{"learning_rate": 3e-3, "patience": 1},
    }
    run = train(make_plan(parse("first"), "encoder-cls", settings=settings))
    assert run.metrics[-1]["perfect"]


@names
@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_presets_have_numbers_for_every_model(name: str, preset: str) -> None:
    plan = make_plan(parse("tomita-3"), name, preset=preset)
    assert plan.network.vocab_size == 2
    assert "transition_size" not in plan.network.to_dict() or name.startswith("regular-gpt")
    assert Plan.from_dict(plan.to_dict()) == plan


def test_paper_sizes_are_those_of_the_models_own_papers() -> None:
    def shape(name: str, preset: str) -> tuple[Any, ...]:
        network = make_plan(parse("tomita-3"), name, preset=preset).network.to_dict()
        return tuple(network.get(k) for k in ("d_model", "num_heads", "num_layers", "d_hidden"))

    for preset in ("laptop", "paper"):
        assert shape("encoder-cls", preset) == (16, 2, 2, 64)
        for name in ("elman", "gru", "lstm"):
            assert shape(name, preset) == (256, None, 1, None)
    assert shape("lstm", "smoke") == (16, None, 1, None)


def test_learned_positions_cover_the_words_of_training(tmp_path: Path) -> None:
    plan = plan_for("encoder-cls", position="learned", max_length=12)
    assert plan.network.max_length == 1024
    longer = plan_for("encoder-cls", position="learned", max_length=2000)
    assert longer.network.max_length == 2000
    run = train(plan, out=tmp_path / "run")
    with pytest.raises(WordError, match="at most 1025 places, but a word needs 1501"):
        evaluate(run.model, run.task, [1500], words_per_length=2)


def refused(name: str, **settings: Any) -> str:
    with pytest.raises(LengthwiseError) as caught:
        make_plan(parse("parity"), name, settings=settings)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("name", others)
@pytest.mark.parametrize("supervision", ["node", "transition", "composition"])
def test_what_needs_sub_words_is_refused(name: str, supervision: str) -> None:
    message = refused(name, supervision=supervision)
    assert message.startswith(f"supervision={supervision!r} is not for {name}, which learns from")
    assert "regular-gpt or regular-gpt-binary" in message


@pytest.mark.parametrize("name", others)
@pytest.mark.parametrize("setting", ["num_bits", "noise", "pull", "margin", "lessons", "chunk"])
def test_settings_of_other_models_are_unknown(name: str, setting: str) -> None:
    assert refused(name, **{setting: 1}).startswith(f"unknown setting {setting!r}")


def test_the_name_of_a_recurrent_model_decides_its_cell() -> None:
    assert refused("gru", cell="lstm").startswith("unknown setting 'cell'")


def test_a_network_past_any_memory_is_refused_by_its_own_settings() -> None:
    plan = make_plan(parse("parity"), "lstm", settings={"d_model": 100_000})
    with pytest.raises(ConfigError, match=r"Lower d_model=100000 or num_layers=1\.$"):
        train(plan)


def test_objectives_refuse_models_that_they_cannot_teach() -> None:
    """For whoever puts a model and an objective together by hand."""
    plan = plan_for("encoder-cls")
    model = MODELS["encoder-cls"].build(plan.network)
    generator = torch.Generator()
    with pytest.raises(ConfigError, match=r"Encoder answers at the end .* Use 'final'"):
        Prefix(plan.task, plan.recognition).step(model, generator, generator)
    nodes = Nodes(plan.task, plan.recognition, None)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match=r"Encoder has no vectors of sub-words"):
        nodes.step(model, generator, generator)
