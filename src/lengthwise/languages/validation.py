"""Checks of the parts of a language and of encoded words.

Every error message is one line. Nothing is converted: a list where a tuple belongs, or `True` or
`1.0` where an integer belongs, would make a language that cannot be compared or hashed as others
are.
"""

from collections.abc import Sequence
from typing import TypeGuard

from lengthwise.errors import LanguageError, WordError
from lengthwise.messages import format_count


def check_alphabet(alphabet: object) -> None:
    """Refuse an alphabet that is not a tuple of distinct strings without spaces.

    Raises:
        LanguageError: a symbol is not such a string, or appears twice.
    """
    if not isinstance(alphabet, tuple):
        raise LanguageError(
            f"an alphabet is a tuple of strings, such as ('a', 'b'), but it is "
            f"{_format_value(alphabet)}."
        )
    if not alphabet:
        raise LanguageError("an alphabet needs at least one symbol, but it is empty.")
    for symbol in alphabet:
        if not isinstance(symbol, str) or symbol.split() != [symbol]:
            raise LanguageError(
                f"a symbol is a string without spaces, but the alphabet has "
                f"{_format_value(symbol)}."
            )
        if not is_encodable(symbol):
            raise LanguageError(
                f"a symbol is a string that UTF-8 can write, but the alphabet has {symbol!r}."
            )
    if len(set(alphabet)) < len(alphabet):
        twice = next(s for s in alphabet if alphabet.count(s) > 1)
        raise LanguageError(f"symbols differ from each other, but {twice!r} appears twice.")


def check_classes(classes: object, class_names: object) -> None:
    """Refuse classes that are not a tuple of integers from 0, and names that are not a tuple of
    strings.

    Raises:
        LanguageError: one of them is something else, or a name appears twice.
    """
    if not isinstance(classes, tuple):
        raise LanguageError(
            f"classes are a tuple of integers, but they are {_format_value(classes)}."
        )
    for state, value in enumerate(classes):
        if not _is_int(value) or value < 0:
            raise LanguageError(
                f"a class is an integer from 0, but state {state} has class {_format_value(value)}."
            )
    if not isinstance(class_names, tuple) or any(type(name) is not str for name in class_names):
        raise LanguageError(
            f"class names are a tuple of strings, but they are {_format_value(class_names)}."
        )
    if len(set(class_names)) < len(class_names):
        twice = next(name for name in class_names if class_names.count(name) > 1)
        raise LanguageError(f"class names differ from each other, but {twice!r} appears twice.")


def check_table(
    alphabet: tuple[str, ...],
    transitions: object,
    classes: tuple[int, ...],
    start: object,
    num_classes: int,
) -> None:
    """Refuse a table that is not one row of states for each state, with one entry for each symbol.

    The alphabet and the classes have been checked before.

    Raises:
        LanguageError: the table, the start or a class is something else or out of range.
    """
    if not isinstance(transitions, tuple):
        raise LanguageError(
            f"transitions are a tuple of tuples of integers, but they are "
            f"{_format_value(transitions)}."
        )
    num_states = len(transitions)
    if not num_states:
        raise LanguageError("an automaton has a state or more, but transitions are empty.")
    if len(classes) != num_states:
        raise LanguageError(
            f"every state has a class, but classes has {format_count(len(classes), 'item')} for "
            f"{format_count(num_states, 'state')}."
        )
    if not _is_int(start):
        raise LanguageError(f"the start state is an integer, but start={_format_value(start)}.")
    if not 0 <= start < num_states:
        raise LanguageError(f"start={short(start)}, but the states are 0..{num_states - 1}.")
    for state, row in enumerate(transitions):
        _check_row(alphabet, num_states, state, row)
    for state, value in enumerate(classes):
        if value >= num_classes:
            raise LanguageError(
                f"state {state} has class {value}, but the classes are 0..{num_classes - 1}."
            )


def check_symbols(word: Sequence[int], num_symbols: int) -> None:
    """Refuse an encoded word that is not made of symbols.

    Raises:
        WordError: something in the word is not one of the integers 0..`num_symbols` - 1.
    """
    for position, symbol in enumerate(word, start=1):
        if not _is_int(symbol) or not 0 <= symbol < num_symbols:
            raise WordError(
                f"an encoded word holds integers from 0 to {num_symbols - 1}, but its symbol "
                f"{position} is {_format_value(symbol)}. Write the word as text, with spaces "
                f"between symbols if some have several characters, or as language.encode(text)."
            )


def is_encodable(text: str) -> bool:
    """Return whether UTF-8 can encode a string; it cannot encode lone surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def short(value: object) -> str:
    """Format a value for an error message, on one line and at most 60 characters."""
    if isinstance(value, int) and abs(value) >= 10**20:
        return "an integer of more than 20 digits"  # Python refuses to write the largest
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else text[:57] + "..."


def _check_row(alphabet: tuple[str, ...], num_states: int, state: int, row: object) -> None:
    if not isinstance(row, tuple):
        raise LanguageError(
            f"the transitions of a state are a tuple of integers, but state {state} has "
            f"{_format_value(row)}."
        )
    if len(row) != len(alphabet):
        raise LanguageError(
            f"state {state} has {format_count(len(row), 'transition')}, but the alphabet has "
            f"{format_count(len(alphabet), 'symbol')}."
        )
    if set(map(type, row)) == {int} and min(row) >= 0 and max(row) < num_states:
        return  # most rows, and quicker than one target at a time
    for symbol, target in zip(alphabet, row, strict=True):
        if not _is_int(target):
            raise LanguageError(
                f"a state is an integer, but state {state} moves by {symbol!r} to "
                f"{_format_value(target)}."
            )
        if not 0 <= target < num_states:
            raise LanguageError(
                f"state {state} moves by {symbol!r} to {short(target)}, "
                f"but the states are 0..{num_states - 1}."
            )


def _is_int(value: object) -> TypeGuard[int]:
    return type(value) is int


def _format_value(value: object) -> str:
    return f"{short(value)} ({type(value).__name__})"
