"""The check of a structural certificate, without torch: the weights alone decide."""

from lengthwise.verification.certificate import Certificate
from lengthwise.verification.check_elements import MAX_POSITIONS, require, require_network
from lengthwise.verification.margins import RoundingMargins
from lengthwise.verification.slot_node import SlotNode
from lengthwise.verification.structure import structure_of


def check_structure(claim: Certificate) -> RoundingMargins:
    """Check that the network composes the maps of the machine, and return how far it is from
    doing otherwise.

    Raises:
        CertificateError: something of it is not so.
    """
    require(claim.verdict == "equivalent", "a structural certificate says equivalent")
    empty = not (claim.elements or claim.maps or claim.levels)
    require(empty, "a structural certificate has no elements, maps and levels")
    none = (claim.repeats, claim.counterexample, claim.checked_length) == (None, None, None)
    require(none, "there is no counterexample, and any length was checked")
    require_network(claim)
    require(claim.precision == "weights", "there are no bounds for bfloat16")
    require(claim.settings["chunk"] <= MAX_POSITIONS, f"a chunk has at most {MAX_POSITIONS} places")
    node = SlotNode(claim.settings, claim.weights)
    found = structure_of(node, claim.machine, claim.language.num_classes)
    require(found.holds, f"every case holds; {found.reason or 'rounding could change one'}")
    return RoundingMargins.of(found.signs, found.answers)
