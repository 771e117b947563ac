"""Summary of a language: its minimal automaton, its syntactic monoid, and some of its words."""

from itertools import islice
from typing import Any

from lengthwise.languages.ladder import Ladder, ladder
from lengthwise.languages.language import Language
from lengthwise.languages.monoid import MAX_ELEMENTS

MAX_LENGTH = 8
"""Largest length at which words are counted; the smallest is 0."""

_SAMPLES = 4
_CLASSES = 12
"""Number of classes whose words are shown and counted; a group may have thousands."""

_SEARCH = 50


def describe(language: Language, *, max_elements: int = MAX_ELEMENTS) -> dict[str, Any]:
    """Summarise a language as plain values, ready for JSON: its `facts`, and the keys `ladder`,
    `ladder_witnesses`, `ladder_numbers` and `network` of `lengthwise.languages.ladder`.

    What needs the syntactic monoid is None if that has more than `max_elements` elements, and
    `monoid_note` then says so.
    """
    found = ladder(language, max_elements=max_elements)
    return {**facts(language, found), **found.to_json()}


def facts(language: Language, found: Ladder) -> dict[str, Any]:
    """Return the facts of a language: automaton, monoid and words.

    `num_states` is the number of states of the smallest automaton that tracks classes and domain.
    `samples` has the first few words of each of the first 12 classes, `counts` for each length the
    number of words of these classes.
    """
    minimal = language.minimised()
    shown = range(min(language.num_classes, _CLASSES))
    return {
        "spec": language.spec,
        "alphabet": list(language.alphabet),
        "num_states": minimal.num_states,
        "classes": list(language.class_names),
        "domain": language.domain is not None,
        "monoid_size": found.monoid_size,
        **{key: found[key].holds for key in ("star_free", "group", "solvable")},
        **({"monoid_note": found.refusal} if found.refusal else {}),
        "samples": {language.class_names[c]: samples(minimal, c) for c in shown},
        "counts": {
            str(length): list(minimal.counts(length)[: len(shown)])
            for length in range(MAX_LENGTH + 1)
        },
    }


def samples(language: Language, wanted: int) -> list[str]:
    """Return the first words of a class in length order: the shortest, and slightly longer ones."""
    shortest = language.total().shortest(wanted)
    if shortest is None:
        return []
    longest = len(shortest) + min(language.num_states, _SEARCH)
    words = language.words(max_length=longest, only=wanted)
    return [language.decode(word) for word in islice(words, _SAMPLES)]
