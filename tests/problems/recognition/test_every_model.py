"""Every model of the catalogue is trained by the one loop, goes on after a stop, and can learn."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from drawn_layers import one_layer
from lengthwise.errors import ConfigError, LengthwiseError, RunError, WordError
from lengthwise.evaluation.evaluate import evaluate_words
from lengthwise.languages.spec import parse
from lengthwise.models.recognisers import MODELS
from lengthwise.models.scratchpad import Scratchpad
from lengthwise.objectives.catalogue import objectives_of
from lengthwise.objectives.node import NodeLoss
from lengthwise.objectives.prefix import PrefixLoss
from lengthwise.objectives.states import StateLoss
from lengthwise.objectives.words import WordLengths
from lengthwise.problems.base import Plan
from lengthwise.problems.planning import make_plan, plan_from_dict
from lengthwise.problems.presets import PRESETS
from lengthwise.problems.recognition.problem import usual_lengths
from lengthwise.problems.runs import load_run, train
from lengthwise.training.devices import processor

ROOM = "network.max_length"
SMALL = {"steps": 9, "validate_every": 3, "batch_size": 8, "validation_words": 16, "patience": 0}
names = pytest.mark.parametrize("name", one_layer(MODELS))
others = sorted(set(MODELS) - {"regular-gpt", "regular-gpt-binary"})
without_codes = [name for name in others if "codebook" not in objectives_of(MODELS[name])]


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


@pytest.mark.slow_except(
    "gru-binary-codebook",
    "gru-final",
    "lstm-prefix",
    "regular-gpt-slots-maps",
    "relu-binary-codebook",
)
@pytest.mark.parametrize(
    ("name", "supervision"),
    [
        *((n, s) for n in others for s in objectives_of(MODELS[n])),
        ("regular-gpt-binary", "composition"),
    ],
)
def test_stopped_training_goes_on_to_the_same_weights(
    tmp_path: Path, name: str, supervision: str
) -> None:
    plan = plan_for(name, objective=supervision, max_length=12)
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
        weights(train(plan_for(name, objective=supervision, max_length=12, seed=1)).model),
        weights(run.model),
    )


drawing = [name for name in others if "position" in plan_for(name).network.to_dict()]


@pytest.mark.slow_except(
    "randomised-sinusoidal-decoder",
)
@pytest.mark.parametrize("name", drawing)
@pytest.mark.parametrize("position", ["randomised-learned", "randomised-sinusoidal"])
def test_a_seed_decides_which_positions_are_drawn(tmp_path: Path, name: str, position: str) -> None:
    """The state of the world does not count, and neither does a stop in between."""
    plan = plan_for(name, position=position, max_length=12)
    found = []
    for world in (1, 2):
        torch.manual_seed(world)
        found.append(weights(train(plan).model))
    with pytest.raises(KeyboardInterrupt):
        train(plan, out=tmp_path / "broken", progress=StopAt(5))
    torch.manual_seed(3)
    found.append(weights(train(plan, out=tmp_path / "broken").model))
    assert torch.equal(found[0], found[1])
    assert torch.equal(found[0], found[2])


@pytest.mark.slow_except("gru", "regular-gpt-slots")
@names
def test_a_few_steps_lower_the_loss(name: str) -> None:
    """On the first symbol of short words, which every model can read."""
    faster = {
        **{"steps": 60, "learning_rate": 3e-3, "schedule": "constant", "max_length": 3},
        **{"batch_size": 64, "d_model": 32, "objective": "final"},
    }
    losses: list[float] = []
    if "final" not in objectives_of(MODELS[name]):
        del faster["objective"]

    class Watch:
        def update(self, step: int, record: Mapping[str, Any]) -> None:
            losses.append(record["loss"])

    if "position" in plan_for(name).network.to_dict():
        faster["position"] = "sinusoidal"
    train(plan_for(name, "first", **faster), progress=Watch())
    assert sum(losses[-6:]) < 0.8 * sum(losses[:6])


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("lstm", {"d_model": 32, "objective": "prefix"}),
        pytest.param("elman", {"d_model": 64, "learning_rate": 3e-3}, marks=pytest.mark.slow),
        pytest.param("gru", {"d_model": 24, "learning_rate": 5e-3}, marks=pytest.mark.slow),
        pytest.param(
            "scratchpad",
            {"d_model": 32, "num_layers": 1, "learning_rate": 3e-3},
            marks=pytest.mark.slow,
        ),
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


@pytest.mark.slow
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
    assert plan_from_dict(plan.to_dict()) == plan


def test_paper_sizes_are_those_of_the_models_own_papers() -> None:
    def shape(name: str, preset: str) -> tuple[Any, ...]:
        network = make_plan(parse("tomita-3"), name, preset=preset).network.to_dict()
        return tuple(network.get(k) for k in ("d_model", "num_heads", "num_layers", "d_hidden"))

    for preset in ("laptop", "paper"):
        assert shape("encoder-cls", preset) == (16, 2, 2, 64)
        assert shape("decoder", preset) == (64, 8, 5, 0)
        for name in ("elman", "gru", "lstm"):
            assert shape(name, preset) == (256, None, 1, None)
    assert shape("chomsky-transformer", "laptop") == (64, 8, 5, 256)
    assert shape("chomsky-transformer", "paper") == (256, 8, 5, 1024)
    assert shape("lstm", "smoke") == (16, None, 1, None)


@pytest.mark.parametrize("name", drawing)
def test_a_learned_position_is_trained_or_is_not_there(name: str) -> None:
    """So no word is answered from vectors as they were drawn."""
    plan = plan_for(name, position="learned", min_length=12, max_length=12)
    models = plan.draw(), train(plan).model
    before, after = (model.state_dict()["position.vectors"] for model in models)
    assert len(after) == (24 if name == "scratchpad" else 13)
    assert (before != after).any(dim=1).all()


def test_words_past_the_learned_positions_are_refused(tmp_path: Path) -> None:
    plan = plan_for("encoder-cls", position="learned", max_length=12)
    run = train(plan, out=tmp_path / "run")
    evaluate_words(run.model, run.task, [12], words_per_length=2)
    with pytest.raises(WordError, match=r"at most 13 places, but a word needs 14\. Give sh"):
        evaluate_words(run.model, run.task, [13], words_per_length=2)


@pytest.mark.parametrize("position", ["learned", "randomised-learned", "randomised-sinusoidal"])
def test_room_for_longer_words_can_be_asked_for(position: str) -> None:
    def longest(max_length: int, **more: Any) -> int:
        plan = plan_for("decoder", position=position, max_length=max_length, **more)
        assert plan.network.max_length >= plan.data.max_length
        return plan.network.max_length

    usual = (12, 2000) if position == "learned" else (1024, 2000)
    assert (longest(12), longest(2000)) == usual
    assert (longest(12, **{ROOM: 12}), longest(12, **{ROOM: 3000})) == (12, 3000)


def test_room_is_for_positions_that_end_and_for_all_words_of_training() -> None:
    at_least = "network.max_length=11 is shorter than the words of training, data.max_length=12."
    assert at_least in refuse("encoder-cls", position="learned", max_length=12, **{ROOM: 11})
    assert "must be an integer" in refuse("decoder", **{ROOM: True})
    assert "position='alibi' has no end. Leave it out." in refuse("scratchpad", **{ROOM: 90})


@pytest.mark.parametrize("position", ["none", "sinusoidal", "fraction", "transformer-xl"])
def test_positions_without_an_end_are_told_of_as_many_places_as_ever(position: str) -> None:
    """The networks of stored runs, and their digests, are those of today."""
    assert plan_for("decoder", position=position, max_length=12).network.max_length == 1024
    assert plan_for("decoder", position=position, max_length=2000).network.max_length == 2000


def test_runs_with_more_learned_positions_than_were_trained_still_load(tmp_path: Path) -> None:
    """They were made before tables ended with the words of training."""
    plan = plan_for("decoder", max_length=12)
    old = replace(plan, network=replace(plan.network, max_length=1024))
    folder = tmp_path / "run"
    train(old, out=folder)
    run = load_run(folder)
    assert run.plan == old
    evaluate_words(run.model, run.task, [60], words_per_length=2)
    with pytest.raises(RunError):  # it is another network
        train(plan, out=folder)


def test_the_transformer_of_table_1_is_that_of_the_study() -> None:
    """Transformer-XL positions, norm after each branch, and the answer read past the end."""
    network = make_plan(parse("parity"), "chomsky-transformer").network
    assert (network.position, network.norm, network.cls) == ("transformer-xl", "post", "last")
    assert (network.initial, network.scale) == ("haiku", "standard")


def test_the_scratchpad_is_told_of_the_states_of_the_smallest_automaton() -> None:
    network = make_plan(parse("tomita-3"), "scratchpad").network
    machine = parse("tomita-3").minimise()
    assert network.state_classes == tuple(machine.classes)
    with_domain = parse("modular-arithmetic")
    assert with_domain.num_classes in make_plan(with_domain, "scratchpad").network.state_classes


def test_states_are_those_that_the_automaton_passes() -> None:
    """The loss by hand, from words and states one at a time."""
    plan = plan_for("scratchpad", "tomita-3", batch_size=3, max_length=5)
    model = train(plan).model
    assert isinstance(model, Scratchpad)
    model.train()

    step = StateLoss(plan.task, plan.data).step(
        model, torch.Generator().manual_seed(3), torch.Generator()
    )

    data = torch.Generator().manual_seed(3)
    length = WordLengths(plan.task, plan.data).draw(1, data)
    batch = plan.task.draw(length.expand(3).clone(), data)
    machine = parse("tomita-3").minimise()
    surprises = []
    for word in batch.tokens.tolist():
        states = [machine.start]
        for symbol in word:
            states.append(machine.transitions[states[-1]][symbol])
        pad, start = [], 2 + machine.num_states
        for symbol, state in zip(word, states[1:], strict=True):
            pad += [symbol, 2 + state]
        vectors = model.vectors(torch.tensor([[start, *pad]]))
        logits = model.answer(vectors)[0].log_softmax(dim=1)
        for place, state in zip([0, *range(1, len(pad), 2)], states, strict=True):
            surprises.append(-logits[place, state].item())
    assert step.loss.item() == pytest.approx(sum(surprises) / len(surprises), rel=1e-4)


def refuse(name: str, **settings: Any) -> str:
    with pytest.raises(LengthwiseError) as caught:
        make_plan(parse("parity"), name, settings=settings)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "supervision"),
    [
        (name, supervision)
        for name in others
        for supervision in ("node", "transition", "composition", "codebook")
        if supervision not in objectives_of(MODELS[name])
    ],
)
def test_what_needs_sub_words_is_refused(name: str, supervision: str) -> None:
    message = refuse(name, objective=supervision)
    assert message.startswith(f"objective={supervision!r} is not for {name}, which learns from")
    assert "regular-gpt or regular-gpt-binary" in message


@pytest.mark.parametrize(
    ("name", "setting"),
    [
        (name, setting)
        for name in without_codes
        for setting in ("num_bits", "noise", "chunk_size")
        if setting not in MODELS[name].config.__slots__
    ],
)
def test_settings_of_other_models_are_named(name: str, setting: str) -> None:
    assert refuse(name, **{setting: 1}).startswith(f"{setting!r} is a setting of ")


@pytest.mark.parametrize("setting", ["code_consistency", "margin", "replay"])
@pytest.mark.parametrize("name", ["gru", "encoder-cls", "regular-gpt-slots"])
def test_settings_of_other_objectives_are_refused_with_their_owner(name: str, setting: str) -> None:
    message = refuse(name, **{setting: 1})
    assert message.startswith(f"{setting} is a setting of objective composition")
    assert message.endswith(f"learns from {MODELS[name].objective!r}. Leave it out.")


def test_a_former_name_of_a_setting_of_other_models_is_unknown() -> None:
    message = refuse("elman", longest_word=1)
    assert message.startswith("unknown setting 'longest_word'")
    assert " longest_word," not in message


def test_the_name_of_a_recurrent_model_decides_its_cell() -> None:
    assert refuse("gru", cell="lstm").startswith("unknown setting 'cell'")


def test_a_network_past_any_memory_is_refused_by_its_own_settings() -> None:
    plan = make_plan(parse("parity"), "lstm", settings={"d_model": 100_000})
    with pytest.raises(ConfigError, match=r"Lower d_model=100000\.$"):
        train(plan)


def test_objectives_refuse_models_that_they_cannot_teach() -> None:
    """For whoever puts a model and an objective together by hand."""
    plan = plan_for("encoder-cls")
    model = MODELS["encoder-cls"].build(plan.network)
    generator = torch.Generator()
    with pytest.raises(ConfigError, match=r"Encoder answers at the end .* objective='final'"):
        PrefixLoss(plan.task, plan.data).step(model, generator, generator)
    with pytest.raises(ConfigError, match=r"Encoder writes no states down, .* Use 'final'"):
        StateLoss(plan.task, plan.data).step(model, generator, generator)
    nodes = NodeLoss(plan.task, plan.data, None)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match=r"Encoder has no vectors of sub-words"):
        nodes.step(model, generator, generator)


def test_a_run_is_usually_tested_past_training_as_far_as_it_reads() -> None:
    def lengths(model: str, **settings: Any) -> str:
        return usual_lengths(make_plan(parse("parity"), model, settings=settings))

    assert lengths("regular-gpt") == lengths("elman") == lengths("chomsky-transformer") == "41:500"
    assert lengths("decoder") == "1:40"  # its positions are learned
    assert lengths("decoder", position="alibi") == "41:500"
    assert lengths("decoder", **{ROOM: 60}) == "41:60"
    assert lengths("encoder-cls", position="learned", **{ROOM: 900}) == "41:500"
    assert lengths("regular-gpt", max_length=12) == "13:500"
    assert lengths("regular-gpt", max_length=400) == "401:800"
    assert lengths("decoder", max_length=60, **{ROOM: 90}) == "61:90"


@pytest.mark.parametrize(
    ("facts", "name"),
    [("processor\t: 0\nmodel name\t: Zuse Z3 \nmodel name\t: other\n", "Zuse Z3"), (None, "z80")],
)
def test_results_name_the_processor_or_at_least_its_architecture(
    facts: str | None, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(path: Path, **_: Any) -> str:
        assert str(path) == "/proc/cpuinfo"
        if facts is None:
            raise FileNotFoundError
        return facts

    monkeypatch.setattr(Path, "read_text", read)
    monkeypatch.setattr("platform.machine", lambda: "z80")
    assert processor() == name
