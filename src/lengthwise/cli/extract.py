"""The command `extract`: finds the automaton that a trained run computes."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from lengthwise.cli.output import (
    add_json,
    make_integer_type,
    note,
    print_facts,
    print_json,
    print_table,
)
from lengthwise.exports.catalogue import FORMATS
from lengthwise.exports.export import notes_of_extraction, require_automaton_place, write_export
from lengthwise.exports.format import Exported
from lengthwise.languages.characters import list_symbols
from lengthwise.languages.language import Language
from lengthwise.messages import format_count
from lengthwise.proofs.search.limits import MAX_ELEMENTS, MAX_STATES

if TYPE_CHECKING:
    from lengthwise.proofs.search.extraction import ExtractedAlgebra

_MOST_ROWS = 20
_MOST_COLUMNS = 30


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the run, the file to save to and the limits to the parser."""

    parser.add_argument("run", type=Path, metavar="DIR", help="the folder of a trained run")
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help=f"save it; the ending names the format, as in export: {' '.join(FORMATS)}",
    )
    parser.add_argument(
        "--max-elements",
        type=make_integer_type(1),
        default=MAX_ELEMENTS,
        help=f"classes of vectors of one level at most, where memory is continuous (default "
        f"{MAX_ELEMENTS})",
    )
    parser.add_argument(
        "--max-states",
        type=make_integer_type(1),
        default=MAX_STATES,
        help=f"states of an automaton learned from a RegularGPT at most (default {MAX_STATES})",
    )
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Extract, learn the automaton, compare it with the run's language, print it, and save it."""
    from lengthwise.problems.runs import load_run
    from lengthwise.proofs.search.extracted_automaton import extract_automaton

    out = arguments.out
    if out is not None:
        require_automaton_place(out)
    trained = load_run(arguments.run, device="cpu")
    language = trained.language
    extraction = extract_automaton(
        trained.model,
        language,
        max_elements=arguments.max_elements,
        max_states=arguments.max_states,
    )
    machine = extraction.automaton
    difference = machine.difference(language)
    if out is not None:
        notes = notes_of_extraction(extraction, trained)
        write_export(Exported(language=machine, name=out.stem, notes=notes), out)
        note(f"saved {out}")
    if arguments.json:
        print_json(
            {
                "run": str(arguments.run),
                **extraction.summary(),
                "language": language.spec,
                "is_language": difference is None,
                "difference": _difference(machine, language, difference),
                "file": None if out is None else str(out),
            }
        )
        return
    print_facts(
        [
            ("automaton", format_count(machine.num_states, "state")),
            ("classes", " ".join(machine.class_names)),
            (
                f"is {language.spec or 'its language'}",
                _describe_difference(machine, language, difference),
            ),
            ("is the model", extraction.fidelity),
            ("algebra", "none" if extraction.algebra is None else _levels(extraction.algebra)),
        ]
    )
    if machine.num_states <= _MOST_ROWS:
        columns = _columns(machine)
        print_table(
            ["state", "class", *columns],
            [
                [
                    str(state),
                    machine.class_names[c],
                    *(str(column[state]) for column in columns.values()),
                ]
                for state, c in enumerate(machine.classes)
            ],
        )


def _levels(algebra: "ExtractedAlgebra") -> str:
    levels = format_count(len(algebra.levels), "level")
    return f"{levels}, then from level {algebra.algebra.repeat} again"


def _columns(machine: Language) -> dict[str, tuple[int, ...]]:
    """Return the target of each state by symbol; many symbols that act alike have one column."""
    columns = zip(machine.alphabet, zip(*machine.transitions, strict=True), strict=True)
    if machine.num_symbols <= _MOST_COLUMNS:
        return dict(columns)
    alike: dict[tuple[int, ...], list[str]] = {}
    for symbol, column in columns:
        alike.setdefault(column, []).append(symbol)
    return {list_symbols(symbols, most=8): column for column, symbols in alike.items()}


def _difference(
    machine: Language, language: Language, word: tuple[int, ...] | None
) -> dict[str, str] | None:
    if word is None:
        return None
    return {
        "word": language.decode(word),
        "extracted": machine.class_names[machine.classify(word)],
        "language": language.class_names[language.classify(word)],
    }


def _describe_difference(
    machine: Language, language: Language, word: tuple[int, ...] | None
) -> str:
    difference = _difference(machine, language, word)
    if difference is None:
        return "yes, on every word"
    return (
        f"no: the shortest word on which they differ is {difference['word']!r}, of class "
        f"{difference['extracted']} instead of {difference['language']}"
    )
