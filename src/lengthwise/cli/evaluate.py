"""The command `evaluate`: tests a trained run on fresh words of given lengths.

It also shows the accuracy of shortcuts.
"""

import argparse
from pathlib import Path

from lengthwise.cli.options import add_plugged, add_snapped, options_of
from lengthwise.cli.output import (
    add_device,
    add_json,
    make_integer_type,
    note,
    print_facts,
    print_json,
    print_table,
)
from lengthwise.evaluation.scores import parse_lengths


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the run, the words and the options of the problems to the parser."""

    parser.add_argument("run", type=Path, metavar="DIR", help="the folder of a trained run")
    parser.add_argument(
        "--lengths",
        help="41:500, 41:500:10 or 10,100,1000 (default: beyond the training words, 41:500 if "
        "these have at most 40 symbols; for a language model 1, 2, 4, 8 and 16 times its window; "
        "for a step task, bits or symbols of other sizes)",
    )
    parser.add_argument(
        "--words",
        type=make_integer_type(1),
        help="words per length (default 512; for a step task all inputs held out for the test, or "
        "1000 of each size, for a language model 1000 windows, for a translator all sentences)",
    )
    parser.add_argument(
        "--text",
        type=Path,
        metavar="DIR",
        help="another corpus, for a language model or translator; or the file of labelled words, "
        "if it has moved",
    )
    parser.add_argument("--part", help="part of a corpus or of labelled words (default test)")
    parser.add_argument(
        "--against",
        type=Path,
        metavar="DIR",
        help="another translator to compare on the same sentences, with a significance test",
    )
    add_plugged(parser, "evaluate")
    parser.add_argument(
        "--protocol", help="words of a language: published or audited (default: the run's)"
    )
    parser.add_argument(
        "--seed", type=make_integer_type(0), help="seed of the test words (default 0)"
    )
    add_snapped(parser)
    add_device(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Evaluate, store the scores in the run folder (except those of tables), and print them."""
    from lengthwise.problems.base import evaluate_and_store
    from lengthwise.problems.runs import load_run
    from lengthwise.training.progress import counting_progress

    if arguments.lengths:
        parse_lengths(arguments.lengths)  # raises before anything is loaded
    trained = load_run(arguments.run, device=arguments.device)
    options = options_of(arguments, trained.problem, "evaluate_options")
    if "against" in options:
        options["against"] = load_run(arguments.against, device=arguments.device)
    evaluation = evaluate_and_store(trained, options, counting_progress)
    for line in evaluation.notes:
        note(line)
    if evaluation.is_stored and trained.folder is not None and trained.folder.is_read_only:
        why = "comes with the package" if trained.folder.is_shipped else "cannot be written to"
        note(f"the scores are not kept, since {arguments.run} {why}")
    if arguments.json:
        printed = evaluation.values if evaluation.printed is None else evaluation.printed
        print_json({**printed, "run": str(arguments.run)})
        return
    print_facts(evaluation.facts)
    if evaluation.table:
        print_table(*evaluation.table)
