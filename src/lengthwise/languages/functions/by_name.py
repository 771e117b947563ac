"""The function that a line or a Python function names: `lw.function`."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from lengthwise.errors import LanguageError
from lengthwise.languages.characters import split_alphabet
from lengthwise.languages.functions.function import Function
from lengthwise.languages.functions.learning import learn_function
from lengthwise.languages.functions.reading import reading_of
from lengthwise.languages.functions.spec import parse_function
from lengthwise.languages.language import Language
from lengthwise.languages.spec import (
    alphabet_text,
    is_self_contained,
    may_change,
    names_function,
    parse,
)
from lengthwise.languages.validation import short


def function(
    spec: str | Function | Callable[[str], Any],
    alphabet: str | Sequence[str] | None = None,
    *,
    max_states: int | None = None,
) -> Function:
    """Return the function on words that a specification names, or the automata of a Python one.

    Args:
        spec: such as `add[base=10]`, `add[base=10,first=high]`, `times:7[base=10]`, `divide:3`,
            `gray`, `increment`, `compare`, `prefixes:parity`, `rule:a -> b / c _ d`, `mealy:FILE`,
            or functions one after the other, `gray | increment[base=2]`. A Python function takes a
            written word and returns a word of that length; it needs `alphabet` and `max_states`.
        alphabet: the input symbols of a Python function, or all symbols of a rule.
        max_states: states that are enough for a Python function, of both automata together. The
            result is exact if they are.

    Examples:
        >>> import lengthwise as lw
        >>> lw.function("prefixes:parity")("10110")
        '11011'
        >>> lw.function(lambda word: word.replace("a", "b"), "ab", max_states=3)
        Function(sequential, 1 state)

    Raises:
        LanguageError: the specification is unknown or malformed, or what it names has no output of
            the length of each input, or needs more states.
    """
    text = alphabet_text(alphabet)
    if isinstance(spec, Function):
        return spec
    if callable(spec):
        if text is None or max_states is None:
            raise LanguageError(
                "a Python function needs alphabet='01' and max_states=8, the most states of its "
                "two automata together. Give both."
            )
        return learn_function(spec, split_alphabet(text), max_states=max_states)
    if not isinstance(spec, str) or max_states is not None:
        raise LanguageError(
            f"a function is a line, such as 'add[base=10]', or a Python function with max_states, "
            f"but got {short(spec)}."
        )
    return parse_function(spec, parse, text)


def function_of(language: Language) -> Function | None:
    """Return the function that the specification of a language names, or None."""
    return parse_function(language.spec, parse) if names_function(language.spec) else None


def named_language(function: Function, *, empty: int | None = None) -> Language:
    """Return the language of a function under a name that alone defines the function: its
    specification, or its line if it has none or that of a file or a module. `empty` is the class of
    the empty word (`reading_of`).

    Raises:
        LanguageError: its automaton has too many states.
    """
    language = reading_of(function, empty=empty).language
    return language if is_self_contained(function.spec) else replace(language, spec=function.line)


def read_again(language: Language) -> Language:
    """Return the language that the specification of a language names. That of a function gives the
    empty word, which has no output, the class that it has in the language.

    Raises:
        LanguageError: the specification is unknown or malformed.
    """
    function = function_of(language)
    if function is None:
        return parse(language.spec)
    return named_language(function, empty=language.classes[language.start])


def is_named(language: Language) -> bool:
    """Return whether a language equals the one that its `spec` names.

    Files are not read, and modules not imported: what they hold may have changed.
    """
    if not language.spec or may_change(language.spec):
        return True
    if not is_self_contained(language.spec):
        return False
    original = read_again(language)
    if (original.alphabet, original.class_names) != (language.alphabet, language.class_names):
        return False
    return original.difference(language) is None


def is_nameless(function: Function) -> bool:
    """Return whether a function has no specification, or one with the line of a function in it."""
    return not function.spec or "bimachine:" in function.spec


def is_same_function(spec: str, other: str) -> bool | None:
    """Return whether two specifications define the same function, or None if one defines none, as
    that of a file, of a module or of a plain language.

    >>> first, second = (f"rule[abcd]:a -> {symbol} / _ d" for symbol in "bc")
    >>> parse(first).difference(parse(second)), is_same_function(first, second)
    (None, False)
    """
    own, others = (
        parse_function(line, parse) if names_function(line) and is_self_contained(line) else None
        for line in (spec, other)
    )
    if own is None or others is None:
        return None
    return own.alphabet == others.alphabet and own.difference(others) is None
