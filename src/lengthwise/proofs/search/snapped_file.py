"""Snapped models on disk: one safetensors file of tables and representatives.

Of a RegularGPT they are the tables of its algebra, of a recurrence that of its states.

Integers are stored in the smallest type that holds them. The file has the digest of the model that
it was extracted from, so that it cannot be used for another.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save
from torch import nn

from lengthwise.errors import RunError, VerificationError
from lengthwise.files import parse_json, write_bytes
from lengthwise.models.custom_network import unwrap
from lengthwise.models.stepping import may_be_stepped
from lengthwise.proofs.check.certificate import digest_of
from lengthwise.proofs.search.extraction import ExtractedAlgebra
from lengthwise.proofs.search.finite_algebra import FiniteAlgebra, Tables
from lengthwise.proofs.search.lookup import SnappedModel
from lengthwise.proofs.search.network import require_regular_gpt, weights_of
from lengthwise.proofs.search.snapped_states import IN_HEADER, SnappedStates
from lengthwise.proofs.search.snapping import SnappedLevel, Snaps
from lengthwise.zoo_paths import PREFIX, is_shipped

FORMAT = 1
_NUMBERS = ("num_symbols", "num_classes", "chunk_size", "repeat", "empty")


def save_snapped(path: Path, extraction: ExtractedAlgebra, model: nn.Module) -> None:
    """Write the file, with the digest of the model that it was extracted from."""
    algebra = extraction.algebra
    arrays: dict[str, NDArray[Any]] = {}
    for level, (tables, snaps) in enumerate(zip(algebra.levels, extraction.levels, strict=True)):
        arrays[f"{level}.interior"] = tables.interior
        arrays[f"{level}.classes"] = tables.classes
        for used, table in enumerate(tables.edge, start=1):
            arrays[f"{level}.edge.{used}"] = table
        if tables.logits is not None:
            arrays[f"{level}.logits"] = tables.logits
        for kind, of_kind in (("interior", snaps.interior), ("edge", snaps.edge)):
            for name in ("representatives", "children", "elements", "distances"):
                arrays[f"{level}.{kind}.{name}"] = getattr(of_kind, name)
            arrays[f"{level}.{kind}.gap"] = np.array([of_kind.gap])
    header = {
        "format": FORMAT,
        "levels": len(algebra.levels),
        "is_exact": extraction.is_exact,
        "is_certain": extraction.is_certain,
        "model_digest": _digest(model),
        **{name: getattr(algebra, name) for name in _NUMBERS},
    }
    metadata = {"lengthwise": json.dumps(header)}
    write_bytes(path, save({name: _small(a) for name, a in arrays.items()}, metadata=metadata))


def load_tables(path: Path, model: nn.Module) -> nn.Module:
    """Load the network of tables that a file holds, if it was taken from this model.

    Raises:
        RunError: there is no such file, it is damaged, or it was taken from another model.
        VerificationError: the model is neither a RegularGPT nor has states that were snapped.
    """
    if not may_be_stepped(model):
        require_regular_gpt(model)
    if not path.exists():
        raise _lacking(path)
    if _is_of_states(path):
        return SnappedStates.load(path, model_digest=digest_of_states(model))
    return SnappedModel(load_snapped(path, model).algebra)


def digest_of_states(model: nn.Module) -> str:
    """Return the digest of a recurrence: of the name of its class, and all its weights."""
    kind = type(unwrap(model))
    return digest_of({"class": f"{kind.__module__}.{kind.__qualname__}"}, weights_of(model))


def _is_of_states(path: Path) -> bool:
    try:
        with safe_open(path, framework="numpy") as file:
            return IN_HEADER in (file.metadata() or {})
    except (SafetensorError, OSError):
        return False  # which the reader of tables says


def _lacking(path: Path) -> RunError:
    if is_shipped(path.parent):
        name = path.parent.name
        return RunError(
            f"{PREFIX}{name} comes with the package, and has no tables of snapped vectors. Copy it "
            f"(lengthwise zoo {name} --out DIR), and snap DIR."
        )
    return RunError(f"{path} does not exist. Run `lengthwise snap {path.parent}` first.")


def load_snapped(path: Path, model: nn.Module) -> ExtractedAlgebra:
    """Load what `save_snapped` wrote, if it was extracted from this model.

    Raises:
        RunError: there is no such file, it is damaged, or it was taken from another model.
        VerificationError: the model is not a RegularGPT.
    """
    require_regular_gpt(model)
    if not path.exists():
        raise _lacking(path)
    again = f"Run `lengthwise snap {path.parent}` again"
    try:
        with safe_open(path, framework="numpy") as file:
            header = parse_json(file.metadata()["lengthwise"])
            arrays = {name: _wide(file.get_tensor(name)) for name in file.keys()}  # noqa: SIM118  it is not a mapping
        if header["format"] != FORMAT:
            raise RunError(f"{path} is of format {header['format']}, not {FORMAT}. {again}.")
        if header["model_digest"] != _digest(model):
            raise RunError(f"{path} was taken from another model. {again}.")
        return _extraction(header, arrays)
    except (
        SafetensorError,
        OSError,
        ValueError,
        KeyError,
        TypeError,
        IndexError,
        AttributeError,
        ArithmeticError,
        VerificationError,
    ) as error:
        raise RunError(f"{path} is damaged ({error!r:.80}). {again}.") from None


def _extraction(header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> ExtractedAlgebra:
    def snaps(level: int, kind: str) -> Snaps:
        names = ("representatives", "children", "elements", "distances")
        return Snaps(
            **{name: arrays[f"{level}.{kind}.{name}"] for name in names},
            gap=float(arrays[f"{level}.{kind}.gap"][0]),
        )

    levels = range(header["levels"])
    tables = tuple(
        Tables(
            interior=arrays[f"{level}.interior"],
            edge=tuple(arrays[f"{level}.edge.{n}"] for n in range(1, header["chunk_size"] + 1)),
            classes=arrays[f"{level}.classes"],
            logits=arrays.get(f"{level}.logits"),
        )
        for level in levels
    )
    return ExtractedAlgebra(
        algebra=FiniteAlgebra(levels=tables, **{name: header[name] for name in _NUMBERS}),
        levels=tuple(
            SnappedLevel(interior=snaps(level, "interior"), edge=snaps(level, "edge"))
            for level in levels
        ),
        is_exact=header["is_exact"],
        is_certain=header["is_certain"],
    )


def _digest(model: nn.Module) -> str:
    gpt = require_regular_gpt(model)
    return digest_of(gpt.config.of_function(), weights_of(gpt))


def _small(array: NDArray[Any]) -> NDArray[Any]:
    if np.issubdtype(array.dtype, np.integer):
        largest = int(np.abs(array).max(initial=1))
        array = array.astype(np.min_scalar_type(-largest - 1))  # int8 has -128, but no 128
    return np.ascontiguousarray(array)


def _wide(array: NDArray[Any]) -> NDArray[Any]:
    return array.astype(np.int64) if np.issubdtype(array.dtype, np.integer) else array
