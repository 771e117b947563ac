"""How translations are searched for: options that commands share."""

import argparse

from lengthwise.cli.output import refuse, whole_number
from lengthwise.evaluation.translate import DecodingConfig

_OPTIONS = ("beam", "length_penalty")


def add_decoding(parser: argparse.ArgumentParser) -> None:
    """The beam, and what length is worth."""
    default = DecodingConfig()
    parser.add_argument(
        "--beam",
        type=whole_number(1),
        help=f"translations that are kept while one is written (default {default.beam}; 1: greedy)",
    )
    parser.add_argument(
        "--length-penalty",
        type=float,
        metavar="A",
        help=f"above 0, long translations are worth more (default {default.length_penalty})",
    )


def decoding_of(arguments: argparse.Namespace) -> DecodingConfig:
    """What was asked for, and defaults.

    Raises:
        ConfigError: a number is out of range.
    """
    given = {name: getattr(arguments, name) for name in _OPTIONS}
    return DecodingConfig(**{name: value for name, value in given.items() if value is not None})


def refuse_translation(arguments: argparse.Namespace) -> None:
    """Refuse the options of translators for other models.

    Raises:
        ConfigError: one is given.
    """
    for option in (*_OPTIONS, "against"):
        refuse(arguments, option, "translators")
