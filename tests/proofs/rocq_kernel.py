"""Rocq as tests run it: the compiled library, and whether the kernel accepts a file."""

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

PROOFS = Path(__file__).parents[2] / "proofs"

LIBRARY = (
    *("Words", "Data", "Arrays", "TreeChecker", "TreeSound", "Recurrence", "Theorems"),
    *("Networks", "Fractions", "QuickSums", "Weights", "Programs", "ProgramChecker"),
)

needs_rocq = pytest.mark.skipif(
    shutil.which("coqc") is None, reason="needs Rocq: apt-get install coq"
)


def compile_library(names: Sequence[str], folder: Path) -> Path:
    """The folder with these files of the library, compiled in this order."""
    for name in names:
        shutil.copy(PROOFS / "theories" / f"{name}.v", folder)
        command = ["coqc", "-q", "-Q", ".", "Lengthwise", f"{name}.v"]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return folder


def run_rocq(text: str, library: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run coqc on a file."""
    (folder / "machine.v").write_text(text)
    command = ["coqc", "-q", "-Q", str(library), "Lengthwise", "machine.v"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return done


def accept(text: str, library: Path, folder: Path) -> bool:
    """Whether the kernel accepts all theorems of a file, without axioms."""
    done = run_rocq(text, library, folder)
    closed = done.stdout.count("Closed under the global context")
    return done.returncode == 0 and closed == text.count("Print Assumptions")
