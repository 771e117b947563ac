"""The part of regular expressions that `re` and the engines of constrained decoding read alike."""

import re

from lengthwise.decoding.byte_automaton import PIECE, as_ours
from lengthwise.decoding.vocabulary import Vocabulary
from lengthwise.errors import LanguageError
from lengthwise.languages.alike_symbols import cells_of
from lengthwise.languages.characters import LONGER, quote_typed, short_symbols
from lengthwise.languages.regex import Expression

_PUNCTUATION = re.compile(r"\\[^\w\s]|\\[ntr]")
_CLASS = re.compile(r"\[\^?(?:\\[^\w\s]|\\[ntr]|[^\\\[])*\]")
_DOUBLED = re.compile(r"&&|--|~~|\|\|")
_FEW = 200
"""Most characters of a vocabulary that is made from an expression."""

END = b"</s>"
"""How the end token of such a vocabulary is written."""


def compile_common(expression: str) -> re.Pattern[str]:
    """Compile an expression.

    Raises:
        LanguageError: it is malformed.
    """
    try:
        return re.compile(expression)
    except (re.error, RecursionError, OverflowError) as error:
        raise LanguageError(f"expression {short_symbols(expression)}: {error}. Fix it.") from None


def require_common(expression: str, vocabulary: Vocabulary | None = None) -> None:
    """Refuse what the engines do not read as `re` does.

    Raises:
        LanguageError: the expression has an anchor, a lazy repetition, a set such as `\\d`, an
            escape, or a group that is not plain; or a dot, and a token has a newline.
    """
    pieces = [(match.start(), match.group()) for match in PIECE.finditer(expression)]
    tokens = () if vocabulary is None else vocabulary.tokens
    newline = any(b"\n" in token for token in tokens if token)
    for number, (at, piece) in enumerate(pieces):
        rest = "".join(each for _, each in pieces[number:])
        fault = ""
        if piece[0] == "\\" and not _PUNCTUATION.fullmatch(piece):
            fault = f"{quote_typed(piece)}, which engines read in different ways. Write a class"
        elif len(piece) > 1 and piece[0] == "[" and not _is_plain(piece):
            fault = (
                f"the class {piece}, which engines read in different ways. Use \\\\ before signs"
            )
        elif piece in "^$":
            fault = f"the anchor {piece!r}. Remove it, as an expression is about whole strings"
        elif piece == "." and newline:
            fault = "'.', which may be a newline or not, and tokens have some. Write a class"
        elif rest.startswith("(?") and not rest.startswith("(?:"):
            fault = "a group that is not plain. Write (...)"
        elif rest.startswith("{,"):
            fault = "'{,', which some engines read as symbols. Write '{0,'"
        elif re.match(r"[*+?}]\?", rest):
            fault = f"{rest[:2]!r}, a lazy repetition. Remove the '?', which changes no string"
        if fault:
            raise LanguageError(
                f"expression {short_symbols(expression)}, column {at + 1} has {fault}."
            )


def _is_plain(piece: str) -> bool:
    return _CLASS.fullmatch(piece) is not None and not _DOUBLED.search(piece)


def characters_of(expression: str) -> Vocabulary:
    """Return a vocabulary of single characters that shows what an expression tells apart.

    It has the characters that stand alone, and two of each set that no class cuts.

    Raises:
        LanguageError: the expression is malformed, or has too many characters.
    """
    require_common(expression)
    classes = Expression(as_ours(compile_common(expression))).classes
    found = {chr(first) for ranges in classes for first, last in ranges if first == last < LONGER}
    for ranges in cells_of(classes).values():
        found |= set(_some(ranges))
    if len(found) > _FEW:
        raise LanguageError(
            f"expression {short_symbols(expression)} tells {len(found)} sets of characters apart, "
            f"but a vocabulary of its own has at most {_FEW}. Give --tokenizer."
        )
    tokens = (*(character.encode() for character in sorted(found)), None)
    end = len(tokens) - 1
    return Vocabulary(tokens, (end,), {end: END})


def _some(ranges: list[tuple[int, int]]) -> list[str]:
    """Return the first and the last character of ranges: letters, or signs, if they have some."""
    signs = [
        chr(code) for first, last in ranges for code in range(max(first, 0x21), min(last, 0x7E) + 1)
    ]
    letters = [sign for sign in signs if sign.isalnum()]
    ends = [chr(code) for code in (ranges[0][0], ranges[-1][1]) if not 0xD800 <= code <= 0xDFFF]
    chosen = letters or signs or [end for end in ends if end != "\n"]
    return chosen[:1] + chosen[-1:]
