"""Named languages and families of languages, each with a definition in a sentence and its source.

`tests/languages/test_named_languages.py` defines each of them independently. To add a language, add
its entry here and its second definition there.

Counters, stacks of bounded depth and sums are given by a step function (`from_step_function`), all
other languages by a regular expression.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from lengthwise.errors import LanguageError
from lengthwise.languages.builders import from_step_function
from lengthwise.languages.characters import format_alphabet
from lengthwise.languages.language import Language
from lengthwise.registry import Catalogue

CHI = "Chi et al. (2023), section 5.1"
BHATTAMISHRA = "Bhattamishra et al. (2020), section 4"
TOMITA = "Tomita (1982), as defined by Bhattamishra et al. (2020)"

MAX_PARAMETER = 10_000
"""Largest N of d-N and largest modulus of a counter."""

TABLE_1 = (
    *("even-pairs", "modular-arithmetic", "parity", "cycle-navigation"),
    *("d-2", "d-3", "d-4", "d-12", "tomita-3", "tomita-4", "tomita-5", "tomita-6"),
)
"""The languages of Table 1 of Chi et al. (2023)."""

_BITS = ("0", "1")


@dataclass(frozen=True, kw_only=True, slots=True)
class NamedLanguage:
    """A named language."""

    definition: str
    """Definition in a sentence, with the meaning of the classes."""
    source: str
    build: Callable[[], Language]
    examples: tuple[tuple[str, str], ...]
    """Example words, each with the name of its class."""


def count(symbol: str, modulus: int, alphabet: Sequence[str] = ()) -> Language:
    """Count `symbol` modulo `modulus`; the default alphabet is 01 for 0 and 1, ab for a and b.

    >>> count("a", 3).classify("abaaa")
    1

    Raises:
        LanguageError: the symbol is none, is not in the alphabet, or the modulus is out of range.
    """
    if not alphabet:
        alphabet = next((known for known in ("01", "ab") if symbol and symbol in known), "")
    if len(symbol) != 1 or symbol not in alphabet:
        known = (
            f"in {format_alphabet(alphabet)!r}"
            if alphabet
            else "0, 1, a or b, which need no alphabet"
        )
        raise LanguageError(
            f"a counter counts one symbol of its alphabet, but {symbol!r} is not {known}. "
            f"Write count:SYMBOL:MOD:ALPHABET, such as count:b:3:abc."
        )
    if not 2 <= modulus <= MAX_PARAMETER:
        raise LanguageError(
            f"a counter counts modulo 2 to {MAX_PARAMETER}, but the modulus is {modulus}."
        )
    return from_step_function(
        alphabet,
        0,
        lambda number, read: (number + (read == symbol)) % modulus,
        lambda number: number,
        class_names=tuple(map(str, range(modulus))),
    )


def dyck(depth: int) -> Language:
    """Build D_n: balanced words of one kind of bracket (0 opens, 1 closes), nested at most n deep.

    D_1 = (01)*, D_n = (0 D_{n-1} 1)*.

    >>> language = dyck(2)
    >>> "0011" in language, "0101" in language, "000111" in language, "10" in language
    (True, True, False, False)

    Raises:
        LanguageError: the depth is out of range.
    """
    if not 1 <= depth <= MAX_PARAMETER:
        raise LanguageError(f"d-N has a depth of 1 to {MAX_PARAMETER}, but N is {depth}.")

    def step(height: int, symbol: str) -> int:
        after = height + (1 if symbol == "0" else -1)
        return after if height >= 0 and 0 <= after <= depth else -1

    return from_step_function("01", 0, step, lambda height: int(height == 0))


DIGITS = "01234"
_ARITHMETIC = (*DIGITS, "+", "-", "*")
_MOD_5 = tuple(DIGITS)


def arithmetic(evaluate: Callable[[int, int, str, int], tuple[int, int]]) -> Language:
    """Build the language of expressions mod 5 from a rule that evaluates one operator and digit.

    A value is (sum of finished terms, last term, pending operator or none); `evaluate` returns the
    new sum and last term. The domain has operators and digits in turn, with a leading `+`; the
    classes of other words do not matter.
    """
    from lengthwise.languages.regex import from_regex  # noqa: PLC0415  of few languages

    def step(value: tuple[int, int, str], symbol: str) -> tuple[int, int, str]:
        total, term, operator = value
        if symbol not in DIGITS:
            return total, term, symbol
        if not operator:
            return value
        total, term = evaluate(total, term, operator, int(symbol))
        return total % 5, term % 5, ""

    machine = from_step_function(
        _ARITHMETIC, (0, 0, ""), step, lambda value: (value[0] + value[1]) % 5, class_names=_MOD_5
    )
    domain = from_regex(r"\+[0-4]([-+*][0-4])*", _ARITHMETIC)
    return replace(machine, domain=domain).minimise()


def with_precedence(total: int, term: int, operator: str, digit: int) -> tuple[int, int]:
    """Evaluate one operator and digit of `arithmetic`, * before + and -."""
    if operator == "*":
        return total, term * digit
    return total + term, digit if operator == "+" else -digit


def _left_to_right(total: int, term: int, operator: str, digit: int) -> tuple[int, int]:
    del term  # the last term is never kept apart
    if operator == "*":
        return total * digit, 0
    return total + (digit if operator == "+" else -digit), 0


def _cycle() -> Language:
    moves = {"0": 0, "1": 1, "2": -1}
    return from_step_function(
        "012",
        0,
        lambda position, move: (position + moves[move]) % 5,
        lambda position: position,
        class_names=_MOD_5,
    )


def _tomita_5() -> Language:
    def step(odd: tuple[bool, bool], symbol: str) -> tuple[bool, bool]:
        zeros, ones = odd
        return zeros ^ (symbol == "0"), ones ^ (symbol == "1")

    return from_step_function(_BITS, (False, False), step, lambda odd: int(not any(odd)))


def _tomita_6() -> Language:
    return from_step_function(
        _BITS,
        0,
        lambda number, symbol: (number + (1 if symbol == "0" else -1)) % 3,
        lambda number: int(number == 0),
    )


def _regex(expression: str, alphabet: tuple[str, ...] = _BITS) -> Callable[[], Language]:
    def build() -> Language:
        from lengthwise.languages.regex import from_regex  # noqa: PLC0415  of few languages

        return from_regex(expression, alphabet)

    return build


def accepts(
    definition: str,
    source: str,
    build: str | Callable[[], Language],
    inside: tuple[str, ...],
    outside: tuple[str, ...],
) -> NamedLanguage:
    """Return a language with two classes, by an expression over 0 and 1 or a function."""
    return NamedLanguage(
        definition=f"class 1: {definition}",
        source=source,
        build=_regex(build) if isinstance(build, str) else build,
        examples=tuple((word, c) for words, c in ((inside, "1"), (outside, "0")) for word in words),
    )


CATALOGUE: Catalogue[NamedLanguage] = Catalogue(
    "language",
    {
        "parity": accepts(
            "an odd number of 1s", CHI, lambda: count("1", 2), ("1", "0111"), ("", "0110")
        ),
        "even-pairs": accepts(
            "an odd number of pairs 01 and 10, so first and last symbol differ",
            CHI,
            "0(0|1)*1|1(0|1)*0",
            ("01", "1010"),
            ("", "0110"),
        ),
        "cycle-navigation": NamedLanguage(
            definition="class: position on a cycle of 5 (symbols: 0 stay, 1 increase, 2 decrease)",
            source=CHI,
            build=_cycle,
            examples=(("010211", "2"), ("2", "4"), ("", "0"), ("11111", "0")),
        ),
        "modular-arithmetic": NamedLanguage(
            definition="class: value mod 5 of + d (op d)*, digits 0-4, with * before + and -",
            source=f"{CHI}; the leading + as in the authors' code",
            build=lambda: arithmetic(with_precedence),
            examples=(("+1+2-4", "4"), ("+2+3*4", "4"), ("+0", "0"), ("+1-1*3", "3")),
        ),
        "modular-arithmetic-left-to-right": NamedLanguage(
            definition="class: value mod 5 of + d (op d)*, digits 0-4, evaluated left to right",
            source="Deletang et al. (2023), without brackets and precedence",
            build=lambda: arithmetic(_left_to_right),
            examples=(("+1+2-4", "4"), ("+2+3*4", "0"), ("+0", "0"), ("+1-1*3", "0")),
        ),
        "first": accepts(
            "starts with 1", "Chiang & Cholak (2022), FIRST", "1(0|1)*", ("1", "100"), ("", "011")
        ),
        "tomita-1": accepts("1*", TOMITA, "1*", ("", "111"), ("0", "1101")),
        "tomita-2": accepts("(10)*", TOMITA, "(10)*", ("", "1010"), ("1", "0101")),
        "tomita-3": accepts(
            "no odd block of 1s directly before an odd block of 0s",
            TOMITA,
            "0*((11)+0*|1(11)*00(00)*)*(1(11)*)?",
            ("1100", "100110"),
            ("10", "0111000"),
        ),
        "tomita-4": accepts(
            "000 does not occur", TOMITA, "(1|01|001)*0{0,2}", ("", "00100"), ("000", "100001")
        ),
        "tomita-5": accepts(
            "an even number of 0s and an even number of 1s",
            TOMITA,
            _tomita_5,
            ("", "0101"),
            ("01", "001"),
        ),
        "tomita-6": accepts(
            "the numbers of 0s and of 1s are equal mod 3",
            TOMITA,
            _tomita_6,
            ("01", "000"),
            ("0", "011"),
        ),
        "tomita-7": accepts("0*1*0*1*", TOMITA, "0*1*0*1*", ("", "0101"), ("1010", "010101")),
        "aa-star": accepts(
            "(aa)*", BHATTAMISHRA, _regex("(aa)*", ("a",)), ("", "aa"), ("a", "aaa")
        ),
        "aaaa-star": accepts(
            "(aaaa)*", BHATTAMISHRA, _regex("(aaaa)*", ("a",)), ("", "aaaa"), ("aa", "aaa")
        ),
        "abab-star": accepts(
            "(abab)*", BHATTAMISHRA, _regex("(abab)*", ("a", "b")), ("", "abab"), ("ab", "baba")
        ),
    },
    group="lengthwise.languages",
    expected=NamedLanguage,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Family:
    """A parametrised family of languages, or a way to define one's own."""

    definition: str
    source: str
    example: str


FAMILIES: Catalogue[Family] = Catalogue(
    "family of languages",
    {
        "d-N": Family(
            definition="class 1: balanced, nested at most N deep (0 opens, 1 closes)",
            source=f"{BHATTAMISHRA}, as D_n",
            example="d-2",
        ),
        "count:SYMBOL:MOD[:ALPHABET]": Family(
            definition="class: number of SYMBOL, mod MOD", source="counters", example="count:1:3"
        ),
        "regex:EXPRESSION": Family(
            definition="class 1: words that match; regex[ALPHABET]:EXPRESSION for more symbols",
            source="yours",
            example="regex:(0|10*1)*",
        ),
        "ltl:FORMULA": Family(
            definition="class 1: words at whose last position a formula of past-time linear "
            "temporal logic holds; ltl[ALPHABET]:FORMULA for more symbols",
            source="yours; the operators are pylogics'",
            example="ltl:H (b -> Y a)",
        ),
        "ltlf:FORMULA": Family(
            definition="class 1: words at whose first position a formula of linear temporal logic "
            "on finite words holds; ltlf[ALPHABET]:FORMULA for more symbols, "
            "ltlf[propositions=p q]:FORMULA where symbols are sets of propositions",
            source="yours; De Giacomo and Vardi (2013)",
            example="ltlf:G (a -> F b)",
        ),
        "group:NAME[,generators=K,seed=S]": Family(
            definition="class: product of the elements read (S_n, A_n, Z_n, dihedral D_n, Q8, "
            "wreath products Z2wrS3, products S3xZ2)",
            source="word problems of finite groups, as in Barrington (1989)",
            example="group:S5",
        ),
        "group:CYCLES,CYCLES": Family(
            definition="class: product of the permutations read, which generate the group",
            source="yours; cycle notation as in GAP",
            example="group:(1 2 3)(4 5),(1 2)",
        ),
        "subregular:CLASS[,seed=S,symbols=K]": Family(
            definition="class 1: what a random language of a class of MLRegTest accepts (SL, coSL, "
            "TSL, TcoSL, SP, coSP, LT, TLT, PT, LTT, TLTT, PLT, TPLT, SF, Zp, Reg)",
            source="the classes of van der Poel et al. (2024), with generators of our own",
            example="subregular:TSL,seed=1",
        ),
        "att:FILE": Family(
            definition="class 1: accepted by the AT&T automaton; att[0=epsilon]:FILE if 0 is "
            "empty, att[alphabet=abc]:FILE for more symbols",
            source="yours; as OpenFst, foma and HFST write it",
            example="att:machine.att",
        ),
        "py[states=N,alphabet=ALPHABET]:MODULE:FUNCTION": Family(
            definition="class: what a Python function says of the word; N states must be enough "
            "for it",
            source="yours; the automaton is learned and tested",
            example="py[states=8,alphabet=01]:my_languages:accepts",
        ),
        "union:{SPEC}{SPEC}": Family(
            definition="class 1: words of one of them; likewise intersection:, concatenation:, "
            "and difference: (of the first, not of the second), over one alphabet",
            source="yours",
            example="union:{parity}{regex:(01)*}",
        ),
        "reverse:SPEC": Family(
            definition="class: that of the word read from its end; complement:SPEC for class 1 "
            "where it was 0",
            source="yours",
            example="reverse:tomita-4",
        ),
        "right-quotient:{SPEC}{SPEC}": Family(
            definition="class 1: what precedes a word of the second in one of the first; "
            "left-quotient: what follows it",
            source="yours",
            example="right-quotient:{tomita-4}{regex:(01)*}",
        ),
    },
)
