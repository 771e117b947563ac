"""Certification of a network with a slot for each state, by its structure."""

from dataclasses import replace

from torch import nn

from lengthwise.errors import VerificationError
from lengthwise.languages.language import Language
from lengthwise.models.state_slots import StateSlots
from lengthwise.proofs.check.certificate import Certificate, Machine, Verdict, WrongWord
from lengthwise.proofs.check.margins import RoundingMargins
from lengthwise.proofs.check.slot_node import SlotNode
from lengthwise.proofs.search.deviations import measure_products
from lengthwise.proofs.search.network import (
    list_versions,
    require_provable,
    require_same_classes,
    weights_of,
)
from lengthwise.proofs.search.short_words import try_short_words, wrong_words
from lengthwise.proofs.search.structure import own_machine, structure_of


def certify_structure(model: StateSlots, language: Language) -> Certificate:
    """Decide whether a network with a slot for each state gives every word its class.

    A network made for another automaton is compared by the automaton that its weights hold, if it
    computes that. Where no structure holds, short words are tried one by one instead.

    Raises:
        VerificationError: the model as it runs is not what its weights say.
    """
    machine = Machine.of(language.total().minimise())
    node = SlotNode(model.config.to_dict(), weights_of(model))
    structure = structure_of(node, machine, language.num_classes)
    computed, wrong, reason = language, None, structure.reason
    if not structure.holds and (network_machine := own_machine(node)) is not None:
        other = structure_of(node, network_machine, language.num_classes)
        if other.holds:
            structure, computed = other, _language_of(network_machine, language)
            wrong = computed.difference(language)
    measured = measure_products(model, node)
    right_to, doubt = None if wrong is None else len(wrong) - 1, ""
    if structure.holds:
        off = wrong_words(model, computed)[1]
        if off or not measured <= node.apart():
            raise VerificationError(
                "the model does not answer as its weights say. Its code was changed, or its "
                "arithmetic is not that of its weights' type; certify the plain model."
            )
    else:
        right_to, doubt = try_short_words(model, language, reason or "rounding could change a sign")
    verdict: Verdict = "equivalent" if wrong is None else "counterexample"
    return Certificate(
        verdict=verdict if structure.holds else "not-closed",
        strength="structural",
        language=language,
        machine=machine,
        settings=model.config.to_dict(),
        weights=weights_of(model),
        elements={},
        maps=(),
        levels=(),
        counterexample=None if wrong is None else _wrong_word(wrong, computed, language),
        checked_length=right_to,
        reason=doubt,
        margins=RoundingMargins.of(structure.signs, structure.answers, measured),
        made_with=list_versions(),
    )


def slots_language(model: nn.Module, language: Language) -> Language | None:
    """Return the automaton that a network with a slot for each state is proved to compute.

    It has the symbols, classes and domain of `language`; None if the network has no such slots.

    Raises:
        VerificationError: its weights hold no automaton, or its code was changed.
    """
    if type(model) is not StateSlots:
        return None
    require_provable(model)
    require_same_classes(model, language)
    node = SlotNode(model.config.to_dict(), weights_of(model))
    machine = own_machine(node)
    if machine is None or not structure_of(node, machine, language.num_classes).holds:
        raise VerificationError(
            "no automaton can be read off the weights. Train until a proof closes, or use "
            "lw.interpret.learn_automaton in Python, which tests any model."
        )
    return _language_of(machine, language).minimise()


def _language_of(machine: Machine, language: Language) -> Language:
    """Return the automaton of a network as a language on the domain of another."""
    return replace(
        language,
        transitions=machine.transitions,
        classes=machine.classes,
        start=machine.start,
        spec="",
    )


def _wrong_word(word: tuple[int, ...], computed: Language, language: Language) -> WrongWord:
    names = language.class_names
    return WrongWord(
        word=language.decode(word),
        model=names[computed.classify(word)],
        language=names[language.classify(word)],
    )
