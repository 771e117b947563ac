"""The choice of representatives: what closes, what validates, and what is refused."""

import math
from typing import Any

import pytest
import torch
from torch import Tensor

import lengthwise as lw
from lengthwise.errors import VerificationError
from lengthwise.models.custom_network import with_lengths
from lengthwise.models.stepping import Steps, steps_of
from lengthwise.proofs.search import state_snapping
from lengthwise.proofs.search.state_snapping import StateSnapping, snap_states
from lengthwise.proofs.search.state_tables import Domain
from lengthwise.tasks.task import Batch, Task
from models.recurrences import CountedParity
from proofs.snapped import parity_network

PARITY = lw.language("parity")


class Wobbly(CountedParity):
    """Parity that drifts: the state comes back near 0 and 1, and its error grows with the word."""

    def __init__(self, drift: float) -> None:
        super().__init__()
        self.drift = drift

    def step(self, state: Tensor, symbols: Tensor) -> tuple[Tensor, Tensor]:
        parity = (state[:, :1] - symbols[:, None]).abs()
        after = torch.cat([(parity - 0.5) * (1 - self.drift) + 0.5, 0 * parity], dim=1)
        return self.read(after) * 1.0, after


def validation(longest: int = 12) -> Batch:
    return Task(language=PARITY).draw_mixed(200, longest, torch.Generator().manual_seed(0))


def snapped(network: CountedParity, words: Batch | None = None, **options: Any) -> StateSnapping:
    steps = steps_of(with_lengths(network), 2, 2)
    return snap_states(steps, PARITY, validation() if words is None else words, **options)


@pytest.mark.parametrize("choose", ["proof", "validation"])
def test_a_drifting_state_is_right_for_ever_once_it_is_snapped(choose: Any) -> None:
    found = snapped(Wobbly(0.05), choose=choose)
    assert found.verdict == "equivalent"
    assert found.chosen_by == choose
    assert found.snapped is not None
    assert found.representatives == len(set(found.snapped.snaps.of_element.tolist()))
    assert found.snapped.automaton(PARITY).difference(PARITY) is None
    assert found.summary()["levels_tried"][-1]["verdict"] == "equivalent"
    assert found.validation_right == found.validation_words == 200


def test_representatives_do_not_see_the_classes() -> None:
    words = validation()
    turned = Batch(tokens=words.tokens, lengths=words.lengths, classes=1 - words.classes)
    first, second = (snapped(Wobbly(0.05), batch, choose="validation") for batch in (words, turned))
    pairs = zip(first.tried, second.tried, strict=False)
    assert all(a.representatives == b.representatives for a, b in pairs)


def test_what_is_right_to_a_thousand_symbols_only_is_refuted_or_snapped_to_something_else() -> None:
    network = CountedParity(turns_at=1_001)
    found = snapped(network, validation(20), max_representatives=100)
    assert found.snapped is not None
    machine = found.snapped.automaton(PARITY)
    assert (found.verdict == "equivalent") == (machine.difference(PARITY) is None)
    if found.wrong is not None:
        assert machine.classify(found.wrong) != PARITY.classify(found.wrong)


class Rare(Wobbly):
    """Not a number once the state is nearer to the middle than words of 30 symbols lead it."""

    def step(self, state: Tensor, symbols: Tensor) -> tuple[Tensor, Tensor]:
        logits, after = super().step(state, symbols)
        return logits, after / ((after[:, :1] - 0.5).abs() > 0.5 * 0.98**30)


def test_a_validation_word_whose_state_is_not_a_number_is_named() -> None:
    with pytest.raises(VerificationError, match=r"not finite after '[01]{31}'"):
        snapped(Rare(0.02), validation(40))


def test_a_state_that_only_snapped_words_lead_to_is_looked_at() -> None:
    network = Rare(0.02)
    steps = steps_of(with_lengths(network), 2, 2)
    assert snapped(network, validation(5)).verdict == "equivalent"  # far from the fault
    with pytest.raises(VerificationError, match=r"not finite after the symbols \[.*snapped"):
        state_snapping._images(steps, 1e-4, 100, math.inf, Domain.any(2))


def test_a_snapping_that_never_closes_stops_at_its_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    found = snapped(Wobbly(0.05), max_representatives=1)
    assert found.snapped is None
    assert found.verdict == "not-closed"
    assert "at most 1 representatives" in found.reason
    found = snapped(Wobbly(0.05), seconds=0.0)
    assert (found.verdict, len(found.tried)) == ("not-closed", 1)
    assert "the budget of 0 s is spent" in found.reason


def test_a_network_that_is_wrong_is_refuted_once_snapped() -> None:
    class Wrong(Wobbly):
        def read(self, state: Tensor) -> Tensor:
            return -super().read(state)

    found = snapped(Wrong(0.05))
    assert found.verdict == "counterexample"
    assert found.wrong == ()
    assert found.chosen_by == "validation"


def test_levels_are_fixed_by_the_states_alone() -> None:
    steps: Steps = steps_of(with_lengths(Wobbly(0.05)), 2, 2)
    first, second = (snap_states(steps, PARITY, validation()).tried for _ in range(2))
    assert first == second
    (radius, way), *levels = state_snapping._levels(3.0)
    assert (radius, way) == (0.0, "continuations")
    radii = [radius for radius, _ in levels]
    assert radii == sorted(radii, reverse=True)
    assert len(radii) == 2 * len(state_snapping._SHARES) == 32


@pytest.mark.parametrize("radius", [0.05, 0.4, 1.5])
@pytest.mark.parametrize("most", [20, 1_000])
def test_means_are_those_of_clusters_that_are_found_state_by_state(
    radius: float, most: int
) -> None:
    generator = torch.Generator().manual_seed(0)
    states, start = torch.randn(150, 2, generator=generator), torch.zeros(1, 2)
    leaders, members = [start[0].tolist()], [list[list[float]]()]
    for state in states.tolist():
        away = [math.dist(state, leader) for leader in leaders]
        if min(away) > radius:
            leaders.append(state)
            members.append([state])
        else:
            members[away.index(min(away))].append(state)
    found = state_snapping._means(start, states, radius, most)
    if len(leaders) > most:
        assert found is None
        return
    assert found is not None
    means = torch.stack([torch.tensor(cluster).mean(dim=0) for cluster in members if cluster])
    assert torch.allclose(found[1:], means, atol=1e-6)


def test_the_automaton_of_a_recurrence_is_that_of_its_snapped_network() -> None:
    found = lw.extract(parity_network(), language=PARITY)
    assert found.automaton.difference(PARITY) is None
    assert not found.is_exact
    assert lw.predict(found.snap(), ["1" * 3_001], language=PARITY) == ["1"]
