"""Representatives that continuations tell apart: few, closed, and the same by plain reading."""

import math
from itertools import product

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

import lengthwise as lw
from lengthwise.models.custom_network import with_lengths
from lengthwise.models.stepping import Steps, steps_of
from lengthwise.proofs.search.continuations import short_continuations, tell_apart
from lengthwise.proofs.search.exploration import decide
from lengthwise.proofs.search.state_snapping import draw_validation, snap_states
from lengthwise.proofs.search.state_tables import Domain, tabulate_states
from models.recurrences import CountedParity
from ordinary import few
from proofs.snapped import plain_steps, random_network

PARITY = lw.language("parity")


UNIT = 0.5
"""How far the count moves with a symbol; the two parities are 1 apart."""


def steps_of_count(network: CountedParity) -> Steps:
    return steps_of(with_lengths(network), 2, 2)


def find(steps: Steps, words: list[tuple[int, ...]], domain: Domain | None = None) -> Tensor:
    found = tell_apart(steps, words, 200, math.inf, domain or Domain.any(2))
    assert found is not None
    return found


def test_short_continuations_are_all_words_up_to_a_length() -> None:
    assert short_continuations(2) == [w for n in range(1, 5) for w in product(range(2), repeat=n)]
    assert short_continuations(100) == [(symbol,) for symbol in range(100)]


def test_a_direction_that_no_answer_depends_on_needs_no_representatives() -> None:
    steps = steps_of_count(CountedParity(unit=UNIT))  # it counts for ever
    assert len(find(steps, short_continuations(2))) == 2
    found = snap_states(steps, PARITY, draw_validation(PARITY, 12))
    assert (found.verdict, found.representatives, len(found.tried)) == ("equivalent", 2, 1)
    assert "told apart by 30 continuations" in found.describe(PARITY)
    assert found.summary()["levels_tried"][0]["continuations"] == 30


def answers(steps: Steps, state: Tensor, words: list[tuple[int, ...]]) -> list[int]:
    """The answers after continuations, each word alone."""
    found = []
    for word in words:
        after = state
        for symbol in word:
            last, after = steps.step(after, torch.tensor([symbol]))
        found.append(int(last.argmax()))
    return found


@settings(max_examples=few(6))
@given(st.integers(0, 10_000), st.sampled_from(["gru", "lstm", "elman"]))
def test_every_snapped_step_leads_to_a_representative_that_answers_alike(
    seed: int, cell: str
) -> None:
    steps = plain_steps(random_network(cell, 1, 4, seed, torch.float64, num_symbols=2))
    words = short_continuations(2)[:6]
    points = tell_apart(steps, words, 20, math.inf, Domain.any(2))
    if points is None:
        return
    assert torch.equal(points[:1], steps.start()[1])
    queue, own = [0], {0: answers(steps, steps.start()[1], words)}
    for at in queue:
        for symbol in range(2):
            _, state = steps.step(points[at : at + 1], torch.tensor([symbol]))
            told = answers(steps, state, words)
            to = int((points - state).norm(dim=1).argmin())
            if to not in own:
                queue.append(to)
                own[to] = told
            assert own[to] == told
    assert sorted(queue) == list(range(len(points)))


def test_answers_outside_the_domain_tell_nothing_apart() -> None:
    class Noisy(CountedParity):
        """After a zero its answers depend on the count."""

        def step(self, state: Tensor, symbols: Tensor) -> tuple[Tensor, Tensor]:
            logits, after = super().step(state, symbols)
            turned = (symbols == 0) & (after[:, 1] % 1.5 == UNIT)
            return torch.where(turned[:, None], -logits, logits), after

    ones = lw.language("regex:(0|1)*1")
    language = lw.Language(
        alphabet=PARITY.alphabet,
        transitions=PARITY.transitions,
        classes=PARITY.classes,
        start=PARITY.start,
        domain=ones,
    )
    steps, words = steps_of_count(Noisy(unit=UNIT)), short_continuations(2)
    assert tell_apart(steps, words, 20, math.inf, Domain.any(2)) is None
    table = tabulate_states(
        steps, find(steps, words, Domain.of(language)), 0.0, Domain.of(language)
    )
    assert decide(table, language).is_closed


class Clock(nn.Module):
    """Counts ones modulo nine, and answers at nought alone: four symbols tell few counts apart."""

    def start(self) -> tuple[Tensor, Tensor]:
        return self.read(torch.zeros(1, 1)), torch.zeros(1, 1)

    def step(self, state: Tensor, symbols: Tensor) -> tuple[Tensor, Tensor]:
        after = (state + symbols[:, None]) % 9
        return self.read(after), after

    def read(self, state: Tensor) -> Tensor:
        return torch.cat([(state != 0).float(), (state == 0).float()], dim=1)


def test_ends_of_validation_words_tell_apart_what_short_continuations_do_not() -> None:
    language = lw.Language(
        alphabet=("0", "1"),
        transitions=tuple((count, (count + 1) % 9) for count in range(9)),
        classes=(1, *(0,) * 8),
        start=0,
    )
    steps = Steps(Clock(), num_symbols=2, num_classes=2, name="Clock")
    found = snap_states(steps, language, draw_validation(language, 20))
    told = [level.continuations for level in found.tried]
    assert None not in told
    assert told[0] == 30 < max(filter(None, told))
    assert (found.verdict, found.representatives) == ("equivalent", 9)


@pytest.mark.parametrize("most", [1, 2])
def test_too_many_representatives_no_time_and_numbers_that_are_not_finite_end_it(most: int) -> None:
    class Lost(CountedParity):
        def step(self, state: Tensor, symbols: Tensor) -> tuple[Tensor, Tensor]:
            logits, after = super().step(state, symbols)
            return logits, after / (after[:, 1:] < 3 * UNIT)

    words = short_continuations(2)
    steps = steps_of_count(CountedParity(unit=UNIT))
    assert (tell_apart(steps, words, most, math.inf, Domain.any(2)) is None) == (most == 1)
    assert tell_apart(steps, words, 10, 0.0, Domain.any(2)) is None
    lost = Steps(Lost(unit=UNIT), num_symbols=2, num_classes=2, name="Lost")
    assert tell_apart(lost, words, 10, math.inf, Domain.any(2)) is None
