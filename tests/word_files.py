"""Files of labelled words, written in every format."""

import gzip
import json
import lzma
import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

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
FORMATS = (".tsv", ".jsonl", ".lists.jsonl", "dataset")


def written(word: Word, alphabet: Sequence[str]) -> str:
    return (" " if any(len(symbol) > 1 for symbol in alphabet) else "").join(word)


def write_words(
    path: Path,
    labels: Sequence[tuple[Word, str]],
    alphabet: Sequence[str],
    *,
    form: str = ".tsv",
    packed: str = "",
) -> Path:
    """Write labelled words in a form; returns the file or folder."""
    texts = [written(word, alphabet) for word, _ in labels]
    if form == "dataset":
        import datasets  # noqa: PLC0415

        datasets.disable_progress_bars()
        columns = {"word": texts, "label": [label for _, label in labels]}
        datasets.Dataset.from_dict(columns).save_to_disk(str(path))
        return path
    if form == ".tsv":
        lines = [f"{text}\t{label}" for text, (_, label) in zip(texts, labels, strict=True)]
    elif form == ".jsonl":
        lines = [
            json.dumps({"label": label, "word": text})
            for text, (_, label) in zip(texts, labels, strict=True)
        ]
    else:
        lines = [json.dumps({"word": word, "label": label}) for word, label in labels]
    file = path.with_name(path.name + form + packed)
    file.write_bytes(PACK[packed]("".join(f"{line}\n" for line in lines).encode()))
    return file


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
