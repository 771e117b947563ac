"""Words of a block of bytes, found without a loop over them: each symbol is one byte."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

TAB, NEWLINE = 9, 10

FIRST, LAST = 0x21, 0x7E
"""The bytes that are printable characters of ASCII, without the space."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PlainBlock:
    """Lines WORD<TAB>LABEL, as bytes with the places of their parts."""

    content: NDArray[np.uint8]
    starts: NDArray[np.int64]
    """Place of the first symbol of each word."""
    tabs: NDArray[np.int64]
    """Place behind its last symbol."""
    labels: list[str]
    places: NDArray[np.int64]
    """Number of its line in the file, from 1."""

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Number of symbols of each word."""
        return self.tabs - self.starts

    def symbols(self) -> NDArray[np.uint8]:
        """Return the bytes of all words, one word after the other."""
        return self.content[within(self.starts, self.lengths)]

    def words(self) -> list[str]:
        """Return the words as strings."""
        text = self.content.tobytes().decode("latin-1")
        bounds = zip(self.starts.tolist(), self.tabs.tolist(), strict=True)
        return [text[start:end] for start, end in bounds]

    @classmethod
    def of(
        cls, written: bytes, first: int, read_label: Callable[[bytes], str | None]
    ) -> "PlainBlock | None":
        """Return the block of whole lines; the first line has this number.

        None is returned if a line is not empty and is not a word of plain bytes, one tab, and a
        label that is read: such lines are read one by one.
        """
        content = np.frombuffer(written, dtype=np.uint8)
        ends = np.flatnonzero(content == NEWLINE)
        starts = np.concatenate([[0], ends[:-1] + 1])
        full = ends > starts
        places = first + np.flatnonzero(full)
        starts, ends = starts[full], ends[full]
        tabs = np.flatnonzero(content == TAB)
        if len(tabs) != len(starts) or (tabs < starts).any() or (tabs >= ends).any():
            return None
        odd = np.flatnonzero(((content < FIRST) | (content > LAST)) & (content != NEWLINE))
        line = np.searchsorted(starts, odd, side="right") - 1
        if (odd < tabs[line]).any() or b"\r" in written:
            return None
        bounds = zip((tabs + 1).tolist(), ends.tolist(), strict=True)
        labels = [written[start:end] for start, end in bounds]
        names = {label: read_label(label) for label in set(labels)}
        known = {label: name for label, name in names.items() if name is not None}
        if len(known) < len(names):
            return None
        return cls(
            content=content,
            starts=starts,
            tabs=tabs,
            labels=[known[label] for label in labels],
            places=places,
        )


def within(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the places of all symbols of some words."""
    before = np.cumsum(lengths) - lengths
    return np.repeat(starts - before, lengths) + np.arange(int(lengths.sum()))
