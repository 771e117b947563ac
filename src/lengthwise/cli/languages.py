"""The command `languages`: lists the languages that have a name."""

import argparse

from lengthwise.cli.output import add_json, print_json, print_table
from lengthwise.languages.spec import languages


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the option for JSON, the only one, to the parser."""
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Print the catalogue of languages."""
    entries = languages()
    if arguments.json:
        print_json({"languages": entries})
    else:
        print_table(["SPEC", "what it is"], [[e["spec"], e["definition"]] for e in entries])
