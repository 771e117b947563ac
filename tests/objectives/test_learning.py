"""Terms of the loss beside plain definitions, and that learning leaves the network as it was."""

from collections.abc import Mapping
from typing import Any
from unittest.mock import patch

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

import lengthwise as lw
from lengthwise.errors import ConfigError
from lengthwise.languages.spec import parse
from lengthwise.layers.chunks import ABSENT
from lengthwise.models.binary_recurrent import BinaryRecurrent
from lengthwise.models.regular_gpt import RegularGPT
from lengthwise.objectives.curriculum import Curriculum
from lengthwise.objectives.fresh_words import FreshWords, OperatorsFirst
from lengthwise.objectives.learning import (
    Labels,
    Regularised,
    Seen,
    associativity,
    closure,
    commitment,
    identity,
    observe,
)
from lengthwise.problems.planning import make_plan
from lengthwise.proofs.search.integrity import require_plain
from lengthwise.tasks.task import Batch, Task

SMALL: dict[str, Any] = {
    "objective": "final",
    "curriculum": 3,
    "d_model": 16,
    "num_bits": 6,
    "max_length": 9,
    "batch_size": 16,
    "validation_words": 64,
}


def draw(model: str, **more: Any) -> tuple[nn.Module, Any]:
    plan = make_plan("d-2", model, settings={**SMALL, **more})
    return plan.draw().train(), plan


def tree(chunk_size: int = 2, **more: Any) -> RegularGPT:
    model, _ = draw("regular-gpt-binary", chunk_size=chunk_size, num_heads=2, **more)
    assert isinstance(model, RegularGPT)
    return model


def words(length: int = 7, seed: int = 0, spec: str = "d-2") -> Batch:
    task = Task(language=parse(spec), protocol="audited")
    lengths = torch.full((12,), length)
    return task.draw(lengths, torch.Generator().manual_seed(seed))


def record_seen(model: RegularGPT | BinaryRecurrent, batch: Batch) -> Seen:
    with observe(model.memory) as seen:
        model(batch.tokens, batch.lengths, generator=torch.Generator().manual_seed(1))
    return seen


def noise(seed: int = 5) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


# ---- terms ---------------------------------------------------------------------------------------


def product(model: RegularGPT, left: Tensor | None, right: Tensor) -> Tensor:
    """The product of two nodes, by the block itself, one pair at a time."""
    absent = [ABSENT] * (model.config.chunk_size - (1 if left is None else 2))
    below = right[None] if left is None else torch.stack([left, right])
    children = torch.tensor([[*absent, *range(len(below))]])
    return model.compose(below, children)[0]


@settings(max_examples=6)
@given(chunk_size=st.sampled_from([2, 3]), length=st.integers(1, 9), seed=st.integers(0, 999))
def test_terms_of_trees_are_means_over_products_of_two(
    chunk_size: int, length: int, seed: int
) -> None:
    model = tree(chunk_size, noise=0.0)
    seen = record_seen(model, words(length, seed))
    nodes = torch.cat(seen.vectors)
    with torch.no_grad(), patch("lengthwise.objectives.learning._SAMPLE", 5):
        found = associativity(model, seen, noise()), identity(model, seen, noise())
        triples = torch.randint(len(nodes), (3, 5), generator=noise())
        differences = []
        for a, b, c in nodes[triples].unbind(dim=1):
            left = product(model, product(model, a, b), c)
            differences.append(left - product(model, a, product(model, b, c)))
        alone = nodes[torch.randint(len(nodes), (5,), generator=noise())]
        moved = torch.stack([product(model, None, x) - x for x in alone])
    torch.testing.assert_close(found[0], torch.stack(differences).square().mean())
    torch.testing.assert_close(found[1], moved.square().mean())
    assert found[0] > 0


@settings(max_examples=6)
@given(
    chunk_size=st.sampled_from([2, 3]),
    length=st.integers(2, 20),
    seed=st.integers(0, 999),
    heeded=st.sampled_from([1.0, 5.0]),
)
def test_closure_is_the_distance_from_lower_nodes(
    chunk_size: int, length: int, seed: int, heeded: float
) -> None:
    model = tree(chunk_size, noise=0.0)
    seen = record_seen(model, words(length, seed))
    levels = seen.vectors
    lower = levels[: (len(levels) + 1) // 2]
    below = [node for level in lower for node in level]
    above = [node for level in levels[len(lower) :] for node in level]
    nodes = torch.cat(levels)
    with (
        torch.no_grad(),
        patch("lengthwise.objectives.learning._SAMPLE", 5),
        patch("lengthwise.objectives.learning._NEAR", heeded),
    ):
        found = closure(model, seen, noise())
        draw = noise()
        asked = [
            product(model, nodes[a], nodes[b])
            for a, b in torch.randint(len(nodes), (2, 5), generator=draw).T
        ]
        if above:
            asked += [above[i] for i in torch.randint(len(above), (5,), generator=draw)]
        mean = torch.stack(below).mean(dim=0)
        spread = sum(float((y - mean) @ (y - mean)) for y in below) / len(below)
        least = [min(float((x - y) @ (x - y)) for y in below) / max(spread, 1e-9) for x in asked]
    expected = sum(each for each in least if each < heeded) / len(least)
    assert found.item() == pytest.approx(expected, rel=1e-3, abs=1e-6)


def test_closure_draws_upper_nodes_and_leaves_lower_ones() -> None:
    model = tree(noise=0.0)
    seen = record_seen(model, words(16))
    leaves = [level.detach().requires_grad_() for level in seen.vectors]
    with torch.no_grad():  # nearer than is heeded
        for low, high in zip(leaves[:2], leaves[2:], strict=False):
            high.copy_(low[torch.zeros(len(high), dtype=torch.int64)] + 0.01)
    closure(model, Seen(leaves), noise()).backward()  # type: ignore[no-untyped-call]
    assert leaves[-1].grad is not None
    assert leaves[-1].grad.abs().sum() > 0


def test_a_term_begins_after_its_batches() -> None:
    model = tree(noise=0.0)
    late = Regularised({"identity": 3.0}, bits="straight-through", anneal=0, after={"identity": 2})
    soon = Regularised({"identity": 3.0}, bits="straight-through", anneal=0)
    plain = Labels().step(model, words(), noise()).loss
    found = [late.step(model, words(), noise()).loss for _ in range(3)]
    torch.testing.assert_close(found[0], plain)
    torch.testing.assert_close(found[1], plain)
    torch.testing.assert_close(found[2], soon.step(model, words(), noise()).loss)
    again = Regularised({"identity": 3.0}, bits="straight-through", anneal=0, after={"identity": 2})
    again.restore({"batches": torch.tensor(2)})
    torch.testing.assert_close(again.step(model, words(), noise()).loss, found[2])


@pytest.mark.parametrize("spec", ["parity", "cycle-navigation", "tomita-5"])
def test_terms_vanish_where_products_are_exact(spec: str) -> None:
    """Computed weights compose state maps, and their pad is the identity."""
    model = lw.compile(spec).model
    assert isinstance(model, RegularGPT)
    with torch.no_grad():
        seen = record_seen(model, words(9, spec=spec))
        assert associativity(model, seen, noise()) == 0
        assert identity(model, seen, noise()) == 0
        long = record_seen(model, words(64, spec=spec))
        assert closure(model, long, noise()) == 0
        with_faults = Seen([each + torch.rand(each.shape) for each in seen.vectors])
        assert associativity(model, with_faults, noise()) > 0
        assert closure(model, with_faults, noise()) > 0


@pytest.mark.parametrize("model", ["gru-binary", "regular-gpt-binary"])
def test_commitment_is_about_all_numbers_before_signs(model: str) -> None:
    more = {"num_heads": 2} if model.startswith("regular") else {}
    network, _ = draw(model, noise=0.0, **more)
    assert isinstance(network, RegularGPT | BinaryRecurrent)
    batch = words(1, spec="parity")
    seen = record_seen(network, batch)
    numbers = []
    if isinstance(network, BinaryRecurrent):
        start = network.first()
        numbers.append(network.memory.numbers(network.start[None]))
        for symbol in batch.tokens[:, 0]:
            after = network.cell(start, symbol[None])
            numbers.append(network.memory.numbers(after))
    else:
        for symbol in sorted(set(batch.tokens[:, 0].tolist())):
            children = torch.tensor([[ABSENT, symbol]])
            gathered = network.gather(network.leaf(torch.arange(2)), children)
            numbers.append(network.memory.numbers(gathered))  # type: ignore[operator]
    found = commitment(network, seen, noise())
    expected = [(x - (1 if x >= 0 else -1)) ** 2 for x in torch.cat(numbers).flatten().tolist()]
    assert found.item() == pytest.approx(sum(expected) / len(expected), rel=1e-4)


# ---- learning ------------------------------------------------------------------------------------


def test_without_terms_the_loss_is_that_of_the_labels() -> None:
    model, _ = draw("gru-binary", noise=0.5)
    learning = Regularised({"commitment": 0.0}, bits="straight-through", anneal=0)
    found = learning.step(model, words(), noise())
    torch.testing.assert_close(found.loss, Labels().step(model, words(), noise()).loss)


def test_terms_are_added_by_weight() -> None:
    model = tree(noise=0.0)
    draw = noise()
    plain = Labels().step(model, words(), draw).loss
    seen = record_seen(model, words())
    weights = {"associativity": 2.0, "identity": 3.0}
    found = Regularised(weights, bits="straight-through", anneal=0).step(model, words(), noise())
    more = 2 * associativity(model, seen, draw) + 3 * identity(model, seen, draw)
    torch.testing.assert_close(found.loss, plain + more)
    found.loss.backward()  # type: ignore[no-untyped-call]
    assert model.pad.grad is not None


@pytest.mark.parametrize("bits", ["straight-through", "soft", "quantised"])
def test_a_network_is_left_as_its_settings_say(bits: str) -> None:
    """Proofs refuse others; and the noise falls to nothing, batch by batch."""
    model, _ = draw("gru-binary", noise=0.5)
    assert isinstance(model, BinaryRecurrent)
    levels: list[float] = []
    learning = Regularised({"commitment": 1.0}, bits=bits, anneal=4)
    for _ in range(6):
        hook = model.memory.write.register_forward_hook(
            lambda *given: levels.append(model.memory.noise)
        )
        learning.step(model, words(), noise())
        hook.remove()
        require_plain(model)
        assert model.memory.noise == 0.5
    assert sorted(set(levels), reverse=True) == [0.5, 0.375, 0.25, 0.125, 0.0]
    assert levels == sorted(levels, reverse=True)
    again = Regularised({}, bits=bits, anneal=4)
    again.restore({"longest": torch.tensor(3), **learning.tensors()})
    assert again.tensors() == {"batches": torch.tensor(6)}


def test_a_curriculum_keeps_the_state_of_learning() -> None:
    model, plan = draw("gru-binary", anneal=100, noise=0.5)
    objective = plan.problem.objective(plan)
    for _ in range(3):
        objective.step(model, noise(), noise())
    state: Mapping[str, Tensor] = objective.tensors()
    assert state["batches"] == 3
    _, other = draw("gru-binary", anneal=100, noise=0.5)
    resumed = other.problem.objective(other)
    resumed.restore(state)
    one, two = (each.step(model, noise(), noise()).loss for each in (objective, resumed))
    assert torch.equal(one, two)


# ---- order ---------------------------------------------------------------------------------------


@given(size=st.integers(1, 9), longest=st.integers(1, 8), seed=st.integers(0, 999))
def test_half_of_the_words_have_the_fewest_different_symbols(
    size: int, longest: int, seed: int
) -> None:
    language = parse("cycle-navigation")
    _, plan = draw("gru-binary")
    fresh = FreshWords(Task(language=language, protocol="audited"), plan.data)
    found = OperatorsFirst(fresh, size, language.num_symbols).step(longest, noise(seed))
    rest = size - size // 2
    whole = fresh.of_one_length(longest, rest + 4 * (size // 2), noise(seed))
    rows = list(zip(whole.tokens.tolist(), whole.classes.tolist(), strict=True))
    ranked = sorted(rows[rest:], key=lambda row: len(set(row[0])))
    expected = [*rows[:rest], *ranked[: size // 2]]
    assert list(zip(found.tokens.tolist(), found.classes.tolist(), strict=True)) == expected
    assert len(found.lengths) == size


def test_words_are_as_they_are_drawn_once_they_have_grown() -> None:
    _, plan = draw("gru-binary")
    fresh = FreshWords(Task(language=parse("parity"), protocol="audited"), plan.data)
    few = OperatorsFirst(fresh, plan.data.batch_size, 2)
    assert torch.equal(few.step(9, noise()).tokens, fresh.step(9, noise()).tokens)
    assert torch.equal(few.review(5, noise()).tokens, fresh.review(5, noise()).tokens)
    assert torch.equal(few.validation(9, noise()).tokens, fresh.validation(9, noise()).tokens)


# ---- settings ------------------------------------------------------------------------------------


def refuse(model: str, **asked: Any) -> str:
    with pytest.raises(ConfigError) as caught:
        make_plan("parity", model, settings=asked)
    return str(caught.value)


def test_settings_of_learning_are_refused_where_nothing_uses_them() -> None:
    assert refuse("gru-binary", bits="soft").startswith("bits is a setting of objective final")
    assert refuse("regular-gpt", anneal=5) == "anneal=5 is for binary memory. Leave it out."
    said = "identity is a setting of objective final"
    assert refuse("regular-gpt-binary", identity=1.0).startswith(said)
    assert refuse("gru", anneal=5).startswith("'anneal' is a setting of")
    assert refuse("gru-binary", associativity=1.0).startswith("'associativity' is a setting of")
    assert "associativity" in refuse("regular-gpt", associativity=-1.0)
    assert "Set closure" in refuse("regular-gpt", closure_after=5)
    assert "Set consensus" in refuse("regular-gpt", consensus_after=5)
    for steps in (7, 8):
        late = refuse("regular-gpt", consensus=1.0, consensus_after=8, steps=steps)
        assert "so consensus would never count" in late
    make_plan("parity", "regular-gpt", settings={"closure": 1.0, "closure_after": 8, "steps": 9})
    assert "Set curriculum=3" in refuse("gru", order="operators-first")


def test_terms_without_a_curriculum_see_all_lengths() -> None:
    plan = make_plan("parity", "regular-gpt", settings={"identity": 1.0})
    objective = plan.problem.objective(plan)
    assert isinstance(objective, Curriculum)
    assert objective.tensors()["longest"] == plan.data.max_length
