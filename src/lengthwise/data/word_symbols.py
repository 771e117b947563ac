"""Symbols of the words of a file: one character each, or separated by spaces.

0110        four symbols
0 1 1 0     the same word
ab ba ab    three symbols, since one has several characters; then a word without spaces is one

Spaces before and after a word say nothing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lengthwise.data.word_files import Row, place_of, read_rows
from lengthwise.errors import LanguageError, TextError
from lengthwise.languages.characters import MAX_SYMBOLS, listed
from lengthwise.languages.validation import check_alphabet

_MANY = 10
"""Words without spaces for one with spaces, beyond which the spaces seem to be a slip."""


def is_spaced(path: Path) -> bool:
    """Return whether symbols are separated by spaces, since one has several characters.

    Words without any space say nothing: `abba` may be four symbols or one.
    """
    for row in read_rows(path):
        word = row.word
        if isinstance(word, list):
            if any(len(symbol) > 1 for symbol in word):
                return True
        elif " " in word.strip(" ") and any(len(symbol) > 1 for symbol in word.split(" ")):
            return True
    return False


@dataclass(slots=True)
class MixedSpaces:
    """Words with and without spaces, which tell whether the spaces separate symbols."""

    first: Row | None = None
    """The first word with a space inside."""
    with_spaces: int = 0
    without: int = 0
    """Number of words of several characters without one."""

    def note(self, row: Row) -> None:
        """Count one word."""
        if isinstance(row.word, list):
            return
        word = row.word.strip(" ")
        if " " in word:
            self.first = self.first or row
            self.with_spaces += 1
        elif len(word) > 1:
            self.without += 1

    def refuse(self, path: Path) -> None:
        """Refuse a file of which few words have a space, as these seem to be a slip.

        Raises:
            TextError: it is one.
        """
        if self.first is not None and self.without > _MANY * self.with_spaces:
            raise TextError(
                f"{place_of(path, self.first.place)}: {self.first.word!r:.40} has a space, which "
                f"separates symbols, but {self.without:,} words of several characters have none, "
                f"and would be one symbol each. Take it out, or give all symbols with --alphabet."
            )


def split_word(word: str | list[str], spaced: bool) -> list[str]:
    """Return the symbols of a written word."""
    if isinstance(word, list):
        return word
    if spaced:
        return [symbol for symbol in word.split(" ") if symbol]
    return list(word.replace(" ", ""))


def _columns(row: Row, spaced: bool) -> Iterator[tuple[str, str]]:
    """Yield where each symbol of a word stands, and the symbol."""
    if isinstance(row.word, list):
        yield from ((f"symbol {place}", each) for place, each in enumerate(row.word, start=1))
        return
    column = 1
    for symbol in row.word.split(" ") if spaced else row.word:
        if symbol not in ("", " "):
            yield f"column {column}", symbol
        column += len(symbol) + spaced


def refuse_symbol(path: Path, row: Row, alphabet: Sequence[str], spaced: bool) -> None:
    """Refuse a word with a symbol outside the alphabet.

    Raises:
        TextError: there is one; the message has its line and column.
    """
    for where, symbol in _columns(row, spaced):
        if symbol not in alphabet:
            raise TextError(
                f"{place_of(path, row.place)}, {where}: symbol {symbol!r:.40} is not in the "
                f"alphabet. Use: {listed(alphabet)}"
            )


def require_plain_symbols(path: Path, row: Row, word: list[str], spaced: bool) -> None:
    """Refuse a symbol that cannot be one, such as a tab in a text of JSON.

    Raises:
        TextError: there is one.
    """
    try:
        check_alphabet(tuple(dict.fromkeys(word)))
    except LanguageError:
        for where, symbol in _columns(row, spaced):
            if not symbol or any(each.isspace() for each in symbol):
                raise TextError(
                    f"{place_of(path, row.place)}, {where}: {symbol!r:.40} is no symbol, which is "
                    f"a text without spaces. Take it out."
                ) from None


def require_few_symbols(path: Path, symbols: tuple[str, ...]) -> None:
    """Refuse more symbols than any model reads.

    Raises:
        TextError: there are more.
    """
    if len(symbols) > MAX_SYMBOLS:
        raise TextError(
            f"{path} has {len(symbols):,} different symbols, but at most {MAX_SYMBOLS:,} are "
            f"read. Separate symbols of several characters by spaces."
        )


def written_word(word: Sequence[str], alphabet: Sequence[str]) -> str:
    """Return a word as it is written: with spaces where a symbol has several characters."""
    return (" " if any(len(each) > 1 for each in alphabet) else "").join(word)
