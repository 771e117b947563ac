"""Labels of an automaton's arrows: one for all symbols between two states, and its width."""

import unicodedata
from collections.abc import Sequence

from lengthwise.escapes import printable
from lengthwise.languages.characters import list_symbols
from lengthwise.languages.language import Language

FONT_SIZE = 12
"""Size of all strings of a drawing, in pixels."""

WIDEST = 116.0
"""Width in pixels up to which a label names all symbols of its arrow."""

_NARROW = frozenset("!'()*,-./:;I[]fijlrt|` ")
_BROAD = frozenset("%@GMOQWmw…")
_SHARES = {"narrow": 0.42, "broad": 1.0, "capital": 0.8, "usual": 0.66, "double": 1.1}
"""Widths in units of the font's size, at least those of common fonts without serifs."""

Pair = tuple[int, int]
"""The state that an arrow leaves, and the one that it leads to."""


def text_width(text: str) -> float:
    """Return about how many pixels a string takes, rather too many than too few."""
    return FONT_SIZE * sum(map(_share, text))


def _share(character: str) -> float:
    if unicodedata.combining(character):
        return 0.0
    if unicodedata.east_asian_width(character) in "WF" or ord(character) > 0xFFFF:
        return _SHARES["double"]
    if character in _NARROW:
        return _SHARES["narrow"]
    if character in _BROAD:
        return _SHARES["broad"]
    return _SHARES["capital" if character.isupper() else "usual"]


def fit_label(text: str, widest: float) -> str:
    """Return a string as it can be printed, cut with … to a width in pixels."""
    text = printable(text)
    if text_width(text) <= widest:
        return text
    while text and text_width(f"{text}…") > widest:
        text = text[:-1]
    return f"{text}…"


Written = Sequence[Sequence[str]]
"""What a machine writes: `written[state][symbol]`; empty strings where it only reads."""


def symbols_of_arrows(
    machine: Language, states: Sequence[int], written: Written | None = None
) -> dict[Pair, list[str]]:
    """Return the symbols of each arrow between these states, in the order of the alphabet.

    With `written` they are like `a/b`: read a, write b.
    """
    arrows: dict[Pair, list[str]] = {}
    for state in states:
        for x, target in enumerate(machine.transitions[state]):
            output = "" if written is None else written[state][x]
            symbol = f"{machine.alphabet[x]}/{output}" if output else machine.alphabet[x]
            arrows.setdefault((state, target), []).append(symbol)
    return arrows


def arrow_labels(arrows: dict[Pair, list[str]], *, writes: bool = False) -> dict[Pair, str]:
    """Return a short label of each arrow.

    Characters that follow each other are a range, as `a-f`. If that is too long, the arrow with
    most symbols of its state is `other` (`any` if it is the only one), and another one ends with
    the number of its symbols. In a machine that `writes` none is `other`, which would hide outputs,
    and labels may be half as long again.
    """
    widest = 1.5 * WIDEST if writes else WIDEST
    leaving: dict[int, list[Pair]] = {}
    for pair in arrows:
        leaving.setdefault(pair[0], []).append(pair)
    taken = {symbol for symbols in arrows.values() for symbol in symbols}
    labels = {}
    for pairs in leaving.values():
        largest = max(pairs, key=lambda pair: len(arrows[pair]))
        for pair in pairs:
            label = printable(list_symbols(arrows[pair], most=len(arrows[pair]), joint=", "))
            if text_width(label) > widest:
                word = "any" if len(pairs) == 1 else "other"
                is_rest = pair == largest and len(arrows[pair]) > 1 and word not in taken
                label = word if is_rest and not writes else _shorten_list(arrows[pair], widest)
            labels[pair] = label
    return labels


def _shorten_list(symbols: Sequence[str], widest: float) -> str:
    """Return the first symbols that fit, and how many there are."""
    if len(symbols) == 1:
        return fit_label(symbols[0], widest)
    ending = f", … ({len(symbols):,})"
    label = fit_label(symbols[0], widest - text_width(ending))
    for number in range(2, len(symbols)):
        longer = printable(list_symbols(symbols[:number], most=number, joint=", "))
        if text_width(longer + ending) > widest:
            break
        label = longer
    return label + ending
