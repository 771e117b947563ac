"""Functions in one line: `add[base=10]`, `prefixes:SPEC`, `rule:a -> b / c _ d`, `gray | gray`.

Each function stores its specification in a canonical form, from which the same function is built.
"""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from functools import reduce

from lengthwise.errors import LanguageError, unknown_name
from lengthwise.languages.characters import format_alphabet, split_alphabet
from lengthwise.languages.functions.function import Function
from lengthwise.languages.language import Language
from lengthwise.registry import import_attribute

MOST_COMPOSED = 20
"""Largest number of functions in a composition."""

_ARITHMETIC = ("add", "subtract", "compare", "increment", "gray")
_WITH_NUMBER = ("times", "divide")

_PARTS = re.compile(
    rf"(?P<kind>prefixes|mealy|rule|function|bimachine)(?:\[(?P<option>.*?)\])?:(?P<body>.*)"
    rf"|(?P<name>{'|'.join(_ARITHMETIC)})(?:\[(?P<options>[^\]]*)\])?"
    rf"|(?P<with>{'|'.join(_WITH_NUMBER)}):(?P<number>[^\[\s]*)(?:\[(?P<more>[^\]]*)\])?",
    re.DOTALL,
)

FORMS = {
    "prefixes:SPEC": "the class of a language after every symbol",
    "add[base=10,first=low]": "the sum of two numbers; also subtract, compare",
    "times:K[base=10,first=low]": "a number times K; divide:K, increment; gray of a binary number",
    "rule[ALPHABET]:a -> b / c _ d": "a becomes b between c and d, everywhere at once",
    "mealy:FILE": "a letter-to-letter transducer in AT&T's format",
    "function[states=8,alphabet=01]:MODULE:FUNCTION": "a Python function from words to words",
    "bimachine:JSON": "two automata and a table, as in a certificate",
    "F | G": "F, then G",
}
"""Forms of the specifications, with what they mean."""


def composed_parts(spec: str) -> list[str]:
    """Return the specifications of the functions that a line composes; none if it names none.

    >>> composed_parts("gray | rule:a -> b"), composed_parts("prefixes:regex:a|b")
    (['gray', 'rule:a -> b'], ['prefixes:regex:a|b'])
    """
    parts: list[str] = []
    for piece in spec.split(" | "):
        if _PARTS.fullmatch(piece.strip()):
            parts.append(piece.strip())
        elif parts:
            parts[-1] += f" | {piece}"
        else:
            return []
    return [] if any(_PARTS.fullmatch(part) is None for part in parts) else parts


def parse_function(
    spec: str, parse: Callable[[str, str | None], Language], alphabet: str | None = None
) -> Function:
    """Build the function of a specification; `parse` builds languages, with their alphabet.

    Raises:
        LanguageError: the line does not describe a function.
    """
    parts = composed_parts(spec)
    if not parts:
        raise unknown_name("function", spec, [form.split("[")[0] for form in FORMS], LanguageError)
    if len(parts) > MOST_COMPOSED:
        raise LanguageError(
            f"at most {MOST_COMPOSED} functions are composed, but {spec:.40} has {len(parts)}."
        )
    made = [_parse_one(part, parse, alphabet) for part in parts]
    return reduce(lambda first, second: first | second, made)


def _parse_one(
    spec: str, parse: Callable[[str, str | None], Language], alphabet: str | None
) -> Function:
    match = _PARTS.fullmatch(spec)
    assert match is not None
    if match["kind"] is None:
        return _arithmetic(match)
    body, option = match["body"], match["option"]
    if match["kind"] in ("prefixes", "mealy", "bimachine") and option is not None:
        raise LanguageError(f"{match['kind']} has no options, but this is [{option}]. Remove it.")
    if match["kind"] == "prefixes":
        return prefixes(parse(body, alphabet))
    if match["kind"] == "bimachine":
        return _from_line(body)
    if match["kind"] == "mealy":
        from lengthwise.languages.functions.transducers import from_transducer  # noqa: PLC0415

        return replace(from_transducer(body), spec=f"mealy:{body}")
    if match["kind"] == "rule":
        from lengthwise.languages.functions.rules import rewriting  # noqa: PLC0415

        text = alphabet if option is None else option
        made = rewriting(body, None if text is None else split_alphabet(text))
        is_own = text is None or rewriting(body).alphabet == made.alphabet
        head = "rule" if is_own else f"rule[{format_alphabet(made.alphabet)}]"
        return replace(made, spec=f"{head}:{' '.join(body.split())}")
    return _python_function(body, option)


def _from_line(body: str) -> Function:
    """Return the function of a `Function.line`; it has no other name."""
    try:
        values = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise LanguageError(
            f"bimachine:JSON is Function.line, but {body!r:.40} is not JSON ({error!s:.60}). Copy "
            f"the whole line."
        ) from None
    if isinstance(values, dict) and {*values} == {"alphabet", "outputs", "left", "right", "table"}:
        return Function.from_dict({"spec": "", **values})
    raise LanguageError(
        f"bimachine:JSON is Function.line, with two automata and a table alone, but this is "
        f"{body!r:.40}. Copy the whole line."
    )


def prefixes(language: Language) -> Function:
    """Return the function whose output is the class of a language after every symbol.

    >>> from lengthwise.languages.spec import parse
    >>> prefixes(parse("parity"))("1101")
    '1001'
    """
    machine = language.total().minimise()
    for name in machine.class_names:
        if name.split() != [name]:
            raise LanguageError(f"an output symbol has no spaces, but a class is {name!r:.40}.")
    return Function(
        alphabet=machine.alphabet,
        outputs=machine.class_names,
        left=machine.transitions,
        right=((0,) * machine.num_symbols,),
        table=tuple(tuple((machine.classes[t],) for t in row) for row in machine.transitions),
        spec=f"prefixes:{language.spec}" if language.spec else "",
    )


def _arithmetic(match: re.Match[str]) -> Function:
    from lengthwise.languages.functions.arithmetic import arithmetic_function  # noqa: PLC0415  of these

    name = match["name"] or match["with"]
    options = match["options"] if match["name"] else match["more"]
    known = ["first"] if name == "gray" else ["base", "first"]
    values: dict[str, str] = {}
    for setting in (options or "").split(",") if options is not None else []:
        key, _, value = setting.strip().partition("=")
        if key not in known:
            raise unknown_name(f"{name} option", key, known, LanguageError)
        if key in values:
            raise LanguageError(f"{name} has {key} twice in [{options}]. Remove one.")
        values[key] = value
    base = _number(f"the base of {name}", values.get("base", "10"))
    usual = "high" if name in ("gray", "divide") else "low"
    first = values.get("first", usual)
    if first not in ("low", "high"):
        raise LanguageError(f"first is low or high, but it is {first!r:.20}. Choose one.")
    number = None if match["with"] is None else _number(f"the number of {name}", match["number"])
    stated = [] if name == "gray" else [f"base={base}"]
    if first != usual:
        stated.append(f"first={first}")
    head = name if number is None else f"{name}:{number}"
    spec = f"{head}[{','.join(stated)}]" if stated else head
    return replace(arithmetic_function(name, number, base, first), spec=spec)


def _number(subject: str, text: str) -> int:
    if not re.fullmatch(r"\d{1,9}", text, re.ASCII):
        raise LanguageError(f"{subject} is an integer, but it is {text!r:.20}. Write 10, say.")
    return int(text)


def _python_function(body: str, option: str | None) -> Function:
    from lengthwise.languages.functions.learning import learn_function  # noqa: PLC0415  of this

    form = "function[states=8,alphabet=01]:package.module:function"
    known = re.fullmatch(r"states=(\d{1,9}),alphabet=(\S.*)", option or "")
    if known is None or not re.fullmatch(r"[^:]+:[^:]+", body):
        raise LanguageError(
            f"a Python function is {form}, but this is [{option}]:{body:.40}. Write it so."
        )
    function = import_attribute(body, kind="function", form=form, error=LanguageError)
    if not callable(function):
        raise LanguageError(f"{body} is not a function from words to words. Name one.")
    alphabet = split_alphabet(known[2])
    made = learn_function(function, alphabet, max_states=int(known[1]))
    spec = f"function[states={known[1]},alphabet={format_alphabet(alphabet)}]:{body}"
    return replace(made, spec=spec)


def function_may_change(spec: str) -> bool:
    """Return whether a line composes a function of a file or a module, whose content may change."""
    return any(part.startswith(("mealy:", "function[")) for part in composed_parts(spec))


def inner_languages(spec: str) -> list[str]:
    """Return the specifications of the languages in a line of functions."""
    return [
        part.removeprefix("prefixes:")
        for part in composed_parts(spec)
        if part.startswith("prefixes:")
    ]
