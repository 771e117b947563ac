"""Specifications of languages made of others: `union:{A}{B}`, `reverse:A`, `right-quotient:{A}{B}`.

Braces enclose a specification where there are several, and braces within it come in pairs.
"""

import operator
from collections.abc import Callable
from dataclasses import replace
from functools import reduce

from lengthwise.errors import LanguageError
from lengthwise.languages.language import Language
from lengthwise.languages.operations import (
    concatenation,
    left_quotient,
    reverse,
    right_quotient,
)

MOST_NESTED = 50
"""Largest number of operations in a specification."""

_OF_ONE: dict[str, Callable[[Language], Language]] = {
    "complement": operator.invert,
    "reverse": reverse,
}

_OF_TWO: dict[str, Callable[[Language, Language], Language]] = {
    "difference": operator.sub,
    "left-quotient": left_quotient,
    "right-quotient": right_quotient,
}

_OF_MANY: dict[str, Callable[[Language, Language], Language]] = {
    "union": operator.or_,
    "intersection": operator.and_,
    "concatenation": concatenation,
}


def combine(name: str, body: str, parse: Callable[[str], Language]) -> Language:
    """Return what an operation makes of the languages that follow its name and the colon.

    `parse` builds the language of each specification.

    Raises:
        LanguageError: they are not as many as it takes, or of another kind, or too large.
    """
    _require_few(name, body)
    if name in _OF_ONE:
        language = parse(body)
        return replace(_OF_ONE[name](language), spec=f"{name}:{language.spec}")
    languages = [parse(part) for part in split_operands(name, body)]
    specs = [language.spec for language in languages]
    line = "".join(f"{{{spec}}}" for spec in specs)
    if split_operands(name, line) != specs:
        raise LanguageError(
            f"{name}:{body:.60} has a brace alone in an alphabet, which a line cannot hold. Leave "
            f"it out."
        )
    made = reduce((_OF_TWO | _OF_MANY)[name], languages)
    return replace(made.minimise(), spec=f"{name}:{line}")


def split_operands(name: str, body: str) -> list[str]:
    """Return the specifications within the outer braces.

    >>> split_operands("union", "{regex:a{2}}{parity}")
    ['regex:a{2}', 'parity']

    Raises:
        LanguageError: there are not as many as the operation takes, or braces do not match.
    """
    parts, depth, begin = [], 0, 0
    for at, character in enumerate(body):
        if character == "{":
            depth += 1
            begin = at + 1 if depth == 1 else begin
        elif character == "}":
            depth -= 1
            if depth == 0:
                parts.append(body[begin:at])
        if depth < 0 or (depth == 0 and character != "}"):
            depth = -1
            break
    needed = "two" if name in _OF_TWO else "two or more"
    if depth or len(parts) < 2 or (name in _OF_TWO and len(parts) > 2):
        raise LanguageError(
            f"{name} takes {needed} languages in braces, as in {name}:{{parity}}{{first}}, but "
            f"this is {name}:{body:.60}. Braces within them come in pairs; in an expression, "
            f"write one alone as \\x7b or \\x7d."
        )
    return parts


def _require_few(name: str, body: str) -> None:
    if sum(body.count(f"{other}:") for other in (*_OF_ONE, *_OF_TWO, *_OF_MANY)) >= MOST_NESTED:
        raise LanguageError(
            f"a language has at most {MOST_NESTED} operations, but {name}:{body:.40} has more. "
            f"Save a part as an automaton, and write att:FILE."
        )
