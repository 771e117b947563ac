"""A logits processor for `generate` of transformers: only strings of a language are generated."""

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from hashlib import blake2b
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from lengthwise.arguments import require_integer
from lengthwise.decoding.byte_automaton import byte_automaton
from lengthwise.decoding.token_automaton import TokenAutomaton
from lengthwise.decoding.vocabulary import vocabulary_of
from lengthwise.errors import ConfigError
from lengthwise.languages.language import Language

_ENDED = -1
"""State of a row that has ended, whatever `generate` fills it up with."""

_KEPT = 1_024
"""Masks that are kept."""


def logits_processor(
    language: Language | str | re.Pattern[str],
    tokenizer: Any,
    *,
    spelling: Mapping[str, str] | None = None,
    end: int | Sequence[int] | None = None,
    max_new_tokens: int | None = None,
) -> "LanguageProcessor":
    """Return a processor with which `transformers.generate` writes only strings of a language.

    The string begins after the prompt, and the end token is possible only where it is in the
    language. No token is possible after which the end is out of reach.

    Args:
        language: a language of two classes, its specification, or a compiled expression of `re`,
            which may have spaces and all characters.
        tokenizer: a tokenizer of `transformers` or `tokenizers`, or a
            `lengthwise.decoding.vocabulary.Vocabulary`.
        spelling: the strings of symbols that are not written as they are, such as `{"_": " "}`.
        end: the tokens that end a string; by default the tokenizer's `eos_token_id`.
        max_new_tokens: the argument of `generate`; the string is then complete when it stops there.

    Examples:
        >>> import re
        >>> import torch
        >>> import lengthwise as lw
        >>> from lengthwise.decoding.vocabulary import Vocabulary
        >>> words = Vocabulary((b"c", b"b", b"cb", b"bc", None), ends=(4,))
        >>> processor = lw.logits_processor(re.compile("(cb)+"), words)
        >>> prompt = torch.tensor([[3, 3]])
        >>> processor(prompt, torch.zeros(1, 5)).tolist()
        [[0.0, -inf, 0.0, -inf, -inf]]
        >>> processor(torch.tensor([[3, 3, 2]]), torch.zeros(1, 5)).tolist()
        [[0.0, -inf, 0.0, -inf, 0.0]]

    Raises:
        LanguageError: the language has no word, or more than two classes, or the expression has
            what no automaton has.
        ConfigError: the tokenizer cannot spell a symbol, or `max_new_tokens` is too small.
    """
    return LanguageProcessor(
        language, tokenizer, spelling=spelling, end=end, max_new_tokens=max_new_tokens
    )


class LanguageProcessor:
    """Masks logits, as `logits_processor` describes.

    The state of a row follows from the state of the row without its last token. So rows may be
    reordered, dropped and repeated, as beam search does. Rows that do not continue known ones, or
    all by tokens that cannot follow, are new prompts.
    """

    def __init__(
        self,
        language: Language | str | re.Pattern[str],
        tokenizer: Any,
        *,
        spelling: Mapping[str, str] | None = None,
        end: int | Sequence[int] | None = None,
        max_new_tokens: int | None = None,
    ) -> None:
        automaton = byte_automaton(language, spelling)
        vocabulary = vocabulary_of(tokenizer, end)
        self._ends, self._most = vocabulary.ends, max_new_tokens
        self._states: dict[bytes, int] = {}
        """States of all rows of this generation, by their digests."""
        self._prompt_length = 0
        self._of_width = cache(lambda width: TokenAutomaton(automaton, vocabulary.cut(width)))
        self._mask = lru_cache(_KEPT)(self._find_mask)
        whole = self._of_width(len(vocabulary.tokens))
        if max_new_tokens is None:
            return
        require_integer("max_new_tokens", max_new_tokens, 1)
        if (least := int(whole.distance[whole.start])) > max_new_tokens:
            raise ConfigError(
                f"max_new_tokens={max_new_tokens} is too small: the shortest string of "
                f"{automaton.name} has {least} tokens. Raise it."
            )

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Return the scores, with minus infinity for the tokens that cannot follow."""
        width = scores.shape[-1]
        automaton = self._of_width(width)
        rows = input_ids.detach().cpu().numpy().astype(np.int64)
        states = self._read(automaton, rows)
        remaining = None
        if self._most is not None:
            remaining = max(1, self._most - (rows.shape[1] - self._prompt_length))
            remaining = remaining if remaining <= automaton.longest else None
        masks = [self._mask(state, remaining, width, scores.device) for state in states]
        return scores.masked_fill(~torch.stack(masks), -torch.inf)

    def _read(self, automaton: TokenAutomaton, rows: NDArray[np.int64]) -> list[int]:
        before = [self._states.get(_digest(row[:-1])) for row in rows]
        states = [
            _ENDED if state == _ENDED or token in self._ends else automaton.advance(state, token)
            for state, token in zip(before, rows[:, -1].tolist(), strict=True)
            if state is not None
        ]
        is_impossible = {*states} == {automaton.dead} and automaton.dead not in before
        if None in before or is_impossible:
            self._states.clear()
            self._prompt_length = rows.shape[1]
            states = [automaton.start] * len(rows)
        self._states.update(zip(map(_digest, rows), states, strict=True))
        return states

    def _find_mask(
        self, state: int, remaining: int | None, width: int, device: torch.device
    ) -> Tensor:
        automaton = self._of_width(width)
        if state in (_ENDED, automaton.dead):  # dead: beam search ran out of strings
            allowed = np.zeros(width, dtype=bool)
            allowed[list(automaton.vocabulary.ends)] = True
        else:
            allowed = np.resize(automaton.mask(state, remaining), width)
            allowed[len(automaton.vocabulary.tokens) :] = False
        return torch.from_numpy(allowed).to(device)


def _digest(row: NDArray[np.int64]) -> bytes:
    return blake2b(np.ascontiguousarray(row).tobytes(), digest_size=16).digest()
