"""The command `prepare`: prepares text for training.

The result is tokens on disk, divided into parts, checked by digest.
"""

import argparse
import re
import shlex
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from lengthwise.cli.output import (
    add_json,
    add_settings,
    note,
    parse_settings,
    print_facts,
    print_json,
    print_table,
)
from lengthwise.errors import ConfigError
from lengthwise.settings import require_known
from lengthwise.text.data.documents import PYTHON
from lengthwise.text.data.parallel_corpus import (
    SIDES,
    PairsConfig,
    ParallelCorpus,
    prepare_parallel,
    require_further,
)
from lengthwise.text.data.text_corpus import PARTS, Corpus, PrepareConfig, prepare_corpus


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the texts, the tokenizer and the folder of the corpus to the parser."""
    parser.add_argument(
        "text",
        nargs="*",
        metavar="TEXT",
        help="a file (.txt, .jsonl; .xz, .gz or .zst), a folder of such, hf:NAME (or "
        f"hf:NAME:CONFIG:SPLIT) for a dataset of the Hugging Face hub, or {PYTHON} (default: the "
        "English that ships with Python); with --pairs a .tsv, SOURCE_FILE,TARGET_FILE, hf:NAME or "
        "numbers",
    )
    parser.add_argument(
        "--pairs",
        metavar="SOURCE,TARGET",
        help="prepare parallel text of these two languages: the columns of a .tsv or dataset",
    )
    parser.add_argument(
        "--valid", action="append", default=[], metavar="TEXT", help="text for validation"
    )
    parser.add_argument(
        "--test",
        action="append",
        default=[],
        metavar="TEXT",
        help="text for tests (without these two, a share of the documents is set apart; pairs need "
        "both)",
    )
    parser.add_argument(
        "--also",
        action="append",
        default=[],
        metavar="NAME=TEXT",
        help="with --pairs: a further part for tests",
    )
    parser.add_argument("--out", required=True, type=Path, metavar="DIR", help="the new corpus")
    parser.add_argument(
        "--tokenizer", type=Path, metavar="DIR", help="a corpus whose tokenizer is reused"
    )
    add_settings(parser, "vocab_size=4096 (257: bytes; with --pairs 259), column=body")
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Prepare the corpus, continue an interrupted preparation, or find that it is complete."""
    settings = parse_settings(arguments.settings)
    config = PrepareConfig if arguments.pairs is None else PairsConfig
    require_known(settings, config.__dataclass_fields__)
    if arguments.tokenizer is not None and "vocab_size" in settings:
        raise ConfigError("--tokenizer brings its own vocab_size. Leave one of them out.")
    if arguments.pairs is not None:
        _run_pairs(arguments, settings)
        return
    if arguments.also:
        raise ConfigError("--also names parts of parallel text. Give --pairs, or leave it out.")
    _run_text(arguments, settings)


def _run_text(arguments: argparse.Namespace, settings: Mapping[str, Any]) -> None:
    from lengthwise.training.progress import counting_progress

    for first, second in pairwise(arguments.text):
        if (languages := _languages(first, second)) is not None:
            note(
                f"{first} and {second} look like a text and its translation, but are prepared as "
                f"plain text. For translations: lengthwise prepare {first},{second} --pairs "
                f"{','.join(languages)} --valid ... --test ... --out {arguments.out}"
            )
    sources = {
        "train": arguments.text or [PYTHON],
        "valid": arguments.valid,
        "test": arguments.test,
    }
    with counting_progress(f"preparing {arguments.out}", "documents") as progress:
        corpus = prepare_corpus(
            arguments.out,
            sources,
            PrepareConfig.from_dict(settings),
            tokenizer=arguments.tokenizer,
            progress=lambda done, tokens: progress(done, None),
        )
    parts = {name: _facts(corpus, name) for name in PARTS}
    if arguments.json:
        print_json(
            {
                "corpus": str(arguments.out),
                "vocab_size": corpus.vocab_size,
                "digest": corpus.digest,
                "left_out": corpus.index["left_out"],
                "parts": parts,
            }
        )
        return
    print_facts([("corpus", str(arguments.out)), ("tokens known", f"{corpus.vocab_size:,}")])
    print_table(
        ["part", "documents", "characters", "tokens"],
        [[name, *(f"{parts[name][key]:,}" for key in _SHOWN)] for name in PARTS],
    )
    if corpus.index["left_out"]:
        note(f"{corpus.index['left_out']} documents left out of train: other parts have them")
    note(f"next: lengthwise train {shlex.quote(f'text:{arguments.out}')} --out run")


def _languages(first: str, second: str) -> tuple[str, str] | None:
    """Return the two languages by which two file names differ (`a.en`, `a.de`), or None."""
    parts, other = first.split("."), second.split(".")
    if len(parts) != len(other):
        return None
    differing = [pair for pair in zip(parts, other, strict=True) if pair[0] != pair[1]]
    if len(differing) != 1 or not all(re.fullmatch(r"[a-z]{2}", name) for name in differing[0]):
        return None
    return differing[0]


_SHOWN = ("documents", "characters", "tokens")


def _facts(corpus: Corpus, name: str) -> dict[str, int]:
    part = corpus.index["parts"][name]
    return {key: part[key] for key in _SHOWN}


def _run_pairs(arguments: argparse.Namespace, settings: Mapping[str, Any]) -> None:
    from lengthwise.training.progress import counting_progress

    sources = {
        "train": arguments.text,
        "valid": arguments.valid,
        "test": arguments.test,
        **_further_parts(arguments.also),
    }
    with counting_progress(f"preparing {arguments.out}", "pairs") as progress:
        corpus = prepare_parallel(
            arguments.out,
            sources,
            tuple(name.strip() for name in arguments.pairs.split(",")),
            PairsConfig.from_dict(settings),
            tokenizer=arguments.tokenizer,
            progress=lambda done, tokens: progress(done, None),
        )
    parts = {name: _facts_of_pairs(corpus, name) for name in corpus.parts}
    if arguments.json:
        print_json(
            {
                "corpus": str(arguments.out),
                "languages": corpus.languages,
                "vocab_size": corpus.vocab_size,
                "digest": corpus.digest,
                "recognised": corpus.index["recognised"],
                "parts": parts,
            }
        )
        return
    print_facts(
        [
            ("corpus", str(arguments.out)),
            ("languages", " to ".join(corpus.languages)),
            ("tokens known", f"{corpus.vocab_size:,}"),
        ]
    )
    columns = ("pairs", "source_tokens", "target_tokens", "dropped")
    print_table(
        ["part", *(column.replace("_", " ") for column in columns)],
        [[name, *(f"{part[column]:,}" for column in columns)] for name, part in parts.items()],
    )
    for name, part in parts.items():
        if part["dropped"]:
            note(f"{part['dropped']:,} pairs of {name} dropped: they have an empty side")
        if part["left_out"]:
            note(f"{part['left_out']:,} pairs left out of {name}: other parts have their sources")
    if corpus.index["recognised"]:
        note(f"recognised: {corpus.index['recognised']}")
    if "train" in parts:
        note(f"next: lengthwise train {shlex.quote(f'translation:{arguments.out}')} --out run")


def _further_parts(texts: list[str]) -> dict[str, list[str]]:
    """Return the sources of each part that `--also` names."""
    sources: dict[str, list[str]] = {}
    for text in texts:
        name, source = text.split("=", 1) if "=" in text else ("", text)
        if not name or not source:
            example = shlex.quote(f"{name or 'ntrex'}={source or 'FILE'}")
            raise ConfigError(f"--also is written NAME=TEXT, but got {text!r}. Try {example}.")
        require_further(name)
        sources.setdefault(name, []).append(source)
    return sources


def _facts_of_pairs(corpus: ParallelCorpus, name: str) -> dict[str, int]:
    part = corpus.index["parts"][name]
    return {
        "pairs": part["pairs"],
        **{f"{side}_tokens": part[side]["tokens"] for side in SIDES},
        "dropped": part["dropped"],
        "left_out": part["left_out"],
    }
