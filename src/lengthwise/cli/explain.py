"""The command `explain`: the program of a compiled network, and its attention on a word."""

import argparse
from pathlib import Path

from lengthwise.cli.output import add_json, print_json, say


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the folder and the word to the parser."""
    parser.add_argument("run", type=Path, metavar="DIR", help="a folder that compile wrote")
    parser.add_argument(
        "--word",
        metavar="W",
        help="a word to trace: what each layer holds, and where heads attend",
    )
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Print what each layer computes."""
    from lengthwise.constructions.explain import explain_weights
    from lengthwise.constructions.folders import read_construction

    explanation = explain_weights(read_construction(arguments.run), arguments.word)
    if arguments.json:
        print_json({"run": str(arguments.run), **explanation.to_dict()})
    else:
        say(str(explanation))
