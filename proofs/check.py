"""Compile the library and the certificates of `proofs/` with Rocq, and check them again.

`make proofs` runs it, after `export_zoo.py` has written those of the zoo; so does
`python3 proofs/check.py FILE.v ...` for certificates of your own. It needs coqc and coqchk (Coq
8.16 or later), Flocq for theorems about floating point, and nothing but Python's standard library.
It refuses certificates of another form than exports have (`form.py`), and words in the library that
leave something unproved, demands that every theorem rests on no axiom, or, in floating point, on
none but those of Coq's real numbers, and prints what each file takes.
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

from form import FormError, require_form

HERE = Path(__file__).resolve().parent
EXPORTED = HERE.parent / "build" / "proofs"
"""Where `export_zoo.py` writes files."""

LIBRARY = (
    *("Words", "Data", "Arrays", "TreeChecker", "TreeSound", "Recurrence", "Theorems"),
    *("Networks", "Runs", "Fractions", "QuickSums", "Weights"),
)
"""Files of the library, each after those that it needs."""

FLOATS = ("Floats", "FloatNetworks", "Rounding", "Balls", "FloatWeights", "Margins")
"""Files of the library about floating point, which need Flocq."""

REALS = frozenset(
    {
        "ClassicalDedekindReals.sig_forall_dec",
        "ClassicalDedekindReals.sig_not_dec",
        "FunctionalExtensionality.functional_extensionality_dep",
        "Classical_Prop.classic",
    }
)
"""The axioms on which Coq's real numbers rest, and what Flocq proves about them."""

REFUSED = re.compile(
    r"\b(Admitted|admit|give_up|Axioms?|Parameters?|Conjecture|native_compute|native_cast_no_check|"
    r"Unset|bypass_check|Declare ML)\b"
)
CLOSED = "Closed under the global context"


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
    build: Path, limits: Limits, names: tuple[str, ...] = LIBRARY
) -> dict[str, object]:
    """Compile files of the library into a folder; return a row of figures for all of them.

    Raises:
        ProofError: a file is not proved.
    """
    build.mkdir(parents=True, exist_ok=True)
    coqc, seconds, most = tool("coqc"), 0.0, 0
    allowed = REALS if names == FLOATS else frozenset[str]()
    for name in names:
        path = HERE / "theories" / f"{name}.v"
        require_whole(path)
        shutil.copy(path, build)
        took, memory, text = run([coqc, "-q", "-Q", ".", "Lengthwise", f"{name}.v"], build, limits)
        require_axioms(path, text, [allowed] * path.read_text().count("Print Assumptions"))
        seconds, most = seconds + took, max(most, memory)
    file = "floats" if names == FLOATS else "library"
    return {"file": file, "coqc_seconds": seconds, "coqc_megabytes": most}


def find_axioms(text: str) -> list[frozenset[str]]:
    """Return the axioms that coqc printed, for each theorem."""
    found: list[set[str]] = []
    for line in text.splitlines():
        if line in (CLOSED, "Axioms:"):
            found.append(set())
        elif line[:1].strip():
            found.append({line.split()[0], *(found.pop() if found else ())})
    return [frozenset(axioms) for axioms in found]


def require_axioms(path: Path, text: str, allowed: list[frozenset[str]]) -> None:
    """Refuse theorems that, by what coqc printed, rest on other axioms than these.

    Raises:
        ProofError: there are others, or another number of theorems.
    """
    found = find_axioms(text)
    more = [sorted(axioms - known) for axioms, known in zip(found, allowed, strict=False)]
    if len(found) != len(allowed) or any(more):
        raise ProofError(
            f"{path} has a theorem that rests on something: {' '.join(text.split())[:300]}"
        )


def compile_certificate(
    path: Path, library: Path, build: Path, limits: Limits
) -> dict[str, object]:
    """Compile one certificate in a folder; return its figures.

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
        if any(map(is_of_floats, names)) and (weak := find_weak_sum(path, command, build, limits)):
            raise ProofError(f"{path} is not proved: {weak}") from error
        raise
    allowed = [REALS if is_of_floats(name) else frozenset[str]() for name in names]
    require_axioms(path, text, allowed)
    figures: dict[str, object] = {"file": path.stem, "bytes": path.stat().st_size}
    figures["sha256"] = digest(path.read_text(encoding="utf-8"))
    return {**figures, "coqc_seconds": seconds, "coqc_megabytes": memory}


WEAK = {
    "weak_step_bit": "bit {which} of the code after {parts}",
    "weak_step_answer": "the largest logit less logit {which} after {parts}",
    "weak_tree_bit": "bit {which} of the code of {parts}",
    "weak_tree_answer": "the largest logit less logit {which} of {parts}",
}
"""Functions of `Margins.v`, and the sums that they find."""


def find_weak_sum(path: Path, command: list[str], build: Path, limits: Limits) -> str:
    """Return which sum of a refused file is too close to 0 for its rounding, and by how much.

    Nothing if there is none, so that it is refused for another reason.
    """
    text = path.read_text(encoding="utf-8")
    format_ = "double" if " double weights w " in text else "single"
    asked = [name for name in WEAK if ("tree" in name) == ("weights : tree" in text)]
    data = re.sub(r"Theorem (\w+) .*?Print Assumptions \1\.\n", "", text, flags=re.S)
    data += "From Lengthwise Require Import Margins.\n"
    for name in asked:
        data += (
            f"Eval vm_compute in {name} {format_} weights (num_symbols language) codes network.\n"
        )
    (build / "weak.v").write_text(data, encoding="utf-8")
    try:
        shown = run([*command, "weak.v"], build, limits)[2]
    except ProofError:
        return ""
    for name, answer in zip(
        asked, re.findall(r"= (.*?)\s*: option weak", shown, re.S), strict=True
    ):
        found = re.search(
            r"elements := \[(.*?)\]; which := (\d+);\s*sum_of := (.*?);\s*kept := (\d+)",
            answer,
            re.S,
        )
        if found is not None:
            parts = (
                "elements " + ", ".join(re.findall(r"\d+", found[1])) if found[1] else "no symbol"
            )
            said = WEAK[name].format(which=found[2], parts=parts)
            numbers = [
                int(number) / 2 ** int(found[4]) for number in re.findall(r"-?\d+", found[3])
            ]
            if not numbers:
                return (
                    f"{said} may be no number, or 2^30 or more. Export a network of smaller ones."
                )
            distance, radius = abs(numbers[0]), numbers[1]
            return (
                f"{said} is {distance:.3g} from 0, and rounding can move it by {radius:.3g}, "
                f"{radius - distance:.3g} more. Train for a larger margin."
            )
    return ""


def digest(text: str) -> str:
    """Return the digest of a certificate without the comment at its top, which tells machines."""
    return hashlib.sha256(text[text.index("From Coq") :].encode()).hexdigest()


def is_of_floats(theorem: str) -> bool:
    """Return whether a theorem of this name is about floating point."""
    return theorem.startswith("float_")


def check_again(
    modules: Sequence[str], library: Path, build: Path, limits: Limits, *, alone: bool
) -> dict[str, object]:
    """Run coqchk on compiled modules, `alone` or with all that they need; return its figures.

    Raises:
        ProofError: it is refused, or rests on an axiom.
    """
    command = [tool("coqchk"), "-silent", "-o", "-bytecode-compiler", "yes"]
    command += ["-Q", str(library), "Lengthwise"]
    command += [] if build == library else ["-Q", str(build), ""]
    asked = [part for module in modules for part in (["-norec", module] if alone else [module])]
    seconds, memory, text = run([*command, *asked], build, limits)
    if not alone and "Axioms: <none>" not in text:
        raise ProofError(f"coqchk finds axioms under {modules[-1]}: {' '.join(text.split())[:500]}")
    return {"coqchk_seconds": seconds, "coqchk_megabytes": memory}


def main(arguments: list[str] | None = None) -> int:
    """Check the library and certificates; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, help="default: all of make proofs")
    parser.add_argument("--out", type=Path, help="write the figures as JSON")
    parser.add_argument("--quick", action="store_true", help="leave out coqchk")
    parser.add_argument("--seconds", type=count, help="of the processor, for a run of coqc at most")
    parser.add_argument("--megabytes", type=count, help="of memory, for a run of coqc at most")
    options = parser.parse_args(arguments)
    limits = Limits(seconds=options.seconds, megabytes=options.megabytes)
    files = options.files or every_file()
    rows: list[dict[str, object]] = []
    try:
        theorems = [require_form(path) for path in files]
        with tempfile.TemporaryDirectory() as folder:
            library, build = Path(folder) / "library", Path(folder) / "certificates"
            rows = [compile_library(library, limits)]
            if not options.quick:
                root = ["Lengthwise.Weights"]
                rows[0] |= check_again(root, library, library, limits, alone=False)
            show(rows[0])
            if any(is_of_floats(name) for names in theorems for name in names):
                rows.append(compile_library(library, limits, FLOATS))
                if not options.quick:
                    modules = [f"Lengthwise.{name}" for name in FLOATS]
                    rows[1] |= check_again(modules, library, library, limits, alone=True)
                show(rows[1])
            for path, names in zip(files, theorems, strict=True):
                rows.append(compile_certificate(path, library, build, limits))
                if not options.quick:
                    rows[-1] |= check_again([path.stem], library, build, limits, alone=True)
                show(rows[-1])
                closed = [name for name in names if not is_of_floats(name)]
                print(f"  {' '.join(closed)}: closed, without an axiom", flush=True)
                for name in set(names) - set(closed):
                    print(f"  {name}: on the axioms of the real numbers", flush=True)
            print_axioms(theorems)
        if options.out is not None:
            options.out.write_text(json.dumps(rows, indent=1) + "\n")
    except (ProofError, FormError, OSError) as error:
        print(f"proofs: {error}", file=sys.stderr)
        return 2
    return 0


def print_axioms(theorems: list[list[str]]) -> None:
    """Print on which axioms the theorems rest."""
    number = sum(is_of_floats(name) for names in theorems for name in names)
    others = sum(map(len, theorems)) - number
    print(f"{others} theorems rest on no axiom", end="" if number else ".\n")
    if number:
        print(
            f", {number} about floating point on those of Coq's reals: {', '.join(sorted(REALS))}."
        )


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


def show(row: dict[str, object]) -> None:
    """Print the figures of a file in a line."""
    parts = [
        f"{key} {value:,.1f}" if isinstance(value, float) else f"{key} {value}"
        for key, value in row.items()
    ]
    print("  ".join(parts), flush=True)


if __name__ == "__main__":
    sys.exit(main())
