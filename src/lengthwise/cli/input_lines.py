"""Lines of standard input as words; errors name the line."""

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from io import TextIOWrapper
from typing import Generic, TypeVar

from lengthwise.cli.output import note
from lengthwise.errors import WordError
from lengthwise.languages.validation import is_encodable
from lengthwise.messages import format_count
from lengthwise.status_lines import mute

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Lines(Generic[T]):
    """The words that were read from lines, without the lines that could not be read."""

    words: list[T]
    numbers: list[int]
    """The line number of each word, from 1."""
    errors: dict[int, str]
    """The error of each of the other lines, by line number."""

    def answer_lines(self, answers: Iterable[str]) -> Iterator[str]:
        """Yield an answer for each line; it is empty where the line could not be read."""
        by_number = dict(zip(self.numbers, answers, strict=True))
        for number in sorted((*self.numbers, *self.errors)):
            yield by_number.get(number, "")

    def require_all(self) -> None:
        """Fail if a line could not be read.

        Raises:
            WordError: one could not be read.
        """
        if self.errors:
            total = len(self.numbers) + len(self.errors)
            raise WordError(
                f"{len(self.errors)} of {format_count(total, 'line')} could not be read; the "
                f"others are answered."
            )


def standard_lines() -> Iterator[str]:
    """Yield the lines of standard input; waiting for them is not reported as silent work.

    Bytes that are not UTF-8 are escaped, so that their line is refused when it is read.
    """
    if isinstance(sys.stdin, TextIOWrapper):
        sys.stdin.reconfigure(errors="surrogateescape")
    while True:
        with mute():
            line = sys.stdin.readline()
        if not line:
            return
        yield line


def read_words(
    lines: Iterable[str],
    read: Callable[[str], T],
    *,
    joint: str = ": ",
    keep_going: bool = False,
    together: int | None = None,
) -> Iterator[Lines[T]]:
    """Read each line, without its line end, by `read`, and yield `together` words at a time.

    By default all words are yielded at once. With `keep_going`, an error in a line is printed on
    standard error and the other lines are read. `joint` is the text between the number of a line
    and its error.

    Raises:
        WordError: a line is wrong; the message has its number.
    """
    group: Lines[T] = Lines([], [], {})
    for number, line in enumerate(lines, start=1):
        if number == 1:
            line = line.removeprefix("\ufeff")  # noqa: PLW2901  some editors begin texts with it
        try:
            _require_text(line, number)
            group.words.append(read(line.rstrip("\r\n")))
            group.numbers.append(number)
        except _NoTextError as error:
            group.errors[number] = str(error)
        except WordError as error:
            group.errors[number] = f"line {number}{joint}{error}"
        if number in group.errors:
            if not keep_going:
                raise WordError(group.errors[number])
            note(group.errors[number])
        if len(group.words) == together:
            yield group
            group = Lines([], [], {})
    if group.numbers or group.errors:
        yield group


class _NoTextError(WordError):
    """A line that is not UTF-8."""


def _require_text(line: str, number: int) -> None:
    if not is_encodable(line):
        raise _NoTextError(f"line {number} is not UTF-8. Convert the text.")
