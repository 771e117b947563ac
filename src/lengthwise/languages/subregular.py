r"""Random languages of the sixteen classes of MLRegTest, each checked by the deciders.

The classes are those of van der Poel et al. (2024), *MLRegTest: a benchmark for the machine
learning of regular languages*; the generators are our own. A language says something of its words
by literals, and combines them:

    literal                                   none may hold   and its         any Boolean
                                                              complement      combination
    a window of k symbols occurs, ends too    SL              coSL            LT
    it occurs at least t times                                                LTT
    a subsequence of k symbols occurs         SP              coSP            PT
    two windows occur, one after the other                                    PLT

A T in front (TSL, TcoSL, TLT, TLTT, TPLT) reads only the symbols of a *tier* and skips all others.
SF are the other star-free languages, Zp count symbols modulo a prime, and Reg are the others.

A drawn language is kept if the deciders (`languages.ladder`) find it in its class, and outside
the smaller ones that the class is meant to go beyond; otherwise the next one is drawn.
"""

import random
import string
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce

from lengthwise.errors import LanguageError, unknown_name
from lengthwise.languages.builders import from_step_function
from lengthwise.languages.ladder import answer
from lengthwise.languages.language import Language
from lengthwise.languages.verdicts import LadderSubject

MOST_DRAWS = 300
"""Number of languages that are drawn for one seed before it is given up."""

MOST_STATES = 60
"""Largest number of states of a drawn language."""

ALPHABETS = range(3, 65)
"""Sizes of the alphabet that can be asked for; a tier takes two symbols, and leaves one out."""

SYMBOLS = string.ascii_letters + string.digits + "@_"
"""The symbols, as many of the first as are asked for."""

MOST_KINDS = 8
"""Number of symbols of a table that may act differently; others act like one of these, since the
maps of many symbols would make a monoid that is too large for the deciders."""

_MARK = "#"
_PRIMES = (2, 3, 5)

Draw = Callable[[random.Random, str], Language]


# ---- literals ---------------------------------------------------------------------------------


def _window(generator: random.Random, symbols: str, *, ends: bool = True) -> str:
    """Draw two or three symbols; a mark is before the first symbol or after the last one."""
    window = "".join(generator.choice(symbols) for _ in range(generator.choice([2, 2, 3])))
    if ends and generator.random() < 0.2:
        window = _MARK + window[1:] if generator.random() < 0.5 else window[:-1] + _MARK
    return window


def _occurs(windows: Sequence[str], symbols: str, times: int = 1) -> Language:
    """Return the words in which windows occur, one after the other without overlap; one window
    alone occurs `times` times, with overlap.
    """
    longest = max(map(len, windows)) - 1

    def step(value: tuple[int, str], symbol: str) -> tuple[int, str]:
        count, recent = value
        recent += symbol
        if count < (times if len(windows) == 1 else len(windows)):
            window = windows[0] if len(windows) == 1 else windows[count]
            if recent.endswith(window):
                count += 1
                recent = recent if len(windows) == 1 else ""
        return count, recent[-longest:] if longest else ""

    num_needed = times if len(windows) == 1 else len(windows)
    return from_step_function(
        symbols,
        step((0, ""), _MARK),
        step,
        lambda value: int(step(value, _MARK)[0] >= num_needed),
        class_names=("0", "1"),
    )


def _subsequence(piece: str, symbols: str) -> Language:
    return from_step_function(
        symbols,
        0,
        lambda length, symbol: length + (length < len(piece) and symbol == piece[length]),
        lambda length: int(length == len(piece)),
        class_names=("0", "1"),
    )


def _local(generator: random.Random, symbols: str) -> Language:
    return _occurs([_window(generator, symbols)], symbols)


def _often(generator: random.Random, symbols: str) -> Language:
    window = _window(generator, symbols, ends=False)
    return _occurs([window], symbols, generator.choice([1, 2, 2, 3]))


def _piece(generator: random.Random, symbols: str) -> Language:
    size = generator.choice([2, 2, 3])
    return _subsequence("".join(generator.choice(symbols) for _ in range(size)), symbols)


def _pieces(generator: random.Random, symbols: str) -> Language:
    return _occurs([_window(generator, symbols, ends=False) for _ in range(2)], symbols)


# ---- combinations -----------------------------------------------------------------------------


def _none_of(literal: Draw) -> Draw:
    """Draw languages in which none of one to three literals holds."""

    def draw(generator: random.Random, symbols: str) -> Language:
        literals = [literal(generator, symbols) for _ in range(generator.randint(1, 3))]
        return ~reduce(lambda a, b: a | b, literals)

    return draw


def _complement(drawer: Draw) -> Draw:
    return lambda generator, symbols: ~drawer(generator, symbols)


def _combination(literal: Draw) -> Draw:
    """Draw Boolean combinations of two or three literals."""

    def draw(generator: random.Random, symbols: str) -> Language:
        language = literal(generator, symbols)
        for _ in range(generator.randint(1, 2)):
            other = literal(generator, symbols)
            language = generator.choice(
                [language & other, language | other, language ^ other, language - other]
            )
        return language

    return draw


def _with_tier(drawer: Draw) -> Draw:
    """Draw a language over some of the symbols; the others are skipped."""

    def draw(generator: random.Random, symbols: str) -> Language:
        size = generator.randint(min(2, len(symbols) - 1), len(symbols) - 1)
        tier = "".join(sorted(generator.sample(symbols, size)))
        small = drawer(generator, tier)
        return replace(
            small,
            alphabet=tuple(symbols),
            transitions=tuple(
                tuple(row[tier.index(s)] if s in tier else state for s in symbols)
                for state, row in enumerate(small.transitions)
            ),
        ).minimise()

    return draw


def _draw_count(generator: random.Random, symbols: str) -> Language:
    prime = generator.choice(_PRIMES)
    weights = {symbol: generator.randrange(prime) for symbol in symbols}
    residues = set(generator.sample(range(prime), generator.randint(1, prime - 1)))
    return from_step_function(
        symbols,
        0,
        lambda total, symbol: (total + weights[symbol]) % prime,
        lambda total: int(total in residues),
        class_names=("0", "1"),
    )


def _table(generator: random.Random, symbols: str) -> Language:
    """Draw a table of states that are mostly next to each other."""
    size = generator.randint(4, 7)
    rows = [
        [min(max(s + generator.randint(-1, 1), 0), size - 1) for _ in symbols[:MOST_KINDS]]
        for s in range(size)
    ]
    classes = tuple(generator.randint(0, 1) for _ in range(size))
    kinds = [*range(MOST_KINDS)][: len(symbols)]
    kinds += generator.choices(range(MOST_KINDS), k=len(symbols) - len(kinds))
    return Language(
        alphabet=tuple(symbols),
        transitions=tuple(tuple(row[kind] for kind in kinds) for row in rows),
        classes=classes,
    ).minimise()


def _draw_mixture(generator: random.Random, symbols: str) -> Language:
    """Draw a count and a local condition, combined."""
    count, other = _draw_count(generator, symbols), _local(generator, symbols)
    return generator.choice([count & other, count | other, count - other])


# ---- the classes ------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, slots=True)
class SubregularClass:
    """A class of languages: how one is drawn, and which questions of the ladder it answers with yes
    and with no.
    """

    draw: Draw
    yes: tuple[str, ...] = ()
    no: tuple[str, ...] = ()


_SL, _SP = _none_of(_local), _none_of(_piece)
_LT, _LTT, _PLT = _combination(_local), _combination(_often), _combination(_pieces)

CLASSES: Mapping[str, SubregularClass] = {
    "SL": SubregularClass(draw=_SL, yes=("strictly_local",), no=("co_strictly_local",)),
    "coSL": SubregularClass(
        draw=_complement(_SL), yes=("co_strictly_local",), no=("strictly_local",)
    ),
    "TSL": SubregularClass(
        draw=_with_tier(_SL), yes=("tier_strictly_local",), no=("strictly_local",)
    ),
    "TcoSL": SubregularClass(
        draw=_with_tier(_complement(_SL)),
        yes=("tier_co_strictly_local",),
        no=("co_strictly_local",),
    ),
    "SP": SubregularClass(draw=_SP, yes=("strictly_piecewise",), no=("co_strictly_piecewise",)),
    "coSP": SubregularClass(
        draw=_complement(_SP), yes=("co_strictly_piecewise",), no=("strictly_piecewise",)
    ),
    "LT": SubregularClass(
        draw=_LT, yes=("locally_testable",), no=("strictly_local", "co_strictly_local")
    ),
    "TLT": SubregularClass(
        draw=_with_tier(_LT),
        yes=("tier_locally_testable",),
        no=("locally_testable", "tier_strictly_local", "tier_co_strictly_local"),
    ),
    "PT": SubregularClass(
        draw=_combination(_piece),
        yes=("piecewise_testable",),
        no=("strictly_piecewise", "co_strictly_piecewise"),
    ),
    "LTT": SubregularClass(draw=_LTT, yes=("threshold_testable",), no=("locally_testable",)),
    "TLTT": SubregularClass(
        draw=_with_tier(_LTT),
        yes=("tier_threshold_testable",),
        no=("threshold_testable", "tier_locally_testable"),
    ),
    "PLT": SubregularClass(
        draw=_PLT,
        yes=("dot_depth_one",),
        no=("threshold_testable", "piecewise_testable"),
    ),
    "TPLT": SubregularClass(
        draw=_with_tier(_PLT),
        yes=("tier_dot_depth_one",),
        no=("dot_depth_one", "tier_threshold_testable"),
    ),
    "SF": SubregularClass(draw=_table, yes=("star_free",), no=("tier_dot_depth_one",)),
    "Zp": SubregularClass(draw=_draw_count, yes=("group",), no=("star_free",)),
    "Reg": SubregularClass(draw=_draw_mixture, no=("star_free", "group")),
}
"""The sixteen classes by their names in MLRegTest."""


def _with_distinct_symbols(language: Language) -> Language:
    """Return a language over one of each set of symbols that lead every state to the same state.

    It is of the same classes: each of them is closed under inverse images of morphisms that keep
    the length, and such morphisms lead from either alphabet to the other.
    """
    distinct = LadderSubject(language).distinct
    return replace(
        language,
        alphabet=tuple(language.alphabet[symbol] for symbol in distinct),
        transitions=tuple(
            tuple(row[symbol] for symbol in distinct) for row in language.transitions
        ),
        spec="",
    )


def subregular(name: str, *, seed: int = 0, symbols: int = 4) -> Language:
    """Draw a language of a class of MLRegTest over `a`, `b`, ... with a seed (`SYMBOLS`).

    >>> language = subregular("SP", seed=1, symbols=3)
    >>> language.spec, language.ladder()["strictly_piecewise"].holds
    ('subregular:SP,seed=1,symbols=3', True)

    Raises:
        LanguageError: there is no such class, the number of symbols is out of range, or none of
            `MOST_DRAWS` languages is of the class.
    """
    if name not in CLASSES:
        raise unknown_name("subregular class", name, CLASSES, LanguageError)
    if symbols not in ALPHABETS:
        raise LanguageError(
            f"a subregular language has {ALPHABETS[0]} to {ALPHABETS[-1]} symbols, but symbols="
            f"{symbols}. Take another number."
        )
    drawn_class, generator = CLASSES[name], random.Random(seed)
    for _ in range(MOST_DRAWS):
        language = drawn_class.draw(generator, SYMBOLS[:symbols]).minimise()
        subject = LadderSubject(_with_distinct_symbols(language))
        if (
            1 < language.num_states <= MOST_STATES
            and all(answer(subject, question).holds is True for question in drawn_class.yes)
            and all(answer(subject, question).holds is False for question in drawn_class.no)
        ):
            return replace(language, spec=f"subregular:{name},seed={seed},symbols={symbols}")
    raise LanguageError(
        f"{MOST_DRAWS} languages were drawn, and none is of the class {name} over {symbols} "
        f"symbols. Take another seed."
    )
