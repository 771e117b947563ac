"""Certificates of additions: what is saved is loaded, and only what follows is accepted."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

from lengthwise.errors import CertificateError
from lengthwise.proofs.check.local_rule import addition_table
from lengthwise.proofs.check.rule_certificate import RuleCertificate, check_rule, prove_rule
from pointer_adder import adder_weights
from proofs.second_checker import second_checker, second_says


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


def changed(draw: Random) -> bytes:
    """Return a certificate whose weights, table, numbers or bytes were changed, or none of them."""
    kind = draw.choice((np.float32, np.float64))
    noise = np.random.default_rng(draw.randrange(2**32))
    size = draw.choice((0.0, 10.0 ** draw.uniform(-3, 1)))
    weights = {
        name: (w + size * noise.standard_normal(w.shape)).astype(kind)
        for name, w in draw.choice((adder_weights, wrong_weights))().items()
    }
    made = prove_rule(weights)
    how = draw.choice(("honest", "honest", "weights", "table", "claim", "shape", "bytes"))
    if how == "weights":
        made = replace(made, weights=adder_weights(kind))
    elif how == "table" and made.table:
        table = dict(made.table)
        letter, read = draw.choice(sorted(table))
        bit = table.pop((letter, read))
        other = (*read[:-1], draw.randrange(-1, 4))
        table[draw.choice((letter, "a", "x")), other] = draw.choice((bit, 1 - bit, 2))
        made = replace(made, table=table)
    elif how == "claim":
        numbers = draw.choice((None, ((1, 0), (1, 1)), ((0, 1), (1, 0)), ((1,), (1,)), ((), ())))
        verdict: Any = draw.choice(("equivalent", "counterexample", "not-closed"))
        made = replace(made, verdict=verdict, wrong=numbers)
    elif how == "shape":
        name = draw.choice(sorted(weights))
        others: list[Any] = [weights[name][..., :-1], weights[name].astype(np.int64)]
        made = replace(made, weights={**weights, name: draw.choice(others)})
    content = bytearray(made.to_bytes())
    if how == "bytes":
        content[draw.randrange(len(content))] = draw.randrange(256)
    return bytes(content)


def compare(count: int, seed: int, folder: Path) -> Counter[str]:
    """Let both checkers decide changed certificates; return how often each case came."""
    draw, found = Random(seed), Counter[str]()
    paths = [folder / f"{number}.json" for number in range(count)]
    for path in paths:
        path.write_bytes(changed(draw))
    for path, second in zip(paths, second_says(second_checker(), paths), strict=True):
        try:
            first = check_rule(RuleCertificate.load(path))
        except CertificateError:
            assert not second.accepted, path.read_bytes()
            found["both refuse"] += 1
            continue
        if first.verdict == "not-closed":
            assert second.why == "this is not so: the certificate claims something."
            found["nothing is claimed"] += 1
        elif second.accepted:
            assert second.why == first.statement
            found[f"both accept, {first.verdict}"] += 1
        else:
            assert second.is_of_rounding, (second.why, path.read_bytes())
            found["the second has no bound"] += 1
    return found


def test_the_second_checker_decides_changed_certificates_alike(tmp_path: Path) -> None:
    found = compare(60, 0, tmp_path)
    assert found["both accept, equivalent"] > 3
    assert found["both accept, counterexample"] > 3
    assert found["both refuse"] > 10


@pytest.mark.slow
def test_the_second_checker_decides_many_changed_certificates_alike(tmp_path: Path) -> None:
    found = compare(3_000, 1, tmp_path)
    print(f"\n{dict(found)}")
    assert min(found["both accept, equivalent"], found["both refuse"]) > 300
    assert found["the second has no bound"] <= 3_000 / 50
