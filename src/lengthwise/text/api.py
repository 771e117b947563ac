"""The public functions of the wing, as `lw.text` provides them."""

import os
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from lengthwise.answers import predict
from lengthwise.arguments import path_of
from lengthwise.errors import ConfigError
from lengthwise.problems.base import Run, evaluate_and_store
from lengthwise.problems.resolve import list_lengths, module_of
from lengthwise.text.data.documents import PYTHON
from lengthwise.text.data.numbers import DIGITS, WORDS
from lengthwise.text.data.pairs import NUMBERS
from lengthwise.text.data.parallel_corpus import PairsConfig, ParallelCorpus, require_further
from lengthwise.text.data.parallel_corpus import prepare_parallel as prepare_parallel_corpus
from lengthwise.text.data.text_corpus import Corpus, PrepareConfig, prepare_corpus


def prepare(
    out: Path | str,
    train: Path | str | Sequence[Path | str] = PYTHON,
    *,
    valid: Path | str | Sequence[Path | str] = (),
    test: Path | str | Sequence[Path | str] = (),
    tokenizer: Path | str | None = None,
    **settings: Any,
) -> Corpus:
    """Prepare text for training, in a folder that `train("text:FOLDER")` reads.

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
    """Prepare parallel text for training, in a folder that `train("pairs:FOLDER")` reads.

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


def translate(run: Run, sentences: Sequence[str], **decoding: Any) -> list[str]:
    """Return translations of sentences of any length, by a run on `pairs:FOLDER`.

    `decoding` are settings of `DecodingConfig`: `beam`, `length_penalty`, `patience` and `ratio`.

    Raises:
        ConfigError: the run does not translate, a setting is unknown, or a number is out of range.
        TextError: a sentence is longer than memory allows, or the corpus does not exist.
    """
    _require_run_of(run, "translation", _NO_TRANSLATOR)
    return predict(run, sentences, **decoding)


def evaluate_translations(run: Run, part: str = "test", **decoding: Any) -> dict[str, Any]:
    """Return BLEU and chrF of a run on `pairs:FOLDER`, on a part of its corpus.

    `decoding` is that of `translate`. The result has `bleu` with `interval_95`, `chrf`, sacrebleu's
    `signatures`, `by_length` of the sources, and `samples`, by which
    `lengthwise.text.evaluation.bleu.compare_systems` compares two runs.

    Raises:
        ConfigError: the run does not translate, a setting is unknown, or a number is out of range.
        TextError: the corpus does not exist, or has no such part.
    """
    _require_run_of(run, "translation", _NO_TRANSLATOR)
    return evaluate_and_store(run, {"part": part, **decoding}).summary()


def perplexity(
    run: Run, lengths: Sequence[int], *, windows: int = 1_000, seed: int = 0
) -> dict[int, float]:
    """Return the perplexity of the last token of random windows, by window length.

    All tokens of a window before its last are the context. The text is the test part of the run's
    corpus.

    Raises:
        ConfigError: the run is not a language model, or lengths are not integers.
        TaskError: a length is below 2, or is repeated.
        TextError: the corpus does not exist, or too short.
    """
    _require_run_of(run, "language-modelling", "this run is not a language model.")
    options = {"lengths": list_lengths(lengths), "words": windows, "seed": seed}
    return {
        record["length"]: record["perplexity"]
        for record in evaluate_and_store(run, options).records
    }


_NO_TRANSLATOR = "this run does not translate; runs on pairs:FOLDER do."


def _require_run_of(run: Run, kind: str, message: str) -> None:
    """Refuse a run on another kind of problem.

    Raises:
        ConfigError: it is such a run, or not a run.
    """
    module_of(run)  # which says how to load one
    if not isinstance(run, Run) or run.problem.kind != kind:
        raise ConfigError(f"{message} Use evaluate.")


def _sources(sources: Mapping[str, Path | str | Sequence[Path | str]]) -> dict[str, list[str]]:
    """Return the sources of each part as strings."""
    listed = {
        part: source if isinstance(source, Sequence) and not isinstance(source, str) else [source]
        for part, source in sources.items()
    }
    for part, paths in listed.items():
        if wrong := [source for source in paths if not isinstance(source, str | PathLike)]:
            raise ConfigError(
                f"{part} is a source such as 'book.txt', or a list of them, but got "
                f"{wrong[0]!r:.40}. Write the text to a file, and give that."
            )
    return {part: [os.fspath(source) for source in sources] for part, sources in listed.items()}


def _require_one_vocabulary(tokenizer: Path | str | None, settings: Mapping[str, Any]) -> None:
    if tokenizer is not None and "vocab_size" in settings:
        raise ConfigError("tokenizer brings its own vocab_size. Leave one of them out.")
