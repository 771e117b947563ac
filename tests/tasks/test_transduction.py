"""The contract of a transduction, for each of the catalogue: what is drawn is of its alphabet."""

from random import Random

import pytest

from lengthwise.tasks.chomsky_tasks import TRANSDUCTIONS


@pytest.mark.parametrize("name", TRANSDUCTIONS)
def test_strings_and_outputs_are_of_their_alphabets_and_lengths(name: str) -> None:
    task, random = TRANSDUCTIONS[name], Random(0)
    for length in [*range(task.shortest, task.shortest + 12), 101]:
        word = task.draw(length, random)
        answer = task.answer(word)
        assert len(word) == length
        assert set(word) <= set(task.symbols)
        assert set(answer) <= set(task.outputs)
        assert 1 <= len(answer) <= task.output_length(length)


@pytest.mark.parametrize("name", TRANSDUCTIONS)
def test_the_same_seed_draws_the_same_strings_and_another_seed_others(name: str) -> None:
    task = TRANSDUCTIONS[name]
    first, again, other = (
        [task.draw(30, random) for _ in range(5)] for random in (Random(1), Random(1), Random(2))
    )
    assert first == again
    assert first != other
