"""Planted faults in recurrences: none makes a snapped network right that is not.

The oracle knows no state: it asks the snapped network words, and follows its definition, step by
step, from the network itself.
"""

import random
from collections import Counter
from dataclasses import dataclass

import pytest
import torch
from torch import Tensor, nn

import lengthwise as lw
from lengthwise.errors import VerificationError
from lengthwise.models.stepping import Steps
from lengthwise.proofs.search.exploration import decide
from lengthwise.proofs.search.state_snapping import snap_states
from lengthwise.proofs.search.state_tables import tabulate_states
from lengthwise.tasks.task import Task

LANGUAGES = [lw.language(spec) for spec in ("parity", "tomita-3", "regex:(0|1)*11", "count:1:3:01")]
FEW, MANY = 6, 1_000
VERDICTS = {"equivalent", "counterexample", "refused", "not closed"}
KINDS = ("off by a state", "a tie", "wrong beyond", "not a number", "wrong class", "none")


@dataclass(frozen=True)
class Fault:
    """One fault: its kind, the step that it is in, and how many of a count come before it."""

    kind: str
    state: int
    symbol: int
    other: int
    after: int


class Faulty(nn.Module):
    """The automaton of a language as points on a line, with noise, a counter, and one fault.

    The state is a number near that of the automaton's state, and a count of how often words came
    through the faulty step.
    """

    def __init__(self, language: lw.Language, fault: Fault, noise: float) -> None:
        super().__init__()
        self.table = torch.tensor(language.transitions)
        self.answers = torch.tensor(language.classes)
        self.classes, self.begin = language.num_classes, language.start
        self.fault, self.noise = fault, noise

    def start(self) -> tuple[Tensor, Tensor]:
        state = torch.tensor([[float(self.begin), 0.0]])
        return self.read(state), state

    def step(self, state: Tensor, symbols: Tensor) -> tuple[Tensor, Tensor]:
        at = state[:, 0].round().long().clamp(0, len(self.table) - 1)
        after = self.table[at, symbols].to(state.dtype)
        fault = self.fault
        here = (at == fault.state) & (symbols == fault.symbol)
        count = state[:, 1] + (here & (state[:, 1] < fault.after)).to(state.dtype)
        due = here & (count >= fault.after)
        if fault.kind == "off by a state":
            after = torch.where(due, torch.full_like(after, fault.other), after)
        elif fault.kind == "a tie":
            after = torch.where(due, (after + fault.other) / 2, after)
        elif fault.kind == "not a number":
            after = torch.where(due, torch.nan, after)
        wobble = self.noise * torch.sin(40 * state[:, 0] + symbols)
        after = torch.stack([after + wobble, count], dim=1)
        logits = self.read(after)
        if fault.kind in ("wrong class", "wrong beyond"):
            logits = torch.where(due[:, None], logits.roll(1, dims=1), logits)
        return logits, after

    def read(self, state: Tensor) -> Tensor:
        at = state[:, 0].nan_to_num(0.0).round().long().clamp(0, len(self.table) - 1)
        return 2.0 * nn.functional.one_hot(self.answers[at], self.classes).to(state.dtype)


def draw(choose: random.Random) -> tuple[lw.Language, Fault]:
    language = choose.choice(LANGUAGES)
    states = language.num_states
    kind = choose.choice(KINDS)
    after = choose.choice([1, 1, 2, 5]) if kind != "wrong beyond" else choose.choice([300, 1_001])
    if kind == "none":
        after = 2**20
    fault = Fault(
        kind, choose.randrange(states), choose.randrange(2), choose.randrange(states), after
    )
    return language, fault


def by_definition(steps: Steps, points: Tensor, word: list[int]) -> int:
    """The class of a word by the network itself, snapped after every symbol."""
    logits, state = steps.start()
    for symbol in word:
        logits, state = steps.step(state, torch.tensor([symbol]))
        state = points[int((points.double() - state.double()).norm(dim=1).argmin())][None]
    return int(logits.argmax())


def decide_faulty(seed: int) -> str:
    """Snap a faulty network in both ways, and compare every verdict with words."""
    choose = random.Random(seed)
    language, fault = draw(choose)
    steps = Steps(
        Faulty(language, fault, choose.choice([0.0, 0.05, 0.2])),
        num_symbols=2,
        num_classes=language.num_classes,
        name="Faulty",
    )
    task, generator = Task(language=language), torch.Generator().manual_seed(seed)
    words = task.draw_mixed(24, 8, generator)
    try:
        found = snap_states(steps, language, words, max_representatives=12, seconds=60)
    except VerificationError as error:
        return "refused" if "not finite" in str(error) else f"refused: {error}"
    if found.snapped is None:
        return "not closed"
    points = found.snapped.snaps.representatives
    asked = [[choose.randrange(2) for _ in range(choose.randrange(30))] for _ in range(4)]
    machine = found.snapped.automaton(language)
    for word in asked:
        assert by_definition(steps, points, word) == machine.classify(word)
    own = tabulate_states(steps, points, 0.0)
    if found.verdict == "equivalent":
        assert machine.difference(language) is None
        assert all(by_definition(steps, points, w) == language.classify(w) for w in asked)
        assert decide(own, language).is_closed
    else:
        assert found.wrong is not None
        assert by_definition(steps, points, list(found.wrong)) != language.classify(found.wrong)
    return found.verdict


def test_no_planted_fault_is_called_right() -> None:
    found = Counter(map(decide_faulty, range(FEW)))
    assert set(found) <= VERDICTS
    assert 0 < found["equivalent"] < FEW


@pytest.mark.slow
def test_none_of_many_planted_faults_is_called_right() -> None:
    found = Counter(map(decide_faulty, range(FEW, FEW + MANY)))
    print(f"\n{dict(found)}")
    assert set(found) <= VERDICTS
    assert found["counterexample"] > 50
    assert found["refused"] > 20
