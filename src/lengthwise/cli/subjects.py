"""The language that an argument names: a specification, a file of an automaton, or a run."""

from pathlib import Path

from lengthwise.errors import RunError
from lengthwise.files import read_object, values_of
from lengthwise.languages.language import Language
from lengthwise.languages.serialisation import from_dict
from lengthwise.languages.spec import parse
from lengthwise.zoo_paths import is_shipped

_INFERRED = "inferred:"


def read_subject(subject: str, alphabet: str | None = None, *, proved: bool = False) -> Language:
    """Return the language of a specification, of a file .att or .json, or of a run.

    Args:
        subject: the argument.
        alphabet: all symbols of a regular expression, a formula or an AT&T file.
        proved: whether the network of a run must be proved to compute the language.

    Raises:
        LanguageError: there is no such language.
        RunError: the run or the file is damaged, or no certificate proves what the network of the
            run computes as it runs.
    """
    if subject.startswith(_INFERRED):
        return _inferred(Path(subject.removeprefix(_INFERRED)))
    if subject.endswith(".json") and Path(subject).is_file():
        return _inferred(Path(subject))
    if subject.endswith((".att", ".fst")) and Path(subject).is_file():
        return parse(f"att:{subject}", alphabet)
    if is_shipped(subject) or Path(subject).is_dir():
        return _of_run(subject, proved=proved)
    return parse(subject, alphabet)


def _inferred(file: Path) -> Language:
    """Return the automaton that `infer --out FILE.json` wrote; the words are not needed."""
    remedy = "Give a file that `lengthwise infer WORDS --out FILE.json` wrote."
    values = read_object(file, remedy=remedy)
    with values_of(file, remedy=remedy):
        return from_dict(values["language"])


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
