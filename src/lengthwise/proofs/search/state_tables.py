"""The table of a snapped recurrence, computed from its steps.

The table has the steps that words of the language's domain take, and no others. It is computed from
the network once in one order and once in another. Where a state is nearly as far from two
representatives, or two logits are nearly equal, rounding could decide, and the table is not
certain: nothing is claimed of it.

Axes:
    representative  states that others are snapped to
    symbol          symbols of the alphabet
    width           numbers of a state
    step            a representative and a symbol
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from lengthwise.errors import VerificationError
from lengthwise.languages.language import Language
from lengthwise.models.stepping import Rows, StateError, Steps
from lengthwise.proofs.check.arrays import Booleans, Integers
from lengthwise.proofs.check.table_node import UNUSED
from lengthwise.proofs.search.prefixes import leads_to
from lengthwise.proofs.search.snapped_states import SnappedStates, StateSnaps, distances

_BATCH, _OTHER_BATCH = 2048, 509
"""Steps that are computed at once, the first and the second time."""

_CLEAR = 1e-5
"""Least lead of the nearest representative and of the largest logit, relative to 1 + the largest
number: rounding of float32 moves numbers by about a hundredth of it."""

_NEAR = 1e-3
"""As in `models.stepping`: rounding explains no greater difference of two computations."""


@dataclass(frozen=True, slots=True, eq=False)
class Domain:
    """The states of a domain from which some word leads into it; without a domain there is one."""

    transitions: Integers
    begins: Booleans
    inside: Booleans
    """The states of the words that are in the domain."""
    start: int = 0

    @classmethod
    def of(cls, language: Language) -> "Domain":
        """Return the domain of a language."""
        if language.domain is None:
            return cls.any(language.num_symbols)
        table = np.array(language.domain.transitions, dtype=np.int64)
        inside = np.array(language.domain.classes, dtype=np.int64) == 1
        return cls(table, leads_to(table, inside), inside, language.domain.start)

    @classmethod
    def any(cls, num_symbols: int) -> "Domain":
        """Return the domain of all words."""
        all_words = np.ones(1, dtype=np.bool_)
        return cls(np.zeros((1, num_symbols), dtype=np.int64), all_words, all_words)

    def steps_from(self, pairs: Sequence[tuple[int, int]]) -> tuple[Integers, Integers, list[int]]:
        """Return the steps that words take from pairs (representative, state).

        They are representatives, symbols, and the states after them.
        """
        of_pair = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        after = self.transitions[of_pair[:, 1]]
        row, symbol = np.nonzero(self.begins[after])
        return of_pair[row, 0], symbol, after[row, symbol].tolist()


def tabulate_states(
    steps: Steps, representatives: Rows, radius: float, domain: Domain | None = None
) -> SnappedStates:
    """Return the snapped network of these representatives; the first must be the start.

    Only steps that words of the domain take are computed; without one, those of all words.

    Raises:
        VerificationError: a state or logits after a representative are not finite, or numbers
            depend on the other words of a batch.
    """
    domain = domain or Domain.any(steps.num_symbols)
    shape = (len(representatives), steps.num_symbols)
    nearest, classes = (np.full(shape, UNUSED, dtype=np.int64) for _ in range(2))
    found: list[tuple[Tensor, Tensor, Tensor, Tensor]] = []
    moved: list[Tensor] = []
    first_logits, _ = steps.start()
    clear = _lead(first_logits)
    new = [(0, domain.start)] if domain.begins[domain.start] else []
    known = set(new)
    while new:
        row, symbol, states = domain.steps_from(new)
        fresh = nearest[row, symbol] == UNUSED
        asked = np.unique(np.stack([row, symbol], axis=1)[fresh], axis=0)
        if len(asked):
            some, symbols = torch.from_numpy(asked).unbind(dim=1)
            logits, after = step_in_batches(steps, representatives[some], symbols)
            near, away, lead = _snap(after, representatives)
            nearest[*asked.T] = near.numpy()
            classes[*asked.T] = logits.argmax(dim=1).numpy()
            clear = min(clear, lead, _lead(logits))
            found.append((some, symbols, logits, after))
            moved.append(away)
        pairs = zip(nearest[row, symbol].tolist(), states, strict=True)
        new = [pair for pair in dict.fromkeys(pairs) if pair not in known]
        known.update(new)
    if found:
        columns = [torch.cat(column) for column in zip(*found, strict=True)]
        clear = _compute_again(steps, representatives, columns, nearest, clear)
    return _reachable(
        steps,
        nearest,
        classes,
        int(first_logits.argmax()),
        StateSnaps(
            representatives=representatives,
            of_element=np.zeros(0, dtype=np.int64),
            distances=torch.cat(moved).numpy() if moved else np.zeros(1),
            radius=radius,
            clear=clear,
        ),
    )


def _compute_again(
    steps: Steps, representatives: Rows, found: list[Tensor], nearest: Integers, clear: float
) -> float:
    """Compute all steps again in another order and batch; return 0 if a value changes."""
    row, symbol, logits, after = (column.flip(0) for column in found)
    again = step_in_batches(steps, representatives[row], symbol, _OTHER_BATCH)
    for first, second in zip((logits, after), again, strict=True):
        off = (first - second).abs().nan_to_num(0.0).max()
        if off > _NEAR * (1 + first.nan_to_num(0.0, 0.0, 0.0).abs().max()):
            raise VerificationError(
                f"{steps.name}.step depends on the other words of a batch, or on chance: numbers "
                f"differ by {float(off):.2g} in another order. Let them follow from state and "
                f"symbol."
            )
    before = nearest[row.numpy(), symbol.numpy()]
    is_same = np.array_equal(_snap(again[1], representatives)[0].numpy(), before)
    is_same &= torch.equal(again[0].argmax(dim=1), logits.argmax(dim=1))
    return clear if is_same else 0.0


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
            if pair[0] == UNUSED:
                row.append(UNUSED)
                continue
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
