"""From a language to a trained model and back: plans, objectives, runs."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from lengthwise.errors import ConfigError, LengthwiseError, RunError
from lengthwise.languages.spec import parse
from lengthwise.layers.chunks import grow
from lengthwise.objectives.final import FinalLoss
from lengthwise.problems.base import Plan
from lengthwise.problems.planning import make_plan
from lengthwise.problems.runs import load_run, train
from lengthwise.tasks.state_maps import IGNORED, StateMaps
from lengthwise.training.loop import Step

SMALL = {"steps": 6, "validate_every": 3, "batch_size": 8, "validation_words": 16}


def plan_for(spec: str = "parity", model: str = "regular-gpt-binary", **settings: Any) -> Plan:
    return make_plan(parse(spec), model, preset="smoke", settings={**SMALL, **settings})


def weights(model: torch.nn.Module) -> torch.Tensor:
    return torch.cat([p.detach().flatten() for p in model.parameters()])


@pytest.mark.slow_except("node-regular-gpt", "node-regular-gpt-binary", "prefix-regular-gpt")
@pytest.mark.parametrize("model", ["regular-gpt", "regular-gpt-binary"])
@pytest.mark.parametrize("supervision", ["final", "prefix", "node", "transition"])
def test_every_supervision_trains_every_model_and_reloads(
    tmp_path: Path, model: str, supervision: str
) -> None:
    plan = plan_for("tomita-3", model, objective=supervision, max_length=12)

    run = train(plan, out=tmp_path / "run")

    loaded = load_run(tmp_path / "run")
    assert loaded.plan == plan
    assert torch.equal(weights(run.model), weights(loaded.model))
    again = train(plan, out=tmp_path / "run")
    assert torch.equal(weights(run.model), weights(again.model))
    fresh = train(plan)
    assert torch.equal(weights(run.model), weights(fresh.model))


@pytest.mark.parametrize("spec", ["parity", "modular-arithmetic", "d-3", "group:S3", "tomita-6"])
def test_state_maps_follow_each_sub_word(spec: str) -> None:
    """The maps of all nodes, against reading their sub-words symbol by symbol."""
    language = parse(spec)
    maps = StateMaps(language)
    machine = maps.machine
    generator = torch.Generator().manual_seed(0)
    tokens = torch.randint(language.num_symbols, (6, 13), generator=generator)
    tree = grow(tokens, None, language.num_symbols, 3)
    alive = machine.reaching(lambda c: c < language.num_classes)
    words: list[list[int]] = [[a] for a in range(language.num_symbols)]
    for level, found in zip(
        tree.levels, maps.of_levels([level.children for level in tree.levels]), strict=True
    ):
        words = [[s for c in row if c >= 0 for s in words[c]] for row in level.children.tolist()]
        classes, transitions = maps.classes(found), maps.transitions(found)
        for node, word in enumerate(words):
            reached = [machine.run(word, state) for state in range(machine.num_states)]
            assert found[node].tolist() == reached
            c = machine.classes[reached[machine.start]]
            assert classes[node] == (c if c < language.num_classes else IGNORED)
            for probe, target in zip(maps.probes, transitions[node].tolist(), strict=True):
                end = reached[probe]
                assert target == (end if end in alive else IGNORED)
    assert [words[i] for i in tree.root.tolist()] == tokens.tolist()


@pytest.mark.parametrize(("spec", "most"), [("parity", 1), ("d-12", 13), ("group:S5", 1)])
def test_probes_tell_all_monoid_elements_apart(spec: str, most: int) -> None:
    maps = StateMaps(parse(spec))
    seen: set[tuple[int, ...]] = set()
    elements = {tuple(range(maps.machine.num_states))}
    queue = list(elements)
    for element in queue:
        for symbol in range(maps.machine.num_symbols):
            after = tuple(maps.machine.transitions[state][symbol] for state in element)
            if after not in elements:
                elements.add(after)
                queue.append(after)
    seen = {tuple(element[probe] for probe in maps.probes) for element in elements}
    assert len(seen) == len(elements)
    assert maps.probes[0] == maps.machine.start
    assert len(maps.probes) <= most


def test_loss_of_final_supervision_is_the_cross_entropy_by_hand() -> None:
    plan = plan_for(model="regular-gpt", objective="final", batch_size=5)
    model = train(plan).model.train()
    goal = FinalLoss(plan.task, plan.data)

    def generator() -> torch.Generator:
        return torch.Generator().manual_seed(3)

    step: Step = goal.step(model, generator(), generator())

    data = generator()
    lengths = torch.tensor(plan.task.lengths(1, 40))
    length = lengths[torch.randint(len(lengths), (1,), generator=data)]
    batch = plan.task.draw(length.expand(5).clone(), data)
    logits = model(batch.tokens).detach()
    by_hand = sum(
        logits[i].logsumexp(0) - logits[i, batch.classes[i]] for i in range(len(batch.classes))
    )
    assert step.loss.item() == pytest.approx(float(by_hand) / 5, rel=1e-5)
    right = [int(logits[i].argmax() == batch.classes[i]) for i in range(5)]
    assert step.accuracy == pytest.approx(sum(right) / 5)


@pytest.mark.slow
def test_a_trained_model_is_right_on_words_of_its_training_lengths() -> None:
    """Real learning, small: 16 numbers wide, a few hundred steps."""
    plan = make_plan(
        parse("parity"),
        settings={"d_model": 32, "num_heads": 4, "steps": 1500, "max_length": 16, "patience": 1},
    )
    run = train(plan)
    assert run.metrics[-1]["perfect"]
    words = torch.randint(2, (256, 100), generator=torch.Generator().manual_seed(5))
    assert torch.equal(run.model(words).argmax(dim=1), words.sum(dim=1) % 2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"model": "regular-gtp"}, "unknown model 'regular-gtp'. Did you mean 'regular-gpt'"),
        ({"preset": "labtop"}, "unknown preset 'labtop'. Did you mean 'laptop'"),
        ({"settings": {"step": 3}}, "unknown setting 'step'. Did you mean 'steps'"),
        ({"settings": {"vocab_size": 3}}, "unknown setting 'vocab_size'"),
        ({"settings": {"steps": "many"}}, "steps='many' must be an integer"),
        ({"settings": {"objective": "all"}}, "unknown objective 'all'"),
        (
            {"options": {"protocol": "publish"}},
            "unknown protocol 'publish'. Did you mean 'published'",
        ),
    ],
)
def test_names_and_values_that_do_not_fit_are_refused(
    arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(LengthwiseError, match=message):
        make_plan(parse("parity"), **arguments)


def test_prefix_supervision_is_refused_where_prefixes_leave_the_domain() -> None:
    with pytest.raises(ConfigError, match="prefixes of words of modular-arithmetic"):
        train(plan_for("modular-arithmetic", objective="prefix"))


def test_paper_and_laptop_differ_from_smoke_in_numbers_only() -> None:
    plans = [make_plan(parse("parity"), preset=name) for name in ("smoke", "laptop", "paper")]
    assert [plan.network.d_model for plan in plans] == [16, 64, 256]
    assert {plan.objective.name for plan in plans} == {"composition"}
    assert {plan.task.protocol for plan in plans} == {"audited"}
    paper = make_plan(parse("d-12"), "regular-gpt", preset="paper")
    assert (paper.data.max_length, paper.training.schedule) == (80, "constant")
    published = make_plan(parse("parity"), "regular-gpt")
    assert (published.task.protocol, published.objective.name) == ("published", "final")


def test_run_of_other_weights_is_refused(tmp_path: Path) -> None:
    train(plan_for(), out=tmp_path / "a")
    train(plan_for(d_model=32), out=tmp_path / "b")
    (tmp_path / "a" / "model.safetensors").write_bytes(
        (tmp_path / "b" / "model.safetensors").read_bytes()
    )
    with pytest.raises(RunError, match=r"does not fit its config.json"):
        load_run(tmp_path / "a")


def test_language_of_a_run_survives_without_its_source(tmp_path: Path) -> None:
    """A run holds its automaton whole, so that no file or name is needed to use it."""
    source = tmp_path / "machine.att"
    source.write_text("0 1 a\n1 0 a\n1\n")
    language = parse(f"att:{source}")
    train(make_plan(language, preset="smoke", settings=SMALL), out=tmp_path / "run")
    source.unlink()
    assert load_run(tmp_path / "run").language == language


@pytest.mark.parametrize("supervision", ["composition", "codebook"])
def test_codes_need_binary_memory_before_anything_is_written(supervision: str) -> None:
    with pytest.raises(ConfigError, match="the memory is not binary"):
        make_plan(parse("parity"), "regular-gpt", settings={"objective": supervision})


def test_a_folder_from_before_a_setting_came_is_that_of_its_default(tmp_path: Path) -> None:
    plan = make_plan(parse("parity"), preset="smoke", settings={"steps": 2})
    train(plan, out=tmp_path / "run", device="cpu")
    config = tmp_path / "run" / "config.json"
    stored = json.loads(config.read_text())
    del stored["objective"]["margin"]
    config.write_text(json.dumps(stored))
    assert train(plan, out=tmp_path / "run", device="cpu").plan == plan
    other = make_plan(parse("parity"), preset="smoke", settings={"steps": 2, "margin": 0.3})
    with pytest.raises(RunError, match="margin"):
        train(other, out=tmp_path / "run", device="cpu")
