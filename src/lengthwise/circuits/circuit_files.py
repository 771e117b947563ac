"""Reader of circuit files, whose suffix determines the format."""

from collections.abc import Callable, Mapping
from pathlib import Path

from lengthwise.circuits.aiger import BINARY_REMEDY, from_aiger
from lengthwise.circuits.bench import from_bench
from lengthwise.circuits.blif import from_blif
from lengthwise.circuits.circuit import Circuit
from lengthwise.errors import CircuitError
from lengthwise.files import read_text

READERS: Mapping[str, Callable[[str, str], Circuit]] = {
    ".blif": from_blif,
    ".bench": from_bench,
    ".aag": from_aiger,
}
"""The known suffixes and their readers, each takes a string and a name for error messages."""


def read_circuit(path: str | Path) -> Circuit:
    """Read a circuit from a file in BLIF, ISCAS `.bench` or ASCII AIGER.

    Raises:
        CircuitError: the suffix is unknown, or the file cannot be read, is broken or has something
            that a circuit cannot (with the line).
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if path == Path():
        raise CircuitError("circuit: names no file. Give circuit:FILE.")
    if suffix == ".aig":
        raise CircuitError(f"{path}: AIGER is read as text, not in binary form. {BINARY_REMEDY}")
    if suffix not in READERS:
        raise CircuitError(
            f"{path}: the suffix of a circuit's file is one of {', '.join(READERS)}, but it is "
            f"{suffix!r}. Rename or convert the file."
        )
    text = read_text(path, "a circuit's file", CircuitError)
    if not text.strip():
        raise CircuitError(f"{path}: a circuit has at least one line, but the file is empty.")
    return READERS[suffix](text, str(path))
