"""Networks whose steps are traced: small sequence layers, and networks of torch's cells."""

import torch
from torch import Tensor, nn

from lengthwise.models.mixer_stack import DeltaProductConfig, MixerStack, MixerStackConfig


def stack_of(mixer: str, seed: int = 0, **settings: int) -> MixerStack:
    """A drawn network of one layer with two heads over three symbols."""
    config = DeltaProductConfig if mixer == "deltaproduct" else MixerStackConfig
    shape = {"vocab_size": 3, "num_classes": 2, "d_model": 8, "num_heads": 2, **settings}
    model = MixerStack(config(mixer=mixer, **shape)).eval()
    model.initialise(torch.Generator().manual_seed(seed))
    return model


class OfCell(nn.Module):
    """An embedding, a recurrent layer of torch, and an answer from its last output."""

    def __init__(self, cell: type[nn.GRU | nn.LSTM | nn.RNN]) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.embed, self.answer = nn.Embedding(3, 4), nn.Linear(4, 2)
        self.cell = cell(4, 4, batch_first=True)

    def forward(self, tokens: Tensor) -> Tensor:
        read: Tensor = self.answer(self.cell(self.embed(tokens))[0][:, -1])
        return read


class Choosing(nn.Module):
    """A step made of rows, choices and their combinations."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.rows, self.answer = nn.Parameter(torch.randn(3, 4)), nn.Linear(4, 2)

    def start(self) -> tuple[Tensor, Tensor]:
        state = self.rows[:1] * 0 + 0.5
        return self.answer(state), state

    def step(self, state: Tensor, symbols: Tensor) -> tuple[Tensor, Tensor]:
        row = nn.functional.leaky_relu(self.rows[symbols] + state, 0.1)
        best, place = row.max(dim=1, keepdim=True)
        is_best = torch.arange(4, device=row.device) == place
        chosen = (is_best | (row < -0.3)) & ~(row > 2)
        mixed = torch.where(chosen, row, row.amin(1, keepdim=True))
        after = (mixed / (1 + best.abs())).abs().add(0.1).log()
        return self.answer(after), after


class Plain(nn.Module):
    """A step of a user's own: a gated sum, whose gate is a choice."""

    scale: Tensor

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.embed, self.answer = nn.Embedding(3, 4), nn.Linear(4, 2)
        self.register_buffer("scale", torch.tensor([1.0, 0.5, 2.0, 1.0]))

    def start(self) -> tuple[Tensor, dict[str, Tensor]]:
        state = {"sum": self.scale.new_zeros(1, 4), "count": self.scale.new_ones(1)}
        return self.answer(state["sum"]), state

    def step(self, state: dict[str, Tensor], symbols: Tensor) -> tuple[Tensor, dict[str, Tensor]]:
        gate = torch.sigmoid(self.embed(symbols)) * self.scale
        mixed = torch.where(gate > 0.5, gate * state["sum"], state["sum"].clamp(-1, 1)) + gate
        normed = mixed / mixed.norm(dim=1, keepdim=True).clamp_min(1e-6)
        return self.answer(normed), {"sum": normed, "count": state["count"] * 0.5}
