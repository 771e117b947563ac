"""Translate the sentences on standard input, one a line, by a trained run."""

import argparse
import sys
from pathlib import Path

from lengthwise.cli.decoding import add_decoding, decoding_of
from lengthwise.cli.output import add_device, add_json, print_json
from lengthwise.cli.words import read_sentences
from lengthwise.errors import ConfigError
from lengthwise.experiments.translated import translated
from lengthwise.text.parallel import ParallelCorpus
from lengthwise.training.train import load_run
from lengthwise.training.translation_plan import TranslationPlan

_TOGETHER = 64
"""Lines that are translated together; from a terminal, each at once."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The run, and how translations are searched for."""
    parser.add_argument("run", type=Path, metavar="DIR", help="the folder of a run on pairs:DIR")
    parser.add_argument("--text", type=Path, metavar="DIR", help="its corpus, if it was moved")
    add_decoding(parser)
    add_device(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """A translation for each line; an empty line stays one."""
    trained, decoding = load_run(arguments.run, device=arguments.device), decoding_of(arguments)
    plan = trained.plan
    if not isinstance(plan, TranslationPlan):
        raise ConfigError(
            f"{arguments.run} does not translate. Give a run that was trained on pairs:DIR."
        )
    corpus = ParallelCorpus.load(arguments.text) if arguments.text else plan.load_corpus()
    found = []
    for sentences in read_sentences(sys.stdin, 1 if sys.stdin.isatty() else _TOGETHER):
        there = [sentence for sentence in sentences if sentence]
        written = iter(translated(trained, there, corpus=corpus, decoding=decoding))
        for sentence in sentences:
            translation = next(written) if sentence else ""
            found.append({"sentence": sentence, "translation": translation})
            if not arguments.json:
                print(translation, flush=True)
    if arguments.json:
        print_json({"sentences": found})
