"""A chunk size that the longer training lengths choose."""

import pytest

from lengthwise_papers.catalogue import EXPERIMENTS
from lengthwise_papers.chi2023 import chunk_size
from lengthwise_papers.chi2023.chunk_size import DECIDING, check, choose
from lengthwise_papers.chi2023.published import PUBLISHED
from lengthwise_papers.chi2023.table1_columns import NEAR
from lengthwise_papers.experiment import Record
from trained_records import make_test_record, record


def run(row: str, chunk: int, deciding: int, near: int) -> Record:
    """A run with so many wrong words of 41 symbols, of 40 words, in each test."""
    tests = {DECIDING: make_test_record({"41": deciding}), NEAR: make_test_record({"41": near})}
    return record(row, f"C={chunk}", 0, {}, tests=tests)


def test_the_longer_training_lengths_choose_and_the_smaller_chunk_wins_a_tie() -> None:
    records = [run("parity", 4, 0, 0), run("parity", 3, 0, 10), run("parity", 2, 4, 0)]
    choice = choose(records)["parity"]
    assert (choice.chosen, choice.best) == ("C=3", "C=2")
    assert choice.lost == pytest.approx(choice.mean("C=2", NEAR) - choice.mean("C=3", NEAR))
    (row,) = chunk_size.table(records).rows
    measured = ["90.0 / 100.0 (1 seed)", "100.0 / 75.0 (1 seed)", "100.0 / 100.0 (1 seed)"]
    assert row == ["parity", *measured, "C=3", "25.0"]


def test_words_of_the_test_choose_nothing() -> None:
    for near in (0, 10):
        assert choose([run("parity", 2, 1, 0), run("parity", 3, 0, near)])["parity"].chosen == "C=3"


def test_one_chunk_size_leaves_nothing_to_choose() -> None:
    assert choose([run("parity", 2, 0, 0)]) == {}
    assert check([run("parity", 2, 0, 0)]) == []


@pytest.mark.parametrize(
    ("second", "holds"),
    [
        ((10, 10), [True, True]),  # each language has a best C of its own, which is chosen
        ((10, 0), [True, False]),  # C = 3 is as good as C = 2 there
        ((0, 10), [False, False]),  # the tie goes to C = 2, which does not carry
    ],
)
def test_statements_fall_with_the_records(second: tuple[int, int], holds: list[bool]) -> None:
    """In the first language C = 2 is right; in the second it has these errors."""
    records = [run("parity", 2, 0, 0), run("parity", 3, 10, 10)]
    records += [run("tomita-5", 2, *second), run("tomita-5", 3, 0, 0)]
    found = check(records)
    assert [one.holds for one in found] == holds
    assert {one.runs for one in found} == {1}


def test_training_has_half_of_the_paper_s_lengths_and_the_test_none_of_them() -> None:
    for cell in chunk_size.runs(EXPERIMENTS["chi2023/chunk-size"].presets["laptop"], ()):
        longest = cell.job.plan.data.max_length
        lengths = {test.name: test.lengths for test in cell.job.tests}
        assert lengths[DECIDING][0] == longest + 1
        assert lengths[DECIDING][-1] == 2 * longest == lengths[NEAR][0] - 1
        assert {n % 2 for n in lengths[NEAR]} == {0, 1}


def test_in_all_rows_the_printed_mean_of_a_larger_chunk_is_lower() -> None:
    assert chunk_size.ROWS == ("parity", "cycle-navigation", "tomita-5", "tomita-6")
    for row in chunk_size.ROWS:
        binary, ternary = (PUBLISHED[row, f"regular-gpt C={chunk}"] for chunk in (2, 3))
        assert ternary.mean < binary.mean - 5
