r"""A decoder whose heads find cells by their number, so that it learns one rule for every size.

Each symbol of a sequence is a cell: a letter and a number, such as c2. To write the cell of number
i, the network reads, for each letter and each offset in `OFFSETS`, the cell of that letter with
number $t = i + \mathrm{offset}$. A head does so by attention with queries $(2t, -1, t^2 - 1/2)$ and
keys $(j, j^2, 0)$ of its letter's cells and $(0, 0, 1)$ of a blank:

$$2tj - j^2 = t^2 - (t - j)^2, \qquad \text{and for the blank}\quad t^2 - 1/2 .$$

So the cell t is ahead of the blank by 1/2 and of every other cell by 1; where it does not exist, or
is not written yet, the blank is ahead by 1/2. Logits are `SHARPNESS` times that, so the weights are
within 1e-6 of 0 and 1, however many cells there are. What is read, and the letter that is to be
written, are vectors that add up; ReLU and a linear map give the logits. The rest of the word, and
the size of the numbers, cannot matter: what is learned is a finite table.

Squares less 1/2 are exact in the type of the weights up to half the inverse of its unit roundoff:
for numbers to 2,896 in float32, and to 67,108,864 in float64.

Axes:
    word      words of a batch
    position  positions of a word, from the left
    asked     those of them whose answers are asked for
    letter    letters of cells
    offset    offsets in `OFFSETS`
    cell      cells of a sequence, and the blank as the last one
    content   symbols, and the blank as the last one
    width     numbers in a vector
    symbol    the vocabulary
"""

import re
from dataclasses import dataclass
from typing import Annotated

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor, nn
from torch.nn import functional as F

from lengthwise.errors import CircuitError, WordError
from lengthwise.layers.right_aligned import FullWords
from lengthwise.models.common_settings import VocabSize, Width
from lengthwise.models.completion import require_completion
from lengthwise.models.entry import Architecture
from lengthwise.models.transformer_config import NetworkConfig
from lengthwise.settings import Setting

OFFSETS = (-1, 0)
"""Numbers of cells that are read, less that of the cell that is written."""

SHARPNESS = 32.0
"""Factor on logits: a power of 2, so that it rounds nothing."""

_CELL = re.compile(r"([a-z]+)([0-9]{1,9})")


@dataclass(frozen=True, kw_only=True, slots=True)
class PointerDecoderConfig(NetworkConfig):
    """Shape of the network."""

    vocab_size: VocabSize
    cells: Annotated[str, Setting(meaning="Names of a sequence's symbols, such as `a1 b1 e1`.")]
    d_model: Width = 64

    def __post_init__(self) -> None:
        NetworkConfig.__post_init__(self)
        self.numbered_cells()  # raises

    def numbered_cells(self) -> list[tuple[str, int]]:
        """Return letter and number of each cell.

        Raises:
            CircuitError: a name is of another form.
        """
        names = self.cells.split(" ")
        found = [_CELL.fullmatch(name) for name in names]
        for name, match in zip(names, found, strict=True):
            if match is None:
                raise CircuitError(
                    f"pointers find cells by letters and a number, such as c2, but {name!r:.40} is "
                    f"not of that form. Rename it, or use --model step-decoder."
                )
        return [(match[1], int(match[2])) for match in found if match]


class PointerDecoder(nn.Module):
    """Words to the logits of the next symbol at every position."""

    letter: Tensor
    number: Tensor
    units: Tensor

    def __init__(self, config: PointerDecoderConfig) -> None:
        super().__init__()
        self.config = config
        cells = config.numbered_cells()
        letters = sorted({letter for letter, _ in cells})
        numbers = {letter: place for place, letter in enumerate(letters)}
        self.register_buffer("letter", torch.tensor([numbers[c] for c, _ in cells]), False)
        self.register_buffer("number", torch.tensor([number for _, number in cells]), False)
        self.register_buffer("units", torch.eye(config.vocab_size), False)
        shape = (len(letters), len(OFFSETS), config.vocab_size + 1, config.d_model)
        self.read = nn.Parameter(torch.empty(shape))
        self.written = nn.Parameter(torch.empty(len(letters), config.d_model))
        self.answer = nn.Linear(config.d_model, config.vocab_size)

    @torch.no_grad()
    def initialise(self, generator: Generator) -> None:
        """Draw vectors, which add up to about N(0, 1), and the answer; biases are 0."""
        terms = 1 + self.read[:, :, 0, 0].numel()
        self.read.normal_(0.0, terms**-0.5, generator=generator)
        self.written.normal_(0.0, terms**-0.5, generator=generator)
        self.answer.weight.normal_(0.0, self.config.d_model**-0.5, generator=generator)
        self.answer.bias.zero_()

    def forward(
        self, tokens: FullWords, *, first: int = 0, generator: Generator | None = None
    ) -> Float[Tensor, "word asked symbol"]:
        """Return the logits of the symbol at position i + 1, for every position i from `first` on.

        Raises:
            WordError: the words have more symbols than there are cells to write after them.
        """
        asked = torch.arange(first, tokens.shape[1], device=tokens.device)
        return self._write(self._show(tokens), asked)

    @torch.no_grad()
    def complete(self, prefix: FullWords, steps: int) -> Int[Tensor, "word longer"]:
        """Return the words with `steps` more symbols, each the likeliest (the first of a tie).

        Raises:
            WordError: the prefix is empty, there are too few cells, or the words would shrink.
        """
        require_completion(prefix, steps)
        start = prefix.shape[1]
        words = torch.cat([prefix, prefix.new_zeros(len(prefix), steps)], dim=1)
        shown = self._show(words)
        for stop in range(start, start + steps):
            asked = torch.tensor([stop - 1], device=words.device)
            words[:, stop] = self._write(shown[:, :stop], asked)[:, 0].argmax(dim=-1)
            shown[:, stop] = self._show(words[:, stop])
        return words

    def pointers(
        self, asked: Int[Tensor, " asked"], length: int
    ) -> Float[Tensor, "asked letter offset cell"]:
        """Return the weights of attention on the first `length` cells, and on the blank."""
        kind = self.read.dtype
        number = self.number.to(kind)
        aim = number[asked + 1, None] + torch.tensor(OFFSETS, device=asked.device, dtype=kind)
        key = number[:length]
        score = 2 * aim[..., None] * key - key * key  # [asked, offset, cell]
        letters = torch.arange(len(self.read), device=asked.device)
        seen = torch.arange(length, device=asked.device) <= asked[:, None]
        own = (self.letter[:length] == letters[:, None]) & seen[:, None]  # [asked, letter, cell]
        score = score[:, None].masked_fill(~own[:, :, None], -torch.inf)
        blank = (aim * aim - 0.5)[:, None, :, None].expand(-1, len(self.read), -1, -1)
        return (SHARPNESS * torch.cat([score, blank], dim=-1)).softmax(dim=-1)

    def _show(self, tokens: Tensor) -> Float[Tensor, "*tokens symbol"]:
        """Return symbols as unit vectors."""
        return self.units[tokens]

    def _write(
        self, shown: Float[Tensor, "word position symbol"], asked: Int[Tensor, " asked"]
    ) -> Float[Tensor, "word asked symbol"]:
        length = shown.shape[1]
        if length >= len(self.number):
            raise WordError(
                f"this decoder reads at most {len(self.number) - 1} symbols, but the words have "
                f"{length}. Give shorter words."
            )
        weights = self.pointers(asked, length)
        read = torch.einsum("aloc,wcs->walos", weights[..., :-1], shown)
        blank = weights[..., -1:].expand(len(shown), *weights.shape[:-1], 1)
        vectors = torch.einsum("walos,losd->wad", torch.cat([read, blank], dim=-1), self.read)
        return self.answer(F.relu(vectors + self.written[self.letter[asked + 1]]))


POINTER_DECODER = Architecture(config=PointerDecoderConfig, module=PointerDecoder)
