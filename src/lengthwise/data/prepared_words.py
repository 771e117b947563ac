"""Labelled words on disk: a file is read once, and kept as packed arrays in the cache folder.

words.npy    the symbols of all words, one word after the other
ends.npy     where each word ends, from 0 for a word before the first
classes.npy  the class of each word
lines.npy    the rows with that class, and with the next most frequent one, if some are repeated
hashes.npy   64 bits of the hash of each word; words are stored in the order of their hashes
index.json   alphabet, classes, counts, and the digest of every array

The folder is named by the digest of the file. It is made under another name, synced and renamed, so
it exists if and only if it is complete.
"""

import hashlib
import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lengthwise.data.columns import Columns
from lengthwise.data.counted_words import CountingWorkers, count_words
from lengthwise.data.labelled_words import ONE_LABEL, LabelledWords
from lengthwise.data.numbered_words import NumberedWords, number_words
from lengthwise.data.word_files import WordFile
from lengthwise.data.word_symbols import (
    format_word,
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
from lengthwise.messages import format_count

try:
    import fcntl
except ImportError:  # Windows has no such locks
    fcntl = None  # type: ignore[assignment]

FORMAT = 6
"""Increases when prepared words of an older version cannot be used."""

_INDEX = "index.json"

_AT_ONCE = 2**22
"""Number of symbols that are moved at once when words are put in order."""

_DIGITS = 1_000
"""Number of digits from which on labels are no numbers; Python refuses 4,300."""


def prepare_words(
    path: Path,
    alphabet: Sequence[str] | None = None,
    *,
    by_majority: bool = False,
    columns: Columns | None = None,
    workers: CountingWorkers | None = None,
) -> LabelledWords:
    """Return the words of a file, read now or, if that was done before, from the cache folder.

    `alphabet` are all symbols, if not those that occur in the file. A word with several labels has
    that of most of its lines if it goes `by_majority`; if two labels have the most, it is left out.
    `workers` count the words of parts of the file, if they are given.

    Raises:
        TextError: it cannot be read; a line is not a labelled word, or has a symbol outside the
            alphabet; or a word has two labels.
        LanguageError: the alphabet is not valid.
        ConfigError: a library that it needs is not installed, or workers do not read such a file.
        RunError: a worker died, or does not see the file.
    """
    file = WordFile.of(path, columns)
    if alphabet is not None:
        check_alphabet(tuple(alphabet))
    source = file.digest()
    given_alphabet = None if alphabet is None else tuple(alphabet)
    parts = [FORMAT, source, file.kind, given_alphabet, *(["majority"] if by_majority else [])]
    key = json.dumps(parts)
    folder = cache_folder() / "words" / hashlib.sha256(key.encode()).hexdigest()[:32]
    try:
        if (words := _open(folder)) is not None:
            return words
        with _lock(folder):
            if (words := _open(folder)) is not None:  # another process has made it
                return words
            read = None
            if workers is not None:
                read = count_words(file, alphabet, folder.with_suffix(".parts"), workers)
            _prepare(file, folder, given_alphabet, source, by_majority=by_majority, read=read)
            shutil.rmtree(folder.with_suffix(".parts"), ignore_errors=True)
            words = _open(folder)
    except OSError as error:
        raise TextError(
            f"the words of {path} cannot be kept in {folder.parent}: {error.strerror}. Set "
            f"XDG_CACHE_HOME to a folder with room."
        ) from None
    assert words is not None
    return words


def _open(folder: Path) -> LabelledWords | None:
    """Return prepared words, or None if they do not exist or are damaged."""
    try:
        index = read_object(folder / _INDEX)
        arrays = dict[str, Any]()
        for name, digest in index["arrays"].items():
            file = folder / f"{name}.npy"
            if digest_of_file(file) != digest:
                return None
            arrays[name] = np.load(file, mmap_mode="r", allow_pickle=False)
        return LabelledWords(
            alphabet=tuple(index["alphabet"]),
            class_names=tuple(index["class_names"]),
            digest=index["digest"],
            duplicates=index["duplicates"],
            undecided=index["undecided"],
            symbols=arrays["words"],
            ends=arrays["ends"],
            classes=arrays["classes"],
            hashes=arrays["hashes"],
            lines=arrays.get("lines"),
            undecided_lines=index["undecided_lines"],
        )
    except (LengthwiseError, FileNotFoundError, KeyError, TypeError, ValueError):
        return None


@contextmanager
def _lock(folder: Path) -> Iterator[None]:
    """Let one process prepare these words; the system releases the lock if it dies."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_suffix(".lock").open("wb") as file:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _prepare(
    file: WordFile,
    folder: Path,
    alphabet: tuple[str, ...] | None,
    source: str,
    *,
    by_majority: bool,
    read: NumberedWords | None,
) -> None:
    """Read a file, unless its words are there, and make its folder, under another name first."""
    aside = folder.with_suffix(".tmp")
    for left in (aside, folder):  # of a writer that was killed, or damaged
        shutil.rmtree(left, ignore_errors=True)
    aside.mkdir()
    try:
        if read is not None and (by_majority or _have_one_label(read)):
            _write(read, file, aside, by_majority)
        else:
            with (aside / "raw").open("w+b") as raw:
                _write(number_words(file, alphabet, raw), file, aside, by_majority)
            (aside / "raw").unlink()
        if file.digest() != source:
            raise TextError(f"{file} was changed while it was read. Run the command again.")
        for path in aside.iterdir():
            sync_file(path)
        aside.replace(folder)
        sync_folder(folder.parent)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _have_one_label(read: NumberedWords) -> bool:
    """Return whether each word that is counted, in the order of hashes, has one label."""
    return bool((read.hashes[1:] != read.hashes[:-1]).any(axis=1).all())


def _write(read: NumberedWords, file: WordFile, folder: Path, by_majority: bool) -> None:
    """Write the arrays of different words, in the order of their hashes, and their index."""
    order = np.lexsort((read.hashes[:, 1], read.hashes[:, 0]))  # equal words stay in order
    hashes = read.hashes[order]
    is_new = np.ones(len(order), dtype=bool)
    is_new[1:] = (hashes[1:] != hashes[:-1]).any(axis=1)
    lines, undecided_lines = None, 0
    if by_majority:
        rows, lines, undecided_lines = _majority(read, file, order, is_new)
    else:
        _require_one_label(read, file, order, is_new)
        rows = order[is_new]
    alphabet = list(read.symbols) if read.is_stated else sorted(read.symbols)
    names = sorted(read.classes, key=_label_order(read.classes))
    numbers = _numbers(read.classes, names)
    if len(names) == 1:
        names, numbers = list(ONE_LABEL), np.ones(1, dtype=np.int64)
    lengths = read.lengths[rows]
    ends = np.concatenate([[0], np.cumsum(lengths)])
    arrays = {
        "words": _in_order(read, rows, ends, _numbers(read.symbols, alphabet)),
        "ends": ends,
        "classes": numbers[read.labels[rows]].astype(_least(len(names))),
        "hashes": read.hashes[rows, 0],
    }
    if lines is not None and (lines != [1, 0]).any():
        arrays["lines"] = lines.astype(_least(int(lines.max()) + 1))
    for name, values in arrays.items():
        np.save(folder / f"{name}.npy", values, allow_pickle=False)
    digests = {name: digest_of_file(folder / f"{name}.npy") for name in arrays}
    summary = {"alphabet": alphabet, "class_names": names, "arrays": digests}
    content = hashlib.sha256(json.dumps(summary, sort_keys=True).encode()).hexdigest()
    different = int(is_new.sum())
    counts = {
        "words": len(rows),
        "duplicates": int(read.counts.sum()) - different,
        "undecided": different - len(rows),
        "undecided_lines": undecided_lines,
    }
    write_json(folder / _INDEX, {"format": FORMAT, **summary, **counts, "digest": content[:16]})


def _majority(
    read: NumberedWords, file: WordFile, order: NDArray[np.int64], is_new: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Return a row, with the label of the most rows, of each word with one such label, and `lines`
    and `undecided_lines` of `LabelledWords`.
    """
    group, labels = np.cumsum(is_new) - 1, read.labels[order]
    pairs, first, which = np.unique(
        np.stack([group, labels]), axis=1, return_index=True, return_inverse=True
    )
    counts = np.bincount(which, read.counts[order]).astype(np.int64)
    best = np.lexsort((-counts, pairs[0]))
    is_first = np.diff(pairs[0][best], prepend=-1) != 0
    as_many = np.diff(counts[best], append=0) == 0  # as the next one, which may be of the same word
    is_alone = np.append(is_first[1:], True)
    is_decided = is_first & ~(as_many & ~is_alone)
    if not is_decided.any():
        raise TextError(
            f"{file} has no word with a label that has the most lines. Leave one label for each "
            f"word."
        )
    next_most = np.where(is_alone, 0, np.append(counts[best][1:], 0))
    lines = np.column_stack([counts[best], next_most])
    undecided_lines = int(counts[best][is_first & ~is_decided].sum())
    return order[first[best[is_decided]]], lines[is_decided], undecided_lines


def _require_one_label(
    read: NumberedWords, file: WordFile, order: NDArray[np.int64], is_new: NDArray[np.bool_]
) -> None:
    """Refuse words with two labels."""
    labels, firsts = read.labels[order], np.flatnonzero(is_new)
    group = np.cumsum(is_new) - 1
    other = np.flatnonzero(labels != labels[firsts[group]])
    if not len(other):
        return
    several, at = np.unique(group[other], return_index=True)
    place = np.argmin(order[firsts[several]])
    first, two = order[firsts[several[place]]], order[other[at[place]]]
    starts = np.cumsum(read.lengths) - read.lengths
    known = list(read.symbols)
    word = [
        known[symbol] for symbol in read.raw[starts[first] : starts[first] + read.lengths[first]]
    ]
    text = format_word(word, known)
    names = list(read.classes)
    unit = f"{file.reader.unit}s"
    raise TextError(
        f"{file}: {format_count(len(several), 'word')} with two labels or outputs; the first is "
        f"{text!r:.60}, of {unit} {read.places[first]} ({names[read.labels[first]]!r:.40}) and "
        f"{read.places[two]} ({names[read.labels[two]]!r:.40}). Leave one for each word, or "
        f"allow for wrong labels, --set label_noise=0.01."
    )


def _in_order(
    read: NumberedWords,
    rows: NDArray[np.int64],
    ends: NDArray[np.int64],
    numbers: NDArray[np.int64],
) -> NDArray[Any]:
    """Return the symbols of these rows, in the least type that holds them."""
    starts = np.cumsum(read.lengths) - read.lengths
    symbols = np.empty(ends[-1], dtype=_least(len(numbers)))
    first = 0
    while first < len(rows):
        last = max(first + 1, int(np.searchsorted(ends, ends[first] + _AT_ONCE)) - 1)
        total = ends[last] - ends[first]
        moved = np.repeat(
            starts[rows[first:last]] - ends[first:last], read.lengths[rows[first:last]]
        )
        places = moved + np.arange(ends[first], ends[first] + total)
        symbols[ends[first] : ends[last]] = numbers[read.raw[places]]
        first = last
    return symbols


def _numbers(numbers: Mapping[str, int], names: Sequence[str]) -> NDArray[np.int64]:
    """Return the final number of each name, by the number of its first meeting."""
    place = {name: number for number, name in enumerate(names)}
    return np.array([place[name] for name in numbers], dtype=np.int64)


def _least(count: int) -> np.dtype[Any]:
    """Return the least type that holds numbers below `count`."""
    return np.min_scalar_type(max(count - 1, 0))


def _label_order(labels: Mapping[str, int]) -> Any:
    """Return the key by which labels are sorted: as numbers if all of them are integers."""
    are_numbers = all(
        label.removeprefix("-").isdecimal() and label.isascii() and len(label) < _DIGITS
        for label in labels
    )
    return (lambda label: (int(label), label)) if are_numbers else (lambda label: label)
