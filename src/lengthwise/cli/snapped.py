"""What commands share that can use a snapped model in place of the model."""

import argparse
from pathlib import Path

from lengthwise.problems.recognition.measure import SNAPPED_FILE
from lengthwise.verification.extraction import Extraction


def add_snapped(parser: argparse.ArgumentParser) -> None:
    """The option that puts tables in place of the network."""
    parser.add_argument(
        "--snapped", action="store_true", help="look up in the tables that `snap` made of the run"
    )


def snapped_file(run: Path) -> Path:
    """Where the tables of a run are."""
    return run / SNAPPED_FILE


def likeness(extraction: Extraction) -> str:
    """How the tables are the model, in words."""
    if not extraction.is_exact:
        return "no, another function near it: vectors are snapped to representatives"
    return "yes" if extraction.is_certain else "yes, as float64 tells: rounding could change a sign"
