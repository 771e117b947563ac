"""Corpora made ready to learn from, as `import lengthwise as lw` gives it."""

import os
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from lengthwise.arguments import path_of
from lengthwise.data.documents import PYTHON
from lengthwise.data.numbers import DIGITS, WORDS
from lengthwise.data.pairs import NUMBERS
from lengthwise.data.parallel_corpus import PairsConfig, ParallelCorpus, require_further
from lengthwise.data.parallel_corpus import prepare_pairs as prepare_parallel_corpus
from lengthwise.data.text_corpus import Corpus, PrepareConfig
from lengthwise.data.text_corpus import prepare as prepare_corpus
from lengthwise.errors import ConfigError


def prepare(
    out: Path | str,
    train: Path | str | Sequence[Path | str] = PYTHON,
    *,
    valid: Path | str | Sequence[Path | str] = (),
    test: Path | str | Sequence[Path | str] = (),
    tokenizer: Path | str | None = None,
    **settings: Any,
) -> Corpus:
    """Text made ready to train on, in a folder: `train("text:FOLDER")` reads it.

    A source is a file (`.txt`, `.jsonl`; `.xz`, `.gz` or `.zst`), a folder, `hf:NAME` or
    `hf:NAME:CONFIG:SPLIT`, or `python`, the English text that ships with Python. Without `valid`
    and `test` a share of the documents is set apart. `settings` are `vocab_size` (257 for bytes)
    and `column`.

    Raises:
        TextError: a source cannot be read, or the folder holds something else.
        ConfigError: a setting does not fit, or a library is not installed.
    """
    _require_one_vocabulary(tokenizer, settings)
    sources = _sources({"train": train, "valid": valid, "test": test})
    return prepare_corpus(
        path_of("out", out), sources, PrepareConfig.from_dict(settings), tokenizer=tokenizer
    )


def prepare_pairs(
    out: Path | str,
    train: Path | str | Sequence[Path | str] = NUMBERS,
    *,
    languages: tuple[str, str] = (DIGITS, WORDS),
    valid: Path | str | Sequence[Path | str] = (),
    test: Path | str | Sequence[Path | str] = (),
    also: Mapping[str, Path | str | Sequence[Path | str]] | None = None,
    tokenizer: Path | str | None = None,
    **settings: Any,
) -> ParallelCorpus:
    """Parallel text made ready, in a folder: `train("pairs:FOLDER")` reads it.

    A source is a table `FILE.tsv` that has the two languages as columns, two aligned files
    `SOURCE_FILE,TARGET_FILE`, `hf:NAME`, or `numbers`, which makes up numbers and their names for
    all parts. `also` has further parts for tests; with the `tokenizer` of another corpus and
    `train=()` there may be no others. `settings` are `vocab_size` (259 for bytes).

    Raises:
        TextError: a source cannot be read, or the folder holds something else.
        ConfigError: a part is missing, a setting does not fit, or a library is not installed.
    """
    _require_one_vocabulary(tokenizer, settings)
    if not isinstance(also, Mapping | None):
        raise ConfigError(f"also has sources by the names of their parts, but got {also!r:.40}.")
    if isinstance(languages, str) or len(languages) != 2:
        raise ConfigError(f"languages are two names, such as ('en', 'de'), but got {languages!r}.")
    for name in also or ():
        require_further(name)
    sources = _sources({**(also or {}), "train": train, "valid": valid, "test": test})
    config = PairsConfig.from_dict(settings)
    return prepare_parallel_corpus(
        path_of("out", out), sources, languages, config, tokenizer=tokenizer
    )


def _sources(given: Mapping[str, Path | str | Sequence[Path | str]]) -> dict[str, list[str]]:
    """Return the sources of each part as texts."""
    listed = {
        part: found if isinstance(found, Sequence) and not isinstance(found, str) else [found]
        for part, found in given.items()
    }
    for part, each in listed.items():
        if wrong := [one for one in each if not isinstance(one, str | PathLike)]:
            raise ConfigError(
                f"{part} is a source such as 'book.txt', or a list of them, but got "
                f"{wrong[0]!r:.40}. Write the text to a file, and give that."
            )
    return {part: [os.fspath(one) for one in each] for part, each in listed.items()}


def _require_one_vocabulary(tokenizer: Path | str | None, settings: Mapping[str, Any]) -> None:
    if tokenizer is not None and "vocab_size" in settings:
        raise ConfigError("tokenizer brings its own vocab_size. Leave one of them out.")
