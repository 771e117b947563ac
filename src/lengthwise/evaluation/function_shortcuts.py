"""Shortcuts of functions: accuracy that rules reach without carrying anything along a word.

    copy              the input symbol itself, or the first of its two digits
    symbol alone      what the function writes for the word of this one symbol: no carry
    last symbol       the most frequent output of the symbol
    last two symbols  the most frequent output of the symbol and the one before it

The last two learn from other words of the same lengths.
"""

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from lengthwise.evaluation.outputs import right_outputs
from lengthwise.languages.functions.function import Function
from lengthwise.tasks.task import Task


def rule_accuracies(
    function: Function, task: Task, lengths: Sequence[int], words: int, seed: int
) -> dict[str, float]:
    """Return the share of output symbols that each rule gets right, on words as in a test."""
    generator = torch.Generator().manual_seed(seed + 1)
    symbols, outputs = len(function.alphabet), len(function.outputs)
    one = np.zeros((symbols, outputs), dtype=np.int64)
    two = np.zeros(((symbols + 1) * symbols, outputs), dtype=np.int64)
    tested = []
    for length in lengths:
        labels = torch.full((words,), length)
        seen, new = (task.draw(labels, generator).tokens.numpy() for _ in range(2))
        answers = right_outputs(function, seen)
        np.add.at(one, (seen, answers), 1)
        np.add.at(two, (_pairs(seen, symbols), answers), 1)
        tested.append((new, right_outputs(function, new)))
    number = {symbol: index for index, symbol in enumerate(function.outputs)}
    copies = np.array([number.get(s, number.get(s[:1], -1)) for s in function.alphabet])
    alone = np.array([row[0] for row in function.table[0]])
    of_one, of_two = one.argmax(axis=1), two.argmax(axis=1)
    right, total = dict.fromkeys(("copy", "symbol alone", "last symbol", "last two symbols"), 0), 0
    for words_of_length, answers in tested:
        total += answers.size
        guesses = (copies, alone, of_one)
        written = [guess[words_of_length] for guess in guesses]
        written.append(of_two[_pairs(words_of_length, symbols)])
        for name, guess in zip(right, written, strict=True):
            right[name] += int((guess == answers).sum())
    return {name: number / total for name, number in right.items()}


def _pairs(words: NDArray[np.int64], symbols: int) -> NDArray[np.int64]:
    """Return a number for each symbol and the one before it, or none at the start."""
    before = np.concatenate([np.full((len(words), 1), symbols), words[:, :-1]], axis=1)
    numbers: NDArray[np.int64] = before * symbols + words
    return numbers
