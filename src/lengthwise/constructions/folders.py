"""Loading constructions from the folders that `compile` writes, with their claims."""

from pathlib import Path

from lengthwise.circuits.gate_sequence import GateSequence
from lengthwise.constructions.construction import Computed
from lengthwise.constructions.known_constructions import (
    claim_of,
    is_construction_about,
    require_settings,
)
from lengthwise.errors import RunError
from lengthwise.files import values_of
from lengthwise.messages import shorten
from lengthwise.training.construction_files import load_compiled
from lengthwise.training.runs import RunFolder


def read_construction(path: Path | str) -> Computed:
    """Load a stored construction with the claim of its name and settings.

    Raises:
        RunError: the folder holds no construction, a file is damaged, or the stored claim or
            language is not that of the name and the settings.
    """
    compiled, model = load_compiled(path)
    name, settings, stored = compiled.construction, compiled.settings, compiled.about
    subject = stored if isinstance(stored, GateSequence) else stored.language
    with values_of(Path(path) / "config.json", remedy="Compile again."):
        construction = Computed(
            name=name,
            settings=settings,
            about=subject,
            architecture=compiled.model,
            model=model,
            folder=RunFolder(Path(path)),
            **claim_of(name, settings),
        )
        require_settings(name, settings)
        meant = is_construction_about(name, settings, subject)
    if construction.compiled.claim != compiled.claim or not meant or _settings_differ(construction):
        raise RunError(
            f"{path}/config.json does not claim what {shorten(name, 100)} with its settings does: "
            f"it was changed, or written by another version. Compile again."
        )
    return construction


def _settings_differ(construction: Computed) -> bool:
    """Return whether a setting of the network differs from the stored settings."""
    config = construction.compiled.network.to_dict()
    return any(
        config[key] != construction.settings[key]
        for key in _NETWORK_SETTINGS
        if key in construction.settings
    )


_NETWORK_SETTINGS = ("chunk_size", "norm", "epsilon")
"""Settings that the network's configuration also has."""


def is_circuit(path: Path | str) -> bool:
    """Return whether a folder holds a circuit's decoder."""
    folder = RunFolder(Path(path))
    return folder.is_claimed and "sequence" in folder.config()
