"""The command `reproduce`: measures a table or figure of a paper again.

The exit status is 1 if a statement of it does not hold.
"""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lengthwise.analysis.figures import to_svg
from lengthwise.cli.output import (
    add_json,
    note,
    print_facts,
    print_json,
    print_table,
    whole_number,
)
from lengthwise.errors import ClaimError, ConfigError, RunError
from lengthwise.experiments.catalogue import EXPERIMENTS
from lengthwise.experiments.experiment import (
    Experiment,
    MeasurementOptions,
    Record,
    Statement,
    Table,
    file_name,
    reproduced,
)
from lengthwise.experiments.page import section
from lengthwise.experiments.trained import run_name
from lengthwise.files import read_json, require_folder_place, write_json, write_text
from lengthwise.sweeps.executors import executor_for
from lengthwise.training.progress import counting_progress


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the experiment, its size and the folders to the parser."""
    parser.add_argument(
        "experiment", nargs="?", metavar="NAME", help="such as chiang2022/figure2 (default: list)"
    )
    parser.add_argument(
        "--preset", default="laptop", help="smoke, laptop or paper: numbers only (default laptop)"
    )
    parser.add_argument("--seed", type=whole_number(0), default=0, help="of the words (default 0)")
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
        "--stack",
        action="store_true",
        help="has no effect; kept so that earlier commands work",
    )
    parser.add_argument(
        "--finished", action="store_true", help="train nothing, and show the runs that are done"
    )
    parser.add_argument(
        "--workers", type=whole_number(1), default=1, help="processes that train (default 1)"
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
    if arguments.experiment is None:
        _list(as_json=arguments.json)
        return
    name = arguments.experiment
    experiment = EXPERIMENTS[name]
    experiment.presets[arguments.preset]  # raises for a misspelt name before a folder is made
    seeds = _seeds(arguments.seeds)
    require_folder_place(arguments.out)
    file = arguments.out / file_name(name, arguments.preset)
    earlier = _stored(file, name, arguments.preset)
    if owner := getattr(experiment, "runs_of", ""):  # its file has the same runs, too
        theirs = arguments.out / file_name(owner, arguments.preset)
        good = {digest: one for digest, one in earlier.items() if "error" not in one}
        earlier |= _stored(theirs, owner, arguments.preset) | good
    with (
        executor_for(arguments.workers, arguments.scheduler) as executor,
        counting_progress(name, "steps") as progress,
    ):
        options = MeasurementOptions(
            progress=progress,
            seed=arguments.seed,
            seeds=seeds,
            only=tuple(arguments.only),
            finished=arguments.finished,
            stored=earlier,
            runs=arguments.runs,
            executor=executor,
        )
        result = reproduced(name, experiment, preset=arguments.preset, options=options)
    now = _stored(file, name, arguments.preset)
    _add(result["records"], [one for digest, one in now.items() if earlier.get(digest) != one])
    kept = sum({"commit", "digest"} <= one.keys() for one in result["records"])
    if kept:
        note(f"{kept} records are those that {arguments.out} had")
    files = _write(name, experiment, result, file)
    statements = experiment.check(result["records"])
    tables = experiment.tables(result["records"])
    if arguments.json:
        print_json(
            {key: value for key, value in result.items() if key != "records"}
            | {
                "table": tables[""]._asdict(),
                "tables": {title: table._asdict() for title, table in tables.items()},
                "statements": [statement._asdict() for statement in statements],
                "files": files,
            }
        )
    else:
        _print(experiment, arguments.preset, tables, statements)
        for file in files:
            note(f"written: {file}")
    failed = [statement for statement in statements if not statement.holds]
    if failed:
        raise ClaimError(
            f"{len(failed)} of {len(statements)} statements of {name} do not hold, such as: "
            f"{failed[0].says} ({failed[0].measured})."
        )


def _seeds(text: str | None) -> tuple[int, ...]:
    if text is None:
        return ()
    pieces = text.split(",")
    if not all(piece.strip().isdecimal() and len(piece) < 10 for piece in pieces):
        raise ConfigError(f"--seeds are whole numbers with commas, but got {text!r}. Try 0,1,2.")
    return tuple(int(piece) for piece in pieces)


def _list(*, as_json: bool) -> None:
    if as_json:
        print_json(
            {
                "experiments": [
                    {"name": name, "paper": found.paper, "item": found.item, "claim": found.claim}
                    for name, found in EXPERIMENTS.items()
                ]
            }
        )
        return
    print_table(["name", "claim"], [[name, found.claim] for name, found in EXPERIMENTS.items()])


def _write(name: str, experiment: Experiment, result: dict[str, Any], records: Path) -> list[str]:
    """Store the records, draw the figures, write a page about them, and return the paths."""
    write_json(records, result)
    files = [str(records)]
    for figure, picture in experiment.figures(result["records"]).items():
        path = records.with_name(f"{records.stem}-{figure}.svg")
        write_text(path, to_svg(picture))
        files.append(str(path))
    page = records.with_suffix(".md")
    write_text(page, f"{section(name, experiment, result, pictures=records.stem)}\n")
    return [*files, str(page)]


def _stored(file: Path, name: str, preset: str) -> dict[str, Record]:
    """Return the records of trained runs that the file has, by digest.

    Raises:
        RunError: the file was not written by this command, or is of another experiment or preset.
    """
    if not file.exists():
        return {}
    try:
        stored = read_json(file)
        holds = f"{stored['experiment']}, preset {stored['preset']}"
        found = [{"commit": stored["commit"], **one} for one in stored["records"]]
        runs = {one["digest"]: one for one in found if "digest" in one}
        for one in runs.values():
            run_name(one), one["tests" if "error" not in one else "error"]
    except (KeyError, TypeError):
        raise RunError(f"{file} is damaged. Move it away, or use another --out.") from None
    if holds != f"{name}, preset {preset}":
        raise RunError(
            f"{file} holds {holds}, but {name}, preset {preset}, is asked for. Move it away, or "
            f"use another --out."
        )
    return runs


def _add(records: list[Record], new: Sequence[Record]) -> None:
    """Add records that another command has stored meanwhile; they replace those only kept."""
    places = {run_name(one): place for place, one in enumerate(records) if "digest" in one}
    for one in new:
        place = places.get(run_name(one))
        if place is None:
            records.append(one)
        elif "commit" in records[place]:
            records[place] = one


def _print(
    experiment: Experiment,
    preset: str,
    tables: Mapping[str, Table],
    statements: Sequence[Statement],
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
        verdict = "holds" if statement.holds else "FAILS"
        print(f"{verdict}  {statement.where}: {statement.says}\n       {statement.measured}")
