"""Labelled words on disk: a file is read once, and kept as packed arrays in the cache folder.

words.npy    the symbols of all words, one word after the other
ends.npy     where each word ends, from 0 for a word before the first
classes.npy  the class of each word
hashes.npy   64 bits of the hash of each word; words are stored in the order of their hashes
index.json   alphabet, classes, counts, and the digest of every array

The folder is named by the digest of the file. It is made under another name, synced and renamed, so
it is there exactly if it is complete.

A word belongs to a part by its hash h, a number from 0 to 1:

    test        0 <= h < test_share
    validation  test_share <= h < test_share + validation_share
    training    all others

So the part of a word depends on the word alone: not on its line, its label, or the other words.
"""

import hashlib
import json
import shutil
from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from lengthwise.data.parts import TEST, TRAIN, VALID
from lengthwise.data.word_files import (
    TABLES,
    Row,
    digest_of_source,
    place_of,
    read_rows,
    require_kind,
    word_kind,
)
from lengthwise.data.word_symbols import (
    MixedSpaces,
    is_spaced,
    refuse_symbol,
    require_few_symbols,
    require_plain_symbols,
    split_word,
    written_word,
)
from lengthwise.errors import LengthwiseError, TextError
from lengthwise.files import (
    cache_folder,
    digest_of_file,
    read_object,
    sync_file,
    sync_folder,
    write_json,
)
from lengthwise.languages.validation import check_alphabet
from lengthwise.wording import counted

try:
    import fcntl
except ImportError:  # Windows has no such locks
    fcntl = None  # type: ignore[assignment]

FORMAT = 4
"""Rises when prepared words of an older version cannot be used."""

PARTS = (TRAIN, VALID, TEST)

_ARRAYS = ("words", "ends", "classes", "hashes")
_INDEX = "index.json"
_SYMBOLS = np.dtype(np.uint32)
"""Type of symbols while not all of them are known."""

_AT_ONCE = 2**22
"""Number of symbols that are moved at once when words are put in order."""

_FEW = 50
"""Least number of lines of which the first may be taken for a heading."""

_WORDS = {"word", "words", "text", "string", "sequence", "sentence", "input"}
_LABELS = {"label", "labels", "class", "target", "output"}
"""Names of columns: a first line of two of them is a heading, however short the file."""

Rows = NDArray[np.int64]
"""Numbers of words."""


@dataclass(frozen=True, slots=True)
class LabelledWords:
    """Different words with their classes, in the order of their hashes, as memory maps."""

    alphabet: tuple[str, ...]
    class_names: tuple[str, ...]
    digest: str
    """Digest of words, labels, alphabet and classes: equal whatever file they are read from."""
    duplicates: int
    """Number of rows of the file that repeat an earlier word."""
    undecided: int
    """Number of words that are left out, as no label of theirs has more rows than each other."""
    symbols: NDArray[Any]
    ends: NDArray[np.int64]
    classes: NDArray[Any]
    hashes: NDArray[np.uint64]

    def __len__(self) -> int:
        return len(self.classes)

    @classmethod
    def of(
        cls,
        words: Sequence[Sequence[int]],
        classes: Sequence[int],
        alphabet: tuple[str, ...],
        class_names: tuple[str, ...],
    ) -> "LabelledWords":
        """Return words that are given as numbers of symbols, of which equal ones have one class."""
        written = b"".join(_hash([alphabet[symbol] for symbol in word]) for word in words)
        hashes = np.frombuffer(written, dtype=">u8").astype(np.uint64).reshape(-1, 2)
        _, chosen = np.unique(hashes, axis=0, return_index=True)
        lengths = np.array([len(words[row]) for row in chosen], dtype=np.int64)
        arrays = {
            "words": np.array([each for row in chosen for each in words[row]], dtype=np.int64),
            "ends": np.concatenate([[0], np.cumsum(lengths)]),
            "classes": np.array(classes, dtype=np.int64)[chosen],
            "hashes": hashes[chosen, 0],
        }
        said = json.dumps([alphabet, class_names]).encode()
        digest = hashlib.sha256(said + b"".join(each.tobytes() for each in arrays.values()))
        return cls(
            alphabet=alphabet,
            class_names=class_names,
            digest=digest.hexdigest()[:16],
            duplicates=len(words) - len(chosen),
            undecided=0,
            symbols=arrays["words"],
            ends=arrays["ends"],
            classes=arrays["classes"],
            hashes=arrays["hashes"],
        )

    def rows(
        self, part: str, *, validation_share: float, test_share: float, max_length: int | None
    ) -> Rows:
        """Return the numbers of the words of a part, those of at most `max_length` symbols."""
        bounds = [0, test_share, test_share + validation_share]
        keys = np.array([min(int(share * 2**64), 2**64 - 1) for share in bounds], dtype=np.uint64)
        first, second, third = np.searchsorted(self.hashes, keys).tolist()
        ranges = {TEST: (first, second), VALID: (second, third), TRAIN: (third, len(self))}
        found = np.arange(*ranges[part])
        return found if max_length is None else found[self.lengths(found) <= max_length]

    def lengths(self, rows: Rows) -> NDArray[np.int64]:
        """Return the numbers of symbols of some words."""
        return self.ends[rows + 1] - self.ends[rows]

    def tokens(self, rows: Rows, pad: int) -> NDArray[np.int64]:
        """Return the words `[word, place]`, right-aligned, with `pad` left of them."""
        lengths = self.lengths(rows)
        longest = int(lengths.max(initial=0))
        places = np.arange(longest) - (longest - lengths)[:, None]
        found = np.full((len(rows), longest), pad, dtype=np.int64)
        inside = places >= 0
        found[inside] = self.symbols[(self.ends[rows][:, None] + places)[inside]]
        return found

    def written(self, row: int) -> str:
        """Return a word as it is written."""
        symbols = self.symbols[self.ends[row] : self.ends[row + 1]].tolist()
        return written_word([self.alphabet[symbol] for symbol in symbols], self.alphabet)


def prepared(
    path: Path, alphabet: Sequence[str] | None = None, *, by_majority: bool = False
) -> LabelledWords:
    """Return the words of a file, read now or, if that was done before, from the cache folder.

    `alphabet` are all symbols, if not those that occur in the file. A word with several labels has
    that of most of its lines if it goes `by_majority`; if two labels have the most, it is left out.

    Raises:
        TextError: it cannot be read; a line is no labelled word, or has a symbol outside the
            alphabet; a word has two labels; or all words have one label.
        LanguageError: the alphabet is none.
        ConfigError: a library that it needs is not installed.
    """
    require_kind(path)
    if alphabet is not None:
        check_alphabet(tuple(alphabet))
    source = digest_of_source(path)
    stated = None if alphabet is None else list(alphabet)
    kind = "dataset" if path.is_dir() else f"{word_kind(path)} {path.suffix.lower()}"
    key = json.dumps([FORMAT, source, kind, stated, *(["majority"] if by_majority else [])])
    folder = cache_folder() / "words" / hashlib.sha256(key.encode()).hexdigest()[:32]
    try:
        if (found := _opened(folder)) is not None:
            return found
        with _locked(folder):
            if (found := _opened(folder)) is not None:  # another process has made it
                return found
            _prepare(
                path, folder, None if alphabet is None else tuple(alphabet), source, by_majority
            )
            found = _opened(folder)
    except OSError as error:
        raise TextError(
            f"the words of {path} cannot be kept in {folder.parent}: {error.strerror}. Set "
            f"XDG_CACHE_HOME to a folder with room."
        ) from None
    assert found is not None
    return found


def _opened(folder: Path) -> LabelledWords | None:
    """Return prepared words, or None if there are none, or those there are damaged."""
    try:
        index = read_object(folder / _INDEX)
        for name in _ARRAYS:
            if digest_of_file(folder / f"{name}.npy") != index["arrays"][name]:
                return None
        words, ends, classes, hashes = (
            np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False) for name in _ARRAYS
        )
        return LabelledWords(
            alphabet=tuple(index["alphabet"]),
            class_names=tuple(index["class_names"]),
            digest=index["digest"],
            duplicates=index["duplicates"],
            undecided=index["undecided"],
            symbols=words,
            ends=ends,
            classes=classes,
            hashes=hashes,
        )
    except (LengthwiseError, FileNotFoundError, KeyError, TypeError, ValueError):
        return None


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Let one process prepare these words; the system releases the lock if it dies."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_suffix(".lock").open("wb") as file:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _prepare(
    path: Path, folder: Path, alphabet: tuple[str, ...] | None, source: str, by_majority: bool
) -> None:
    """Read a file and make its folder, under another name first."""
    aside = folder.with_suffix(".tmp")
    for left in (aside, folder):  # of a writer that was killed, or damaged
        shutil.rmtree(left, ignore_errors=True)
    aside.mkdir()
    try:
        with (aside / "raw").open("w+b") as file:
            _write(_read(path, alphabet, file), path, aside, by_majority)
        (aside / "raw").unlink()
        if digest_of_source(path) != source:
            raise TextError(f"{path} was changed while it was read. Give the command again.")
        for each in aside.iterdir():
            sync_file(each)
        aside.replace(folder)
        sync_folder(folder.parent)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


@dataclass(slots=True)
class _Read:
    """The words of a file as they were read: symbols and classes as numbers of first meeting."""

    symbols: dict[str, int]
    classes: dict[str, int]
    raw: NDArray[np.uint32]
    lengths: NDArray[np.int64]
    labels: NDArray[np.int64]
    places: NDArray[np.int64]
    hashes: NDArray[np.uint64]
    """128 bits of each word, `[row, half]`."""
    is_stated: bool


def _read(path: Path, alphabet: tuple[str, ...] | None, file: IO[bytes]) -> _Read:
    """Read the rows of a file one by one; symbols go into another file."""
    spaced = is_spaced(path) if alphabet is None else any(len(each) > 1 for each in alphabet)
    symbols = {symbol: number for number, symbol in enumerate(alphabet or ())}
    classes: dict[str, int] = {}
    lengths, labels, places, hashes = array("q"), array("q"), array("q"), bytearray()
    first: Row | None = None
    mixed = MixedSpaces()
    for row in read_rows(path):
        first = first or row
        word = split_word(row.word, spaced)
        if not symbols.keys() >= set(word):
            if alphabet is not None:
                refuse_symbol(path, row, alphabet, spaced)
            require_plain_symbols(path, row, word, spaced)
            for symbol in word:
                symbols.setdefault(symbol, len(symbols))
        file.write(np.array([symbols[each] for each in word], dtype=_SYMBOLS).tobytes())
        lengths.append(len(word))
        labels.append(classes.setdefault(row.label, len(classes)))
        places.append(row.place)
        hashes += _hash(word)
        if alphabet is None and spaced:
            mixed.note(row)
    file.flush()
    mixed.refuse(path)
    if not lengths:
        raise TextError(f"{path} has no words. Write a word and its label on each line.")
    if len(classes) < 2:
        raise TextError(
            f"{path} has one class only, {next(iter(classes))!r:.60}, so there is nothing to "
            f"learn. Give words of two classes or more."
        )
    if not symbols:
        raise TextError(f"{path} has no symbol, only the empty word. Give more words.")
    if alphabet is None and first is not None and word_kind(path) in TABLES:
        _require_no_heading(path, first, list(symbols), file, lengths=lengths, labels=labels)
    require_few_symbols(path, tuple(symbols))
    return _Read(
        symbols=symbols,
        classes=classes,
        raw=np.memmap(file, dtype=_SYMBOLS, mode="r") if any(lengths) else np.zeros(0, _SYMBOLS),
        lengths=np.array(lengths),
        labels=np.array(labels),
        places=np.array(places),
        hashes=np.frombuffer(bytes(hashes), dtype=">u8").astype(np.uint64).reshape(-1, 2),
        is_stated=alphabet is not None,
    )


def _require_no_heading(
    path: Path,
    first: Row,
    symbols: Sequence[str],
    file: IO[bytes],
    *,
    lengths: Sequence[int],
    labels: Sequence[int],
) -> None:
    """Refuse a first line that is no word.

    It has names of columns, or its label, beside two others, and one of its symbols are its own.

    In a few lines the latter may be chance. Symbols and labels are numbered as they are first met.

    Raises:
        TextError: there is such a line.
    """
    remedy = (
        "Write word<TAB>label in its place, or, if it is a word, give all symbols with --alphabet "
        "(in Python, alphabet=)."
    )
    names = [str(name).strip() for name in (first.word, first.label)]
    columns = [name.lower() for name in names]
    if {*columns} <= _WORDS | _LABELS:
        is_swapped = columns[0] in _LABELS
        raise TextError(
            f"{place_of(path, first.place)} seems to be a heading, {names[0]!r} and {names[1]!r}. "
            + ("The word comes first on each line; put the columns so. " if is_swapped else "")
            + remedy
        )
    if len(labels) < _FEW or labels.count(0) > 1 or max(labels) < 2:
        return
    file.seek(0)
    own = np.fromfile(file, _SYMBOLS, lengths[0])
    others = np.unique(np.fromfile(file, _SYMBOLS))
    alone = np.setdiff1d(own, others)
    if len(alone):
        raise TextError(
            f"{place_of(path, first.place)} seems to be a heading: no other line has the label "
            f"{first.label!r:.40} or the symbol {symbols[alone[0]]!r:.40}. {remedy}"
        )


def _hash(word: Sequence[str]) -> bytes:
    """Return 128 bits that decide where a word belongs."""
    return hashlib.blake2b(" ".join(word).encode(), digest_size=16).digest()


def _write(read: _Read, path: Path, folder: Path, by_majority: bool) -> None:
    """Write the arrays of different words, in the order of their hashes, and their index."""
    order = np.lexsort((read.hashes[:, 1], read.hashes[:, 0]))  # equal words stay in order
    hashes = read.hashes[order]
    is_new = np.ones(len(order), dtype=bool)
    is_new[1:] = (hashes[1:] != hashes[:-1]).any(axis=1)
    if by_majority:
        rows = _majority(read, path, order, is_new)
    else:
        _require_one_label(read, path, order, is_new)
        rows = order[is_new]
    alphabet = list(read.symbols) if read.is_stated else sorted(read.symbols)
    names = sorted(read.classes, key=_label_order(read.classes))
    lengths = read.lengths[rows]
    ends = np.concatenate([[0], np.cumsum(lengths)])
    arrays = {
        "words": _in_order(read, rows, ends, _numbers(read.symbols, alphabet)),
        "ends": ends,
        "classes": _numbers(read.classes, names)[read.labels[rows]].astype(_least(len(names))),
        "hashes": read.hashes[rows, 0],
    }
    for name, each in arrays.items():
        np.save(folder / f"{name}.npy", each, allow_pickle=False)
    digests = {name: digest_of_file(folder / f"{name}.npy") for name in _ARRAYS}
    said = {"alphabet": alphabet, "class_names": names, "arrays": digests}
    content = hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()
    different = int(is_new.sum())
    counts = {
        "words": len(rows),
        "duplicates": len(order) - different,
        "undecided": different - len(rows),
    }
    write_json(folder / _INDEX, {"format": FORMAT, **said, **counts, "digest": content[:16]})


def _majority(
    read: _Read, path: Path, order: NDArray[np.int64], is_new: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Return a row, with the label of the most rows, of each word with one such label.

    Raises:
        TextError: there is no such word.
    """
    group, labels = np.cumsum(is_new) - 1, read.labels[order]
    pairs, first, counts = np.unique(
        np.stack([group, labels]),
        axis=1,
        return_index=True,
        return_counts=True,
    )
    best = np.lexsort((-counts, pairs[0]))
    is_first = np.diff(pairs[0][best], prepend=-1) != 0
    as_many = np.diff(counts[best], append=0) == 0  # as the next one, which may be of the same word
    is_decided = is_first & ~(as_many & ~np.append(is_first[1:], True))
    if not is_decided.any():
        raise TextError(
            f"{path} has no word of which one label has the most lines. Leave one label for each "
            f"word."
        )
    return order[first[best[is_decided]]]


def _require_one_label(
    read: _Read, path: Path, order: NDArray[np.int64], is_new: NDArray[np.bool_]
) -> None:
    """Refuse words with two labels.

    Raises:
        TextError: there are some; the message has their number, and the lines of the first.
    """
    labels, firsts = read.labels[order], np.flatnonzero(is_new)
    group = np.cumsum(is_new) - 1
    other = np.flatnonzero(labels != labels[firsts[group]])
    if not len(other):
        return
    several, at = np.unique(group[other], return_index=True)
    place = np.argmin(order[firsts[several]])
    one, two = order[firsts[several[place]]], order[other[at[place]]]
    starts = np.cumsum(read.lengths) - read.lengths
    known = list(read.symbols)
    word = [known[each] for each in read.raw[starts[one] : starts[one] + read.lengths[one]]]
    shown = written_word(word, known)
    names = list(read.classes)
    where = "rows" if path.is_dir() else "lines"
    raise TextError(
        f"{path}: {counted(len(several), 'word')} with two labels; the first is "
        f"{shown!r:.60}, of {where} {read.places[one]} ({names[read.labels[one]]!r:.40}) and "
        f"{read.places[two]} ({names[read.labels[two]]!r:.40}). Leave one label for each word, or "
        f"allow for wrong labels, --set label_noise=0.01."
    )


def _in_order(
    read: _Read, rows: NDArray[np.int64], ends: NDArray[np.int64], numbers: NDArray[np.int64]
) -> NDArray[Any]:
    """Return the symbols of these rows, in the least type that holds them."""
    starts = np.cumsum(read.lengths) - read.lengths
    found = np.empty(ends[-1], dtype=_least(len(numbers)))
    first = 0
    while first < len(rows):
        last = max(first + 1, int(np.searchsorted(ends, ends[first] + _AT_ONCE)) - 1)
        total = ends[last] - ends[first]
        moved = np.repeat(
            starts[rows[first:last]] - ends[first:last], read.lengths[rows[first:last]]
        )
        places = moved + np.arange(ends[first], ends[first] + total)
        found[ends[first] : ends[last]] = numbers[read.raw[places]]
        first = last
    return found


def _numbers(met: Mapping[str, int], names: Sequence[str]) -> NDArray[np.int64]:
    """Return the final number of each name, by the number of its first meeting."""
    place = {name: number for number, name in enumerate(names)}
    return np.array([place[name] for name in met], dtype=np.int64)


def _least(count: int) -> np.dtype[Any]:
    """Return the least type that holds numbers below `count`."""
    return np.min_scalar_type(max(count - 1, 0))


def _label_order(labels: Mapping[str, int]) -> Any:
    """Return the key by which labels are sorted: as numbers if all of them are whole numbers."""
    are_numbers = all(each.removeprefix("-").isdecimal() and each.isascii() for each in labels)
    return (lambda label: (int(label), label)) if are_numbers else (lambda label: label)
