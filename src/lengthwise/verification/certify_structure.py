"""Certification of a network with a slot for each state, by its structure."""

import numpy as np
import torch

from lengthwise.errors import VerificationError
from lengthwise.languages.language import Language
from lengthwise.models.state_slots import StateSlots
from lengthwise.models.threads import processor_threads
from lengthwise.verification.certificate import Certificate, Machine, finite
from lengthwise.verification.network import made_with, weights_of
from lengthwise.verification.short_words import tried, wrong_words
from lengthwise.verification.slot_node import SlotNode
from lengthwise.verification.structure import margins_of, structure_of

_SAMPLE = 32
"""Number of random pairs of nodes on which the running model is compared with float64."""


def certify_structure(model: StateSlots, language: Language) -> Certificate:
    """Decide whether a network with a slot for each state gives every word its class.

    Where the structure does not hold, short words are tried one by one instead.

    Raises:
        VerificationError: the model as it runs is not what its weights say.
    """
    smallest = language.total().minimised()
    machine = Machine(
        transitions=smallest.transitions, classes=smallest.classes, start=smallest.start
    )
    node = SlotNode(model.config.to_dict(), weights_of(model))
    found = structure_of(node, machine, language.num_classes)
    measured = measured_difference(model, node)
    sureness = margins_of(found, finite(measured))
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
        sureness=sureness,
        made_with=made_with(),
    )


@torch.no_grad()
def measured_difference(model: StateSlots, node: SlotNode) -> float:
    """Return the largest difference of numbers before the sign between the running model and
    float64.

    It is taken over random pairs of nodes, in one batch and one by one, with one thread and two.
    """
    slots, bits = model.config.num_slots, model.config.num_bits
    draw = np.random.default_rng(0)
    places = np.arange(bits)
    left = (node.states @ 2**places)[draw.integers(0, slots, size=(_SAMPLE, slots))]
    right = draw.integers(0, 2**bits, size=(_SAMPLE, slots))
    exact = node.numbers(left[..., None] >> places & 1 == 1, right[..., None] >> places & 1 == 1)
    device = model.pad.device
    before, after = torch.from_numpy(left).to(device), torch.from_numpy(right).to(device)
    worst = 0.0
    for threads, together in ((1, _SAMPLE), (2, _SAMPLE), (1, 1)):
        with processor_threads(threads):
            for first in range(0, _SAMPLE, together):
                rows = slice(first, first + together)
                weights = model.weights(before[rows].reshape(-1)).view(-1, slots, slots)
                numbers = model.numbers(weights, model.signs(after[rows]))
                off = np.abs(numbers.double().cpu().numpy() - exact[rows])
                worst = max(worst, float(off.max()) if np.isfinite(off).all() else np.inf)
    return worst
