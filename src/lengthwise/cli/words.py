"""Words on standard input, one to a line, with the place of whatever is wrong."""

import sys
from collections.abc import Iterable, Iterator
from io import TextIOWrapper

from lengthwise.errors import WordError
from lengthwise.languages.gate_sequence import GateSequence
from lengthwise.languages.language import Language
from lengthwise.languages.validation import is_encodable


def standard_lines() -> Iterator[str]:
    """The lines of standard input, as they come.

    Raises:
        WordError: a line is not in the encoding of the input; the message has its number.
    """
    if isinstance(sys.stdin, TextIOWrapper):  # so that the line can be named
        sys.stdin.reconfigure(errors="surrogateescape")
    for number, line in enumerate(sys.stdin, start=1):
        if not is_encodable(line):
            raise WordError(f"line {number} is not UTF-8. Convert the text.")
        yield line


def read_words(lines: Iterable[str], language: Language) -> list[tuple[int, ...]]:
    """The encoded words; an empty line is the empty word.

    Raises:
        WordError: a symbol is not in the alphabet or a word is outside the domain; the message
            names line and column.
    """
    words = []
    for number, line in enumerate(lines, start=1):
        try:
            word = language.encode(line.rstrip("\r\n"))
            language.require_in_domain(word)
        except WordError as error:
            raise WordError(f"line {number}, {error}") from None
        words.append(word)
    return words


def read_sentences(lines: Iterable[str], together: int) -> Iterator[list[str]]:
    """The lines without their ends, some at a time."""
    found: list[str] = []
    for line in lines:
        found.append(line.rstrip("\r\n"))
        if len(found) == together:
            yield found
            found = []
    if found:
        yield found


def read_inputs(lines: Iterable[str], sequence: GateSequence) -> list[str]:
    """The inputs of a circuit, a line of bits each; spaces between bits do not count.

    Raises:
        WordError: something is no bit, or a line has another number of them than there are inputs.
    """
    inputs = []
    for number, line in enumerate(lines, start=1):
        try:
            inputs.append("".join(map(str, sequence.read(line))))
        except WordError as error:
            raise WordError(f"line {number}: {error}") from None
    return inputs
