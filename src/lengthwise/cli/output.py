"""Shared parts of the commands: arguments, one-line errors, tables for people, JSON."""

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NoReturn

from lengthwise.cli.catalogue_names import OBJECTIVES
from lengthwise.errors import ConfigError
from lengthwise.escapes import printable, printable_lines
from lengthwise.status_lines import speak as note

__all__ = [
    "Parser",
    "add_device",
    "add_json",
    "add_language",
    "add_objective",
    "add_settings",
    "make_integer_type",
    "note",
    "objective_of",
    "parse_settings",
    "print_answers",
    "print_facts",
    "print_json",
    "print_table",
    "refuse",
    "say",
    "settings_in_words",
]


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line, like all errors of the package."""

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print the help; argparse itself is silent where it cannot be written."""
        (file or sys.stdout).write(message)

    def error(self, message: str) -> NoReturn:
        """Raise the message that argparse would print before it exits.

        The end of the help, if any, says where the words go that were given as arguments.
        """
        more = f" {self.epilog}" if self.epilog and message.startswith("unrecognized") else ""
        raise ConfigError(f"{message}.{more} See `{self.prog} --help`.")


WIDTHS = {"column": 3.3, "page": 6.9}
"""Widths of figures in papers, in inches."""


def add_width(parser: argparse.ArgumentParser) -> None:
    """Add the width of PDF files to the parser."""
    parser.add_argument(
        "--width",
        choices=list(WIDTHS),
        default="column",
        help="width of PDF files: 3.3 inches for a column of a paper, or 6.9 for its page",
    )


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add the option `--json`, which all commands with results have."""
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of text")


def add_language(parser: argparse.ArgumentParser, *, more: str = "") -> None:
    """Add the language that a command is about; `more` extends its help."""
    kinds = (
        "parity, d-4, 'regex:(0|10*1)*', group:S5, att:FILE, "
        "py[states=8,alphabet=01]:module:function, ..."
    )
    parser.add_argument("spec", metavar="SPEC", help=kinds + more)
    parser.add_argument(
        "--alphabet",
        help="all symbols of a regular expression, of a function, or of a file (an automaton or "
        "words), such as abc or a-z",
    )


def add_columns(parser: argparse.ArgumentParser) -> None:
    """Add the columns of a file of labelled words to the parser."""
    parser.add_argument(
        "--columns",
        metavar="NAME=COLUMN,...",
        help="columns of a file of words: word=text,label=class; or, if each row is an event, "
        "case=id,event=action,label=outcome (and time=when); format=abbadingo, ... if the "
        "file's name does not show it",
    )


def add_device(parser: argparse.ArgumentParser) -> None:
    """Add the device of tensors to the parser."""
    parser.add_argument(
        "--device", default="auto", help="auto (an accelerator if there is one), cpu, cuda"
    )


def refuse(arguments: argparse.Namespace, option: str, runs: str) -> None:
    """Refuse an option that is given but applies to runs of another kind only.

    Raises:
        ConfigError: it is given.
    """
    if getattr(arguments, option) not in (None, False):
        raise ConfigError(
            f"--{option.replace('_', '-')} is for {runs}, which {arguments.run} is not. Omit it."
        )


def add_settings(parser: argparse.ArgumentParser, examples: str) -> None:
    """Add the option `--set`, which may be repeated, to the parser."""
    parser.add_argument(
        "--set",
        dest="settings",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help=f"one setting, such as {examples}",
    )


def add_objective(parser: argparse.ArgumentParser) -> None:
    """Add the option `--objective` to the parser."""
    parser.add_argument(
        "--objective",
        metavar="NAME",
        help=f"what a model of a language learns from: {', '.join(OBJECTIVES)} (default: the "
        f"model's)",
    )


def objective_of(arguments: argparse.Namespace) -> dict[str, str]:
    """Return the objective that is chosen, as a setting."""
    return {} if arguments.objective is None else {"objective": arguments.objective}


def parse_settings(texts: Sequence[str]) -> dict[str, Any]:
    """Return the settings of `--set`; values are JSON, or texts if they are not.

    Raises:
        ConfigError: one is not written KEY=VALUE.
    """
    settings: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise ConfigError(f"a setting is written KEY=VALUE, but got {text!r}. Try steps=5000.")
        try:
            read = json.loads(value)
        except (ValueError, RecursionError):
            read = value
        before = settings.get(name)
        tables = isinstance(before, dict) and isinstance(read, dict)
        settings[name] = {**before, **read} if tables and before else read
    return settings


def print_json(value: Any) -> None:
    """Print one JSON object on standard output; characters that are not printable are escaped."""
    print(printable(json.dumps(value, ensure_ascii=False)))


def say(text: str) -> None:
    """Print a result for people on standard output, in which a user's string moves no cursor."""
    print(printable_lines(text), flush=True)


def print_answers(lines: Iterable[str]) -> None:
    """Print words, classes or texts as they are for a program, and printable on a terminal."""
    is_terminal = sys.stdout.isatty()
    for line in lines:
        print("\t".join(map(printable, line.split("\t"))) if is_terminal else line)
    sys.stdout.flush()


def print_table(columns: list[str], rows: list[list[str]], *, title: str | None = None) -> None:
    """Print a table on standard output: framed on a terminal, tab-separated lines in a pipe."""
    if not sys.stdout.isatty():
        for row in [columns, *rows]:
            print("\t".join(map(printable, row)))
        return
    if title:
        say(printable(title))
    _print_framed(columns, rows)


_LEAST = 12
"""Width to which a column of other words may shrink before a table is wider than the terminal."""


def _print_framed(columns: list[str], rows: list[list[str]]) -> None:
    """Print a framed table in which nothing is cut and nothing is markup.

    Names, which a user may have to type, are in the first column, and in cells of one word. Such
    columns keep their width. The others are folded, and where that is not enough the table is wider
    than the terminal.
    """
    from rich.cells import cell_len
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table()
    needed = 1
    for place, name in enumerate(columns):
        cells = [row[place] for row in rows]
        is_name = place == 0 or all(" " not in cell for cell in cells)
        texts = [printable(cell) for cell in (name, *cells)]
        pieces = texts if is_name else [word for text in texts for word in text.split()]
        longest = max((cell_len(piece) for piece in pieces), default=0)
        table.add_column(Text(texts[0]), overflow="fold", no_wrap=is_name)
        needed += 3 + (longest if is_name else min(longest, _LEAST))
    for row in rows:
        table.add_row(*(Text(printable(cell)) for cell in row))
    Console(width=max(Console().width, needed)).print(table)


def print_facts(facts: list[tuple[str, str]]) -> None:
    """Print names and values, aligned."""
    names = [printable(name) for name, _ in facts]
    width = max(map(len, names))
    for name, (_, value) in zip(names, facts, strict=True):
        print(f"{name:{width}}  {printable(value)}")


def settings_in_words(settings: Mapping[str, Any]) -> str:
    """Return settings on one line, as `--set` takes them."""
    return ", ".join(f"{name}={value}" for name, value in settings.items()) or "none"


def make_integer_type(least: int, most: int = 2**62) -> Callable[[str], int]:
    """Return a type for arguments: integers in a range."""

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if not least <= number <= most:
            raise argparse.ArgumentTypeError(
                f"{text!r} is not an integer of {least} or more"
                + (f", up to {most}" if number > most else "")
            )
        return number

    return read
