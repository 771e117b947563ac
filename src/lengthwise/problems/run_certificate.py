"""The certificate in the folder of a run: whether it is of that run, and what it says of its model.

A certificate is a statement about the network in its own file. Whoever quotes it as one about a run
asks here: is the run's network of the same class, with the same settings and weights
(`require_network`), does the run write words and classes the same way (`require_symbols`), and is
the statement about the model as it runs (`verdict_about`)?
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lengthwise.errors import CertificateError
from lengthwise.languages.characters import list_symbols
from lengthwise.languages.functions.by_name import is_same_function
from lengthwise.languages.language import Language
from lengthwise.models.entry import Architecture, ModelEntry
from lengthwise.models.recognisers import ARCHITECTURES, MODELS
from lengthwise.proofs.check.certificate import Certificate
from lengthwise.proofs.check.induction import check
from lengthwise.proofs.check.networks import OF_CODE
from lengthwise.proofs.search.integrity import PROVABLE
from lengthwise.registry import Catalogue
from lengthwise.training.construction_files import is_compiled
from lengthwise.training.runs import RunFolder


@dataclass(frozen=True, kw_only=True, slots=True)
class Proof:
    """The certificate of a run, after the checker has looked at it."""

    certificate: Certificate
    """The certificate that the checker verified, or the one in the file if it verified none."""
    path: Path
    refused: str = ""
    """The reason why the checker refused a claim; empty if it accepted it, or if there is no
    claim."""

    def brief(self, language: Language) -> str:
        """Return the verdict in a few words, with its subject unless that is the model."""
        if self.refused:
            return "not proved"
        verdict, apart = self.certificate.verdict, _apart(self.certificate, language)
        return f"{verdict} ({', '.join(apart)})" if apart else verdict


def read_proof(folder: RunFolder, symbols: Language) -> Proof | None:
    """Check the run's last certificate, and return it; None if there is none.

    `symbols` is the run's language, or an automaton with the symbols and classes of its words.

    Raises:
        CertificateError: the file was changed, or is of another network or other symbols than the
            run's.
    """
    if not folder.certificate.exists():
        return None
    certificate = Certificate.load(folder.certificate)
    require_own_network(certificate, folder)
    require_symbols(certificate, symbols)
    if certificate.verdict == "not-closed":
        return Proof(certificate=certificate, path=folder.certificate)
    try:
        return Proof(certificate=check(certificate), path=folder.certificate)
    except CertificateError as error:
        return Proof(certificate=certificate, path=folder.certificate, refused=str(error))


def verdict_about(certificate: Certificate, language: Language) -> str | None:
    """Return the verdict of a certificate, or None if it says nothing of the model as it runs.

    It says nothing of it if it is about another language, about the model with its vectors
    snapped, or about the model in another precision.
    """
    return None if _apart(certificate, language) else certificate.verdict


def find_known_verdict(proof: Proof | None, language: Language) -> str | None:
    """Return what a certificate that was checked says of the model as it runs, if it does."""
    if proof is None or proof.refused:
        return None
    return verdict_about(proof.certificate, language)


def is_about(certificate: Certificate, language: Language) -> bool:
    """Return whether a certificate is about a language, or one that is the same on every word."""
    is_same = is_same_function(certificate.language.spec, language.spec)
    return (
        is_same if is_same is not None else certificate.language.minimise() == language.minimise()
    )


def _apart(certificate: Certificate, language: Language) -> list[str]:
    """Return what else than the model as it runs, and its language, a certificate is about."""
    return [
        *([] if is_about(certificate, language) else ["another language"]),
        *(["snapped"] if certificate.is_of_snapped else []),
        *([] if certificate.precision == "weights" else [certificate.precision]),
    ]


def require_own_network(certificate: Certificate, folder: RunFolder) -> None:
    """Refuse a certificate of another network than the run's; no code of a user is imported.

    Raises:
        CertificateError: class, settings or weights differ.
        RunError: the folder holds no run, or is damaged.
    """
    if certificate.kind in OF_CODE:
        certificate.require_model({}, folder.arrays())
        return
    config = folder.config()
    architecture = _architecture(config)
    kinds: Mapping[Any, str] = {network_type: network_type.__name__ for network_type in PROVABLE}
    if architecture is None or kinds.get(architecture.module) != certificate.kind:
        raise CertificateError(
            f"the certificate is for another kind of network than the run's, which is "
            f"{config.get('model')!r:.60}. Certify the run."
        )
    certificate.require_model(folder.network(), folder.arrays())


def require_symbols(certificate: Certificate, symbols: Language | None) -> None:
    """Refuse a certificate whose symbols, classes or outputs are written otherwise than the run's.

    Raises:
        CertificateError: they differ.
    """
    language = certificate.language
    run_symbols = None if symbols is None else (symbols.alphabet, symbols.class_names)
    if symbols is not None and is_same_function(language.spec, symbols.spec) is False:
        raise CertificateError(
            "the certificate is about another function than the one whose outputs the run writes. "
            "Certify the run again."
        )
    if run_symbols != (language.alphabet, language.class_names):
        raise CertificateError(
            f"the certificate is about words over {list_symbols(language.alphabet)!a:.60} and "
            f"classes "
            f"{' '.join(language.class_names)!a:.60}, but the run has other symbols or classes. "
            f"Certify the run again."
        )


def _architecture(config: Mapping[str, Any]) -> Architecture | None:
    """Return the architecture of a stored run; None for one that its user's code builds."""
    name = config.get("model")
    if not isinstance(name, str) or ":" in name:  # an import path
        return None
    catalogue: Catalogue[Any] = ARCHITECTURES if is_compiled(config) else MODELS
    if name not in catalogue:
        return None
    entry = catalogue[name]
    if isinstance(entry, Architecture):
        return entry
    return entry.architecture if type(entry) is ModelEntry else None
