"""A recurrence whose state is snapped to the nearest of finitely many representatives: a table.

After each symbol the state moves to the nearest representative; the answer is the class of the
logits that came with the state. So whatever the states are, the snapped network is a finite
automaton: element (representative, class), with the start as the first of them. It is another
function than the network, and every question about it has an exact answer.

Axes:
    element         pairs (representative, class)
    representative  states that others are snapped to
    symbol          symbols of the alphabet
    width           numbers of a state
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save
from torch import Tensor, nn

from lengthwise.errors import RunError, WordError
from lengthwise.files import parse_json, write_bytes
from lengthwise.languages.language import Language
from lengthwise.models.alignment import align_left
from lengthwise.models.stepping import Rows
from lengthwise.proofs.check.arrays import Integers
from lengthwise.proofs.check.table_node import UNUSED
from lengthwise.proofs.search.lookup import CERTAIN, SnappedConfig

_READ_ALONE = 64
"""Most words that are read one after another."""

_FORMAT = 2

IN_HEADER = "lengthwise-states"
"""Name under which the header of a file is."""


class SnappedStates(nn.Module):
    """The snapped network: called with words like another, and a `Recurrence` for proofs."""

    def __init__(
        self, transitions: Integers, classes: Integers, *, num_classes: int, snaps: "StateSnaps"
    ) -> None:
        super().__init__()
        self.transitions, self.classes, self.snaps = transitions, classes, snaps
        """`transitions[element, symbol]`, `UNUSED` where no word of the domain goes, and
        `classes[element]`; the empty word is element 0."""
        self.config = SnappedConfig(vocab_size=transitions.shape[1], num_classes=num_classes)
        unused = np.full((1, transitions.shape[1]), UNUSED, dtype=np.int64)  # leads to itself
        table = np.concatenate([transitions, unused])
        self._next, self._lists = torch.from_numpy(table), table.tolist()
        self._logits = CERTAIN * torch.eye(num_classes, dtype=torch.float64)[classes]

    def forward(
        self, tokens: Int[Tensor, "word position"], lengths: Int[Tensor, " word"] | None = None
    ) -> Float[Tensor, "word class"]:
        """Return logits of certainty of the classes of right-aligned words.

        Raises:
            WordError: a symbol is not in the alphabet, a word does not fit into its row, or a step
                is one that no word of the domain takes.
        """
        symbols, lengths = align_left(
            tokens.cpu(),
            None if lengths is None else lengths.cpu(),
            self.config.vocab_size,
            checked=True,
        )
        return self._logits[self.elements_after(symbols, lengths)].to(tokens.device)

    def elements_after(
        self, symbols: Int[Tensor, "word position"], lengths: Int[Tensor, " word"]
    ) -> Int[Tensor, " word"]:
        """Return the elements of left-aligned words.

        Raises:
            WordError: a word takes a step that no word of the domain takes.
        """
        if len(symbols) <= _READ_ALONE:
            words = (row[:n] for row, n in zip(symbols.tolist(), lengths.tolist(), strict=True))
            elements = torch.tensor([self._read(0, word) for word in words], dtype=torch.long)
        else:
            elements = torch.zeros(len(symbols), dtype=torch.long)
            for place, column in enumerate(symbols.unbind(dim=1)):
                after = self._next[elements, column]
                elements = torch.where((lengths > place) & (elements != UNUSED), after, elements)
        if bool((elements == UNUSED).any()):
            raise _outside()
        return elements

    def _read(self, element: int, symbols: Iterable[int]) -> int:
        """Return the element after symbols: a loop over lists, which is faster than over arrays."""
        table = self._lists
        for symbol in symbols:
            element = table[element][symbol]
        return element

    def open_stream(self) -> "StateStream":
        """Begin to read a word symbol by symbol."""
        return StateStream(self)

    # ---- as an algebra of proofs

    @property
    def num_symbols(self) -> int:
        """Number of different symbols."""
        return self.config.vocab_size

    def start(self) -> int:
        """Return the element of the empty word."""
        return 0

    def step(self, elements: Integers, symbols: Integers) -> Integers:
        """Return the elements after symbols."""
        return self.transitions[elements, symbols]

    def read(self, level: int, elements: Integers) -> Integers:
        """Return the classes of the words that led to elements; `level` decides nothing."""
        return self.classes[elements]

    def automaton(self, language: Language) -> Language:
        """Return its minimal automaton, over the symbols and the domain of a language."""
        sink = len(self.transitions)
        table = np.concatenate([self.transitions, np.full((1, self.num_symbols), sink)])
        return replace(
            language,
            transitions=tuple(map(tuple, np.where(table == UNUSED, sink, table).tolist())),
            classes=(*self.classes.tolist(), 0),
            start=0,
            spec="",
        ).minimise()

    # ---- files

    def save(self, path: Path | str, *, model_digest: str = "") -> None:
        """Write table and representatives to one safetensors file."""
        header = {
            "format": _FORMAT,
            "num_classes": self.config.num_classes,
            "radius": self.snaps.radius,
            "clear": self.snaps.clear,
            "model_digest": model_digest,
        }
        arrays = {
            "transitions": self.transitions,
            "classes": self.classes,
            "representatives": self.snaps.representatives.numpy(),
            "of_element": self.snaps.of_element,
            "distances": self.snaps.distances,
        }
        write_bytes(Path(path), save(arrays, metadata={IN_HEADER: json.dumps(header)}))

    @classmethod
    def load(cls, path: Path | str, *, model_digest: str = "") -> "SnappedStates":
        """Read what `save` wrote; with a digest, only if it was snapped from that model.

        Raises:
            RunError: the file is another or damaged, or of another model.
        """
        try:
            with safe_open(path, framework="numpy") as file:
                header = parse_json(file.metadata()[IN_HEADER])
                arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            if header["format"] != _FORMAT:
                raise ValueError(f"format {header['format']}")
            transitions, classes = arrays["transitions"], arrays["classes"]
            inside = ((transitions >= UNUSED) & (transitions < len(transitions))).all()
            inside &= ((classes >= 0) & (classes < header["num_classes"])).all()
            if not inside or len(classes) != len(transitions) or not len(classes):
                raise ValueError("a table that leads out of itself")
            found = cls(
                transitions.astype(np.int64),
                classes.astype(np.int64),
                num_classes=header["num_classes"],
                snaps=StateSnaps(
                    representatives=torch.from_numpy(arrays["representatives"]),
                    of_element=arrays["of_element"],
                    distances=arrays["distances"],
                    radius=header["radius"],
                    clear=header["clear"],
                ),
            )
        except (
            *(SafetensorError, OSError, ValueError, KeyError, TypeError, IndexError),
            *(AttributeError, ArithmeticError),
        ) as error:
            raise RunError(f"{path} is damaged ({error!r:.80}). Snap the network again.") from None
        if model_digest and header["model_digest"] != model_digest:
            raise RunError(f"{path} was taken from another model. Snap the network again.")
        return found


class StateStream:
    """Reads one word through a snapped network: `feed` symbols, and `answer` at any time."""

    def __init__(self, snapped: SnappedStates) -> None:
        self._snapped, self._element = snapped, 0
        self.num_fed = 0

    def feed(self, symbols: Iterable[int]) -> None:
        """Read the next symbols of the word.

        Raises:
            WordError: a symbol is not one of the model's, or a step is one that no word of the
                domain takes.
        """
        row, largest = list(symbols), self._snapped.num_symbols - 1
        if row and not (min(row) >= 0 and max(row) <= largest):
            wrong = next(symbol for symbol in row if not 0 <= symbol <= largest)
            raise WordError(f"symbol {wrong} is not one of 0..{largest}.")
        element = self._snapped._read(self._element, row)
        if element == UNUSED:
            raise _outside()
        self._element = element
        self.num_fed += len(row)

    def answer(self) -> Float[Tensor, " class"]:
        """Return logits of certainty of the class of the word that was fed so far."""
        return self._snapped._logits[self._element]


def _outside() -> WordError:
    return WordError(
        "a word takes a step that no word of the language's domain takes, for which the snapped "
        "network has no entry. Ask words of the domain."
    )


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class StateSnaps:
    """The representatives of a snapped recurrence, and how far states were moved to them."""

    representatives: Rows
    of_element: Integers
    """`of_element[element]`: its representative."""
    distances: Any
    """`distances[step]`: how far the state after a step from a representative was moved."""
    radius: float
    """The fineness by which representatives were chosen."""
    clear: float
    """Least lead of a nearest representative and of a largest logit, relative to rounding that may
    be expected; the table is certain if it is above 1."""

    @property
    def is_certain(self) -> bool:
        """True if every representative and every class of the table leads clearly."""
        return self.clear > 1

    def distance_from(self, rows: Rows) -> tuple[Float[Tensor, " word"], Int[Tensor, " word"]]:
        """Return how far states are from their nearest representatives, and these."""
        found = distances(rows, self.representatives).min(dim=1)
        return found.values, found.indices


def distances(rows: Tensor, others: Tensor) -> Tensor:
    """Return the Euclidean distances `[row, other]` in float64, not by products, which cancel."""
    return torch.cdist(rows.double(), others.double(), compute_mode="donot_use_mm_for_euclid_dist")
