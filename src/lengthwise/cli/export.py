"""The command `export`: writes an automaton, or a network, for other programs."""

import argparse
from pathlib import Path

from lengthwise.cli.output import add_json, print_facts, print_json
from lengthwise.exports.catalogue import FORMATS
from lengthwise.exports.export import export, require_export_place
from lengthwise.languages.characters import list_symbols
from lengthwise.languages.spec import parse
from lengthwise.messages import format_count


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the automaton and the file to the parser."""
    parser.add_argument(
        "subject",
        metavar="SPEC|RUN",
        help="a language, such as 'regex:(0|10*1)*' or att:FILE; inferred:FILE.json; or the folder "
        "of a run with a proof",
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        required=True,
        help=f"the file, whose ending names the format: {' '.join(FORMATS)}",
    )
    parser.add_argument("--alphabet", help="all symbols of a regular expression or a formula")
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Write the file, and say what it holds."""
    subject, out = arguments.subject, require_export_place(arguments.out)
    if arguments.alphabet is not None:
        subject = parse(subject, arguments.alphabet)
    exported = export(subject, out)
    machine = exported.language
    if arguments.json:
        print_json(
            {
                "file": str(out),
                "num_states": machine.num_states,
                "alphabet": list(machine.alphabet),
                "classes": list(machine.class_names),
                "notes": list(exported.notes),
            }
        )
        return
    print_facts(
        [
            ("saved", f"{out} ({FORMATS[out.suffix].summary})"),
            ("automaton", format_count(machine.num_states, "state")),
            ("symbols", list_symbols(machine.alphabet)),
            ("classes", " ".join(machine.class_names)),
            *(("note", note) for note in exported.notes),
        ]
    )
