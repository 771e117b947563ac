"""A run, tested: what is stored beside it."""

from pathlib import Path

import pytest

from lengthwise.errors import ConfigError
from lengthwise.experiments.measure import measure
from lengthwise.languages.spec import parse
from lengthwise.training.train import make_plan, train

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


def test_share_of_ones_is_a_number() -> None:
    with pytest.raises(ConfigError, match="p_one='half' must be a number"):
        make_plan(parse("parity"), "regular-gpt", settings={"p_one": "half"})
