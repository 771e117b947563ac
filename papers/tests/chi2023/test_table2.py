"""Table 2: means beside the print."""

import pytest

from lengthwise_papers.chi2023 import table2
from lengthwise_papers.chi2023.table1 import TABLE_1
from lengthwise_papers.experiment import Record
from trained_records import make_test_record, record


def test_table_2_sets_means_beside_the_print() -> None:
    tests = {table2.SAME: make_test_record({}), table2.FARTHER: make_test_record({"41": 2})}
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
        tests = {table2.SAME: make_test_record(same), table2.FARTHER: make_test_record(farther)}
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
        found = {("transformer", share): same(0.99, seeds) for share in table2.SHARES}
        found["transformer", table2.SHARES[-1]] = same(most, seeds)
        (statement,) = table2._poor_with_most_ones(found)
        return statement.verdict

    def same(accuracy: float, seeds: int) -> table2.Cell:
        wrong = {"40": round(1000 * (1 - accuracy))}
        right = {"lengths": "40", "words_per_length": 1000, "missing": [], "wrong": wrong}
        test = {**right, "mean_accuracy": accuracy}
        return table2.Cell([{"tests": {table2.SAME: test}}] * seeds)

    assert verdict(0.78) == "yes"
    assert verdict(0.91) == "no"
    assert verdict(0.91, seeds=1) == "open"


def test_networks_trained_at_one_half_are_tested_at_every_share() -> None:
    runs = table2.TABLE_2.runs(table2.TABLE_2.presets["smoke"], ())
    for run in runs:
        asked = {(test.name.partition(", P")[0], test.p_one) for test in run.job.tests}
        trained_at_half = run.column == f"P(1) = {table2.HALF}"
        others = (
            [share for share in table2.SHARES if share != table2.HALF] if trained_at_half else []
        )
        assert asked == {(t, p) for t in (table2.SAME, table2.FARTHER) for p in (None, *others)}
        assert all(test.name.endswith(f"= {test.p_one}") for test in run.job.tests if test.p_one)


def test_a_share_that_training_never_had_is_another_reading() -> None:
    """The RNN is right at every share, the Transformer at that of training alone."""

    def run(model: str, same: dict[float, int], farther: int) -> Record:
        tests = {}
        for share in table2.SHARES:
            of = None if share == table2.HALF else share
            wrong = {"41": same.get(share, 0)}
            tests[table2._name(table2.SAME, of)] = make_test_record(wrong, lengths="41")
            tests[table2._name(table2.FARTHER, of)] = make_test_record(
                {"41": farther}, lengths="41"
            )
        return record(model, f"P(1) = {table2.HALF}", 0, {}, tests=tests)

    lost = {0.1: 5, 0.3: 3, 0.7: 4, 0.9: 6}
    records = [run("rnn", {}, 0), run("transformer", lost, 5)]
    _, rows = table2.table(records)
    shown = {(row[0], row[1], row[2]): row[3:] for row in rows}
    assert shown[table2.SAME, "Transformer", table2.ELSEWHERE] == [
        f"{value:.1f} (1 seed)" for value in (50.0, 70.0, 100.0, 60.0, 40.0)
    ]
    assert shown[table2.SAME, "Transformer", "measured"] == ["", "", "100.0 (1 seed)", "", ""]
    found = {
        (one.says[:20], one.variant): (one.verdict, one.measured) for one in table2.check(records)
    }
    assert found["RNN has 100 in every", table2.ELSEWHERE] == (
        "yes",
        "least 100.0 (P(1) = 0.1, same length), of 10 cells",
    )
    far = "50.0 to 50.0, and at 40 symbols 40.0 to 100.0"
    assert found["a Transformer is far", table2.ELSEWHERE] == ("yes", far)
    assert found["a Transformer is poo", table2.ELSEWHERE][0] == "yes"
    assert ("a Transformer is poo", "") not in found
    older = run("rnn", {}, 0) | {"seed": 1}
    older["tests"] = {name: older["tests"][name] for name in (table2.SAME, table2.FARTHER)}
    cells_ = table2.readings([*records, older])
    assert [len(each["rnn", table2.HALF].runs) for each in cells_.values()] == [2, 1]
    alone = [one for one in table2.check(records[:1]) if "Transformer" in one.says]
    assert [(one.variant, one.verdict, one.measured) for one in alone] == [
        (table2.ELSEWHERE, "open", "the Transformer was not run")
    ] * 2
    assert [one.variant for one in table2.check(records)] == ["", table2.ELSEWHERE] * 2 + [
        table2.ELSEWHERE
    ]
