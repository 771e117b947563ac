"""Routes to a proof: the models that default training tries, one after the other.

    composition   products of state maps; the network finds codes of its own
    maps          state maps, state by state, and that sub-words are composed slot by slot
    codebook      the code of the next state, step by step

`composition` is a RegularGPT as in the paper, and is tried where there are few state maps, as it
closes within seconds or not soon. `maps` closes for any automaton that a state has a slot for, and
`codebook` of a network that reads symbol by symbol for larger ones. `docs/reproducing/proofs.md`
has the numbers.
"""

from collections.abc import Sequence
from typing import Any

from torch import nn

from lengthwise.errors import LanguageError, VerificationError
from lengthwise.languages.language import Language
from lengthwise.languages.monoid import transition_monoid
from lengthwise.models.recognisers import DEFAULT_MODEL
from lengthwise.models.state_slots_config import MOST_BITS
from lengthwise.objectives.sizes import LARGE_MODEL, STEPPING_MODEL
from lengthwise.problems.plan import Route

MOST_TRIED = 16
"""Greatest number of state maps for which the network finds codes of its own by default."""

COMPOSED_STEPS = 1_000
"""Steps after which `composition` is given up. It closes after 250 to 1,000 on the languages of
Table 1 that have so few state maps."""

_MOST_CHUNKS = 300_000
"""Greatest number of chunks of one level that are explored to judge a stage."""


def routes_to_a_proof(language: Language, preset: str) -> Sequence[Route]:
    """Return the routes for a language; the preset `smoke`, which ends after seconds in any case,
    has the first alone."""
    machine = language.total().minimise()
    if machine.num_states > 2**MOST_BITS:
        states = f"{machine.num_states:,} states are more than the {2**MOST_BITS:,} of slots"
        return (Route(STEPPING_MODEL, states),)
    any_size = f"its proof takes automata of up to {2**MOST_BITS:,} states"
    try:
        count = len(transition_monoid(machine, max_elements=MOST_TRIED).maps)
    except LanguageError:
        most = f"there are more than {MOST_TRIED} state maps of sub-words"
        return (Route(LARGE_MODEL, f"{most}, and {any_size}"),)
    few = f"{count} state maps of sub-words are at most {MOST_TRIED}"
    routes = (Route(DEFAULT_MODEL, few, COMPOSED_STEPS), Route(LARGE_MODEL, any_size))
    return routes[:1] if preset == "smoke" else routes


def judge_model(model: nn.Module, language: Language) -> dict[str, Any]:
    """Return how far a model is right: `proved`, `right_to`, `first_wrong` and `reason`."""
    from lengthwise.proofs.search.certify import certify  # noqa: PLC0415  all searches
    from lengthwise.proofs.search.short_words import wrong_words  # noqa: PLC0415  seldom

    try:
        certificate = certify(model, language, max_chunks=_MOST_CHUNKS)
    except VerificationError as error:
        return {"proved": False, "right_to": -1, "first_wrong": None, "reason": str(error)}
    first = None if certificate.counterexample is None else certificate.counterexample.word
    if certificate.verdict == "not-closed" and (wrong := wrong_words(model, language)[1]):
        first = language.decode(wrong[0])
    return {
        "proved": certificate.verdict == "equivalent",
        "right_to": certificate.checked_length,
        "first_wrong": first,
        "reason": certificate.reason,
    }
