"""AT&T's text format for automata, as OpenFst, foma and HFST write it.

A line is an arc or a final state; the source of the first line is the start state:

    source target label [weight]            an acceptor of OpenFst
    source target input output [weight]     foma and HFST; an acceptor if input and output agree
    state [weight]                          a final state

Fields are separated by tabs or by spaces, not by both on one line. Labels are numbers or strings.
Weights are dropped, but an arc or a final state of weight Infinity does not exist. Where all arcs
have four fields, the fourth is a weight only if all are numbers and one is written as no output
would be, with a point, an exponent or as Infinity; otherwise it is an output (`_four_fields`).
"""

import math
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, NoReturn

from lengthwise.errors import LanguageError, LengthwiseWarning
from lengthwise.files import read_text
from lengthwise.languages.builders import MAX_STATES, determinise
from lengthwise.languages.characters import list_symbols
from lengthwise.languages.language import Language
from lengthwise.languages.validation import check_alphabet

ZeroLabel = Literal["auto", "epsilon", "symbol"]
"""Meaning of the label 0: OpenFst's epsilon, or an ordinary symbol."""

EPSILON = "<eps>"
_EPSILONS = {"@0@", "@_EPSILON_SYMBOL_@", "<eps>", "<epsilon>", "@_EPSILON_@"}
_LIKE_SPECIAL = re.compile(r"<eps(ilon)?>|eps(ilon)?|ε|@_\w*_@|@0@", re.IGNORECASE)
"""Labels that other programs, or other symbol tables, may mean otherwise."""

_SPECIAL = re.compile(r"@_(IDENTITY|UNKNOWN)_SYMBOL_@|@[PNRDCU]\..*@")


@dataclass(frozen=True, kw_only=True, slots=True)
class AttLine:
    """A line of a file, and its fields."""

    number: int
    fields: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Arc:
    number: int
    source: str
    target: str
    label: str


def from_att(
    path: str | Path, *, zero: ZeroLabel = "auto", alphabet: Sequence[str] | None = None
) -> Language:
    """Read the acceptor in a file as a language: determinised, completed with a sink, minimised.

    The alphabet is the sorted labels of the arcs, or the given one: a given symbol that no arc has
    leads to the sink. The label `0` is a symbol if that makes the automaton deterministic, or if
    some label is not a number or is written as epsilon; otherwise it may be OpenFst's epsilon, and
    `zero` must say which.

    Raises:
        LanguageError: the file cannot be read, is broken or is a transducer (with the line), or a
            label is not in the alphabet that is given.
    """
    file_name = str(path)
    lines = read_att_lines(Path(path))
    arcs, final = _parse(file_name, lines)
    _say_what_was_taken(file_name, lines)
    if not arcs:
        raise LanguageError(
            f"{file_name}: a language needs symbols, but the automaton has no arcs."
        )
    numeric = all(arc.label.isdecimal() for arc in arcs)
    if zero == "auto" and numeric and not _is_deterministic(arcs):
        first = next((arc.number for arc in arcs if arc.label == "0"), None)
        if first is not None:
            raise LanguageError(
                f"{file_name}, line {first}: the label 0 may be a symbol or OpenFst's epsilon. "
                f"Write epsilon as {EPSILON}, or say which: att[0=epsilon]:{file_name} "
                f"or att[0=symbol]:{file_name}"
            )
    if zero == "epsilon":
        arcs = [replace(arc, label=EPSILON) if arc.label == "0" else arc for arc in arcs]
    symbols = sorted({arc.label for arc in arcs} - {EPSILON})
    if not symbols:
        raise LanguageError(f"{file_name}: a language needs symbols, but all labels are epsilon.")
    if alphabet is not None:
        check_alphabet(tuple(alphabet))
        for arc in arcs:
            if arc.label not in (EPSILON, *alphabet):
                raise LanguageError(
                    f"{file_name}, line {arc.number}: label {arc.label!r} is not in the alphabet "
                    f"{list_symbols(alphabet)!r}. Add it."
                )
        symbols = list(alphabet)
    index: dict[str, int] = {lines[0].fields[0]: 0}
    for state in [name for arc in arcs for name in (arc.source, arc.target)] + final:
        index.setdefault(state, len(index))
    table: list[dict[str, set[int]]] = [{} for _ in index]
    for arc in arcs:
        label = "" if arc.label == EPSILON else arc.label
        table[index[arc.source]].setdefault(label, set()).add(index[arc.target])
    try:
        most = max(MAX_STATES, len(table) + 1)  # subsets of a deterministic one are its states
        return determinise(symbols, table, 0, [index[state] for state in final], max_states=most)
    except LanguageError as error:
        raise LanguageError(f"{file_name}: {error}") from None


def to_att(language: Language) -> str:
    r"""Write a two-class language as an acceptor, as foma does; `from_att` reads it back.

    >>> from lengthwise.languages.regex import from_regex
    >>> print(to_att(from_regex("a*")).replace("\t", " "), end="")
    0 0 a a
    0

    Raises:
        LanguageError: the language has other classes or a domain, or a symbol means something else
            in the format.
    """
    if language.class_names != ("0", "1") or language.domain is not None:
        names = " ".join(language.class_names)
        feature = "a domain" if language.domain is not None else f"the classes {names}"
        raise LanguageError(
            f"an AT&T acceptor has the classes 0 and 1 and no domain, but this language has "
            f"{feature}. Save it as .dot."
        )
    for symbol in language.alphabet:
        if symbol in _EPSILONS or _SPECIAL.fullmatch(symbol):
            raise LanguageError(
                f"symbol {symbol!r} means something else in an AT&T file. Rename the symbol."
            )
    order = language.reachable()
    number = {state: i for i, state in enumerate(order)}
    lines = [
        f"{number[state]}\t{number[target]}\t{symbol}\t{symbol}"
        for state in order
        for symbol, target in zip(language.alphabet, language.transitions[state], strict=True)
    ]
    lines += [str(number[state]) for state in order if language.classes[state] == 1]
    return "".join(line + "\n" for line in lines)


# ---- reading ---------------------------------------------------------------------------------


def read_att_lines(path: Path) -> list[AttLine]:
    """Read the lines of a file.

    Raises:
        LanguageError: it cannot be read, or is empty.
    """
    text = read_text(path, "an AT&T file", LanguageError)
    lines = []
    for number, line in enumerate(text.split("\n"), start=1):
        fields = line.strip("\r").split("\t") if "\t" in line else line.split()
        if line.strip():
            lines.append(
                AttLine(number=number, fields=tuple(field.strip() or field for field in fields))
            )
    if not lines:
        raise LanguageError(f"{path}: an automaton has at least one line, but the file is empty.")
    return lines


def _parse(file_name: str, lines: Sequence[AttLine]) -> tuple[list[_Arc], list[str]]:
    """Return the arcs and the final states, without those of infinite weight."""
    for line in lines:
        if line.fields[0] == "--":
            refuse_att_line(file_name, line, "another automaton begins. Keep one in a file")
        if not 1 <= len(line.fields) <= 5:
            refuse_att_line(
                file_name, line, "a line is 'source target label ...' or 'state [weight]'"
            )
        if "" in line.fields:
            place = line.fields.index("")
            refuse_att_line(file_name, line, f"field {place + 1} is empty. {_remedy(line, place)}")
        for state in line.fields[: 2 if len(line.fields) > 2 else 1]:
            if has_space(state):
                refuse_att_line(
                    file_name,
                    line,
                    f"state {state!r} has a space in it. Separate the fields of a line by tabs "
                    f"alone or by spaces alone",
                )
    final = [
        line.fields[0] for line in lines if len(line.fields) <= 2 and arc_exists(file_name, line, 1)
    ]
    rows = [line for line in lines if len(line.fields) > 2]
    widths = {len(line.fields) for line in rows}
    if {3, 5} <= widths:
        odd = next(line for line in rows if len(line.fields) == 3)
        refuse_att_line(
            file_name, odd, "arcs have one label, or input and output; this file mixes the two"
        )
    is_pair = 5 in widths or (widths == {4} and _four_fields(rows) == "pair")
    arcs = []
    for line in rows:
        source, target, label, *rest = line.fields
        if is_pair and name_label(rest[0]) != name_label(label):
            refuse_att_line(
                file_name,
                line,
                f"input {label!r} and output {rest[0]!r} differ, so this is a transducer, and only "
                f"acceptors have a language. Take a projection"
                + (
                    f" (if {rest[0]!r} is a weight, write it with a point: {rest[0]}.0)"
                    if rest[0].isdecimal()
                    else ""
                ),
            )
        if _SPECIAL.fullmatch(label):
            refuse_att_line(
                file_name, line, f"label {label!r} stands for other symbols. Write them out"
            )
        if has_space(label):
            name = "_".join(label.split()) or "_"
            refuse_att_line(
                file_name,
                line,
                f"field 3, label {label!r}, has a space in it, but symbols have none. Rename it, "
                f"such as to {name!r}",
            )
        if arc_exists(file_name, line, 4 if is_pair else 3):
            arcs.append(
                _Arc(number=line.number, source=source, target=target, label=name_label(label))
            )
    return arcs, final


def _remedy(line: AttLine, place: int) -> str:
    """Return what to do about an empty field."""
    if place in (2, 3):
        return f"Write {EPSILON} for epsilon, or remove the tab"
    return "Name the state" if place == 0 or len(line.fields) > 2 else "Remove the tab"


def _say_what_was_taken(file_name: str, lines: Sequence[AttLine]) -> None:
    """Warn of labels that may mean something else where they come from."""
    warned: set[str] = set()
    for line in lines:
        label = line.fields[2] if len(line.fields) > 2 else ""
        if label in warned or not _LIKE_SPECIAL.fullmatch(label):
            continue
        warned.add(label)
        if label == "@0@":
            meaning = "epsilon"
        elif label in _EPSILONS:
            continue
        else:
            meaning = f"a symbol of this name, not as epsilon ({EPSILON}) or a space"
        warnings.warn(
            f"{file_name}, line {line.number}, field 3: label {label!r} is taken as {meaning}.",
            LengthwiseWarning,
            stacklevel=3,
        )


def _four_fields(rows: Sequence[AttLine]) -> Literal["pair", "weight"]:
    """Return the meaning of the fourth field where all arcs have four fields.

    It is a weight if all are numbers and at least one has a point, an exponent or is Infinity.
    Otherwise it is an output: foma also writes integers there, for transducers from letters to
    digits. Labels that are such numbers themselves and repeat on every arc are outputs too.
    """
    labels = [row.fields[2] for row in rows]
    fourth = [row.fields[3] for row in rows]
    if all(name_label(a) == name_label(b) for a, b in zip(labels, fourth, strict=True)):
        return "pair"
    if any(_number(field) is None for field in fourth):
        return "pair"
    return "weight" if any(map(_is_written_as_weight, fourth)) else "pair"


def _is_written_as_weight(field: str) -> bool:
    value = _number(field)
    return value is not None and (math.isinf(value) or not set(field).isdisjoint(".eE"))


def has_space(field: str) -> bool:
    """Return whether a field has a space in it."""
    return any(character.isspace() for character in field)


def arc_exists(file_name: str, line: AttLine, column: int) -> bool:
    """Return whether an arc or final state exists: its weight is absent or not Infinity."""
    if len(line.fields) <= column:
        return True
    weight = _number(line.fields[column])
    if weight is None or weight == -math.inf:
        refuse_att_line(
            file_name,
            line,
            f"the weight {line.fields[column]!r} of an arc or a final state is not a number. Give "
            f"one, or leave it out",
        )
    return weight != math.inf


def _number(field: str) -> float | None:
    try:
        value = float(field)
    except ValueError:
        return None
    return None if math.isnan(value) else value


def name_label(label: str) -> str:
    """Return a label, with one name for epsilon."""
    return EPSILON if label in _EPSILONS else label


def _is_deterministic(arcs: Sequence[_Arc]) -> bool:
    targets: dict[tuple[str, str], str] = {}
    return all(
        targets.setdefault((arc.source, arc.label), arc.target) == arc.target for arc in arcs
    )


def refuse_att_line(file_name: str, line: AttLine, fault: str) -> NoReturn:
    """Refuse a line of a file.

    Raises:
        LanguageError: always, with the fault.
    """
    raise LanguageError(f"{file_name}, line {line.number}: {fault}.")
