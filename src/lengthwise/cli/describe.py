"""The command `describe`: prints states, classes, monoid and sample words of a language.

It also prints which transformer can carry the language, and the classes on which that depends.
"""

import argparse

from lengthwise.cli.output import add_json, add_language, print_facts, print_json
from lengthwise.languages.describe import describe, facts
from lengthwise.languages.ladder import ladder
from lengthwise.languages.spec import parse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the language to the parser."""
    add_language(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Print the description of the language."""
    language = parse(arguments.spec, arguments.alphabet)
    if arguments.json:
        print_json(describe(language))
        return
    found = ladder(language)
    print_facts(
        [(k.replace("_", " "), _show(value)) for k, value in facts(language, found).items()]
    )
    print("\nWhich transformer can carry it")
    print_facts(found.advice())
    print("\nIts classes, with reasons")
    print_facts(found.classes())


def _show(value: object) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{key}: {_show(inner)}" for key, inner in value.items())
    if isinstance(value, list | tuple):
        return " ".join(_show(inner) for inner in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "unknown" if value is None else (str(value) or "(empty word)")
