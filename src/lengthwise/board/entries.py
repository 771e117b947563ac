"""Entries of the board, stored in the package, and their order.

An entry is a proof that was checked (`submission.py`). The smaller of two comes first: by
parameters, then bits, then width of the numbers. Proofs about a network as it runs come before
those about one whose vectors are snapped, which say less.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from lengthwise.errors import RunError
from lengthwise.files import read_object, require_kinds, write_json
from lengthwise.languages.named_languages import TABLE_1

FILE = Path(__file__).parent / "entries.json"

ADDERS: Mapping[str, str] = {
    f"add-base-{base}{suffix}": f"add[base={base}{order}]"
    for base in (2, 10)
    for suffix, order in (("", ""), ("-high", ",first=high"))
}
"""The adders of the board, low or high digit first, with their specifications."""

LANGUAGES: Mapping[str, str] = {
    **{name: name for name in (*TABLE_1, "first")},
    **{name: f"group:{name}" for name in ("S3", "Z60", "A5", "S5")},
    **ADDERS,
}
"""The languages of the board, with their specifications; of an adder, that of its prefixes."""

_KINDS = {
    **dict.fromkeys(("name", "language", "made", "model", "depth", "arithmetic"), "a string"),
    **dict.fromkeys(("strength", "told", "certificate"), "a string"),
    "parameters": "an integer",
    "bits": "an integer or null",
    "seed": "an integer or null",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class BoardEntry:
    """A proved network."""

    name: str
    """Name of its folder."""
    language: str
    """A name in `LANGUAGES`; the proof is about this language, whatever the file calls it."""
    made: str
    """`trained` or `constructed`, as the folder says: a proof does not show it."""
    model: str
    """Kind of the network, by what the certificate's settings are."""
    parameters: int
    bits: int | None
    """Bits that a node or a step passes on; None if it passes on vectors or tokens."""
    depth: str
    """Layers that run on a word of n symbols, in words."""
    arithmetic: str
    """Type of the numbers that the proof is about."""
    strength: str
    told: str
    """The supervision, as the folder says."""
    seed: int | None
    certificate: str
    """SHA-256 of the certificate's file."""

    @property
    def is_snapped(self) -> bool:
        """True if the proof is about the network with its vectors snapped."""
        return self.strength == "snapped"

    @property
    def size(self) -> tuple[bool, int, int, str]:
        """The key by which entries are ordered, the smallest first."""
        bits = 2**62 if self.bits is None else self.bits
        return (self.is_snapped, self.parameters, bits, self.arithmetic)

    def to_dict(self) -> dict[str, Any]:
        """Return the entry as plain values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Restore an entry.

        Raises:
            RunError: a value is missing, or of another kind.
        """
        require_kinds(values, _KINDS, where="an entry of the board", remedy="Reinstall lengthwise.")
        return cls(**{name: values[name] for name in _KINDS})


def load_entries(file: Path = FILE) -> list[BoardEntry]:
    """Return the entries of the board, by language, the smallest first.

    Raises:
        RunError: the file is damaged.
    """
    stored = read_object(file, remedy="Reinstall lengthwise.").get("entries")
    if not isinstance(stored, list):
        raise RunError(f"{file} does not hold a list of entries. Reinstall lengthwise.")
    return in_order([BoardEntry.from_dict(entry) for entry in stored])


def save_entries(entries: Sequence[BoardEntry], file: Path = FILE) -> None:
    """Store the entries of the board."""
    write_json(file, {"entries": [entry.to_dict() for entry in in_order(entries)]})


def in_order(entries: Sequence[BoardEntry]) -> list[BoardEntry]:
    """Return entries by language, trained ones before constructed ones, the smallest first."""
    names = list(LANGUAGES)
    return sorted(
        entries,
        key=lambda entry: (
            names.index(entry.language),
            entry.made != "trained",
            *entry.size,
            entry.name,
        ),
    )


def place_on_board(entry: BoardEntry, entries: Sequence[BoardEntry]) -> int:
    """Return the place that an entry takes among those of its language that were made like it.

    It comes after those of its size, and its own certificate does not count.
    """
    rivals = [
        rival
        for rival in entries
        if (rival.language, rival.made) == (entry.language, entry.made)
        and rival.certificate != entry.certificate
    ]
    return 1 + sum(rival.size <= entry.size for rival in rivals)
