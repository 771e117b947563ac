"""Theorems that a header of C gives every word its class, and that C defines all that it does.

`check.py CERTIFICATE.v HEADER.h` proves them of the language of the certificate. They speak of the
header's bytes, which `theories/Programs.v` reads, so a theorem is about this very file.
"""

import re
from pathlib import Path

from form import FormError

RIGHT, SAFE = "program_right_at_every_length", "program_is_safe"

_RESET = re.compile(r"^static inline unsigned (\w+)_reset\(void\)$", re.ASCII | re.MULTILINE)


_STRANGE = re.compile(r"[^\n -~]")


_IMPORTS = """From Coq Require Import List NArith.
From Lengthwise Require Import Words Data Programs ProgramChecker.
"""

THEOREMS = f"""
Theorem {RIGHT} : forall w : word,
  is_word language w -> in_domain language w ->
  program_class source prefix w = Some (class_of (answers language) w).
Proof.
  apply program_right.
  vm_cast_no_check (@eq_refl bool true).
Qed.

Theorem {SAFE} : safe source prefix (num_symbols language).
Proof.
  apply program_safe.
  vm_cast_no_check (@eq_refl bool true).
Qed.

Print Assumptions {RIGHT}.
Print Assumptions {SAFE}.
"""


def read_header(path: Path) -> str:
    """Return a header that `lengthwise export` may have written.

    Raises:
        FormError: it has a byte or lacks a function, so it is none.
        OSError: it cannot be read.
    """
    source = path.read_bytes().decode("latin-1")
    byte, reset = _STRANGE.search(source), _RESET.search(source)
    if byte is not None or reset is None:
        strange = "no function resets" if byte is None else f"byte {byte.start()} is {byte[0]!a}"
        raise FormError(
            f"{str(path)!a} is not as lengthwise export writes a header: {strange}. Export it "
            f"again."
        )
    return source


def data_of(source: str) -> str:
    """Return the definitions of a header and of the names of its functions."""
    reset = _RESET.search(source)
    assert reset is not None
    quoted = source.replace('"', '""')
    return f"""Definition source := "{quoted}"%text.
Definition prefix := "{reset[1]}"%text.
"""


def theorems_about(source: str, certificate: str) -> str:
    """Return a Rocq file with theorems about a header and the language of a compiled module."""
    return f"{_start(source, certificate)}{THEOREMS}"


def question_about(source: str, certificate: str) -> str:
    """Return a Rocq file that asks why the theorems do not hold, for `explain`."""
    return f"""{_start(source, certificate)}
Eval vm_compute in (is_program source, wrong_word source prefix language).
"""


def _start(source: str, certificate: str) -> str:
    language = f"Require {certificate}.\nDefinition language := {certificate}.language.\n"
    return f"{_IMPORTS}{language}{data_of(source)}"


def explain(answers: str) -> str:
    """Return why a header is not proved, from what Rocq prints of `question_about`."""
    found = " ".join(answers.split())
    if found.startswith("= (false"):
        return "is not in the part of C that proofs/theories/Programs.v defines"
    if found.startswith("= (true, Some"):
        symbols = " ".join(re.findall(r"\d+", found)) or "none"
        return f"gives a word another class; its symbols: {symbols}"
    return "has numbers that lead out of its tables or states"
