"""Languages made of others: reversal, concatenation and quotients.

Union, intersection, difference and complement are the operators of `Language`.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import TypedDict

import numpy as np

from lengthwise.errors import LanguageError
from lengthwise.languages.builders import MAX_STATES, from_step_function
from lengthwise.languages.language import Language
from lengthwise.languages.moore_machine import require_one_alphabet
from lengthwise.messages import format_count

MAX_CELLS = 50_000_000
"""Largest number of states of a reversal times those of the language: 200 MB.

For sets of states in Python it is a tenth.
"""

MAX_PAIRS = 500_000
"""Largest number of pairs of states that a quotient visits: seconds."""


class _Bounds(TypedDict):
    max_states: int
    refusal: str


def reverse(language: Language) -> Language:
    """Return the language that gives each word the class of the word read from its end.

    A state maps each state of the automaton to the class that the letters read so far, in reverse,
    lead it to. Different maps that words reach are different states of the minimal automaton.

    >>> from lengthwise.languages.spec import parse
    >>> backwards = reverse(parse("regex:a*ab"))
    >>> "baa" in backwards, "aab" in backwards
    (True, False)

    Raises:
        LanguageError: there are more than `MAX_STATES` states, or more than `MAX_CELLS` cells.
    """
    small = language.total().minimise()
    columns = dict(zip(small.alphabet, np.array(small.transitions).T, strict=True))
    most = max(1, min(MAX_STATES, MAX_CELLS // small.num_states))
    made = from_step_function(
        small.alphabet,
        np.array(small.classes, dtype=np.int32).tobytes(),
        lambda after, symbol: np.frombuffer(after, dtype=np.int32)[columns[symbol]].tobytes(),
        lambda after: int(np.frombuffer(after, dtype=np.int32)[0]),
        class_names=small.class_names,
        max_states=most,
        refusal=f"the reversal of an automaton of {format_count(small.num_states, 'state')} has "
        "more than {most} states, the most that are made. Reverse a smaller one.",
    )
    if language.domain is None:
        return made
    inside = tuple(int(c < language.num_classes) for c in made.classes)
    return replace(
        made,
        classes=tuple(c * i for c, i in zip(made.classes, inside, strict=True)),
        class_names=language.class_names,
        domain=replace(made, classes=inside, class_names=("0", "1")),
    ).minimise()


def concatenation(first: Language, second: Language) -> Language:
    """Return the words that begin with a word of `first` and go on with one of `second`.

    Raises:
        LanguageError: one has other classes than 0 and 1, or a domain, or they are over different
            symbols, or there are more than `MAX_STATES` states.
    """
    first, second = _recognisers("a concatenation", first, second)
    index = {symbol: number for number, symbol in enumerate(first.alphabet)}

    def begin(state: int, others: frozenset[int]) -> tuple[int, frozenset[int]]:
        return state, others | {second.start} if first.classes[state] else others

    return from_step_function(
        first.alphabet,
        begin(first.start, frozenset()),
        lambda states, symbol: begin(
            first.transitions[states[0]][index[symbol]],
            frozenset(second.transitions[other][index[symbol]] for other in states[1]),
        ),
        lambda states: int(any(second.classes[other] for other in states[1])),
        class_names=("0", "1"),
        **_bounds("concatenation", first, second),
    )


def left_quotient(language: Language, by: Language) -> Language:
    """Return what can follow a word of `by` in the language: the words w such that some bw is in
    it, with b in `by`.

    Raises:
        LanguageError: see `concatenation`.
    """
    language, by = _recognisers("a quotient", language, by)
    index = {symbol: number for number, symbol in enumerate(language.alphabet)}
    return from_step_function(
        language.alphabet,
        frozenset(
            state for state, end in _pairs(language, by, [language.start]) if by.classes[end]
        ),
        lambda states, symbol: frozenset(
            language.transitions[state][index[symbol]] for state in states
        ),
        lambda states: int(any(language.classes[state] for state in states)),
        class_names=("0", "1"),
        **_bounds("left quotient", by, language),
    )


def right_quotient(language: Language, by: Language) -> Language:
    """Return what can precede a word of `by` in the language: the words w such that some wb is in
    it, with b in `by`.

    Raises:
        LanguageError: one has other classes than 0 and 1, or a domain, or they are over different
            symbols, or too large.
    """
    language, by = _recognisers("a quotient", language, by)
    sources: dict[tuple[int, int], list[tuple[int, int]]] = {}
    all_pairs = _pairs(language, by, range(language.num_states))
    for state, other in all_pairs:
        after = zip(language.transitions[state], by.transitions[other], strict=True)
        for target in {*after}:
            sources.setdefault(target, []).append((state, other))
    queue = [pair for pair in all_pairs if language.classes[pair[0]] and by.classes[pair[1]]]
    seen = {*queue}
    for pair in queue:
        new = [source for source in sources.get(pair, ()) if source not in seen]
        seen.update(new)
        queue += new
    classes = tuple(int((state, by.start) in seen) for state in range(language.num_states))
    return replace(language, classes=classes).minimise()


def _pairs(language: Language, by: Language, begins: Iterable[int]) -> list[tuple[int, int]]:
    """Return the pairs of states that words lead to, from such a state and the start of `by`."""
    pairs = [(state, by.start) for state in begins]
    seen = {*pairs}
    for state, other in pairs:
        after = {*zip(language.transitions[state], by.transitions[other], strict=True)} - seen
        seen |= after
        pairs += after
        if len(pairs) > MAX_PAIRS:
            raise LanguageError(
                f"a quotient visits pairs of states, at most {MAX_PAIRS:,}, but automata of "
                f"{language.num_states:,} and {by.num_states:,} states have more. Use smaller ones."
            )
    return pairs


def _recognisers(what: str, *languages: Language) -> list[Language]:
    """Return the minimal automata of recognisers of words over one alphabet."""
    for language in languages:
        if language.class_names != ("0", "1") or language.domain is not None:
            raise LanguageError(
                f"{what} needs languages with the classes 0 and 1 for all words, but one of them "
                + (
                    "has a domain."
                    if language.domain is not None
                    else f"has {', '.join(language.class_names[:8])}."
                )
                + " Use others."
            )
        require_one_alphabet(languages[0], language)
    return [replace(language, spec="").minimise() for language in languages]


def _bounds(what: str, first: Language, second: Language) -> _Bounds:
    """Return the bound on the states of a result that are sets of states of `second`."""
    return {
        "max_states": max(1, min(MAX_STATES, MAX_CELLS // (10 * second.num_states))),
        "refusal": f"the {what} of automata of {first.num_states:,} and "
        f"{format_count(second.num_states, 'state')} needs more than {{most}} states, the most "
        f"that are made. Use smaller ones.",
    }
