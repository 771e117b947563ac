"""Symbols of the words of a file: one character each, or separated by spaces.

0110        four symbols
0 1 1 0     the same word
ab ba ab    three symbols, since one has several characters; then a word without spaces is one
a\\ b c     two names, `a b` and `c`: where symbols are separated, `\\ ` is a space within one, and
            so are `\\t` a tab and `\\\\` a backslash

Spaces before and after a word say nothing. A space within a name is shown as `_`, for a symbol is a
string without spaces.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from lengthwise.data.formats.plain_block import PlainBlock
from lengthwise.data.formats.reader import Row
from lengthwise.data.word_files import WordFile
from lengthwise.errors import LanguageError, TextError
from lengthwise.languages.characters import MAX_SYMBOLS, list_symbols
from lengthwise.languages.validation import check_alphabet

_MANY = 10
"""Words without spaces for one with spaces, beyond which the spaces seem to be a slip."""


def is_spaced(file: WordFile) -> bool:
    """Return whether symbols are separated by spaces, since one has several characters.

    Words without any space say nothing: `abba` may be four symbols or one.
    """
    for block in file.blocks():
        if isinstance(block, PlainBlock):
            continue
        for row in block:
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

    @property
    def seems_a_slip(self) -> bool:
        """Whether few words have a space, and many have none."""
        return self.without > _MANY * self.with_spaces > 0

    def refuse(self, file: WordFile) -> None:
        """Refuse a file in which few words have a space, as these seem to be a slip.

        Raises:
            TextError: it is one.
        """
        if self.first is not None and self.seems_a_slip:
            raise TextError(
                f"{file.place(self.first.place)}: {self.first.word!r:.40} has a space, which "
                f"separates symbols, but {self.without:,} words of several characters have none, "
                f"and would be one symbol each. Take it out, or give all symbols with --alphabet."
            )


_ESCAPED = re.compile(r"\\([\\ t])")
_PART = re.compile(r"(?:\\.|[^ ])+")


def split_word(word: str | list[str], spaced: bool) -> list[str]:
    r"""Return the symbols of a written word.

    >>> split_word(r"check\ in  pay", True), split_word("a b", False)
    (['check in', 'pay'], ['a', 'b'])
    """
    if isinstance(word, list):
        return word
    if not spaced:
        return list(word.replace(" ", ""))
    if "\\" not in word:
        return [symbol for symbol in word.split(" ") if symbol]
    return [_unescape(part) for part in _PART.findall(word)]


def _unescape(symbol: str) -> str:
    return _ESCAPED.sub(lambda match: "\t" if match[1] == "t" else match[1], symbol)


def _columns(row: Row, spaced: bool) -> Iterator[tuple[str, str]]:
    """Yield the position of each symbol of a word, and the symbol."""
    if isinstance(row.word, list):
        yield from ((f"symbol {place}", symbol) for place, symbol in enumerate(row.word, start=1))
        return
    for part in _PART.finditer(row.word) if spaced else re.finditer("[^ ]", row.word):
        yield f"column {part.start() + 1}", _unescape(part[0]) if spaced else part[0]


def refuse_symbol(file: WordFile, row: Row, alphabet: Sequence[str], spaced: bool) -> None:
    """Refuse a word with a symbol outside the alphabet.

    Raises:
        TextError: there is one; the message has its line and column.
    """
    for column, symbol in _columns(row, spaced):
        if format_name(symbol) not in alphabet:
            raise TextError(
                f"{file.place(row.place)}, {column}: symbol {symbol!r:.40} is not in the "
                f"alphabet. Use: {list_symbols(alphabet)}"
            )


def format_name(name: str) -> str:
    """Return the symbol of a name: its spaces are shown as `_`.

    >>> shown_name(" check in"), shown_name("pay")
    ('check_in', 'pay')
    """
    return "_".join(name.split())


@dataclass(slots=True)
class Names:
    """The symbols that were met, and the names by which they were written."""

    symbols: dict[str, int]
    """Number of each symbol."""
    is_stated: bool
    """Whether no others are allowed."""
    numbers: dict[str, int] = field(default_factory=dict)
    """Number of the symbol of each name as it is written."""
    written: dict[str, str] = field(default_factory=dict)
    """The name by which each symbol was first written."""

    def meet(self, file: WordFile, row: Row, word: Sequence[str], spaced: bool) -> None:
        """Give numbers to the names of a word that have none yet.

        Raises:
            TextError: one cannot be a symbol, is outside the alphabet, or would be the same symbol
                as another name; or there are more than any model reads.
        """
        for name in dict.fromkeys(word):
            if name in self.numbers:
                continue
            symbol = format_name(name)
            try:
                check_alphabet((symbol,))
            except LanguageError:
                column = next(column for column, symbol in _columns(row, spaced) if symbol == name)
                raise TextError(
                    f"{file.place(row.place)}, {column}: {name!r:.40} is not a symbol, which is "
                    f"a string without spaces. Take it out."
                ) from None
            if self.is_stated and symbol not in self.symbols:
                refuse_symbol(file, row, list(self.symbols), spaced)
            if (other := self.written.setdefault(symbol, name)) != name:
                raise TextError(
                    f"{file.place(row.place)}: the names {other!r:.40} and {name!r:.40} would both "
                    f"be the symbol {symbol!r:.40}. Rename one of them."
                )
            self.numbers[name] = self.symbols.setdefault(symbol, len(self.symbols))
            if len(self.symbols) > MAX_SYMBOLS:
                raise TextError(
                    f"{file} has more than {MAX_SYMBOLS:,} different symbols, the most that can "
                    f"be read. Separate symbols of several characters by spaces."
                )


def format_word(word: Sequence[str], alphabet: Sequence[str]) -> str:
    """Return a word as it is written: with spaces where a symbol has several characters."""
    return (" " if any(len(symbol) > 1 for symbol in alphabet) else "").join(word)
