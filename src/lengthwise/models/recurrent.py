r"""Recurrent networks that classify a word by the state at its end: Elman's, GRU and LSTM.

The sequential baselines of Deletang et al. (2023), which Chi et al. (2023, Table 1) repeat: symbols
enter one-hot, torch's own cell reads them from left to right, and a linear map reads the state. The
empty word is read from the initial state, which is zero.

    elman       $h' = \tanh(W x + U h + b)$
    elman-relu  $h' = \max(0, W x + U h + b)$, the study's own recurrent network
    gru         Cho et al. (2014), in torch's form
    lstm        Hochreiter and Schmidhuber (1997) with forget gates, in torch's form; h is read

Axes:
    word      words of a batch
    time      positions of a row; a word takes the last ones
    position  positions of words that fill their rows
    state     numbers that the answer is read from
    class     classes
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Annotated, Literal

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn
from torch.nn import functional as F

from lengthwise.layers.long_words import read_long_word
from lengthwise.layers.right_aligned import ClassLogits, FullWords, Lengths, Words, longest_of
from lengthwise.models.alignment import align_left, gather_ends
from lengthwise.models.common_settings import NumClasses, NumLayers, VocabSize
from lengthwise.models.transformer_config import NetworkConfig
from lengthwise.registry import Catalogue
from lengthwise.settings import Setting

POSITIONS_AT_ONCE = 2**15
"""About how many states a cell computes in one call, so that long words need little memory."""

_LONG = 64
"""Symbols from which one word is read with cheaper operations."""

CELLS: Catalogue[Callable[[int, int, int], nn.RNNBase]] = Catalogue(
    "cell",
    {
        "elman": partial(nn.RNN, nonlinearity="tanh"),
        "elman-relu": partial(nn.RNN, nonlinearity="relu"),
        "gru": nn.GRU,
        "lstm": nn.LSTM,
    },
)
"""From the widths of inputs and states, and the number of layers."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RecurrentConfig(NetworkConfig):
    """Shape of the network. The defaults are those of the Chomsky-hierarchy study."""

    vocab_size: VocabSize
    num_classes: NumClasses
    cell: Annotated[
        Literal["elman", "elman-relu", "gru", "lstm"],
        Setting(meaning="Kind of cell."),
    ]
    d_model: Annotated[int, Setting(meaning="Numbers in a state.", least=1)] = 256
    num_layers: NumLayers = 1


class Recurrent(nn.Module):
    """Right-aligned words to the logits of their classes, a symbol after the other."""

    def __init__(self, config: RecurrentConfig) -> None:
        super().__init__()
        self.config = config
        self.cell = CELLS[config.cell](config.vocab_size, config.d_model, config.num_layers)
        self.answer = nn.Linear(config.d_model, config.num_classes)

    def initialise(self, generator: Generator) -> None:
        """Draw all weights: N(0, 1/inputs) for matrices, as the study does, without its cut tails;
        biases are 0, and 1 for the forget gates of an LSTM."""
        with torch.no_grad():
            for name, parameter in self.named_parameters():
                if parameter.ndim == 2:
                    parameter.normal_(0.0, parameter.shape[1] ** -0.5, generator=generator)
                    continue
                parameter.zero_()
                if self.config.cell == "lstm" and name.startswith("cell.bias_ih"):
                    parameter[self.config.d_model : 2 * self.config.d_model] = 1.0

    def flops(self, length: int) -> int:
        """Return the operations for one word: torch counts none of its own cells."""
        per_symbol = sum(p.numel() for p in self.cell.parameters() if p.ndim == 2)
        return 2 * (length * per_symbol + self.answer.weight.numel())

    def forward(
        self, tokens: Words, lengths: Lengths | None = None, *, generator: Generator | None = None
    ) -> ClassLogits:
        """Return the logits of the class of each right-aligned word.

        Nothing is random here, so `generator` is left alone.

        Raises:
            WordError: a word does not fit into its row, or, outside training, has a symbol that is
                none.
        """
        # All words begin together, so that all start from the initial state; what is read past the
        # end of a word is never looked at.
        longest = longest_of(tokens, None if self.training else lengths)
        symbols, lengths = align_left(
            tokens, lengths, self.config.vocab_size, checked=not self.training
        )
        states = (part.transpose(0, 1) for part in self._states(symbols[:, :longest]))
        initial = self.answer.weight.new_zeros(len(symbols), 1, self.config.d_model)
        last = gather_ends(chain([initial], states), lengths)
        return self.answer(last)

    def every_position(
        self, tokens: FullWords, generator: Generator | None = None
    ) -> Float[Tensor, "word position class"]:
        """Return the logits of every prefix: `every_position(x)[:, t]` is `forward(x[:, : t + 1])`.

        Nothing is random here, so `generator` is left alone.
        """
        if not tokens.numel():
            return self.answer.weight.new_zeros(*tokens.shape, self.config.num_classes)
        return self.answer(torch.cat(list(self._states(tokens)))).transpose(0, 1)

    def _reads_alone(self, symbols: FullWords) -> bool:
        """Return whether this is one long word, and nobody looks at calls of the cell."""
        is_long = len(symbols) == 1 and symbols.shape[1] >= _LONG
        is_plain = symbols.device.type == "cpu" and not self.cell._forward_hooks
        is_numpy = self.answer.weight.dtype in (torch.float32, torch.float64)
        return is_long and is_plain and is_numpy and not torch.is_grad_enabled()

    def _states(self, symbols: FullWords) -> Iterator[Float[Tensor, "part word state"]]:
        """Return the states after each symbol, a stretch of positions after the other."""
        at_once = max(1, POSITIONS_AT_ONCE // max(1, len(symbols)))
        cell, state = self.cell, None
        reads_alone = self._reads_alone(symbols)
        for part in torch.split(symbols.t(), at_once):
            if reads_alone and isinstance(cell, nn.GRU | nn.RNN):
                states, state = read_long_word(cell, part[:, 0], state)
                yield states
            elif part.numel():
                inputs = F.one_hot(part, self.config.vocab_size).to(self.answer.weight.dtype)
                states, state = cell(inputs, state)
                yield states
