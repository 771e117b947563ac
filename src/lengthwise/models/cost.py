"""What does an answer cost? Floating-point operations of one word, counted as they are run."""

import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from lengthwise.models.decoder import Decoder
from lengthwise.models.gpt2 import Body
from lengthwise.models.language_model import LanguageModel
from lengthwise.models.recurrent import Recurrent
from lengthwise.models.regular_gpt import RegularGPT


def trained_parameters(model: nn.Module) -> int:
    """How many numbers training changes."""
    return sum(p.numel() for p in model.parameters() if p.requires_grad)


@torch.no_grad()
def forward_flops(model: nn.Module, vocab_size: int, length: int, *, seed: int = 0) -> int:
    """Multiplications and additions of the matrix products for one random word, read alone.

    Of a RegularGPT every node of the tree is counted, though it computes equal sub-words once.
    """
    generator = torch.Generator().manual_seed(seed)
    tokens = torch.randint(vocab_size, (1, length), generator=generator)
    if isinstance(model, Recurrent):  # torch's own cells are one operation, which is not counted
        per_symbol = sum(p.numel() for p in model.cell.parameters() if p.ndim == 2)
        return 2 * (length * per_symbol + model.answer.weight.numel())
    counter = FlopCounterMode(display=False)
    with counter:
        if isinstance(model, RegularGPT):
            model(tokens, share=False)
        elif isinstance(model, Decoder | Body | LanguageModel):
            model(tokens)
        else:
            model(tokens, torch.tensor([length]))
    return int(counter.get_total_flops())
