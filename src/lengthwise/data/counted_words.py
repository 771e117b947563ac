"""Words that are counted in parts, by several processes or machines, which share a file system.

A worker reads a range of the lines of a file, and keeps each different word with each of its labels
once, with the number of lines. Two such counts are merged into one, pairwise, until all are one.
What the workers pass on are files; those of a run that was stopped are used again. The result is
that of reading the file in one piece. Where the parts do not say what the whole says, such as
whether spaces separate symbols, or a part breaks a rule, nothing is returned: the file is then read
in one piece, and the message is about the file.
"""

import json
import os
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from lengthwise.data.columns import Columns
from lengthwise.data.compressed_files import PACKED
from lengthwise.data.formats.objects import JsonLines
from lengthwise.data.formats.plain_block import within
from lengthwise.data.formats.separated import TabSeparated
from lengthwise.data.numbered_words import SYMBOLS, NumberedWords, number_words
from lengthwise.data.word_files import WordFile
from lengthwise.data.word_symbols import MixedSpaces
from lengthwise.errors import ConfigError, RunError, TextError

PART = 2**26
"""Bytes of a part."""

Arrays = dict[str, NDArray[Any]]


class CountingWorkers(Protocol):
    """Calls functions elsewhere, as an executor of sweeps does."""

    def submit(self, function: Callable[..., str], /, *arguments: Any) -> "Future[str]":
        """Call a function."""
        ...

    def is_worker_lost(self, error: BaseException) -> bool:
        """Return whether the error of a future means that its worker died."""
        ...


def count_words(
    file: WordFile, alphabet: Sequence[str] | None, folder: Path, workers: CountingWorkers
) -> NumberedWords | None:
    """Return the words of a file, counted by workers; None if it has to be read in one piece.

    Raises:
        ConfigError: files of this format are not read in parts.
        RunError: a worker died, or does not see the file.
    """
    _require_lines(file)
    folder.mkdir(parents=True, exist_ok=True)
    columns, stated = file.columns.to_dict(), None if alphabet is None else list(alphabet)
    running: dict[Future[str], tuple[int, int]] = {}
    for number, bounds in enumerate(pairwise(_starts(file))):
        target = folder / f"{number}-{number + 1}.npz"
        future = workers.submit(
            _count, str(file.path.resolve()), columns, stated, bounds, str(target)
        )
        running[future] = number, number + 1
    ready: dict[int, tuple[int, str]] = {}
    while running:
        over, _ = wait(running, return_when=FIRST_COMPLETED)
        for future in over:
            first, last = running.pop(future)
            error = future.exception()
            if isinstance(error, TextError):
                return None
            if error is not None and workers.is_worker_lost(error):
                raise RunError("a worker died. Run it again: what is counted is kept.")
            ready[first] = last, future.result()
        for first, (last, one) in sorted(ready.items()):
            if first in ready and last in ready:
                end, other = ready.pop(last)
                del ready[first]
                merged = workers.submit(_merge, one, other, str(folder / f"{first}-{end}.npz"))
                running[merged] = first, end
    ((_, place),) = ready.values()
    return _to_numbered_words(_load(place), alphabet)


def _require_lines(file: WordFile) -> None:
    is_plain = isinstance(file.reader, TabSeparated | JsonLines)
    if not is_plain or file.columns.case or file.path.suffix.lower() in PACKED:
        raise ConfigError(
            f"{file}: workers count the words of .tsv and .jsonl files that are not packed, with a "
            f"word on each line. Write such a file, or leave the scheduler out."
        )


def _starts(file: WordFile) -> list[int]:
    """Return where each part begins, and where the last one ends: at whole lines."""
    size, found = file.path.stat().st_size, [0]
    with file.path.open("rb") as content:
        while found[-1] + PART < size:
            content.seek(found[-1] + PART)
            content.readline()
            found.append(min(content.tell(), size))
    return [*found, size] if found[-1] < size or size == 0 else found


def _heading(file: WordFile) -> bytes:
    """Return the first line, if it names the columns."""
    first = next(iter(file.rows()), None)
    if first is None or first.place == 1 or isinstance(file.reader, JsonLines):
        return b""
    with file.path.open("rb") as content:
        return content.readline()


def _count(
    path: str,
    columns: dict[str, str],
    alphabet: Sequence[str] | None,
    bounds: tuple[int, int],
    target: str,
) -> str:
    """Count the words of some bytes of a file; return the place of the result."""
    if Path(target).exists():
        return target
    own, (start, end) = Path(path), bounds
    if not own.is_file() or not Path(target).parent.is_dir():
        raise RunError(
            f"a worker does not see {own} or {Path(target).parent}. Put the file, and "
            f"XDG_CACHE_HOME, where all machines see them under the same path."
        )
    with tempfile.TemporaryDirectory() as place:
        part = Path(place) / f"part{own.suffix}"
        heading = _heading(WordFile.of(own, Columns(**columns))) if start else b""
        with own.open("rb") as whole:
            whole.seek(start)
            part.write_bytes(heading + whole.read(end - start))
        with (Path(place) / "raw").open("w+b") as raw:
            stated = None if alphabet is None else tuple(alphabet)
            read = number_words(WordFile.of(part, Columns(**columns)), stated, raw)
            if start and not heading and read.places[0] != 1:
                raise TextError("a line in the middle of the file looks like a heading.")
            texts = {
                "symbols": list(read.symbols),
                "written": read.written,
                "classes": list(read.classes),
                "is_spaced": read.is_spaced,
                "spaces": [read.mixed.with_spaces, read.mixed.without],
            }
            arrays: Arrays = {
                "raw": read.raw,
                "lengths": read.lengths,
                "labels": read.labels,
                "counts": np.ones_like(read.labels),
                "hashes": read.hashes,
            }
            return _save(texts, _merge_equal(arrays), target)


def _merge(one: str, other: str, target: str) -> str:
    """Merge two counts; return the place of the result."""
    if Path(target).exists():
        return target
    (texts, arrays), (more, others) = _load(one), _load(other)
    written = {**more["written"], **texts["written"]}
    is_same = all(written[name] == each for name, each in more["written"].items())
    if texts["is_spaced"] != more["is_spaced"] or not is_same:
        raise TextError("the parts of the file differ.")
    merged = dict[str, Any](written=written, is_spaced=texts["is_spaced"])
    tables = {}
    for name in ("symbols", "classes"):
        merged[name] = list(dict.fromkeys([*texts[name], *more[name]]))
        place = {each: number for number, each in enumerate(merged[name])}
        tables[name] = np.array([place[each] for each in more[name]], dtype=np.int64)
    if len(merged["symbols"]) > np.iinfo(SYMBOLS).max:
        raise TextError("there are too many symbols.")
    merged["spaces"] = np.add(texts["spaces"], more["spaces"]).tolist()
    others["raw"] = tables["symbols"][others["raw"]].astype(SYMBOLS)
    others["labels"] = tables["classes"][others["labels"]]
    both = {name: np.concatenate([arrays[name], others[name]]) for name in arrays}
    return _save(merged, _merge_equal(both), target)


def _merge_equal(arrays: Arrays) -> Arrays:
    """Return each different word once with each of its labels, in the order of hashes."""
    hashes, labels = arrays["hashes"], arrays["labels"]
    order = np.lexsort((labels, hashes[:, 1], hashes[:, 0]))
    hashes, labels = hashes[order], labels[order]
    is_new = np.ones(len(order), dtype=bool)
    is_new[1:] = (hashes[1:] != hashes[:-1]).any(axis=1) | (labels[1:] != labels[:-1])
    firsts, lengths = order[is_new], arrays["lengths"]
    starts = np.cumsum(lengths) - lengths
    return {
        "raw": arrays["raw"][within(starts[firsts], lengths[firsts])],
        "lengths": lengths[firsts],
        "labels": labels[is_new],
        "counts": np.add.reduceat(arrays["counts"][order], np.flatnonzero(is_new)),
        "hashes": hashes[is_new],
    }


def _save(texts: dict[str, Any], arrays: Arrays, target: str) -> str:
    aside = f"{target}.{os.getpid()}.tmp"
    with Path(aside).open("wb") as file:
        written = np.frombuffer(json.dumps(texts).encode(), dtype=np.uint8)
        np.savez(file, allow_pickle=False, texts=written, **arrays)
    Path(aside).replace(target)
    return target


def _load(place: str) -> tuple[dict[str, Any], Arrays]:
    with np.load(place, allow_pickle=False) as found:
        arrays = {name: found[name] for name in found.files}
    return json.loads(arrays.pop("texts").tobytes()), arrays


def _to_numbered_words(
    found: tuple[dict[str, Any], Arrays], alphabet: Sequence[str] | None
) -> NumberedWords | None:
    """Return counted words as if they were read in one piece; None if that would be refused."""
    texts, arrays = found
    mixed = MixedSpaces(None, *texts["spaces"])
    if alphabet is None and mixed.seems_a_slip:
        return None
    return NumberedWords(
        symbols={name: number for number, name in enumerate(texts["symbols"])},
        classes={name: number for number, name in enumerate(texts["classes"])},
        raw=arrays["raw"],
        lengths=arrays["lengths"],
        labels=arrays["labels"],
        places=np.zeros_like(arrays["labels"]),
        hashes=arrays["hashes"],
        is_stated=alphabet is not None,
        counts=arrays["counts"],
        written=texts["written"],
        is_spaced=texts["is_spaced"],
        mixed=mixed,
    )
