"""The command `describe`: prints states, classes, monoid and sample words of a language.

It also prints whether the language is star-free.
"""

import argparse

from lengthwise.cli.output import add_json, add_language, print_facts, print_json
from lengthwise.languages.describe import describe
from lengthwise.languages.spec import parse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the language to the parser."""
    add_language(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Print the description of the language."""
    description = describe(parse(arguments.spec, arguments.alphabet))
    if arguments.json:
        print_json(description)
    else:
        print_facts([(key.replace("_", " "), _show(value)) for key, value in description.items()])


def _show(value: object) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{key}: {_show(inner)}" for key, inner in value.items())
    if isinstance(value, list | tuple):
        return " ".join(_show(inner) for inner in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "unknown" if value is None else (str(value) or "(empty word)")
