"""Lines of standard input as words; errors name the line."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from io import TextIOWrapper
from typing import Generic, TypeVar

from lengthwise.circuits.gate_sequence import GateSequence
from lengthwise.cli.output import note
from lengthwise.errors import WordError
from lengthwise.languages.validation import is_encodable
from lengthwise.wording import counted

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Lines(Generic[T]):
    """The words that were read from lines, without the lines that could not be read."""

    words: list[T]
    numbers: list[int]
    """The line number of each word, from 1."""
    errors: Mapping[int, str]
    """The error of each of the other lines, by line number."""

    def shown(self, answers: Iterable[str]) -> Iterator[str]:
        """Yield an answer for each line; it is empty where the line could not be read."""
        found = dict(zip(self.numbers, answers, strict=True))
        for number in range(1, len(self.numbers) + len(self.errors) + 1):
            yield found.get(number, "")

    def require_all(self) -> None:
        """Fail if a line could not be read.

        Raises:
            WordError: one could not be read.
        """
        if self.errors:
            total = len(self.numbers) + len(self.errors)
            raise WordError(
                f"{len(self.errors)} of {counted(total, 'line')} could not be read; the others are "
                f"answered."
            )


def standard_lines() -> Iterable[str]:
    """Return the lines of standard input.

    Bytes that are not UTF-8 are escaped, so that their line is refused when it is read.
    """
    if isinstance(sys.stdin, TextIOWrapper):
        sys.stdin.reconfigure(errors="surrogateescape")
    return sys.stdin


def read(
    lines: Iterable[str],
    one: Callable[[str], T],
    *,
    joint: str = ": ",
    keep_going: bool = False,
) -> Lines[T]:
    """Read each line, without its line end, by `one`.

    With `keep_going`, an error in a line is printed on standard error and the other lines are read.
    `joint` is the text between the number of a line and its error.

    Raises:
        WordError: a line is wrong; the message has its number.
    """
    words: list[T] = []
    numbers: list[int] = []
    errors: dict[int, str] = {}
    for number, line in enumerate(lines, start=1):
        try:
            _require_text(line, number)
            words.append(one(line.rstrip("\r\n")))
            numbers.append(number)
        except _NoTextError as error:
            errors[number] = str(error)
        except WordError as error:
            errors[number] = f"line {number}{joint}{error}"
        if number in errors:
            if not keep_going:
                raise WordError(errors[number])
            note(errors[number])
    return Lines(words, numbers, errors)


def read_inputs(
    lines: Iterable[str], sequence: GateSequence, *, keep_going: bool = False
) -> Lines[str]:
    """Read the inputs of a circuit, a line of bits each; spaces between bits are ignored.

    Raises:
        WordError: a character is not a bit, or the number of bits is not the number of inputs.
    """
    return read(lines, lambda line: "".join(map(str, sequence.read(line))), keep_going=keep_going)


def read_some(
    lines: Iterable[str], one: Callable[[str], T], together: int, joint: str = ": "
) -> Iterator[list[T]]:
    """Read each line, without its line end, by `one`, and yield `together` of them at a time.

    Raises:
        WordError: a line is wrong; the message has its number.
    """
    found: list[T] = []
    for number, line in enumerate(lines, start=1):
        _require_text(line, number)
        try:
            found.append(one(line.rstrip("\r\n")))
        except WordError as error:
            raise WordError(f"line {number}{joint}{error}") from None
        if len(found) == together:
            yield found
            found = []
    if found:
        yield found


class _NoTextError(WordError):
    """A line that is not UTF-8."""


def _require_text(line: str, number: int) -> None:
    if not is_encodable(line):
        raise _NoTextError(f"line {number} is not UTF-8. Convert the text.")
