"""A prepared corpus: tokens on disk, mapped into memory, with an index that shows it is complete.

    request.json         what was asked for; made first, never changed
    tokenizer.json       byte-level BPE, learned on the training part alone
    train-00000.bin ...  tokens one after the other, two bytes each (four for large vocabularies)
    progress.json        how far it has come; gone in the end
    index.json           how much of what there is, with digests; there exactly if all is ready

Every document ends with a token of its own. No document is in two parts: a source that is not
divided is, by the digests of its documents, so that equal ones stay together; a source of few
documents is cut, the same parts of each. Of parts that are given, documents of the test are left
out of validation, and those of both out of training. Documents that differ in white space alone
count as equal. Passages shared by different documents are not searched for.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from lengthwise.data.extra import require_extra
from lengthwise.data.parts import TEST, TRAIN, VALID
from lengthwise.errors import ConfigError, TextError
from lengthwise.files import digest_of_file, write_bytes, write_json
from lengthwise.settings import Config, Setting
from lengthwise.text.data.documents import PYTHON, TOPICS, document_files, documents
from lengthwise.text.data.python_text import PYTHON_TEXT
from lengthwise.text.data.stored_corpus import (
    REQUEST,
    TEXT_FORMAT,
    TOKENIZER,
    Progress,
    StoredCorpus,
    claim_corpus,
    digest,
    make_ready,
    read_note,
    token_kind,
    write_index,
)
from lengthwise.text.data.tokens import MOST_TOKENS, encode_all, learn_tokenizer

if TYPE_CHECKING:
    from tokenizers import Tokenizer

END = "<|endoftext|>"
"""The token that ends a document."""

PARTS = (TRAIN, VALID, TEST)

_FEW = 200
"""A source of fewer documents is cut, since a share of so few of them can be anything."""

_PER_CENT = {VALID: 5, TEST: 5}
"""Shares that are set apart of a source that is not divided."""

_SAMPLE = 2**25
"""Characters that the tokenizer is learned on, at most."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PrepareConfig(Config):
    """Settings of the preparation of text."""

    vocab_size: Annotated[int, Setting(least=257, most=MOST_TOKENS)] = 4096
    """Number of tokens, including the one that ends documents; 257 for bytes."""
    column: str = "text"
    """Column of the text in JSON lines and datasets."""
    characters: Annotated[int, Setting(least=1)] = 2**25
    """Characters of a batch; progress is stored after each batch."""


Sources = Mapping[str, Sequence[str]]
"""The sources of each of `PARTS`; of `train` alone, if nothing is divided yet."""


def prepare_corpus(
    out: Path | str,
    sources: Sources,
    config: PrepareConfig,
    *,
    tokenizer: Path | str | None = None,
    progress: Progress | None = None,
) -> "Corpus":
    """Prepare a corpus, continue an interrupted preparation, or find that it is complete.

    `tokenizer` is that of another corpus, which is then taken as it is.

    Raises:
        TextError: a source cannot be read, or the folder holds something else.
        ConfigError: `tokenizers` is not installed, or a setting does not fit.
    """
    require_extra("tokenizers")
    out = Path(out)
    _require_parts(sources)
    given_tokenizer = None if tokenizer is None else Corpus.read_tokenizer(Path(tokenizer))

    def make() -> None:
        if not (out / TOKENIZER).exists():
            used = given_tokenizer or _learn_tokenizer(sources, config)
            write_bytes(out / TOKENIZER, used.to_str().encode())
        _write_parts(out, sources, config, progress)

    return make_ready(
        out,
        Corpus,
        lambda: _claim(out, sources, config, given_tokenizer),
        make,
        sources=sources,
        files_of=document_files,
        is_resumable=(out / "progress.json").exists,
    )


class Corpus(StoredCorpus):
    """Tokens of a prepared corpus, and the tokenizer that made them."""

    format = TEXT_FORMAT
    command = "lengthwise prepare FILE"
    special: ClassVar[Mapping[str, str]] = {END: "ends documents"}

    @staticmethod
    def files(index: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """Return the shards of all parts, with their digests."""
        for part in index["parts"].values():
            for shard in part["shards"]:
                yield shard["file"], shard["sha256"]

    def encode(self, text: str) -> NDArray[np.int64]:
        """Return the tokens of a string, without one that ends it."""
        return encode_all(self.tokenizer, [text])[0]

    def part(self, name: str) -> "Tokens":
        """Return the tokens of a part.

        Raises:
            TextError: there is no such part.
        """
        self.require_part(name)
        kind = np.dtype(self.index["dtype"])
        shards = self.index["parts"][name]["shards"]
        return Tokens(
            [np.memmap(self.folder / shard["file"], dtype=kind, mode="r") for shard in shards]
        )

    def documents(self, name: str) -> Iterator[str]:
        """Yield the documents of a part, or of each the piece that the part has.

        Raises:
            TextError: there is no such part.
        """
        end = self.tokenizer.token_to_id(END)
        for shard in self.part(name).shards:
            for tokens in np.split(shard, np.flatnonzero(shard == end) + 1)[:-1]:
                yield self.tokenizer.decode(tokens[:-1].tolist())

    def bytes_per_token(self, name: str) -> float:
        """Return the mean length of a token of a part, in bytes of UTF-8."""
        part = self.index["parts"][name]
        return float(part["bytes"] / part["tokens"])


class Tokens:
    """Tokens in some files, from which windows are taken; none reaches over two files."""

    def __init__(self, shards: Sequence[NDArray[Any]]) -> None:
        self.shards = list(shards)

    def __len__(self) -> int:
        return sum(map(len, self.shards))

    def num_windows(self, length: int) -> int:
        """Return the number of windows of a size, overlapping ones included."""
        return int(self._ends(length)[-1])

    def windows(self, numbers: NDArray[np.int64], length: int) -> NDArray[np.int64]:
        """Return the windows of these numbers, each in 0..num_windows-1, `[window, token]`."""
        ends = self._ends(length)
        shard_of = np.searchsorted(ends, numbers, side="right") - 1
        windows = np.empty((len(numbers), length), dtype=np.int64)
        for shard in np.unique(shard_of):
            rows = np.flatnonzero(shard_of == shard)
            starts = numbers[rows] - ends[shard]
            windows[rows] = self.shards[shard][starts[:, None] + np.arange(length)]
        return windows

    def _ends(self, length: int) -> NDArray[np.int64]:
        """Return the number of windows before each file, and in all."""
        counts = [max(0, len(shard) - length + 1) for shard in self.shards]
        return np.cumsum([0, *counts], dtype=np.int64)


# ---- what is asked for -----------------------------------------------------------------------


def _require_parts(sources: Sources) -> None:
    if not sources.get(TRAIN):
        raise ConfigError("a corpus needs text to train on. Name a file, a folder or a dataset.")
    if bool(sources.get(VALID)) != bool(sources.get(TEST)):
        raise ConfigError(
            "only one of --valid and --test is given. Give both, or neither: then a part of the "
            "text is set apart for each."
        )


def _claim(
    out: Path, sources: Sources, config: PrepareConfig, tokenizer: "Tokenizer | None"
) -> None:
    """Make the folder for a request, or find that it already has that request."""

    def require_sources() -> None:
        for part in sources:
            for source in sources[part]:
                first = documents(source, column=config.column, split=part)
                next(first, None)  # raises if it cannot be read

    request = {
        "format": TEXT_FORMAT,
        "sources": {name: [_name_source(s) for s in sources.get(name, ())] for name in PARTS},
        "tokenizer": None if tokenizer is None else digest(tokenizer.to_str().encode()),
        "config": config.to_dict(),
    }
    claim_corpus(out, request, require_sources)


def _name_source(source: str) -> str:
    """Return the source, with the version of Python where that decides what it is."""
    return f"{source}, {PYTHON_TEXT}" if source in (PYTHON, TOPICS) else source


# ---- documents to tokens -----------------------------------------------------------------------


def _divide_texts(sources: Sources, column: str) -> Iterator[tuple[str, str]]:
    """Yield texts and their parts, always in the same order."""
    if not sources.get(VALID):
        yield from _set_apart(_all_of(sources, TRAIN, column))
        return
    seen: set[bytes] = set()
    for part in (TEST, VALID, TRAIN):
        keys: set[bytes] = set()
        for text in _all_of(sources, part, column):
            key = _key(text)
            if part != TRAIN:
                keys.add(key)
            yield ("" if key in seen else part), text
        seen |= keys


def _all_of(sources: Sources, part: str, column: str) -> Iterator[str]:
    """Return the documents that are given for a part; of datasets, their own split for it."""
    return chain.from_iterable(
        documents(source, column=column, split=part) for source in sources.get(part, ())
    )


def _set_apart(texts: Iterator[str]) -> Iterator[tuple[str, str]]:
    """Divide the documents into parts, or each document if they are few."""
    first = list(islice(texts, _FEW))
    if len(first) == _FEW:
        for text in chain(first, texts):
            number = int.from_bytes(_key(text)[:8]) % 100
            test = number < _PER_CENT[TEST]
            held = number < _PER_CENT[TEST] + _PER_CENT[VALID]
            yield (TEST if test else VALID if held else TRAIN), text
        return
    seen: set[bytes] = set()
    for text in first:
        if _key(text) in seen:
            yield "", text
            continue
        seen.add(_key(text))
        last = len(text) * (100 - _PER_CENT[TEST]) // 100
        held_out = len(text) * (100 - _PER_CENT[TEST] - _PER_CENT[VALID]) // 100
        yield from ((TEST, text[last:]), (VALID, text[held_out:last]), (TRAIN, text[:held_out]))


def _key(text: str) -> bytes:
    """Return the key of a string, equal for texts that differ in white space alone."""
    return hashlib.sha256(" ".join(text.split()).encode()).digest()


def _learn_tokenizer(sources: Sources, config: PrepareConfig) -> "Tokenizer":
    """Return a tokenizer of the first texts for training."""

    def sample() -> Iterator[str]:
        left = _SAMPLE
        for part, text in _divide_texts(sources, config.column):
            if part == TRAIN:
                yield text[:left]
                left -= len(text)
            if left <= 0:
                return

    return learn_tokenizer(sample(), config.vocab_size, [END])


def _write_parts(
    out: Path, sources: Sources, config: PrepareConfig, progress: Progress | None
) -> None:
    """Encode batch by batch; after each, note how far it has come."""
    tokenizer = Corpus.read_tokenizer(out / TOKENIZER)
    vocab_size = tokenizer.get_vocab_size()
    kind = token_kind(vocab_size)
    progress_file = out / "progress.json"
    nothing = {"documents": 0, "characters": 0, "bytes": 0, "tokens": 0}
    state: dict[str, Any] = {
        "done": 0,
        "seen": "",
        "left_out": 0,
        "parts": {part: {**nothing, "shards": []} for part in PARTS},
    }
    texts = _divide_texts(sources, config.column)
    if progress_file.exists():
        state = {**state, **read_note(progress_file)}
        _skip(texts, state, out)
    while batch := _batch(texts, config.characters):
        for part in PARTS:
            part_texts = [text for name, text in batch if name == part]
            if part_texts:
                entry = state["parts"][part]
                name = f"{part}-{len(entry['shards']):05}.bin"
                _count(entry, _write_shard(out / name, part_texts, tokenizer, kind), part_texts)
        state["done"] += len(batch)
        state["seen"] = _roll_digest(state["seen"], batch)
        state["left_out"] += sum(not part for part, _ in batch)
        write_json(progress_file, state)
        if _comes_too_late(state["parts"], sources):
            break
        if progress:
            progress(state["done"], sum(p["tokens"] for p in state["parts"].values()))
    for part, entry in state["parts"].items():
        if not entry["characters"]:
            _forget(out, state)
            raise TextError(
                f"the text has nothing for the part {part}"
                + (
                    f": {state['left_out']:,} documents are in other parts. Give other documents."
                    if state["left_out"]
                    else ". Give a longer text."
                )
            )
    index = {
        "format": TEXT_FORMAT,
        "sources": read_note(out / REQUEST)["sources"],
        "vocab_size": vocab_size,
        "dtype": kind.name,
        "tokenizer_sha256": digest_of_file(out / TOKENIZER),
        "left_out": state["left_out"],
        "parts": state["parts"],
    }
    write_index(out, index)
    progress_file.unlink()


def _comes_too_late(parts: Mapping[str, Any], sources: Sources) -> bool:
    """Return whether a part with its own source, which comes before train, is empty."""
    empty = any(not parts[part]["characters"] for part in (TEST, VALID))
    return bool(sources.get(VALID)) and empty and parts[TRAIN]["characters"] > 0


def _roll_digest(seen: str, texts: Iterable[tuple[str, str]]) -> str:
    """Return a digest of all texts so far, and of where they went, with more of them."""
    for part, text in texts:
        seen = digest(f"{seen}{part}:{_key(text).hex()}".encode())
    return seen


def _skip(texts: Iterator[tuple[str, str]], state: Mapping[str, Any], out: Path) -> None:
    """Read past what was done, and refuse to continue if it has changed."""
    if _roll_digest("", islice(texts, state["done"])) != state["seen"]:
        raise TextError(
            f"the sources of {out} have changed since a part of them was prepared. "
            f"Prepare them in a new folder."
        )


def _forget(out: Path, state: Mapping[str, Any]) -> None:
    """Delete what was made of text that cannot be used."""
    for part in state["parts"].values():
        for shard in part["shards"]:
            (out / shard["file"]).unlink(missing_ok=True)
    (out / "progress.json").unlink(missing_ok=True)


def _batch(texts: Iterator[tuple[str, str]], characters: int) -> list[tuple[str, str]]:
    """Return the next texts, until they have a number of characters."""
    batch: list[tuple[str, str]] = []
    for text in texts:
        batch.append(text)
        characters -= len(text[1])
        if characters <= 0:
            break
    return batch


def _write_shard(
    path: Path, texts: Sequence[str], tokenizer: "Tokenizer", kind: np.dtype[Any]
) -> dict[str, Any]:
    """Write the tokens of some texts to a file, and return its entry in the index."""
    end = np.array([tokenizer.token_to_id(END)], dtype=kind)
    encoded = [text_tokens.astype(kind) for text_tokens in encode_all(tokenizer, texts)]
    tokens = np.concatenate([array for text_tokens in encoded for array in (text_tokens, end)])
    write_bytes(path, tokens.tobytes())
    return {"file": path.name, "tokens": len(tokens), "sha256": digest(tokens.tobytes())}


def _count(entry: dict[str, Any], shard: dict[str, Any], texts: Sequence[str]) -> None:
    """Add a file to what there is of a part."""
    entry["shards"].append(shard)
    entry["tokens"] += shard["tokens"]
    entry["documents"] += len(texts)
    entry["characters"] += sum(map(len, texts))
    entry["bytes"] += sum(len(text.encode()) for text in texts)
