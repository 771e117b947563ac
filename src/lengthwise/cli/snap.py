"""The command `snap`: snaps the vectors of a trained run to representatives, and stores tables."""

import argparse
from pathlib import Path

from lengthwise.cli.output import add_json, make_integer_type, print_facts, print_json, print_table
from lengthwise.cli.snapped import find_tables
from lengthwise.proofs.search.limits import MAX_ELEMENTS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the run and the limit of elements to the parser."""

    parser.add_argument("run", type=Path, metavar="DIR", help="the folder of a trained run")
    parser.add_argument(
        "--max-elements",
        type=make_integer_type(1),
        default=MAX_ELEMENTS,
        help=f"classes of vectors of one level at most, where memory is continuous (default "
        f"{MAX_ELEMENTS})",
    )
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Extract the tables, save them beside the model, and print how many vectors were merged."""
    from lengthwise.problems.runs import load_run
    from lengthwise.proofs.search.extraction import extract_algebra
    from lengthwise.proofs.search.snapped_file import save_snapped
    from lengthwise.training.runs import RunFolder

    RunFolder(arguments.run).require_writable()
    trained = load_run(arguments.run, device="cpu")
    extraction = extract_algebra(
        trained.model, trained.language.domain, max_elements=arguments.max_elements
    )
    path = find_tables(arguments.run)
    save_snapped(path, extraction, trained.model)
    summary = extraction.summary()
    if arguments.json:
        print_json({"run": str(arguments.run), "file": str(path), **summary})
        return
    print_facts(
        [
            ("file", str(path)),
            ("is the model", extraction.fidelity),
            ("levels", f"{len(extraction.levels)}, then from {extraction.algebra.repeat} again"),
            ("largest spread", f"{extraction.spread:.3g}"),
            ("smallest gap", f"{extraction.gap:.3g}"),
        ]
    )
    print_table(
        ["level", "place", "images", "elements", "spread", "gap"],
        [
            [
                str(number),
                place,
                str(len(snaps.elements)),
                str(len(snaps.representatives)),
                f"{snaps.spread:.3g}",
                f"{snaps.gap:.3g}",
            ]
            for number, level in enumerate(extraction.levels, start=1)
            for place, snaps in (("interior", level.interior), ("edge", level.edge))
        ],
    )
