"""Parallel text made ready: tokens of sentences and of their translations, part by part.

    request.json                            what was asked for; made first, never changed
    tokenizer.json                          one byte-level BPE of both languages, learned on the
                                            training part alone
    train.source.txt, train.target.txt ...  the texts, one a line, in NFC
    train.source.bin, train.target.bin ...  their tokens one after the other, two bytes each (four
                                            for large vocabularies), none of them special
    train.starts.bin ...                    where each begins: int64, [side, sentence], and the end
    index.json                              how much of what there is, with digests; there exactly
                                            if all is ready

Pairs whose source is the source of a pair of another part are left out of training; white space
and case make no difference. A corpus is held in memory, while it is made and while it is used. What
was interrupted is made again from the start.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from numpy.typing import NDArray

from lengthwise.data.extra import require_extra
from lengthwise.data.parts import TEST, TRAIN, VALID
from lengthwise.errors import ConfigError, TextError
from lengthwise.files import digest_of_file, write_bytes
from lengthwise.settings import Config, Setting
from lengthwise.text.data.pairs import (
    NUMBERS,
    normalise,
    read_pairs,
    recognise_files,
    require_languages,
    source_files,
)
from lengthwise.text.data.stored_corpus import (
    PAIRS_FORMAT,
    TOKENIZER,
    Progress,
    StoredCorpus,
    claim_corpus,
    digest,
    make_ready,
    token_kind,
    write_index,
)
from lengthwise.text.data.text_corpus import PARTS, Sources
from lengthwise.text.data.tokens import MOST_TOKENS, encode_all, learn_tokenizer

if TYPE_CHECKING:
    from tokenizers import Tokenizer

SPECIAL = {"<pad>": "fills rows", "<s>": "begins sentences", "</s>": "ends sentences"}
"""The special tokens, and what they do; their numbers follow."""
PAD, BEGIN, END = range(3)

SOURCE, TARGET = "source", "target"
SIDES = (SOURCE, TARGET)

_BATCH = 2**12
"""Texts that are encoded together."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PairsConfig(Config):
    """Settings of the preparation of parallel text."""

    vocab_size: Annotated[int, Setting(least=256 + len(SPECIAL), most=MOST_TOKENS)] = 4096
    """Tokens of both languages together, including three special ones; 259 for bytes."""


def prepare_parallel(
    out: Path | str,
    sources: Sources,
    languages: tuple[str, str],
    config: PairsConfig,
    *,
    tokenizer: Path | str | None = None,
    progress: Progress | None = None,
) -> "ParallelCorpus":
    """Prepare parallel text, or find that it is complete.

    `sources` are those of `train`, `valid` and `test`, and of further test parts; `numbers` as that
    of `train` brings all three. `tokenizer` is that of another parallel corpus, which is then taken
    as it is; such a corpus may have test parts alone.

    Raises:
        TextError: a source cannot be read, or has no pairs, or the folder holds something else.
        ConfigError: parts are missing, a setting does not fit, or `tokenizers` is not installed.
    """
    require_extra("tokenizers")
    require_languages(languages)
    out = Path(out)
    sources = _all_parts(sources, has_tokenizer=tokenizer is not None)
    given_tokenizer = None if tokenizer is None else ParallelCorpus.read_tokenizer(Path(tokenizer))

    def make() -> None:
        parts = _without_what_is_tested(
            {
                name: _read_part(name, part_sources, languages)
                for name, part_sources in sources.items()
            }
        )
        used = given_tokenizer or learn_tokenizer(
            (text for pair in parts[TRAIN].pairs for text in pair), config.vocab_size, list(SPECIAL)
        )
        write_bytes(out / TOKENIZER, used.to_str().encode())
        _write(out, sources, languages, parts, progress)

    return make_ready(
        out,
        ParallelCorpus,
        lambda: _claim(out, sources, languages, config, given_tokenizer),
        make,
        sources=sources,
        files_of=source_files,
    )


class ParallelCorpus(StoredCorpus):
    """Pairs of a prepared corpus, and the tokenizer that made them tokens."""

    format = PAIRS_FORMAT
    command = "lengthwise prepare FILE.tsv --pairs en,vi"
    unit = "pairs"
    special = SPECIAL
    skips_special = True

    @staticmethod
    def files(index: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """Return the files of all parts, with their digests."""
        for part in index["parts"].values():
            yield from part["files"].items()

    @property
    def languages(self) -> tuple[str, str]:
        """The source language and the target language."""
        source, target = self.index["languages"]
        return source, target

    @classmethod
    def read_tokenizer(cls, path: Path) -> "Tokenizer":
        """Read the tokenizer in a file, or of a corpus.

        Raises:
            TextError: it does not exist, or its special tokens are not the first ones.
        """
        loaded = super().read_tokenizer(path)
        if [loaded.token_to_id(token) for token in SPECIAL] != [PAD, BEGIN, END]:
            raise TextError(
                f"the tokenizer of {path} begins with other tokens than {', '.join(SPECIAL)}. Use "
                f"that of a parallel corpus."
            )
        return loaded

    def encode(self, text: str) -> NDArray[np.int64]:
        """Return the tokens of a string in NFC, none of them special."""
        return encode_all(self.tokenizer, [normalise(text)])[0]

    def part(self, name: str) -> "SentencePairs":
        """Return the tokens of a part.

        Raises:
            TextError: there is no such part.
        """
        self.require_part(name)
        starts = np.fromfile(self.folder / f"{name}.starts.bin", dtype=np.int64).reshape(2, -1)
        source, target = (
            Ragged(
                np.fromfile(self.folder / f"{name}.{side}.bin", dtype=self.index["dtype"]), begins
            )
            for side, begins in zip(SIDES, starts, strict=True)
        )
        return SentencePairs(source=source, target=target)

    def texts(self, part: str) -> tuple[list[str], list[str]]:
        """Return the sentences of a part and their translations.

        Raises:
            TextError: there is no such part.
        """
        self.require_part(part)
        source, target = (
            (self.folder / f"{part}.{side}.txt").read_bytes().decode().split("\n")[:-1]
            for side in SIDES
        )
        return source, target


class Ragged:
    """Token sequences of any lengths: all of them in one array, and where each begins."""

    def __init__(self, tokens: NDArray[Any], starts: NDArray[np.int64]) -> None:
        self._tokens, self._starts = tokens, starts[:-1]
        self.lengths: NDArray[np.int64] = np.diff(starts)

    def __len__(self) -> int:
        return len(self.lengths)

    def tokens(self, number: int) -> NDArray[np.int64]:
        """Return the sequence of a number."""
        start = self._starts[number]
        return self._tokens[start : start + self.lengths[number]].astype(np.int64)

    def rows(
        self,
        numbers: NDArray[np.int64],
        *,
        pad: int = PAD,
        begin: int | None = None,
        end: int | None = None,
    ) -> NDArray[np.int64]:
        """Return the sequences of these numbers, filled up on the right, `[sequence, token]`.

        `begin` is a token before each, and `end` one after each.
        """
        lengths = self.lengths[numbers]
        longest = int(lengths.max(initial=0))
        first = int(begin is not None)
        rows = np.full((len(lengths), first + longest + int(end is not None)), pad, np.int64)
        column = np.arange(longest)
        inside = column < lengths[:, None]
        places = self._starts[numbers][:, None] + column
        rows[:, first : first + longest][inside] = self._tokens[places[inside]]
        if begin is not None:
            rows[:, 0] = begin
        if end is not None:
            rows[np.arange(len(lengths)), first + lengths] = end
        return rows


@dataclass(frozen=True, kw_only=True, slots=True)
class SentencePairs:
    """Sentence n of `source` is translated by sentence n of `target`."""

    source: Ragged
    target: Ragged

    def __len__(self) -> int:
        return len(self.source)


# ---- what is asked for -------------------------------------------------------------------------


def require_further(name: str) -> None:
    """Raise `ConfigError` if a part that is to be a further one is not."""
    if name in PARTS:
        raise ConfigError(
            f"further parts have other names than {', '.join(PARTS)}, but got {name}. Rename it, "
            f"or give it as what it is."
        )


def _all_parts(sources: Sources, *, has_tokenizer: bool) -> dict[str, list[str]]:
    """Return the sources of each part, in a fixed order, if all that are needed are there."""
    parts = {name: list(paths) for name, paths in sources.items() if paths}
    if parts.get(TRAIN) == [NUMBERS] and not {VALID, TEST} & set(parts):
        parts |= {VALID: [NUMBERS], TEST: [NUMBERS]}
    for name in parts:
        if not re.fullmatch(r"[A-Za-z0-9_-]+", name):
            raise ConfigError(
                f"a part is named by letters, digits, - and _, but got {name!r}. Rename it."
            )
    if TRAIN not in parts and not (has_tokenizer and parts):
        raise ConfigError(
            "a parallel corpus needs pairs to train on, or the tokenizer of another one and a part "
            "for tests. Name a source."
        )
    missing = [part for part in (VALID, TEST) if part not in parts]
    if TRAIN in parts and missing:
        options = " and ".join(f"--{part} FILE" for part in missing)
        raise ConfigError(
            f"pairs to train on are given, but none for {' and '.join(missing)}. Give {options}: "
            f"pairs are not divided."
        )
    return {name: parts[name] for name in (*PARTS, *parts) if name in parts}


def _claim(
    out: Path,
    sources: Sources,
    languages: tuple[str, str],
    config: PairsConfig,
    own_tokenizer: "Tokenizer | None",
) -> None:
    """Make the folder for a request, or find that it already has that request."""

    def require_sources() -> None:
        for name, part_sources in sources.items():
            for source in part_sources:
                # raises if it cannot be read
                next(read_pairs(source, languages, _split(name)), None)

    request = {
        "format": PAIRS_FORMAT,
        "sources": sources,
        "languages": list(languages),
        "tokenizer": None if own_tokenizer is None else digest(own_tokenizer.to_str().encode()),
        "config": config.to_dict(),
    }
    claim_corpus(out, request, require_sources)


def _split(part: str) -> str:
    """Return the split of a dataset that a part is read from."""
    return part if part in PARTS else TEST


# ---- pairs to tokens ---------------------------------------------------------------------------


@dataclass(kw_only=True, slots=True)
class _Part:
    """The pairs that were read for a part."""

    pairs: list[tuple[str, str]]
    dropped: int = 0
    left_out: int = 0


def _read_part(name: str, sources: Sequence[str], languages: tuple[str, str]) -> _Part:
    """Read all pairs of a part."""
    dropped: list[int] = []
    pairs = [
        (pair.source, pair.target)
        for source in sources
        for pair in read_pairs(source, languages, _split(name), dropped=dropped.append)
    ]
    if not pairs:
        raise TextError(
            f"the part {name} has no pairs, and {len(dropped):,} that have nothing on one side. "
            f"Give other sources."
        )
    return _Part(pairs=pairs, dropped=len(dropped))


def _without_what_is_tested(parts: dict[str, _Part]) -> dict[str, _Part]:
    """Return the parts, with no source in training that another part has."""
    if TRAIN not in parts:
        return parts
    train = parts[TRAIN]
    tested = {
        _key(source) for name, part in parts.items() if name != TRAIN for source, _ in part.pairs
    }
    remaining = [pair for pair in train.pairs if _key(pair[0]) not in tested]
    train.left_out, train.pairs = len(train.pairs) - len(remaining), remaining
    if not remaining:
        raise TextError(
            f"all {train.left_out:,} pairs to train on have sources that are in other parts. Give "
            f"other pairs."
        )
    return parts


def _key(text: str) -> str:
    """Return the key of a string, equal for texts that differ in white space and case alone."""
    return " ".join(text.split()).casefold()


def _write(
    out: Path,
    sources: Sources,
    languages: tuple[str, str],
    parts: Mapping[str, _Part],
    progress: Progress | None,
) -> None:
    """Write the files of all parts, and last the index."""
    tokenizer = ParallelCorpus.read_tokenizer(out)
    vocab_size = tokenizer.get_vocab_size()
    kind = token_kind(vocab_size)
    known = (
        recognise_files(source) for part_sources in sources.values() for source in part_sources
    )
    num_texts = num_tokens = 0

    def encode(texts: Sequence[str]) -> list[NDArray[Any]]:
        nonlocal num_texts, num_tokens
        encoded: list[NDArray[Any]] = []
        for first in range(0, len(texts), _BATCH):
            batch = encode_all(tokenizer, texts[first : first + _BATCH])
            encoded.extend(tokens.astype(kind) for tokens in batch)
            num_texts, num_tokens = num_texts + len(batch), num_tokens + sum(map(len, batch))
            if progress:
                progress(num_texts // 2, num_tokens)
        return encoded

    index = {
        "format": PAIRS_FORMAT,
        "sources": sources,
        "recognised": next((known_name for known_name in known if known_name), None),
        "languages": list(languages),
        "vocab_size": vocab_size,
        "dtype": kind.name,
        "tokenizer_sha256": digest_of_file(out / TOKENIZER),
        "parts": {name: _write_part(out, name, part, encode) for name, part in parts.items()},
    }
    write_index(out, index)


def _write_part(
    out: Path, name: str, part: _Part, encode: Callable[[Sequence[str]], list[NDArray[Any]]]
) -> dict[str, Any]:
    """Write the files of a part, and return its entry in the index."""
    entry: dict[str, Any] = {
        "pairs": len(part.pairs),
        "dropped": part.dropped,
        "left_out": part.left_out,
    }
    contents: dict[str, bytes] = {}
    starts = []
    for side, texts in zip(SIDES, zip(*part.pairs, strict=True), strict=True):
        encoded = encode(texts)
        lengths = np.array([len(tokens) for tokens in encoded], np.int64)
        starts.append(np.concatenate([[0], np.cumsum(lengths)]))
        contents[f"{name}.{side}.bin"] = np.concatenate(encoded).tobytes()
        contents[f"{name}.{side}.txt"] = "".join(f"{text}\n" for text in texts).encode()
        entry[side] = {
            "tokens": int(lengths.sum()),
            "median": float(np.median(lengths)),
            "longest": int(lengths.max()),
        }
    contents[f"{name}.starts.bin"] = np.stack(starts).astype(np.int64).tobytes()
    for file, content in contents.items():
        write_bytes(out / file, content)
    return {**entry, "files": {file: digest(content) for file, content in contents.items()}}
