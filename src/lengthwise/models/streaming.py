"""RegularGPT symbol by symbol: the answer for a word of announced length in O(C log T) memory.

Chunks are counted from the end of the word, so where they begin depends on its length. Once that is
announced, each level is a counter in base C: it collects up to C vectors, starting with as many
pads as the leftmost chunk lacks, and hands one composed vector to the level above.
"""

from collections.abc import Iterable, Sequence

import torch
from jaxtyping import Float
from torch import Tensor, nn

from lengthwise.errors import ConfigError, WordError
from lengthwise.layers.chunks import ABSENT, depth
from lengthwise.models.eval_mode import in_eval_mode
from lengthwise.models.regular_gpt import RegularGPT


class Stream:
    """Reads one word; `answer` gives the logits once as many symbols as announced were fed.

    Several lengths may be announced, such as 10, 100 and 1000: the answer for each prefix of such a
    length is then there when the prefix has been fed. Each costs O(C log T) memory of its own.

    Examples:
        >>> import lengthwise as lw
        >>> run = lw.load("zoo:parity")
        >>> stream = lw.interpret.streaming(run, 2, 3)
        >>> stream.feed(run.language.encode("11"))
        >>> int(stream.answer().argmax())
        0
    """

    def __init__(self, model: RegularGPT, lengths: Sequence[int]) -> None:
        if not lengths or min(lengths) < 0:
            raise WordError(
                f"a stream needs announced lengths of 0 or more, but got {list(lengths)}."
            )
        self._model = model
        with torch.no_grad(), in_eval_mode(model):
            self._pending = {length: _Counters(model, length) for length in lengths}
        self.num_fed = 0

    def feed(self, symbols: Iterable[int]) -> None:
        """Read the next symbols of the word.

        Args:
            symbols: their integers.

        Raises:
            WordError: a symbol is not one of the model's, or the longest announced length is past.
        """
        for symbol in symbols:
            with torch.no_grad(), in_eval_mode(self._model):
                self._feed(symbol)

    def _feed(self, symbol: int) -> None:
        if not 0 <= symbol < self._model.config.vocab_size:
            raise WordError(
                f"symbol {symbol} is not one of 0..{self._model.config.vocab_size - 1}."
            )
        if self.num_fed >= max(self._pending):
            raise WordError(
                f"{max(self._pending)} symbols were fed, which is the longest announced "
                f"length. Announce a longer one with a new stream."
            )
        vector = self._model.leaf(torch.tensor([symbol], device=self._model.pad.device))
        for length, counters in self._pending.items():
            if self.num_fed < length:
                counters.push(vector)
        self.num_fed += 1

    @torch.no_grad()
    def answer(self) -> Float[Tensor, " class"]:
        """Return the logits for the word fed so far, whose length must have been announced.

        Raises:
            WordError: it was not.
        """
        if self.num_fed not in self._pending:
            announced = ", ".join(str(length) for length in sorted(self._pending))
            raise WordError(
                f"{self.num_fed} symbols were fed, but the announced lengths are {announced}. "
                f"Ask when one of them is reached."
            )
        with in_eval_mode(self._model):
            return self._model.read(self._pending[self.num_fed].root())[0]

    @property
    def num_vectors(self) -> int:
        """Number of vectors that are held: the memory, in units of the model's width."""
        return sum(len(level) for c in self._pending.values() for level in c.levels)


class _Counters:
    """One level-by-level counter in base C, aligned to one announced length."""

    def __init__(self, model: RegularGPT, length: int) -> None:
        self._model = model
        chunk = model.config.chunk_size
        self.levels: list[list[Tensor | None]] = []
        count = max(1, length)
        for _ in range(depth(length, chunk)):
            self.levels.append([None] * (-count % chunk))
            count = -(-count // chunk)
        if length == 0:
            self.levels[0] = [None] * (chunk - 1)
            self._add(0, None)

    def push(self, vector: Tensor) -> None:
        self._add(0, vector)

    def root(self) -> Tensor:
        return self._root

    def _add(self, index: int, vector: Tensor | None) -> None:
        level = self.levels[index]
        level.append(vector)
        if len(level) < self._model.config.chunk_size:
            return
        present = [v for v in level if v is not None]
        children = torch.full((1, len(level)), ABSENT, device=self._model.pad.device)
        if present:
            children[0, -len(present) :] = torch.arange(len(present))
        below = torch.cat(present) if present else self._model.pad[None]
        composed = self._model.compose(below, children)
        level.clear()
        if index + 1 < len(self.levels):
            self._add(index + 1, composed)
        else:
            self._root = composed


def open_stream(model: nn.Module, *lengths: int) -> Stream:
    """Begin a stream that reads one word and answers at the announced lengths.

    Raises:
        ConfigError: the model is not one that composes vectors of sub-words.

    >>> stream = open_stream(model, 4)        # doctest: +SKIP
    >>> stream.feed([0, 1, 1, 0])             # doctest: +SKIP
    >>> stream.answer().argmax()              # doctest: +SKIP
    """
    if not isinstance(model, RegularGPT):
        raise ConfigError(f"{type(model).__name__} cannot be streamed. Use a RegularGPT.")
    return Stream(model, lengths)
