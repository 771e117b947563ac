"""A recurrence whose state is snapped to the nearest of finitely many representatives: a table.

After each symbol the state moves to the nearest representative; the answer is the class of the
logits that came with the state. So whatever the states are, the snapped network is a finite
automaton: element (representative, class), with the start as the first of them. It is another
function than the network, and every question about it has an exact answer.

The table is computed from the network once in one order and once in another. Where a state is
nearly as far from two representatives, or two logits are nearly equal, rounding could decide, and
the table is not certain: nothing is claimed of it.

Axes:
    element         pairs (representative, class)
    representative  states that others are snapped to
    symbol          symbols of the alphabet
    width           numbers of a state
"""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save
from torch import Tensor, nn

from lengthwise.errors import RunError, VerificationError
from lengthwise.files import parse_json, write_bytes
from lengthwise.languages.language import Language
from lengthwise.models.alignment import align_left
from lengthwise.models.stepping import Rows, StateError, Steps
from lengthwise.proofs.check.arrays import Integers
from lengthwise.proofs.search.lookup import CERTAIN, SnappedConfig
from lengthwise.proofs.search.own_automaton import Neighbours, own_automaton

_BATCH, _OTHER_BATCH = 2048, 509
"""Steps that are computed at once, the first and the second time."""

_CLEAR = 1e-5
"""Least lead of the nearest representative and of the largest logit, relative to 1 + the largest
number: rounding of float32 moves numbers by about a hundredth of it."""

_NEAR = 1e-3
"""As in `models.stepping`: rounding explains no greater difference of two computations."""

_FORMAT = 1


class SnappedStates(nn.Module):
    """The snapped network: called with words like another, and a `Recurrence` for proofs."""

    def __init__(
        self, transitions: Integers, classes: Integers, *, num_classes: int, snaps: "StateSnaps"
    ) -> None:
        super().__init__()
        self.transitions, self.classes, self.snaps = transitions, classes, snaps
        """`transitions[element, symbol]`, and `classes[element]`; the empty word is element 0."""
        self.config = SnappedConfig(vocab_size=transitions.shape[1], num_classes=num_classes)
        self._next = torch.from_numpy(transitions)
        self._logits = CERTAIN * torch.eye(num_classes, dtype=torch.float64)[classes]

    def forward(
        self, tokens: Int[Tensor, "word position"], lengths: Int[Tensor, " word"] | None = None
    ) -> Float[Tensor, "word class"]:
        """Return logits of certainty of the classes of right-aligned words.

        Raises:
            WordError: a symbol is not in the alphabet, or a word does not fit into its row.
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
        """Return the elements of left-aligned words."""
        elements = torch.zeros(len(symbols), dtype=torch.long)
        for place, column in enumerate(symbols.unbind(dim=1)):
            after = self._next[elements, column]
            elements = torch.where(lengths > place, after, elements)
        return elements

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
        found = own_automaton(self, Neighbours.any(self.num_symbols), max_steps=2**62)
        assert found is not None
        transitions, classes = found
        return replace(
            language, transitions=transitions, classes=classes, start=0, spec=""
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
        write_bytes(Path(path), save(arrays, metadata={"lengthwise-states": json.dumps(header)}))

    @classmethod
    def load(cls, path: Path | str, *, model_digest: str = "") -> "SnappedStates":
        """Read what `save` wrote; with a digest, only if it was snapped from that model.

        Raises:
            RunError: the file is another or damaged, or of another model.
        """
        try:
            with safe_open(path, framework="numpy") as file:
                header = parse_json(file.metadata()["lengthwise-states"])
                arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            if header["format"] != _FORMAT:
                raise ValueError(f"format {header['format']}")
            transitions, classes = arrays["transitions"], arrays["classes"]
            inside = ((transitions >= 0) & (transitions < len(transitions))).all()
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


def tabulate_states(steps: Steps, representatives: Rows, radius: float) -> SnappedStates:
    """Return the snapped network of these representatives; the first must be the start.

    Raises:
        VerificationError: a state or logits after a representative are not finite, or numbers
            depend on the other words of a batch.
    """
    count, num_symbols = len(representatives), steps.num_symbols
    row = torch.arange(count).repeat_interleave(num_symbols)
    symbol = torch.arange(num_symbols).repeat(count)
    logits, after = step_in_batches(steps, representatives[row], symbol, _BATCH)
    order = torch.arange(len(row) - 1, -1, -1)
    again = step_in_batches(steps, representatives[row[order]], symbol[order], _OTHER_BATCH)
    for first, second in zip((logits, after), again, strict=True):
        off = (first - second[order]).abs().nan_to_num(0.0).max()
        if off > _NEAR * (1 + first.nan_to_num(0.0, 0.0, 0.0).abs().max()):
            raise VerificationError(
                f"{steps.name}.step depends on the other words of a batch, or on chance: numbers "
                f"differ by {float(off):.2g} in another order. Let them follow from state and "
                f"symbol."
            )
    nearest, moved, clear = _snap(after, representatives)
    classes = logits.argmax(dim=1)
    first_logits, _ = steps.start()
    for values in (logits, first_logits):
        clear = min(clear, _lead(values))
    if not torch.equal(_snap(again[1][order], representatives)[0], nearest):
        clear = 0.0
    if not torch.equal(again[0][order].argmax(dim=1), classes):
        clear = 0.0
    return _reachable(
        steps,
        nearest.reshape(count, num_symbols).numpy(),
        classes.reshape(count, num_symbols).numpy(),
        int(first_logits.argmax()),
        StateSnaps(
            representatives=representatives,
            of_element=np.zeros(0, dtype=np.int64),
            distances=moved.numpy(),
            radius=radius,
            clear=clear,
        ),
    )


def step_in_batches(
    steps: Steps, rows: Rows, symbols: Int[Tensor, " word"], size: int = _BATCH
) -> tuple[Float[Tensor, "word class"], Rows]:
    """Return logits and states after symbols, computed `size` at a time.

    Raises:
        StateError: some are not finite; its row is that of `rows`.
    """
    logits, after = [], []
    for first in range(0, len(rows), size):
        part = slice(first, first + size)
        try:
            part_logits, part_after = steps.step(rows[part], symbols[part])
        except StateError as error:
            raise StateError(str(error), first + error.row) from None
        logits.append(part_logits)
        after.append(part_after)
    return torch.cat(logits), torch.cat(after)


def _snap(rows: Tensor, representatives: Tensor) -> tuple[Tensor, Tensor, float]:
    """Return the nearest representatives, their distances, and the least lead over the second."""
    nearest, moved, clear = [], [], np.inf
    for part in torch.split(rows, _BATCH):
        found = distances(part, representatives)
        best = found.topk(min(2, found.shape[1]), dim=1, largest=False)
        nearest.append(found.argmin(dim=1))
        moved.append(best.values[:, 0])
        if found.shape[1] > 1:
            lead = float((best.values[:, 1] - best.values[:, 0]).min())
            clear = min(clear, lead / (_CLEAR * (1 + float(part.abs().max()))))
    return torch.cat(nearest), torch.cat(moved), clear


def _lead(logits: Tensor) -> float:
    """Return the least lead of a largest logit, relative to expected rounding."""
    if logits.shape[1] < 2:
        return np.inf
    best = logits.double().topk(2, dim=1).values
    size = 1 + best[best.isfinite()].abs().max()
    return float((best[:, 0] - best[:, 1]).min() / (_CLEAR * size))


def _reachable(
    steps: Steps, after: Integers, classes: Integers, empty_class: int, snaps: StateSnaps
) -> SnappedStates:
    """Number the pairs (representative, class) that words lead to, as they are met first."""
    number = {(0, empty_class): 0}
    queue = [(0, empty_class)]
    table: list[list[int]] = []
    for representative, _ in queue:
        row = []
        for symbol in range(steps.num_symbols):
            pair = (int(after[representative, symbol]), int(classes[representative, symbol]))
            if pair not in number:
                number[pair] = len(number)
                queue.append(pair)
            row.append(number[pair])
        table.append(row)
    return SnappedStates(
        np.array(table, dtype=np.int64),
        np.array([c for _, c in queue], dtype=np.int64),
        num_classes=steps.num_classes,
        snaps=replace(snaps, of_element=np.array([r for r, _ in queue], dtype=np.int64)),
    )
