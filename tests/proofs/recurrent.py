"""Recurrent networks with codes to certify, and the automaton of one by running it."""

from typing import Any

import torch

from lengthwise.languages.language import Language
from lengthwise.models.binary_recurrent import BinaryRecurrent
from lengthwise.models.binary_recurrent_config import BinaryRecurrentConfig


def random_recurrence(seed: int, *, dtype: torch.dtype = torch.float64, **values: Any) -> Any:
    """A network that never learned anything, over two symbols and two classes."""
    shape = {"vocab_size": 2, "num_classes": 2, "cell": "gru", "d_model": 6, "num_bits": 3}
    model = BinaryRecurrent(BinaryRecurrentConfig.from_dict({**shape, **values}))
    generator = torch.Generator().manual_seed(seed)
    model.initialise(generator)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.3 * torch.randn(parameter.shape, generator=generator))
        model.memory.write.weight.mul_(3)
    return model.to(dtype).eval()


@torch.no_grad()
def automaton_of(model: BinaryRecurrent) -> Language:
    """The automaton whose states are the codes that the running network reaches, not minimal."""
    start = model.memory.code(model.start[None])[0]
    codes, number, rows = [start], {tuple(start.tolist()): 0}, []
    for code in codes:  # grows while it runs
        row = []
        for symbol in range(model.config.vocab_size):
            vector = model.cell(model.memory.recall(code[None]), torch.tensor([symbol]))
            after = model.memory.code(vector)[0]
            key = tuple(after.tolist())
            if key not in number:
                number[key] = len(codes)
                codes.append(after)
            row.append(number[key])
        rows.append(tuple(row))
    answers = model.read(model.memory.recall(torch.stack(codes))).argmax(dim=1)
    return Language(
        alphabet=tuple("abcdef"[: model.config.vocab_size]),
        transitions=tuple(rows),
        classes=tuple(answers.tolist()),
        class_names=tuple(map(str, range(model.config.num_classes))),
    )
