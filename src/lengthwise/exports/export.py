"""Exports an automaton, or the automaton or network of a run, to a file: `lw.export`."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, Union

from lengthwise.arguments import path_of
from lengthwise.errors import ConfigError, RunError
from lengthwise.exports.catalogue import FORMATS
from lengthwise.exports.format import Exported, Format
from lengthwise.files import read_object, require_file_place, write_bytes
from lengthwise.languages.characters import list_symbols
from lengthwise.languages.language import Language
from lengthwise.problems.subjects import read_equivalence, resolve_subject
from lengthwise.zoo_paths import PREFIX, is_shipped

if TYPE_CHECKING:
    from lengthwise.constructions.construction import Computed
    from lengthwise.problems.base import Run
    from lengthwise.problems.inferred.inference import Inference
    from lengthwise.proofs.search.extracted_automaton import Extraction

Subject: TypeAlias = Union[Language, "Inference", "Extraction", "Run", "Computed"]
"""What has an automaton; that of a network needs a certificate which says that it is the same."""


def export(subject: Subject | str | Path, path: Path | str) -> Exported:
    """Write an automaton, or the network of a run, in the format that the file's ending names.

    Args:
        subject: a language or its specification, a result of `infer` or `extract`, or a run or its
            folder. A run's automaton is written if its folder has a proof, and its network
            (`.onnx`) in any case.
        path: the file: `.c`, `.dot`, `.gv`, `.svg`, `.pdf`, `.png`, `.regex`, `.txt`, `.att`,
            `.hoa`, `.jff`, `.mmd`, `.json`, `.onnx`, `.h` or `.v`.

    Returns:
        What was written: the automaton, and the `.notes` in the file's comment.

    Examples:
        >>> import lengthwise as lw
        >>> lw.export("parity", "parity.c").language
        Language(parity: 2 states over '0 1', classes '0 1')

    Raises:
        ConfigError: the ending is unknown, or the format cannot express the automaton.
        LanguageError: there is no such language, or the format cannot express a symbol.
        RunError: the file is a folder, or a run is damaged or has no proof.
        OSError: the file cannot be written.
    """
    out = require_export_place(path_of("a file", path, "parity.c"))
    file_format = FORMATS[out.suffix]()
    exported = exported_of(subject, file_format, name=out.stem)
    write_export(exported, out)
    return exported


def require_export_place(path: Path) -> Path:
    """Return the path of a file that can be written, whose ending names a format.

    Raises:
        ConfigError: there is no such format.
        RunError: no file can be written there.
    """
    require_file_place(path)
    if path.suffix not in FORMATS:
        raise ConfigError(f"the file's name must end in {' '.join(FORMATS)}, but got {path}.")
    return path


def require_automaton_place(path: Path) -> None:
    """Refuse a path where no automaton can be written.

    Raises:
        ConfigError: no format has its ending, or one of networks.
        RunError: no file can be written there.
    """
    if FORMATS[require_export_place(path).suffix].writes_network:
        raise ConfigError(
            f"this writes an automaton, but {path.suffix} is of networks. Use another ending, or "
            f"lengthwise export DIR --out {path}."
        )


def write_export(exported: Exported, path: Path) -> None:
    """Write a file in the format that its ending names, or nothing if it cannot be expressed."""
    content = FORMATS[path.suffix]().content(exported)
    write_bytes(path, content.encode() if isinstance(content, str) else content)


def exported_of(subject: Subject | str | Path, file_format: Format, *, name: str) -> Exported:
    """Return what a format writes of a subject.

    Raises:
        RunError: the format writes an automaton, and no certificate says that the run computes
            one.
        ConfigError: the format writes a network, and there is none.
    """
    if isinstance(subject, str | Path):
        subject = resolve_subject(str(subject))
    if isinstance(subject, Language):
        return _automaton(subject, name, f"The automaton of {_named(subject)}.")
    from lengthwise.problems.inferred.inference import Inference
    from lengthwise.problems.resolve import module_of, run_of
    from lengthwise.proofs.search.extracted_automaton import Extraction

    if isinstance(subject, Inference):
        note = f"The automaton that {subject.name} shows: {subject.statement.headline}"
        return _automaton(subject.language, name, note)
    if isinstance(subject, Extraction):
        return _automaton(subject.automaton, name, *notes_of_extraction(subject))
    run = run_of(subject)
    if run is None:
        raise ConfigError(
            f"an export is of a language or a run, but got a {type(subject).__name__}. Give the "
            f"folder of a run, or lw.extract(model, language=...)."
        )
    proof = _proof_of(run)
    if file_format.writes_network:
        return Exported(
            language=run.language,
            name=name,
            network=module_of(subject),
            notes=(f"The network of {place_of(run)}.", _note_on_arithmetic(proof)),
        )
    if proof is None:
        raise RunError(
            f"nothing proves that {place_of(run)} computes an automaton. Use lengthwise certify "
            f"DIR for a proof, or lengthwise extract DIR --out FILE for an automaton without one."
        )
    return _automaton(proof.language, name, *proof.notes)


@dataclass(frozen=True, slots=True)
class _Proof:
    """A proof in a run's folder that the checker accepted."""

    language: Language
    said: str
    """The certificate's digest and statement."""
    notes: tuple[str, ...]
    """The same, and what it says of the automaton of its language."""


def _proof_of(run: "Run") -> _Proof | None:
    proof = read_equivalence(run)
    if proof is None:
        return None
    language = proof.certificate.language
    digest = read_object(proof.path)["digest"]
    words = "every word" if language.domain is None else "every word of the domain"
    said = f"Certificate {digest}: {proof.certificate.statement}"
    which = "snapped network" if proof.certificate.is_of_snapped else "network"
    notes = (
        f"The automaton of {_named(language)}, proved of the {which} of {place_of(run)}.",
        said,
        f"This automaton is exact: it gives {words} the class that the certificate is about.",
    )
    return _Proof(language, said, notes)


def _note_on_arithmetic(proof: _Proof | None) -> str:
    said = "No certificate is about this network." if proof is None else proof.said
    return (
        f"{said} A certificate does not cover this file, whose arithmetic is that of the library "
        f"that runs it."
    )


def notes_of_extraction(extraction: "Extraction", run: "Run | None" = None) -> tuple[str, ...]:
    """Return how surely an automaton is the network that it was extracted from: the certificate of
    the run, if it is about this automaton.
    """
    if run is not None:
        proof = _proof_of(run)
        if proof is not None and proof.language.difference(extraction.automaton) is None:
            return proof.notes
    network = "a network" if run is None else f"the network of {place_of(run)}"
    return (f"The automaton extracted from {network}; is it the network: {extraction.fidelity}.",)


def place_of(run: "Run") -> str:
    """Return the folder of a run as it is typed."""
    if run.folder is None:
        return "a run without a folder"
    path = run.folder.path
    return f"{PREFIX}{path.name}" if is_shipped(path) else str(path)


def _automaton(language: Language, name: str, *notes: str) -> Exported:
    return Exported(language=language.minimise(), name=name, notes=notes)


def _named(language: Language) -> str:
    return language.spec or f"a language over {list_symbols(language.alphabet)}"
