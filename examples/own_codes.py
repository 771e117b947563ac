"""A network of your own that keeps bits between symbols, explored at every length.

`explore` asks for three functions on bits: the code of the empty word, the code after a symbol, and
the class of a code. This network of threshold units computes parity with two bits.

    python examples/own_codes.py
"""

import numpy as np
import torch
from torch import Tensor, nn

import lengthwise as lw


class Thresholds(nn.Module):
    """Units that are on where a sum of the units before and the symbol is above 1/2."""

    num_symbols = 2

    def __init__(self) -> None:
        super().__init__()
        self.units = nn.Parameter(torch.tensor([[1.0, 1.0], [-1.0, -1.0]]))
        self.symbols = nn.Parameter(torch.tensor([[0.0, -1.0], [0.0, 1.0]]))

    def forward(self, tokens: Tensor) -> Tensor:
        """Return the logits of the classes 0 and 1 for words of one length."""
        bits = torch.zeros(len(tokens), 2)
        for column in tokens.unbind(dim=1):
            bits = (bits @ self.units.T + self.symbols.T[column] > 0.5).float()
        ones = bits.sum(dim=1)
        return torch.stack([0.5 - ones, ones - 0.5], dim=1)

    # What `explore` asks for, on arrays of bits `[prefix, bit]` and symbols `[prefix]`:

    def start(self) -> np.ndarray:
        """Return the code of the empty word."""
        return np.zeros(2, dtype=bool)

    @torch.no_grad()
    def step(self, codes: np.ndarray, symbols: np.ndarray) -> np.ndarray:
        """Return the codes after symbols."""
        bits, given = torch.from_numpy(codes).float(), torch.from_numpy(symbols)
        return (bits @ self.units.T + self.symbols.T[given] > 0.5).numpy()

    def classes(self, codes: np.ndarray) -> np.ndarray:
        """Return the class of the words that led to codes."""
        return torch.from_numpy(codes).any(dim=1).long().numpy()


network = Thresholds()
found = lw.interpret.decide(lw.interpret.CodeRecurrence(network), "parity")
print("right at every length:", found.is_closed)

with torch.no_grad():
    network.symbols[1, 1] = 0.0
found = lw.interpret.decide(lw.interpret.CodeRecurrence(network), "parity")
assert found.wrong is not None
print("shortest wrong word:", lw.language("parity").decode(found.wrong))
