"""Table 2: a line for each body."""

import pytest

from lengthwise.problems.planning import make_plan
from lengthwise_papers.experiment import Record
from lengthwise_papers.own import body_sizes
from lengthwise_papers.steps2022 import table2
from step_records import SINE, by_name, record


def test_table_2_has_a_line_for_each_body() -> None:
    def run(kind: str, regime: str, bits: int, exact: float) -> Record:
        plan = make_plan("steps:addition", "gpt2", settings={"body": "python-small"})
        return {
            **record(regime, bits, SINE, exact),
            "column": f"{kind}: python-small",
            "settings": {"network": plan.network.to_dict()},
            "environment": {"body": "random" if kind.startswith("random") else "sha256 012345"},
        }

    records = [
        run("pretrained, frozen", "strong", 8, 1.0),
        run("pretrained, frozen", "weak", 16, 0.01),
        run("random, frozen", "strong", 8, 0.3),
    ]
    lines = by_name(table2.table(records))
    assert lines["strong", "printed: frozen gpt2"]["n = 128"] == "1.0000"
    assert lines["strong", "pretrained, frozen: python-small"]["n = 8"] == "1.0000"
    assert lines["strong", "random, frozen: python-small"]["n = 8"] == "0.3000"
    assert lines["medium", "random, frozen: python-small"]["n = 8"] == "not run"
    assert [one.holds for one in table2.check(records)] == [None, None]
    assert "4 of the paper's cells were not run" in table2.check(records)[0].measured
    every = [run("pretrained, frozen", "strong", n, 1.0) for n in (8, 16, 32, 64, 128)]
    assert [one.holds for one in table2.check(every)] == [True]
    lacks = [*records, run("pretrained, frozen", "weak", 8, 0.5)]
    assert [one.holds for one in table2.check(lacks)] == [None, False, None]
    worse = [run("pretrained, frozen", "strong", 8, 0.9)]
    worse += [run("pretrained, frozen", "medium", 16, 0.1)]
    assert [one.holds for one in table2.check(worse)] == [False, False]
    assert table2.check([run("random, frozen", "strong", 8, 0.0)]) == []
    freer = run("pretrained, positions trained", "strong", 8, 1.0)
    assert [one.holds for one in table2.check([*worse, freer])] == [False, False, None]
    assert "positions trained" in table2.check([freer])[0].variant
    failed = {**run("random, frozen", "weak", 8, 0.0), "error": "ClaimError: the loss is nan"}
    del failed["parameters"]
    _, bodies = table2.bodies_table([*records, failed])
    count = 4 * (12 * 128**2 + 13 * 128) + 2 * 128 + 512 * 128 + 2 * 128 + 128 * 2 + 2
    assert [row[1] for row in bodies] == [f"4 x 128 wide, {count:,} parameters"] * 2
    assert [row[2:] for row in bodies] == [["sha256 012345", "5"], ["random", "5"]]


def test_a_body_is_made_only_for_runs_that_begin_with_its_weights(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[str] = []
    monkeypatch.setattr(table2, "make_named", lambda body, **others: made.append(body))
    sizes = body_sizes.BODY_SIZES.presets["laptop"]

    def makes(*parts: str) -> list[str]:
        made.clear()
        runs = [run for run in body_sizes.runs(sizes, ()) if all(p in run.name for p in parts)]
        assert runs
        body_sizes.prepare(sizes, [run.job for run in runs], lambda done, steps: None)
        return list(made)

    assert makes("random") == []
    assert makes("text-medium", "positions trained") == ["text-medium"]
    assert makes() == list(sizes.bodies)
