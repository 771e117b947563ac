"""A run, tested: what is stored beside it."""

import math
from pathlib import Path
from typing import Any

import pytest
import torch
from lengthwise.measurement import measure as measures
from lengthwise.measurement.measure import measure, spread_lengths, training_cost

from lengthwise.data.text_corpus import PrepareConfig, prepare
from lengthwise.errors import ConfigError
from lengthwise.languages.spec import parse
from lengthwise.problems.runs import make_plan, train

SMALL = {"steps": 4, "validate_every": 2, "batch_size": 8, "validation_words": 16}


def test_an_evaluation_is_stored_with_what_made_it(tmp_path: Path) -> None:
    plan = make_plan(
        parse("parity"), "regular-gpt", preset="smoke", settings={**SMALL, "p_one": 0.25}
    )
    run = train(plan, out=tmp_path / "run", device="cpu")
    assert run.folder is not None

    scores, summary = measure(run, [0, 5, 9], words_per_length=300)

    assert run.folder.scores() == scores.to_records()
    assert run.folder.evaluation() == summary
    assert (summary["protocol"], summary["words"]) == ("published", 900)
    # P(1) = 1/4: the parity of 5 symbols is odd with chance (1 - (1/2)^5) / 2
    ones = sum(r.total for r in scores.records if (r.length, r.label) == (5, "1"))
    assert ones / 300 == pytest.approx((1 - 0.5**5) / 2, abs=0.15)

    _, audited = measure(run, [5], protocol="audited", words_per_length=10)
    assert audited["protocol"] == "audited"


def test_shortcuts_see_every_remainder_of_the_lengths(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of the lengths of D_2 have members at half of the words: majority is right at 3 in 4."""
    plan = make_plan(parse("d-2"), "regular-gpt", preset="smoke", settings=SMALL)
    run = train(plan, device="cpu")
    _, summary = measure(run, range(41, 501), words_per_length=2)
    assert summary["shortcuts"]["majority"] == pytest.approx(0.75, abs=1e-9)
    assert len(summary["shortcut_lengths"]) == 60

    seeds = []

    def watched(*arguments: Any) -> dict[str, float]:
        seeds.append(arguments[-1].initial_seed())
        return {"majority": 0.5}

    monkeypatch.setattr("lengthwise.measurement.measure.shortcut_accuracies", watched)
    measure(run, [4], words_per_length=2, seed=7)
    assert seeds != [7]  # other words than those of the test


@pytest.mark.parametrize("count", [1, 59, 60, 61, 100, 460])
def test_spread_lengths_reach_from_first_to_last(count: int) -> None:
    lengths = list(range(41, 41 + count))
    some = spread_lengths(lengths)
    assert some == sorted(set(some) & set(lengths))
    assert (some[0], some[-1]) == (lengths[0], lengths[-1])
    assert len(some) == min(count, 60) or count in (61, 100)


def test_share_of_ones_is_a_number() -> None:
    with pytest.raises(ConfigError, match="p_one='half' must be a number"):
        make_plan(parse("parity"), "regular-gpt", settings={"p_one": "half"})


def test_all_devices_together_are_the_full_speed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measures, "matmul_rate", lambda *_: 1e9)
    text = tmp_path / "a.txt"
    text.write_text("some words, and more of them. " * 400)
    prepare(tmp_path / "text", {"train": [str(text)]}, PrepareConfig(vocab_size=257))
    plan = make_plan(f"text:{tmp_path / 'text'}", preset="smoke", settings={"window": 16})
    here = torch.device("cpu")
    alone = training_cost(plan, here)
    assert alone.full_speed * alone.flops_per_token == pytest.approx(1e9)
    for name, value in (("WORLD_SIZE", "3"), ("LOCAL_RANK", "0"), ("RANK", "0")):
        monkeypatch.setenv(name, value)
    assert training_cost(plan, here).full_speed == pytest.approx(3 * alone.full_speed)
    monkeypatch.setenv("RANK", "1")
    assert training_cost(plan, here) == (0, math.inf)
