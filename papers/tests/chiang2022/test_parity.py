"""Parity is learned or not by the best seed."""

from lengthwise_papers.chiang2022 import parity
from lengthwise_papers.experiment import Record
from trained_records import make_test_record, record


def test_parity_is_learned_or_not_by_the_best_seed_at_the_lengths_of_training() -> None:
    def run(key: str, seed: int, near: dict[str, int], longest: int = 100) -> Record:
        tests = {
            parity.TRAINED: make_test_record(near),
            parity.FARTHER: make_test_record({"41": 5}),
        }
        return record(f"1..{longest} symbols", key, seed, {}, tests=tests)

    half = {str(n): 5 for n in range(41, 45)}
    records = [run("standard", 0, half), run("standard", 1, half), run("rnn", 0, {}, 10)]
    assert parity.check(records) == []  # nothing shows that there was something to learn
    records.append(run("rnn", 0, {}))
    columns, rows = parity.table(records)
    cells = {tuple(row[:2]): dict(zip(columns, row, strict=True)) for row in rows}
    assert cells["1..100 symbols", "trained lengths"]["encoder"] == "50.0 / 50.0 (2 seeds)"
    assert cells["1..100 symbols", "trained lengths"]["RNN"] == "100.0 (1 seed)"
    assert cells["1..10 symbols", "farther"]["RNN"] == "87.5 (1 seed)"
    (statement,) = parity.check(records)
    assert statement.holds
    (statement,) = parity.check([*records, run("log-length", 0, {"41": 1})])
    assert not statement.holds
    assert "encoder 50.0 %, encoder, scaled by log n 97.5 %" in statement.measured
    assert statement.measured.endswith("RNN on the same words 100.0 %")
    assert parity.check([run("standard", 0, {}, 10), *records[3:]]) == []
