"""A construction from the folder that `compile` wrote, with the claim that was made of it."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import torch
from torch import nn

from lengthwise.constructions.construction import PRECISIONS, Construction
from lengthwise.errors import RunError
from lengthwise.evaluation.predict import device_of
from lengthwise.languages.gate_sequence import GateSequence
from lengthwise.models.decoder import Decoder
from lengthwise.training.compiled import load_compiled
from lengthwise.training.runs import RunFolder


def load_construction(path: Path | str) -> Construction:
    """The stored weights, whatever they are, and the claim.

    Raises:
        RunError: the folder holds no construction, or a file is damaged.
    """
    compiled, model = load_compiled(path)
    claim, about = compiled.claim, compiled.about
    try:
        return Construction(
            name=compiled.construction,
            settings=compiled.settings,
            source=str(claim["source"]),
            claim=str(claim["text"]),
            about=about if isinstance(about, GateSequence) else about.language,
            architecture=compiled.model,
            model=model,
            range=_range(claim["range"]),
            required_margin=float(claim["required_margin"]),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise RunError(f"{path}/config.json is damaged ({error!r}). Compile again.") from None


def _range(values: Mapping[str, object]) -> dict[str, int | None]:
    """The longest words of a claim by precision, as they were stored."""
    found: dict[str, int | None] = {}
    for name, longest in values.items():
        if name not in PRECISIONS or not (longest is None or type(longest) is int):
            raise ValueError(f"range {name}: {longest}")
        found[name] = longest
    return found


def is_circuit(path: Path | str) -> bool:
    """Whether a folder holds a circuit's decoder."""
    config = Path(path) / "config.json"
    return config.exists() and "sequence" in RunFolder(Path(path)).config()


def completed(model: nn.Module, sequence: GateSequence, inputs: Sequence[str]) -> list[list[int]]:
    """The symbols that a decoder puts after each line of inputs, the inputs first."""
    if not inputs:
        return []
    assert isinstance(model, Decoder)
    words = torch.tensor([[int(bit) for bit in line] for line in inputs])
    steps = sequence.length - sequence.num_inputs
    result: list[list[int]] = model.complete(words.to(device_of(model)), steps).tolist()
    return result
