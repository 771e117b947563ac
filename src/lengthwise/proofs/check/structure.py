"""The check of a structural certificate, without torch: the weights alone decide.

The cases are those of `proofs.search.structure`, whose docstring says why they are enough; no code
of it is used. The automaton is read off the weights first, and then compared with the machine:

1. every slot of a symbol, and the start, holds the code of some slot of the pad, its *state*;
2. whatever the other slots hold, a slot becomes the code of the state that it looks up;
3. the class of each state is certain;
4. the automaton and the machine of the claim are walked side by side.

Shared with the search are the bounds on rounding (`slot_node.py`, `balls.py`), nothing else.
"""

import numpy as np

from lengthwise.proofs.check.arrays import Booleans
from lengthwise.proofs.check.certificate import Certificate, Machine
from lengthwise.proofs.check.elements import Margin, read, require_network
from lengthwise.proofs.check.margins import RoundingMargins
from lengthwise.proofs.check.networks import MAX_POSITIONS
from lengthwise.proofs.check.schema import require
from lengthwise.proofs.check.slot_node import SlotNode

_MOST_PAIRS = 1_000_000
"""Largest number of pairs of states that are walked."""


def check_structure(claim: Certificate) -> RoundingMargins:
    """Check that the network composes the maps of an automaton, and the claim about that; return
    how far the network is from composing others.

    Raises:
        CertificateError: something of it is not so.
    """
    empty = not (claim.elements or claim.maps or claim.levels)
    require(empty, "a structural certificate has no elements, maps and levels")
    require(claim.repeats is None, "nothing is repeated")
    require_network(claim)
    require(claim.precision == "weights", "there are no bounds for bfloat16")
    require(
        claim.settings["chunk_size"] <= MAX_POSITIONS, f"a chunk has at most {MAX_POSITIONS} places"
    )
    node = SlotNode(claim.settings, claim.weights)
    signs, answers = Margin("sign"), Margin("answer")
    numbers = node.measure_signs()
    require(bool((numbers > node.flushed).all()), "written numbers are not too near to 0")
    signs.see(numbers, np.full(len(numbers), node.flushed))
    sides, radius = node.sides()  # infinite radii where sides are NaN
    require(bool((sides > radius).all()), "other slots cannot change a product")
    signs.see(sides, radius)
    own_machine = _automaton(node, claim.machine, claim.language.num_classes, answers)
    wrong = _shortest_wrong(own_machine, claim.machine, outside=claim.language.num_classes)
    if claim.verdict == "equivalent":
        none = claim.counterexample is None and claim.checked_length is None
        require(none, "there is no counterexample, and any length was checked")
        require(wrong is None, "all words have their class")
    else:
        require(wrong is not None, "a word is wrong")
        assert wrong is not None
        _check_counterexample(claim, own_machine, wrong)
    return RoundingMargins.of(signs, answers)


def _automaton(node: SlotNode, machine: Machine, outside: int, answers: Margin) -> Machine:
    """Return the automaton that the weights hold, with a state for each slot.

    Classes have to be certain: of all states, or, if the automaton is the machine except for
    classes outside the domain, of the states in the domain.
    """
    state_of = {code.tobytes(): state for state, code in enumerate(node.states)}

    def name(code: Booleans) -> int:
        require(code.tobytes() in state_of, "slots of symbols and the start hold codes of states")
        return state_of[code.tobytes()]

    start = name(node.start)
    by_symbol = [[name(code) for code in slots] for slots in node.symbols]
    transitions = tuple(zip(*by_symbol, strict=True))
    logits, radius = node.logits()
    classes = tuple(logits.argmax(axis=1).tolist())
    alike = (transitions, start) == (machine.transitions, machine.start) and all(
        own_class == true
        for own_class, true in zip(classes, machine.classes, strict=True)
        if true < outside
    )
    inside = [state for state, true in enumerate(machine.classes) if true < outside]
    slots_read = inside if alike else list(range(len(classes)))
    read(logits[slots_read], radius[slots_read], answers)
    return Machine(transitions=transitions, classes=classes, start=start)


def _shortest_wrong(own_machine: Machine, true: Machine, outside: int) -> int | None:
    """Return the length of the shortest word of the domain to which two automata over the same
    symbols give different classes; None if there is no such word."""
    new, seen = {(own_machine.start, true.start)}, {(own_machine.start, true.start)}
    length = 0
    while new:
        for own_state, true_state in new:
            if own_machine.classes[own_state] != true.classes[true_state] != outside:
                return length
        symbols = range(len(true.transitions[0]))
        after = {
            (own_machine.transitions[a][s], true.transitions[b][s]) for a, b in new for s in symbols
        }
        new = after - seen
        seen |= new
        require(len(seen) <= _MOST_PAIRS, "the automata are small enough to walk side by side")
        length += 1
    return None


def _check_counterexample(claim: Certificate, own_machine: Machine, shortest: int) -> None:
    """Check that the counterexample is a shortest wrong word, and wrong as claimed."""
    claimed, language = claim.counterexample, claim.language
    require(claimed is not None, "a counterexample is there")
    assert claimed is not None
    word = language.encode(claimed.word)
    require(language.decode(word) == claimed.word, "the word is written as words are")
    own_state, true_state = own_machine.start, claim.machine.start
    for symbol in word:
        own_state, true_state = (
            own_machine.transitions[own_state][symbol],
            claim.machine.transitions[true_state][symbol],
        )
    answer, true = own_machine.classes[own_state], claim.machine.classes[true_state]
    require(true < language.num_classes, "the word is in the domain")
    require(language.class_names[true] == claimed.language, "its class is true")
    require(language.class_names[answer] == claimed.model, "the model says so")
    require(true != answer, "the two differ")
    require(len(word) == shortest, "no shorter word is wrong")
    require(claim.checked_length == shortest - 1, "all shorter words were checked")
