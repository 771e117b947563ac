"""The default settings of training towards a proof, by the size of the monoid.

Those of `regular-gpt-binary`, which training without a model's name tries for few elements alone
(`routes`), are

- Up to 32 elements: `composition`. The network finds its own codes, and a proof closes in minutes.
- Up to 1,000: `codebook`. Codes that the network finds close late or never; with the coordinates of
  state maps as labels, a wider network in double precision is proved in minutes.
- Up to 5,000: `composition`, since there are too many chunks of codes to label.
- More: `transition`, since the elements are not told apart.

The elements are the state maps of sub-words on the minimal automaton, the identity included.

A recurrent network learns the steps of the minimal automaton, so its settings depend on their
number alone: a wider network for more states, and all steps in one batch as long as they fit.
`docs/verification.md` has the measurements behind the numbers.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from lengthwise.errors import ConfigError, LanguageError
from lengthwise.languages.elements import MAX_ELEMENTS
from lengthwise.languages.language import Language
from lengthwise.languages.monoid import transition_monoid

MOST_COMPOSED = 32
"""Greatest number of elements for which `regular-gpt-binary` finds its own codes."""

MOST_LABELLED = 1_000
"""Greatest number of elements whose codes are labels by default: `tasks.codebook.MAX_CHUNKS` is
its square."""

LARGE_MODEL = "regular-gpt-slots"
"""The model whose proof does not enumerate them."""

_CODEBOOK: Mapping[str, Any] = {
    "supervision": "codebook",
    "noise": 0.0,
    "precision": "double",
    "batch_size": 512,
}
"""Settings of codebook supervision in every preset."""

_LAPTOP: Mapping[str, Any] = {
    "d_model": 128,
    "learning_rate": 2e-3,
    "schedule": "cosine",
    "steps": 6_000,
}
"""Its numbers in the preset `laptop`."""

_SELDOM = 1_000
"""Steps from one validation to the next for more than `_FEW` elements: a validation judges every
chunk, which takes as long as hundreds of steps."""

_FEW = 300


@lru_cache(maxsize=64)
def num_elements(language: Language) -> int | None:
    """Return the number of state maps of sub-words; None if it is more than `MAX_ELEMENTS`."""
    try:
        monoid = transition_monoid(language.total().minimised(), max_elements=MAX_ELEMENTS)
    except LanguageError:
        return None
    return len(monoid.maps)


def require_few_elements(language: Language, supervision: str) -> None:
    """Refuse a supervision that tells state maps apart where there are too many.

    Raises:
        ConfigError: there are more than `MAX_ELEMENTS`.
    """
    if num_elements(language) is None:
        raise ConfigError(
            f"supervision={supervision!r} tells at most {MAX_ELEMENTS} state maps apart, but "
            f"{language.spec or 'the language'} has more. Use --model {LARGE_MODEL} or "
            f"gru-binary, or supervision='transition'."
        )


def suited_to_monoid(language: Language, preset: str) -> dict[str, Any]:
    """Return the settings that differ from those of the model, for a language and a preset."""
    count = num_elements(language)
    if count is None or not MOST_COMPOSED < count <= MOST_LABELLED:
        return {}
    if preset == "smoke":
        return {"supervision": "codebook", "noise": 0.0, "precision": "double"}
    if preset == "paper":
        return dict(_CODEBOOK)
    seldom = {"validate_every": _SELDOM} if count > _FEW else {}
    return {**_CODEBOOK, **_LAPTOP, **seldom}


_WIDTHS = ((64, 64), (1_500, 128), (8_000, 256))
"""Widths of recurrent networks: a number of states up to which one suffices, and the width."""

_WIDEST = 512

_MOST_TOGETHER = 2**14
"""Most steps of an automaton in one batch."""


def suited_to_states(language: Language, preset: str) -> dict[str, Any]:
    """Return the settings of recurrent networks that learn codes, for a language and a preset."""
    if preset == "smoke":
        return {"precision": "double", "learning_rate": 1e-2}
    states, steps = _size(language)
    widths = (width for most, width in _WIDTHS if states <= most)
    return {
        **_TABLE,
        "d_model": next(widths, _WIDEST),
        "batch_size": min(max(256, steps), _MOST_TOGETHER),
    }


_TABLE: Mapping[str, Any] = {
    "precision": "double",
    "validation_words": 256,
    "learning_rate": 1e-2,
    "schedule": "cosine",
    "steps": 2_000,
    "validate_every": 25,
}
"""Settings of networks that learn the steps of an automaton, whatever its size."""

_MOST_IN_ONE_DIGIT = 1_000
"""Most states of which each is one of a softmax."""

_MOST_TOKENS_TOGETHER = 2**15
"""Most steps in one batch of a network that writes tokens."""


def suited_to_tokens(language: Language, preset: str) -> dict[str, Any]:
    """Return the settings of networks that write states as tokens."""
    states, steps = _size(language)
    digits = {"num_digits": 2} if states > _MOST_IN_ONE_DIGIT else {}
    if preset == "smoke":
        return {"precision": "double", "learning_rate": 1e-2, **digits}
    return {**_TABLE, "batch_size": min(max(256, steps), _MOST_TOKENS_TOGETHER), **digits}


def _size(language: Language) -> tuple[int, int]:
    """Return the numbers of states and of steps of the minimal automaton."""
    machine = language.total().minimised()
    return machine.num_states, machine.num_states * machine.num_symbols


_LABELS: Mapping[str, Any] = {
    "curriculum": 3,
    "min_length": 0,
    "precision": "double",
}
"""Settings of recurrent networks that learn from labels of whole words alone."""


def suited_to_labels(preset: str) -> dict[str, Any]:
    """Return the settings of recurrent networks with codes that are told labels alone.

    They are the same for all languages, of which the learner knows nothing.
    """
    if preset == "smoke":
        return dict(_LABELS)
    return {
        **_LABELS,
        "learning_rate": 3e-3,
        "validation_words": 512,
        "validate_every": 50,
    }
