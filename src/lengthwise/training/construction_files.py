"""Folders of constructions: the files of a run, with computed weights instead of trained ones.

In `config.json`, `construction` (its name) and `settings` replace the training settings of a
trained run. The file also has either a `language` or, for a circuit, a `sequence`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from lengthwise.errors import LanguageError, RunError
from lengthwise.languages.serialisation import from_dict, to_dict
from lengthwise.models.recognisers import ARCHITECTURES
from lengthwise.settings import Config
from lengthwise.tasks.task import Task
from lengthwise.training.runs import RunFolder

if TYPE_CHECKING:
    from lengthwise.circuits.gate_sequence import GateSequence


@dataclass(frozen=True, kw_only=True, slots=True)
class Compiled:
    """The contents of `config.json` of a construction, where a trained run has its plan."""

    construction: str
    """A name in `constructions.known_constructions`, or the line of a language or circuit."""
    settings: Mapping[str, Any]
    claim: Mapping[str, Any]
    """The claim about the construction, and the range in which it holds; read by
    `constructions.folders`."""
    about: "Task | GateSequence"
    """The words that a recogniser classifies, or the sequence that a decoder completes."""
    model: str
    """A name in `ARCHITECTURES`."""
    network: Config

    @property
    def task(self) -> Task:
        """The task of the words that the construction classifies.

        Raises:
            RunError: it completes sequences instead.
        """
        if not isinstance(self.about, Task):
            raise RunError(
                f"{self.construction} computes a circuit, and classifies no words of any length. "
                f"Use predict or verify."
            )
        return self.about

    @property
    def threads(self) -> int:
        """Number of processor threads, which is the number that torch uses."""
        return torch.get_num_threads()

    def to_dict(self) -> dict[str, Any]:
        """Return the same as plain values, from which `from_dict` restores it."""
        about = self.about
        return {
            "construction": self.construction,
            "settings": dict(self.settings),
            "claim": dict(self.claim),
            **(
                {"language": to_dict(about.language)}
                if isinstance(about, Task)
                else {"sequence": about.to_dict()}
            ),
            "model": self.model,
            "network": self.network.to_dict(),
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Compiled":
        """Restore a stored construction from the values of its `config.json`.

        Raises:
            RunError: something is missing, or of the wrong kind, or its language is damaged.
        """
        from lengthwise.circuits.gate_sequence import GateSequence  # noqa: PLC0415  seldom

        try:
            return cls(
                construction=str(values["construction"]),
                settings=dict(values["settings"]),
                claim=dict(values["claim"]),
                about=GateSequence.from_dict(values["sequence"])
                if "sequence" in values
                else Task(language=from_dict(values["language"])),
                model=values["model"],
                network=ARCHITECTURES[values["model"]].config.from_dict(values["network"]),
            )
        except LanguageError as error:
            raise RunError(f"config.json is damaged: {error}") from None
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise RunError(f"config.json is damaged ({error!r}). Compile again.") from None


def is_compiled(config: Mapping[str, Any]) -> bool:
    """Return whether a folder's `config.json` describes a construction."""
    return "construction" in config


def require_place_of_compiled(path: Path | str) -> None:
    """Refuse a folder that holds something other than computed weights.

    Raises:
        RunError: it holds a trained run, or other files.
    """
    folder = RunFolder(Path(path))
    folder.require_free()
    if folder.is_claimed and not is_compiled(folder.config()):
        raise RunError(f"{path} holds a trained run. Use another folder.")


def save_compiled(
    path: Path | str, compiled: Compiled, model: nn.Module, environment: Mapping[str, str]
) -> RunFolder:
    """Store computed weights, in float32 where that is exact and the claim allows any length.

    Otherwise they are stored in the type that they have.

    Raises:
        RunError: the folder holds something else, or the same construction with other weights.
    """
    folder = RunFolder(Path(path))
    stored = folder.config() if folder.is_claimed else {}
    same_as_stored = is_compiled(stored) and Compiled.from_dict(stored) == compiled
    config = {**compiled.to_dict(), "environment": dict(environment)}
    folder.claim(stored if same_as_stored else config)
    with folder.lock():
        weights = model.state_dict()
        narrow = {name: weight.float() for name, weight in weights.items()}
        if folder.is_finished:
            stored = folder.weights()
            same = stored.keys() == weights.keys() and any(
                all(torch.equal(stored[name], w) for name, w in kind.items())
                for kind in (weights, narrow)
            )
            if not same:
                raise RunError(
                    f"{path}/model.safetensors holds other weights than {compiled.construction} "
                    f"has: it was changed, or written by another version. Use another folder."
                )
        else:
            same = all(torch.equal(narrow[name].double(), w) for name, w in weights.items())
            right = compiled.claim["range"].get("float32", 0) is None
            folder.finish(narrow if same and right else weights, [])
    return folder


def load_compiled(path: Path | str) -> tuple[Compiled, nn.Module]:
    """Load a stored construction and its network, in the type that its weights are stored in.

    Raises:
        RunError: there is none, or a file is damaged.
    """
    folder = RunFolder(Path(path))
    config = folder.config()
    if not is_compiled(config):
        raise RunError(
            f"{path} holds a trained run, not a construction. Use certify or evaluate, or explore "
            f"to watch it read a word."
        )
    compiled = Compiled.from_dict(config)
    model = ARCHITECTURES[compiled.model].module(compiled.network)
    if not folder.is_finished:
        raise RunError(
            f"{path} holds no model.safetensors: compiling was interrupted. Run its `compile` "
            f"command again."
        )
    weights = folder.weights()
    load_weights(model, weights, folder.path)
    return compiled, model.to(next(iter(weights.values())).dtype).eval()


def load_weights(model: nn.Module, weights: Mapping[str, Tensor], path: Path) -> None:
    """Load stored weights into a network, in the type that they are stored in.

    Raises:
        RunError: the weights are those of another network.
    """
    try:
        model.to(next(iter(weights.values())).dtype).load_state_dict(weights)
    except (RuntimeError, StopIteration, TypeError) as error:
        raise RunError(
            f"{path}/model.safetensors does not fit its config.json "
            f"({str(error).splitlines()[0] if str(error) else 'it is empty'}). Make it again in a "
            f"new folder."
        ) from None
