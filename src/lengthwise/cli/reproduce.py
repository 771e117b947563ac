"""Measure a table or figure of a paper again; exit status 1 if a statement of it does not hold."""

import argparse
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
from lengthwise.cli.progress import counting_progress
from lengthwise.errors import ClaimError
from lengthwise.experiments.catalogue import EXPERIMENTS
from lengthwise.experiments.experiment import Experiment, Record, Statement, reproduced, stem
from lengthwise.files import write_json, write_text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The experiment, how large, and where the files go."""
    parser.add_argument(
        "experiment", nargs="?", metavar="NAME", help="such as chiang2022/figure2 (default: list)"
    )
    parser.add_argument(
        "--preset", default="laptop", help="smoke, laptop or paper: numbers only (default laptop)"
    )
    parser.add_argument("--seed", type=whole_number(0), default=0, help="of the words (default 0)")
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("reproduced"),
        metavar="DIR",
        help="where records and figures go (default: reproduced)",
    )
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """List the experiments, or measure, store, draw and judge one."""
    if arguments.experiment is None:
        _list(as_json=arguments.json)
        return
    name = arguments.experiment
    experiment = EXPERIMENTS[name]
    experiment.presets[arguments.preset]  # complains of a misspelt name before a folder is made
    arguments.out.mkdir(parents=True, exist_ok=True)
    with counting_progress(name, "steps") as progress:
        result = reproduced(
            name, experiment, preset=arguments.preset, seed=arguments.seed, progress=progress
        )
    files = _write(experiment, result, arguments.out)
    statements = experiment.check(result["records"])
    if arguments.json:
        print_json(
            {key: value for key, value in result.items() if key != "records"}
            | {
                "table": experiment.table(result["records"])._asdict(),
                "statements": [statement._asdict() for statement in statements],
                "files": files,
            }
        )
    else:
        _print(experiment, result["records"], statements)
        for file in files:
            note(f"written: {file}")
    failed = [statement for statement in statements if not statement.holds]
    if failed:
        raise ClaimError(
            f"{len(failed)} of {len(statements)} statements of {name} do not hold, such as: "
            f"{failed[0].says} ({failed[0].measured})."
        )


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


def _write(experiment: Experiment[Any], result: dict[str, Any], folder: Path) -> list[str]:
    """Store the records, draw the figures, and say where."""
    begin = stem(result["experiment"])
    records = folder / f"{begin}.json"
    write_json(records, result)
    files = [str(records)]
    for name, figure in experiment.figures(result["records"]).items():
        path = folder / f"{begin}-{name}.svg"
        write_text(path, to_svg(figure))
        files.append(str(path))
    return files


def _print(experiment: Experiment[Any], records: list[Record], statements: list[Statement]) -> None:
    print_facts(
        [
            ("paper", f"{experiment.paper}, {experiment.item}"),
            ("claim", experiment.claim),
            ("printed", experiment.printed),
        ]
    )
    columns, rows = experiment.table(records)
    print_table(columns, rows)
    for statement in statements:
        verdict = "holds" if statement.holds else "FAILS"
        print(f"{verdict}  {statement.where}: {statement.says}\n       {statement.measured}")
