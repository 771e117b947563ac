"""A run, tested: what is stored beside it."""

from pathlib import Path
from typing import Any

import pytest

from lengthwise.errors import ConfigError, TaskError
from lengthwise.languages.spec import parse
from lengthwise.problems.base import Run, evaluate_and_store
from lengthwise.problems.planning import make_plan
from lengthwise.problems.recognition.measure import RecognitionEvaluation
from lengthwise.problems.runs import train

SMALL = {"steps": 4, "validate_every": 2, "batch_size": 8, "validation_words": 16}


def measure(run: Run, **options: Any) -> RecognitionEvaluation:
    found = evaluate_and_store(run, options)
    assert isinstance(found, RecognitionEvaluation)
    return found


def test_an_evaluation_is_stored_with_what_made_it(tmp_path: Path) -> None:
    plan = make_plan(
        parse("parity"), "regular-gpt", preset="smoke", settings={**SMALL, "p_one": 0.25}
    )
    run = train(plan, out=tmp_path / "run", device="cpu")
    assert run.folder is not None

    found = measure(run, lengths=[0, 5, 9], words=300)
    scores, summary = found.scores, found.values

    assert run.folder.scores() == scores.to_records()
    assert run.folder.evaluation() == summary
    assert (summary["protocol"], summary["words"]) == ("published", 900)
    # P(1) = 1/4: the parity of 5 symbols is odd with chance (1 - (1/2)^5) / 2
    ones = sum(r.total for r in scores.records if (r.length, r.label) == (5, "1"))
    assert ones / 300 == pytest.approx((1 - 0.5**5) / 2, abs=0.15)

    audited = measure(run, lengths=[5], protocol="audited", words=10).values
    assert audited["protocol"] == "audited"


def test_words_can_have_more_ones_than_those_of_training() -> None:
    plan = make_plan(parse("parity"), "regular-gpt", preset="smoke", settings=SMALL)
    run = train(plan, device="cpu")

    def odd(**options: Any) -> float:
        counts = measure(run, lengths=[5], words=2000, **options).scores.records
        return sum(each.total for each in counts if each.label == "1") / 2000

    for p_one in (0.1, 0.9):  # the parity of 5 symbols is odd with chance (1 - (1 - 2p)^5) / 2
        assert odd(p_one=p_one) == pytest.approx((1 - (1 - 2 * p_one) ** 5) / 2, abs=0.05)
    assert odd() == pytest.approx(0.5, abs=0.05)
    assert odd(p_one=0.5) == odd()
    with pytest.raises(TaskError, match="only the published words of parity have a P"):
        odd(p_one=0.1, protocol="audited")
    with pytest.raises(ConfigError, match="p_one"):
        odd(p_one="half")


def test_shortcuts_see_every_remainder_of_the_lengths(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of the lengths of D_2 have members at half of the words: majority is right at 3 in 4."""
    plan = make_plan(parse("d-2"), "regular-gpt", preset="smoke", settings=SMALL)
    run = train(plan, device="cpu")
    summary = measure(run, lengths=range(41, 501), words=2).values
    assert summary["shortcuts"]["majority"] == pytest.approx(0.75, abs=1e-9)
    assert len(summary["shortcut_lengths"]) == 60

    seeds = []

    def watch(*arguments: Any) -> dict[str, float]:
        seeds.append(arguments[3].initial_seed())
        return {"majority": 0.5}

    monkeypatch.setattr("lengthwise.evaluation.shortcuts.shortcut_accuracies", watch)
    measure(run, lengths=[4], words=2, seed=7)
    assert seeds != [7]  # other words than those of the test


def test_share_of_ones_is_a_number() -> None:
    with pytest.raises(ConfigError, match="p_one='half' must be a number"):
        make_plan(parse("parity"), "regular-gpt", settings={"p_one": "half"})
