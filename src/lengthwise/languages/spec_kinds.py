"""The kinds of languages that a specification names by its beginning: `regex:`, `ltl:`, `ltlf:`,
`att:`, `group:`, `subregular:`, `count:` and `py:`.

Each takes what follows the colon, the option in brackets and the alphabet given beside it, and
returns the language with its specification in canonical form. What one kind alone needs is
imported when it is asked for.
"""

import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from lengthwise.errors import LanguageError, LengthwiseWarning, unknown_name
from lengthwise.languages.characters import format_alphabet, split_alphabet
from lengthwise.languages.language import Language
from lengthwise.languages.named_languages import count
from lengthwise.languages.validation import short
from lengthwise.registry import Catalogue, import_attribute

if TYPE_CHECKING:
    from lengthwise.languages.att import ZeroLabel
    from lengthwise.languages.ltl import Formula

_DRAWN: Catalogue[Callable[..., Language]] = Catalogue(
    "generator", {"subregular": "lengthwise.languages.subregular:subregular"}
)
"""Generators of languages that need the deciders of the ladder, imported when first asked for."""


Kind: TypeAlias = Callable[[str, str | None, str | None], Language]
"""Takes what follows the colon, the option in brackets, and the alphabet given beside it."""


def _regex(body: str, option: str | None, alphabet: str | None) -> Language:
    from lengthwise.languages.regex import Expression  # noqa: PLC0415  of this kind alone

    symbols = _characters(_one_alphabet(option, alphabet))
    expression = Expression(body)
    language = expression.language(symbols)
    for remark in expression.remarks(language.alphabet):
        warnings.warn(remark, LengthwiseWarning, stacklevel=2)
    is_own = symbols is None or symbols == expression.symbols
    head = "regex" if is_own else f"regex[{_format_alphabet(language.alphabet)}]"
    return replace(language, spec=f"{head}:{body}")


def _ltl(body: str, option: str | None, alphabet: str | None) -> Language:
    from lengthwise.languages.ltl import automaton  # noqa: PLC0415  of this kind alone
    from lengthwise.languages.ltl_parser import PAST, parse_formula  # noqa: PLC0415  of this kind

    symbols = _one_alphabet(option, alphabet)
    return _of_formula("ltl", body, symbols, parse_formula(body, symbols, PAST), automaton)


def _ltlf(body: str, option: str | None, alphabet: str | None) -> Language:
    from lengthwise.languages import ltlf  # noqa: PLC0415  of this kind alone
    from lengthwise.languages.ltl_parser import FUTURE, parse_formula  # noqa: PLC0415  of this kind

    if option is None or not option.startswith("propositions="):
        symbols = _one_alphabet(option, alphabet)
        formula = parse_formula(body, symbols, FUTURE)
        return _of_formula("ltlf", body, symbols, formula, ltlf.future_automaton)
    propositions = option.removeprefix("propositions=").split()
    meaning = ltlf.sets_of(propositions)
    formula = parse_formula(body, propositions, FUTURE)
    language = ltlf.future_automaton(formula, tuple(meaning), meaning)
    return replace(language, spec=f"ltlf[propositions={' '.join(propositions)}]:{body}")


def _of_formula(
    kind: str,
    body: str,
    symbols: tuple[str, ...] | None,
    formula: "Formula",
    build: "Callable[[Formula, Sequence[str]], Language]",
) -> Language:
    own = tuple(sorted(formula.symbols))
    if not (symbols or own):
        raise LanguageError(
            f"the formula {body!r:.40} has no symbol, so an alphabet is needed. Write "
            f"{kind}[ab]:{body:.40}"
        )
    language = build(formula, symbols or own)
    head = kind if language.alphabet == own else f"{kind}[{_format_alphabet(language.alphabet)}]"
    return replace(language, spec=f"{head}:{body}")


def _att(body: str, option: str | None, alphabet: str | None) -> Language:
    from lengthwise.languages.att import from_att  # noqa: PLC0415  of this kind alone

    if not body:
        raise LanguageError("att: names no file. Give att:FILE.")
    match = re.fullmatch(r"(?:0=(epsilon|symbol))?(?:(?:^|,)alphabet=(\S.*))?", option or "")
    if match is None or option == "":
        raise LanguageError(
            f"att has the options [0=epsilon], [0=symbol] and [alphabet=abc], alone or as "
            f"[0=symbol,alphabet=abc], but not [{option}]. Write one."
        )
    zeros: dict[str | None, ZeroLabel] = {None: "auto", "epsilon": "epsilon", "symbol": "symbol"}
    zero, stated_alphabet = zeros[match[1]], _one_alphabet(match[2], alphabet)
    language = from_att(body, zero=zero)
    parts = [f"0={zero}"] if match[1] else []
    if stated_alphabet is not None and stated_alphabet != language.alphabet:
        language = from_att(body, zero=zero, alphabet=stated_alphabet)
        parts.append(f"alphabet={_format_alphabet(language.alphabet)}")
    return replace(language, spec=f"att[{','.join(parts)}]:{body}" if parts else f"att:{body}")


def _group(body: str, option: str | None, alphabet: str | None) -> Language:
    from lengthwise.languages.groups import (  # noqa: PLC0415  of this kind alone
        format_permutations,
        group,
        permutation_group,
    )

    del option, alphabet
    if body.lstrip().startswith("("):
        return replace(permutation_group(body), spec=f"group:{format_permutations(body)}")
    name, values = _options("group", body, ["generators", "seed"])
    generators, seed = values.get("generators"), values.get("seed", 0)
    if generators is None:
        if "seed" in values:
            raise LanguageError(
                f"seed={seed} draws generators, but group:{body} takes all elements. Add "
                f"generators=K, or remove the seed."
            )
        return replace(group(name), spec=f"group:{name}")
    return replace(
        group(name, generators, seed), spec=f"group:{name},generators={generators},seed={seed}"
    )


def _subregular(body: str, option: str | None, alphabet: str | None) -> Language:
    del option, alphabet
    name, values = _options("subregular", body, ["seed", "symbols"])
    return _DRAWN["subregular"](name, **values)


def _count(body: str, option: str | None, alphabet: str | None) -> Language:
    del option
    match = re.fullmatch(r"(\S):(\d{1,9})(?::(\S+))?", body, re.ASCII)
    if match is None:
        raise LanguageError(
            f"a counter is count:SYMBOL:MOD or count:SYMBOL:MOD:ALPHABET, such as count:1:3, "
            f"but this is count:{body}."
        )
    symbol, modulus = match.group(1), int(match.group(2))
    symbols = _characters(_one_alphabet(match.group(3), alphabet))
    language = count(symbol, modulus, symbols or ())
    own_alphabet = next((known for known in ("01", "ab") if symbol in known), "")
    tail = (
        "" if language.alphabet == tuple(own_alphabet) else ":" + format_alphabet(language.alphabet)
    )
    return replace(language, spec=f"count:{symbol}:{modulus}{tail}")


def _py(body: str, option: str | None, alphabet: str | None) -> Language:
    reversed_order = r"alphabet=(?P<alphabet>\S.*),states=(?P<states>\d{1,9})"
    usual_order = r"(?:states=(?P<states>\d{1,9}))?(?:(?:^|,)alphabet=(?P<alphabet>\S.*))?"
    known = re.fullmatch(reversed_order, option or "") or re.fullmatch(usual_order, option or "")
    if known is None or option == "":
        raise LanguageError(
            f"py has the options states and alphabet, as in py[states=8,alphabet=01]:{body}, but "
            f"this is [{option}]. Write both."
        )
    symbols = _one_alphabet(known["alphabet"], alphabet)
    if known["states"] is None or symbols is None:
        raise LanguageError(
            f"a function needs the most states that its automaton can have, and an alphabet. Write "
            f"py[states={known['states'] or 8},alphabet={format_alphabet(symbols or '01')}]:{body}"
            f", with your own."
        )
    _format_alphabet(symbols)
    form = "py:package.module:function"
    if not re.fullmatch(r"[^:]+:[^:]+", body) or re.search(r"[()<>]|^__main__:", body):
        raise LanguageError(
            f"the language of a function is {form}, but py:{body} names none that can be imported. "
            f"Put it into a module of its own."
        )
    function = import_attribute(body, kind="function", form=form, error=LanguageError)
    if not callable(function):
        raise LanguageError(
            f"py:{body} is {short(function)} ({type(function).__name__}), but a function from "
            f"words to classes is needed. Name one."
        )
    from lengthwise.languages.function_learning import from_function  # noqa: PLC0415  of this kind alone

    bound = int(known["states"])
    language = from_function(function, symbols, max_states=bound)
    return replace(language, spec=_of_py(body, language, bound))


def of_function(
    function: Callable[[str], Any], alphabet: str | None, max_states: int | None
) -> Language:
    """Return the language of a function on words, with a specification that names the function.

    The specification builds the language again where the function can be imported by it.

    Raises:
        LanguageError: `alphabet` or `max_states` is missing; or see `from_function`.
    """
    if not isinstance(alphabet, str) or max_states is None:
        raise LanguageError(
            "a function needs alphabet='01' and max_states=8, the most states that its automaton "
            "can have. Give both."
        )
    symbols = split_alphabet(alphabet)
    from lengthwise.languages.function_learning import from_function  # noqa: PLC0415  of this kind alone

    language = from_function(function, symbols, max_states=max_states)
    subject = function if hasattr(function, "__qualname__") else type(function)
    path = f"{subject.__module__}:{subject.__qualname__}{'' if subject is function else '()'}"
    can_be_written = "]:" not in format_alphabet(symbols)
    return replace(language, spec=_of_py(path, language, max_states) if can_be_written else "")


def _of_py(path: str, language: Language, max_states: int) -> str:
    return f"py[states={max_states},alphabet={_format_alphabet(language.alphabet)}]:{path}"


def _format_alphabet(symbols: Sequence[str]) -> str:
    """Return an alphabet as a line holds it, which `split_alphabet` splits again."""
    alphabet = format_alphabet(symbols)
    if "]:" in alphabet:
        raise LanguageError(
            f"the alphabet {alphabet!r} has ']' before ':', which a line cannot hold. Swap the two."
        )
    return alphabet


def _characters(alphabet: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """Return an alphabet, each of whose symbols has one character."""
    if several := [symbol for symbol in alphabet or () if len(symbol) > 1]:
        raise LanguageError(
            f"symbols of expressions and counters have one character, but the alphabet has "
            f"{several[0]!r}. Write a character for each, or ltl:FORMULA, att:FILE or a function, "
            f"whose symbols can be longer."
        )
    return alphabet


def _options(kind: str, body: str, known: Sequence[str]) -> tuple[str, dict[str, int]]:
    """Return the name in front of a body, and the integers that follow it by their names."""
    name, *settings = body.split(",")
    values: dict[str, int] = {}
    for setting in settings:
        key, _, value = setting.partition("=")
        if key not in known:
            raise unknown_name(f"{kind} option", key, known, LanguageError)
        if not re.fullmatch(r"\d{1,9}", value, re.ASCII):
            raise LanguageError(f"{kind} option {key} is an integer, but it is {value!r}.")
        if key in values:
            raise LanguageError(
                f"{kind} options differ, but {key} appears twice in {kind}:{body}. Remove one."
            )
        values[key] = int(value)
    return name, values


def _one_alphabet(
    stated_alphabet: str | None, given_alphabet: str | None
) -> tuple[str, ...] | None:
    """Return the alphabet, stated in the specification or given beside it; both must agree."""
    symbols, given_symbols = (
        None if text is None else split_alphabet(text) for text in (stated_alphabet, given_alphabet)
    )
    if None not in (symbols, given_symbols) and symbols != given_symbols:
        raise LanguageError(
            f"one alphabet is enough, but the language states {stated_alphabet!r} and "
            f"{given_alphabet!r} was given. Leave one out."
        )
    return given_symbols if symbols is None else symbols


KINDS: dict[str, Kind] = {
    "regex": _regex,
    "att": _att,
    "ltl": _ltl,
    "ltlf": _ltlf,
    "group": _group,
    "subregular": _subregular,
    "count": _count,
    "py": _py,
}
