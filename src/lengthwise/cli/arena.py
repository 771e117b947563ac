"""The command `arena`: networks trained and examined on a suite under one protocol."""

import argparse
from pathlib import Path

from lengthwise.arenas.suites import SUITES
from lengthwise.cli.options import add_workers, parse_seeds, require_one_executor
from lengthwise.cli.output import (
    add_json,
    add_settings,
    make_integer_type,
    note,
    parse_settings,
    print_json,
    print_table,
)
from lengthwise.errors import ClaimError
from lengthwise.files import require_folder_place


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the networks, the suite and the sizes to the parser."""
    parser.add_argument(
        "networks",
        nargs="+",
        metavar="NETWORK",
        help="names of models, package.module:factory, or hf:CONFIG.json",
    )
    parser.add_argument(
        "--suite",
        default="regular",
        help=f"{'; '.join(f'{name}: {suite.summary}' for name, suite in SUITES.items())} "
        "(default: regular)",
    )
    parser.add_argument(
        "--only",
        action="append",
        default=None,
        metavar="SPEC",
        help="this language or task in place of those of the suite; may be repeated",
    )
    parser.add_argument(
        "--seeds", default="0..2", metavar="0..4|0,1", help="seeds of training (default 0..2)"
    )
    parser.add_argument(
        "--preset",
        default="laptop",
        help="laptop (width 32, one layer, up to 1,000 steps; default) or smoke",
    )
    add_settings(parser, "steps=500, d_model=64; networks that do not have it leave it out")
    parser.add_argument(
        "--budget",
        type=float,
        help="processor seconds of each examination (default 6; smoke 1)",
    )
    parser.add_argument(
        "--words", type=make_integer_type(1), help="words of the test per length (default 32)"
    )
    parser.add_argument(
        "--finished", action="store_true", help="train nothing, and show the cells that are done"
    )
    add_workers(parser)
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("arena"),
        metavar="DIR",
        help="where runs, arena.json and arena.html go; called again, it continues "
        "(default: arena)",
    )
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Train and examine, write the record and the page, and print the tables.

    Raises:
        ClaimError: a cell failed; the others are written.
    """
    SUITES[arguments.suite]  # raises for a misspelt name before torch is loaded
    seeds = parse_seeds(arguments.seeds)
    require_one_executor(arguments)
    require_folder_place(arguments.out)
    from lengthwise.arenas.arena import PAGE, RECORD, arena

    found = arena(
        arguments.networks,
        suite=arguments.suite,
        languages=arguments.only,
        seeds=seeds,
        preset=arguments.preset,
        budget=arguments.budget,
        words_per_length=arguments.words,
        out=arguments.out,
        workers=arguments.workers,
        scheduler=arguments.scheduler,
        finished=arguments.finished,
        progress=True,
        **parse_settings(arguments.settings),
    )
    for name in (RECORD, PAGE):
        note(f"wrote {arguments.out / name}")
    if arguments.json:
        print_json(found.to_dict())
    else:
        print_table(*found.table, title=f"arena, {arguments.suite}")
        print_table(*found.matrix, title="accuracy at 41 to 500 symbols, and proofs")
    if found.failures:
        raise ClaimError(
            f"{len(found.failures)} of {len(found.cells)} cells failed, first: "
            f"{found.failures[0]} Run the command again, and only those are tried again."
        )
