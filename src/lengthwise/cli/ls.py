"""The command `ls`: lists the runs below a folder."""

import argparse
from pathlib import Path

from lengthwise.cli.output import add_json, note, print_json, print_table
from lengthwise.training.listing import Listed, list_runs
from lengthwise.wording import counted

COLUMNS = ["folder", "what", "seed", "written", "state", "validation %", "evaluated", "proof"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the folder to the parser."""
    parser.add_argument(
        "folder",
        type=Path,
        nargs="?",
        metavar="DIR",
        help="the folder that holds runs (default: runs if there is one, or this folder)",
    )
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Print a line for each run; a damaged one has the reason in its line."""
    usual = Path("runs") if Path("runs").is_dir() else Path()
    folder = usual if arguments.folder is None else arguments.folder
    found = list_runs(folder)
    if arguments.json:
        print_json({"folder": str(folder), "runs": [each.to_dict() for each in found]})
        return
    if found:
        print_table(COLUMNS, [_row(each) for each in found])
    note(f"{counted(len(found), 'run')} below {folder}")


def _row(run: Listed) -> list[str]:
    best, is_short = run.validation_accuracy, (run.longest or 0) < (run.grows_to or 0)
    return [
        run.folder,
        ", ".join(part for part in (run.subject, run.model) if part),
        "" if run.seed is None else str(run.seed),
        run.written,
        run.state_in_words,
        ("" if best is None else f"{int(1e4 * best + 1e-9) / 100:.2f}")
        + (f" (to {run.longest})" if is_short else ""),
        run.evaluation or "not yet",
        run.proof,
    ]
