"""Networks with a slot for each state, made by hand for any automaton."""

import torch

from lengthwise.languages.language import Language
from lengthwise.models.state_slots import StateSlots
from lengthwise.models.state_slots_config import StateSlotsConfig, bits_for


@torch.no_grad()
def slots_of(
    language: Language,
    *,
    chunk_size: int = 2,
    noise: float = 0.0,
    dtype: torch.dtype = torch.float32,
) -> StateSlots:
    """A network whose slots are the states of a language, which it answers, with noise on weights.

    The code of a state is its binary number. A hidden unit finds each code, and looks at the slot
    of its state, or gives its class.
    """
    states, bits = language.num_states, bits_for(language.num_states)
    config = StateSlotsConfig(
        vocab_size=language.num_symbols,
        num_classes=language.num_classes,
        num_slots=states,
        num_bits=bits,
        chunk_size=chunk_size,
        d_model=states,
        d_hidden=states,
    )
    model = StateSlots(config)
    for parameter in model.parameters():
        parameter.zero_()
    codes = 2.0 * (torch.arange(states)[:, None] >> torch.arange(bits) & 1) - 1
    model.symbols.copy_(codes[torch.tensor(language.transitions).T])
    model.pad.copy_(codes)
    model.start.copy_(codes[language.start])
    for linear in (model.expand, model.inner):
        linear.weight.copy_(codes)
        linear.bias.fill_(1.0 - bits)  # 1 of the own code is left, and of no other
    model.query.weight.copy_(10.0 * torch.eye(states))
    model.keys.copy_(10.0 * torch.eye(states))
    model.write.weight.copy_(torch.eye(bits))
    classes = torch.tensor(language.classes)
    model.answer.weight.copy_(torch.eye(language.num_classes)[:, classes])
    draw = torch.Generator().manual_seed(states)
    for parameter in model.parameters():
        parameter.add_(noise * torch.randn(parameter.shape, generator=draw))
    return model.to(dtype).eval()
