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

    The tokenizer is byte-level BPE, learned on the training part alone.

    Args:
        out: a folder, new or of the same request; a stopped preparation continues there.
        train: a source or a list of them: a file (`.txt`, or `.jsonl` with a column of text; packed
            as `.xz`, `.gz` or `.zst`), a folder of files, `hf:NAME` or `hf:NAME:CONFIG:SPLIT`, or
            `python`, the English that ships with Python.
        valid: the same for validation; without it, a twentieth of the documents of `train`.
        test: the same for the test; without it, another twentieth.
        tokenizer: the folder of a corpus whose tokenizer is used instead of a new one.
        settings: `vocab_size`, the number of tokens (4,096; 257 for bytes), `column`, the name of
            the text in `.jsonl` and datasets, and `characters`, those of a batch.

    Returns:
        The corpus: `.vocab_size`, and `.encode(text)`, an array `Int[token]`.

    Examples:
        >>> from pathlib import Path
        >>> import lengthwise as lw
        >>> book = "It was a dark and stormy night. " * 100
        >>> Path("novel.txt").write_text(book)
        3200
        >>> corpus = lw.text.prepare("corpus", "novel.txt", vocab_size=257)
        >>> corpus
        Corpus(corpus: 257 tokens in the vocabulary; train 2,881, valid 161, test 161 tokens)
        >>> len(corpus.encode("night"))
        5

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
    """Prepare parallel text for training, in a folder that `train("translation:FOLDER")` reads.

    One byte-level BPE of both languages is learned on the training part alone. Pairs whose source
    occurs in another part are left out of training.

    Args:
        out: a folder, new or of the same request.
        train: a source or a list of them: a table `FILE.tsv` that has the two languages as columns,
            two aligned files `SOURCE_FILE,TARGET_FILE`, `hf:NAME`, or `numbers`, which makes up
            numbers and their names for all parts.
        languages: the source language and the target language, as the header of a table names them.
        valid: the same as `train`, for validation.
        test: the same for the test.
        also: sources of further parts for tests, by the names of the parts. With a `tokenizer` and
            `train=()` there may be no other parts.
        tokenizer: the folder of a corpus whose tokenizer is used instead of a new one.
        settings: `vocab_size`, the number of tokens of both languages (4,096; 259 for bytes).

    Returns:
        The corpus: `.languages`, `.vocab_size`, and `.encode(text)`.

    Examples:
        >>> import lengthwise as lw
        >>> lw.text.prepare_pairs("pairs", vocab_size=259)
        ParallelCorpus(pairs: 259 tokens in the vocabulary; train 20,000, valid 500, test 500 pairs)

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
    """Return translations of sentences of any length, by a run on `translation:FOLDER`.

    Decoding is a beam search with the length penalty of Wu et al. (2016, equation 14) and the
    patience of Kasai et al. (2024).

    Args:
        run: a run on `translation:FOLDER`.
        sentences: strings of the source language, of up to 4,096 tokens each.
        decoding: `beam`, the width of the search (4; 1 is greedy); `length_penalty` (1.0), above 0
            in favour of long translations; `patience` (2.0), finished translations for each beam at
            the end of a search; `ratio` (3.0), the most tokens for each token of the source, beside
            10 more.

    Returns:
        One string for each sentence, in the same order.

    Examples:
        >>> import lengthwise as lw
        >>> corpus = lw.text.prepare_pairs("pairs", vocab_size=259)
        >>> run = lw.train("translation:pairs", preset="smoke")  # 20 steps, which teach little
        >>> len(lw.text.translate(run, ["4 7 2 9 1", "1 2"], beam=1))
        2

    Raises:
        ConfigError: the run does not translate, a setting is unknown, or a number is out of range.
        TextError: a sentence is longer than memory allows, or the corpus does not exist.
    """
    _require_run_of(run, "translation", _NO_TRANSLATOR)
    return predict(run, sentences, **decoding)


def evaluate_translations(run: Run, part: str = "test", **decoding: Any) -> dict[str, Any]:
    """Return BLEU and chrF of a run on `translation:FOLDER`, on a part of its corpus.

    Scores are sacrebleu's, from 0 to 100. A run with a folder stores them there.

    Args:
        run: a run on `translation:FOLDER`.
        part: `test`, `valid`, or a part that `prepare_pairs` got by `also`.
        decoding: settings of the search, as those of `translate`.

    Returns:
        A dictionary: `bleu` with `interval_95` of 1,000 resampled tests, `chrf`, sacrebleu's
        `signatures`, `by_length` of the sources, and `samples`, by which
        `lengthwise.text.evaluation.bleu.compare_systems` compares two runs.

    Examples:
        >>> import lengthwise as lw
        >>> corpus = lw.text.prepare_pairs("pairs", vocab_size=259)
        >>> run = lw.train("translation:pairs", preset="smoke")  # 20 steps, which teach little
        >>> scores = lw.text.evaluate_translations(run, beam=1)
        >>> scores["sentences"], 0 <= scores["bleu"] < 10
        (500, True)

    Raises:
        ConfigError: the run does not translate, a setting is unknown, or a number is out of range.
        TextError: the corpus does not exist, or has no such part.
    """
    _require_run_of(run, "translation", _NO_TRANSLATOR)
    return evaluate_and_store(run, {"part": part, **decoding}).summary()


def perplexity(
    run: Run, lengths: Sequence[int], *, windows: int = 1_000, seed: int = 0
) -> dict[int, float]:
    r"""Return the perplexity of the last token of random windows, by window length.

    $$\exp \operatorname{mean} (-\log p(x_T \mid x_1, \dots, x_{T-1}))$$

    over windows of T tokens x of the test part of the run's corpus (Chi et al. 2023, Table 3).

    Args:
        run: a run on `text:FOLDER`, or `lw.load("zoo:regular-gpt-english")`.
        lengths: window lengths T in tokens, each 2 or more.
        windows: the number of windows; all lengths have the same last tokens.
        seed: that of the draw of the windows.

    Returns:
        The perplexity by length, in the order of `lengths`.

    Examples:
        >>> import lengthwise as lw
        >>> run = lw.load("zoo:regular-gpt-english")
        >>> by_length = lw.text.perplexity(run, [16, 128], windows=20)
        >>> {length: round(value) for length, value in by_length.items()}
        {16: 57, 128: 43}

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


_NO_TRANSLATOR = "this run does not translate; runs on translation:FOLDER do."


def _require_run_of(run: Run, kind: str, message: str) -> None:
    """Refuse a run on another kind of problem."""
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
