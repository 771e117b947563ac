"""The check of a certificate in a file, with the run beside it, for `lw.check` and the command."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from lengthwise.arguments import path_of
from lengthwise.errors import CertificateError, ClaimError
from lengthwise.languages.functions.by_name import is_same_function
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from lengthwise.proofs.check.certificate import Certificate
from lengthwise.proofs.check.induction import Induction, check_with_induction
from lengthwise.proofs.check.prefixes import PrefixInduction
from lengthwise.proofs.check.run_folder import Beside, compare_with_folder
from lengthwise.zoo_paths import PREFIX, resolve_path


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckedFile:
    """A certificate that was checked, and what is known of the run beside it."""

    path: Path
    certificate: Certificate
    """The verified part of it, with all figures recomputed."""
    induction: Induction | PrefixInduction | None
    """What the checker computed from the weights; None if the strength is `structural`."""
    beside: Beside | None
    """The comparison with the run in the file's folder; None if another run was compared."""

    def require_same(self) -> None:
        """Refuse a certificate beside a model that is not the certified one.

        Raises:
            ClaimError: it is not.
        """
        if self.beside is not None and self.beside.is_same is False:
            raise ClaimError(
                f"the certificate holds for its own weights, but {self.beside.model} beside it "
                f"DIFFERS. Certify that model, or check the certificate in another folder."
            )


def check(file: Path | str, *, language: Language | str | None = None) -> Certificate:
    """Check the certificate in a file, or that of `zoo:NAME`, without torch.

    Where a run lies beside the file, its weights must be the certified ones. `lengthwise certify
    --check FILE` does the same.

    Args:
        file: the certificate, or `zoo:NAME`.
        language: the language that it must be about.

    Returns:
        The verified part of the certificate: its figures are recomputed, its `.verdict` is
        `equivalent` or `counterexample`, and `.statement` is the claim that holds.

    Examples:
        >>> import lengthwise as lw
        >>> lw.check("zoo:parity", language="parity").verdict
        'equivalent'

    Raises:
        CertificateError: the file is not a certificate, it was changed, something in it does not
            follow, or it is about another language.
        ClaimError: the certificate holds, but the model beside it is another.
        LanguageError: there is no such language.
    """
    checked_file = check_file(path_of("a certificate", file), language=language)
    checked_file.require_same()
    return checked_file.certificate


def check_file(
    path_given: Path,
    *,
    language: Language | str | None = None,
    require_own: Callable[[Certificate], None] | None = None,
) -> CheckedFile:
    """Check the certificate in a file, or that of `zoo:NAME`.

    `require_own` refuses a certificate of another run than one that the caller has; without it, the
    certificate is compared with the run beside it.

    Raises:
        CertificateError: see `check`.
        LanguageError: there is no such language.
    """
    path = _file_of(path_given)
    claimed = Certificate.load(path)
    if language is not None:
        _require_language(claimed, language)
    if require_own is not None:
        require_own(claimed)
    verified, induction = check_with_induction(claimed)
    beside = compare_with_folder(verified, path.parent) if require_own is None else None
    return CheckedFile(path=path, certificate=verified, induction=induction, beside=beside)


def _file_of(name: Path) -> Path:
    """Return the file of a certificate, or of that of `zoo:NAME`."""
    file = name
    if str(name).startswith(PREFIX):
        file = resolve_path(name) / "certificate.json"
        if not file.exists():
            raise CertificateError(
                f"{name} has no certificate: nothing is proved about it. `lengthwise zoo` "
                f"lists the models with proofs."
            )
    _require_certificate(file)
    return file


def _require_certificate(file: Path) -> None:
    """Refuse a folder or another file of a run; the message names the file that is meant."""
    if not file.is_dir() and file.name not in OF_RUNS:
        return
    folder = file if file.is_dir() else file.parent
    meant = folder / "certificate.json"
    writer = "" if meant.exists() else f", which lengthwise certify {folder} writes"
    kind = "a folder" if file.is_dir() else "another file of a run"
    raise CertificateError(f"{file} is not a certificate, but {kind}. Give {meant}{writer}.")


OF_RUNS = (
    *("config.json", "metrics.jsonl", "scores.jsonl", "evaluation.json", "film.safetensors"),
    *("model.safetensors", "checkpoint.safetensors", "snapped.safetensors"),
    "previous.safetensors",
)
"""Files of a run that are not certificates."""


def _require_language(certificate: Certificate, language: Language | str) -> None:
    """Refuse a certificate about another language."""
    asked_language = language if isinstance(language, Language) else parse(language)
    certified = certificate.language
    same = (certified.alphabet, certified.class_names) == (
        asked_language.alphabet,
        asked_language.class_names,
    )
    is_same = is_same_function(certified.spec, asked_language.spec)
    if is_same is None:
        is_same = same and certified.difference(asked_language) is None
    if not is_same:
        name = language if isinstance(language, str) else asked_language.spec or "that language"
        raise CertificateError(f"the certificate is for another language than {name}.")
