r"""Automata over bytes, of the strings that a language or an expression of `re` describes.

Idea. A token is a string of bytes, and need not begin or end with a character. So each symbol is
spelled in UTF-8, and the automaton reads its bytes. A symbol that is a set of characters, such as
`[^a]`, is spelled by a few sequences of ranges of bytes (Thompson's `utf8-ranges`). Symbols that
lead to the same states from all states are put together first. A state is a set of pairs: a state
of the language, and how much of a symbol was read; so symbols may begin alike, and a string may be
read in several ways.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from lengthwise.errors import LanguageError
from lengthwise.languages.alike_symbols import cells_of, ones
from lengthwise.languages.builders import from_step_function
from lengthwise.languages.characters import LONGER, short_symbols
from lengthwise.languages.language import Language
from lengthwise.languages.regex import Expression
from lengthwise.languages.spec import parse
from lengthwise.languages.validation import short

BYTES = tuple(f"{byte:02x}" for byte in range(256))
"""The symbols of an automaton over bytes."""

Run = tuple[tuple[int, int], ...]
"""A sequence of ranges of bytes: the first and last byte at each place."""

_ENCODED = ((0, 0x7F), (0x80, 0x7FF), (0x800, 0xD7FF), (0xE000, 0xFFFF), (0x10000, 0x10FFFF))
"""Ranges of code points whose UTF-8 has one length; surrogates have none."""

PIECE = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|.", re.DOTALL)
"""An escape, a class in brackets, or a single character of an expression."""

_UNICODE_SETS = re.compile(r"\\[dDwWsS]")
_FLAGS = {re.IGNORECASE: "re.IGNORECASE", re.VERBOSE: "re.VERBOSE", re.LOCALE: "re.LOCALE"}


@dataclass(frozen=True, slots=True)
class ByteAutomaton:
    """The strings that may be generated."""

    language: Language
    """A recogniser over `BYTES`, or over those that occur; the words with others are not in it."""
    needed: tuple[str, ...]
    """The strings that are symbols by themselves, which a vocabulary must be able to spell."""
    name: str
    """Its origin, such as an expression."""


def byte_automaton(
    language: Language | str | re.Pattern[str], spelling: Mapping[str, str] | None = None
) -> ByteAutomaton:
    """Return the automaton of the strings of a language, or of those that `re.fullmatch` accepts.

    Args:
        language: a language of two classes, its specification, or a compiled expression of `re`.
        spelling: the strings of symbols that are not written as they are, such as `{"_": " "}`.

    Raises:
        LanguageError: the language has more than two classes or no word, a spelling is not that of
            a symbol, or the expression has what no automaton has or what differs from `re`.
    """
    if isinstance(language, re.Pattern):
        if spelling:
            raise LanguageError("spelling is for languages; an expression of re has characters.")
        automaton = of_expression(as_ours(language), short_symbols(language.pattern))
    else:
        machine = parse(language) if isinstance(language, str) else language
        automaton = _of_language(machine, spelling or {})
    if 1 not in automaton.language.classes:
        raise LanguageError(f"{automaton.name} has no word, so nothing can be generated.")
    return automaton


def of_expression(expression: str, name: str) -> ByteAutomaton:
    """Return the automaton of an expression over all characters of Unicode, spaces included."""
    parsed = Expression(expression)
    classes = parsed.classes
    cells = {signature: ranges for signature, ranges in cells_of(classes).items() if signature}
    members: list[set[str]] = [set() for _ in classes]
    for number, signature in enumerate(cells):
        for at in ones(signature):
            members[at].add(f"cell{number}")
    alphabet = [f"cell{number}" for number in range(len(cells))] or ["cell"]
    machine = parsed.automaton(
        {key: frozenset(group) for key, group in zip(classes, members, strict=True)}, alphabet
    )
    runs = [
        (number, run)
        for number, ranges in enumerate(cells.values())
        for first, last in ranges
        for run in utf8_runs(first, last)
    ]
    needed = tuple(
        chr(first)
        for ranges in classes
        for first, last in ranges
        if len(ranges) == 1 and first == last < LONGER
    )
    return ByteAutomaton(_over_bytes(machine, runs), needed, name)


def _of_language(language: Language, spelling: Mapping[str, str]) -> ByteAutomaton:
    if not isinstance(language, Language):
        raise LanguageError(
            f"a language is a Language, its specification, or a compiled expression of re, but got "
            f"{short(language)}."
        )
    if language.class_names != ("0", "1"):
        raise LanguageError(
            f"the strings to generate are those of class 1 of two, but this language has "
            f"{language.num_classes}: {', '.join(language.class_names[:8])}."
        )
    for symbol, text in spelling.items():
        if symbol not in language.alphabet or not text:
            raise LanguageError(
                f"spelling gives each of some symbols a string, but {symbol!r:.40}: {text!r:.40} "
                f"is not that. The symbols are {' '.join(language.alphabet[:20])}."
            )
    machine = language.total()
    texts = [spelling.get(symbol, symbol) for symbol in language.alphabet]
    runs = [
        (number, tuple((byte, byte) for byte in text.encode())) for number, text in enumerate(texts)
    ]
    name = language.spec or "this language"
    return ByteAutomaton(_over_bytes(machine, runs), tuple(texts), name)


# ---- expressions of re -----------------------------------------------------------------------


def as_ours(pattern: re.Pattern[str]) -> str:
    """Return our expression for the strings that a pattern of `re` matches as a whole.

    Ours has no spaces outside classes, and reads `&` and `^` as operators.
    """
    if not isinstance(pattern.pattern, str):
        raise LanguageError("an expression of re is one of str, but got one of bytes.")
    written = pattern.pattern
    for flag, spoken in _FLAGS.items():
        if pattern.flags & flag:
            raise LanguageError(f"{spoken} is not supported. Write {short_symbols(written)} out.")
    pieces = []
    for match in PIECE.finditer(written):
        piece = match.group()
        if piece.startswith(("\\", "[")) and not pattern.flags & re.ASCII:
            _require_ascii_sets(piece, written)
        pieces.append(_rewrite(piece, match.start(), written, bool(pattern.flags & re.DOTALL)))
    return "".join(pieces)


def _rewrite(piece: str, at: int, written: str, dot_matches_all: bool) -> str:
    if piece == "." and not dot_matches_all:
        return r"[^\n]"
    if piece == "^" and at > 0:
        raise LanguageError(
            f"expression {short_symbols(written)}, column {at + 1}: '^' is an anchor, which may "
            f"only begin an expression. Remove it, or write '\\^' for the symbol."
        )
    is_space = piece.isspace() or (piece[0] == "\\" and (piece[1] in "tnrfv" or piece[1].isspace()))
    return f"[{piece}]" if is_space or piece == "&" else piece


def _require_ascii_sets(piece: str, written: str) -> None:
    if found := _UNICODE_SETS.search(piece.replace("\\\\", "")):
        raise LanguageError(
            f"expression {short_symbols(written)}: {found.group()} has characters of all scripts. "
            f"Compile it with re.ASCII, or write a class such as [0-9]."
        )


# ---- UTF-8 -----------------------------------------------------------------------------------


def utf8_runs(first: int, last: int) -> Iterator[Run]:
    """Yield sequences of ranges of bytes that spell all characters from one to another."""
    for least, most in _ENCODED:
        low, high = max(first, least), min(last, most)
        if low <= high:
            yield from _runs(chr(low).encode(), chr(high).encode())


def _runs(low: bytes, high: bytes) -> Iterator[Run]:
    if len(low) == 1:
        yield ((low[0], high[0]),)
        return
    begin, end = low[0], high[0]
    least, most = b"\x80" * (len(low) - 1), b"\xbf" * (len(low) - 1)
    if begin == end:
        yield from (((begin, begin), *run) for run in _runs(low[1:], high[1:]))
        return
    if low[1:] != least:
        yield from (((begin, begin), *run) for run in _runs(low[1:], most))
        begin += 1
    tail = list(_runs(least, high[1:])) if high[1:] != most else []
    end -= bool(tail)
    if begin <= end:
        yield ((begin, end), *((0x80, 0xBF) for _ in least))
    yield from (((high[0], high[0]), *run) for run in tail)


# ---- from symbols to bytes -------------------------------------------------------------------


def _over_bytes(machine: Language, runs: Sequence[tuple[int, Run]]) -> Language:
    """Return the recogniser over bytes of the words of class 1, their symbols spelled by runs."""
    columns: dict[tuple[int, ...], int] = {}
    column_of = [
        columns.setdefault(column, len(columns))
        for column in zip(*machine.transitions, strict=True)
    ]
    rows = list(columns)
    alive = machine.reaching(lambda c: c == 1)
    nodes = _spelling_nodes([(column_of[symbol], run) for symbol, run in runs])
    used = sorted({byte for node in nodes for byte in node})

    def step(value: frozenset[tuple[int, int]], byte: str) -> frozenset[tuple[int, int]]:
        after = set()
        for state, node in value:
            inner, done = nodes[node].get(int(byte, 16), (0, frozenset()))
            if inner:
                after.add((state, inner))
            after |= {(target, 0) for c in done if (target := rows[c][state]) in alive}
        return frozenset(after)

    accepting = {(s, 0) for s in alive if machine.classes[s] == 1}
    built = from_step_function(
        tuple(BYTES[byte] for byte in used),
        frozenset({(machine.start, 0)}),
        step,
        lambda value: int(not accepting.isdisjoint(value)),
        class_names=("0", "1"),
    )
    return replace(built, spec="")


_Items = frozenset[tuple[int, Run]]


def _spelling_nodes(
    items: Sequence[tuple[int, Run]],
) -> list[dict[int, tuple[int, frozenset[int]]]]:
    """Return the automaton that spells a symbol: for each node and byte, the next node (0 if there
    is none) and the symbols that are complete.
    """
    start: _Items = frozenset(items)
    index = {start: 0}
    nodes: list[dict[int, tuple[int, frozenset[int]]]] = []
    for node in (queue := [start]):
        inner: dict[int, set[tuple[int, Run]]] = {}
        done: dict[int, set[int]] = {}
        for symbol, run in node:
            for byte in range(run[0][0], run[0][1] + 1):
                if len(run) == 1:
                    done.setdefault(byte, set()).add(symbol)
                else:
                    inner.setdefault(byte, set()).add((symbol, run[1:]))
        row = {}
        for byte in inner.keys() | done.keys():
            target: _Items = frozenset(inner.get(byte, ()))
            if target and target not in index:
                index[target] = len(queue)
                queue.append(target)
            row[byte] = (index[target] if target else 0, frozenset(done.get(byte, ())))
        nodes.append(row)
    return nodes
