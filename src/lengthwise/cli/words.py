"""Words on standard input, one to a line, with the place of whatever is wrong."""

from collections.abc import Iterable

from lengthwise.errors import WordError
from lengthwise.languages.language import Language


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
