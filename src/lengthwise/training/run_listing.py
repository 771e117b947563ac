"""List run folders by their JSON and the headers of their weights, without torch.

A certificate is quoted, not checked. `report` and `certify --check` check it.
"""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from lengthwise.errors import LengthwiseError, RunError
from lengthwise.evaluation.scores import percent
from lengthwise.files import read_lines, read_object, require_kinds, values_of
from lengthwise.languages.serialisation import from_dict
from lengthwise.messages import shorten
from lengthwise.proofs.check.statement import escape_unprintable
from lengthwise.training import FORMAT

try:
    import fcntl
except ImportError:  # Windows has no such locks
    fcntl = None  # type: ignore[assignment]

STATEMENT = "statement.json"
"""File of what labelled words say of an automaton that was inferred from them."""

_SUBJECTS = ("task", "steps", "corpus", "name")

_LONGEST = 40
"""Characters of a language's name that a claim shows."""

_MEASURES = {"mean_accuracy": "mean", "accuracy": "right", "exact_match": "exact match"}
"""Names of the main figure of an evaluation, if it is a share, and its name here."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Listed:
    """A run folder in a list."""

    folder: str
    problem: str = ""
    """Kind of the problem: `recognition`."""
    subject: str = ""
    """Language, step task or corpus."""
    model: str = ""
    seed: int | None = None
    written: str = ""
    """Local date and time at which a file of the run was last written."""
    state: str = ""
    """`finished`, `stopped`, `running`, `computed` or `damaged`."""
    step: int | None = None
    """Step of the last validation."""
    steps: int | None = None
    """Greatest number of steps, of the stage if there are several."""
    stage: int | None = None
    """Stage that is trained or kept, of a run that can have several."""
    stages: int | None = None
    """Greatest number of stages."""
    reason: str = ""
    """Message about the damage."""
    held_out_accuracy: float | None = None
    """Share of the words held out on which an inferred automaton is right."""
    shortcut_accuracy: float | None = None
    """Share of them on which the best shortcut is right."""
    verdict: str = ""
    """`refuted`, where the words held out speak against an inferred automaton."""
    validation_accuracy: float | None = None
    """Share of the answers that are right; of an inferred automaton, if there is one."""
    longest: int | None = None
    """Length of the longest words of that validation, where words grow."""
    grows_to: int | None = None
    """Length to which they are to grow."""
    evaluation: str = ""
    """Main figure of the last evaluation."""
    proof: str = "none"
    """The claim of the certificate, which is not checked here."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return asdict(self)

    @property
    def state_in_words(self) -> str:
        """The state with the step at which training stopped, or the damage."""
        match self.state:
            case "stopped" | "running":
                position = f"at step {self.step or 0:,}" + (
                    f" of {self.steps:,}" if self.steps else ""
                )
                position += f", stage {self.stage} of {self.stages}" if self.stages else ""
                return f"{self.state} {position}"
            case "damaged":
                return f"damaged: {self.reason}"
        return self.state


def list_runs(folder: Path) -> list[Listed]:
    """Return the runs in a folder and below it, in the order of their paths.

    Raises:
        RunError: it is not a folder.
    """
    if not folder.is_dir():
        raise RunError(f"{folder} is not a folder. Give one that holds runs.")
    return [_list_folder(path) for path in _run_folders(folder)]


def _run_folders(folder: Path) -> Iterator[Path]:
    """Yield the folders with a `config.json`, without hidden ones and without following links.

    The ended stages of a run are not runs of their own.
    """
    for path, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        if "config.json" in files and _is_ours(Path(path) / "config.json"):
            folders[:] = [name for name in folders if name != "stages"]
            yield Path(path)


def _is_ours(path: Path) -> bool:
    """Return whether a file is a run's configuration, or cannot be read.

    Other tools have files of this name, and so has the training of a body.
    """
    try:
        value = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return True
    return isinstance(value, dict) and "format" in value and "pretraining" not in value


def _list_folder(path: Path) -> Listed:
    try:
        with values_of(path / "config.json", remedy="Restore it, or make it again."):
            return Listed(**_read(path))
    except RunError as error:
        reason = str(error)
    except OSError as error:
        reason = f"{error.filename}: {error.strerror}. Restore it, or make it again"
    return Listed(folder=str(path), written=_format_time(path), state="damaged", reason=reason)


def _read(path: Path) -> dict[str, Any]:
    config = read_object(path / "config.json")
    version = config["format"]
    if version != FORMAT:
        raise RunError(f"it has format {version}, but this version reads format {FORMAT} alone")
    common = {"folder": str(path), "model": config["model"], "written": _format_time(path)}
    if "construction" in config:
        return {**common, **_list_computed(path, config)}
    training = config.get("training") or {}
    metrics = list(read_lines(path / "metrics.jsonl"))
    is_finished = (path / "model.safetensors").exists()
    if is_finished:
        _require_whole(path / "model.safetensors", "Train again in a new folder.")
    if is_finished and not metrics:
        raise RunError(f"{path}/metrics.jsonl is empty or missing. Train again in a new folder.")
    kind, subject = _about(config)
    with values_of(path / "metrics.jsonl"):
        best = max(reversed(metrics), key=_rank) if metrics else {"validation_accuracy": None}
        step = metrics[-1]["step"] if metrics else 0
    of_best = {name: best.get(name) for name in _SHOWN}
    require_kinds(of_best, _SHOWN, where=f"{path}/metrics.jsonl", remedy="Train again.")
    statement = read_statement(path)
    of_words = ("held_out_accuracy", "shortcut_accuracy", "verdict")
    by_words = {name: statement[name] for name in of_words} if statement else {}
    claim = _claim(path, config, is_proved=is_finished and best.get("proved") is True)
    running = not is_finished and _is_locked(path / "config.json")
    stage, later = config.get("stage", 1), len(config.get("later", ()))
    inferred = "F" if "function" in config.get("problem", {}) else "A"
    staged = {"stage": stage, "stages": stage + later} if stage > 1 or later else {}
    return {
        **common,
        "problem": kind,
        "subject": subject,
        "seed": training.get("seed"),
        "state": "finished" if is_finished else "running" if running else "stopped",
        "step": step,
        "steps": training.get("steps"),
        **staged,
        **of_best,
        **by_words,
        "evaluation": _evaluation(path),
        "proof": f"{claim} to {inferred}" if statement and claim == "claims equivalent" else claim,
    }


_SHOWN = {
    "validation_accuracy": "a share or null",
    "longest": "an integer or null",
    "grows_to": "an integer or null",
}
"""Values of a validation that are shown, with their kinds."""


def read_statement(folder: Path) -> dict[str, Any] | None:
    """Return what words say of the automaton, or pairs of the function, that was inferred from
    them; None if a run has neither.

    `judged` names the result on what was held out, `held_out_accuracy` is the accuracy there, and
    `shortcut_accuracy` that of the best shortcut.

    Raises:
        RunError: the record is damaged.
    """
    file = folder / STATEMENT
    if not file.exists():
        return None
    with values_of(file, remedy="Train again in a new folder."):
        statement = read_object(file)
        held = statement["held_out"]
        share = (held["words"] - held["wrong"]) / held["words"]
        shortcut = statement["shortcut_right"] / held["words"]
        fields = {
            name: statement[name]
            for name in ("inferred", "evidence", "headline", "sentences", "support", "refutation")
        }
        judged = f"{statement['inferred']}, judged by {statement['evidence']}"
        shares = {"held_out_accuracy": share, "shortcut_accuracy": shortcut}
        return {**statement, **fields, "judged": judged, **shares}


def _rank(record: Mapping[str, Any]) -> tuple[bool, float, float]:
    """Return the rank of a validation by which training keeps weights
    (`training.loop.find_kept_record`).
    """
    accuracy = record["validation_accuracy"]
    return record["perfect"], record.get("validation_score", accuracy), -record["validation_loss"]


def _require_whole(path: Path, remedy: str) -> None:
    """Refuse a truncated file of weights, by its size and its header alone.

    The header is its length in 8 bytes, and JSON with the place of each tensor among what follows.
    """
    with path.open("rb") as file:
        size = path.stat().st_size
        length = int.from_bytes(file.read(8), "little")
        try:
            if length > size:
                raise ValueError("the head is longer than the file")
            head = json.loads(file.read(length))
            tensors = [entry for name, entry in head.items() if name != "__metadata__"]
            end = max((tensor["data_offsets"][1] for tensor in tensors), default=0)
            if size != 8 + length + end:
                raise ValueError(f"it has {size:,} bytes instead of {8 + length + end:,}")
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            raise RunError(f"{path} is truncated, or not a file of weights. {remedy}") from None


def _list_computed(path: Path, config: Mapping[str, Any]) -> dict[str, Any]:
    state = "computed" if (path / "model.safetensors").exists() else "damaged"
    if state == "computed":
        _require_whole(path / "model.safetensors", "Compile again.")
    return {
        "problem": "construction",
        "subject": config["construction"],
        "state": state,
        "reason": "" if state == "computed" else "model.safetensors is missing. Compile again.",
        "evaluation": _evaluation(path),
        "proof": _claim(path, config),
    }


def _about(config: Mapping[str, Any]) -> tuple[str, str]:
    """Return the kind of the problem, and its subject; computed weights have it at the top."""
    problem = config.get("problem", config)
    kind = problem.get("kind", "recognition" if "language" in problem else "")
    prefix = "pairs" if "function" in problem else "words"
    source = f"{prefix}:{Path(problem['words']['file']).name}" if "words" in problem else ""
    if "language" in problem or source:
        return kind, problem.get("language", {}).get("spec") or source or "a language"
    for name in _SUBJECTS:
        value = problem.get(name)
        if isinstance(value, str):
            return kind, value
        if isinstance(value, dict):
            plain = [str(item) for item in value.values() if isinstance(item, str | int)]
            return kind, str(value.get("folder") or value.get("name") or " ".join(plain[:2]))
    return kind, kind


def _evaluation(path: Path) -> str:
    file = path / "evaluation.json"
    if not file.exists():
        return ""
    remedy = "Evaluate again."
    evaluation = read_object(file, remedy=remedy)
    shares = {name: "a share" for name in _MEASURES if name in evaluation}
    require_kinds(evaluation, shares, where=str(file), remedy=remedy)
    with values_of(file, remedy=remedy):
        return _figure(evaluation)


def _figure(evaluation: Mapping[str, Any]) -> str:
    """Return the main figure of an evaluation."""
    for name, label in _MEASURES.items():
        if name in evaluation:
            return f"{label} {percent(evaluation[name])} %"
    part = f" ({evaluation['part']})" if evaluation.get("part", "test") != "test" else ""
    if "bleu" in evaluation:
        return f"BLEU {evaluation['bleu']:.2f}{part}"
    if evaluation.get("perplexity"):
        length, value = max(evaluation["perplexity"].items(), key=lambda pair: int(pair[0]))
        return f"perplexity {value:.2f} at {int(length):,}{part}"
    return ""


def _claim(path: Path, config: Mapping[str, Any], *, is_proved: bool = False) -> str:
    """Return the claim and the subject of a certificate, which is not checked here.

    Without one, say whether training ended with a proof.
    """
    file = path / "certificate.json"
    if not file.exists():
        return "no certificate yet, proved in training" if is_proved else "none"
    try:
        certificate = read_object(file)
        if certificate["verdict"] == "not-closed":
            return "not closed"
        about_words, precision = certificate["language"], certificate.get("precision", "weights")
        name = shorten(escape_unprintable(about_words["spec"]), _LONGEST) or "another language"
        stored = config if "construction" in config else config.get("problem", config)
        own_language = stored.get("language")
        notes = [
            *([name] if own_language and not _are_alike(own_language, about_words) else []),
            *(["snapped"] if certificate["strength"] in ("snapped", "tabulated") else []),
            *([escape_unprintable(precision)] if precision != "weights" else []),
        ]
        return f"claims {escape_unprintable(certificate['verdict'])}" + (
            f" ({', '.join(notes)})" if notes else ""
        )
    except (LengthwiseError, LookupError, TypeError, ValueError, AttributeError):
        return "damaged certificate"


def _are_alike(first: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Return whether two stored automata are of one language, whatever its name."""
    if {**first, "spec": ""} == {**other, "spec": ""}:
        return True
    return from_dict(first).minimise() == from_dict(other).minimise()


def _is_locked(path: Path) -> bool:
    """Return whether a process trains in the folder of this file."""
    if fcntl is None:
        return False
    with path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return True
    return False


def _format_time(path: Path) -> str:
    times = [entry.stat().st_mtime for entry in os.scandir(path) if entry.is_file()]
    return datetime.fromtimestamp(max(times)).astimezone().isoformat(" ", "minutes")[:16]
