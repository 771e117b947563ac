r"""Translation by greedy or beam search; sources of similar length are translated together.

A beam of size B keeps the B likeliest prefixes. A prefix whose next token is `END` is a finished
translation, with the score

    log p / ((5 + t) / 6)^a

for t tokens, including `END`, and a length penalty a (Wu et al. 2016, equation 14). A search ends
when p B translations are finished, with a patience p (Kasai et al. 2024), or earlier if no prefix
can exceed the best score of a finished translation. A beam of 1 is greedy.

Axes:
    pair    sources of a batch, each with its translation
    source  positions of a source
    target  positions of a translation
    beam    prefixes of a translation
    symbol  the vocabulary
"""

from collections.abc import Callable
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from lengthwise.device_copies import send
from lengthwise.errors import TextError
from lengthwise.text.data.parallel_corpus import BEGIN, END, PAD, Ragged
from lengthwise.text.evaluation.decoding import DecodingConfig

_TOKENS_AT_ONCE = 2**13
"""Approximate number of positions of sources that are read together, times the beam."""

MOST_TOKENS = 4_096
"""Greatest number of tokens of a source: full attention over more would not fit into memory."""


@runtime_checkable
class DecodingState(Protocol):
    """Translations in progress, which are written one token at a time."""

    def __call__(self, tokens: Tensor) -> Tensor:
        """Return the logits `[pair, beam, symbol]` of the token after tokens `[pair, beam]`."""
        ...

    def keep(self, pairs: Tensor, beams: Tensor) -> None:
        """Continue with sources `[kept]`, and with translations `[kept, beam]` of each."""
        ...


@runtime_checkable
class Translator(Protocol):
    """A model that writes translations."""

    def begin(self, source: Tensor, beams: int) -> DecodingState:
        """Begin `beams` translations of each source `[pair, source]`."""
        ...


class Translated(NamedTuple):
    """The translation of one source."""

    tokens: list[int]
    """The tokens without `END`."""
    is_cut: bool
    """True if no translation was finished within the limit of tokens."""


@torch.no_grad()
def translate_sentences(
    model: Translator,
    sources: Ragged,
    config: DecodingConfig,
    *,
    device: torch.device | str = "cpu",
    progress: Callable[[int, int], None] | None = None,
) -> list[Translated]:
    """Return a translation of each source; that of an empty source is empty.

    Raises:
        TextError: a source has more than `MOST_TOKENS` tokens.
    """
    for number, length in enumerate(sources.lengths.tolist(), start=1):
        require_short(length, f"sentence {number}")
    translations: dict[int, Translated] = {}
    for group in groups(sources.lengths, config.beam):
        rows = send(torch.from_numpy(sources.rows(group, pad=PAD, end=END)), device)
        limits = np.ceil(config.ratio * sources.lengths[group]).astype(np.int64) + 10
        group_translations = search(model, rows, send(torch.from_numpy(limits), device), config)
        for number, translation in zip(group.tolist(), group_translations, strict=True):
            translations[number] = (
                translation if sources.lengths[number] else Translated([], is_cut=False)
            )
        if progress:
            progress(len(translations), len(sources.lengths))
    return [translations[number] for number in range(len(sources.lengths))]


def require_short(length: int, where: str) -> None:
    """Refuse a source that is too long.

    Raises:
        TextError: it has more than `MOST_TOKENS` tokens.
    """
    if length > MOST_TOKENS:
        raise TextError(
            f"{where} has {length:,} tokens, but {MOST_TOKENS:,} is the most that is read at once. "
            f"Divide it."
        )


def groups(lengths: NDArray[np.int64], beam: int) -> list[NDArray[np.int64]]:
    """Return the indices of sources, in groups of similar length that are translated together."""
    order = np.argsort(lengths, kind="stable")[::-1]  # lack of memory shows at once
    parts, start = [], 0
    while start < len(order):
        count = max(1, _TOKENS_AT_ONCE // (beam * (int(lengths[order[start]]) + 1)))
        parts.append(order[start : start + count])
        start += count
    return parts


def search(
    model: Translator, sources: Tensor, limits: Tensor, config: DecodingConfig
) -> list[Translated]:
    """Return the best translations `[pair]` that a beam finds, each of at most `limits` tokens."""
    return _Search(model, sources, limits, config).run()


class _Search:
    """The beams of some sources. Finished sources are removed from the computation."""

    def __init__(
        self, model: Translator, sources: Tensor, limits: Tensor, config: DecodingConfig
    ) -> None:
        self._config, self._limits = config, limits
        count, device = len(sources), sources.device
        self._writing = model.begin(sources, config.beam)
        self._open = torch.arange(count, device=device)
        self._tokens = torch.full((count, config.beam, 1), BEGIN, device=device)
        self._worth = torch.full((count, config.beam), -torch.inf, device=device)
        self._worth[:, 0] = 0.0  # all beams are equal at first
        self._best = torch.full((count,), -torch.inf, device=device)
        self._ended = torch.zeros(count, dtype=torch.long, device=device)
        self._written = [Translated([], is_cut=False)] * count

    def run(self) -> list[Translated]:
        """Write until all sources are finished."""
        while len(self._open):
            self._step()
        return self._written

    def _step(self) -> None:
        beam, length = self._config.beam, self._tokens.shape[2]  # including the next token
        logits = self._writing(self._tokens[:, :, -1])
        for never in (PAD, BEGIN):  # one by one: a list of them would be copied to the device
            logits[:, :, never] = -torch.inf
        total = self._worth[:, :, None] + logits.log_softmax(dim=2)
        symbols = total.shape[2]
        worth, index = total.flatten(1).topk(beam, dim=1)
        beam_of, symbol = index // symbols, index % symbols
        ends = symbol == END
        ended = worth.masked_fill(~ends, -torch.inf)
        self._end(ended, beam_of, length)
        last = self._limits <= length
        worth = worth.masked_fill(ends, -torch.inf)
        tokens = self._tokens.gather(1, beam_of[:, :, None].expand(-1, -1, length))
        self._tokens = torch.cat([tokens, symbol[:, :, None]], dim=2)
        self._worth = worth
        best = worth.amax(dim=1)
        self._cut(last & self._best.isneginf())
        hope = best / self._penalty(self._limits)
        self._ended += (ended > -torch.inf).sum(dim=1)
        is_patient = self._ended < self._config.patience * beam
        still = ~last & is_patient & (best > -torch.inf) & (hope > self._best)
        open_rows = still.nonzero()[:, 0]
        if len(open_rows) < len(still) or not torch.equal(
            beam_of, torch.arange(beam).to(beam_of).expand_as(beam_of)
        ):
            self._writing.keep(open_rows, beam_of[open_rows])
        self._open, self._limits = self._open[open_rows], self._limits[open_rows]
        self._best, self._ended = self._best[open_rows], self._ended[open_rows]
        self._tokens, self._worth = self._tokens[open_rows], self._worth[open_rows]

    def _end(self, worth: Tensor, beam_of: Tensor, length: int) -> None:
        """Store translations that end here, where their score exceeds the best one so far."""
        value, which = worth.amax(dim=1) / self._penalty_at(length), worth.argmax(dim=1)
        for pair in (value > self._best).nonzero()[:, 0].tolist():
            row = self._tokens[pair, beam_of[pair, which[pair]], 1:]
            self._written[int(self._open[pair])] = Translated(row.tolist(), is_cut=False)
        self._best = torch.maximum(self._best, value)

    def _cut(self, which: Tensor) -> None:
        """Take the likeliest prefix where no translation is finished and the limit is reached."""
        for pair in which.nonzero()[:, 0].tolist():
            row = self._tokens[pair, self._worth[pair].argmax(), 1:]
            self._written[int(self._open[pair])] = Translated(row.tolist(), is_cut=True)

    def _penalty(self, length: Tensor) -> Tensor:
        return ((5 + length.double()) / 6) ** self._config.length_penalty

    def _penalty_at(self, length: int) -> float:
        return float(((5 + length) / 6) ** self._config.length_penalty)
