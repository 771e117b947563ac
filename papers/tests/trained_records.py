"""Records of trained models, written down."""

from typing import Any

from lengthwise_papers.cells import accuracy_by_length
from lengthwise_papers.chi2023.table1_columns import FAR, NEAR
from lengthwise_papers.experiment import Record


def make_test_record(wrong: dict[str, int], **more: Any) -> dict[str, Any]:
    """A test of 10 words at each of 41..44."""
    values = {
        "lengths": "41:44",
        "missing": [],
        "words_per_length": 10,
        "protocol": "published",
        "wrong": wrong,
        "shortcuts": {"majority": 0.5},
        **more,
    }
    curve = accuracy_by_length(values)
    values["mean_accuracy"] = sum(curve.values()) / len(curve)
    values["worst_accuracy"] = min(curve.values())
    return values


def record(row: str, column: str, seed: int, wrong: dict[str, int], **more: Any) -> Record:
    return {
        "row": row,
        "column": column,
        "seed": seed,
        "supervision": "final",
        "trained_on": "published, lengths 1..40",
        "settings": {"data": {"max_length": 40}},
        "steps": 10 + seed,
        "perfect": True,
        "seconds": 2.0,
        "parameters": 1234,
        "flops": 2_000_000,
        "tests": {NEAR: make_test_record(wrong)},
        **more,
    }


RECORDS = [
    record("parity", "regular-gpt C=2", 0, {}),
    record("parity", "regular-gpt C=2", 1, {}),
    record("parity", "rnn", 0, {"41": 1}),
    record("parity", "rnn", 1, {"41": 4, "44": 4}),
    record("parity", "transformer", 0, {str(n): 5 for n in range(41, 45)}),
    record(
        "parity",
        "binary",
        0,
        {},
        tests={
            NEAR: make_test_record({"42": 1}),
            FAR: make_test_record({"10000": 3}, lengths="1000,10000"),
        },
    ),
]
