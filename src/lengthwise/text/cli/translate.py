"""The command `translate`: translates each line of standard input by a trained run."""

import argparse
from pathlib import Path

from lengthwise.cli.options import options_of
from lengthwise.cli.output import add_device, add_json
from lengthwise.cli.predict import add_keep_going, answer_lines
from lengthwise.errors import ConfigError
from lengthwise.text.cli.decoding import add_options


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the run and the options of the search to the parser."""
    parser.epilog = "Sentences are read from standard input, one to a line."
    parser.add_argument(
        "run", type=Path, metavar="DIR", help="the folder of a run on translation:DIR"
    )
    parser.add_argument("--text", type=Path, metavar="DIR", help="its corpus, if it has moved")
    add_options(parser)
    add_keep_going(parser)
    add_device(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Print a translation of each line; the translation of an empty line is empty."""
    from lengthwise.problems.runs import load_run

    trained = load_run(arguments.run, device=arguments.device)
    if trained.problem.kind != "translation":
        raise ConfigError(
            f"{arguments.run} does not translate. Give a run that was trained on translation:DIR."
        )
    options = options_of(arguments, trained.problem, "predict_options")
    answer_lines(trained.problem.predictor(trained, options), arguments)
