"""Training by composition: what it teaches is true, and what it calls proved is proved."""

import dataclasses
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import lengthwise as lw
from lengthwise.errors import ConfigError
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from lengthwise.layers.memory import BinaryMemory
from lengthwise.models.regular_gpt import RegularGPT
from lengthwise.objectives import composition as module
from lengthwise.objectives.composition import CompositionLoss, Replay, replay_of
from lengthwise.problems.base import Plan
from lengthwise.problems.planning import make_plan, plan_from_dict
from lengthwise.problems.runs import train
from lengthwise.proofs.search.binary_algebra import BinaryAlgebra
from lengthwise.proofs.search.certify import certify
from lengthwise.proofs.search.closure import explore
from lengthwise.proofs.search.network import node_of
from lengthwise.tasks.state_maps import state_maps
from lengthwise.training.loop import Step, Validation, fit
from lengthwise.training.settings import TrainingConfig
from proofs.trained import ENDS_WITH_1, SMALL, last_symbol, random_model, train_proved

Word = tuple[int, ...]
Map = tuple[int, ...]


def plan_for(spec: str = "parity", **settings: Any) -> Plan:
    return make_plan(parse(spec), settings={**SMALL, **settings})


def weights(model: nn.Module) -> torch.Tensor:
    return torch.cat([p.detach().flatten() for p in model.parameters()])


def mute(spec: str) -> Language:
    """All words of the domain have class 0: no answer is wrong, and yet sub-words differ."""
    inside = parse(spec)
    return Language(
        alphabet=inside.alphabet,
        transitions=((0,) * inside.num_symbols,),
        classes=(0,),
        domain=inside,
    )


def make_untaught(language: Language, seed: int, **values: Any) -> RegularGPT:
    """A model that answers 0 to all, with codes that mean nothing."""
    model = random_model(language, seed, **{"num_bits": 3, **values})
    with torch.no_grad():
        model.answer.weight.zero_()
        model.answer.bias.copy_(torch.tensor([1.0, 0.0]))
    return model


# ---- replay ----------------------------------------------------------------------------------


class Trees:
    """All sub-words of few levels, as codes and as what they do: nothing is explored."""

    def __init__(self, model: RegularGPT, language: Language, levels: int) -> None:
        self.model, self.machine = model, language.total().minimise()
        assert isinstance(model.memory, BinaryMemory)
        self.memory = model.memory
        chunk = model.config.chunk_size
        symbols = range(language.num_symbols)
        self.interior: list[dict[Map, set[tuple[bool, ...]]]] = []
        known: set[tuple[tuple[bool, ...], Map]] = set()
        words: list[Word] = list(product(symbols, repeat=chunk))
        leaves = model.leaf(torch.arange(language.num_symbols))
        codes = self._codes(leaves, torch.tensor(words))
        known = {(c, self._map(w)) for c, w in zip(codes, words, strict=True)}
        shorter: list[Word] = [w for n in range(1, chunk + 1) for w in product(symbols, repeat=n)]
        padded = torch.tensor([[-1] * (chunk - len(w)) + list(w) for w in shorter])
        edge = {
            (c, self.machine.run(w))
            for c, w in zip(self._codes(leaves, padded), shorter, strict=True)
        }
        self.chunks: dict[bool, dict[tuple[tuple[bool, ...], ...], set[Any]]] = {
            False: {},
            True: {},
        }
        for _ in range(levels - 1):
            inner, outer = sorted(known), sorted(edge)
            for parts in product(inner, repeat=chunk):
                key = tuple(code for code, _ in parts)
                map_ = tuple(range(self.machine.num_states))
                for _, later in parts:
                    map_ = tuple(later[s] for s in map_)
                self.chunks[False].setdefault(key, set()).add(map_)
            for used in range(1, chunk + 1):
                for (code, state), rest in product(outer, product(inner, repeat=used - 1)):
                    key = (code, *(c for c, _ in rest))
                    after = state
                    for _, later in rest:
                        after = later[after]
                    self.chunks[True].setdefault(key, set()).add(after)
            known |= set(self._above(False, inner, chunk))
            edge |= set(self._above(True, inner, chunk))

    def _map(self, word: Word) -> Map:
        return tuple(self.machine.run(word, s) for s in range(self.machine.num_states))

    @torch.no_grad()
    def _codes(self, below: torch.Tensor, children: torch.Tensor) -> list[tuple[bool, ...]]:
        return [tuple(c) for c in self.memory.code(self.model.gather(below, children)).tolist()]

    @torch.no_grad()
    def _above(self, at_edge: bool, inner: Any, chunk_size: int) -> Iterator[Any]:
        keys = list(self.chunks[at_edge])
        codes = sorted({code for key in keys for code in key})
        number = {code: index for index, code in enumerate(codes)}
        signs = torch.where(torch.tensor(codes), 1.0, -1.0)
        below = self.memory.norm(self.memory.read(signs))
        rows = [[-1] * (chunk_size - len(key)) + [number[c] for c in key] for key in keys]
        for key, code in zip(keys, self._codes(below, torch.tensor(rows)), strict=True):
            for meaning in self.chunks[at_edge][key]:
                yield code, meaning


def replay_for(
    model: RegularGPT, language: Language, most: int = 512
) -> tuple[Replay, BinaryAlgebra, Any]:
    algebra = BinaryAlgebra(node_of(model))
    closure = explore(algebra, language, max_chunks=100_000)
    return replay_of(closure, algebra, state_maps(language), most), algebra, closure


@pytest.mark.slow_except("tomita-6")
@pytest.mark.parametrize("spec", ["parity", "tomita-3", "tomita-5", "tomita-6"])
def test_every_replayed_chunk_is_true_of_a_sub_word_with_those_codes(spec: str) -> None:
    """Models that know nothing, so that codes stand for several things at once."""
    language = mute(spec)
    start = language.total().minimise().start
    told = at_edge = 0
    for seed in range(12):
        model = make_untaught(language, seed)
        replay, algebra, closure = replay_for(model, language)
        assert torch.equal(replay.codes, torch.from_numpy(algebra.codes))
        trees = Trees(model, language, min(4, len(closure.levels)))
        for children, map_, edge, is_labelled in zip(
            replay.children.tolist(),
            replay.maps.tolist(),
            replay.at_edge.tolist(),
            replay.is_labelled.tolist(),
            strict=True,
        ):
            present = [child for child in children if child >= 0]
            assert children == [-1] * (len(children) - len(present)) + present
            if not is_labelled:
                continue
            key = tuple(tuple(replay.codes[child].tolist()) for child in present)
            told += 1
            at_edge += edge
            meanings = trees.chunks[edge][key]
            assert (map_[start] if edge else tuple(map_)) in meanings
    assert told > 10
    assert at_edge > 0


@pytest.mark.parametrize("spec", ["parity", "tomita-5"])
def test_what_is_taught_is_ambiguous_or_unsure(spec: str) -> None:
    """A told chunk becomes a code that stands for something else, too, seen before or beside."""
    language, found = mute(spec), 0
    for seed in range(8):
        replay, algebra, closure = replay_for(model := make_untaught(language, seed), language)
        if not replay.is_labelled.any():
            continue
        found += 1
        assert replay.length >= model.config.chunk_size**2
        rows = replay.children[replay.is_labelled].numpy()
        elements = algebra.compose(1, rows, edge=True)
        for element, map_, edge in zip(
            elements.tolist(),
            replay.maps[replay.is_labelled].tolist(),
            replay.at_edge[replay.is_labelled].tolist(),
            strict=True,
        ):
            meanings = set()
            for level in closure.levels[2:]:
                pairs = level.edge if edge else level.interior
                meanings |= {
                    s for e, s in zip(pairs.elements, pairs.states, strict=True) if e == element
                }
            assert len(meanings) > 1, map_
    assert found > 2


def test_a_proved_model_has_nothing_to_learn_and_most_is_a_bound(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    run = train_proved(tmp_path_factory, "parity")
    assert isinstance(run.model, RegularGPT)
    replay, _, _ = replay_for(run.model, run.language)
    assert len(replay.maps) == len(replay.children) == 0
    assert replay.length == 0
    language = mute("tomita-5")
    model = make_untaught(language, 0)
    everything, _, _ = replay_for(model, language)
    assert len(everything.maps) > 3
    few, _, _ = replay_for(model, language, most=3)
    assert len(few.maps) == len(few.children) == len(few.is_labelled) == len(few.at_edge) == 3
    assert len(replay_for(model, language, most=0)[0].maps) == 0


def test_unsure_chunks_are_not_told_what_they_do() -> None:
    """A bit that is always near 0 makes every chunk of codes unsure."""
    language = mute("parity")
    model = make_untaught(language, 0)
    memory = model.memory
    assert isinstance(memory, BinaryMemory)
    with torch.no_grad():
        memory.write.weight[0] = 0.0
        memory.write.bias[0] = 0.0
    replay, algebra, _ = replay_for(model, language)
    unsure = replay.children[~replay.is_labelled]
    assert len(unsure) > 0
    assert {tuple(row) for row in unsure.tolist()} <= {tuple(r) for r in algebra.unsure.tolist()}


# ---- training --------------------------------------------------------------------------------


def test_loss_falls_on_what_is_labelled_and_its_gradient_reaches_all_weights() -> None:
    plan = plan_for("tomita-5", validate_every=10, steps=10)
    model = train(plan).model.train()
    goal = CompositionLoss(plan.task, plan.data, plan.objective, state_maps(plan.task.language))

    def generator() -> torch.Generator:
        return torch.Generator().manual_seed(3)

    step = goal.step(model, generator(), generator())
    maps = state_maps(plan.task.language)
    other = CompositionLoss(plan.task, plan.data, plan.objective, maps)
    again = other.step(model, generator(), generator())
    assert step.loss.item() == again.loss.item()
    assert 0 <= step.accuracy <= 1
    step.loss.backward()  # type: ignore[no-untyped-call]
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.abs().sum() > 0, name


class StopError(Exception):
    """Stands for a kill."""


STOPPED = make_plan(
    mute("tomita-5"), settings={**SMALL, "validate_every": 20, "steps": 60, "patience": 0}
)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that nothing has stopped."""
    folder = tmp_path_factory.mktemp("runs") / "whole"
    train(STOPPED, out=folder, device="cpu")
    return folder


@pytest.mark.slow_except("21")
@pytest.mark.parametrize("stop_at", [1, 21, 53])
def test_stopped_run_ends_with_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole: Path, stop_at: int
) -> None:
    """Replay is no part of the checkpoint, and yet the resumed run has the same."""
    told: list[int] = []
    step = CompositionLoss.step
    count = 0

    def stopping(self: CompositionLoss, *arguments: Any) -> Step:
        nonlocal count
        count += 1
        if count == stop_at:
            raise StopError
        result = step(self, *arguments)
        assert self._replay is not None
        told.append(len(self._replay.maps))
        return result

    monkeypatch.setattr(CompositionLoss, "step", stopping)
    with pytest.raises(StopError):
        train(STOPPED, out=tmp_path / "broken", device="cpu")
    train(STOPPED, out=tmp_path / "broken", device="cpu")
    assert max(told) > 0  # otherwise nothing was at stake
    for name in ("model.safetensors", "config.json"):
        assert (tmp_path / "broken" / name).read_bytes() == (whole / name).read_bytes()


@pytest.mark.parametrize("spec", ["parity", "tomita-5"])
def test_what_training_calls_proved_is_proved(
    spec: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    run = train_proved(tmp_path_factory, spec)
    last = run.metrics[-1]
    assert last["perfect"]
    assert last["proved"]
    assert last["right_to"] is None
    made = certify(run.model, run.language)
    assert made.verdict == "equivalent"
    assert made.margins is not None
    assert made.margins.is_certain
    assert not any(record["perfect"] for record in run.metrics[:-1])


@pytest.mark.slow
def test_perfect_is_what_exploration_proves_not_what_words_show(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """At every validation of a run: perfect exactly if the model as it is then is certified."""
    verdicts: list[tuple[bool, str]] = []
    validate = CompositionLoss.validate
    language = parse("parity")

    def watch(self: CompositionLoss, model: nn.Module, data: torch.Generator) -> Validation:
        result = validate(self, model, data)
        verdicts.append((result.perfect, certify(model, language).verdict))
        return result

    monkeypatch.setattr(CompositionLoss, "validate", watch)
    run = train(plan_for(validate_every=50, patience=2))
    assert verdicts
    for perfect, verdict in verdicts:
        assert perfect == (verdict == "equivalent")
    assert verdicts[-1][0]
    assert certify(run.model, language).verdict == "equivalent"


@pytest.mark.parametrize("why", ["proved", "unsure", "past the bound"])
def test_right_answers_alone_are_not_perfect(monkeypatch: pytest.MonkeyPatch, why: str) -> None:
    """A model that is right on all words is perfect only if that follows."""
    plan = make_plan(ENDS_WITH_1, settings=SMALL)
    goal = CompositionLoss(plan.task, plan.data, plan.objective, state_maps(ENDS_WITH_1))
    model = last_symbol(dead_bits=int(why == "unsure"))
    if why == "past the bound":
        monkeypatch.setattr(module, "_MOST_CHUNKS", 9)
    with torch.no_grad():
        result = goal.validate(model, torch.Generator().manual_seed(0))
    assert result.accuracy == 1.0
    assert result.perfect == result.more["proved"] == (why == "proved")


def test_the_weights_that_were_proved_are_kept_not_those_of_the_smallest_loss() -> None:
    class Scripted:
        """Words look best at the first validation; the proof comes at the second."""

        def __init__(self) -> None:
            self.seen: list[torch.Tensor] = []

        def step(self, model: nn.Module, data: torch.Generator, noise: torch.Generator) -> Step:
            return Step(weights(model).square().sum() + sum_of(model), 0.0, 1)

        def validate(self, model: nn.Module, data: torch.Generator) -> Validation:
            self.seen.append(weights(model).clone())
            loss, accuracy, perfect = [(0.1, 1.0, False), (0.5, 0.99, True), (0.01, 1.0, False)][
                len(self.seen) - 1
            ]
            return Validation(loss, accuracy, perfect)

    def sum_of(model: nn.Module) -> torch.Tensor:
        return torch.stack([p.sum() for p in model.parameters()]).sum()

    model, goal = nn.Linear(2, 2), Scripted()
    fit(model, goal, TrainingConfig(steps=30, validate_every=10, patience=0, learning_rate=0.1))
    assert torch.equal(weights(model), goal.seen[1])


def test_replay_can_be_turned_off() -> None:
    plan = plan_for("tomita-5", replay=False, steps=1)
    goal = CompositionLoss(plan.task, plan.data, plan.objective, state_maps(plan.task.language))
    model = random_model(
        parse("tomita-5"), 0, num_bits=3, transition_size=plan.network.transition_size
    )
    goal.step(model.train(), torch.Generator(), torch.Generator())
    assert goal._replay is not None
    assert len(goal._replay.maps) == 0


@pytest.mark.parametrize(
    "settings", [{"memory": "continuous"}, {"memory": "continuous", "num_layers": 2}]
)
def test_continuous_memory_is_refused(settings: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="binary"):
        lw.train("parity", objective="composition", out=tmp_path / "a", **settings)
    with pytest.raises(ConfigError, match="binary"):
        lw.train("parity", "regular-gpt", objective="composition", out=tmp_path / "b")


def test_what_is_explored_in_training_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Past the bound nothing is proved, and training goes on."""
    monkeypatch.setattr(module, "_MOST_CHUNKS", 9)
    run = train(plan_for(steps=20, validate_every=10))
    assert not any(record["perfect"] for record in run.metrics)


def test_settings_of_replay_are_part_of_the_plan() -> None:
    plan = plan_for(replay=False, code_consistency=0.5, margin=0.0)
    again = plan_from_dict(plan.to_dict())
    assert again == plan
    assert dataclasses.replace(plan.objective, code_consistency=1.0) != plan.objective
    with pytest.raises(ConfigError, match="code_consistency"):
        plan_for(code_consistency=-1.0)
