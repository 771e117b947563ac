"""The command `completion`: prints a script that completes commands, options and names.

The script is made once from the parsers of all commands. Pressing TAB starts no Python.
"""

import argparse

import shtab

from lengthwise.board.entries import LANGUAGES
from lengthwise.cli.commands import parser_of, summaries
from lengthwise.cli.output import Parser, add_json, note, print_json
from lengthwise.errors import ConfigError
from lengthwise.languages.spec import languages
from lengthwise.problems.presets import PRESETS

SHELLS = ("bash", "zsh", "fish")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the shell to the parser."""
    parser.add_argument("shell", choices=SHELLS, help="the shell that reads the script")
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Print the script."""
    script = shtab.complete(every_parser(), arguments.shell)
    if arguments.json:
        print_json({"shell": arguments.shell, "script": script})
    else:
        print(script)


def every_parser() -> argparse.ArgumentParser:
    """Return one parser with all commands, and the values that are completed."""
    parser = Parser(prog="lengthwise")
    commands = parser.add_subparsers()
    for name, summary in summaries().items():
        try:
            parent = parser_of(name)[1]
        except ConfigError as error:  # another package is broken; the others' names are completed
            note(str(error))
            continue
        command = commands.add_parser(name, help=summary, parents=[parent], add_help=False)
        for action in command._actions:
            _tell_values(action)
    return parser


def _tell_values(action: argparse.Action) -> None:
    """Record what can stand for an argument, where that is known."""
    from lengthwise.problems.registry import PROBLEMS

    known = {
        "spec": [language["spec"] for language in languages()],
        "shown": ["check", *LANGUAGES],  # of the board
        "model": sorted({model for kind in PROBLEMS.values() for model in kind.setup.models}),
        "preset": list(PRESETS),
    }
    if action.choices is None and action.dest in known:
        action.choices = known[action.dest]
    elif action.metavar == "DIR":
        action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]  # shtab reads it
    elif str(action.metavar).startswith("FILE"):
        action.complete = shtab.FILE  # type: ignore[attr-defined]  # shtab reads it
