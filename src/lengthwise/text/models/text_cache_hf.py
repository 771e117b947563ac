"""The cache of a RegularGPT in transformers: what is kept between two calls of a model.

It holds the text so far, which determines everything, and a reading of it (`RegularGPTState`),
which saves computing it again. One more token after what was read is read by the queues; after
anything else (a text that was cut, put in another order, or has several more tokens) the whole text
is read anew, at once. So a cache is right whatever was done with it, and fast where a text grows
token by token.

Axes:
    word      texts of a batch
    position  positions of a text, from the left
    width     numbers in a vector
"""

from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from lengthwise.data.extra import require_extra
from lengthwise.text.models.regular_gpt_lm import RegularGPTLM, RegularGPTState

try:
    from transformers import Cache
except ImportError:
    require_extra("transformers")  # says what to install
    raise

_LEAST_ROOM = 64


class TextCache(Cache):
    """A text that grows, for one model; `past_key_values` of a `RegularGPTForCausalLM`."""

    def __init__(self) -> None:
        super().__init__(layers=[])
        self.text: Tensor | None = None
        self._state: RegularGPTState | None = None
        self._read = 0
        self._room = 0
        """Most positions that the reading has room for; it doubles."""

    def extend(self, tokens: Int[Tensor, "word new"]) -> Int[Tensor, "word position"]:
        """Return the text with these tokens behind it."""
        self.text = tokens if self.text is None else torch.cat([self.text, tokens], dim=1)
        return self.text

    def last_vector(self, model: RegularGPTLM) -> Float[Tensor, "word width"]:
        """Return the last layer's vector at the last position of the text."""
        assert self.text is not None
        length = self.text.shape[1]
        new = self.text[:, -1:]
        if self._state is None or length - self._read != 1 or length > self._room:
            self._room = max(_LEAST_ROOM, 2 * length)
            self._state = model.new_state(len(self.text), self._room)
            new = self.text
        self._read = length
        return self._state(new)

    def _change(self, text: Tensor | None) -> None:
        self.text, self._state = text, None

    def __deepcopy__(self, memo: dict[int, Any]) -> "TextCache":
        copy = TextCache()
        copy.text = self.text  # never changed in place
        return copy

    # What transformers asks of a cache.

    def __len__(self) -> int:
        return 1

    def get_seq_length(self, layer_idx: int = 0) -> int:
        """Return the number of positions of the text."""
        return 0 if self.text is None else self.text.shape[1]

    def get_max_length(self, layer_idx: int | None = None) -> int:
        """Return -1: there is no greatest length."""
        return -1

    @property
    def batch_size(self) -> int:
        """Number of texts; -1 before the first token."""
        return -1 if self.text is None else len(self.text)

    def reset(self) -> None:
        """Begin with no text."""
        self._change(None)

    def crop(self, tokens_to_remove: int) -> None:
        """Drop a number of tokens from the end; as in transformers, the number is 0 or negative."""
        if self.text is not None and tokens_to_remove:
            self._change(self.text[:, : self.text.shape[1] - abs(tokens_to_remove)])

    def reorder_cache(self, beam_idx: Tensor) -> None:
        """Put other texts of the batch in the place of each; they are read anew if any moves."""
        if not torch.equal(beam_idx.cpu(), torch.arange(self.batch_size)):
            self.batch_select_indices(beam_idx)

    def batch_select_indices(self, indices: Tensor) -> None:
        """Keep these texts."""
        if self.text is not None:
            self._change(self.text[indices.to(self.text.device)])

    def batch_repeat_interleave(self, repeats: int) -> None:
        """Put `repeats` copies of each text side by side."""
        if self.text is not None and repeats > 1:
            self._change(self.text.repeat_interleave(repeats, dim=0))
