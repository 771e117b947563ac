"""Judge a submission: a run folder whose proof is checked, and nothing in it is believed.

1. The folder holds plain files of known names, each small enough to be read, and no links.
2. The certificate is checked from the weights that it holds (`proofs.check.induction`), and says
   `equivalent`.
3. Class, settings, weights and symbols of the run's network are those of the certificate.
4. The language of the certificate is equivalent to one of the board's own definitions, by the
   alphabet, the classes, and the product of the automata; its name is not looked at.

No code of the folder is run, nothing is unpickled, and no figure in it is taken over: parameters
are counted in the certificate. What a proof cannot show (whether weights were trained, the
supervision, the seed) is printed as the folder says.
"""

import hashlib
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lengthwise.board.entries import LANGUAGES, BoardEntry
from lengthwise.errors import CertificateError, ClaimError, RunError
from lengthwise.files import require_run_folder
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from lengthwise.messages import format_count
from lengthwise.problems.runs import require_own_certificate
from lengthwise.proofs.check.certificate import Certificate
from lengthwise.proofs.check.induction import check, check_machine
from lengthwise.proofs.check.networks import OF_CODE
from lengthwise.proofs.check.statement import escape_unprintable
from lengthwise.training.construction_files import is_compiled
from lengthwise.training.runs import RunFolder
from lengthwise.zoo_paths import spell_path

_MB = 2**20

MOST_BYTES: Mapping[str, int] = {
    "config.json": _MB,
    "model.safetensors": 16 * _MB,
    "certificate.json": 32 * _MB,
    "metrics.jsonl": 4 * _MB,
    "scores.jsonl": 4 * _MB,
    "evaluation.json": _MB,
    "record.json": _MB,
    "README.md": _MB,
}
"""The files that a submission may have, and their greatest sizes."""

NEEDED = ("config.json", "model.safetensors", "certificate.json")


def judge_submission(path: Path) -> BoardEntry:
    """Return the entry that a folder would be.

    Raises:
        RunError: the folder has a file that no submission has, or that is too large.
        CertificateError: the proof does not follow, is of other weights, or is about a language
            that the board does not have.
        ClaimError: the certificate is about a wrong word.
    """
    folder = RunFolder(path)
    _require_plain_files(folder.path)
    certificate = check(Certificate.load(folder.certificate))
    if certificate.verdict != "equivalent":
        raise ClaimError(f"{certificate.verdict}: {certificate.statement}")
    if certificate.kind in OF_CODE:
        raise ClaimError(
            "the certificate is about a table or a program, and only the network's own code says "
            "whether it is that of the network. The board takes networks that the checker computes "
            "from their weights."
        )
    config = folder.config()
    require_own_certificate(certificate, folder)
    return BoardEntry(
        name=_name_of(folder.path),
        language=_language_of(certificate),
        made="constructed" if is_compiled(config) else "trained",
        model=_kind_of(certificate),
        parameters=sum(weight.size for weight in certificate.weights.values()),
        bits=_bits_of(certificate),
        depth=_depth_of(certificate),
        arithmetic=_arithmetic_of(certificate),
        strength=certificate.strength,
        told=_find_supervision(config),
        seed=_seed(config),
        certificate=hashlib.sha256(folder.certificate.read_bytes()).hexdigest(),
    )


def _require_plain_files(path: Path) -> None:
    """Refuse a folder with links, files of other names, or large ones, before any is opened."""
    if path.is_symlink():
        raise RunError(f"{path} is a link. Give the folder itself.")
    require_run_folder(path)
    for number, file in enumerate(path.iterdir()):
        if number > len(MOST_BYTES) or file.name not in MOST_BYTES:
            raise RunError(
                f"a submission has no other files than {', '.join(MOST_BYTES)}, but {path} has "
                f"{escape_unprintable(file.name)!r:.60}. Copy {', '.join(NEEDED)} into a folder "
                f"of their own."
            )
        status = file.lstat()
        if not stat.S_ISREG(status.st_mode):
            raise RunError(f"{file} is not a plain file, but perhaps a link. Put the file there.")
        if status.st_size > MOST_BYTES[file.name]:
            raise RunError(
                f"{file.name} of a submission has at most {MOST_BYTES[file.name]:,} bytes, but "
                f"{file} has {status.st_size:,}. Submit a smaller network."
            )
    for name in NEEDED:
        if not (path / name).exists():
            raise RunError(
                f"a submission has {', '.join(NEEDED)}, but {spell_path(path)} has no {name}. "
                f"`lengthwise certify {spell_path(path)}` makes the certificate of a run, "
                f"if its network is one that can be proved."
            )


def _language_of(certificate: Certificate) -> str:
    """Return the language of the board that a checked certificate is about."""
    for name, spec in LANGUAGES.items():
        if _is_about(certificate, parse(spec)):
            return name
    raise CertificateError(
        f"the certificate is not about a language of the board, whatever its name. The board has "
        f"{', '.join(LANGUAGES)}."
    )


def _is_about(certificate: Certificate, language: Language) -> bool:
    certified = certificate.language
    if (certified.alphabet, certified.class_names) != (language.alphabet, language.class_names):
        return False
    try:
        check_machine(certificate.machine, language)
    except CertificateError:
        return False
    return True


_CELLS = {"elman": "elman-binary", "gru": "gru-binary", "relu": "relu-binary"}


def _kind_of(certificate: Certificate) -> str:
    settings = certificate.settings
    if certificate.strength == "structural":
        return "regular-gpt-slots"
    if "window" in settings:
        return "scratchpad-window"
    if certificate.kind == "Recurrent":
        return str(settings["cell"])
    if "cell" in settings:
        return _CELLS[settings["cell"]]
    if "attention" in settings:
        return "regular-gpt-rational"
    return "regular-gpt-binary" if settings["memory"] == "binary" else "regular-gpt"


def _bits_of(certificate: Certificate) -> int | None:
    settings = certificate.settings
    if certificate.strength == "structural":
        return int(settings["num_slots"]) * int(settings["num_bits"])
    if certificate.kind == "BinaryRecurrent" or settings.get("memory") == "binary":
        return int(settings["num_bits"])
    return None


def _depth_of(certificate: Certificate) -> str:
    settings = certificate.settings
    if "cell" in settings:
        return "a cell for each of n symbols"
    if "window" in settings:
        return f"{format_count(settings['num_layers'], 'layer')} for each of n symbols"
    return depth_of_tree(settings)


def depth_of_tree(settings: Mapping[str, Any]) -> str:
    """Return the layers that a tree runs on a word of n symbols, in words."""
    layers = format_count(settings.get("num_layers", 1), "layer")
    return f"{layers} on each of log{settings['chunk_size']}(n) levels"


def _arithmetic_of(certificate: Certificate) -> str:
    if certificate.precision != "weights":
        return certificate.precision
    return str(next(iter(certificate.weights.values())).dtype)


def _name_of(path: Path) -> str:
    return escape_unprintable(path.resolve().name)[:60]


def _find_supervision(config: Mapping[str, Any]) -> str:
    """Return the supervision that the folder reports."""
    if is_compiled(config):
        return "the automaton"
    return escape_unprintable(str(_within(config, "objective", "name") or "not said"))[:40]


def _seed(config: Mapping[str, Any]) -> int | None:
    seed = _within(config, "training", "seed")
    return seed if type(seed) is int else None


def _within(config: Mapping[str, Any], section: str, name: str) -> Any:
    part = config.get(section)
    return part.get(name) if isinstance(part, Mapping) else None
