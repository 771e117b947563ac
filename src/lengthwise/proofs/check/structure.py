"""The check of a structural certificate, without torch: the weights alone decide."""

from lengthwise.proofs.check.certificate import Certificate, Machine
from lengthwise.proofs.check.elements import MAX_POSITIONS, require, require_network
from lengthwise.proofs.check.margins import RoundingMargins
from lengthwise.proofs.check.slot_node import SlotNode
from lengthwise.proofs.search.structure import own_machine, structure_of

_MOST_PAIRS = 1_000_000
"""Largest number of pairs of states that are walked."""


def check_structure(claim: Certificate) -> RoundingMargins:
    """Check that the network composes the maps of an automaton, and the claim about that; return
    how far the network is from composing others.

    The automaton is the machine of the claim, or the one that the weights hold, which is then
    compared with the machine on all words at once.

    Raises:
        CertificateError: something of it is not so.
    """
    empty = not (claim.elements or claim.maps or claim.levels)
    require(empty, "a structural certificate has no elements, maps and levels")
    require(claim.repeats is None, "nothing is repeated")
    require_network(claim)
    require(claim.precision == "weights", "there are no bounds for bfloat16")
    require(claim.settings["chunk"] <= MAX_POSITIONS, f"a chunk has at most {MAX_POSITIONS} places")
    node = SlotNode(claim.settings, claim.weights)
    found = structure_of(node, claim.machine, claim.language.num_classes)
    own, wrong = claim.machine, None
    if not found.holds:
        read = own_machine(node)
        require(read is not None, "slots of symbols and the start hold codes of states")
        assert read is not None
        own, found = read, structure_of(node, read, claim.language.num_classes)
        wrong = _shortest_wrong(own, claim.machine, outside=claim.language.num_classes)
    require(found.holds, f"every case holds; {found.reason or 'rounding could change one'}")
    if claim.verdict == "equivalent":
        none = claim.counterexample is None and claim.checked_length is None
        require(none, "there is no counterexample, and any length was checked")
        require(wrong is None, "all words have their class")
    else:
        require(wrong is not None, "a word is wrong")
        assert wrong is not None
        _check_counterexample(claim, own, wrong)
    return RoundingMargins.of(found.signs, found.answers)


def _shortest_wrong(own: Machine, true: Machine, outside: int) -> int | None:
    """Return the length of the shortest word of the domain to which two automata over the same
    symbols give different classes; None if there is no such word."""
    new, seen = {(own.start, true.start)}, {(own.start, true.start)}
    length = 0
    while new:
        for mine, theirs in new:
            if own.classes[mine] != true.classes[theirs] != outside:
                return length
        symbols = range(len(true.transitions[0]))
        after = {(own.transitions[a][s], true.transitions[b][s]) for a, b in new for s in symbols}
        new = after - seen
        seen |= new
        require(len(seen) <= _MOST_PAIRS, "the automata are small enough to walk side by side")
        length += 1
    return None


def _check_counterexample(claim: Certificate, own: Machine, shortest: int) -> None:
    """Check that the counterexample is a shortest wrong word, and wrong as claimed."""
    claimed, language = claim.counterexample, claim.language
    require(claimed is not None, "a counterexample is there")
    assert claimed is not None
    word = language.encode(claimed.word)
    require(language.decode(word) == claimed.word, "the word is written as words are")
    mine, theirs = own.start, claim.machine.start
    for symbol in word:
        mine, theirs = own.transitions[mine][symbol], claim.machine.transitions[theirs][symbol]
    given, true = own.classes[mine], claim.machine.classes[theirs]
    require(true < language.num_classes, "the word is in the domain")
    require(language.class_names[true] == claimed.language, "its class is true")
    require(language.class_names[given] == claimed.model, "the model says so")
    require(true != given, "the two differ")
    require(len(word) == shortest, "no shorter word is wrong")
    require(claim.checked_length == shortest - 1, "all shorter words were checked")
