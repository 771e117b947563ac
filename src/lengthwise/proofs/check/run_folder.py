"""The model beside a certificate: whether a run's folder holds the network that was certified.

A certificate is about the weights in its own file. Whoever checks one in the folder of a run
expects it to be about that run, so the two are compared, without torch.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.numpy import load

from lengthwise.errors import CertificateError, LanguageError
from lengthwise.languages.functions.by_name import is_same_function
from lengthwise.languages.functions.function import Function
from lengthwise.languages.functions.reading import reading_of
from lengthwise.proofs.check.certificate import Certificate
from lengthwise.proofs.check.networks import OF_CODE
from lengthwise.proofs.check.statement import escape_unprintable

_UNREADABLE = (
    *(OSError, ValueError, LookupError, TypeError, AttributeError),
    *(SafetensorError, LanguageError),
)
"""What is raised by the files of a run that are damaged."""

_SETTINGS, _WEIGHTS = "config.json", "model.safetensors"


@dataclass(frozen=True, kw_only=True, slots=True)
class Beside:
    """The result of comparing a certificate with the folder that it is in."""

    model: str | None
    """Path of the weights that were looked at; None if there is no run."""
    is_same: bool | None
    """Whether settings, weights and symbols are the certificate's; None if there is no run."""
    said: str
    """The same in words."""


def compare_with_folder(certificate: Certificate, folder: Path) -> Beside:
    """Compare a certificate with the run in a folder, if there is one: settings, weights, symbols.

    What cannot be read is not the certified network.
    """
    settings, weights = folder / _SETTINGS, folder / _WEIGHTS
    if not (settings.exists() or weights.exists()):
        sentence = (
            "no model: there is no run beside it, and only the weights in the file were looked at"
        )
        return Beside(model=None, is_same=None, said=sentence)
    cast = "" if certificate.precision == "weights" else f", cast to {certificate.precision}"
    why = _difference(certificate, settings, weights)
    same = "weights and symbols" if certificate.kind in OF_CODE else "settings, weights and symbols"
    sentence = f"{weights}: the same {same}{cast}"
    if why:
        sentence = (
            f"{weights}, which DIFFERS: {why}. The statement is about the weights in the file"
        )
    return Beside(model=str(weights), is_same=not why, said=sentence)


def _difference(certificate: Certificate, settings: Path, weights: Path) -> str:
    """Return the reason why a stored network is not the certified one; empty if it is."""
    try:
        config: Any = json.loads(settings.read_bytes())
        network, (spec, symbols) = config["network"], _subject(config)
        is_same = is_same_function(spec, certificate.language.spec) is not False
        arrays = load(weights.read_bytes())
    except _UNREADABLE as error:
        return f"it cannot be read ({escape_unprintable(str(error) or repr(error)):.80})"
    is_of_code = certificate.kind in OF_CODE
    if not isinstance(network, dict) or not (
        is_of_code or set(network) == set(certificate.settings)
    ):
        return "it is a network of another kind"
    try:
        certificate.require_model(network, arrays)
    except (CertificateError, TypeError, ValueError):
        return "its settings or weights are others"
    if not is_same:
        return "it writes the outputs of another function"
    if symbols not in (None, (certificate.language.alphabet, certificate.language.class_names)):
        return "its symbols or classes have other names"
    return ""


def _subject(config: Any) -> tuple[str, tuple[tuple[str, ...], tuple[str, ...]] | None]:
    """Return specification, alphabet and class names of a run or of computed weights, as far as it
    has them.
    """
    subject = config.get("problem", config)
    if "function" in subject:
        function = Function.from_dict(subject["function"])
        symbols = reading_of(function).language
        return function.line, (symbols.alphabet, symbols.class_names)
    language = subject.get("language") or {}
    named = language or subject.get("words")
    names = named and (tuple(named["alphabet"]), tuple(named["class_names"]))
    return language.get("spec", ""), names
