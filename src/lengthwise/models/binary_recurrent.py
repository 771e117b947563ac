r"""Recurrent networks that keep nothing but bits between symbols, so that they can be proved.

A cell (`layers.cells`) reads a symbol, and binary memory turns the vector after it into m bits.
The next step starts from these bits:

    $h_0 = \mathrm{memory}(s)$, $h_t = \mathrm{memory}(\mathrm{cell}(h_{t-1}, x_t))$

with s a vector that is learned. A linear map reads the class of a word from the last $h_t$. Since
only finitely many codes exist, the network is a finite automaton, and `certify` compares it with a
language at every length. Recurrent networks with discrete states go back to Zeng, Goodman and Smith
(1993).

With the cell `relu` and no norm in memory, the network is sums, products and comparisons: with
weights that are floats, and so rational numbers, it can be evaluated exactly.

Axes:
    word      words of a batch
    time      positions of a row; a word takes the last ones
    position  positions of words that fill their rows
    width     numbers in a vector
    class     classes
"""

from collections.abc import Callable, Iterator, Sequence

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor, nn

from lengthwise.layers.cells import CELLS
from lengthwise.layers.memory import BinaryMemory
from lengthwise.layers.right_aligned import ClassLogits, FullWords, Lengths, Words, longest_of
from lengthwise.models.alignment import align_left
from lengthwise.models.binary_recurrent_config import BinaryRecurrentConfig

_FEW, _LONG = 8, 256
"""Most words, and the least length of the longest, whose steps are remembered."""

_MOST = 4096
"""Most vectors that are remembered."""


class BinaryRecurrent(nn.Module):
    """Right-aligned words to the logits of their classes, by a code after each symbol."""

    def __init__(self, config: BinaryRecurrentConfig) -> None:
        super().__init__()
        self.config = config
        width = config.d_model
        self.start = nn.Parameter(torch.empty(width))
        self.cell = CELLS[config.cell](config.vocab_size, width)
        self.memory = BinaryMemory(
            width, config.num_bits, config.noise, off=0.0, norm=config.has_norm
        )
        self.answer = nn.Linear(width, config.num_classes)

    def initialise(self, generator: Generator) -> None:
        """Draw all weights: N(0, 1) for the start, N(0, 1/bits) for the matrix that reads bits,
        Xavier uniform for the other matrices; the cell draws its own."""
        self.cell.initialise(generator)
        with torch.no_grad():
            self.start.normal_(0.0, 1.0, generator=generator)
            self.memory.read.weight.normal_(0.0, self.config.num_bits**-0.5, generator=generator)
            for linear in (self.memory.write, self.answer):
                nn.init.xavier_uniform_(linear.weight, generator=generator)
                linear.bias.zero_()
            self.memory.read.bias.zero_()
            for name, parameter in self.memory.norm.named_parameters():
                parameter.fill_(1.0 if name == "weight" else 0.0)

    def flops(self, length: int) -> int:
        """Return the operations of the matrix products for one word."""
        memory = self.memory.write.weight.numel() + self.memory.read.weight.numel()
        symbol = self.cell.recurrent.weight.numel() + memory
        return 2 * (memory + length * symbol + self.answer.weight.numel())

    # ---- the functions that everything else is made of -----------------------------------------

    def first(self, generator: Generator | None = None) -> Float[Tensor, "1 width"]:
        """Return the vector before the first symbol."""
        return self.memory(self.start[None], generator)

    def step(
        self,
        vectors: Float[Tensor, "word width"],
        symbols: Int[Tensor, " word"],
        generator: Generator | None = None,
    ) -> Float[Tensor, "word width"]:
        """Return the vectors after a symbol of each word."""
        return self.memory(self.cell(vectors, symbols), generator)

    def read(self, vectors: Float[Tensor, "*axes width"]) -> Float[Tensor, "*axes class"]:
        """Return the logits of the classes of the words that led to the vectors."""
        return self.answer(vectors)

    # ---- words -----------------------------------------------------------------------------------

    def forward(
        self, tokens: Words, lengths: Lengths | None = None, *, generator: Generator | None = None
    ) -> ClassLogits:
        """Return the logits of the class of each right-aligned word.

        Raises:
            WordError: a word does not fit into its row, or, outside training, has a symbol that is
                none.
        """
        # All words begin together, so that all start from the same vector; what is read past the
        # end of a word is never looked at.
        longest = longest_of(tokens, None if self.training else lengths)
        symbols, lengths = align_left(
            tokens, lengths, self.config.vocab_size, checked=not self.training
        )
        first = self.first(generator)
        if self._can_remember(len(symbols), longest):
            rows = zip(symbols.tolist(), lengths.tolist(), strict=True)
            memo = _Steps(self.step, first, self.config.vocab_size)
            return self.read(torch.cat([memo.read(row[:length]) for row, length in rows]))
        last = first.expand(len(symbols), -1)
        for position, vectors in enumerate(self._vectors(symbols[:, :longest], last, generator)):
            last = torch.where((lengths > position)[:, None], vectors, last)
        return self.read(last)

    def _can_remember(self, count: int, longest: int) -> bool:
        """Return whether words are few and long, and nothing but their logits is asked."""
        asked = self.training or torch.is_grad_enabled()
        traced = torch.jit.is_tracing() or torch.compiler.is_compiling()  # type: ignore[attr-defined,no-untyped-call]
        return 0 < count <= _FEW and longest >= _LONG and not asked and not traced

    def every_position(
        self, tokens: FullWords, generator: Generator | None = None
    ) -> Float[Tensor, "word position class"]:
        """Return the logits of every prefix: `every_position(x)[:, t]` is `forward(x[:, : t + 1])`,
        except for noise in training."""
        if not tokens.numel():
            return self.answer.weight.new_zeros(*tokens.shape, self.config.num_classes)
        first = self.first(generator).expand(len(tokens), -1)
        return self.read(torch.stack(list(self._vectors(tokens, first, generator)), dim=1))

    def _vectors(
        self, symbols: FullWords, vectors: Float[Tensor, "word width"], generator: Generator | None
    ) -> Iterator[Float[Tensor, "word width"]]:
        """Yield the vectors after each position."""
        for column in symbols.unbind(dim=1):
            vectors = self.step(vectors, column, generator)
            yield vectors


class _Steps:
    """Reads words one after another, and computes each step from each vector once.

    A vector is one of finitely many, and a step of one word is a function of its bytes and of the
    symbol. So the result is the same, bit by bit, as if all steps of that word were computed.
    """

    def __init__(self, step: Callable[[Tensor, Tensor], Tensor], first: Tensor, count: int) -> None:
        self._step, self._count = step, count
        self._vectors: list[Tensor] = []
        self._number: dict[bytes, int] = {}
        self._table: list[list[int]] = []
        self._symbols = [torch.tensor([symbol], device=first.device) for symbol in range(count)]
        self._number_of(first)

    def read(self, word: Sequence[int]) -> Float[Tensor, "1 width"]:
        """Return the vector after a word."""
        table, state = self._table, 0
        for place, symbol in enumerate(word):
            after = table[state][symbol]
            if after < 0:
                if len(table) >= _MOST:
                    return self._rest(self._vectors[state], word[place:])
                after = self._number_of(self._step(self._vectors[state], self._symbols[symbol]))
                table[state][symbol] = after
            state = after
        return self._vectors[state]

    def _rest(self, vector: Tensor, word: Sequence[int]) -> Tensor:
        for symbol in word:
            vector = self._step(vector, self._symbols[symbol])
        return vector

    def _number_of(self, vector: Tensor) -> int:
        key = vector.cpu().contiguous().view(torch.uint8).numpy().tobytes()
        number = self._number.setdefault(key, len(self._number))
        if number == len(self._table):
            self._vectors.append(vector)
            self._table.append([-1] * self._count)
        return number
