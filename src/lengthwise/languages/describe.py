"""Summary of a language: its minimal automaton, its syntactic monoid, and some of its words."""

from itertools import islice
from typing import Any

from lengthwise.errors import LanguageError
from lengthwise.languages.language import Language
from lengthwise.languages.monoid import MAX_ELEMENTS, syntactic_monoid

MAX_LENGTH = 8
"""Largest length at which words are counted; the smallest is 0."""

_SAMPLES = 4
_CLASSES = 12
"""Number of classes whose words are shown and counted; a group may have thousands."""

_SEARCH = 50


def describe(language: Language, *, max_elements: int = MAX_ELEMENTS) -> dict[str, Any]:
    """Summarise a language as plain values, ready for JSON.

    `num_states` is the number of states of the smallest automaton that tracks classes and domain.
    The entries on the syntactic monoid (`monoid_size`, `star_free`, `group`, `solvable`) are None
    if it has more than `max_elements` elements, and `monoid_note` then says so. `samples` has the
    first few words of each of the first 12 classes, `counts` for each length the number of words of
    these classes.
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
        "samples": {language.class_names[c]: samples(minimal, c) for c in shown},
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


def samples(language: Language, wanted: int) -> list[str]:
    """Return the first words of a class in length order: the shortest, and slightly longer ones."""
    shortest = language.total().shortest(wanted)
    if shortest is None:
        return []
    longest = len(shortest) + min(language.num_states, _SEARCH)
    words = language.words(max_length=longest, only=wanted)
    return [language.decode(word) for word in islice(words, _SAMPLES)]
