"""The command `reproduce`: measures a table or figure of a paper again.

`reproduce all` works through what is missing of all of them. The exit status is 1 if a statement
does not hold, or if a unit failed.
"""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lengthwise.cli.output import (
    add_json,
    make_integer_type,
    note,
    print_facts,
    print_json,
    print_table,
    say,
)
from lengthwise.errors import ClaimError, ConfigError
from lengthwise.files import require_folder_place
from lengthwise.messages import format_count

if TYPE_CHECKING:
    from lengthwise_papers.experiment import Experiment, Statement, Table
    from lengthwise_papers.queue import Count, Report, Survey


ALL = "all"
"""The name of all experiments together."""

_VERDICTS = {"yes": "holds", "no": "FAILS", "open": "open "}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the experiment, its size and the folders to the parser."""
    parser.epilog = (
        "Without NAME all are listed. The settings of cells are fixed; lengthwise train takes "
        "others by --set."
    )
    parser.add_argument(
        "experiment",
        nargs="?",
        metavar="NAME",
        help="such as chiang2022/figure2; without its paper where only one has the name, such as "
        "ladder; or all: what is missing of all of them; left out, they are listed",
    )
    parser.add_argument(
        "--preset",
        default="laptop",
        help="smoke, laptop or paper: sizes and steps (default laptop)",
    )
    parser.add_argument(
        "--seed", type=make_integer_type(0), default=0, help="of the words (default 0)"
    )
    parser.add_argument(
        "--seeds", metavar="0,1,2", help="of what is trained (default: the preset's)"
    )
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="TEXT",
        help="train only runs with this in their name, such as parity or 'rnn, seed 0'; given "
        "twice, with both",
    )
    parser.add_argument(
        "--runs",
        type=Path,
        default=Path("runs"),
        metavar="DIR",
        help="where trained runs are kept, so that they are trained once (default: runs)",
    )
    parser.add_argument(
        "--list", action="store_true", help="print the names of the runs and train nothing"
    )
    parser.add_argument(
        "--finished", action="store_true", help="train nothing, and show the runs that are done"
    )
    parser.add_argument(
        "--budget",
        type=_duration,
        metavar="8h",
        help="with all: hours (8h), minutes (30m) or seconds (90s) after which it stops; started "
        "again, it continues where it was",
    )
    parser.add_argument(
        "--workers", type=make_integer_type(1), default=1, help="processes that train (default 1)"
    )
    parser.add_argument(
        "--scheduler", metavar="tcp://...", help="of Dask, whose workers train instead"
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("reproduced"),
        metavar="DIR",
        help="where records, figures and a page about them go (default: reproduced)",
    )
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """List the experiments, or measure one, store and draw it, and check its statements."""
    from lengthwise.sweeps.executors import executor_for
    from lengthwise.training.progress import counting_progress
    from lengthwise_papers.catalogue import EXPERIMENTS, full_name
    from lengthwise_papers.experiment import SMOKE, MeasuredExperiment, MeasurementOptions
    from lengthwise_papers.store import measure_and_store

    if arguments.experiment in (None, "list"):
        restrictions = (arguments.only, arguments.finished, arguments.seeds, arguments.seed)
        if any(restrictions) or arguments.budget or arguments.scheduler or arguments.workers != 1:
            raise ConfigError("name an experiment, or all; `lengthwise reproduce` lists them.")
        _list(as_json=arguments.json)
        return
    if arguments.list or arguments.experiment == ALL:
        (_list_runs if arguments.list else _work_off)(arguments)
        return
    if arguments.budget is not None:
        raise ConfigError("--budget is for `reproduce all`. Leave it out.")
    if arguments.scheduler is not None and arguments.workers != 1:
        raise ConfigError("--scheduler has workers of its own. Leave --workers out.")
    name = full_name(arguments.experiment)
    experiment = EXPERIMENTS[name]
    experiment.presets[arguments.preset]  # raises for a misspelt name before a folder is made
    seeds, has_units = _seeds(arguments.seeds), not isinstance(experiment, MeasuredExperiment)
    _require_places(arguments)
    with (
        executor_for(arguments.workers, arguments.scheduler) as executor,
        counting_progress(name, "done", at_once=has_units) as progress,
    ):
        options = MeasurementOptions(
            progress=progress,
            seed=arguments.seed,
            seeds=seeds,
            only=tuple(arguments.only),
            finished=arguments.finished,
            runs=arguments.runs,
            executor=executor,
        )
        result, files, num_kept, is_changed = measure_and_store(
            name, arguments.preset, options, arguments.out
        )
    if num_kept:
        note(f"{num_kept} records are those that {arguments.out} had")
    if not is_changed:
        note(f"unchanged: {files[0]}")
    statements = experiment.verdicts(arguments.preset, result["records"])
    if arguments.preset == SMOKE:
        note(f"preset {SMOKE} shows in seconds that {name} runs; it decides no statement")
    tables = experiment.tables(result["records"])
    if arguments.json:
        print_json(
            {key: value for key, value in result.items() if key != "records"}
            | {
                "table": tables[""]._asdict(),
                "tables": {title: table._asdict() for title, table in tables.items()},
                "statements": [
                    {**statement._asdict(), "verdict": statement.verdict}
                    for statement in statements
                ],
                "files": files,
            }
        )
    else:
        _print(experiment, arguments.preset, tables, statements)
        for file in files if is_changed else files[1:]:
            note(f"written: {file}")
    failed = [statement for statement in statements if statement.verdict == "no"]
    if failed:
        raise ClaimError(
            f"{len(failed)} of {len(statements)} statements of {name} do not hold, such as: "
            f"{failed[0].text} ({failed[0].measured})."
        )


def _require_places(arguments: argparse.Namespace) -> None:
    """Refuse folders that cannot be written to, before anything is measured.

    Raises:
        RunError: with the reason.
    """
    if not arguments.finished or arguments.runs.is_file():
        require_folder_place(arguments.runs)
    if not arguments.finished or arguments.experiment != ALL:
        require_folder_place(arguments.out)


def _work_off(arguments: argparse.Namespace) -> None:
    """Do what is missing of all experiments, or, with `--finished`, list it."""
    from lengthwise_papers.queue import Queue, Report, work_off

    if arguments.seed or arguments.scheduler:
        raise ConfigError("`reproduce all` has no --seed and no --scheduler. Leave them out.")
    if arguments.finished and arguments.budget is not None:
        raise ConfigError("--finished trains nothing, so it has no --budget. Leave one out.")
    _require_places(arguments)
    queue = Queue(
        preset=arguments.preset,
        runs=arguments.runs,
        out=arguments.out,
        seeds=_seeds(arguments.seeds),
        only=tuple(arguments.only),
    )
    report = Report()
    if not arguments.finished:
        report = work_off(queue, workers=arguments.workers, seconds=arguments.budget, tell=note)
    survey = queue.survey()
    if arguments.finished:
        for name, lack in survey.lacking.items():
            note(f"left out: {name}: {lack}")
    if arguments.json:
        print_json(
            {
                **{"done": report.done, "failed": report.failed, "stopped": report.stopped},
                "is_over": report.is_over,
                "missing": [work._asdict() for work in survey.missing],
                "experiments": {name: count._asdict() for name, count in survey.counts.items()},
                "left_out": survey.lacking,
            }
        )
    else:
        print_table(
            ["experiment", "done", "missing", "seconds they may take"],
            [
                [name, f"{count.done:,}", f"{count.missing:,}", _duration_in_words(count)]
                for name, count in survey.counts.items()
            ],
        )
        print_facts(_summary(arguments, report, survey))
    if report.failed:
        name, error = next(iter(report.failed.items()))
        raise ClaimError(f"{len(report.failed)} units failed, such as {name}: {error}")


def _summary(
    arguments: argparse.Namespace, report: "Report", survey: "Survey"
) -> list[tuple[str, str]]:
    """Return what a queue did, what comes next, and how much is done in all."""
    did = [
        ("done now", f"{len(report.done):,}"),
        ("stopped", ", ".join(report.stopped) or "none"),
        ("failed", ", ".join(report.failed) or "none"),
        ("records", str(arguments.out)),
    ]
    if report.is_over:
        did.insert(0, ("ended", "the budget is used up; started again, it continues"))
    done, left = sum(count.done for count in survey.counts.values()), len(survey.missing)
    first = "; ".join(work.name for work in survey.missing[:_NEXT])
    more = f"; and {left - _NEXT:,} more (--json has all)" if left > _NEXT else ""
    without = f", without {', '.join(survey.lacking)}" if survey.lacking else ""
    return [
        *([] if arguments.finished else did),
        ("next", f"{first}{more}" if left else f"nothing is missing{without}"),
        ("in all", f"{done:,} of {done + left:,} are done{without if left else ''}"),
    ]


_NEXT = 3
"""Number of missing units that are named."""


def _duration_in_words(count: "Count") -> str:
    """Return the time of what is missing, as far as it is known."""
    if not count.missing:
        return ""
    if count.unknown == count.missing:
        return "not known"
    more = f", and {format_count(count.unknown, 'unit')} of unknown time" if count.unknown else ""
    return f"{count.seconds:,.0f}{more}"


def _duration(text: str) -> float:
    """Read `8h`, `30m` or `90s` as seconds."""
    seconds = {"h": 3600.0, "m": 60.0, "s": 1.0}.get(text[-1:])
    if seconds is None or not text[:-1].isdecimal() or len(text) > 8:
        raise argparse.ArgumentTypeError(
            f"an integer with h, m or s, such as 8h or 90m, but got {text!r}"
        )
    return int(text[:-1]) * seconds


def _seeds(text: str | None) -> tuple[int, ...]:
    if text is None:
        return ()
    pieces = text.split(",")
    if not all(piece.strip().isdecimal() and len(piece) < 10 for piece in pieces):
        raise ConfigError(
            f"--seeds are integers of at most nine digits with commas, but got {text!r}. Try 0,1,2."
        )
    return tuple(int(piece) for piece in pieces)


def _list(*, as_json: bool) -> None:
    from lengthwise_papers.catalogue import EXPERIMENTS

    if as_json:
        print_json(
            {
                "experiments": [
                    {
                        "name": name,
                        "paper": experiment.paper,
                        "item": experiment.item,
                        "claim": experiment.claim,
                    }
                    for name, experiment in EXPERIMENTS.items()
                ]
            }
        )
        return
    print_table(
        ["name", "claim"], [[name, experiment.claim] for name, experiment in EXPERIMENTS.items()]
    )


def _list_runs(arguments: argparse.Namespace) -> None:
    """Print the names of the runs of an experiment, which `--only` takes, and which are done."""
    from lengthwise_papers.catalogue import full_name
    from lengthwise_papers.experiment import choose_places
    from lengthwise_papers.queue import Queue

    if arguments.experiment == ALL:
        raise ConfigError("--list names the runs of one experiment; for all use --finished.")
    name = full_name(arguments.experiment)
    queue = Queue(
        preset=arguments.preset,
        runs=arguments.runs,
        out=arguments.out,
        seeds=_seeds(arguments.seeds),
    )
    every = queue.units(name)
    kept = choose_places(name, [unit.name for unit in every], arguments.only)
    rows = [
        [every[at].name or "(measured in one go)", "done" if every[at].is_done else "missing"]
        for at in kept
    ]
    if arguments.json:
        print_json({"runs": [{"name": run, "state": state} for run, state in rows]})
    else:
        print_table(["run", "state"], rows)


def _print(
    experiment: "Experiment",
    preset: str,
    tables: "Mapping[str, Table]",
    statements: "Sequence[Statement]",
) -> None:
    print_facts(
        [
            ("paper", f"{experiment.paper}, {experiment.item}"),
            ("claim", experiment.claim),
            ("printed", experiment.printed),
            ("preset", preset),
        ]
    )
    for title, (columns, rows) in tables.items():
        print_table(columns, rows, title=title or None)
    for statement in statements:
        say(
            f"{_VERDICTS[statement.verdict]}  {statement.where}: {statement.text}\n       "
            f"{statement.measured}"
        )
