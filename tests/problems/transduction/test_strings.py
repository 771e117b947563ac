"""Batches of strings: placeholders after them, and which symbols of outputs are scored."""

import pytest
import torch

from lengthwise.errors import TaskError, WordError
from lengthwise.problems.transduction.strings import draw_strings, encode_strings
from lengthwise.tasks.chomsky_tasks import TRANSDUCTIONS


@pytest.mark.parametrize("name", TRANSDUCTIONS)
def test_a_batch_says_what_the_task_says(name: str) -> None:
    task, generator = TRANSDUCTIONS[name], torch.Generator().manual_seed(0)
    for length in (task.shortest, 9, 20):
        drawn = draw_strings(task, length, 4, generator)
        size = task.output_length(length)
        assert drawn.tokens.shape == (4, length + size)
        assert (drawn.tokens[:, length:] == len(task.symbols)).all()
        for tokens, targets, is_scored in zip(*drawn, strict=True):
            word = "".join(task.symbols[code] for code in tokens[:length])
            output = "".join(task.outputs[code] for code in targets)
            answer = task.answer(word)
            assert output == answer.ljust(size, "0")
            assert is_scored.tolist() == [place < len(answer) for place in range(size)]


def test_strings_follow_from_the_generator() -> None:
    task = TRANSDUCTIONS["bucket-sort"]
    first, again, other = (
        draw_strings(task, 12, 3, torch.Generator().manual_seed(seed)).tokens for seed in (1, 1, 2)
    )
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


def test_other_symbols_and_lengths_are_refused() -> None:
    task = TRANSDUCTIONS["binary-addition"]
    with pytest.raises(WordError, match="has 'x', which is not one of '01\\+'"):
        encode_strings(task, ["01+1x"])
    for length, count in ((2, 5), (9, 0)):
        with pytest.raises(TaskError, match="have at least 3 symbols"):
            draw_strings(task, length, count, torch.Generator())
