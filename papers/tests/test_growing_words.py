"""Modular Arithmetic on growing words: what is trained, and what is said of it."""

from pathlib import Path
from unittest.mock import patch

import pytest
import torch

from lengthwise.languages.spec import parse
from lengthwise.models.regular_gpt import RegularGPT
from lengthwise.problems.consensus import NONE, Nodes, Products
from lengthwise.problems.runs import plan_from_dict
from lengthwise.tasks.task import Task
from lengthwise_papers.chi2023 import table1
from lengthwise_papers.chi2023.table1 import TABLE_1
from lengthwise_papers.experiment import Record
from lengthwise_papers.own import growing_words
from lengthwise_papers.own.growing_words import (
    AT_ONCE,
    GROWING,
    GROWING_WORDS,
    NETWORKS,
    Sizes,
    check,
    deeper,
    measure,
    parts,
    products,
    spreads,
    table,
)

TREE = "RegularGPT C = 2, no identity"


def record(network: str, words: str, accuracy: float) -> Record:
    return {"network": network, "words_told": words, "mean_accuracy": accuracy}


def test_a_network_is_compared_where_it_was_trained_both_ways() -> None:
    tree = record(TREE, GROWING, 0.9)
    assert check([tree]) == []
    both = [record("GRU, width 64", AT_ONCE, 0.2), record("GRU, width 64", GROWING, 0.8)]
    (statement,) = check([tree, *both])
    assert (statement.holds, statement.measured) == (True, "GRU, width 64: 20.00, growing 80.00")
    (statement,) = check([both[0], record("GRU, width 64", GROWING, 0.21)])
    assert not statement.holds


NO_CONSENSUS = {"consensus": (0, 2), "consensus_after": (0, 40_000)}
NO_CLOSURE = {**NO_CONSENSUS, "closure": (0, 1), "closure_after": (0, 40_000)}
NARROW = {**NO_CLOSURE, "ff_factor": (4, 8)}


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("RegularGPT C = 2", NARROW),
        (TREE, {**NARROW, "identity": (0, 1)}),
        ("RegularGPT C = 2, associativity, 1,024 hidden", {**NO_CLOSURE, "associativity": (1, 0)}),
        ("RegularGPT C = 2, closure and consensus, 1,024 hidden", {}),
        ("RegularGPT C = 2, closure, 1,024 hidden", NO_CONSENSUS),
        (
            "RegularGPT C = 2, closure, 1,024 hidden, 100,000 steps",
            {**NO_CONSENSUS, "steps": (100_000, 60_000), "closure_after": (75_000, 40_000)},
        ),
    ],
)
def test_trees_differ_from_that_of_table_1_as_they_say(
    name: str, changes: dict[str, tuple[int, int]]
) -> None:
    (here,) = [
        part
        for part in parts(GROWING_WORDS.presets["laptop"], (0,))
        if part.settings["network"] == name
    ]
    (there,) = [
        run.job.plan
        for run in table1.runs(TABLE_1.presets["laptop"], (0,))
        if (run.row, run.column) == ("modular-arithmetic", "regular-gpt C=2")
    ]
    ours, theirs = plan_from_dict(here.settings["plan"]).to_dict(), there.to_dict()
    for setting, values in changes.items():
        (kind,) = (kind for kind, of_kind in theirs.items() if setting in of_kind)
        assert (ours[kind].pop(setting), theirs[kind].pop(setting)) == values
    assert ours == theirs


def test_a_tree_is_asked_in_deeper_trees(tmp_path: Path) -> None:
    sizes = Sizes(preset="smoke", networks=(TREE,), seeds=(0,), lengths=(42, 44), words=4)
    (part,) = parts(sizes, ())
    with patch.object(growing_words, "_WORDS", 50):
        (found,) = measure(part.settings, tmp_path)
    assert [point["levels"] for point in found["deeper_trees"]] == [6, 12, 18, 24]
    assert [symbols for symbols, _ in found["spread"]] == [2**level for level in range(1, 10)]
    assert all(0 < spread < 1 for _, spread in found["spread"])
    assert spreads([found]).rows[0][1:3] == ["0", f"{found['spread'][0][1]:.2f}"]
    assert found["kinds"] is None
    assert products([found]).rows == [[TREE, "0", "not settled", "", "", ""]]
    (row,) = deeper([found, record("GRU, width 64", GROWING, 0.8)]).rows
    assert row[:2] == [TREE, "0"]
    assert row[2].startswith("6: ")
    assert table([found]).rows[0][-1] == "96.4 / 82.6"
    (row,) = table([{**found, "processor_seconds": None}]).rows
    assert row[4] == "not measured"
    assert NETWORKS[TREE].ways == (GROWING,)


def test_kinds_of_the_lower_nodes_and_their_products_are_counted(tmp_path: Path) -> None:
    sizes = Sizes(preset="smoke", networks=(TREE,), seeds=(0,), lengths=(42, 44), words=4)
    (part,) = parts(sizes, ())
    given: list[Nodes] = []
    agreed = torch.zeros(30, 30, dtype=torch.long)
    agreed[:2, :4] = NONE

    def noted(model: RegularGPT, nodes: Nodes) -> Products:
        given.append(nodes)
        some, one = torch.zeros(30, 16), torch.ones(())
        return Products(some, agreed, torch.arange(1_234), one, one)

    with patch.multiple(growing_words, products_of=noted, _WORDS=50):
        (found,) = measure(part.settings, tmp_path)
    assert [found[name] for name in ("kinds", "refuted", "undecided")] == [30, 1_234, 8]
    assert products([found]).rows == [[TREE, "0", "30", "900", "1,234", "8"]]
    assert products([record("GRU, width 64", GROWING, 0.8)]).rows == []
    words = Task(language=parse("modular-arithmetic"), protocol="published").draw(
        torch.full((50,), 40), torch.Generator().manual_seed(0)
    )
    chunks = [{tuple(one) for one in words.tokens.view(-1, size).tolist()} for size in (2, 4, 8)]
    assert len(given[0]) == sum(len(of_size) for of_size in chunks)
