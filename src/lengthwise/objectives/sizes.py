"""Sizes of languages by which objectives and models are chosen, and what is too large for them.

The elements are the state maps of sub-words on the minimal automaton, the identity included.
"""

from functools import lru_cache

from lengthwise.errors import ConfigError, LanguageError
from lengthwise.languages.elements import MAX_ELEMENTS
from lengthwise.languages.language import Language
from lengthwise.languages.monoid import transition_monoid
from lengthwise.models.recognisers import DEFAULT_MODEL
from lengthwise.models.state_slots_config import MOST_BITS
from lengthwise.objectives.base import Subject
from lengthwise.settings import require

MOST_COMPOSED = 32
"""Greatest number of elements for which `regular-gpt-binary` finds its own codes."""

MOST_LABELLED = 1_000
"""Greatest number of elements whose codes are labels by default: `tasks.codebook.MAX_CHUNKS` is
its square."""

LARGE_MODEL = "regular-gpt-slots"
"""The model whose proof does not enumerate them."""

STEPPING_MODEL = "scratchpad-window"
"""The network for automata that are too large for a log-depth network: of those that read symbol by
symbol, the one that learns many transitions soonest."""


@lru_cache(maxsize=64)
def num_elements(language: Language) -> int | None:
    """Return the number of state maps of sub-words; None if it is more than `MAX_ELEMENTS`."""
    try:
        monoid = transition_monoid(language.total().minimise(), max_elements=MAX_ELEMENTS)
    except LanguageError:
        return None
    return len(monoid.maps)


def require_few_elements(language: Language, objective: str) -> None:
    """Refuse an objective that tells state maps apart where there are too many.

    Raises:
        ConfigError: there are more than `MAX_ELEMENTS`.
    """
    if num_elements(language) is None:
        raise ConfigError(
            f"objective={objective!r} tells at most {MAX_ELEMENTS} state maps apart, but "
            f"{language.spec or 'the language'} has more. Use --model {LARGE_MODEL} or "
            f"gru-binary, or objective='transition'."
        )


def require_codes(subject: Subject) -> None:
    """Refuse a network whose memory is not codes of bits.

    Raises:
        ConfigError: it is not.
    """
    require(
        subject.network.has_codes,
        f"objective={subject.settings.name!r} is about codes, but the memory is not binary. Use "
        f"model regular-gpt-binary, or objective='transition'.",
    )


def state_count(language: Language) -> tuple[int, int]:
    """Return the numbers of states and of steps of the minimal automaton."""
    machine = language.total().minimise()
    return machine.num_states, machine.num_states * machine.num_symbols


def require_slots(language: Language) -> int:
    """Return the number of states of the minimal automaton, if each can have a slot.

    Raises:
        ConfigError: there are too many; the message has the numbers of all routes.
    """
    from lengthwise.tasks.state_codes import MAX_STEPS  # noqa: PLC0415  for the message alone

    machine = language.total().minimise()
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
