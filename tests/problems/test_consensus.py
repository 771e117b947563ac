"""Products on which associativity agrees: counted one by one, and mended by training."""

from itertools import permutations
from typing import Any
from unittest.mock import patch

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from lengthwise.languages.monoid import syntactic_monoid
from lengthwise.languages.spec import parse
from lengthwise.problems import consensus, learning
from lengthwise.problems.consensus import (
    SAMPLE,
    UNDECIDED,
    Products,
    agreed_products,
    kinds_of,
    nearest,
)
from lengthwise.problems.curriculum import Curriculum
from lengthwise.problems.learning import Consensus, Seen
from lengthwise.problems.runs import make_plan

Table = list[list[int]]


def cyclic(count: int) -> Table:
    return [[(a + b) % count for b in range(count)] for a in range(count)]


def symmetric(degree: int) -> Table:
    members = list(permutations(range(degree)))
    place = {member: number for number, member in enumerate(members)}
    return [[place[tuple(b[i] for i in a)] for b in members] for a in members]


def with_faults(table: Table, share: float, seed: int) -> Table:
    draw = torch.Generator().manual_seed(seed)
    count = len(table)
    entries = torch.tensor(table)
    wrong = torch.rand(count, count, generator=draw) < share
    other = (entries + torch.randint(1, count, (count, count), generator=draw)) % count
    return torch.where(wrong, other, entries).tolist()


def counted(table: Table, a: int, b: int) -> int:
    """The product of a and b that most equations name, counted one by one."""
    kinds = range(len(table))
    votes = [
        sum(table[x][c] == table[a][table[b][c]] for c in kinds)
        + sum(table[other][x] == table[table[other][a]][b] for other in kinds)
        for x in kinds
    ]
    if max(votes) <= len(table):
        return UNDECIDED
    present = table[a][b]
    return present if votes[present] == max(votes) else votes.index(max(votes))


@given(data=st.data(), count=st.integers(1, 5))
def test_products_agreed_on_are_those_of_most_equations(data: st.DataObject, count: int) -> None:
    entry = st.integers(0, count - 1)
    table = data.draw(st.lists(st.lists(entry, min_size=count, max_size=count), min_size=count))
    table = table[:count]
    expected = [[counted(table, a, b) for b in range(count)] for a in range(count)]
    assert agreed_products(torch.tensor(table)).tolist() == expected


@pytest.mark.parametrize("table", [cyclic(30), symmetric(4)], ids=["Z30", "S4"])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_few_faults_are_mended(table: Table, seed: int) -> None:
    faulty = with_faults(table, 0.05, seed)
    assert faulty != table
    assert agreed_products(torch.tensor(faulty)).tolist() == table


@pytest.mark.parametrize("spec", ["tomita-4", "d-3", "regex:(ab)*", "cycle-navigation"])
def test_products_of_a_monoid_stay(spec: str) -> None:
    table = torch.from_numpy(syntactic_monoid(parse(spec)).table).long()
    assert torch.equal(agreed_products(table), table)


def test_kinds_are_groups_of_near_nodes() -> None:
    draw = torch.Generator().manual_seed(3)
    centres = 10 * torch.randn(12, 6, generator=draw)
    kind = torch.cat([torch.arange(12).repeat(5), torch.randint(12, (100,), generator=draw)])
    nodes = centres[kind] + 0.1 * torch.randn(len(kind), 6, generator=draw)
    lonely = torch.full((3, 6), 99.0)
    found = kinds_of(torch.cat([nodes[:30], lonely, nodes[30:]]), torch.tensor(2.0))
    assert found is not None
    means = torch.stack([nodes[kind == each].mean(dim=0) for each in range(12)])
    assert len(found) == 12  # three nodes of their own make none
    torch.testing.assert_close(found[nearest(means, found)], means)
    assert kinds_of(10 * torch.randn(400, 6, generator=draw), torch.tensor(0.1)) is None
    assert kinds_of(lonely, torch.tensor(1.0)) is None


class Entries:
    """A composition by a table of vectors, which can be trained; nodes are those of kinds."""

    def __init__(self, table: Table) -> None:
        self.kinds = torch.eye(len(table)) * 3
        self.products = self.kinds[torch.tensor(table)].clone().requires_grad_()

    def __call__(self, left: Tensor, right: Tensor) -> Tensor:
        return self.products[nearest(left, self.kinds), nearest(right, self.kinds)]

    @property
    def nodes(self) -> Tensor:
        return self.kinds.repeat(5, 1)

    def table(self) -> Table:
        return (
            nearest(self.products.detach().flatten(0, 1), self.kinds)
            .view(len(self.kinds), -1)
            .tolist()
        )


def test_the_loss_is_the_distance_from_products_agreed_on() -> None:
    table = cyclic(7)
    table[2][3] = 1  # 5
    compose = Entries(table)
    found = Products.of(compose.nodes, compose)
    assert found is not None
    assert found.faults.tolist() == [2 * 7 + 3]
    assert found.agreed.tolist() == cyclic(7)
    draw = torch.Generator().manual_seed(1)
    hits = int((torch.randint(49, (SAMPLE,), generator=draw) == 2 * 7 + 3).sum())
    apart = 2 * 9 / float(9 * 6 / 7)  # two kinds, over the variance
    nothing = compose.nodes[:0]
    loss = found.loss(compose.nodes, nothing, compose, torch.Generator().manual_seed(1))
    assert loss.item() == pytest.approx((hits + SAMPLE) * apart / (2 * SAMPLE), rel=1e-5)
    alone = compose.kinds[:3]  # kinds without a node are shown by their centres
    again = found.loss(alone, nothing, compose, torch.Generator().manual_seed(1))
    assert again.item() == pytest.approx(loss.item(), rel=1e-5)
    upper = compose.kinds[torch.tensor([2, 3])]
    draw.manual_seed(1)
    both = found.loss(compose.nodes, upper, compose, draw)
    assert both.item() > loss.item() * 2 / 3  # a quarter of the pairs of upper nodes are at fault


def test_pairs_on_which_too_few_agree_do_not_count() -> None:
    table = cyclic(5)
    compose = Entries(table)
    found = Products.of(compose.nodes, compose)
    assert found is not None
    unknown = Products(
        found.centres, torch.full_like(found.agreed, UNDECIDED), found.faults, found.variance
    )
    with torch.no_grad():
        compose.products += 1
    draw = torch.Generator().manual_seed(1)
    assert unknown.loss(compose.nodes, compose.nodes, compose, draw) == 0
    assert found.loss(compose.nodes, compose.nodes, compose, draw) > 0


def test_training_on_the_loss_mends_the_table() -> None:
    compose = Entries(with_faults(symmetric(3), 0.1, 4))
    assert compose.table() != symmetric(3)
    optimiser = torch.optim.SGD([compose.products], lr=5.0)
    draw = torch.Generator().manual_seed(0)
    for _ in range(100):
        with torch.no_grad():
            found = Products.of(compose.nodes, compose)
        assert found is not None
        optimiser.zero_grad()
        found.loss(compose.nodes, compose.nodes, compose, draw).backward()  # type: ignore[no-untyped-call]
        optimiser.step()
    assert compose.table() == symmetric(3)


# ---- the term ------------------------------------------------------------------------------------

SMALL: dict[str, Any] = {
    "supervision": "final",
    "curriculum": 6,
    "d_model": 16,
    "num_heads": 2,
    "batch_size": 16,
    "consensus": 1.0,
}


def noise() -> torch.Generator:
    return torch.Generator().manual_seed(5)


@pytest.mark.parametrize("steps", [1, 2, 5])
def test_the_state_of_the_term_is_kept(steps: int) -> None:
    """Before a table, with one, and while nodes are gathered for the next."""
    plan = make_plan("parity", "regular-gpt", settings=SMALL)
    model = plan.draw().train()
    objective, resumed = plan.problem.objective(plan), plan.problem.objective(plan)
    assert isinstance(objective, Curriculum)
    assert isinstance(resumed, Curriculum)
    with patch.multiple(learning, _EVERY=4, _GATHERED=2):
        data, more = noise(), noise()
        for _ in range(steps):
            objective.step(model, data, more)
        state = {name: tensor.clone() for name, tensor in objective.tensors().items()}
        assert ("consensus/gathered" in state) == (steps in (1, 5))
        assert ("consensus/centres" in state) == (steps > 1)
        resumed.restore(state)
        draws = data.get_state(), more.get_state()
        losses = []
        for each in (objective, resumed):
            data.set_state(draws[0])
            more.set_state(draws[1])
            losses.append([each.step(model, data, more).loss.item() for _ in range(4)])
    assert losses[0] == losses[1]


def test_the_term_is_zero_until_vectors_have_settled() -> None:
    plan = make_plan("parity", "regular-gpt", settings=SMALL)
    model = plan.draw().train()
    draw = torch.Generator().manual_seed(0)
    seen = Seen([torch.randn(500, 16, generator=draw), torch.randn(100, 16, generator=draw)])
    term = Consensus()
    with patch.multiple(learning, _EVERY=2, _GATHERED=1):
        assert term.loss(model, seen, noise()) == 0
        assert model.training
    with patch.multiple(learning, _EVERY=2, _GATHERED=1), patch.object(consensus, "_WITHIN", 99.0):
        term.loss(model, seen, noise())
        assert term.loss(model, seen, noise()) > 0  # one kind, at some distance from its square
