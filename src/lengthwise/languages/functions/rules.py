"""Rewriting rules: `a -> b / c _ d` rewrites a as b between c and d, everywhere at once.

A rule has one symbol on each side, or two sets of one size, `[ab] -> [xy]`, which rewrite a as x
and b as y; `[ab] -> x` rewrites both as x. Contexts are regular expressions (`regex:`), and `#` at
the outer end of one is the end of the word. Both contexts are those of the input, and all places
are rewritten at once: the rule of Chomsky and Halle (1968) applied simultaneously, and the
`a -> b || c _ d` of XFST and foma, for one symbol. Rules that apply from left to right, where one
rewriting makes the context of the next, are others; `f | g` is one rule after the other.
"""

import re

from lengthwise.errors import LanguageError
from lengthwise.languages.functions.function import Function
from lengthwise.languages.language import Language
from lengthwise.languages.minimise import Table
from lengthwise.languages.operations import reverse
from lengthwise.languages.regex import Expression

_FORM = "a -> b / c _ d"


def rewriting(rule: str, alphabet: tuple[str, ...] | None = None) -> Function:
    """Return the function of a rule; its symbols are those of the rule, unless they are given.

    >>> rewriting("a -> b / c _ d")("cadcaacad")
    'cbdcaacbd'
    >>> rewriting("s -> z / [ae] _ (#|[ae])", tuple("aesz"))("assasea")
    Traceback (most recent call last):
    ...
    lengthwise.errors.LanguageError: # is the end of a word, at the outer end of a context, but \
'(#|[ae])' has it elsewhere. Write a rule for each.

    Raises:
        LanguageError: it is not a rule, or may be read in two ways.
    """
    sides, slash, contexts = rule.partition("/")
    parts = sides.split("->")
    halves = contexts.split("_") if slash else ["", ""]
    if len(parts) != 2 or len(halves) != 2:
        raise LanguageError(
            f"a rule is {_FORM}, with one arrow, and one _ after the slash, but it is "
            f"{rule!r:.60}. Write one rule; f | g applies g after f."
        )
    sources, results = (_symbols(part.strip(), rule) for part in parts)
    if len(results) == 1:
        results = results * len(sources)
    if len(sources) != len(results):
        raise LanguageError(
            f"a rule is ambiguous unless each symbol has one result, but {rule!r:.60} has "
            f"{len(sources)} symbols and {len(results)} results. Give as many, or one."
        )
    before, after = (half.strip() for half in halves)
    bodies = [before.removeprefix("#").strip(), after.removesuffix("#").strip()]
    for body in bodies:
        if "#" in body:
            raise LanguageError(
                f"# is the end of a word, at the outer end of a context, but {body!r:.60} has it "
                f"elsewhere. Write a rule for each."
            )
    used = {*sources, *results}
    used.update(*(Expression(body).symbols for body in bodies if body))
    symbols = tuple(sorted(used)) if alphabet is None else alphabet
    if missing := sorted(used - {*symbols}):
        raise LanguageError(
            f"a rule rewrites symbols of its alphabet, but that lacks {missing[0]!r}. Add it."
        )
    to_here = _context(bodies[0], symbols, bound=before.startswith("#"), is_left=True)
    from_here = reverse(_context(bodies[1], symbols, bound=after.endswith("#"), is_left=False))
    rewrite = {symbols.index(a): symbols.index(b) for a, b in zip(sources, results, strict=True)}
    return Function(
        alphabet=symbols,
        outputs=symbols,
        left=_from_zero(to_here),
        right=_from_zero(from_here),
        table=tuple(
            tuple(
                tuple(rewrite.get(x, x) if left and right else x for right in from_here.classes)
                for x in range(len(symbols))
            )
            for left in to_here.classes
        ),
    )


def _symbols(side: str, rule: str) -> list[str]:
    """Return the symbol of a side of a rule, or those of its set."""
    listed = side[1:-1] if re.fullmatch(r"\[[^\[\]\s]+\]", side) else side
    if len(side) != 1 and listed == side:
        raise LanguageError(
            f"a rule keeps lengths, so its sides are a symbol or a set such as [ab], but "
            f"{rule!r:.60} has {side!r:.30}. Write a rule for each symbol; f | g joins them."
        )
    if len({*listed}) < len(listed) and side == rule.split("->", maxsplit=1)[0].strip():
        raise LanguageError(
            f"a rule is ambiguous where a symbol has two results, but {side!r:.30} has a symbol "
            f"twice. Write it once."
        )
    return [*listed]


def _context(body: str, symbols: tuple[str, ...], *, bound: bool, is_left: bool) -> Language:
    """Return the words that may be before a place, or after it."""
    inner = f"({body})" if body else ""
    rest = "" if bound else ".*"
    expression = f"{rest}{inner}" if is_left else f"{inner}{rest}"
    return Expression(expression or "()").language(symbols).total().minimise()


def _from_zero(language: Language) -> Table:
    """Return the transitions of a minimal automaton, which starts in state 0."""
    assert language.start == 0
    return language.transitions
