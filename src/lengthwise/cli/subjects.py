"""The language that an argument names: a specification, a file of an automaton, or a run."""

import os

from lengthwise.errors import RunError
from lengthwise.languages.language import Language
from lengthwise.languages.machine_files import read_machine
from lengthwise.languages.spec import names_kind, parse, require_alphabet
from lengthwise.zoo_paths import is_shipped


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
    if names_kind(subject):
        return parse(subject, alphabet)
    machine = read_machine(subject)
    if machine is not None:
        return require_alphabet(machine, alphabet)
    if is_shipped(subject) or os.path.isdir(subject):  # noqa: PTH112  a Path with NUL raises
        return _of_run(subject, proved=proved)
    return parse(subject, alphabet)


def _of_run(folder: str, *, proved: bool) -> Language:
    from lengthwise.problems.run_certificate import read_proof
    from lengthwise.problems.runs import load_run

    run = load_run(folder, device="cpu")
    if not proved:
        return run.language
    assert run.folder is not None
    proof = read_proof(run.folder, run.language)
    if proof is not None and not proof.refused:
        certificate = proof.certificate
        if certificate.verdict == "equivalent" and certificate.strength != "snapped":
            return certificate.language
    raise RunError(
        f"nothing proves which language the network of {folder} computes. Use lengthwise certify "
        f"{folder}, or give the automaton that lengthwise extract {folder} --out FILE.att writes."
    )
