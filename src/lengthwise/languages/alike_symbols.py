"""Characters and symbols that no class of an expression tells apart."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lengthwise.errors import LanguageError
from lengthwise.languages.characters import LONGER, Ranges
from lengthwise.languages.glushkov import MAX_TABLE


@dataclass(frozen=True, kw_only=True, slots=True)
class Alike:
    """The symbols of an alphabet, in sets that no class of an expression tells apart."""

    representatives: tuple[str, ...]
    """The first symbol of each set."""
    places: tuple[int, ...]
    """The place of each symbol's representative."""
    members: list[frozenset[str]]
    """The representatives that each class matches."""


def put_alike_together(alphabet: Sequence[str], classes: Sequence[Ranges]) -> Alike:
    """Put symbols together that are in the same classes."""
    edges, inside = cut_by_classes(classes)
    place: dict[int, int] = {}
    representatives: list[str] = []
    places = []
    for symbol in alphabet:
        signature = inside[bisect_right(edges, code_of(symbol))]
        if signature not in place:
            place[signature] = len(place)
            representatives.append(symbol)
        places.append(place[signature])
    if sum(signature.bit_count() for signature in place) > MAX_TABLE:
        raise LanguageError(
            f"the classes of the expression overlap in more than {MAX_TABLE:,} ways. Use fewer."
        )
    members: list[set[str]] = [set() for _ in classes]
    for signature, symbol in zip(place, representatives, strict=True):
        for at in ones(signature):
            members[at].add(symbol)
    return Alike(
        representatives=tuple(representatives),
        places=tuple(places),
        members=[frozenset(group) for group in members],
    )


def cut_by_classes(classes: Sequence[Ranges]) -> tuple[list[int], list[int]]:
    """Return the code points at which classes begin and end, and the classes (as bits) that hold
    the code points before the first of these, from each to the next, and from the last on.
    """
    toggles: dict[int, int] = {}
    for number, ranges in enumerate(classes):
        for first, last in ranges:
            toggles[first] = toggles.get(first, 0) ^ 1 << number
            toggles[last + 1] = toggles.get(last + 1, 0) ^ 1 << number
    edges, inside, current = sorted(toggles), [0], 0
    for edge in edges:
        current ^= toggles[edge]
        inside.append(current)
    return edges, inside


def cells_of(classes: Sequence[Ranges]) -> dict[int, list[tuple[int, int]]]:
    """Return ranges of all code points, those together that are in the same classes (as bits)."""
    edges, inside = cut_by_classes(classes)
    cells: dict[int, list[tuple[int, int]]] = {}
    for first, after, signature in zip([0, *edges], [*edges, LONGER], inside, strict=True):
        if first < min(after, LONGER):
            cells.setdefault(signature, []).append((first, min(after, LONGER) - 1))
    return cells


def ones(bits: int) -> Iterator[int]:
    """Yield the places of the ones of a number."""
    digits = bin(bits)[:1:-1]
    at = digits.find("1")
    while at >= 0:
        yield at
        at = digits.find("1", at + 1)


def code_of(symbol: str) -> int:
    """Return the code point of a character; all longer symbols have the same number."""
    return ord(symbol) if len(symbol) == 1 else LONGER
