"""Base of prepared corpora: a folder for one request, with digests of its files.

request.json    what was asked for; made first, never changed
tokenizer.json  how text becomes tokens
index.json      what there is, with the digest of every file; there exactly if all is ready
"""

import hashlib
import json
import shlex
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

import numpy as np

from lengthwise.data.extra import require_extra
from lengthwise.errors import LengthwiseError, LengthwiseWarning, RunError, TextError, unknown_name
from lengthwise.files import (
    create_json,
    digest_of_file,
    is_leftover,
    read_json,
    remove_leftovers,
    write_json,
)
from lengthwise.settings import flatten
from lengthwise.zoo_paths import resolve_corpus

if TYPE_CHECKING:
    from tokenizers import Tokenizer

REQUEST, TOKENIZER, INDEX = "request.json", "tokenizer.json", "index.json"

TEXT_FORMAT, PAIRS_FORMAT = 1, "pairs-1"
_KINDS = {TEXT_FORMAT: "text", PAIRS_FORMAT: "parallel text"}

Progress = Callable[[int, int], None]
"""Called with the documents, or pairs, that are done and the tokens so far."""


class StoredCorpus(ABC):
    """A complete corpus on disk."""

    format: ClassVar[int | str]
    """Format that its index names."""
    command: ClassVar[str]
    """Command that makes one."""
    unit: ClassVar[str] = "tokens"
    """What its index counts in each part."""
    special: ClassVar[Mapping[str, str]] = {}
    """Tokens that its tokenizer must have, and what they do."""
    skips_special: ClassVar[bool] = False
    """True if special tokens have no text."""

    def __init__(self, folder: Path, index: Mapping[str, Any]) -> None:
        self.folder, self.index = folder, index
        self.vocab_size: int = index["vocab_size"]

    def __repr__(self) -> str:
        parts = self.index["parts"].items()
        sizes = ", ".join(f"{name} {part[self.unit]:,}" for name, part in parts)
        return (
            f"{type(self).__name__}({self.folder}: {self.vocab_size:,} tokens in the vocabulary; "
            f"{sizes} {self.unit})"
        )

    @classmethod
    def load(cls, folder: Path | str) -> Self:
        """Load the corpus in a folder, after checking all its files.

        Raises:
            TextError: it does not exist, it is not ready, or a file is not what the index says.
        """
        corpus = cls.open(folder)
        for name, expected in cls._digests(corpus.index):
            path = corpus.folder / name
            if not path.exists() or digest_of_file(path) != expected:
                raise TextError(
                    f"{path} is damaged: it is not what the index says. Prepare the corpus again, "
                    f"in a new folder."
                )
        return corpus

    @classmethod
    def open(cls, folder: Path | str) -> Self:
        """Open the corpus in a folder, or `zoo:NAME`, by its index, without checking its files.

        Raises:
            TextError: it does not exist, it is not ready, or its index is damaged.
        """
        folder = resolve_corpus(folder)
        path = folder / INDEX
        if not path.exists():
            if (folder / REQUEST).exists():
                raise TextError(
                    f"{folder} is not prepared to the end. Run its `prepare` command again to "
                    f"continue."
                )
            raise TextError(
                f"{folder} holds no prepared corpus. Make one: `{cls.command} --out {folder}`."
            )
        index = read_note(path)
        format_name = index.get("format")
        if format_name != cls.format:
            for other, kind in _KINDS.items():
                if format_name == other:
                    raise TextError(
                        f"{folder} holds {kind}, but {_KINDS[cls.format]} is needed. Make some: "
                        f"{cls.command} --out DIR."
                    )
            raise TextError(f"{path} is not of format {cls.format}. Prepare it again.")
        try:
            cls._digests(index)  # raises unless every file has one
            is_intact = index["digest"] == digest_of_index(index)
        except (KeyError, TypeError, AttributeError):
            is_intact = False
        if not is_intact:
            raise TextError(f"{path} is damaged. Prepare the corpus again, in a new folder.")
        return cls(folder, index)

    @classmethod
    def _digests(cls, index: Mapping[str, Any]) -> list[tuple[str, str]]:
        """Return all files with the digests that the index has of them."""
        return [(TOKENIZER, index["tokenizer_sha256"]), *cls.files(index)]

    @staticmethod
    @abstractmethod
    def files(index: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """Return the files of all parts, with their digests."""

    @property
    def parts(self) -> tuple[str, ...]:
        """Return the names of the parts."""
        return tuple(self.index["parts"])

    @classmethod
    def read_tokenizer(cls, path: Path) -> "Tokenizer":
        """Read the tokenizer in a file, or of a corpus.

        Raises:
            TextError: it does not exist, or it lacks a special token.
        """
        return read_tokenizer(path, cls.special)

    @cached_property
    def tokenizer(self) -> "Tokenizer":
        """The library's tokenizer."""
        return self.read_tokenizer(self.folder)

    def decode(self, tokens: Iterable[int]) -> str:
        """Return the text of tokens."""
        return str(self.tokenizer.decode(list(tokens), skip_special_tokens=self.skips_special))

    def require_part(self, name: str) -> None:
        """Raise `TextError` unless there is such a part."""
        if name in self.parts:
            return
        if name in ("train", "valid", "test"):
            raise TextError(
                f"{self.folder} has no part {name}; it has {', '.join(self.parts)}. Use one "
                f"of these, or prepare a corpus that has it."
            )
        raise unknown_name("part", name, self.parts, TextError)

    @property
    def digest(self) -> str:
        """Digest of the content of all its files."""
        return str(self.index["digest"])[:12]

    @property
    def tokenizer_digest(self) -> str:
        """Digest of the file of the tokenizer: equal where tokens mean the same."""
        return str(self.index["tokenizer_sha256"])


Kind = TypeVar("Kind", bound=StoredCorpus)


# ---- making one --------------------------------------------------------------------------------


def claim_corpus(
    out: Path, request: Mapping[str, Any], require_sources: Callable[[], None]
) -> None:
    """Make the folder for a request, or find that it already has that request.

    `require_sources` raises if they cannot be read; then no folder is made.

    Raises:
        TextError: it holds something else.
    """
    path = out / REQUEST
    foreign = out.exists() and (
        not out.is_dir() or any(not is_leftover(path) for path in out.iterdir())
    )
    if foreign and not path.exists():
        raise TextError(f"{out} exists and holds no prepared corpus. Use a new or empty folder.")
    if not path.exists():
        require_sources()
    if create_json(path, request):
        remove_leftovers(out)
        return
    stored = read_note(path)
    stored_values, new_values = flatten(stored), flatten(request)
    for name in {**new_values, **stored_values}:
        if stored_values.get(name) != new_values.get(name):
            stored_value, new_value = (
                _format_value(name, values.get(name)) for values in (stored_values, new_values)
            )
            raise TextError(
                f"{out} holds a corpus with {name} {stored_value}, but now {new_value} is asked "
                f"for. Use another folder, or ask for the same."
            )


def _format_value(name: str, value: Any) -> str:
    """Return a value of a request for a message."""
    if isinstance(value, list):
        return shlex.join(map(str, value)) or "nothing"
    if name == "tokenizer":
        return "of its own" if value is None else f"that of a corpus ({value[:12]})"
    return "nothing" if value is None else str(value)


def make_ready(
    out: Path,
    kind: type[Kind],
    claim_folder: Callable[[], None],
    make: Callable[[], None],
    *,
    sources: Mapping[str, Sequence[str]],
    files_of: Callable[[str], Iterable[Path]],
    is_resumable: Callable[[], bool] = lambda: False,
) -> Kind:
    """Make a corpus in a folder, continue an interrupted one, or find that it is complete.

    `files_of` returns the files that one of the `sources` is read from.

    A folder that is new is given up again if nothing can be made, unless it `is_resumable`.
    """
    is_new = not (out / REQUEST).exists()
    claim_folder()
    if (out / INDEX).exists():
        _warn_of_newer(chain.from_iterable(map(files_of, chain(*sources.values()))), out)
    else:
        try:
            make()
        except LengthwiseError:
            if is_new and not is_resumable():
                unclaim(out)
            raise
    return kind.load(out)


def _warn_of_newer(sources: Iterable[Path], out: Path) -> None:
    """Warn if a source of a corpus that is ready was written to after the corpus was."""
    written_at = (out / INDEX).stat().st_mtime
    for path in sources:
        with suppress(OSError):  # it need not be there any more
            if path.stat().st_mtime > written_at:
                warnings.warn(
                    f"{path} is newer than {out}, which was made from it and stays as it is. To "
                    f"take in what has changed, prepare another folder.",
                    LengthwiseWarning,
                    stacklevel=2,
                )
                return


def unclaim(out: Path) -> None:
    """Remove a folder that has nothing worth continuing: another command may be right."""
    for name in (TOKENIZER, REQUEST):
        (out / name).unlink(missing_ok=True)
    if not any(out.iterdir()):
        out.rmdir()


def write_index(out: Path, index: Mapping[str, Any]) -> None:
    """Write the index, which comes last: with it the corpus is complete."""
    write_json(out / INDEX, {**index, "digest": digest_of_index(index)})


def token_kind(vocab_size: int) -> np.dtype[Any]:
    """Return the type of stored tokens: two bytes each, or four for large vocabularies."""
    return np.dtype(np.uint16 if vocab_size <= 2**16 else np.uint32)


# ---- reading what is there ---------------------------------------------------------------------


def read_note(path: Path) -> dict[str, Any]:
    """Read a JSON object that this package wrote.

    Raises:
        TextError: it is not a JSON object.
    """
    try:
        record = read_json(path)
    except RunError:
        record = None
    if not isinstance(record, dict):
        raise TextError(f"{path} is damaged. Prepare the corpus again, in a new folder.")
    return record


def read_tokenizer(path: Path, special: Mapping[str, str]) -> "Tokenizer":
    """Read the tokenizer in a file, or of a corpus; it must have the `special` tokens.

    Raises:
        TextError: it does not exist, or it has no such token.
    """
    require_extra("tokenizers")
    from tokenizers import Tokenizer  # noqa: PLC0415

    path = resolve_corpus(path)
    path = path / TOKENIZER if path.is_dir() else path
    try:
        tokenizer = Tokenizer.from_str(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise TextError(f"{path} cannot be read: {error.strerror}. Give a file.") from None
    except Exception:  # the library raises nothing more precise
        raise TextError(f"{path} is not a tokenizer. Give a tokenizer.json.") from None
    tokenizer.encode_special_tokens = True  # in a text, what looks like one is text
    for token, purpose in special.items():
        if tokenizer.token_to_id(token) is None:
            raise TextError(f"{path} has no token {token}, which {purpose}. Use another tokenizer.")
    return tokenizer


def digest_of_index(index: Mapping[str, Any]) -> str:
    """Return the digest of an index, without its own digest and the places of its sources."""
    aside = ("digest", "sources", "recognised")
    values = {name: value for name, value in index.items() if name not in aside}
    return digest(json.dumps(values, sort_keys=True).encode())


def digest(content: bytes) -> str:
    """Return the SHA-256 of bytes, in hexadecimal."""
    return hashlib.sha256(content).hexdigest()
