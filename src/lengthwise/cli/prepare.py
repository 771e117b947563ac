"""Make a text ready to train on: tokens on disk, divided into parts, checked by digest."""

import argparse
from pathlib import Path

from lengthwise.cli.output import (
    add_json,
    add_settings,
    note,
    parse_settings,
    print_facts,
    print_json,
    print_table,
)
from lengthwise.cli.progress import counting_progress
from lengthwise.config import require_known
from lengthwise.errors import ConfigError
from lengthwise.text.documents import PYTHON
from lengthwise.text.prepared import PARTS, Corpus, PrepareConfig, prepare


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The texts, how they become tokens, and where to put these."""
    parser.add_argument(
        "text",
        nargs="*",
        metavar="TEXT",
        help="a file (.txt, .jsonl; .xz, .gz or .zst), a folder of such, hf:NAME for a dataset of "
        f"the Hugging Face hub, or {PYTHON} (default: the English that ships with Python)",
    )
    parser.add_argument(
        "--valid", action="append", default=[], metavar="TEXT", help="text for validation"
    )
    parser.add_argument(
        "--test",
        action="append",
        default=[],
        metavar="TEXT",
        help="text for tests (without these two, a share of the documents is set apart)",
    )
    parser.add_argument("--out", required=True, type=Path, metavar="DIR", help="the new corpus")
    parser.add_argument(
        "--tokenizer", type=Path, metavar="DIR", help="a corpus whose tokenizer is taken"
    )
    add_settings(parser, "vocab_size=4096 (257: bytes), column=body")
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Prepare, or go on, or find that all is done."""
    settings = parse_settings(arguments.settings)
    require_known(settings, PrepareConfig.__dataclass_fields__)
    if arguments.tokenizer is not None and "vocab_size" in settings:
        raise ConfigError("--tokenizer brings its own vocab_size. Leave one of them out.")
    sources = {
        "train": arguments.text or [PYTHON],
        "valid": arguments.valid,
        "test": arguments.test,
    }
    with counting_progress(f"preparing {arguments.out}", "documents") as progress:
        corpus = prepare(
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
    note(f"next: lengthwise train text:{arguments.out} --out run")


_SHOWN = ("documents", "characters", "tokens")


def _facts(corpus: Corpus, name: str) -> dict[str, int]:
    part = corpus.index["parts"][name]
    return {key: part[key] for key in _SHOWN}
