r"""Proofs that do not enumerate: a network with a slot for each state composes maps of states.

Three things are checked of the weights, and together they prove every answer.

1. *Written codes.* Slot q of a symbol a holds the code of the state δ(q, a), slot q of the pad the
   code of q, and the start code is that of the start state.
2. *Products.* For all valid nodes at once, slot q of a product holds the code of the state that
   the right node maps to from where the left one maps q (`slot_node.SlotNode.sides`).
3. *Answers.* The code of each state is read as the class of that state.

By induction over its tree, a node holds the map of its sub-word: (1) is the beginning, for symbols
and pads, and (2) the step, in any order of composition and for chunks of any size, since pads are
identities. So the start code finds the code of the state at the end of the word, and (3) its class.
Nothing depends on the length of the word or on how many maps there are: the cases are n^2 pairs of
states, where the closure of `discrete` proofs has the squares of up to n^n elements.

The automaton need not be known beforehand: (1) and (3) can be read off the weights (`own_machine`).
If (2) holds of what is read, the network is that automaton on all words, and can be compared with
any language exactly, whatever the number of its states.
"""

from dataclasses import dataclass, field

import numpy as np

from lengthwise.proofs.check.arrays import Booleans, Integers
from lengthwise.proofs.check.certificate import Machine
from lengthwise.proofs.check.slot_node import SlotNode
from lengthwise.proofs.search.binary_algebra import MarginTracker


@dataclass(slots=True)
class Structure:
    """The findings about a network: the cases that do not hold, and how far the others hold."""

    cases: int = 0
    """Number of cases: slots of symbols, pad and start, pairs of states, answers."""
    wrong: int = 0
    """Number of cases that do not hold, or that rounding could change."""
    reason: str = ""
    """The first of them, in words."""
    signs: MarginTracker = field(default_factory=MarginTracker)
    answers: MarginTracker = field(default_factory=MarginTracker)

    @property
    def holds(self) -> bool:
        """Whether every case holds, whatever the rounding."""
        return self.wrong == 0 and self.signs.room > 0 and self.answers.room > 0

    def see(self, what: str, fails: Booleans) -> None:
        """Count cases; `fails` says which of them do not hold."""
        self.cases += fails.size
        num_failing = int(fails.sum())
        if num_failing and not self.wrong:
            place = ", ".join(str(index) for index in np.argwhere(fails)[0])
            self.reason = f"{what.format(place)} ({num_failing:,} of {fails.size:,} such cases)"
        self.wrong += num_failing


def own_machine(node: SlotNode) -> Machine | None:
    """Return the automaton that is written in the weights, with a state for each slot.

    None if a symbol, or the start, holds a code that is that of no slot. Only `structure_of` tells
    whether the network computes it.
    """
    codes = [code.tobytes() for code in node.states]
    number = {code: state for state, code in enumerate(codes)}
    targets = [[number.get(code.tobytes()) for code in slots] for slots in node.symbols]
    start = number.get(node.start.tobytes())
    logits, _ = node.logits()
    transitions = tuple(
        tuple(target for target in row if target is not None) for row in zip(*targets, strict=True)
    )
    if start is None or any(len(row) < len(targets) for row in transitions):
        return None
    classes = tuple(logits.argmax(axis=1).tolist())
    return Machine(transitions=transitions, classes=classes, start=start)


def structure_of(node: SlotNode, machine: Machine, num_classes: int) -> Structure:
    """Check that a network computes a machine, slot by slot.

    States of the machine with the class `num_classes` are outside the domain, where any answer
    will do.
    """
    structure = Structure()
    codes, symbols = node.states, node.symbols
    moves: Integers = np.array(machine.transitions, dtype=np.int64)  # [state, symbol]
    if len(codes) != len(moves) or len(symbols) != moves.shape[1]:
        structure.cases = structure.wrong = 1
        structure.reason = (
            f"the network has {len(codes)} slots and {len(symbols)} symbols, but the smallest "
            f"automaton has {len(moves)} states and {moves.shape[1]} symbols"
        )
        return structure
    numbers = node.measure_signs()
    structure.signs.see(numbers, np.full(len(numbers), node.flushed))
    structure.see("a written number is too near to 0: number {}", numbers <= node.flushed)
    structure.see(
        "the slot of a symbol does not hold the code of the next state: symbol, state {}",
        (symbols != codes[moves.T]).any(axis=2),
    )
    structure.see(
        "the start code is not that of the start state: bit {}", node.start != codes[machine.start]
    )
    sides, radius = node.sides()
    structure.signs.see(sides, radius)
    structure.see("other slots can change a product: from state, to state {}", ~(sides > radius))
    classes = np.array(machine.classes)
    inside = classes < num_classes
    logits, radius = node.logits()
    right = structure.answers.see_ahead(logits[inside], radius[inside], classes[inside])
    structure.see("a state is read as another class: state {}", ~right)
    return structure
