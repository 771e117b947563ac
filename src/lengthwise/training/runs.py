"""Run folders: the files of a run; each is complete at every moment.

    config.json             the settings of the run (of its stage); written first
    metrics.jsonl           a record per validation
    checkpoint.safetensors  all that is needed to continue; deleted when training has ended, as is
    previous.safetensors    the checkpoint before it, in case that one is lost
    model.safetensors       the trained weights; exists exactly if training has ended
    film.safetensors        frames of a film of training, if one is asked for
    scores.jsonl            the records of the last evaluation, by length and class
    evaluation.json         the summary of that evaluation
    certificate.json        the result of the last certification, with its evidence
    stages/1-NAME/          a stage that ended without a proof: its config.json, metrics.jsonl and
                            model.safetensors, and stage.json, which says how it ended

A run with several stages has the files of one stage at a time: `config.json` is replaced when the
next one begins.

Nothing is unpickled. Each file is written under a temporary name, synced and renamed.
"""

import shlex
import shutil
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray
from torch import Tensor

from lengthwise.errors import LengthwiseWarning, RunError
from lengthwise.files import (
    create_json,
    is_leftover,
    may_write,
    read_json,
    read_lines,
    read_object,
    remove_leftovers,
    require_folder_place,
    require_run_folder,
    sync_folder,
    write_bytes,
    write_json,
    write_lines,
)
from lengthwise.messages import shorten
from lengthwise.settings import flatten
from lengthwise.training import FORMAT
from lengthwise.training.run_files import lasting, load_tensors, read_metrics, save_tensors
from lengthwise.zoo_paths import PREFIX, is_shipped, resolve_path

if TYPE_CHECKING:
    from lengthwise.training.film import Film, Frame

try:
    import fcntl
except ImportError:  # Windows has no such locks
    fcntl = None  # type: ignore[assignment]

_READABLE = 60
"""Characters of a value that a message shows."""


@dataclass(frozen=True, slots=True)
class RunFolder:
    """The folder of one run, with its files."""

    path: Path

    def __post_init__(self) -> None:
        """Resolve `zoo:NAME`."""
        object.__setattr__(self, "path", resolve_path(self.path))

    @property
    def is_shipped(self) -> bool:
        """Tell whether the run comes with the package, and is not written to."""
        return is_shipped(self.path)

    def require_writable(self) -> None:
        """Refuse to write into a run that comes with the package, or that cannot be written to.

        Raises:
            RunError: it is one.
        """
        if self.is_shipped:
            name = self.path.name
            raise RunError(
                f"{PREFIX}{name} comes with the package, and is not written to. Copy it: "
                f"lengthwise zoo {name} --out DIR."
            )
        if self.path.is_dir():
            require_folder_place(self.path)

    @property
    def is_read_only(self) -> bool:
        """Tell whether nothing can be kept here: it comes with the package, or cannot be written
        to."""
        return self.is_shipped or not may_write(self.path)

    @property
    def is_finished(self) -> bool:
        """Tell whether training has ended."""
        return self._model.exists()

    @property
    def is_claimed(self) -> bool:
        """Tell whether the folder holds a run, finished or not."""
        return self._config.exists()

    @property
    def _config(self) -> Path:
        return self.path / "config.json"

    @property
    def _metrics(self) -> Path:
        return self.path / "metrics.jsonl"

    @property
    def _checkpoint(self) -> Path:
        return self.path / "checkpoint.safetensors"

    @property
    def _previous(self) -> Path:
        return self.path / "previous.safetensors"

    @property
    def _model(self) -> Path:
        return self.path / "model.safetensors"

    @property
    def _film(self) -> Path:
        return self.path / "film.safetensors"

    @property
    def certificate(self) -> Path:
        """Path of the certificate of the model."""
        return self.path / "certificate.json"

    @property
    def _scores(self) -> Path:
        return self.path / "scores.jsonl"

    @property
    def _evaluation(self) -> Path:
        return self.path / "evaluation.json"

    # ---- stages --------------------------------------------------------------------------------

    @property
    def _stages(self) -> Path:
        return self.path / "stages"

    def list_ended_stages(self) -> list["RunFolder"]:
        """Return the folders of the stages that ended without a proof, in their order."""
        folders = [folder for folder in self._stages.glob("*-*") if not is_leftover(folder)]
        return [RunFolder(folder) for folder in sorted(folders, key=_stage_number)]

    def stage_record(self) -> dict[str, Any]:
        """Return how a stage ended, from the folder of the stage.

        Raises:
            RunError: the record is damaged.
        """
        return read_object(self.path / "stage.json", remedy="Train again in a new folder.")

    def end_stage(
        self,
        name: str,
        record: Mapping[str, Any],
        metrics: list[dict[str, Any]],
        weights: Mapping[str, Tensor],
    ) -> "RunFolder":
        """Store a stage that ended without a proof, whole or not at all; return its folder.

        There are no weights if it ended before its first validation.
        """
        place = self._stages / name
        aside = RunFolder(place.with_name(f".{name}.tmp"))
        if aside.path.exists():  # a killed writer left it
            shutil.rmtree(aside.path)
        write_bytes(aside._config, self._config.read_bytes())
        write_json(aside.path / "stage.json", record)
        write_lines(aside._metrics, metrics)
        if weights:
            save_tensors(aside._model, weights)
        if self.is_filmed:
            write_bytes(aside._film, self._film.read_bytes())
        aside.path.rename(place)
        sync_folder(self._stages)
        return RunFolder(place)

    def begin_stage(self, config: Mapping[str, Any]) -> None:
        """Continue with the next stage, untrained; the last one must be stored."""
        self._remove_checkpoints()
        self._metrics.unlink(missing_ok=True)
        self._film.unlink(missing_ok=True)
        write_json(self._config, {"format": FORMAT, **config})

    def keep_stage(self, stage: "RunFolder") -> None:
        """End the run with the weights of one of its stages."""
        self._remove_checkpoints()
        write_bytes(self._config, stage._config.read_bytes())
        self._film.unlink(missing_ok=True)
        if stage.is_filmed:
            write_bytes(self._film, stage._film.read_bytes())
        self.finish(stage.weights(), stage.metrics())

    def claim(self, config: Mapping[str, Any]) -> bool:
        """Create the folder for this configuration, or accept one that already has it.

        Return whether it was created.

        Raises:
            RunError: the folder holds another run, or files that are not those of a run.
        """
        self.require_free()
        if not self._config.exists() and create_json(self._config, {"format": FORMAT, **config}):
            return True
        self.require_same(self.config(), config)
        if self.is_finished:
            self._remove_checkpoints()
        return False

    def unclaim(self, *, keep_folder: bool) -> None:
        """Give up a folder that was claimed, if nothing was trained in it yet.

        One in which another process is training stays as it is. With `keep_folder` the empty folder
        is left.
        """
        with suppress(RunError, OSError), self.lock():
            if set(self.path.iterdir()) == {self._config}:
                self._config.unlink()
                if not keep_folder:
                    self.path.rmdir()

    def require_free(self) -> None:
        """Refuse a folder that cannot hold a run.

        Raises:
            RunError: it holds files that are not those of a run, or is below a file.
        """
        if self._config.exists():
            return
        if self.path.exists() and (
            not self.path.is_dir() or any(not is_leftover(path) for path in self.path.iterdir())
        ):
            raise RunError(
                f"{self.path} exists and holds no run of lengthwise. Use a new or empty folder."
            )
        require_folder_place(self.path)

    def require_same(self, stored: Mapping[str, Any], asked: Mapping[str, Any]) -> None:
        """Refuse a configuration that differs from the folder's; None counts as missing.

        Raises:
            RunError: they differ; the message names the first setting that does, and whose values
                are short enough to be read.
        """
        old, new = (flatten(lasting(config)) for config in (stored, asked))
        differing = [key for key in {**new, **old} if old.get(key) != new.get(key)]
        if differing:
            texts = {key: [repr(values.get(key)) for values in (old, new)] for key in differing}
            readable = (key for key in differing if max(map(len, texts[key])) <= _READABLE)
            name = next(readable, differing[0])
            stored_text, asked_text = (shorten(text, _READABLE) for text in texts[name])
            raise RunError(
                f"{self.path} holds a run with {name}={stored_text}, but now {name}={asked_text} "
                f"is asked for. Use another folder, or ask for the same."
            )

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Keep other processes from training here; the system releases the lock if we die.

        Raises:
            RunError: another process is training in it.
        """
        with self._config.open("r+b") as file:  # network file systems lock writable files only
            if fcntl is not None:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except OSError:
                    raise RunError(
                        f"another process is training in {self.path}. Wait for it, or use another "
                        f"folder."
                    ) from None
            remove_leftovers(self.path)
            yield

    def network(self) -> dict[str, Any]:
        """Return the settings of the network.

        Raises:
            RunError: there is no run here, it is of another version, or it has no such settings.
        """
        network = self.config().get("network")
        if not isinstance(network, dict):
            raise RunError(f"{self._config} has no settings of a network. Train again.")
        return network

    def config(self) -> dict[str, Any]:
        """Return the configuration of the run.

        Raises:
            RunError: there is no run here, or it is of another version.
        """
        require_run_folder(self.path)
        if not self._config.exists():
            raise RunError(
                f"{self.path} holds no config.json, so it is not a run of lengthwise. `lengthwise "
                f"ls {self.path}` lists the runs below it."
            )
        config = read_json(self._config)
        version = config.get("format") if isinstance(config, dict) else None
        if type(version) is not int:
            raise RunError(f"{self._config} names no format of a run. Train again in a new folder.")
        if version != FORMAT:
            remedy = "Use a newer version" if version > FORMAT else "Train again in a new folder"
            raise RunError(
                f"{self._config} is of format {version}, but this version of lengthwise reads "
                f"format {FORMAT} alone. {remedy}."
            )
        return {key: value for key, value in config.items() if key != "format"}

    def metrics(self) -> list[dict[str, Any]]:
        """Return the records of training so far.

        Raises:
            RunError: the file is damaged.
        """
        return read_metrics(self._metrics)

    def save_checkpoint(self, tensors: Mapping[str, Tensor], metrics: list[dict[str, Any]]) -> None:
        """Store all that is needed to continue, and the records up to here."""
        write_lines(self._metrics, metrics)
        if self._checkpoint.exists():
            self._checkpoint.replace(self._previous)
        save_tensors(self._checkpoint, tensors)

    def checkpoint(self) -> dict[str, Tensor] | None:
        """Return the tensors that `save_checkpoint` stored last, or None if there are none.

        If that file cannot be read, the tensors that were stored before it are returned, with a
        warning: some steps are then repeated, with the same result.

        Raises:
            RunError: neither can be read.
        """
        paths = [path for path in (self._checkpoint, self._previous) if path.exists()]
        if len(paths) < 2:
            return load_tensors(paths[0]) if paths else None
        try:
            return load_tensors(self._checkpoint)
        except RunError:
            tensors = load_tensors(self._previous)
        self._checkpoint.unlink()  # otherwise it would become the previous one
        warnings.warn(
            f"{self._checkpoint} cannot be read, so training continues from the one before it",
            LengthwiseWarning,
            stacklevel=2,
        )
        return tensors

    @property
    def is_filmed(self) -> bool:
        """Tell whether there is a film of training."""
        return self._film.exists()

    def film(self) -> "Film | None":
        """Return the film of training, or None if there is none.

        Raises:
            RunError: it is damaged.
        """
        from lengthwise.training.film import read_film  # noqa: PLC0415  of films alone

        return read_film(load_tensors(self._film)) if self.is_filmed else None

    def frames(self) -> "list[Frame]":
        """Return the frames of the film so far; none of one that is damaged."""
        with suppress(RunError):
            film = self.film()
            return [] if film is None else film.frames
        return []

    def save_film(self, tensors: Mapping[str, Tensor]) -> None:
        """Store a film of training, in place of what there was of it."""
        save_tensors(self._film, tensors)

    def _remove_checkpoints(self) -> None:
        self._checkpoint.unlink(missing_ok=True)
        self._previous.unlink(missing_ok=True)

    def finish(self, weights: Mapping[str, Tensor], metrics: list[dict[str, Any]]) -> None:
        """Store the trained weights, which ends the run."""
        write_lines(self._metrics, metrics)
        save_tensors(self._model, weights)
        self._remove_checkpoints()

    def weights(self) -> dict[str, Tensor]:
        """Return the trained weights.

        Raises:
            RunError: training has not ended, or the file is damaged.
        """
        if not self.is_finished:
            raise RunError(
                f"{self.path} is not trained to the end. Continue it with lengthwise "
                f"resume {shlex.quote(str(self.path))}."
            )
        return load_tensors(self._model)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return `weights` as arrays.

        Raises:
            RunError: training has not ended, the file is damaged, or numpy has no such numbers.
        """
        try:
            return {name: weight.numpy() for name, weight in self.weights().items()}
        except TypeError:
            raise RunError(
                f"{self._model} has weights of a type that no run of lengthwise has, such as "
                f"bfloat16. Restore it, or train again in a new folder."
            ) from None

    def save_evaluation(self, records: list[dict[str, Any]], summary: Mapping[str, Any]) -> None:
        """Store the records of an evaluation and their summary, in place of the previous ones."""
        self._evaluation.unlink(missing_ok=True)
        write_lines(self._scores, records)
        write_json(self._evaluation, summary)

    def evaluation(self) -> dict[str, Any] | None:
        """Return the summary of the last evaluation, or None if there is none."""
        if not self._evaluation.exists():
            return None
        return read_object(self._evaluation, remedy="Evaluate again.")

    def scores(self) -> list[dict[str, Any]]:
        """Return the records of the last evaluation; empty if there was none."""
        return list(read_lines(self._scores, remedy="Evaluate again."))


def _stage_number(path: Path) -> int:
    number = path.name.partition("-")[0]
    return int(number) if number.isdecimal() else 0
