"""What is known of a language: its machine, its algebra, and some of its words."""

from itertools import islice
from typing import Any

from lengthwise.errors import LanguageError
from lengthwise.languages.language import Language
from lengthwise.languages.monoid import MAX_ELEMENTS, syntactic_monoid

MAX_LENGTH = 8
"""Words are counted at the lengths from 0 to this."""

_SAMPLES = 4
_CLASSES = 12
"""Words are shown and counted for so many classes; a group may have thousands."""

_SEARCH = 50


def describe(language: Language, *, max_elements: int = MAX_ELEMENTS) -> dict[str, Any]:
    """A summary, ready for JSON.

    `num_states` is that of the smallest machine that follows classes and domain. The entries on the
    syntactic monoid (`monoid_size`, `star_free`, `group`, `solvable`) are None if it has more than
    `max_elements` elements, and `monoid_note` then says so. `samples` has the first few words of
    each of the first 12 classes, `counts` for each length the number of words of these classes.
    """
    minimal = language.minimised()
    shown = range(min(language.num_classes, _CLASSES))
    return {
        "spec": language.spec,
        "alphabet": list(language.alphabet),
        "num_states": minimal.num_states,
        "classes": list(language.class_names),
        "domain": language.domain is not None,
        **_algebra(minimal, max_elements),
        "samples": {language.class_names[c]: _samples(minimal, c) for c in shown},
        "counts": {
            str(length): list(minimal.counts(length)[: len(shown)])
            for length in range(MAX_LENGTH + 1)
        },
    }


def _algebra(language: Language, max_elements: int) -> dict[str, Any]:
    try:
        monoid = syntactic_monoid(language, max_elements)
    except LanguageError as error:
        unknown = dict.fromkeys(("monoid_size", "star_free", "group", "solvable"))
        return {**unknown, "monoid_note": str(error)}
    return {
        "monoid_size": monoid.size,
        "star_free": monoid.is_aperiodic,
        "group": monoid.is_group,
        "solvable": monoid.is_solvable,
    }


def _samples(language: Language, wanted: int) -> list[str]:
    """The first words of a class: the shortest, and those that are little longer."""
    shortest = language.total().shortest(wanted)
    if shortest is None:
        return []
    longest = len(shortest) + min(language.num_states, _SEARCH)
    words = language.words(max_length=longest, only=wanted)
    return [language.decode(word) for word in islice(words, _SAMPLES)]
