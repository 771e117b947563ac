"""A corpus made ready: tokens on disk, mapped into memory, with an index that tells them whole.

    request.json         what was asked for; made first, never changed
    tokenizer.json       byte-level BPE, learned on the training part alone
    train-00000.bin ...  tokens one after the other, two bytes each (four for large vocabularies)
    progress.json        how far it has come; gone in the end
    index.json           how much of what there is, with digests; there exactly if all is ready

Every document ends with a token of its own. No document is in two parts: a source that is not
divided is, by the digests of its documents, so that equal ones stay together; a source of few
documents is cut, the same parts of each. Documents of other parts are left out of training. Equal
means: but for white space. Passages that different documents share are not looked for.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lengthwise.config import Config, require_at_least
from lengthwise.errors import ConfigError, LengthwiseError, RunError, TextError
from lengthwise.files import (
    create_json,
    is_leftover,
    read_json,
    remove_leftovers,
    write_bytes,
    write_json,
)
from lengthwise.text.documents import PYTHON, TOPICS, documents
from lengthwise.text.extra import require_extra
from lengthwise.text.python_text import PYTHON_TEXT
from lengthwise.text.tokens import learn_tokenizer, pieces

if TYPE_CHECKING:
    from tokenizers import Tokenizer

FORMAT = 1
END = "<|endoftext|>"
"""The token that ends a document."""

TRAIN, VALID, TEST = "train", "valid", "test"
PARTS = (TRAIN, VALID, TEST)

_FEW = 200
"""A source of fewer documents is cut, since a share of so few of them can be anything."""

_PER_CENT = {VALID: 5, TEST: 5}
"""Of a source that is not divided."""

_SAMPLE = 2**25
"""Characters that the tokenizer is learned on, at most."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PrepareConfig(Config):
    """How a text becomes tokens."""

    vocab_size: int = 4096
    """Tokens, one of which ends documents; 257 for bytes."""
    column: str = "text"
    """Where JSON lines and datasets have their text."""
    characters: int = 2**25
    """Of a batch, after which is stored what was done."""

    def __post_init__(self) -> None:
        require_at_least(self, {"vocab_size": 257, "characters": 1})


Sources = Mapping[str, Sequence[str]]
"""The sources of each of `PARTS`; of `train` alone, if nothing is divided yet."""

Progress = Callable[[int, int], None]
"""Called with the documents done and the tokens so far."""


def prepare(
    out: Path | str,
    sources: Sources,
    config: PrepareConfig,
    *,
    tokenizer: Path | str | None = None,
    progress: Progress | None = None,
) -> "Corpus":
    """Make a corpus ready, or go on where that was interrupted, or find it ready.

    `tokenizer` is that of another corpus, which is then taken as it is.

    Raises:
        TextError: a source cannot be read, or the folder holds something else.
        ConfigError: `tokenizers` is not installed, or a setting does not fit.
    """
    require_extra("tokenizers")
    out = Path(out)
    _require_parts(sources)
    own = None if tokenizer is None else _read_tokenizer(Path(tokenizer))
    is_new = not (out / "request.json").exists()
    _claim(out, sources, config, own)
    if (out / "index.json").exists():
        return Corpus.load(out)
    try:
        if not (out / "tokenizer.json").exists():
            own = own or _learned(sources, config)
            write_bytes(out / "tokenizer.json", own.to_str().encode())
        _write_parts(out, sources, config, progress)
    except LengthwiseError:
        if is_new and not (out / "progress.json").exists():
            _remove(out)  # nothing is worth going on from, and another command may be right
        raise
    return Corpus.load(out)


def _remove(out: Path) -> None:
    for name in ("tokenizer.json", "request.json"):
        (out / name).unlink(missing_ok=True)
    if not any(out.iterdir()):
        out.rmdir()


class Corpus:
    """Tokens of a prepared corpus, and the tokenizer that made them."""

    def __init__(self, folder: Path, index: Mapping[str, Any]) -> None:
        self.folder, self.index = folder, index
        self.vocab_size: int = index["vocab_size"]

    @classmethod
    def load(cls, folder: Path | str) -> "Corpus":
        """The corpus in a folder, once all its files were found whole.

        Raises:
            TextError: there is none, it is not ready, or a file is not what the index says.
        """
        folder = Path(folder)
        if not (folder / "index.json").exists():
            if (folder / "request.json").exists():
                raise TextError(
                    f"{folder} is not prepared to the end. Give its `prepare` command again, and "
                    f"it goes on."
                )
            raise TextError(
                f"{folder} holds no prepared corpus. Make one: lengthwise prepare FILE --out "
                f"{folder}."
            )
        index = _noted(folder / "index.json")
        if index.get("format") != FORMAT:
            raise TextError(f"{folder}/index.json is not of format {FORMAT}. Prepare it again.")
        try:
            files = list(_digests(index))
            whole = index["digest"] == _digest_of_index(index)
        except (KeyError, TypeError, AttributeError):
            whole = False
        if not whole:
            raise TextError(
                f"{folder}/index.json is damaged. Prepare the corpus again, in a new folder."
            )
        for name, digest in files:
            path = folder / name
            if not path.exists() or _digest_of(path) != digest:
                raise TextError(
                    f"{path} is damaged: it is not what the index says. Prepare the corpus again, "
                    f"in a new folder."
                )
        return cls(folder, index)

    @cached_property
    def tokenizer(self) -> "Tokenizer":
        """The library's tokenizer."""
        return _read_tokenizer(self.folder / "tokenizer.json")

    @property
    def digest(self) -> str:
        """Of what all its files hold."""
        return str(self.index["digest"])[:12]

    @property
    def tokenizer_digest(self) -> str:
        """Of the file of the tokenizer: equal where tokens mean the same."""
        return str(self.index["tokenizer_sha256"])

    def encode(self, text: str) -> NDArray[np.int64]:
        """The tokens of a text, without one that ends it."""
        return _encoded(self.tokenizer, [text])[0]

    def decode(self, tokens: Iterable[int]) -> str:
        """The text of tokens."""
        return str(self.tokenizer.decode(list(tokens), skip_special_tokens=False))

    def part(self, name: str) -> "Tokens":
        """The tokens of a part.

        Raises:
            KeyError: there is no such part.
        """
        kind = np.dtype(self.index["dtype"])
        shards = self.index["parts"][name]["shards"]
        return Tokens(
            [np.memmap(self.folder / shard["file"], dtype=kind, mode="r") for shard in shards]
        )

    def bytes_per_token(self, name: str) -> float:
        """How much text a token of a part stands for: bytes of UTF-8."""
        part = self.index["parts"][name]
        return float(part["bytes"] / part["tokens"])


class Tokens:
    """Tokens in some files, from which windows are taken; none reaches over two files."""

    def __init__(self, shards: Sequence[NDArray[Any]]) -> None:
        self._shards = list(shards)

    def __len__(self) -> int:
        return sum(map(len, self._shards))

    def num_windows(self, length: int) -> int:
        """How many windows of so many tokens there are, overlapping ones too."""
        return int(self._ends(length)[-1])

    def windows(self, numbers: NDArray[np.int64], length: int) -> NDArray[np.int64]:
        """The windows of these numbers, each in 0..num_windows-1, `[window, token]`."""
        ends = self._ends(length)
        of = np.searchsorted(ends, numbers, side="right") - 1
        found = np.empty((len(numbers), length), dtype=np.int64)
        for shard in np.unique(of):
            rows = np.flatnonzero(of == shard)
            starts = numbers[rows] - ends[shard]
            found[rows] = self._shards[shard][starts[:, None] + np.arange(length)]
        return found

    def _ends(self, length: int) -> NDArray[np.int64]:
        """How many windows there are before each file, and in all."""
        counts = [max(0, len(shard) - length + 1) for shard in self._shards]
        return np.cumsum([0, *counts], dtype=np.int64)


# ---- what is asked for -----------------------------------------------------------------------


def _require_parts(sources: Sources) -> None:
    if not sources.get(TRAIN):
        raise ConfigError("a corpus needs a text to train on. Name a file, a folder or a dataset.")
    if bool(sources.get(VALID)) != bool(sources.get(TEST)):
        raise ConfigError(
            "only one of --valid and --test is given. Give both, or neither: then a part of the "
            "text is set apart for each."
        )


def _claim(out: Path, sources: Sources, config: PrepareConfig, own: "Tokenizer | None") -> None:
    """Make the folder for what is asked for, or find that it is for that already.

    Raises:
        TextError: it holds something else.
    """
    request = {
        "format": FORMAT,
        "sources": {name: [_named(s) for s in sources.get(name, ())] for name in PARTS},
        "config": config.to_dict(),
        "tokenizer": None if own is None else _digest(own.to_str().encode()),
    }
    path = out / "request.json"
    foreign = out.exists() and (
        not out.is_dir() or any(not is_leftover(found) for found in out.iterdir())
    )
    if foreign and not path.exists():
        raise TextError(f"{out} exists and holds no prepared corpus. Use a new or empty folder.")
    if not path.exists():
        for source in chain.from_iterable(sources.values()):
            next(documents(source, column=config.column), None)  # raises if it cannot be read
    if create_json(path, request):
        remove_leftovers(out)
        return
    stored = _noted(path)
    for name, wanted in request.items():
        if stored.get(name) != wanted:
            raise TextError(
                f"{out} holds a corpus with {name} {stored.get(name)!r}, but now {wanted!r} is "
                f"asked for. Use another folder, or ask for the same."
            )


def _named(source: str) -> str:
    """The source, with the version of Python where that decides what it is."""
    return f"{source}, {PYTHON_TEXT}" if source in (PYTHON, TOPICS) else source


# ---- documents to tokens -----------------------------------------------------------------------


def _divided(sources: Sources, column: str) -> Iterator[tuple[str, str]]:
    """Texts and their parts, always in the same order."""
    if not sources.get(VALID):
        yield from _set_apart(_all_of(sources[TRAIN], column))
        return
    seen: set[bytes] = set()
    for part in (TEST, VALID):
        for text in _all_of(sources[part], column):
            seen.add(_key(text))
            yield part, text
    for text in _all_of(sources[TRAIN], column):
        yield ("" if _key(text) in seen else TRAIN), text


def _all_of(sources: Sequence[str], column: str) -> Iterator[str]:
    return chain.from_iterable(documents(source, column=column) for source in sources)


def _set_apart(texts: Iterator[str]) -> Iterator[tuple[str, str]]:
    """A part of the documents for each purpose, or of each document if they are few."""
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
    """What equal texts have in common: white space and line ends make no difference."""
    return hashlib.sha256(" ".join(text.split()).encode()).digest()


def _learned(sources: Sources, config: PrepareConfig) -> "Tokenizer":
    """A tokenizer of the first texts for training."""

    def sample() -> Iterator[str]:
        left = _SAMPLE
        for part, text in _divided(sources, config.column):
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
    tokenizer = _read_tokenizer(out / "tokenizer.json")
    vocab_size = tokenizer.get_vocab_size()
    kind = np.dtype(np.uint16 if vocab_size <= 2**16 else np.uint32)
    noted = out / "progress.json"
    nothing = {"documents": 0, "characters": 0, "bytes": 0, "tokens": 0}
    state: dict[str, Any] = {
        "done": 0,
        "seen": "",
        "left_out": 0,
        "parts": {part: {**nothing, "shards": []} for part in PARTS},
    }
    texts = _divided(sources, config.column)
    if noted.exists():
        state = {**state, **_noted(noted)}
        _skip(texts, state, noted)
    while batch := _batch(texts, config.characters):
        for part in PARTS:
            own = [text for name, text in batch if name == part]
            if own:
                found = state["parts"][part]
                name = f"{part}-{len(found['shards']):05}.bin"
                _count(found, _write_shard(out / name, own, tokenizer, kind), own)
        state["done"] += len(batch)
        state["seen"] = _rolled(state["seen"], batch)
        state["left_out"] += sum(not part for part, _ in batch)
        write_json(noted, state)
        if progress:
            progress(state["done"], sum(p["tokens"] for p in state["parts"].values()))
    for part, found in state["parts"].items():
        if not found["characters"]:
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
        "format": FORMAT,
        "sources": _noted(out / "request.json")["sources"],
        "vocab_size": vocab_size,
        "dtype": kind.name,
        "tokenizer_sha256": _digest_of(out / "tokenizer.json"),
        "left_out": state["left_out"],
        "parts": state["parts"],
    }
    write_json(out / "index.json", {**index, "digest": _digest_of_index(index)})
    noted.unlink()


def _rolled(seen: str, texts: Iterable[tuple[str, str]]) -> str:
    """A digest of all texts so far, and of where they went, with more of them."""
    for part, text in texts:
        seen = _digest(f"{seen}{part}:{_key(text).hex()}".encode())
    return seen


def _skip(texts: Iterator[tuple[str, str]], state: Mapping[str, Any], noted: Path) -> None:
    """Read past what was done, and refuse to go on if it is not what it was.

    Raises:
        TextError: the sources have changed since.
    """
    if _rolled("", islice(texts, state["done"])) != state["seen"]:
        raise TextError(
            f"the sources of {noted.parent} have changed since a part of them was prepared. "
            f"Prepare them in a new folder."
        )


def _forget(out: Path, state: Mapping[str, Any]) -> None:
    """Delete what was made of a text that cannot be used."""
    for part in state["parts"].values():
        for shard in part["shards"]:
            (out / shard["file"]).unlink(missing_ok=True)
    (out / "progress.json").unlink(missing_ok=True)


def _noted(path: Path) -> dict[str, Any]:
    """An object of ours on disk.

    Raises:
        TextError: it is none.
    """
    try:
        found = read_json(path)
    except RunError:
        found = None
    if not isinstance(found, dict):
        raise TextError(f"{path} is damaged. Prepare the corpus again, in a new folder.")
    return found


def _batch(texts: Iterator[tuple[str, str]], characters: int) -> list[tuple[str, str]]:
    """The next texts, until they have so many characters."""
    batch: list[tuple[str, str]] = []
    for found in texts:
        batch.append(found)
        characters -= len(found[1])
        if characters <= 0:
            break
    return batch


def _write_shard(
    path: Path, texts: Sequence[str], tokenizer: "Tokenizer", kind: np.dtype[Any]
) -> dict[str, Any]:
    """The tokens of some texts in a file; what the index has of it."""
    end = np.array([tokenizer.token_to_id(END)], dtype=kind)
    encoded = [each.astype(kind) for each in _encoded(tokenizer, texts)]
    tokens = np.concatenate([array for each in encoded for array in (each, end)])
    write_bytes(path, tokens.tobytes())
    return {"file": path.name, "tokens": len(tokens), "sha256": _digest(tokens.tobytes())}


def _count(found: dict[str, Any], shard: dict[str, Any], texts: Sequence[str]) -> None:
    """Add a file to what there is of a part."""
    found["shards"].append(shard)
    found["tokens"] += shard["tokens"]
    found["documents"] += len(texts)
    found["characters"] += sum(map(len, texts))
    found["bytes"] += sum(len(text.encode()) for text in texts)


def _encoded(tokenizer: "Tokenizer", texts: Sequence[str]) -> list[NDArray[np.int64]]:
    """The tokens of each text; long ones are encoded in pieces, all of them side by side."""
    parts = [pieces(text) for text in texts]
    found = iter(tokenizer.encode_batch([piece for part in parts for piece in part]))
    return [
        np.array([token for piece in islice(found, len(part)) for token in piece.ids], np.int64)
        for part in parts
    ]


def _read_tokenizer(path: Path) -> "Tokenizer":
    """The tokenizer in a file.

    Raises:
        TextError: there is none, or it has no token that ends documents.
    """
    require_extra("tokenizers")
    from tokenizers import Tokenizer  # noqa: PLC0415

    path = path / "tokenizer.json" if path.is_dir() else path
    try:
        found = Tokenizer.from_str(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise TextError(f"{path} cannot be read: {error.strerror}. Give a file.") from None
    except Exception:  # the library raises nothing more precise
        raise TextError(f"{path} is no tokenizer. Give a tokenizer.json.") from None
    found.encode_special_tokens = True  # in a text, what looks like one is text
    if found.token_to_id(END) is None:
        raise TextError(f"{path} has no token {END}, which ends documents. Use another tokenizer.")
    return found


def _digests(index: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """All files of a corpus, with their digests."""
    yield "tokenizer.json", index["tokenizer_sha256"]
    for part in index["parts"].values():
        for shard in part["shards"]:
            yield shard["file"], shard["sha256"]


def _digest_of_index(index: Mapping[str, Any]) -> str:
    """Of all that an index says but for its own digest, and where texts were read from."""
    said = {k: v for k, v in index.items() if k not in ("digest", "sources")}
    return _digest(json.dumps(said, sort_keys=True).encode())


def _digest_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
