"""Summary of a language: its minimal automaton, its syntactic monoid, and some of its words."""

from itertools import islice
from typing import Any

from lengthwise.languages.ladder import ladder
from lengthwise.languages.language import Language
from lengthwise.languages.monoid import MAX_ELEMENTS

MAX_LENGTH = 8
"""Largest length at which words are counted; the smallest is 0."""

LADDER_KEYS = ("ladder", "ladder_witnesses", "ladder_numbers", "network")
"""The keys of a description that say which transformer can carry the language, and why."""

_SAMPLES = 4
_CLASSES = 12
"""Number of classes whose words are shown and counted; a group may have thousands."""

_SEARCH = 50


def describe(language: Language, *, max_elements: int = MAX_ELEMENTS) -> dict[str, Any]:
    """Summarise a language as plain values, ready for JSON.

    `num_states` is the number of states of the smallest automaton that tracks classes and domain.
    `samples` has the first few words of each of the first 12 classes, `counts` for each length the
    number of words of these classes. `LADDER_KEYS` are those of `lengthwise.languages.ladder`.

    What needs the syntactic monoid (`monoid_size`, `star_free`, `solvable`, and much of the ladder)
    is None if that has more than `max_elements` elements, and `monoid_note` then says so.
    """
    minimal = language.minimise()
    shown_classes = range(min(language.num_classes, _CLASSES))
    verdicts = ladder(language, max_elements=max_elements)
    return {
        "spec": language.spec,
        "alphabet": list(language.alphabet),
        "num_states": minimal.num_states,
        "classes": list(language.class_names),
        "domain": language.domain is not None,
        "monoid_size": verdicts.monoid_size,
        **{key: verdicts[key].holds for key in ("star_free", "group", "solvable")},
        **({"monoid_note": verdicts.refusal} if verdicts.refusal else {}),
        "samples": {language.class_names[c]: samples(minimal, c) for c in shown_classes},
        "counts": {
            str(length): list(minimal.counts(length)[: len(shown_classes)])
            for length in range(MAX_LENGTH + 1)
        },
        **verdicts.to_json(),
    }


def samples(language: Language, class_number: int) -> list[str]:
    """Return the first words of a class in length order: the shortest, and slightly longer ones."""
    shortest = language.total().shortest(class_number)
    if shortest is None:
        return []
    longest = len(shortest) + min(language.num_states, _SEARCH)
    words = language.words(max_length=longest, only=class_number)
    return [language.decode(word) for word in islice(words, _SAMPLES)]
