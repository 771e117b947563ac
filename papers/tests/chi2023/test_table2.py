"""Table 2: means beside the print."""

import pytest

from lengthwise_papers.chi2023 import table2
from lengthwise_papers.chi2023.table1 import TABLE_1
from lengthwise_papers.experiment import Record
from trained_records import found_by_test, record


def test_table_2_sets_means_beside_the_print() -> None:
    tests = {table2.SAME: found_by_test({}), table2.FARTHER: found_by_test({"41": 2})}
    records = [record("rnn", "P(1) = 0.3", seed, {}, tests=tests) for seed in (0, 1)]
    columns, rows = table2.table(records)
    measured = [dict(zip(columns, row, strict=True)) for row in rows if row[2] == "measured"]
    cells = {(row["test"], row["model"]): row["P(1) = 0.3"] for row in measured}
    assert cells[table2.SAME, "RNN"] == "100.0 (2 seeds)"
    assert cells[table2.FARTHER, "RNN"] == "95.0 (2 seeds)"
    differences = {row[4] for row in rows if row[1:3] == ["RNN", "difference"]}
    assert differences == {"+0.0", "-5.0"}
    (statement,) = table2.check(records)
    assert not statement.holds
    assert statement.measured == "least 95.0 (P(1) = 0.3, extrapolation), of 2 cells"


@pytest.mark.slow
def test_table_2_trains_its_rnn_as_table_1_does_on_parity() -> None:
    runs = table2.TABLE_2.runs(table2.TABLE_2.presets["laptop"], ())
    loops = {run.job.plan.training for run in runs if run.row == "rnn"}
    found = {(loop.steps, loop.learning_rate, loop.beta2, loop.weight_decay) for loop in loops}
    assert found == {(20_000, 3e-3, 0.95, 0.1)}
    of_table_1 = TABLE_1.runs(TABLE_1.presets["laptop"], ())
    [same] = [run for run in of_table_1 if (run.row, run.column) == ("parity", "rnn")][:1]
    assert same.job.plan.training in loops


def test_a_transformer_is_set_beside_an_rnn_that_is_right() -> None:
    def run(model: str, same: dict[str, int], farther: dict[str, int]) -> Record:
        tests = {table2.SAME: found_by_test(same), table2.FARTHER: found_by_test(farther)}
        return record(model, "P(1) = 0.3", 0, {}, tests=tests)

    def says(rnn: dict[str, int], other: dict[str, int]) -> list[tuple[bool | None, str]]:
        found = table2.check([run("rnn", {}, rnn), run("transformer", {"41": 4}, other)])
        return [(one.holds, one.measured) for one in found if "Transformer" in one.says]

    half = {str(n): 5 for n in range(41, 45)}
    assert says({"41": 2}, half) == []
    assert says({}, half) == [(True, "50.0 to 50.0, and at 40 symbols 90.0 to 90.0")]
    assert says({}, {"41": 5}) == [(False, "87.5 to 87.5, and at 40 symbols 90.0 to 90.0")]
    found = table2.check([run("rnn", {}, {}), run("transformer", half, half)])  # it learned nothing
    assert [one.holds for one in found if "Transformer" in one.says] == [False]


def test_many_ones_are_hard_for_a_transformer_at_the_training_length_too() -> None:
    def verdict(most: float, seeds: int = 2) -> str:
        shares = [f"P(1) = {share}" for share in table2.SHARES]
        found = {("transformer", share): [same(0.99)] * seeds for share in shares}
        found["transformer", shares[-1]] = [same(most)] * seeds
        (statement,) = table2._of_most_ones(found)
        return statement.verdict

    def same(accuracy: float) -> Record:
        wrong = {"40": round(1000 * (1 - accuracy))}
        right = {"lengths": "40", "words_per_length": 1000, "missing": [], "wrong": wrong}
        return {"tests": {table2.SAME: {**right, "mean_accuracy": accuracy}}}

    assert verdict(0.78) == "yes"
    assert verdict(0.91) == "no"
    assert verdict(0.91, seeds=1) == "open"
