"""How translations are searched for: options that commands share."""

import argparse

from lengthwise.cli.output import counted, note, refuse, whole_number
from lengthwise.evaluation.translate import DecodingConfig

_OPTIONS = ("beam", "length_penalty", "patience", "ratio")


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
    parser.add_argument(
        "--patience",
        type=float,
        metavar="P",
        help=f"a search ends when P times the beam translations have ended (default "
        f"{default.patience})",
    )
    parser.add_argument(
        "--ratio",
        type=float,
        metavar="R",
        help=f"most tokens of a translation for each of its source, and 10 more (default "
        f"{default.ratio})",
    )


def decoding_of(arguments: argparse.Namespace) -> DecodingConfig:
    """What was asked for, and defaults.

    Raises:
        ConfigError: a number is out of range.
    """
    given = {name: getattr(arguments, name) for name in _OPTIONS}
    return DecodingConfig(**{name: value for name, value in given.items() if value is not None})


def note_cut(cut: int, decoding: DecodingConfig) -> None:
    """Say how many translations ended because they might not be longer."""
    if cut:
        note(
            f"{counted(cut, 'translation')} cut at {decoding.ratio:g} tokens for each of the "
            f"source and 10 more; --ratio sets how many"
        )


def refuse_translation(arguments: argparse.Namespace) -> None:
    """Refuse the options of translators for other models.

    Raises:
        ConfigError: one is given.
    """
    for option in (*_OPTIONS, "against"):
        refuse(arguments, option, "translators")
