"""Certification of a network with a slot for each state, by its structure."""

from lengthwise.errors import VerificationError
from lengthwise.languages.language import Language
from lengthwise.models.state_slots import StateSlots
from lengthwise.verification.certificate import Certificate, Machine
from lengthwise.verification.margins import RoundingMargins
from lengthwise.verification.measured import measured_products
from lengthwise.verification.network import made_with, weights_of
from lengthwise.verification.short_words import tried, wrong_words
from lengthwise.verification.slot_node import SlotNode
from lengthwise.verification.structure import structure_of


def certify_structure(model: StateSlots, language: Language) -> Certificate:
    """Decide whether a network with a slot for each state gives every word its class.

    Where the structure does not hold, short words are tried one by one instead.

    Raises:
        VerificationError: the model as it runs is not what its weights say.
    """
    machine = Machine.of(language.total().minimised())
    node = SlotNode(model.config.to_dict(), weights_of(model))
    found = structure_of(node, machine, language.num_classes)
    measured = measured_products(model, node)
    if found.holds:
        off = wrong_words(model, language)[1]
        if off or not measured <= node.apart():
            raise VerificationError(
                "the model does not answer as its weights say. Its code was changed, or its "
                "arithmetic is not that of its weights' type; certify the plain model."
            )
        right_to, doubt = None, ""
    else:
        right_to, doubt = tried(model, language, found.reason or "rounding could change a sign")
    return Certificate(
        verdict="equivalent" if found.holds else "not-closed",
        strength="structural",
        language=language,
        machine=machine,
        settings=model.config.to_dict(),
        weights=weights_of(model),
        elements={},
        maps=(),
        levels=(),
        checked_length=right_to,
        reason=doubt,
        sureness=RoundingMargins.of(found.signs, found.answers, measured),
        made_with=made_with(),
    )
