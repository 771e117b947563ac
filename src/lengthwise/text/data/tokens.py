"""Text to numbers: byte-level BPE, learned by the library `tokenizers`."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lengthwise.data.extra import require_extra
from lengthwise.errors import ConfigError, TextError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

NUM_BYTES = 256

MOST_TOKENS = 2**20
"""Greatest vocabulary that can be learned; the library takes memory for all of it at once."""


def learn_tokenizer(
    texts: Iterable[str], vocab_size: int, special: Sequence[str] = ()
) -> "Tokenizer":
    """Learn a tokenizer with a token for each byte, so that it can write any text.

    The special tokens come first, and count; with no room for more, it splits texts into bytes.

    Raises:
        ConfigError: the vocabulary is smaller than the bytes, or `tokenizers` is not installed.
    """
    least = NUM_BYTES + len(special)
    if vocab_size < least:
        raise ConfigError(
            f"vocab_size={vocab_size} is too small, as every byte has a token. Use {least} or more."
        )
    require_extra("tokenizers")
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers  # noqa: PLC0415

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
        special_tokens=list(special),
    )
    learnt = (short for text in texts for piece in pieces(text) for short in _short_runs(piece))
    tokenizer.train_from_iterator(learnt, trainer)
    return tokenizer


_LONG_RUN = re.compile(r"\S{1000}(?=\S)")


def _short_runs(piece: str) -> Iterator[str]:
    """Yield a string, cut within runs of more than 1,000 characters without white space.

    The time to learn from a run grows with the square of its length.
    """
    start = 0
    for run in _LONG_RUN.finditer(piece):
        yield piece[start : run.end()]
        start = run.end()
    yield piece[start:]


def encode(tokenizer: "Tokenizer", text: str, *, least: int) -> NDArray[np.int64]:
    """Return the tokens of a string.

    Raises:
        TextError: there are fewer than `least`.
    """
    encodings = tokenizer.encode_batch(pieces(text))
    tokens = np.concatenate([np.array(piece.ids, dtype=np.int64) for piece in encodings] or [_NONE])
    if len(tokens) < least:
        raise TextError(
            f"the text has {len(tokens):,} tokens, but at least {least:,} are needed. Give a "
            f"longer text, or lower window."
        )
    return tokens


def encode_all(tokenizer: "Tokenizer", texts: Sequence[str]) -> list[NDArray[np.int64]]:
    """Return the tokens of each text; long ones are encoded in pieces, all of them side by side."""
    parts = [pieces(text) for text in texts]
    encodings = iter(tokenizer.encode_batch([piece for part in parts for piece in part]))
    return [
        np.array([token for piece in islice(encodings, len(part)) for token in piece.ids], np.int64)
        for part in parts
    ]


_NONE: NDArray[np.int64] = np.zeros(0, dtype=np.int64)

_PIECE = 2**16


def pieces(text: str) -> list[str]:
    """Return the text in pieces of whole lines, of about `_PIECE` characters each."""
    pieces, current, size = [], [], 0
    for line in text.splitlines(keepends=True):
        current.append(line)
        size += len(line)
        if size >= _PIECE:
            pieces.append("".join(current))
            current, size = [], 0
    return [*pieces, "".join(current)] if current else pieces
