"""Files of named tensors in the format of safetensors, each complete at every moment."""

from collections.abc import Mapping
from pathlib import Path

from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor

from lengthwise.errors import RunError
from lengthwise.files import write_bytes


def save_tensors(path: Path, tensors: Mapping[str, Tensor]) -> None:
    """Write tensors, on whatever device they are; of tied ones, each name gets its own."""
    stored: dict[str, Tensor] = {}
    seen: set[int] = set()
    for name, tensor in tensors.items():
        found = tensor.detach().cpu().contiguous()
        tied = found.data_ptr() in seen  # two names of one weight, which is stored twice
        stored[name] = found.clone() if tied else found
        seen.add(found.data_ptr())
    write_bytes(path, save(stored))


def load_tensors(path: Path) -> dict[str, Tensor]:
    """Return the tensors of a file.

    Raises:
        RunError: it cannot be read.
    """
    try:
        return load(path.read_bytes())
    except (SafetensorError, OSError) as error:
        raise RunError(
            f"{path} cannot be read ({error}). Make it again, in a new folder."
        ) from None
