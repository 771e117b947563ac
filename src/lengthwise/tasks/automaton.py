"""States and classes that an automaton passes on a batch of words.

Axes:
    word    words of a batch
    time    places of a batch; words are at the right end, with `PAD` left of them
    state   states of the automaton
    symbol  letters of its alphabet
"""

import numpy as np
import torch
from jaxtyping import Int
from torch import Tensor

from lengthwise.errors import WordError
from lengthwise.languages.language import Language

PAD = -1
"""Number on the left of a word that is shorter than its batch."""

_LONG = 1024
"""Few words at least this long are cut into pieces that are read side by side."""


class Automaton:
    """The tensors of a language over all words.

    The machine is `language.total()`: a word outside the domain has the class `num_classes`.
    """

    def __init__(self, language: Language) -> None:
        machine = language.total()
        self.transitions: Int[Tensor, "state symbol"] = torch.tensor(machine.transitions)
        self.classes: Int[Tensor, " state"] = torch.tensor(machine.classes)
        self.start = machine.start
        self.num_classes = language.num_classes
        self.num_states, self.num_symbols = machine.num_states, machine.num_symbols
        stay = torch.arange(self.num_states)[:, None]
        # `_hops[state * width + token + 1]` is the next state times width: two operations a step.
        self._width = self.num_symbols + 1
        self._hops = torch.cat([stay, self.transitions], dim=1).flatten() * self._width

    def states(self, tokens: Int[Tensor, "word time"]) -> Int[Tensor, "word time"]:
        """Return the state after every prefix; `PAD` leaves the state at the start.

        Raises:
            WordError: a token is neither a symbol nor `PAD`.
        """
        self._check(tokens)
        num_words, length = tokens.shape
        start = torch.full((num_words, 1), self.start * self._width)
        columns = (tokens + 1).T.contiguous()
        if length < _LONG or num_words * self.num_states > _LONG:
            return self._read(start, columns)[:, :, 0].T.div(self._width, rounding_mode="floor")
        return self._read_in_pieces(start, columns).div(self._width, rounding_mode="floor")

    def classify(self, tokens: Int[Tensor, "word time"]) -> Int[Tensor, " word"]:
        """Return the class of every word; `num_classes` for words outside the domain."""
        if tokens.shape[1] == 0:
            return self.classes[self.start].expand(tokens.shape[0]).clone()
        return self.classes[self.states(tokens)[:, -1]]

    def prefix_classes(self, tokens: Int[Tensor, "word time"]) -> Int[Tensor, "word time"]:
        """Return the class after every prefix."""
        return self.classes[self.states(tokens)]

    def _check(self, tokens: Int[Tensor, "word time"]) -> None:
        if tokens.numel() and not (tokens.min() >= PAD and tokens.max() < self.num_symbols):
            wrong = tokens[(tokens < PAD) | (tokens >= self.num_symbols)][0].item()
            raise WordError(
                f"token {wrong} is not a symbol. Use 0..{self.num_symbols - 1}, "
                f"and {PAD} left of a word."
            )

    def _read(
        self, start: Int[Tensor, "word origin"], columns: Int[Tensor, "time word"]
    ) -> Int[Tensor, "time word origin"]:
        """Return the states on the way from each of several origins, all times the width."""
        passed = np.empty((columns.shape[0], *start.shape), dtype=np.int64)
        hops, current = self._hops.numpy(), start.numpy()
        for column, after in zip(columns[:, :, None].numpy(), passed, strict=True):
            hops.take(current + column, out=after, mode="clip")
            current = after
        return torch.from_numpy(passed)

    def _read_in_pieces(
        self, start: Int[Tensor, "word one"], columns: Int[Tensor, "time word"]
    ) -> Int[Tensor, "word time"]:
        """Return what `_read` returns, in about sqrt(time) steps: maps of pieces, then states."""
        length, num_words = columns.shape
        size = int(length**0.5)
        pieces = -(-length // size)
        padding = torch.zeros((pieces * size - length, num_words), dtype=torch.int64)
        cut = torch.cat([padding, columns]).reshape(pieces, size, num_words)
        cut = cut.transpose(0, 1).reshape(size, pieces * num_words)

        origins = (torch.arange(self.num_states) * self._width).expand(cut.shape[1], -1)
        for column in cut[:, :, None]:
            origins = torch.take(self._hops, origins + column)
        starts = [start]
        for piece in origins.reshape(pieces, num_words, self.num_states)[:-1]:
            starts.append(piece.gather(1, starts[-1] // self._width))

        passed = self._read(torch.cat(starts), cut).reshape(size, pieces, num_words)
        return passed.permute(2, 1, 0).reshape(num_words, pieces * size)[:, -length:]
