"""Language specifications in one line: `parity`, `d-4`, `regex:(0|10*1)*`, `ltl:a S b`, `group:S5`,
`att:FILE`, `py[states=8,alphabet=01]:module:function`, `union:{SPEC}{SPEC}`.

Each language stores its specification in a canonical form: `parse(language.spec)` builds the same
language.
"""

import os
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lengthwise.errors import LanguageError, unknown_name
from lengthwise.languages.characters import format_alphabet, list_symbols, split_alphabet
from lengthwise.languages.functions.spec import (
    function_may_change,
    inner_languages,
    parse_function,
)
from lengthwise.languages.language import Language
from lengthwise.languages.named_languages import CATALOGUE, FAMILIES, dyck
from lengthwise.languages.validation import short

if TYPE_CHECKING:
    from lengthwise.languages.ltl import Formula
    from lengthwise.languages.named_languages import NamedLanguage
    from lengthwise.languages.spec_kinds import Kind
    from lengthwise.registry import Catalogue

OPERATIONS = (
    *("union", "intersection", "difference", "complement"),
    *("reverse", "concatenation", "left-quotient", "right-quotient"),
)
"""Names of the operations that make a language of others."""

_FUNCTION = re.compile(
    r"(prefixes|mealy|rule|function|bimachine|times|divide)(\[.*?\])?:"
    r"|(add|subtract|compare|increment|gray)(\[|$| \| )"
)
"""The beginning of a line that names a function, whose language is that of its prefixes."""

_KIND = re.compile(r"([\w-]+)(?:\[(.*?)\])?:")
"""The beginning of a line that names a kind of language, with its options."""


def language(
    spec: str | Language | Callable[[str], Any],
    alphabet: str | Sequence[str] | None = None,
    *,
    max_states: int | None = None,
) -> Language:
    """Return the language that a specification names, or that of a function on words.

    Args:
        spec: such as `parity`, `tomita-4`, `d-3`, `count:a:3`, `regex:(0|10*1)*`, `ltl:a S b`,
            `group:S5` or `att:machine.att`; `lengthwise languages` lists them. A `Language` is
            returned as it is. A function takes a written word, and returns a truth value or a class
            0, 1, ...; it needs `alphabet` and `max_states`.
        alphabet: all symbols of a regular expression, a formula, a counter, a function, or an
            automaton in a file: `abc`, or `s1 s2` if some have several characters; or a list of
            them.
        max_states: states that are enough for the function. The result is exact if they are, and
            says nothing of the function otherwise (`from_function` in
            `lengthwise.languages.function_learning`).

    Examples:
        >>> import lengthwise as lw
        >>> lw.language("regex:(0|10*1)*")
        Language(regex:(0|10*1)*: 2 states over '0 1', classes '0 1')
        >>> lw.language(lambda word: word.count("a") % 3 == 1, "ab", max_states=5).num_states
        3

    Raises:
        LanguageError: the specification is unknown or malformed; or the function needs more than
            `max_states` states, fails, or returns something that is not a class.
    """
    alphabet = alphabet_text(alphabet)
    if callable(spec):
        from lengthwise.languages.spec_kinds import of_function  # noqa: PLC0415  of functions alone

        return of_function(spec, alphabet, max_states)
    if max_states is not None:
        raise LanguageError(
            f"max_states is for functions, but {short(spec)} is not one. In a line, write "
            f"py[states={short(max_states)},alphabet=01]:module:function."
        )
    if isinstance(spec, Language):
        return require_alphabet(spec, alphabet)
    return parse(spec, alphabet)


def parse(spec: str, alphabet: str | None = None) -> Language:
    """Build the language of a specification; `alphabet` is `abc`, or `s1 s2` with spaces.

    >>> language = parse("count:a:3", alphabet="abc")
    >>> language.spec, language.alphabet
    ('count:a:3:abc', ('a', 'b', 'c'))

    Raises:
        LanguageError: the line does not describe a language, or has another alphabet.
    """
    if not isinstance(spec, str):
        raise LanguageError(
            f"a language is a line, such as 'parity' or 'regex:(0|1)*', or a Language, but got "
            f"{short(spec)}."
        )
    _require_text(alphabet)
    match = _KIND.match(spec)
    if names_function(spec):
        from lengthwise.languages.functions.reading import reading_of  # noqa: PLC0415  of these

        function = parse_function(spec, parse, alphabet)
        language = reading_of(function).language
        if not function.spec:
            language = replace(language, spec=function.line)
    elif match is None or not names_kind(spec):
        language = _make_named(spec)
    else:
        kind, option, body = match.group(1), match.group(2), spec[match.end() :]
        if option is not None and kind not in ("regex", "ltl", "ltlf", "att", "py"):
            raise LanguageError(
                f"only regex, ltl, ltlf, att and py have options in brackets, but {spec!r} has "
                f"[{option}]. Remove it."
            )
        if kind in OPERATIONS:
            from lengthwise.languages.spec_operations import combine  # noqa: PLC0415  of these

            language = combine(kind, body, lambda part: parse(part, alphabet))
        else:
            language = _kinds()[kind](body, option, alphabet)
    return require_alphabet(language, alphabet)


def names_function(spec: str) -> bool:
    """Return whether a line begins with a function on words: `add[base=10]`, `rule:`, ..."""
    return _FUNCTION.match(spec) is not None


def names_kind(spec: str) -> bool:
    """Return whether a line begins with a kind of language: `regex:`, `group:`, ...; a function is
    one as well, since it has the language of its prefixes."""
    if names_function(spec):
        return True
    match = _KIND.match(spec)
    return match is not None and (match.group(1) in OPERATIONS or match.group(1) in _kinds())


def _kinds() -> "Mapping[str, Kind]":
    """Return the kinds of languages by what names them, which the named languages do not need."""
    from lengthwise.languages.spec_kinds import KINDS  # noqa: PLC0415  of lines with a prefix

    return KINDS


def languages() -> list[dict[str, str]]:
    """List the named languages, then the families, each with `spec`, `definition`, `source` and
    `example` (a line that works, or a word and its class).
    """
    examples = [
        {
            "spec": name,
            "definition": entry.definition,
            "source": entry.source,
            "example": ", ".join(f"{word or '(empty)'}: {c}" for word, c in entry.examples[:2]),
        }
        for name, entry in (*CATALOGUE.items(), *_benchmarks().items())
    ]
    families = [
        {
            "spec": form,
            "definition": family.definition,
            "source": family.source,
            "example": family.example,
        }
        for form, family in FAMILIES.items()
    ]
    return examples + families


def _benchmarks() -> "Catalogue[NamedLanguage]":
    """Return the languages of benchmarks, which are read when no other has a name."""
    from lengthwise.languages.benchmark_languages import BENCHMARKS  # noqa: PLC0415

    return BENCHMARKS


def _make_named(spec: str) -> Language:
    if spec in CATALOGUE:
        return replace(CATALOGUE[spec].build(), spec=spec)
    if spec in (benchmarks := _benchmarks()):
        return replace(benchmarks[spec].build(), spec=spec)
    if match := re.fullmatch(r"d-(\d+)", spec, re.ASCII):
        if len(match.group(1)) > 9:
            raise LanguageError(f"a depth has at most nine digits, but {spec[:40]!r} has more.")
        depth = int(match.group(1))
        return replace(dyck(depth), spec=f"d-{depth}")
    if (kind := _KIND.match(spec)) is not None:
        if remedy := _NO_LANGUAGES.get(kind.group(1)):
            raise LanguageError(f"{spec!r:.60} is not a language. {remedy}")
        raise unknown_name(
            "kind of language", kind.group(1), [*_kinds(), *OPERATIONS], LanguageError
        )
    if opened := re.match(r"(regex|ltlf?|att|py)\[[^\]]*$", spec):
        raise LanguageError(
            f"the bracket after {opened.group(1)} is not closed in {spec!r:.60}. Write "
            f"{opened.group(1)}[...]: before the rest."
        )
    if remedy := _suggest_meaning(spec):
        raise LanguageError(f"unknown language {spec!r}. {remedy}")
    raise unknown_name("language", spec, [*CATALOGUE, *benchmarks, *FAMILIES], LanguageError)


def _suggest_meaning(spec: str) -> str:
    """Return a sentence that says what an unknown name may mean; empty if that is unknown, too."""
    if re.search(r"\.(tsv|csv|jsonl|ndjson|parquet|xes|abbadingo|dat)(\.\w+)?$", spec):
        return f"If it is a file of labelled words, write words:{spec}"
    if spec.endswith((".att", ".fst")):
        return f"If it is a file of an automaton, write att:{spec}"
    if re.search(r"\.txt(\.(xz|gz|zst))?$", spec):
        return (
            "If it is labelled words, write them as WORD<TAB>LABEL to FILE.tsv, and give "
            "words:FILE.tsv; if it is text, give it to `lengthwise prepare`."
        )
    if os.path.isdir(spec):  # noqa: PTH112  a Path of a string with NUL raises
        return (
            f"There is a folder of this name. Name the language of a run (`lengthwise ls "
            f"{shlex.quote(spec)}` shows it), or write text:{spec} or translation:{spec} for a "
            f"corpus."
        )
    if re.search(r"[()|*+?.{}]", spec):
        return f"If it is a regular expression, write regex:{spec}"
    if spec.lower() in _STEP_TASKS:
        return f"If it is a step task, write steps:{spec.lower()}"
    return ""


def formula_of(spec: str) -> "Formula | None":
    """Return the formula of a specification such as `ltl:a S b`, or None if it has none."""
    from lengthwise.languages.ltl_parser import parse_formula  # noqa: PLC0415  of this kind alone

    match = re.match(r"ltl(?:\[.*?\])?:", spec)
    return None if match is None else parse_formula(spec[match.end() :])


def require_alphabet(language: Language, alphabet: str | None) -> Language:
    """Return the language.

    Raises:
        LanguageError: it has another alphabet.
    """
    if alphabet is not None and language.alphabet != split_alphabet(alphabet):
        raise LanguageError(
            f"{language.spec or 'this language'} has the alphabet "
            f"{list_symbols(language.alphabet)!r}, so it cannot have {alphabet!r}. Leave the "
            f"alphabet out."
        )
    return language


def alphabet_text(alphabet: str | Sequence[str] | None) -> str | None:
    """Return an alphabet as it is written: `abc`, or `s1 s2` if some have several characters.

    Raises:
        LanguageError: it is neither a string nor a list of symbols.
    """
    if isinstance(alphabet, list | tuple) and all(isinstance(symbol, str) for symbol in alphabet):
        text = format_alphabet(alphabet)
        if split_alphabet(text) == tuple(alphabet):
            return text
        raise LanguageError(
            f"an alphabet is written as abc, or as s1 s2 with spaces, which {short(alphabet)} "
            f"cannot be. Give symbols of one character, or several without spaces."
        )
    _require_text(alphabet)
    assert isinstance(alphabet, str | None)
    return alphabet


def _require_text(alphabet: object) -> None:
    if not isinstance(alphabet, str | None):
        raise LanguageError(
            f"an alphabet is a string, such as 'abc' or 's1 s2', or a list of symbols, but got "
            f"{short(alphabet)}."
        )


_NO_LANGUAGES = {
    **dict.fromkeys(
        ("words", "inferred", "steps", "text", "pairs"), "Use it with lengthwise train."
    ),
    "labels": "Labelled words are words:FILE; `lengthwise infer FILE` finds their automaton, and "
    "`lengthwise sample LANGUAGE --labelled` draws some of a language.",
    "zoo": "Use it where a command takes a run.",
    "circuit": "Write steps:circuit:FILE to train on its steps.",
}
"""Remedies by prefix, for specifications that name something else."""

_STEP_TASKS = ("addition", "multiplication")
"""Step tasks that are named here only for a hint: `tasks`, which makes them, imports this."""

_SELF_CONTAINED = re.compile(
    r"(?:(?:regex|ltlf?)(?:\[.*?\])?|group|count|subregular):.*|[a-z0-9-]+", re.DOTALL
)


_MAY_CHANGE = re.compile(rf"(att(\[.*?\])?|py\[.*?\]|{'|'.join(OPERATIONS)}):")


def is_self_contained(spec: str) -> bool:
    """Return whether a specification defines its language by itself, without a file or module."""
    if names_function(spec):
        inner_specs = inner_languages(spec)
        return not function_may_change(spec) and all(map(is_self_contained, inner_specs))
    return _SELF_CONTAINED.fullmatch(spec) is not None


def may_change(spec: str) -> bool:
    """Return whether a specification names a file or a module, whose content may change.

    An operation may be on one.
    """
    if names_function(spec):
        return function_may_change(spec) or any(map(may_change, inner_languages(spec)))
    return _MAY_CHANGE.match(spec) is not None
