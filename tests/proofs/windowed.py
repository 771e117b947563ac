"""Scratchpads with windows to certify, and the automaton of one by running it."""

from typing import Any

import torch

from lengthwise.languages.language import Language
from lengthwise.models.window_scratchpad import WindowScratchpad
from lengthwise.models.window_scratchpad_config import WindowScratchpadConfig

SMALL = {"vocab_size": 2, "num_classes": 2, "num_states": 5, "d_model": 8, "num_heads": 2}


def random_scratchpad(seed: int, *, dtype: torch.dtype = torch.float64, **values: Any) -> Any:
    """A network that never learned anything, over two symbols and two classes."""
    config = WindowScratchpadConfig.from_dict({**SMALL, "ff_factor": 2, **values})
    model = WindowScratchpad(config)
    generator = torch.Generator().manual_seed(seed)
    model.initialise(generator)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.5 * torch.randn(parameter.shape, generator=generator))
        model.embedding.weight.mul_(3)
    return model.to(dtype).eval()


@torch.no_grad()
def automaton_of(model: WindowScratchpad) -> Language:
    """The automaton whose states are the tokens that the next step sees, not minimal."""
    first = model.first_context
    start = torch.cat([first[0, 2:], model.predict_token(first)])
    kept, number, rows = [start], {tuple(start.tolist()): 0}, []
    for tokens in kept:  # grows while it runs
        row = []
        for symbol in range(model.config.vocab_size):
            context = torch.cat([tokens, torch.tensor([symbol])])
            after = torch.cat([context[2:], model.predict_token(context[None])])
            key = tuple(after.tolist())
            if key not in number:
                number[key] = len(kept)
                kept.append(after)
            row.append(number[key])
        rows.append(tuple(row))
    answers = model.read(torch.stack(kept)[:, -1]).argmax(dim=1)
    return Language(
        alphabet=tuple("abcdef"[: model.config.vocab_size]),
        transitions=tuple(rows),
        classes=tuple(answers.tolist()),
        class_names=tuple(map(str, range(model.config.num_classes))),
    )
