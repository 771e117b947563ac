"""The tokens of a tokenizer as strings of bytes, and the tree of their beginnings."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lengthwise.arguments import require_integer
from lengthwise.errors import ConfigError

_REMEDY = "Give a Vocabulary (lengthwise.decoding.vocabulary) of its tokens as bytes."

_BYTE = re.compile("<0x[0-9A-Fa-f]{2}>")

_SAMPLE = 2_000
"""Tokens whose bytes are compared with what the tokenizer decodes."""


@dataclass(frozen=True)
class Vocabulary:
    """Tokens as strings of bytes, and those that end a string.

    Raises:
        ConfigError: a token is not bytes, or an end is not a token.
    """

    tokens: tuple[bytes | None, ...]
    """The bytes of each token; None for one that is never text, such as padding."""
    ends: tuple[int, ...]
    """The tokens that end a string."""
    special: Mapping[int, bytes] = field(default_factory=dict)
    """The spelling of tokens that are not text, such as `</s>`, for engines of others."""

    def __post_init__(self) -> None:
        for token in self.tokens:
            if not isinstance(token, bytes | None):
                raise ConfigError(f"a token is bytes, or None, but got {token!r:.40}. Encode it.")
        if not self.ends or not all(0 <= end < len(self.tokens) for end in self.ends):
            raise ConfigError(
                f"the ends of texts are tokens 0..{len(self.tokens) - 1}, but got "
                f"{list(self.ends)}. Give end, such as end=tokenizer.eos_token_id."
            )

    @cached_property
    def text(self) -> NDArray[np.bool_]:
        """The tokens that can be part of a string, `[token]`."""
        found = np.array([bool(token) for token in self.tokens])
        found[list(self.ends)] = False
        return found

    @cached_property
    def tree(self) -> "TokenTree":
        """The beginnings of all tokens that can be part of a string."""
        texts = self.text.tolist()
        return TokenTree.of(
            [
                token if token is not None and is_text else b""
                for token, is_text in zip(self.tokens, texts, strict=True)
            ]
        )

    @cached_property
    def numbers(self) -> dict[bytes, list[int]]:
        """The tokens that can be part of a string, by their bytes."""
        found: dict[bytes, list[int]] = {}
        for number in np.flatnonzero(self.text).tolist():
            found.setdefault(self.tokens[number] or b"", []).append(number)
        return found

    def cut(self, size: int) -> "Vocabulary":
        """Return the first tokens alone, which is what a model of fewer outputs can generate."""
        return replace(
            self, tokens=self.tokens[:size], ends=tuple(end for end in self.ends if end < size)
        )

    def spells(self, text: bytes) -> bool:
        """Return whether a string is part of what some tokens spell one after the other."""
        tokens = self.numbers
        if any(text in token for token in tokens):
            return True
        size = len(text)
        whole = {token for token in tokens if len(token) <= size}
        heads = {token[:n] for token in tokens for n in range(1, min(size, len(token)) + 1)}
        tails = {token[-n:] for token in tokens for n in range(1, min(size, len(token)) + 1)}
        reached = {0, *(n for n in range(1, size) if text[:n] in tails)}
        for begin in range(size):
            if begin in reached:
                if text[begin:] in heads:
                    return True
                reached |= {n for n in range(begin + 1, size + 1) if text[begin:n] in whole}
        return size in reached


@dataclass(frozen=True)
class TokenTree:
    """The distinct beginnings of tokens by length: each is a shorter one and a byte."""

    levels: tuple[tuple[NDArray[np.int64], NDArray[np.uint8]], ...]
    """For each length of a beginning: where those of each shorter one begin, and the bytes."""
    leaves: NDArray[np.int64]
    """The place of each token among all beginnings in the order of the levels; the empty one, which
    is that of tokens without text, has place 0.
    """

    @classmethod
    def of(cls, tokens: Sequence[bytes]) -> "TokenTree":
        """Return the tree of some tokens."""
        lengths = np.array([len(token) for token in tokens], dtype=np.int64)
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        flat = np.frombuffer(b"".join(tokens), dtype=np.uint8)
        place = np.zeros(len(tokens), dtype=np.int64)
        leaves = np.zeros(len(tokens), dtype=np.int64)
        levels, size, before = [], 1, 1
        for depth in range(int(lengths.max(initial=0))):
            longer = np.flatnonzero(lengths > depth)
            keys = place[longer] * 256 + flat[offsets[longer] + depth]
            found, place[longer] = np.unique(keys, return_inverse=True)
            begins = np.searchsorted(found, 256 * np.arange(size + 1))
            levels.append((begins, (found % 256).astype(np.uint8)))
            ending = longer[lengths[longer] == depth + 1]
            leaves[ending] = before + place[ending]
            size = len(found)
            before += size
        return cls(tuple(levels), leaves)

    def follow(self, table: NDArray[np.int32], state: int, dead: int) -> NDArray[np.int32]:
        """Return the state of an automaton after each token, from one state; `dead` is not left."""
        total = 1 + sum(len(read) for _, read in self.levels)
        reached = np.full(total, dead, dtype=np.int32)
        reached[0] = state
        alive, states, before = np.zeros(1, dtype=np.int64), reached[:1], 1
        for begins, read in self.levels:
            first = begins[alive]
            counts = begins[alive + 1] - first
            ends = np.cumsum(counts)
            alive = np.arange(int(ends[-1])) + np.repeat(first - ends + counts, counts)
            states = table[np.repeat(states, counts), read[alive]]
            goes_on = states != dead
            alive, states = alive[goes_on], states[goes_on]
            if not len(alive):
                break
            reached[before + alive] = states
            before += len(read)
        return reached[self.leaves]


def vocabulary_of(tokenizer: Any, end: int | Sequence[int] | None = None) -> Vocabulary:
    """Return the vocabulary of a tokenizer of `transformers` or `tokenizers`.

    Args:
        tokenizer: the tokenizer, or a Vocabulary.
        end: the tokens that end a string; by default the tokenizer's `eos_token_id`.

    Raises:
        ConfigError: there is no end, or the tokens are not strings of bytes one after the other.
    """
    if isinstance(tokenizer, Vocabulary):
        return tokenizer if end is None else replace(tokenizer, ends=_ends(end))
    name = type(tokenizer).__name__
    backend = getattr(tokenizer, "backend_tokenizer", tokenizer)
    if not hasattr(backend, "to_str") or not hasattr(backend, "get_vocab"):
        raise ConfigError(f"{name} is not a tokenizer of the library tokenizers. {_REMEDY}")
    end = getattr(tokenizer, "eos_token_id", None) if end is None else end
    if end is None:
        raise ConfigError(f"this {name} has no end token. Give end, the number of that token.")
    described = json.loads(backend.to_str())
    steps = _decoding_steps(described["decoder"], name)
    wordless = {token["id"] for token in described["added_tokens"] if token["special"]}
    unknown = described["model"].get("unk_token")
    numbers = backend.get_vocab(True)
    tokens: list[bytes | None] = [None] * (1 + max(numbers.values()))
    special = {}
    for written, number in numbers.items():
        if number in wordless or written == unknown:
            special[number] = written.encode()
        else:
            tokens[number] = _bytes_of(written, steps)
    vocabulary = Vocabulary(tuple(tokens), _ends(end), special)
    _require_same_text(backend, vocabulary, name)
    return vocabulary


def _ends(end: int | Sequence[int]) -> tuple[int, ...]:
    numbers = end if isinstance(end, Sequence) else [end]
    return tuple(require_integer("end", number) for number in numbers)


def _decoding_steps(decoder: Any, name: str) -> list[dict[str, Any]]:
    """Return what turns a token into text, step by step."""
    steps = [] if decoder is None else decoder.get("decoders", [decoder])
    fault = "puts spaces between tokens" if decoder is None else ""
    for step in steps:
        if step["type"] not in (
            "ByteLevel",
            "ByteFallback",
            "Fuse",
            "Metaspace",
            "Replace",
            "Strip",
        ):
            fault = f"decodes by {step['type']}, which looks at more than one token"
        elif step["type"] == "Replace" and "String" not in step["pattern"]:
            fault = "decodes by an expression"
    if fault:
        raise ConfigError(f"this {name} {fault}. {_REMEDY}")
    return steps


def _bytes_of(token: str, steps: Sequence[dict[str, Any]]) -> bytes:
    for step in steps:
        kind = step["type"]
        if kind == "ByteLevel":
            known = all(character in _BYTE_OF for character in token)
            return bytes(map(_BYTE_OF.__getitem__, token)) if known else token.encode()
        if kind == "ByteFallback" and _BYTE.fullmatch(token):
            return bytes.fromhex(token[3:5])
        if kind == "Metaspace":
            token = token.replace(step["replacement"], " ")
        elif kind == "Replace":
            token = token.replace(step["pattern"]["String"], step["content"])
    return token.encode()


def _byte_level() -> dict[str, int]:
    """Return the bytes by the characters that byte-level tokenizers write, as GPT-2 does."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = (byte for byte in range(256) if byte not in plain)
    return {chr(byte): byte for byte in plain} | {
        chr(256 + number): byte for number, byte in enumerate(others)
    }


_BYTE_OF = _byte_level()


def _require_same_text(backend: Any, vocabulary: Vocabulary, name: str) -> None:
    """Compare some tokens, each after another, with what the tokenizer decodes."""
    texts: dict[int, str] = {}
    for number in np.flatnonzero(vocabulary.text).tolist():
        try:
            texts[number] = (vocabulary.tokens[number] or b"").decode()
        except UnicodeDecodeError:
            continue
    first = next((number for number, text in texts.items() if text.isalnum()), None)
    if first is None:
        return
    for number in list(texts)[:: 1 + len(texts) // _SAMPLE]:
        decoded = backend.decode([first, number], skip_special_tokens=False)
        if decoded != texts[first] + texts[number]:
            raise ConfigError(
                f"this {name} decodes {texts[first]!r:.40} and {texts[number]!r:.40} one after the "
                f"other as {decoded!r:.80}. {_REMEDY}"
            )
