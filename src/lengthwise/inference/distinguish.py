"""Proofs from words: beginnings that lead to different states, and an automaton that is forced.

Two beginnings x and y are distinguished by the words if there is an ending w such that xw and yw
are words of the sample, with different classes. No automaton that fits the words then reads x and y
into one state. So k beginnings that are pairwise distinguished need k states.

An automaton A of n states has a shortest word to each state, its short prefixes; the short prefixes
with one more symbol, and the empty word, are its nucleus. The words are *characteristic* for A if
each short prefix and each element of the nucleus that A reads into different states are
distinguished, and each state has a word that ends in it. (This is the condition under which RPNI
finds A: Oncina and Garcia, 1992; de la Higuera, "Grammatical Inference", 2010, section 12.4.)

Then A is the only automaton of at most n states that fits. For the n short prefixes need n states;
each element of the nucleus is distinguished from all short prefixes except one, so that its state,
and with it every transition, is forced; and so is the class of each state. QED

Axes:
    row      short prefixes
    element  beginnings that are compared with them
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lengthwise.inference.sample import Array, Sample, states_of
from lengthwise.inference.searcher import Read, read_freely
from lengthwise.languages.language import Language

Word = tuple[int, ...]


def access_words(language: Language) -> list[Word]:
    """Return the first shortest word to each reachable state, by the number of the state."""
    words: dict[int, Word] = {language.start: ()}
    for state in (queue := [language.start]):
        for symbol, target in enumerate(language.transitions[state]):
            if target not in words:
                words[target] = (*words[state], symbol)
                queue.append(target)
    return [words[state] for state in sorted(words)]


@dataclass(frozen=True, slots=True)
class _Residuals:
    """The endings that follow some beginnings, each with its class and its word."""

    element: NDArray[Any]
    suffix: NDArray[Any]
    label: NDArray[Any]
    row: NDArray[Any]


def _residuals(sample: Sample, beginnings: Sequence[Word]) -> _Residuals:
    """Return the endings of all words that start with one of the beginnings."""
    by_length: dict[int, dict[Word, list[int]]] = {}
    for number, word in enumerate(beginnings):
        by_length.setdefault(len(word), {}).setdefault(word, []).append(number)
    longest = max(by_length, default=0)
    prefix = np.zeros(len(sample), dtype=np.int64)  # number of the beginning of each word so far
    numbers: dict[Word, int] = {(): 0}
    parts: list[tuple[Array, Array]] = []
    needed = {word[:end] for word in beginnings for end in range(len(word) + 1)}
    rows = np.arange(len(sample))
    for length in range(longest + 1):
        if length:
            rows = rows[sample.lengths[rows] >= length]
            left = sample.lengths[rows] - length + 1
            pairs = prefix[rows] * sample.num_symbols + sample.symbols[rows, left]
            distinct, which = np.unique(pairs, return_inverse=True)
            place = {int(pair): number for number, pair in enumerate(distinct)}
            known = {
                word: place[pair]
                for word in needed
                if len(word) == length
                and word[:-1] in numbers
                and (pair := numbers[word[:-1]] * sample.num_symbols + word[-1]) in place
            }
            numbers = {**{w: n for w, n in numbers.items() if len(w) != length}, **known}
            prefix[rows] = which
            known_rows = np.isin(which, np.array(sorted(known.values()), dtype=np.int64))
            rows = rows[known_rows]
        for word, elements in by_length.get(length, {}).items():
            if word in numbers:
                word_rows = rows[prefix[rows] == numbers[word]]
                word_rows = word_rows.astype(np.int32)  # there may be many
                parts += [
                    (np.full(len(word_rows), element, np.int32), word_rows) for element in elements
                ]
    if not parts:
        none = np.zeros(0, dtype=np.int32)
        return _Residuals(none, none, none, none)
    element = np.concatenate([part for part, _ in parts])
    row = np.concatenate([part for _, part in parts])
    sizes = np.array([len(word) for word in beginnings], dtype=np.int64)
    left = sample.lengths[row] - sizes[element]
    return _Residuals(
        element, sample.suffixes[row, left], sample.classes[row].astype(np.int32), row
    )


def find_distinguished(
    sample: Sample, prefixes: Sequence[Word], elements: Sequence[Word], read: Read = read_freely
) -> NDArray[np.bool_]:
    """Return which prefixes and elements are distinguished by the words, `[row, element]`."""
    count = len(prefixes)
    residuals = _residuals(sample, [*prefixes, *elements])
    result = np.zeros((count, len(elements)), dtype=bool)
    kind = np.int8 if sample.num_classes < 128 else np.int32  # there may be many suffixes
    labels = np.full(sample.num_suffixes, -1, dtype=kind)
    is_element = residuals.element >= count
    suffix, label, number = (
        residuals.suffix[is_element],
        residuals.label[is_element],
        residuals.element[is_element] - count,
    )
    order = np.argsort(residuals.element[~is_element], kind="stable")
    own_arrays = [
        array[~is_element][order]
        for array in (residuals.element, residuals.suffix, residuals.label)
    ]
    bounds = np.searchsorted(own_arrays[0], np.arange(count + 1))
    for row in range(count):
        read(len(suffix))
        part = slice(bounds[row], bounds[row + 1])
        labels[own_arrays[1][part]] = own_arrays[2][part]
        prefix_labels = labels[suffix]
        result[row, number[(prefix_labels >= 0) & (prefix_labels != label)]] = True
        labels[own_arrays[1][part]] = -1
    return result


def witness(sample: Sample, beginning: Word, other: Word) -> tuple[int, int] | None:
    """Return the rows of the two shortest words that distinguish two beginnings, or None."""
    residuals = _residuals(sample, [beginning, other])
    first, second = (
        {
            int(s): (int(r), int(c))
            for s, r, c in zip(
                residuals.suffix[at], residuals.row[at], residuals.label[at], strict=True
            )
        }
        for at in (residuals.element == 0, residuals.element == 1)
    )
    pairs = [
        (first[suffix][0], second[suffix][0])
        for suffix in first.keys() & second.keys()
        if first[suffix][1] != second[suffix][1]
    ]
    return min(pairs, key=lambda rows: int(sample.lengths[list(rows)].sum()), default=None)


def count_needed_states(language: Language, sample: Sample) -> int:
    """Return a number of states that every automaton that fits the words has.

    It is the number of short prefixes of an automaton that are pairwise distinguished; prefixes
    that are not distinguished from an earlier one are left out. There are at least as many states
    as classes.
    """
    words = access_words(language)
    return _count_needed(find_distinguished(sample, words, words), sample)


def _count_needed(matrix: NDArray[np.bool_], sample: Sample) -> int:
    return max(len(_choose_apart(matrix)), len(np.unique(sample.classes)))


def _choose_apart(matrix: NDArray[np.bool_]) -> list[int]:
    """Return rows that are pairwise distinguished, by a greedy choice from those with most."""
    rows: list[int] = []
    for row in np.argsort(-matrix.sum(axis=1), kind="stable").tolist():
        if matrix[row, rows].all():
            rows.append(row)
    return rows


_LONGEST = 64
"""Greatest number of symbols of a beginning that is compared."""

_MOST_SYMBOLS = 2**21
"""Greatest number of symbols of all words that are looked at."""

_MOST_BEGINNINGS = 2_000
"""Greatest number of beginnings that are compared."""


def choose_distinguished(sample: Sample, most: int, read: Read = read_freely) -> list[Word]:
    """Return at most `most` beginnings of words that are pairwise distinguished.

    The choice among the shortest beginnings is greedy, so there may be more of them.
    """
    few = int(np.searchsorted(np.cumsum(sample.lengths), _MOST_SYMBOLS, side="right"))
    sample = sample.part(np.arange(min(few, 2 * _FEW)))
    beginnings: dict[Word, None] = {}
    for row in range(len(sample)):
        word = sample.word(row)
        for end in range(min(len(word), _LONGEST) + 1):
            beginnings[word[:end]] = None
        if len(beginnings) > 2 * _MOST_BEGINNINGS:
            break
    words = sorted(beginnings, key=lambda word: (len(word), word))[:_MOST_BEGINNINGS]
    selected = _choose_apart(find_distinguished(sample, words, words, read))[:most]
    return [words[number] for number in selected]


@dataclass(frozen=True, slots=True)
class Characteristic:
    """The parts of an automaton that the words force."""

    needed_states: int
    """States that every automaton that fits the words has."""
    forced: NDArray[np.bool_]
    """True for transitions `[state, symbol]` that are forced in automata of that size."""
    is_characteristic: bool
    """True if no other automaton with at most that number of states fits."""


_FEW = 2**16
"""Number of the shortest words that are judged first."""


def characteristic(language: Language, sample: Sample) -> Characteristic:
    """Judge whether the words are characteristic for a minimal automaton that fits them.

    Words are characteristic if some of them are. So the shortest are judged first, and then more.
    """
    few = _FEW
    while few < len(sample) // 2:
        verdict = _characteristic(language, sample.part(np.arange(few)))
        if verdict.is_characteristic:
            return verdict
        few *= 8
    return _characteristic(language, sample)


def _characteristic(language: Language, sample: Sample) -> Characteristic:
    words = access_words(language)
    count, symbols = language.num_states, language.num_symbols
    longer = [(*word, symbol) for word in words for symbol in range(symbols)]
    matrix = find_distinguished(sample, words, [*words, *longer])
    targets = np.array(language.transitions).ravel()
    same = targets == np.arange(count)[:, None]
    apart_states = matrix[:, :count] | np.eye(count, dtype=bool)
    forced = (matrix[:, count:] | same).all(axis=0).reshape(count, symbols)
    ended = np.bincount(states_of(language, sample), minlength=count) > 0
    return Characteristic(
        needed_states=_count_needed(matrix[:, :count], sample),
        forced=forced,
        is_characteristic=bool(apart_states.all() and forced.all() and ended.all()),
    )


def words_at_transitions(language: Language, sample: Sample) -> Array:
    """Return how many words pass each transition, `[state, symbol]`."""
    moves = np.array(language.transitions, dtype=np.int64)
    counts = np.zeros(moves.size, dtype=np.int64)
    at_once = max(1, min(2**17, 2**24 // moves.size))
    for start in range(0, len(sample), at_once):
        part = sample.part(np.arange(start, min(start + at_once, len(sample))))
        passed = np.zeros((len(part), moves.size), dtype=bool)
        state = np.full(len(part), language.start)
        for left in range(part.symbols.shape[1] - 1, 0, -1):
            rows = np.flatnonzero(part.lengths >= left)
            edge = state[rows] * moves.shape[1] + part.symbols[rows, left]
            passed[rows, edge] = True
            state[rows] = moves.ravel()[edge]
        counts += passed.sum(axis=0)
    return counts.reshape(moves.shape)
