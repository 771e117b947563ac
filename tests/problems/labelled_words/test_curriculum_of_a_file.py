"""A curriculum over the words of a file: short ones first, validation words never trained on."""

import random
from itertools import pairwise
from pathlib import Path

import pytest
import torch

from lengthwise.data.parts import TRAIN, VALID
from lengthwise.languages.spec import parse
from lengthwise.objectives.own_automaton import OwnAutomaton
from lengthwise.problems.labelled_words.objective import WordsOfFile, batch_of, part_of
from lengthwise.problems.labelled_words.problem import LabelledWordsProblem
from lengthwise.problems.planning import make_plan
from lengthwise.problems.runs import train
from lengthwise.proofs.search.certify import certify
from lengthwise.tasks.task import Batch

SMALL = {
    "d_model": 32,
    "num_bits": 8,
    "batch_size": 64,
    "validation_share": 0.3,
    "validate_every": 10,
    "steps": 400,
    "learning_rate": 1e-2,
    "precision": "double",
    "curriculum": 3,
}


def write(file: Path) -> None:
    """Words of at most 9 symbols with their labels in Parity."""
    draw, parity = random.Random(0), parse("parity")
    words = {"".join(draw.choice("01") for _ in range(n % 10)) for n in range(2_000)}
    lines = [f"{word}\t{parity.classify(word)}" for word in sorted(words)]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def show(batch: Batch) -> set[tuple[int, ...]]:
    rows = zip(batch.tokens.tolist(), batch.lengths.tolist(), strict=True)
    return {tuple(row[len(row) - n :]) for row, n in rows}


def test_words_are_at_most_as_long_as_asked_and_parts_stay_apart(tmp_path: Path) -> None:
    write(tmp_path / "parity.tsv")
    plan = make_plan(f"words:{tmp_path / 'parity.tsv'}", "gru-binary", settings=SMALL)
    assert isinstance(plan.problem, LabelledWordsProblem)
    words, name = plan.problem.words.load(), plan.problem.name
    source, draw = WordsOfFile(words, plan.data, name), torch.Generator().manual_seed(0)
    parts = {
        part: show(batch_of(words, part_of(words, part, plan.data, name)))
        for part in (TRAIN, VALID)
    }
    assert source.lengths.tolist() == sorted(source.lengths.tolist())
    for longest in source.lengths.tolist():
        for part, batch in (
            (TRAIN, source.step(longest, draw)),
            (TRAIN, source.review(longest, draw)),
            (VALID, source.validation(longest, draw)),
        ):
            assert 0 < int(batch.lengths.max()) <= longest
            assert show(batch) <= parts[part]
    assert show(source.validation(9, draw)) == parts[VALID]


@pytest.mark.slow
def test_a_network_settles_on_the_words_of_a_file_and_is_proved_afterwards(tmp_path: Path) -> None:
    write(tmp_path / "parity.tsv")
    plan = make_plan(f"words:{tmp_path / 'parity.tsv'}", "gru-binary", settings=SMALL)
    assert isinstance(plan.problem.objective(plan), OwnAutomaton)
    run = train(plan)
    reached = [record["longest"] for record in run.metrics]
    assert reached[-1] == 9
    assert all(before <= after for before, after in pairwise(reached))
    assert (run.metrics[-1]["perfect"], run.metrics[-1]["states"]) == (True, 2)
    assert certify(run.model, parse("parity")).verdict == "equivalent"
