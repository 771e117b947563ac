"""Deeper trees: the same answers from a network of a monoid, and what drift does."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

import lengthwise as lw
from lengthwise.analysis.analyses import ANALYSES, Knowledge, analysis_of
from lengthwise.analysis.deeper_trees import EXTRA_LEVELS, deeper_trees, raise_vectors
from lengthwise.errors import ConfigError
from lengthwise.languages.spec import parse
from lengthwise.layers.chunks import ABSENT
from lengthwise.models.regular_gpt import RegularGPT, RegularGPTConfig
from lengthwise.tasks.task import Task
from perturbed import perturb


def make(**values: Any) -> RegularGPT:
    """A model whose every weight is away from its initial value."""
    config = RegularGPTConfig(
        **{"vocab_size": 2, "num_classes": 2, "d_model": 8, "num_heads": 2, **values}
    )
    return perturb(RegularGPT(config), 0.2, 3).double().eval().requires_grad_(False)


def plainly(model: RegularGPT, word: list[int], extra: int) -> int:
    """The class of one word, by recursion over its parts."""
    chunk = model.config.chunk_size

    def node(parts: Sequence[Tensor | None]) -> Tensor:
        there = [part for part in parts if part is not None]
        numbers = iter(range(len(there)))
        children = [ABSENT if part is None else next(numbers) for part in parts]
        x = model.compose(torch.stack(there), torch.tensor([children]))
        for _ in range(extra):
            x = model.compose(x, torch.tensor([[ABSENT] * (chunk - 1) + [0]]))
        return x[0]

    whole = [model.leaf(torch.tensor(symbol)) for symbol in word]
    while True:
        parts = [*[None] * (-len(whole) % chunk), *whole]
        whole = [node(parts[i : i + chunk]) for i in range(0, len(parts), chunk)]
        if len(whole) == 1:
            return int(model.read(whole[0]).argmax())


@pytest.mark.slow
@given(
    st.sampled_from(
        [{}, {"chunk_size": 3}, {"pad": "absent", "norm": "pre"}, {"memory": "binary"}]
    ),
    st.integers(1, 11),
    st.integers(0, 99),
)
def test_accuracy_is_that_of_words_read_one_by_one(
    settings: dict[str, Any], length: int, seed: int
) -> None:
    model, language = make(**settings), parse("parity")
    words = torch.randint(2, (6, length), generator=torch.Generator().manual_seed(seed))
    (found,) = deeper_trees(model, language, words, torch.full((6,), length))["curves"]
    assert found["length"] == length
    own = [plainly(model, word, 0) for word in words.tolist()]
    for extra, point in zip(EXTRA_LEVELS, found["points"], strict=True):
        answers = [plainly(model, word, extra) for word in words.tolist()]
        right = [a == language.run(word) for a, word in zip(answers, words.tolist(), strict=True)]
        kept = [a == b for a, b in zip(answers, own, strict=True)]
        assert point == {
            "levels": (1 + extra) * model.steps(length),
            "accuracy": pytest.approx(sum(right) / 6),
            "kept": pytest.approx(sum(kept) / 6),
        }


def test_lengths_have_a_curve_each() -> None:
    model, language = make(), parse("parity")
    words = torch.randint(2, (8, 9), generator=torch.Generator().manual_seed(5))
    words[:4, :6] = -1
    lengths = torch.tensor([3] * 4 + [9] * 4)
    both = deeper_trees(model, language, words, lengths)["curves"]
    short = deeper_trees(model, language, words[:4, 6:], lengths[:4])["curves"]
    assert [curve["length"] for curve in both] == [3, 9]
    assert both[:1] == short


def test_a_network_that_is_right_for_a_reason_is_right_in_deeper_trees() -> None:
    model = lw.compile("cycle-navigation").model
    record = analysis_of("deeper-trees", model, Task(language=parse("cycle-navigation")))
    (curve,) = record["curves"]
    assert curve["length"] == 40
    assert [point["accuracy"] for point in curve["points"]] == [1.0] * len(EXTRA_LEVELS)
    assert "means the same" in ANALYSES["deeper-trees"].meaning(record, Knowledge())


def test_answers_that_change_are_told_and_a_proof_stands() -> None:
    points = [
        {"levels": 6, "accuracy": 0.999, "kept": 1.0},
        {"levels": 12, "accuracy": 0.2, "kept": 0.21},
    ]
    record = {"curves": [{"length": 40, "points": points}]}
    entry = ANALYSES["deeper-trees"]
    told = entry.meaning(record, Knowledge())
    assert "words of 40 symbols, which have 6 levels, 21.00 % stay with 12" in told
    assert "Longer words have further levels, too" in told
    assert entry.numbers(record)[1] == (
        "length 40, 12 levels",
        "20.00 % right, 21.00 % as before",
    )
    proved = entry.meaning(record, Knowledge(verdict="equivalent"))
    assert "words of every length are proved right" in proved


def test_a_run_is_asked_about_the_longest_words_of_its_training(tmp_path: Path) -> None:
    small: Any = {"steps": 2, "d_model": 8, "num_heads": 2, "max_length": 12}
    run = lw.train("parity", "regular-gpt", out=tmp_path / "run", preset="smoke", **small)
    assert lw.interpret.analyse(run, "deeper-trees").record["lengths"] == [12]
    assert lw.interpret.analyse(run.model, "deeper-trees", language="parity").record["lengths"] == [
        40
    ]


def test_nodes_that_are_not_raised_stay() -> None:
    nodes = torch.randn(3, 8, dtype=torch.float64)
    assert torch.equal(raise_vectors(make(), nodes, 0), nodes)


def test_another_network_is_refused() -> None:
    word = torch.zeros(1, 1, dtype=torch.int64)
    with pytest.raises(ConfigError, match="only a RegularGPT"):
        deeper_trees(torch.nn.Linear(2, 2), parse("parity"), word, torch.tensor([1]))
