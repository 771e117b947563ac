"""Rocq as tests run it: the compiled library, and whether the kernel accepts a file."""

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from axioms import allowed_axioms, rest_on

PROOFS = Path(__file__).parents[2] / "proofs"

needs_rocq = pytest.mark.skipif(
    shutil.which("coqc") is None, reason="needs Rocq: apt-get install coq"
)


_WHERE = (
    Path(
        subprocess.run(
            ["coqc", "-where"], capture_output=True, text=True, check=True
        ).stdout.strip()
    )
    if shutil.which("coqc")
    else Path("none")
)

needs_flocq = pytest.mark.skipif(
    not (_WHERE / "user-contrib" / "Flocq").exists(),
    reason="needs Flocq: apt-get install libcoq-flocq",
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
    """Whether the kernel accepts all theorems of a file, each on the axioms that it may rest on."""
    done = run_rocq(text, library, folder)
    names = re.findall(r"Print Assumptions (\w+)", text)
    return done.returncode == 0 and rest_on(done.stdout, [allowed_axioms(name) for name in names])
