"""Compile the library and the certificates of `proofs/` with Rocq, and check them again.

`make proofs` runs it, after `export_zoo.py` has written those of the zoo; so does
`python3 proofs/check.py FILE.v ...` for certificates of your own. It needs coqc and coqchk (Coq
8.16 or later), Flocq for theorems about floating point, and nothing but Python's standard library.
It refuses certificates of another form than exports have (`form.py`), and words in the library that
leave something unproved, demands that every theorem rests on no axiom, or, in floating point, on
none but those of Coq's real numbers (`axioms.py`), and prints what each file takes.

A header of C after a certificate, `FILE.v FILE.h`, is proved to give every word the class of the
certificate's language (`programs.py`).
"""

import argparse
import hashlib
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from axioms import REALS, allowed_axioms, describe_axioms, is_of_floats, rest_on
from form import FormError, require_form
from programs import RIGHT, SAFE, explain, question_about, read_header, theorems_about
from weak_sums import explain_sums, question_about_sums

HERE = Path(__file__).resolve().parent
EXPORTED = HERE.parent / "build" / "proofs"
"""Where `export_zoo.py` writes files."""

LIBRARY = (
    *("Words", "Data", "Arrays", "TreeChecker", "TreeSound", "Recurrence", "Theorems"),
    *("Networks", "Runs", "Fractions", "QuickSums", "Weights", "Adder", "Functions"),
    *("Programs", "ProgramChecker"),
)
"""Files of the library, each after those that it needs."""

FLOATS = (
    *("Floats", "FloatNetworks", "Rounding", "FloatRuns", "Balls", "FloatWeights"),
    "Margins",
)
"""Files of the library about floating point, which need Flocq."""

SMOOTH = (
    *("FloatFunctions", "SmoothNetworks", "Enclosures", "Euclid", "SmoothBalls", "EuclidBalls"),
    *("SmoothWeights", "SmoothRuns", "SmoothMargins"),
)
"""Those about norms, softmax, tanh and gates in floating point, which need `FLOATS`."""

THEOREMS_FILE = "theorems_about_header"

LAST = tuple(f"Lengthwise.{name}" for name in ("Weights", "Adder", "Functions", "ProgramChecker"))
"""Files that need all others."""

REFUSED = re.compile(
    r"\b(Admitted|admit|give_up|Axioms?|Parameters?|Conjecture|native_compute|native_cast_no_check|"
    r"Unset|bypass_check|Declare ML)\b"
)


class ProofError(Exception):
    """A file that is not proved, or a tool that is not there."""


def tool(name: str) -> str:
    """Return the path of a program of Rocq.

    Raises:
        ProofError: it is not installed.
    """
    found = shutil.which(name)
    if found is None:
        raise ProofError(f"there is no {name}. Install Rocq: apt-get install coq, or opam's coq.")
    return found


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What one run of coqc or coqchk may take; None: anything."""

    seconds: int | None = None
    """Of the processor."""
    megabytes: int | None = None
    """Of memory that is asked for, which is more than what is used."""

    def set(self) -> None:
        """Limit this process."""
        if self.seconds is not None:
            resource.setrlimit(resource.RLIMIT_CPU, (self.seconds, self.seconds + 5))
        if self.megabytes is not None:
            resource.setrlimit(resource.RLIMIT_AS, (self.megabytes * 10**6,) * 2)

    def explain_failure(self, exit_code: int, text: str) -> str:
        """Return what was too little, and the remedy; nothing if a run failed for another reason.

        The exit code is negative if a signal ended it.
        """
        if exit_code == -signal.SIGXCPU and self.seconds is not None:
            return f"needs more than {self.seconds:,} s. Give --seconds more"
        if re.search("out of memory|stack overflow", text, re.I) or exit_code == -signal.SIGKILL:
            given = "there is" if self.megabytes is None else f"{self.megabytes:,} MB"
            more = "Take a larger machine" if self.megabytes is None else "Give --megabytes more"
            return f"needs more memory than {given}. {more}"
        return ""


def run(command: list[str], folder: Path, limits: Limits) -> tuple[float, int, str]:
    """Run a program; return processor seconds, largest memory in megabytes, and what it printed.

    Raises:
        ProofError: it failed; the message has the beginning of what it said, in one line.
    """
    with tempfile.TemporaryFile("w+", errors="replace") as output:
        child = subprocess.Popen(
            command,
            cwd=folder,
            stdout=output,
            stderr=subprocess.STDOUT,
            preexec_fn=limits.set,  # noqa: PLW1509  there is one thread
        )
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read()
    if child.returncode:
        what = f"{Path(command[0]).name} {command[-1]}"
        broken = limits.explain_failure(child.returncode, text)
        if re.search(r"Cannot find a physical path.*Flocq|prefix\s+Flocq", text, re.S):
            broken = (
                "needs Flocq, and there is none. Install it: apt-get install libcoq-flocq, or "
                "opam's coq-flocq"
            )
        said = " ".join(text.split())[:500] or f"exit status {child.returncode}"
        raise ProofError(f"{what} {broken}." if broken else f"{what} failed: {said}")
    scale = 1 if sys.platform == "darwin" else 1024
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * scale // 10**6, text


def require_whole(path: Path) -> None:
    """Refuse a file with a word that leaves something unproved.

    Raises:
        ProofError: such a word is there.
    """
    text = path.read_text(encoding="utf-8")
    found = REFUSED.search(text)
    if found:
        raise ProofError(f"{path} has the word {found[0]}, so it may be unproved.")


def compile_library(
    build: Path, limits: Limits, names: Sequence[str] = LIBRARY
) -> dict[str, object]:
    """Compile files of the library into a folder; return a row of figures for all of them.

    Raises:
        ProofError: a file is not proved.
    """
    build.mkdir(parents=True, exist_ok=True)
    coqc, seconds, most = tool("coqc"), 0.0, 0
    for name in names:
        path = HERE / "theories" / f"{name}.v"
        require_whole(path)
        shutil.copy(path, build)
        took, memory, text = run([coqc, "-q", "-Q", ".", "Lengthwise", f"{name}.v"], build, limits)
        allowed = frozenset[str]() if names is LIBRARY else REALS
        _require_axioms(path, text, [allowed] * path.read_text().count("Print Assumptions"))
        seconds, most = seconds + took, max(most, memory)
    groups = {LIBRARY: "library", FLOATS: "floats", SMOOTH: "smooth"}
    return {"file": groups[tuple(names)], "coqc_seconds": seconds, "coqc_megabytes": most}


def compile_certificate(
    path: Path, library: Path, build: Path, limits: Limits
) -> dict[str, object]:
    """Compile one certificate, or a language alone, in a folder; return its figures.

    Raises:
        FormError: it is not as exports are.
        ProofError: it is not proved, or rests on an axiom that it may not rest on.
    """
    names = require_form(path)
    build.mkdir(parents=True, exist_ok=True)
    shutil.copy(path, build)
    command = [tool("coqc"), "-q", "-Q", str(library), "Lengthwise"]
    try:
        seconds, memory, text = run([*command, path.name], build, limits)
    except ProofError as error:
        if "expected to have type" not in str(error) or not any(map(is_of_floats, names)):
            raise
        certificate = path.read_text(encoding="utf-8")
        (build / "question.v").write_text(question_about_sums(certificate))
        reason = explain_sums(certificate, run([*command, "question.v"], build, limits)[2])
        raise ProofError(f"{path} is not proved: {reason}") if reason else error from None
    _require_axioms(path, text, [allowed_axioms(name) for name in names])
    figures: dict[str, object] = {"file": path.stem, "bytes": path.stat().st_size}
    figures["sha256"] = digest(path.read_text(encoding="utf-8"))
    return {**figures, "coqc_seconds": seconds, "coqc_megabytes": memory}


def _require_axioms(path: Path, text: str, allowed: Sequence[frozenset[str]]) -> None:
    if not rest_on(text, allowed):
        raise ProofError(
            f"{path} has a theorem that rests on something: {' '.join(text.split())[:300]}"
        )


def compile_program(
    header: Path, certificate: Path, library: Path, build: Path, limits: Limits
) -> dict[str, object]:
    """Prove that a header is the language of a certificate in `build`; return its figures.

    The theorems are in the file `theorems_about_header.v` of the folder `build / header.name`.

    Raises:
        FormError: it is not as exports are.
        ProofError: it is not proved; the message says why.
    """
    folder = build / header.name
    folder.mkdir(exist_ok=True)
    command = [tool("coqc"), "-q", "-Q", str(library), "Lengthwise", "-Q", str(build), ""]
    source = read_header(header)
    (folder / f"{THEOREMS_FILE}.v").write_text(theorems_about(source, certificate.stem))
    try:
        seconds, memory, text = run([*command, f"{THEOREMS_FILE}.v"], folder, limits)
    except ProofError as error:
        if "expected to have type" not in str(error):
            raise
        (folder / "question.v").write_text(question_about(source, certificate.stem))
        reason = explain(run([*command, "question.v"], folder, limits)[2])
        raise ProofError(
            f"{header} is not proved to be the language of {certificate.name}: it {reason}. Export "
            f"both again."
        ) from None
    _require_axioms(header, text, [frozenset()] * 2)
    figures: dict[str, object] = {"file": header.name, "bytes": header.stat().st_size}
    return {**figures, "coqc_seconds": seconds, "coqc_megabytes": memory}


def digest(text: str) -> str:
    """Return the digest of a certificate without the comment at its top, which tells machines."""
    return hashlib.sha256(text[text.index("From Coq") :].encode()).hexdigest()


def check_again(
    modules: Sequence[str], library: Path, folders: Sequence[Path], limits: Limits, *, alone: bool
) -> dict[str, object]:
    """Run coqchk on compiled modules, `alone` or with all that they need; return its figures.

    Raises:
        ProofError: it refuses one, or finds an axiom.
    """
    command = [tool("coqchk"), "-silent", "-o", "-bytecode-compiler", "yes"]
    command += ["-Q", str(library), "Lengthwise"]
    command += [part for folder in folders for part in ("-Q", str(folder), "")]
    command += [part for module in modules for part in (*["-norec"] * alone, module)]
    seconds, memory, text = run(command, library, limits)
    if not alone and "Axioms: <none>" not in text:
        raise ProofError(f"coqchk finds axioms under {modules}: {' '.join(text.split())[:500]}")
    return {"coqchk_seconds": seconds, "coqchk_megabytes": memory}


def main(arguments: list[str] | None = None) -> int:
    """Check the library and certificates; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "files",
        nargs="*",
        type=Path,
        help="certificates .v, each with headers .h to prove of its language (default: all "
        "certificates of make proofs)",
    )
    parser.add_argument("--out", type=Path, help="write the figures as JSON")
    parser.add_argument("--quick", action="store_true", help="leave out coqchk")
    parser.add_argument("--seconds", type=count, help="of the processor, for a run of coqc at most")
    parser.add_argument("--megabytes", type=count, help="of memory, for a run of coqc at most")
    options = parser.parse_args(arguments)
    limits = Limits(seconds=options.seconds, megabytes=options.megabytes)
    rows: list[dict[str, object]] = []
    try:
        files = with_headers(options.files or every_file())
        theorems = [require_forms(*each) for each in files]
        with tempfile.TemporaryDirectory() as folder:
            library, build = Path(folder) / "library", Path(folder) / "certificates"
            rows = [compile_library(library, limits)]
            if not options.quick:
                rows[0] |= check_again(LAST, library, [], limits, alone=False)
            show(rows[0])
            for group in _groups_of(files, theorems):
                rows.append(compile_library(library, limits, group))
                if not options.quick:
                    modules = [f"Lengthwise.{name}" for name in group]
                    rows[-1] |= check_again(modules, library, [], limits, alone=True)
                show(rows[-1])
            for (path, headers), names in zip(files, theorems, strict=True):
                rows.append(compile_certificate(path, library, build, limits))
                if not options.quick:
                    rows[-1] |= check_again([path.stem], library, [build], limits, alone=True)
                show(rows[-1], names)
                for header in headers:
                    rows.append(compile_program(header, path, library, build, limits))
                    if not options.quick:
                        folders = [build, build / header.name]
                        rows[-1] |= check_again(
                            [THEOREMS_FILE], library, folders, limits, alone=True
                        )
                    show(rows[-1], [RIGHT, SAFE])
        show_total(rows)
        if options.out is not None:
            options.out.write_text(json.dumps(rows, indent=1) + "\n")
    except (ProofError, FormError, OSError) as error:
        print(f"proofs: {error}", file=sys.stderr)
        return 2
    return 0


def _groups_of(
    files: Sequence[tuple[Path, list[Path]]], theorems: Sequence[Sequence[str]]
) -> list[tuple[str, ...]]:
    """Return the groups of the library about floating point that certificates need."""
    of_floats = [
        path
        for (path, _), names in zip(files, theorems, strict=True)
        if any(map(is_of_floats, names))
    ]
    is_smooth = any("SmoothWeights" in path.read_text(encoding="utf-8") for path in of_floats)
    return [FLOATS, SMOOTH] if is_smooth else [FLOATS] if of_floats else []


def with_headers(files: Sequence[Path]) -> list[tuple[Path, list[Path]]]:
    """Return the certificates, each with the headers that follow it.

    Raises:
        FormError: a header follows none, or is not one.
    """
    found: list[tuple[Path, list[Path]]] = []
    for path in files:
        if path.suffix == ".c":
            raise FormError(f"{path} has more than tables. Export a header of tables: FILE.h.")
        if path.suffix != ".h":
            found.append((path, []))
        elif found:
            found[-1][1].append(path)
        else:
            raise FormError(f"{path} follows no certificate. Use check.py FILE.v {path}.")
    return found


def require_forms(path: Path, headers: Sequence[Path]) -> list[str]:
    """Return the names of a certificate's theorems, of which a language with headers has none.

    Raises:
        FormError: one of the files is not as exports are.
    """
    names = require_form(path)
    if not names and not headers:
        raise FormError(
            f"{path} is a language without a theorem. Give a header to prove: check.py {path} "
            f"FILE.h."
        )
    for header in headers:
        read_header(header)
    return names


def every_file() -> list[Path]:
    """Return the certificates of this folder and the exported ones, the smallest first."""
    found = {
        path.name: path for place in (HERE / "certificates", EXPORTED) for path in place.glob("*.v")
    }
    return sorted(found.values(), key=lambda path: path.stat().st_size)


def count(text: str) -> int:
    """Return a number of 1 or more."""
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def show_total(rows: Sequence[dict[str, Any]]) -> None:
    """Print what all files took together."""
    seconds = sum(row.get("coqc_seconds", 0) + row.get("coqchk_seconds", 0) for row in rows)
    most = max(row.get(f"{name}_megabytes", 0) for row in rows for name in ("coqc", "coqchk"))
    print(f"{len(rows)} files, {seconds / 60:.1f} minutes of the processor, {most} MB at most")


def show(row: dict[str, object], theorems: Sequence[str] = ()) -> None:
    """Print the figures of a file in a line, and its theorems."""
    parts = [
        f"{key} {value:,.1f}" if isinstance(value, float) else f"{key} {value}"
        for key, value in row.items()
    ]
    print("  ".join(parts), flush=True)
    for line in describe_axioms(theorems):
        print(f"  {line}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
