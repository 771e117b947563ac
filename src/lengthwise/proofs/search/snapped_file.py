"""Snapped models on disk: one safetensors file of tables and representatives.

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
from lengthwise.proofs.check.certificate import digest_of
from lengthwise.proofs.search.extraction import ExtractedAlgebra
from lengthwise.proofs.search.finite_algebra import FiniteAlgebra, Tables
from lengthwise.proofs.search.network import require_regular_gpt, weights_of
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


def load_snapped(path: Path, model: nn.Module) -> ExtractedAlgebra:
    """Load what `save_snapped` wrote, if it was extracted from this model.

    Raises:
        RunError: there is no such file, it is damaged, or it was taken from another model.
        VerificationError: the model is not a RegularGPT.
    """
    require_regular_gpt(model)
    if not path.exists() and is_shipped(path.parent):
        name = path.parent.name
        raise RunError(
            f"{PREFIX}{name} comes with the package, and has no tables of snapped vectors. Copy it "
            f"(lengthwise zoo {name} --out DIR), and snap DIR."
        )
    if not path.exists():
        raise RunError(f"{path} does not exist. Run `lengthwise snap {path.parent}` first.")
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
