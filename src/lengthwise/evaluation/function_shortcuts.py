"""Shortcuts of functions (`inference.pairs.shortcuts`) on words as in a test.

`symbol alone` is one more, which learns nothing: what the function writes for the word of this one
symbol. It adds without carries.
"""

from collections.abc import Sequence

import numpy as np
import torch

from lengthwise.evaluation.outputs import right_outputs
from lengthwise.inference.pairs.paired import Paired
from lengthwise.inference.pairs.shortcuts import Contexts, learn_rules, right_by_rule
from lengthwise.languages.functions.function import Function
from lengthwise.tasks.task import Task


def rule_accuracies(
    function: Function, task: Task, lengths: Sequence[int], words: int, seed: int
) -> dict[str, float]:
    """Return the share of output symbols that each rule gets right, on words as in a test."""
    generator = torch.Generator().manual_seed(seed + 1)
    symbols = len(function.alphabet)

    def draw(length: int) -> Paired:
        inputs = task.draw(torch.full((words,), length), generator).tokens.numpy()
        return Paired(
            inputs=inputs,
            outputs=right_outputs(function, inputs),
            lengths=np.full(words, length),
            num_symbols=symbols,
            num_outputs=len(function.outputs),
        )

    drawn = [(draw(length), draw(length)) for length in lengths]
    learnt = learn_rules([seen for seen, _ in drawn], function.alphabet, function.outputs)
    alone = np.array([row[0] for row in function.table[0]])
    rules = {
        "copy": learnt["copy"],
        "symbol alone": alone[np.arange(Contexts(symbols).count) % symbols],
        "last symbol": learnt["last symbol"],
        "last two symbols": learnt["last two symbols"],
    }
    right = dict.fromkeys(rules, 0)
    for _, tested in drawn:
        for name, is_right in right_by_rule(rules, tested).items():
            right[name] += int(is_right.sum())
    total = sum(tested.inputs.size for _, tested in drawn)
    return {name: number / total for name, number in right.items()}
