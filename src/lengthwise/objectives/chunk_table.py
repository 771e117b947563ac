"""The codebook of trees: a network learns the table of a language's algebra in given codes.

From `composition` a network finds its own codes, which takes long where there are hundreds of
meanings: the code of one changes while another is learned. Here every meaning has its code from the
start (`make_codebook`), so levels need not wait for each other: a step draws chunks of symbols and
of codes (`replayed_table`), and the loss is on the signs of the result. The proof is that of
`proofs.search.closure`.
"""

from typing import Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from lengthwise.device_copies import send
from lengthwise.errors import VerificationError
from lengthwise.layers.memory import BinaryMemory
from lengthwise.models.regular_gpt import RegularGPT
from lengthwise.objectives.answers import (
    in_precision,
    masked_cross_entropy,
    sign_loss,
)
from lengthwise.objectives.composition import binary
from lengthwise.objectives.replayed_table import ReplayedTable
from lengthwise.objectives.words import WordsConfig
from lengthwise.proofs.search.binary_algebra import BinaryAlgebra
from lengthwise.proofs.search.closure import explore
from lengthwise.proofs.search.network import node_of
from lengthwise.tasks.codebook import MAX_CHUNKS, make_codebook
from lengthwise.tasks.task import Task
from lengthwise.training.loop import Step

_TOGETHER = 8192
"""Number of chunks that are computed at once."""


class ChunkTable(ReplayedTable):
    """The loss on the signs of every chunk's result, and on the class of every meaning.

    `batch_size` chunks of codes are drawn for a step, and half as many of symbols (or all of them).
    `longest` is the length of the longest words whose chunks are in the table; None for all words.
    """

    share = 4
    few = 16  # a code that differs from the codebook can serve, too

    def __init__(
        self,
        task: Task,
        words: WordsConfig,
        chunk_size: int,
        *,
        longest: int | None,
        replay: bool = True,
        precision: Literal["single", "double"] = "single",
    ) -> None:
        super().__init__(task, words, replay=replay, precision=precision)
        self._table = make_codebook(task.language, chunk_size, longest)
        self._signs = torch.where(self._table.codes, 1.0, -1.0)

    def step(self, model: nn.Module, data: torch.Generator, noise: torch.Generator) -> Step:
        """Return the softplus loss of signs, summed over bits, plus the loss of classes."""
        model, memory = binary(model)
        table, count = self._table, self._words.batch_size
        rows = self._draw(model, len(table.parts), count, data)
        first = torch.arange(len(table.symbols))
        if len(first) > count // 2:
            first = torch.randint(len(first), (max(1, count // 2),), generator=data)
        vectors = self._recall(model, memory)
        sides = torch.cat(
            [self._symbol_sides(model, first, noise), self._sides(model, vectors, rows, noise)]
        )
        loss = sign_loss(sides)
        loss = loss + masked_cross_entropy(model.read(vectors), table.classes)
        right = (sides > 0).all(dim=1).double().mean()
        return Step(loss, right, len(sides))

    def _sides_of_all(
        self, model: nn.Module
    ) -> tuple[Float[Tensor, " symbol"], Float[Tensor, " row"]]:
        model, memory = binary(model)
        training = model.training
        model.eval()
        table = self._table
        first = self._symbol_sides(model, torch.arange(len(table.symbols)), None).amin(dim=1)
        vectors = self._recall(model, memory)
        parts = torch.split(torch.arange(len(table.parts)), _TOGETHER)
        rest = [self._sides(model, vectors, rows, None).amin(dim=1) for rows in parts]
        model.train(training)
        return first.cpu(), torch.cat(rest).cpu()

    def _is_proved(self, model: nn.Module) -> bool:
        model, _ = binary(model)
        algebra = BinaryAlgebra(node_of(in_precision(model, self._precision)))
        try:
            closure = explore(algebra, self._task.language, max_chunks=MAX_CHUNKS)
        except VerificationError:  # more codes than chunks of this size distinguish
            return False
        return closure.repeats is not None and algebra.is_certain

    def _recall(self, model: RegularGPT, memory: BinaryMemory) -> Float[Tensor, "meaning width"]:
        return memory.recall(send(self._table.codes, model.pad.device))

    def _symbol_sides(
        self, model: RegularGPT, rows: Int[Tensor, " row"], noise: torch.Generator | None
    ) -> Float[Tensor, "row bit"]:
        below = model.leaf(torch.arange(model.config.vocab_size, device=model.pad.device))
        table = self._table
        return self._on_side(model, below, table.symbols[rows], table.symbol_results[rows], noise)

    def _sides(
        self,
        model: RegularGPT,
        vectors: Float[Tensor, "meaning width"],
        rows: Int[Tensor, " row"],
        noise: torch.Generator | None,
    ) -> Float[Tensor, "row bit"]:
        table = self._table
        return self._on_side(model, vectors, table.parts[rows], table.results[rows], noise)

    def _on_side(
        self,
        model: RegularGPT,
        below: Float[Tensor, "below width"],
        children: Int[Tensor, "row chunk"],
        results: Int[Tensor, " row"],
        noise: torch.Generator | None,
    ) -> Float[Tensor, "row bit"]:
        """Return the distance of each number from 0 on the right side, with noise in training."""
        model, memory = binary(model)
        device = model.pad.device
        numbers = memory.numbers(model.gather(below, send(children, device), noise))
        if noise is not None:
            numbers = numbers + memory.noise * torch.randn(
                numbers.shape, generator=noise, device=device
            )
        return numbers * send(self._signs[results], device)
