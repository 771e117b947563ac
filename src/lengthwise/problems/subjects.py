"""The language that an argument names: a specification, a file of an automaton, or a run."""

import os
from typing import TYPE_CHECKING

from lengthwise.errors import RunError
from lengthwise.languages.language import Language
from lengthwise.languages.machine_files import read_machine
from lengthwise.languages.spec import names_kind, parse, require_alphabet
from lengthwise.zoo_paths import is_shipped

if TYPE_CHECKING:
    from lengthwise.problems.base import Run
    from lengthwise.problems.run_certificate import Proof


def read_subject(subject: str, alphabet: str | None = None, *, proved: bool = False) -> Language:
    """Return the language of a specification, of a file .att or .json, or of a run.

    Args:
        subject: the argument.
        alphabet: all symbols of a regular expression or a formula.
        proved: whether the network of a run must be proved to compute the language.

    Raises:
        LanguageError: there is no such language.
        RunError: the run or the file is damaged, or no certificate proves what the network of the
            run computes as it runs.
    """
    found = resolve_subject(subject, alphabet)
    if isinstance(found, Language):
        return found
    if not proved:
        return found.language
    proof = read_equivalence(found)
    if proof is not None and not proof.certificate.is_of_snapped:
        return proof.certificate.language
    raise RunError(
        f"nothing proves which language the network of {subject} computes. Use lengthwise certify "
        f"{subject}, or give the automaton that lengthwise extract {subject} --out FILE.att writes."
    )


def resolve_subject(subject: str, alphabet: str | None = None) -> "Language | Run":
    """Return the language of a specification or of a file .att or .json, or the run of a folder.

    Raises:
        LanguageError: there is no such language.
        RunError: the run or the file is damaged.
    """
    if names_kind(subject):
        return parse(subject, alphabet)
    machine = read_machine(subject)
    if machine is not None:
        return require_alphabet(machine, alphabet)
    if is_shipped(subject) or os.path.isdir(subject):  # noqa: PTH112  a Path with NUL raises
        from lengthwise.problems.runs import load_run  # noqa: PLC0415  torch is slow

        return load_run(subject, device="cpu")
    return parse(subject, alphabet)


def read_equivalence(run: "Run") -> "Proof | None":
    """Return the proof in a run's folder that the checker accepted: its network, or the snapped
    one, gives every word its class. None if there is no such proof.
    """
    from lengthwise.problems.resolve import symbols_of  # noqa: PLC0415  torch is slow
    from lengthwise.problems.run_certificate import read_proof  # noqa: PLC0415

    proof = None if run.folder is None else read_proof(run.folder, symbols_of(run, None))
    if proof is None or proof.refused or proof.certificate.verdict != "equivalent":
        return None
    return proof
