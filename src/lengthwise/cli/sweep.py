"""The command `sweep`: trains models over seeds and values of settings, and compares them."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lengthwise.cli.options import add_workers, parse_seeds, require_one_executor
from lengthwise.cli.output import (
    add_json,
    add_language,
    add_objective,
    add_settings,
    make_integer_type,
    note,
    objective_of,
    parse_settings,
    print_json,
    print_table,
)
from lengthwise.errors import ClaimError, ConfigError, LengthwiseError
from lengthwise.evaluation.scores import parse_lengths
from lengthwise.files import require_folder_place
from lengthwise.problems.presets import PRESETS

PAGE = "compare.html"
"""Name of the page in the folder of a sweep."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the subject, the models, the grid, the test and the executor to the parser."""
    add_language(parser, more="; also what else `train` takes")
    parser.add_argument(
        "--models", required=True, metavar="A,B", help="names, or package.module:factory"
    )
    parser.add_argument(
        "--seeds", default="0..2", metavar="0..4|0,1", help="seeds of training (default 0..2)"
    )
    add_settings(parser, "num_heads=2,4: each value is tried with each of other settings")
    add_objective(parser)
    parser.add_argument("--preset", default="laptop", help=f"{', '.join(PRESETS)} (default laptop)")
    parser.add_argument(
        "--lengths", help="lengths of the test: 41:500 or 10,100 (default: beyond training)"
    )
    parser.add_argument(
        "--words", type=make_integer_type(1), default=64, help="words per length (default 64)"
    )
    add_workers(parser)
    parser.add_argument(
        "--out", type=Path, required=True, metavar="DIR", help="the folder; run again to resume"
    )
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Train and test every run of the grid, and compare those that are done.

    Raises:
        ClaimError: a run failed; the others are kept.
    """
    PRESETS[arguments.preset]
    seeds, values = parse_seeds(arguments.seeds), parse_values(arguments.settings)
    lengths = None if arguments.lengths is None else parse_lengths(arguments.lengths)
    require_one_executor(arguments)
    require_folder_place(arguments.out)
    from lengthwise.sweeps.executors import executor_for
    from lengthwise.sweeps.grid import make_grid
    from lengthwise.sweeps.outcome import Failure
    from lengthwise.sweeps.sweep import run_sweep

    jobs = make_grid(
        arguments.spec,
        [name.strip() for name in arguments.models.split(",")],
        seeds,
        {**{name: [value] for name, value in objective_of(arguments).items()}, **values},
        preset=arguments.preset,
        options={"alphabet": arguments.alphabet},
        lengths=lengths,
        words_per_length=arguments.words,
    )
    with executor_for(arguments.workers, arguments.scheduler) as executor:
        results = run_sweep(arguments.spec, jobs, arguments.out, executor, progress=True)
    done = [
        arguments.out / result.digest / "run"
        for result in results
        if not isinstance(result, Failure)
    ]
    _compare(done, arguments)
    failures = [result for result in results if isinstance(result, Failure)]
    if failures:
        raise ClaimError(
            f"{len(failures)} of {len(results)} runs failed, first: {failures[0].error} "
            f"({arguments.out / failures[0].digest}). Run the command again to try them again."
        )


def _compare(runs: Sequence[Path], arguments: argparse.Namespace) -> None:
    """Print the comparison of finished runs, and write its page."""
    if not runs:
        return
    from lengthwise.report.compare import compare

    try:
        comparison = compare(runs)
    except LengthwiseError as error:  # such as files of words, whose tests are not by length
        note(str(error))
        return
    page = arguments.out / PAGE
    comparison.save(page)
    note(f"wrote {page}")
    if arguments.json:
        print_json({**comparison.to_dict(), "files": [str(page)]})
        return
    print_table(*comparison.table, title=f"{comparison.subject}, {comparison.curve.measure}")
    for line in comparison.notes:
        note(line)


def parse_values(texts: Sequence[str]) -> dict[str, list[Any]]:
    """Return the values of settings that are written `num_heads=2,4`.

    >>> parse_values(["num_heads=2,4", "position=none"])
    {'num_heads': [2, 4], 'position': ['none']}

    Raises:
        ConfigError: one is not written so, or a setting or a value is given twice.
    """
    values: dict[str, list[Any]] = {}
    for text in texts:
        name, _, written = text.partition("=")
        if name in values:
            raise ConfigError(f"{name} is given twice. Write {name}=VALUE,VALUE.")
        if "=" not in text or not name:
            parse_settings([text])  # which says how a setting is written
        parts = [parse_settings([f"{name}={part}"]) for part in written.split(",")]
        values[name] = [part[name] for part in parts]
        if len({repr(value) for value in values[name]}) < len(parts):
            raise ConfigError(f"{text!r:.60} has a value twice. Give each once.")
    return values
