"""Certificates of additions: what is saved is loaded, and only what follows is accepted."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

from lengthwise.errors import CertificateError
from lengthwise.proofs.check.local_rule import addition_table
from lengthwise.proofs.check.rule_certificate import RuleCertificate, check_rule, prove_rule
from pointer_adder import adder_weights


def wrong_weights() -> dict[str, Any]:
    """Return weights that lose the carry out of a bit, if there was one into it."""
    weights = adder_weights()
    weights["read"][2, 0, 1, 0] = 0.0
    return weights


def test_what_is_proved_is_saved_loaded_and_checked(tmp_path: Path) -> None:
    for kind, ranges in (
        (np.float32, "in float32 to 2,895, in float64 to 67,108,863 bits"),
        (np.float64, "for every n, in float64 to 67,108,863 bits"),
    ):
        proved = prove_rule(adder_weights(kind))
        assert proved.verdict == "equivalent"
        assert ranges in proved.statement
        proved.save(tmp_path / "rule.json")
        checked = check_rule(RuleCertificate.load(tmp_path / "rule.json"))
        assert checked.table == addition_table()
        assert checked.to_bytes() == proved.to_bytes()
    assert proved.summary()["rows"] == 112
    assert proved.summary()["parameters"] == 122
    assert proved.margin == pytest.approx(4.0, abs=1e-2)


def test_wrong_weights_have_a_shortest_wrong_sum() -> None:
    found = prove_rule(wrong_weights())
    assert found.verdict == "counterexample"
    assert found.wrong == ((1, 0), (1, 1))
    assert "a wrong carry or a wrong sum for 1 + 3, numbers of 2 bits" in found.statement
    assert found.margin is None


def test_uncertain_weights_prove_nothing() -> None:
    weights = adder_weights()
    weights["answer.weight"][:] = 0.0
    found = prove_rule(weights)
    assert found.verdict == "counterexample"  # the bias alone answers 0
    weights["answer.bias"][:] = 0.0
    found = prove_rule(weights)
    assert (found.verdict, found.table) == ("not-closed", {})
    assert found.statement.startswith("Nothing is proved: what the decoder writes is certain in 0")


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"verdict": "not-closed"}, "verdict"),
        ({"wrong": ((1,), (1,))}, "wrong"),
        ({"table": {}}, "table"),
        ({"weights": wrong_weights()}, "verdict"),
        ({"weights": {}}, "weights"),
        ({"weights": {**adder_weights(), "more": np.zeros(1, np.float32)}}, "weights"),
        ({"weights": {**adder_weights(), "written": np.zeros((4, 4))}}, "weights"),
    ],
)
def test_what_does_not_follow_is_refused(change: dict[str, Any], part: str, tmp_path: Path) -> None:
    replace(prove_rule(adder_weights()), **change).save(tmp_path / "rule.json")
    with pytest.raises(CertificateError, match=f"the certificate does not hold.* the {part} "):
        check_rule(RuleCertificate.load(tmp_path / "rule.json"))


def test_damaged_files_are_refused_in_a_line(tmp_path: Path) -> None:
    path = tmp_path / "rule.json"
    prove_rule(adder_weights()).save(path)
    content = path.read_text()
    body = json.loads(content)
    for damaged in (
        "",
        "[]",
        content[:-2],
        content.replace('"bit":1', '"bit":0', 1),
        json.dumps(body),
        json.dumps({**body, "more": 1}),
        content.replace('"margin":', '"margin":1'),
    ):
        path.write_text(damaged)
        with pytest.raises(CertificateError) as error:
            RuleCertificate.load(path)
        assert "\n" not in str(error.value)
    with pytest.raises(CertificateError, match="cannot be read"):
        RuleCertificate.load(tmp_path / "none.json")


def test_a_run_has_the_certified_weights_and_writes_the_same_cells(tmp_path: Path) -> None:
    proved = prove_rule(adder_weights())
    with pytest.raises(CertificateError, match="cannot be read"):
        proved.require_run(tmp_path)
    order = ["c2", "c3", "e1", "e2"]
    for written, weights, fault in (
        (order, adder_weights(), None),
        (order, wrong_weights(), "DIFFERS"),
        (["e1", "c2", "e2", "c3"], adder_weights(), "another order"),
    ):
        config = {"problem": {"steps": {"order": written}}, "objective": {"supervision": "strong"}}
        (tmp_path / "config.json").write_text(json.dumps(config))
        save_file(weights, tmp_path / "model.safetensors")
        if fault is None:
            proved.require_run(tmp_path)
        else:
            with pytest.raises(CertificateError, match=fault):
                proved.require_run(tmp_path)
