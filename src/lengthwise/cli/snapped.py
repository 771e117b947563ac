"""What commands share that can use a snapped model in place of the model."""

import argparse
from dataclasses import replace
from pathlib import Path

from lengthwise.training.train import Run
from lengthwise.verification.extraction import Extraction
from lengthwise.verification.lookup import SnappedModel
from lengthwise.verification.snapped_file import load_snapped


def add_snapped(parser: argparse.ArgumentParser) -> None:
    """The option that puts tables in place of the network."""
    parser.add_argument(
        "--snapped", action="store_true", help="look up in the tables that `snap` made of the run"
    )


def snapped_file(run: Path) -> Path:
    """Where the tables of a run are."""
    return run / "snapped.safetensors"


def likeness(extraction: Extraction) -> str:
    """How the tables are the model, in words."""
    if not extraction.is_exact:
        return "no, another function near it: vectors are snapped to representatives"
    return "yes" if extraction.is_certain else "yes, as float64 tells: rounding could change a sign"


def with_tables(run: Run) -> Run:
    """The run with tables in place of its model; its folder is left alone.

    Raises:
        RunError: there are no tables, or those of another model.
    """
    assert run.folder is not None
    extraction = load_snapped(snapped_file(run.folder.path), run.model)
    return replace(run, model=SnappedModel(extraction.algebra), folder=None)
