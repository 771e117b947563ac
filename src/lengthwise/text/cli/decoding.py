"""Options of the search for translations, which `evaluate` and `translate` have."""

import argparse

from lengthwise.cli.output import make_integer_type
from lengthwise.text.evaluation.decoding import DecodingConfig

COMMANDS = ("evaluate", "translate")
"""The commands that have them."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the beam, the length penalty and the limits of the search to the parser."""

    default = DecodingConfig()
    parser.add_argument(
        "--beam",
        type=make_integer_type(1),
        help=f"translations kept as candidates in a search (default {default.beam}; 1: greedy)",
    )
    parser.add_argument(
        "--length-penalty",
        type=float,
        metavar="A",
        help=f"above 0, longer translations score higher (default {default.length_penalty})",
    )
    parser.add_argument(
        "--patience",
        type=float,
        metavar="P",
        help=f"a search stops after P times BEAM finished translations (default "
        f"{default.patience})",
    )
    parser.add_argument(
        "--ratio",
        type=float,
        metavar="R",
        help=f"most tokens of a translation: R per token of its source, plus 10 (default "
        f"{default.ratio})",
    )
