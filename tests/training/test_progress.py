"""What a person sees who does not sit at a terminal."""

import pytest

from lengthwise.training.progress import counting_progress, training_progress

RECORD = {"loss": 0.25, "accuracy": 0.5, "words_per_second": 1234.0}


def test_lines_come_at_once_at_validations_and_not_for_every_step(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with training_progress("parity", 100) as progress:
        for step in range(1, 51):
            progress.update(step, RECORD)
        progress.update(51, {**RECORD, "validation_accuracy": 1.0})
    out, err = capsys.readouterr()
    first, second = err.splitlines()
    assert out == ""
    assert first == "parity: step 1/100, loss 0.2500, accuracy 50.0 %, 1234 words/s"
    assert second.startswith("parity: step 51/100, loss 0.2500")
    assert "validation 100.00 %, at most " in second


def test_counting_says_nothing_of_work_that_is_done_at_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with counting_progress("testing") as progress:
        progress(1, 2)
    assert capsys.readouterr().err == ""
