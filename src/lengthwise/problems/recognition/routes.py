"""Routes to a proof: the order in which default training tries them, and when it gives one up.

Each route tells the learner more than the one before it:

    composition   products of state maps; the network finds codes of its own
    codebook      the code of every product, too, in a wider network
    maps          state maps, state by state, and that sub-words are composed slot by slot

Training begins with the route that suits the number of elements (`suited`), and goes on to the next
where it ends without a proof. The rule by which `composition` is given up was measured on automata
that are in no table of `docs/verification.md`, which has the numbers.
"""

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

from torch import nn

from lengthwise.errors import ConfigError, VerificationError
from lengthwise.languages.elements import MAX_ELEMENTS
from lengthwise.languages.language import Language
from lengthwise.models.recognisers import DEFAULT_MODEL
from lengthwise.models.state_slots_config import MOST_BITS
from lengthwise.problems.recognition.suited import (
    LARGE_MODEL,
    MOST_LABELLED,
    codebook_settings,
    num_elements,
)
from lengthwise.tasks.state_codes import MAX_STEPS
from lengthwise.verification.certify import certify
from lengthwise.verification.short_words import wrong_words

PATIENCE_STEPS, PATIENCE_VALIDATIONS = 1_500, 6
"""Steps and validations without progress, both of them, after which `composition` is given up."""

STEPPING_MODEL = "scratchpad-window"
"""The network for automata that are too large for a log-depth network: of those that read symbol by
symbol, the one that learns many transitions soonest."""

_MOST_CHUNKS = 300_000
"""Greatest number of chunks of one level that are explored to say how far a stage came."""


def routes_after(
    language: Language, supervision: str, preset: str
) -> list[tuple[str, Mapping[str, Any]]]:
    """Return the models of the routes after one, each with its default settings.

    The preset `smoke`, which ends after seconds in any case, has one route.
    """
    found: list[tuple[str, Mapping[str, Any]]] = []
    if preset == "smoke" or supervision not in ("composition", "codebook"):
        return found
    count = num_elements(language)
    if supervision == "composition" and count is not None and count <= MOST_LABELLED:
        found.append((DEFAULT_MODEL, codebook_settings(count, preset)))
    if language.total().minimised().num_states <= 2**MOST_BITS:
        found.append((LARGE_MODEL, {}))
    return found


def is_stalled(metrics: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether exploration has stalled: the model is right on no longer words than before,
    for `PATIENCE_STEPS` steps and `PATIENCE_VALIDATIONS` validations.

    Only `composition` has records of that. The other routes end with their steps, along which their
    learning rate falls to 0.
    """
    best, since = -inf, 0
    for number, record in enumerate(metrics):
        reach = inf if (right_to := record.get("right_to", -1)) is None else right_to
        if reach > best:
            best, since = reach, number
    if not metrics or "right_to" not in metrics[-1]:
        return False
    steps = metrics[-1]["step"] - metrics[since]["step"]
    return steps >= PATIENCE_STEPS and len(metrics) - 1 - since >= PATIENCE_VALIDATIONS


def standing(model: nn.Module, language: Language) -> dict[str, Any]:
    """Return how far a model is right: `proved`, `right_to`, `first_wrong` and `reason`."""
    try:
        found = certify(model, language, max_chunks=_MOST_CHUNKS)
    except VerificationError as error:
        return {"proved": False, "right_to": -1, "first_wrong": None, "reason": str(error)}
    first = None if found.counterexample is None else found.counterexample.word
    if found.verdict == "not-closed" and (wrong := wrong_words(model, language)[1]):
        first = language.decode(wrong[0])
    return {
        "proved": found.verdict == "equivalent",
        "right_to": found.checked_length,
        "first_wrong": first,
        "reason": found.reason,
    }


def require_slots(language: Language) -> int:
    """Return the number of states of the minimal automaton, if each can have a slot.

    Raises:
        ConfigError: there are too many; the message has the numbers of all routes.
    """
    machine = language.total().minimised()
    states, steps = machine.num_states, machine.num_states * machine.num_symbols
    if states <= 2**MOST_BITS:
        return states
    count = num_elements(language)
    elements = f"more than {MAX_ELEMENTS:,}" if count is None else f"{count:,}"
    remedy = f"Use --model {STEPPING_MODEL}, which learns its {steps:,} transitions one by one"
    if steps > MAX_STEPS:
        remedy = (
            f"Its {steps:,} transitions are also more than the {MAX_STEPS:,} of {STEPPING_MODEL}, "
            f"so no training ends with a proof. Use --model gru, or a smaller automaton"
        )
    raise ConfigError(
        f"{language.spec or 'the language'} is too large for a log-depth network with a proof: "
        f"{LARGE_MODEL} takes automata of up to {2**MOST_BITS:,} states, and this one has at least "
        f"{states:,}; {DEFAULT_MODEL} takes up to {MOST_LABELLED:,} state maps, and there are "
        f"{elements}. {remedy}."
    )
