"""Options of the commands that can use a snapped model in place of the model."""

import argparse
from pathlib import Path


def add_snapped(parser: argparse.ArgumentParser) -> None:
    """Add the option that uses tables in place of the network."""
    parser.add_argument(
        "--snapped", action="store_true", help="use the tables that `snap` made from the run"
    )


def find_tables(run: Path) -> Path:
    """Return the path of the tables of a run."""
    from lengthwise.problems.recognition.measure import SNAPPED_FILE

    return run / SNAPPED_FILE
