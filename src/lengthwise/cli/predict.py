"""Print the class that a trained model gives to each word on standard input, of any length."""

import argparse
import sys
from pathlib import Path

from lengthwise.cli.output import add_device, add_json, print_json
from lengthwise.cli.snapped import add_snapped, with_tables
from lengthwise.cli.words import read_words
from lengthwise.evaluation.predict import device_of, predict
from lengthwise.training.train import load_run


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The run."""
    parser.add_argument("run", type=Path, metavar="DIR", help="the folder of a trained run")
    add_snapped(parser)
    add_device(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Answer for all words, or for none if one cannot be read."""
    trained = load_run(arguments.run, device=arguments.device)
    if arguments.snapped:
        trained = with_tables(trained)
    language = trained.language
    words = read_words(sys.stdin, language)
    shares = predict(trained.model, words, device=device_of(trained.model))
    names = [language.class_names[c] for c in shares.argmax(dim=1).tolist()]
    if arguments.json:
        print_json(
            {
                "words": [
                    {"word": language.decode(word), "class": name, "probability": share}
                    for word, name, share in zip(
                        words, names, shares.amax(dim=1).tolist(), strict=True
                    )
                ]
            }
        )
    else:
        for name in names:
            print(name)
