"""The automaton that a trained network computes, as a language.

It is read off the weights of slots, off the codes of a recurrence, or learned from the tables of a
RegularGPT.
"""

from dataclasses import dataclass, replace
from typing import Any

from torch import nn

from lengthwise.errors import VerificationError
from lengthwise.languages.language import Language
from lengthwise.messages import format_count
from lengthwise.models.binary_recurrent import BinaryRecurrent
from lengthwise.models.custom_network import with_lengths
from lengthwise.models.recurrent import Recurrent
from lengthwise.models.stepping import may_be_stepped
from lengthwise.proofs.search.certify_structure import slots_language
from lengthwise.proofs.search.code_recurrence import CodeRecurrence, TrackedCodes
from lengthwise.proofs.search.exact_learning import language_of
from lengthwise.proofs.search.extraction import ExtractedAlgebra, describe_fidelity, extract_algebra
from lengthwise.proofs.search.limits import MAX_ELEMENTS, MAX_STATES
from lengthwise.proofs.search.lookup import SnappedModel
from lengthwise.proofs.search.network import (
    recurrent_node_of,
    require_provable,
    require_regular_gpt,
    require_same_classes,
)
from lengthwise.proofs.search.own_automaton import Neighbours, own_automaton
from lengthwise.proofs.search.snapped_states import SnappedStates
from lengthwise.proofs.search.state_snapping import snap_recurrence

_MOST_STEPS = 1_000_000
"""Most steps of an exploration: a code and a symbol each."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Extraction:
    """A minimal automaton, and how surely the network computes it.

    Examples:
        >>> import lengthwise as lw
        >>> found = lw.extract(lw.load("zoo:parity"))
        >>> found.automaton, found.fidelity
        (Language(2 states over '0 1', classes '0 1'), 'yes')
    """

    automaton: Language
    is_exact: bool
    """Tells whether the automaton is the network itself."""
    is_certain: bool
    """Tells whether, in addition, no rounding could change what was read off."""
    algebra: ExtractedAlgebra | None = None
    """The finite algebra of a RegularGPT, from which its automaton was learned."""
    states: SnappedStates | None = None
    """The table of a recurrence whose state was snapped, from which its automaton was read."""

    def __repr__(self) -> str:
        states = format_count(self.automaton.num_states, "state")
        return f"Extraction(an automaton of {states}; is the network: {self.fidelity})"

    @property
    def fidelity(self) -> str:
        """Say in words how far the automaton is the network."""
        return describe_fidelity(is_exact=self.is_exact, is_certain=self.is_certain)

    def snap(self) -> SnappedModel | SnappedStates:
        """Return the model with vectors snapped to representatives, so that tables answer.

        It is used like the model, in `evaluate`, `predict` and `learn_automaton`, and is very fast.

        Raises:
            VerificationError: the network has bits or slots, and nothing that can be snapped.
        """
        if self.states is not None:
            return self.states
        if self.algebra is None:
            raise VerificationError(
                "only a RegularGPT has vectors of sub-words to snap, and this automaton was read "
                "off bits or slots. Use its automaton."
            )
        return SnappedModel(self.algebra.algebra)

    def summary(self) -> dict[str, Any]:
        """Return the automaton, how surely it is the network, and the algebra's numbers."""
        machine = self.automaton
        return {
            "automaton": {
                "num_states": machine.num_states,
                "start": machine.start,
                "alphabet": list(machine.alphabet),
                "transitions": [list(row) for row in machine.transitions],
                "classes": [machine.class_names[c] for c in machine.classes],
            },
            "is_exact": self.is_exact,
            "is_certain": self.is_certain,
            "algebra": None if self.algebra is None else self.algebra.summary(),
        }


def extract_automaton(
    model: nn.Module,
    language: Language,
    *,
    max_elements: int = MAX_ELEMENTS,
    max_states: int = MAX_STATES,
) -> Extraction:
    """Extract the minimal automaton of a network over the symbols and the domain of a language.

    A network with a slot for each state holds it in its weights, and a recurrence of bits in its
    codes, which are explored for at most a million steps. The state of another recurrence, or of
    any network that is read symbol by symbol, is snapped to representatives (`snap_states`). Of a
    RegularGPT the finite algebra is extracted (`extract_algebra`), and its automaton is learned
    exactly; `max_elements` (of continuous memory) and `max_states` bound these two steps.

    Raises:
        VerificationError: the model is none of these; its weights hold no automaton; it has too
            many codes; no snapping is usable; or its algebra has more than `max_elements` elements
            or never repeats.
        LanguageError: the automaton that is learned has more than `max_states` states.
    """
    slots = slots_language(model, language)
    if slots is not None:
        return _exactly(slots, is_certain=True)
    if type(model) is BinaryRecurrent:
        return _of_codes(model, language)
    if type(model) is Recurrent:
        require_same_classes(require_provable(model), language)
        return _of_states(model, language)
    if may_be_stepped(model):
        return _of_states(with_lengths(model), language)
    require_same_classes(require_regular_gpt(model), language)
    extraction = extract_algebra(model, language.domain, max_elements=max_elements)
    learned = language_of(
        extraction.algebra,
        language.alphabet,
        language.class_names,
        language.domain,
        max_states=max_states,
    )
    return Extraction(
        automaton=learned,
        is_exact=extraction.is_exact,
        is_certain=extraction.is_certain,
        algebra=extraction,
    )


def _of_codes(model: BinaryRecurrent, language: Language) -> Extraction:
    """Explore the codes of a recurrence on all words, also on those outside the domain."""
    require_provable(model)
    require_same_classes(model, language)
    codes = TrackedCodes(recurrent_node_of(model))
    anything = Neighbours.any(codes.num_symbols)
    automaton = own_automaton(CodeRecurrence(codes), anything, max_steps=_MOST_STEPS)
    if automaton is None:
        raise VerificationError(
            f"the codes of the model do not close within {_MOST_STEPS:,} steps. Train longer, or "
            f"use lw.interpret.learn_automaton in Python, which tests any model."
        )
    transitions, classes = automaton
    computed = replace(language, transitions=transitions, classes=classes, start=0, spec="")
    return _exactly(computed.minimise(), is_certain=codes.is_certain)


def _of_states(model: nn.Module, language: Language) -> Extraction:
    """Snap the state of a recurrence, and read the automaton off the table."""
    found = snap_recurrence(model, language)
    if found.snapped is None:
        raise VerificationError(f"no automaton is near this model: {found.reason}. Train longer.")
    automaton = found.snapped.automaton(language)
    return Extraction(automaton=automaton, is_exact=False, is_certain=False, states=found.snapped)


def _exactly(language: Language, *, is_certain: bool) -> Extraction:
    return Extraction(automaton=language, is_exact=True, is_certain=is_certain)
