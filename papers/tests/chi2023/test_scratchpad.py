"""The scratchpad waits for every symbol."""

import copy

from lengthwise_papers.catalogue import EXPERIMENTS
from lengthwise_papers.chi2023 import scratchpad
from lengthwise_papers.experiment import Record
from trained_records import make_test_record, record


def test_the_scratchpad_waits_for_every_symbol_and_regular_gpt_for_every_level() -> None:
    def run(model: str, seconds: float) -> Record:
        tests = {scratchpad.NEAR: make_test_record({}), scratchpad.FAR: make_test_record({})}
        tests[scratchpad.FAR]["seconds"] = seconds
        return record("parity", model, 0, {}, tests=tests)

    records = [run("scratchpad", 5.0), run("regular-gpt-binary", 0.5)]
    columns, rows = scratchpad.table(records)
    lines = {row[1]: dict(zip(columns, row, strict=True)) for row in rows}
    assert lines["scratchpad"]["steps that wait, T = 500"] == "500"
    assert lines["scratchpad"]["ms a word, T = 500"] == "500.00"
    assert lines["RegularGPT, binary memory"]["steps that wait, T = 500"] == "9"
    (statement,) = scratchpad.check(records)
    assert statement.holds
    assert statement.measured == (
        "for 500 symbols 500 steps in turn, of two tokens, and 9 levels; faster: parity 10 times"
    )
    assert not scratchpad.check([records[0], run("regular-gpt-binary", 6.0)])[0].holds
    assert scratchpad.check(records[:1]) == []
    wrong = copy.deepcopy(records)
    wrong[0]["tests"][scratchpad.NEAR] = make_test_record({"42": 1})
    assert scratchpad.check(wrong) == []  # their time says nothing
    others = copy.deepcopy(wrong)
    for one in others:
        one["row"] = "group:S5"
    others[1]["row"] = "d-2"  # of which there is no scratchpad
    (statement,) = scratchpad.check([*records, *others, {**others[1], "row": "group:S5"}])
    assert statement.holds
    assert statement.measured.endswith(
        "parity 10 times; group:S5 is left out, as it was not learned: scratchpad 97.5 % right"
    )


def test_the_scratchpad_is_printed_with_the_steps_of_the_paper() -> None:
    """Section 2.3 counts a step for each place of the interleaved symbols and states."""
    assert "2T steps of sequential decoding" in EXPERIMENTS["chi2023/scratchpad"].printed
