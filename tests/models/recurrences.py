"""Small recurrences for tests: around torch's cells, and with two methods of their own."""

import torch
from torch import Tensor, nn


class Layered(nn.Module):
    """An embedding, a layer of torch, and a linear map of its last output."""

    def __init__(
        self,
        layer: nn.RNNBase,
        width: int = 6,
        *,
        has_own_start: bool = False,
        has_first_token: bool = False,
        sums: bool = False,
    ) -> None:
        super().__init__()
        self.embed = nn.Embedding(3, 4)
        self.layer, self.sums, self.has_first_token = layer, sums, has_first_token
        self.first = nn.Parameter(torch.randn(1, 1, 6)) if has_own_start else None
        self.answer = nn.Linear(width, 2)

    def forward(self, tokens: Tensor) -> Tensor:
        if self.has_first_token:
            tokens = nn.functional.pad(tokens, (1, 0), value=2)
        first = None if self.first is None else self.first.expand(1, len(tokens), -1).contiguous()
        outputs = self.layer(self.embed(tokens), first)[0]
        found: Tensor = self.answer(outputs.sum(dim=1) if self.sums else outputs[:, -1])
        return found


class Looped(nn.Module):
    """A cell of torch in a loop."""

    def __init__(self, cell: nn.RNNCellBase) -> None:
        super().__init__()
        self.embed = nn.Embedding(2, 4)
        self.cell = cell
        self.answer = nn.Linear(6, 2)

    def forward(self, tokens: Tensor) -> Tensor:
        state = None
        for column in self.embed(tokens).unbind(dim=1):
            state = self.cell(column, state)
        found: Tensor = self.answer(state[0] if isinstance(state, tuple) else state)
        return found


class CountedParity(nn.Module):
    """The parity of ones, with a count of symbols beside it, at which the answer may turn over."""

    def __init__(self, turns_at: int = 2**30, unit: float = 1.0) -> None:
        super().__init__()
        self.turns_at, self.unit = turns_at, unit

    def start(self) -> tuple[Tensor, Tensor]:
        state = torch.zeros(1, 2)
        return self.read(state), state

    def step(self, state: Tensor, symbols: Tensor) -> tuple[Tensor, Tensor]:
        parity = (state[:, 0] - symbols).abs()
        after = torch.stack([parity, state[:, 1] + self.unit], dim=1)
        return self.read(after), after

    def read(self, state: Tensor) -> Tensor:
        parity = state[:, 0] * 2 - 1
        parity = torch.where(state[:, 1] > (self.turns_at - 0.5) * self.unit, -parity, parity)
        return torch.stack([-parity, parity], dim=1)


class Positioned(CountedParity):
    """Counts the symbols in itself, not in the state."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def step(self, state: Tensor, symbols: Tensor) -> tuple[Tensor, Tensor]:
        self.count += 1
        logits, after = super().step(state, symbols)
        return logits * self.count, after


class MeanOfBatch(CountedParity):
    """Adds the mean of all words of a batch."""

    def step(self, state: Tensor, symbols: Tensor) -> tuple[Tensor, Tensor]:
        logits, after = super().step(state, symbols)
        return logits + 0.1 * state[:, :1].mean(), after
