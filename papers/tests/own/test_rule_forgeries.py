"""No forged certificate of an addition is accepted with a false statement; one would be seen."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lengthwise.proofs.check import rule_certificate
from lengthwise.proofs.check.local_rule import addition_table
from lengthwise.proofs.check.rule_certificate import prove_rule
from lengthwise_papers.own.rule_forgeries import forge, is_true
from pointer_adder import adder_weights


def test_no_forgery_is_accepted_with_a_false_statement(tmp_path: Path) -> None:
    results = forge(prove_rule(adder_weights()), 27, 0, tmp_path)
    assert sum(results.values()) == 27
    assert results["refused"] > 9
    assert any(name.startswith("accepted, equivalent") for name in results)
    assert not any(name.endswith("false") for name in results), results
    assert not list(tmp_path.iterdir())


def test_a_checker_that_does_not_look_at_the_weights_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = addition_table()
    true = prove_rule(adder_weights())
    monkeypatch.setattr(
        rule_certificate,
        "judge_rows",
        lambda rows, weights: (np.array([right[row] for row in rows]), np.ones(len(rows))),
    )
    results = forge(true, 27, 0, tmp_path)
    assert any(name.endswith("false") for name in results), results


def test_the_oracle_tells_true_statements_from_false_ones() -> None:
    weights = adder_weights()
    right = prove_rule(weights)
    assert is_true(right)
    claimed = replace(right, verdict="counterexample", wrong=((1,), (1,)))
    assert not is_true(claimed)
    weights["read"][2, 0, 1, 0] = 0.0
    found = prove_rule(weights)
    assert is_true(found)
    assert not is_true(replace(right, weights=weights))
