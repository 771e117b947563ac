"""Shared parts of the commands: arguments, one-line errors, tables for people, JSON."""

import argparse
import json
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

from rich.console import Console
from rich.table import Table

from lengthwise.errors import ConfigError

_SECONDS_BETWEEN_NOTES = 5.0


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
        help="all symbols of a regular expression, of a function, or of a file of an automaton or "
        "of words, such as abc or a-z",
    )


def add_device(parser: argparse.ArgumentParser) -> None:
    """Add the device of tensors to the parser."""
    parser.add_argument("--device", default="auto", help="auto (an accelerator if any), cpu, cuda")


def refuse(arguments: argparse.Namespace, option: str, of: str) -> None:
    """Refuse an option that is given but applies to runs of another kind only.

    Raises:
        ConfigError: it is given.
    """
    if getattr(arguments, option) not in (None, False):
        raise ConfigError(
            f"--{option.replace('_', '-')} is for {of}, which {arguments.run} is not. Omit it."
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
    text = json.dumps(value, ensure_ascii=False)
    print("".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text))


def print_table(columns: list[str], rows: list[list[str]], *, title: str | None = None) -> None:
    """Print a table on standard output: framed on a terminal, tab-separated lines in a pipe."""
    if not sys.stdout.isatty():
        for row in [columns, *rows]:
            print("\t".join(row))
        return
    table = Table(*columns, title=title, title_justify="left")
    for row in rows:
        table.add_row(*row)
    Console().print(table)


def print_facts(facts: list[tuple[str, str]]) -> None:
    """Print names and values, aligned."""
    width = max(len(name) for name, _ in facts)
    for name, value in facts:
        print(f"{name:{width}}  {value}")


def in_words(settings: Mapping[str, Any]) -> str:
    """Return settings on one line, as `--set` takes them."""
    return ", ".join(f"{name}={value}" for name, value in settings.items()) or "none"


def whole_number(least: int, most: int = 2**62) -> Callable[[str], int]:
    """Return a type for arguments: whole numbers in a range."""

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if not least <= number <= most:
            raise argparse.ArgumentTypeError(
                f"{text!r} is not a whole number of {least} or more"
                + (f", up to {most}" if number > most else "")
            )
        return number

    return read


def note(message: str) -> None:
    """Print a line for people on standard error."""
    print(message, file=sys.stderr)


@contextmanager
def noting_time(what: str) -> Iterator[None]:
    """Print a line on standard error every few seconds while work goes on that counts nothing."""
    done, start = threading.Event(), time.monotonic()

    def tell() -> None:
        while not done.wait(_SECONDS_BETWEEN_NOTES):
            note(f"{what}, for {time.monotonic() - start:.0f} s now")

    thread = threading.Thread(target=tell, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
