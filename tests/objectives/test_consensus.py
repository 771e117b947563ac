"""Products on which associativity agrees: counted one by one, and mended by training."""

from dataclasses import fields, replace
from itertools import permutations
from typing import Any
from unittest.mock import patch

import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st
from torch import Tensor, nn

from lengthwise.languages.monoid import syntactic_monoid
from lengthwise.languages.spec import parse
from lengthwise.models.regular_gpt import RegularGPT
from lengthwise.objectives import consensus, learning
from lengthwise.objectives.consensus import (
    ANY_KINDS,
    AT_MOST,
    MOST_KINDS,
    NONE,
    Compose,
    Nodes,
    Products,
    elect_products,
    kinds_of,
)
from lengthwise.objectives.curriculum import Curriculum
from lengthwise.objectives.final import FinalConfig
from lengthwise.objectives.learning import Consensus, Seen
from lengthwise.problems.planning import make_plan
from lengthwise.settings import describe_settings

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


def count_product(table: Table, a: int, b: int) -> int:
    """The product of a and b that most equations name, counted one by one."""
    kinds = range(len(table))
    votes = [
        sum(table[x][c] == table[a][table[b][c]] for c in kinds)
        + sum(table[other][x] == table[table[other][a]][b] for other in kinds)
        for x in kinds
    ]
    if max(votes) <= len(table):
        return NONE
    present = table[a][b]
    return present if votes[present] == max(votes) else votes.index(max(votes))


def tables(count: int) -> st.SearchStrategy[Table]:
    entry = st.integers(0, count - 1)
    row = st.lists(entry, min_size=count, max_size=count)
    return st.lists(row, min_size=count, max_size=count)


@example(table=[[1, 0], [1, 1]])
@given(table=st.integers(1, 5).flatmap(tables))
def test_products_agreed_on_are_those_of_most_equations(table: Table) -> None:
    count = len(table)
    expected = [[count_product(table, a, b) for b in range(count)] for a in range(count)]
    assert elect_products(torch.tensor(table)).tolist() == expected


@pytest.mark.parametrize("table", [cyclic(30), symmetric(4)], ids=["Z30", "S4"])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_few_faults_are_mended(table: Table, seed: int) -> None:
    faulty = with_faults(table, 0.05, seed)
    assert faulty != table
    assert elect_products(torch.tensor(faulty)).tolist() == table


@pytest.mark.parametrize("spec", ["tomita-4", "d-3", "regex:(ab)*", "cycle-navigation"])
def test_products_of_a_monoid_stay(spec: str) -> None:
    table = torch.from_numpy(syntactic_monoid(parse(spec)).table).long()
    assert torch.equal(elect_products(table), table)


def test_kinds_are_groups_of_near_nodes() -> None:
    draw = torch.Generator().manual_seed(3)
    centres = 10 * torch.randn(12, 6, generator=draw)
    kind = torch.cat([torch.arange(12).repeat(5), torch.randint(12, (440,), generator=draw)])
    nodes = centres[kind] + 0.1 * torch.randn(len(kind), 6, generator=draw)
    strays = torch.full((3, 6), 99.0)
    found = kinds_of(torch.cat([nodes[:30], strays, nodes[30:]]), torch.tensor(4.0))
    assert found is not None
    means = torch.stack([nodes[kind == each].mean(dim=0) for each in range(12)])
    assert len(found) == 12  # three nodes of their own make none
    torch.testing.assert_close(found[torch.cdist(means, found).argmin(dim=1)], means)


def test_a_kind_is_near_the_mean_of_those_near_its_first_node() -> None:
    nodes = torch.tensor([[0.0], [0.9], [1.4], [1.6]]).repeat(4, 1)
    found = kinds_of(nodes, torch.tensor(1.0))  # 1.4 is near 0.45, the mean of 0 and 0.9
    assert found is not None
    torch.testing.assert_close(found, torch.tensor([[2.3 / 3], [1.6]]))


def test_nodes_that_have_not_settled_have_no_kinds() -> None:
    draw = torch.Generator().manual_seed(3)
    near = torch.tensor(1.0)
    two = torch.tensor([[0.0], [9.0]])
    assert kinds_of(two.repeat(4, 1), near) is not None
    assert kinds_of(two.repeat(3, 1), near) is None  # too few of each
    assert kinds_of(two[:1].repeat(9, 1), near) is None  # one alone
    many = 9 * torch.arange(MOST_KINDS + 1.0)[:, None]
    assert kinds_of(many.repeat(4, 1), near) is None
    assert kinds_of(many[1:].repeat(4, 1), near) is not None
    no_number = torch.tensor([[float("nan")]])
    assert kinds_of(torch.cat([two.repeat(4, 1), no_number]), near) is None
    strays = 9 * torch.arange(1.0, 12)[:, None] + 99
    assert kinds_of(torch.cat([two.repeat(500, 1), strays]), near) is None
    assert kinds_of(torch.cat([two.repeat(500, 1), strays[:9]]), near) is not None
    assert kinds_of(10 * torch.randn(400, 6, generator=draw), near) is None


class Entries:
    """A composition by a table of vectors, which can be trained; nodes are those of kinds."""

    def __init__(self, table: Table) -> None:
        self.kinds = torch.eye(len(table)) * 3
        self.products = self.kinds[torch.tensor(table)].clone().requires_grad_()
        self.asked: list[tuple[Tensor, Tensor]] = []

        self.answer = list(range(len(table)))
        self.kind = list(range(len(table))) * 5

    def kind_of(self, nodes: Tensor) -> Tensor:
        return torch.cdist(nodes, self.kinds).argmin(dim=-1)

    def __call__(self, left: Tensor, right: Tensor) -> Tensor:
        self.asked.append((left, right))
        return self.products[self.kind_of(left), self.kind_of(right)]

    @property
    def nodes(self) -> Tensor:
        return self.kinds[self.kind]

    @property
    def answers(self) -> Tensor:
        return torch.tensor(self.answer)[self.kind]

    def table(self) -> Table:
        return self.kind_of(self.products.detach()).tolist()


FAULTY = symmetric(3)
FAULTY[2][3] = next(x for x in range(6) if x != FAULTY[2][3])
FAULT = 2 * 6 + 3
APART = 2 * 9 / (9 * 5 / 6)
"""The squared distance of two kinds, over the variance."""


def products_of(compose: Entries) -> Products:
    found = Products.of(compose.nodes, compose.answers, compose)
    assert found is not None
    compose.asked.clear()
    return found


def noise(seed: int = 1) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def test_the_loss_is_the_distance_from_products_agreed_on() -> None:
    compose = Entries(FAULTY)
    found = products_of(compose)
    assert found.faults.tolist() == [FAULT]
    assert found.agreed.tolist() == symmetric(3)
    hits = int((torch.randint(36, (ANY_KINDS,), generator=noise()) == FAULT).sum())
    nothing = compose.nodes[:0]
    loss, deeper = found.loss(compose.nodes, nothing, compose, noise())
    assert len(deeper) == 0
    assert loss.item() == pytest.approx((hits + 1) * APART / (ANY_KINDS + 1), rel=1e-5)


def test_of_many_faults_some_are_drawn() -> None:
    compose = Entries(FAULTY)
    found = products_of(compose)
    more = torch.arange(AT_MOST + 1) % 36
    many = replace(found, faults=more)
    many.loss(compose.nodes, compose.nodes[:0], compose, noise())
    assert len(compose.asked[-1][0]) == ANY_KINDS + AT_MOST


def test_deep_nodes_are_pairs_too_whose_products_are_returned() -> None:
    compose = Entries(FAULTY)
    found = products_of(compose)
    apart = [torch.full((1, 6), 50.0)]  # a stray, which does not count
    deep = torch.cat([compose.kinds[torch.tensor([2, 3])], *apart])
    loss, deeper = found.loss(compose.nodes, deep, compose, noise())
    asked = compose.asked[-1]
    assert torch.equal(deeper, compose(*(each[-AT_MOST:] for each in asked)))
    assert not deeper.requires_grad
    left, right = (compose.kind_of(each) for each in asked)
    stray = (torch.stack(asked) == 50).all(dim=2).any(dim=0)
    wrong = (left == 2) & (right == 3) & ~stray
    assert 0 < int(stray[-AT_MOST:].sum()) < AT_MOST
    assert not stray[:-AT_MOST].any()
    assert int(wrong[-AT_MOST:].sum()) > AT_MOST / 20
    expected = int(wrong.sum()) * APART / int((~stray).sum())
    assert loss.item() == pytest.approx(expected, rel=1e-5)


def test_kinds_are_represented_by_their_nodes_or_centres() -> None:
    compose = Entries(symmetric(3))
    found = products_of(compose)
    near = 0.1 * torch.rand(15, 6, generator=noise())
    nodes = torch.cat([compose.kinds[:3].repeat(5, 1) + near, torch.full((4, 6), 50.0)])
    found.loss(nodes, nodes[:0], compose, noise())
    asked = torch.cat(compose.asked[-1])
    of = compose.kind_of(asked)
    all_of_them = torch.cat([nodes, found.centres])
    place = (asked[:, None] == all_of_them).all(dim=2).long().argmax(dim=1)
    shown = [set(place[of == kind].tolist()) for kind in range(6)]
    members = [{kind + 3 * each for each in range(5)} for kind in range(3)]
    assert shown == [*members, *({19 + kind} for kind in range(3, 6))]


def test_pairs_on_which_too_few_agree_do_not_count() -> None:
    compose = Entries(FAULTY)
    found = products_of(compose)
    agreed = found.agreed.clone()
    agreed[:, :3] = NONE
    some = replace(found, agreed=agreed)
    with torch.no_grad():
        compose.products[:, :3] += 7
    loss, _ = some.loss(compose.nodes, compose.kinds, compose, noise())
    left, right = (compose.kind_of(each) for each in compose.asked[-1])
    wrong = int(((left == 2) & (right == 3)).sum())
    assert loss.item() == pytest.approx(wrong * APART / int((right >= 3).sum()), rel=1e-5)
    nowhere = replace(found, agreed=torch.full_like(agreed, NONE))
    assert nowhere.loss(compose.nodes, compose.kinds, compose, noise())[0] == 0


def draw_together(table: Table, together: Table, share: float) -> Entries:
    """A composition by a table, where the kinds of each group are near one another.

    The share is that of the distance of two kinds that is left within a group.
    """
    compose = Entries(table)
    for group in together:
        middle = compose.kinds[group].mean(dim=0)
        compose.kinds[group] = middle + share * (compose.kinds[group] - middle)
    compose.products = compose.kinds[torch.tensor(table)].clone().requires_grad_()
    return compose


def kinds_within(compose: Entries, share: float) -> Products | None:
    variance = consensus.variance_of(compose.nodes)
    return Products._within(share * variance, compose.nodes, variance, compose)


@pytest.mark.parametrize(
    ("answer", "kinds"), [([0, 1, 2, 3], 4), ([0, 1, 1, 1], 4), ([0, 1] * 2, 2)]
)
def test_kinds_are_put_together_only_if_their_answers_are_alike(
    answer: list[int], kinds: int
) -> None:
    """Even and odd numbers agree on all sums, although one of the sums modulo 4 is wrong."""
    table = cyclic(4)
    table[1][2] = 1
    compose = draw_together(table, [[0, 2], [1, 3]], 0.15)
    compose.answer = answer
    merged, found = kinds_within(compose, 0.2), kinds_within(compose, 0.05)
    assert merged is not None
    assert found is not None
    assert (len(merged.centres), merged.disputed) == (2, 0)
    assert (len(found.centres), found.disputed) == (4, 1 / 16)
    assert len(products_of(compose).centres) == kinds


def test_kinds_are_not_put_together_if_only_common_ones_agree() -> None:
    """0 and 2, which are common, have even sums; 1 is near 0, and 3 near 2, with like answers."""
    table = cyclic(4)
    table[1][2] = 1
    compose = draw_together(table, [[0, 1], [2, 3]], 0.15)
    compose.answer = [0, 0, 1, 1]
    compose.kind = [0, 2] * 16 + [1, 3] * 4
    merged = kinds_within(compose, 0.2)
    assert merged is not None
    assert (len(merged.centres), merged.disputed) == (2, 0)
    assert products_of(compose).faults.tolist() == [
        4 * 2 + 1
    ]  # kinds are found in the order 0, 2, 1


def test_kinds_with_different_answers_are_none() -> None:
    """Where kinds are too many to be told apart, they are not put together either."""
    compose = draw_together(cyclic(4), [[0, 2], [1, 3]], 0.15)
    with patch.object(consensus, "MOST_KINDS", 3):
        assert kinds_within(compose, 0.05) is None
        assert kinds_within(compose, 0.2) is not None
        assert Products.of(compose.nodes, compose.answers, compose) is None


def with_two_kinds_twice() -> Entries:
    """Sums modulo 20, of which 0 and 1 are one of two kinds each, by chance."""
    table = (torch.arange(22)[:, None] % 20 + torch.arange(22) % 20) % 20
    table += 20 * (table < 2) * torch.randint(2, table.shape, generator=noise())
    compose = draw_together(table.tolist(), [[0, 20], [1, 21]], 0.25)
    compose.answer = [*range(20), 0, 1]
    return compose


def test_a_kind_that_is_found_twice_is_one() -> None:
    compose = with_two_kinds_twice()
    twice = kinds_within(compose, 0.05)
    assert twice is not None
    assert len(twice.centres) == 22
    assert twice.disputed > 0
    found = products_of(compose)
    assert (len(found.centres), found.disputed) == (20, 0)


@pytest.mark.parametrize(("nodes", "kinds"), [(4, 20), (5, 22)])
def test_kinds_with_different_answers_are_put_together_if_one_is_rare(
    nodes: int, kinds: int
) -> None:
    compose = with_two_kinds_twice()
    compose.answer[20] = 7
    compose.kind = [*range(20)] * 200 + [20] * nodes + [21] * 4  # one of 1,000 is 4
    assert len(products_of(compose).centres) == kinds


def test_of_alike_kinds_those_with_the_fewest_disputed_products_are_taken() -> None:
    compose = Entries(FAULTY)
    found = products_of(compose)
    tried = [replace(found, faults=torch.arange(count)) for count in (5, 2, 4)]
    with patch.object(Products, "_within", side_effect=tried):
        assert products_of(compose) is tried[1]


def test_kinds_that_cannot_be_put_together_stay_apart() -> None:
    """Two kinds are near here, and far from the others; at the greatest distance they are one."""
    compose = draw_together(symmetric(3), [[0, 1]], 0.2)
    found = products_of(compose)
    assert len(found.centres) == 6
    assert found.disputed == 0
    assert kinds_within(compose, consensus._WITHIN[-1]) is None


def test_entries_without_an_agreement_are_no_faults() -> None:
    """Of a random table most are undecided."""
    table = torch.randint(6, (6, 6), generator=noise()).tolist()
    compose = Entries(table)
    assert Products.of(compose.nodes, compose.answers, compose) is None  # they are too many
    with patch.object(consensus, "_STRAYS", 1.0):
        found = products_of(compose)
    assert (found.agreed == NONE).any()
    agreed, entries = found.agreed.flatten(), torch.tensor(table).flatten()
    expected = [each for each in range(36) if agreed[each] not in (NONE, entries[each])]
    assert found.faults.tolist() == expected
    assert found.disputed * 36 == pytest.approx(len(expected) + int((agreed == NONE).sum()))


def test_training_on_the_loss_mends_the_table() -> None:
    compose = Entries(with_faults(symmetric(3), 0.1, 4))
    assert compose.table() != symmetric(3)
    optimiser = torch.optim.SGD([compose.products], lr=5.0)
    draw = noise()
    for _ in range(100):
        with torch.no_grad():
            found = Products.of(compose.nodes, compose.answers, compose)
        assert found is not None
        optimiser.zero_grad()
        loss, _ = found.loss(compose.nodes, compose.nodes, compose, draw)
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
    assert compose.table() == symmetric(3)


# ---- the term ------------------------------------------------------------------------------------

SMALL: dict[str, Any] = {
    "objective": "final",
    "curriculum": 6,
    "d_model": 16,
    "num_heads": 2,
    "batch_size": 16,
    "consensus": 1.0,
}


def make_settled(levels: int = 4) -> Seen:
    """Nodes of two kinds."""
    kinds = torch.stack([torch.zeros(16), torch.ones(16)]).repeat(8, 1)
    return Seen([kinds + level / 100 for level in range(levels)])


def gather(model: nn.Module, seen: Seen) -> list[Nodes]:
    """The nodes that the first tables are made of."""
    given: list[Nodes] = []
    term = Consensus()

    def note(model: nn.Module, nodes: Nodes) -> None:
        given.append(nodes)

    often = patch.multiple(learning, _EVERY=4, _GATHERED=2)
    with often, patch.object(learning, "products_of", note):
        for _ in range(6):
            term(model, seen, noise())
    return given


def draw(model: str = "regular-gpt", **more: Any) -> tuple[nn.Module, Any]:
    plan = make_plan("parity", model, settings={**SMALL, **more})
    return plan.draw().train(), plan


@pytest.mark.parametrize("steps", [1, 2, 5])
def test_the_state_of_the_term_is_kept(steps: int) -> None:
    """Before a table, with one, and while nodes are gathered for the next."""
    model, plan = draw()
    objective, resumed = plan.problem.objective(plan), plan.problem.objective(plan)
    assert isinstance(objective, Curriculum)
    assert isinstance(resumed, Curriculum)
    loose = patch.multiple(consensus, _WITHIN=(0.1,), _FEWEST=1)
    with loose, patch.multiple(learning, _EVERY=4, _GATHERED=2):
        data, more = noise(), noise()
        for _ in range(steps):
            objective.step(model, data, more)
        state = {name: tensor.clone() for name, tensor in objective.tensors().items()}
        assert ("consensus/gathered" in state) == (steps in (1, 5))
        assert ("consensus/centres" in state) == (steps > 1)
        assert ("consensus/deep" in state) == (steps > 1)
        resumed.restore(state)
        draws = data.get_state(), more.get_state()
        losses = []
        for each in (objective, resumed):
            data.set_state(draws[0])
            more.set_state(draws[1])
            losses.append([each.step(model, data, more).loss.item() for _ in range(4)])
    assert losses[0] == losses[1]


def test_a_table_is_made_of_the_lower_nodes_of_some_batches() -> None:
    model, _ = draw()
    seen = make_settled(5)
    lower = torch.cat(seen.vectors[:3])
    first, second = gather(model, seen)
    assert torch.equal(first, lower.repeat(2, 1))
    assert torch.equal(second, first)


def test_deep_nodes_are_upper_ones_and_products_since_the_last_table() -> None:
    model, _ = draw()
    seen = make_settled(5)
    term, given, made = Consensus(), list[tuple[Nodes, Nodes]](), list[Nodes]()

    def note(self: Products, nodes: Nodes, deep: Nodes, *rest: Any) -> tuple[Tensor, Nodes]:
        given.append((nodes, deep))
        made.append(torch.rand(AT_MOST, 16))
        return torch.zeros(()), made[-1]

    with (
        patch.multiple(learning, _EVERY=3, _GATHERED=1, _DEEP=300),
        patch.object(Products, "loss", note),
    ):
        for _ in range(4):
            term(model, seen, noise())
    upper = torch.cat(seen.vectors[3:])
    assert all(torch.equal(nodes, torch.cat(seen.vectors)) for nodes, _ in given)
    products = [upper[:0], made[0], torch.cat([made[1], made[0]])[:300], upper[:0]]
    for (_, deep), before in zip(given, products, strict=True):
        assert torch.equal(deep, torch.cat([upper, before]))


def test_the_term_is_zero_where_vectors_have_not_settled() -> None:
    model, _ = draw()
    term = Consensus()
    apart = Seen([torch.randn(500, 16, generator=noise())] * 2)
    with patch.multiple(learning, _EVERY=2, _GATHERED=1):
        assert term(model, apart, noise()) == 0
        assert term(model, make_settled(), noise()) == 0
        assert term(model, make_settled(), noise()) > 0  # with a table
        assert term(model, apart, noise()) > 0
        assert term(model, apart, noise()) == 0  # which is dropped
    assert model.training


def test_gradients_reach_the_composition_alone() -> None:
    model, _ = draw()
    leaves = [level.requires_grad_() for level in make_settled().vectors]
    with patch.multiple(learning, _EVERY=2, _GATHERED=1):
        Consensus()(model, Seen(leaves), noise()).backward()  # type: ignore[no-untyped-call]
    assert all(each.grad is None for each in leaves)
    assert any(each.grad is not None for each in model.parameters())


def test_tables_are_without_dropout_and_products_with_the_noise_given() -> None:
    model, _ = draw(dropout=0.5)
    assert isinstance(model, RegularGPT)
    found: list[Tensor] = []

    def note(nodes: Nodes, answers: Tensor, compose: Compose) -> None:
        assert torch.equal(answers, model.read(nodes).argmax(dim=1))
        assert len(set(answers.tolist())) > 1
        found.extend(compose(nodes, nodes) for _ in range(2))

    with patch.object(Products, "of", note):
        learning.products_of(model, torch.randn(64, 16, generator=noise()))
        assert torch.equal(*found)
        assert model.training
        learning.products_of(model.eval(), torch.randn(64, 16, generator=noise()))
    assert not model.training
    model.train()
    losses = []
    for seed in (1, 1, 2):
        with patch.multiple(learning, _EVERY=2, _GATHERED=1):
            losses.append(Consensus()(model, make_settled(), noise(seed)).item())
    assert losses[0] == losses[1] != losses[2]


def test_the_term_begins_after_its_batches() -> None:
    model, plan = draw(consensus_after=3)
    objective = plan.problem.objective(plan)
    assert isinstance(objective, Curriculum)
    for _ in range(5):
        objective.step(model, noise(), noise())
    assert objective.tensors()["consensus/batches"] == 2


def test_of_many_nodes_of_a_batch_some_are_taken_all_over_them() -> None:
    nodes = torch.arange(10.0)[:, None]
    with patch.object(learning, "_AT_MOST", 4):
        assert learning._spread(nodes)[:, 0].tolist() == [0, 3, 6, 9]
        assert torch.equal(learning._spread(nodes[:4]), nodes[:4])
    seen, model = make_settled(160), draw()[0]
    some = learning._spread(torch.cat(seen.vectors[:80]))
    assert len(some) == 1024
    assert all(torch.equal(each, some.repeat(2, 1)) for each in gather(model, seen))


def test_the_setting_tells_how_many_batches_make_a_table() -> None:
    name = "consensus_after"
    (setting,) = describe_settings("labels", FinalConfig, [name], {})
    assert f"; {learning._GATHERED} more make the first table" in setting.meaning


def test_what_a_checkpoint_held_goes_where_the_model_is() -> None:
    """With a table, deep nodes, and nodes gathered for the next table."""
    model, _ = draw()
    term = Consensus()
    with patch.multiple(learning, _EVERY=4, _GATHERED=2):
        for _ in range(5):
            term(model, make_settled(), noise())
    held = {name: each for name, each in term.tensors().items() if "batches" not in name}
    names = {"gathered", "deep", *(each.name for each in fields(Products))}
    assert held.keys() == {f"consensus/{name}" for name in names}
    term._move(torch.device("meta"))
    assert {each.device.type for name, each in term.tensors().items() if name in held} == {"meta"}


def test_a_checkpoint_that_lacks_a_tensor_is_noticed() -> None:
    model, _ = draw()
    term = Consensus()
    with patch.multiple(learning, _EVERY=2, _GATHERED=1):
        term(model, make_settled(), noise())
    state = term.tensors()
    for name in ("batches", *(each.name for each in fields(Products))):
        less = {key: each for key, each in state.items() if key != f"consensus/{name}"}
        with pytest.raises(KeyError, match=name):
            Consensus().restore(less)
