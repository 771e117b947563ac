"""Translate the sentences on standard input, one a line, by a trained run."""

import argparse
import sys
from pathlib import Path

from lengthwise.cli.decoding import add_decoding, decoding_of, note_cut
from lengthwise.cli.output import add_device, add_json, print_json
from lengthwise.cli.words import read_sentences, standard_lines
from lengthwise.data.parallel_corpus import ParallelCorpus
from lengthwise.errors import ConfigError
from lengthwise.evaluation.translate import require_short
from lengthwise.experiments.translated import translated
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
    found: list[dict[str, str]] = []
    cut = 0
    for sentences in read_sentences(standard_lines(), 1 if sys.stdin.isatty() else _TOGETHER):
        for number, sentence in enumerate(sentences, start=len(found) + 1):
            require_short(len(corpus.encode(sentence)), f"line {number}")
        written = translated(trained, sentences, corpus=corpus, decoding=decoding)
        for sentence, translation in zip(sentences, written, strict=True):
            cut += translation.is_cut
            found.append({"sentence": sentence, "translation": translation.sentence})
            if not arguments.json:
                print(translation.sentence, flush=True)
    if arguments.json:
        print_json({"sentences": found, "cut": cut})
    note_cut(cut, decoding)
