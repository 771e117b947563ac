"""Text to numbers: byte-level BPE, learned by the library `tokenizers`."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lengthwise.errors import ConfigError, TextError
from lengthwise.text.extra import require_extra

if TYPE_CHECKING:
    from tokenizers import Tokenizer

NUM_BYTES = 256


def learn_tokenizer(text: str, vocab_size: int) -> "Tokenizer":
    """A tokenizer whose first tokens are the bytes, so that it can write any text.

    Raises:
        ConfigError: the vocabulary is smaller than the bytes, or `tokenizers` is not installed.
    """
    if vocab_size < NUM_BYTES:
        raise ConfigError(
            f"vocab_size={vocab_size} is too small, as every byte has a token. Use {NUM_BYTES} or "
            f"more."
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
    )
    tokenizer.train_from_iterator(_pieces(text), trainer)
    return tokenizer


def encode(tokenizer: "Tokenizer", text: str, *, least: int) -> NDArray[np.int64]:
    """The tokens of a text.

    Raises:
        TextError: there are fewer than `least`.
    """
    found = tokenizer.encode_batch(_pieces(text))
    tokens = np.concatenate([np.array(piece.ids, dtype=np.int64) for piece in found] or [_NONE])
    if len(tokens) < least:
        raise TextError(
            f"the text has {len(tokens):,} tokens, but at least {least:,} are needed. Give a "
            f"longer text, or lower window."
        )
    return tokens


_NONE: NDArray[np.int64] = np.zeros(0, dtype=np.int64)

_PIECE = 2**16


def _pieces(text: str) -> list[str]:
    """The text in lines that end it, about so many characters together; joined, they are it."""
    pieces, current, size = [], [], 0
    for line in text.splitlines(keepends=True):
        current.append(line)
        size += len(line)
        if size >= _PIECE:
            pieces.append("".join(current))
            current, size = [], 0
    return [*pieces, "".join(current)] if current else pieces
