"""Files of labelled words, written in every format."""

import csv
import gzip
import io
import json
import lzma
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import quoteattr

import numpy as np
import zstandard

from lengthwise.data.labelled_words import LabelledWords

Word = tuple[str, ...]

PACK: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.compress,
}
FORMATS = (".tsv", ".csv", ".jsonl", ".lists.jsonl", ".parquet", ".dat", ".xes", "dataset")

Labelled = Sequence[tuple[Word, str]]


def format_word(word: Word, alphabet: Sequence[str]) -> str:
    if any(len(symbol) > 1 for symbol in alphabet):
        return " ".join(symbol.replace("\\", "\\\\") for symbol in word)
    return "".join(word)


def abbadingo(labels: Labelled) -> str:
    symbols = {symbol for word, _ in labels for symbol in word}
    lines = [" ".join([label, str(len(word)), *word]) for word, label in labels]
    return "\n".join([f"{len(labels)} {len(symbols)}", *lines])


def event_log(labels: Labelled, name: str = "concept:name", label: str = "label") -> str:
    """A log in XES with attributes that say nothing, too."""

    def string(key: str, value: str, kind: str = "string") -> str:
        return f"<{kind} key={quoteattr(key)} value={quoteattr(value)}/>"

    traces = [
        "<trace>"
        + string("concept:name", f"case {number}")
        + "".join(
            f"<event>{string('cost', str(at), 'int')}{string(name, symbol)}</event>"
            for at, symbol in enumerate(word)
        )
        + string(label, found)
        + "</trace>"
        for number, (word, found) in enumerate(labels)
    ]
    return (
        '<?xml version="1.0" encoding="UTF-8"?><log xes.version="1.0" '
        'xmlns="http://www.xes-standard.org/">'
        + string("concept:name", "log")
        + f"<global scope='event'>{string('concept:name', 'none')}</global>"
        + "\n".join(traces)
        + "</log>"
    )


def comma_separated(rows: Sequence[Sequence[str]]) -> str:
    place = io.StringIO()
    csv.writer(place).writerows(rows)
    return place.getvalue()


def write_words(
    path: Path,
    labels: Sequence[tuple[Word, str]],
    alphabet: Sequence[str],
    *,
    form: str = ".tsv",
    packed: str = "",
) -> Path:
    """Write labelled words in a form; returns the file or folder."""
    texts = [format_word(word, alphabet) for word, _ in labels]
    if form == "dataset":
        import datasets  # noqa: PLC0415

        datasets.disable_progress_bars()
        columns = {"word": texts, "label": [label for _, label in labels]}
        datasets.Dataset.from_dict(columns).save_to_disk(str(path))
        return path
    rows = [(text, label) for text, (_, label) in zip(texts, labels, strict=True)]
    file = path.with_name(path.name + form + packed)
    if form == ".parquet":
        import pyarrow  # noqa: PLC0415
        from pyarrow import parquet  # noqa: PLC0415

        words, names = [text for text, _ in rows], [label for _, label in rows]
        parquet.write_table(pyarrow.table({"word": words, "other": names, "label": names}), file)
        return file
    contents: dict[str, Callable[[], str]] = {
        ".tsv": lambda: "".join(f"{text}\t{label}\n" for text, label in rows),
        ".csv": lambda: comma_separated(rows),
        ".dat": lambda: abbadingo(labels),
        ".xes": lambda: event_log(labels),
        ".jsonl": lambda: lines({"label": label, "word": text} for text, label in rows),
        ".lists.jsonl": lambda: lines({"word": word, "label": label} for word, label in labels),
    }
    file.write_bytes(PACK[packed](contents[form]().encode()))
    return file


def lines(values: Iterable[object]) -> str:
    return "".join(f"{json.dumps(each)}\n" for each in values)


def random_machine(
    states: int, alphabet: str, seed: int
) -> tuple[list[Mapping[str, int]], list[str]]:
    """Transitions and labels of a random automaton that starts in state 0."""
    draw = random.Random(seed)
    moves: list[Mapping[str, int]] = [
        {symbol: draw.randrange(states) for symbol in alphabet} for _ in range(states)
    ]
    return moves, [str(state % 2) for state in range(states)]


def label_of(word: Sequence[str], moves: Sequence[Mapping[str, int]], labels: Sequence[str]) -> str:
    state = 0
    for symbol in word:
        state = moves[state][symbol]
    return labels[state]


def random_words(
    count: int, alphabet: str = "ab", *, longest: int = 12, states: int = 6, seed: int = 1
) -> list[tuple[Word, str]]:
    """Different random words with their labels by a random automaton."""
    moves, labels = random_machine(states, alphabet, seed)
    draw = random.Random(seed + 1)
    found: dict[Word, str] = {}
    while len(found) < count:
        word = tuple(draw.choices(alphabet, k=draw.randint(0, longest)))
        found[word] = label_of(word, moves, labels)
    return list(found.items())


def read_back(words: LabelledWords) -> dict[Word, str]:
    """Each word with the name of its class."""
    tokens = words.tokens(np.arange(len(words)), -1)
    return {
        tuple(words.alphabet[symbol] for symbol in row[row >= 0].tolist()): words.class_names[c]
        for row, c in zip(tokens, words.classes.tolist(), strict=True)
    }
