"""The command `ls`: lists the runs below a folder."""

import argparse
from pathlib import Path

from lengthwise.cli.output import add_json, note, print_json, print_table
from lengthwise.evaluation.scores import percent
from lengthwise.messages import format_count, shorten, shorter_mark
from lengthwise.training.run_listing import Listed, list_runs

COLUMNS = ["folder", "what", "seed", "written", "state", "right %", "evaluated", "proof"]

_LONGEST = 60
"""Characters of a subject that are shown; `--json` has them all."""


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
    runs = list_runs(folder)
    if arguments.json:
        print_json({"folder": str(folder), "runs": [entry.to_dict() for entry in runs]})
        return
    if runs:
        print_table(COLUMNS, [_row(entry) for entry in runs])
    note(f"{format_count(len(runs), 'run')} below {folder}")


def _row(run: Listed) -> list[str]:
    return [
        run.folder,
        ", ".join(part for part in (shorten(run.subject, _LONGEST), run.model) if part),
        "" if run.seed is None else str(run.seed),
        run.written,
        run.state_in_words,
        _right(run),
        run.evaluation or "not yet",
        run.proof,
    ]


def _right(run: Listed) -> str:
    """Return the share of right answers: on words held out, or else in validation."""
    if run.held_out_accuracy is not None and run.shortcut_accuracy is not None:
        shares = f"{percent(run.held_out_accuracy)} held out (shortcut "
        return f"{shares}{percent(run.shortcut_accuracy)})" + (run.verdict and f", {run.verdict}")
    best = run.validation_accuracy
    if best is None:
        return ""
    measure = "of A's answers" if run.problem == "inferred" else "validated"
    return f"{percent(best)} {measure}{shorter_mark(run.to_dict())}"
