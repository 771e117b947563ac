"""List the languages that can be named."""

import argparse

from lengthwise.cli.output import add_json, print_json, print_table
from lengthwise.languages.spec import languages


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """No arguments but the form of the answer."""
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Print the catalogue."""
    entries = languages()
    if arguments.json:
        print_json({"languages": entries})
    else:
        print_table(["SPEC", "what it is"], [[e["spec"], e["definition"]] for e in entries])
