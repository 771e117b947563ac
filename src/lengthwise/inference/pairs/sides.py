"""One automaton of a bimachine from pairs, where the other side of each position is known.

What is beside a position on the other side, with its symbol, is a question, and the output is the
answer. Two beginnings lead to one state if no continuation has another answer to its question.
That is the state merging of `inference.merging`, in which a word is a beginning and a question that
is not read.
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from lengthwise.inference.merging import Floats, MergedTooLargeError, Merging, decide_edges
from lengthwise.inference.pairs.paired import Paired
from lengthwise.inference.sample import Array, Sample
from lengthwise.inference.searcher import Read, read_freely
from lengthwise.languages.minimise import Table

MOST_ROWS = 2**16
"""Greatest number of different beginnings with a question; of more, the shortest are taken."""


@dataclass(frozen=True, slots=True)
class Questions:
    """The questions that are asked at the positions of pairs."""

    numbers: Array
    """Number of the question `[pair, place]`; -1 where none is asked."""
    count: int


Merged: TypeAlias = tuple[Table, Array] | None
"""An automaton of beginnings with its answers `[state, question]`, -1 where none is known; None if
it would have too many states."""


def ask_symbols(pairs: Paired, right: Table | None = None) -> Questions:
    """Ask about each symbol, with the state of an automaton that has read what follows."""
    asked, count = pairs.inputs, 1
    if right is not None:
        count = len(right)
        asked = asked * count + pairs.states_behind(right)
    return Questions(np.where(pairs.inside, asked, -1), pairs.num_symbols * count)


def shared_contexts(pairs: Paired, least: int) -> Questions:
    """Ask about the symbol with all symbols before it, where at least some pairs share them."""
    keys = pairs.prefixes() * pairs.num_symbols + pairs.inputs
    inside = pairs.inside
    _, which, counts = np.unique(keys[inside], return_inverse=True, return_counts=True)
    common = counts >= least
    renumbered = np.where(common, np.cumsum(common) - 1, -1)
    numbers = np.full_like(pairs.inputs, -1)
    numbers[inside] = renumbered[which]
    return Questions(numbers, int(common.sum()))


def merge_side(
    pairs: Paired,
    questions: Questions,
    *,
    noise: float,
    max_states: int,
    caution: float,
    read: Read = read_freely,
) -> Merged:
    """Return an automaton of beginnings, with the commonest answers in its states."""
    sample, shares = question_sample(pairs, questions)
    search = Merging(sample, noise=noise, max_states=max_states, shares=shares, read=read)
    try:
        decide_edges(search, caution=caution)
    except MergedTooLargeError:
        return None
    own_state = np.arange(search.num_states)[:, None]
    moves = search.moves[: search.num_states, : pairs.num_symbols]
    counts = search.votes().reshape(search.num_states, questions.count, pairs.num_outputs)
    answers = np.where(counts.any(axis=2), counts.argmax(axis=2), -1)
    return tuple(map(tuple, np.where(moves < 0, own_state, moves).tolist())), answers


def question_sample(pairs: Paired, questions: Questions) -> tuple[Sample, Floats]:
    """Return different beginnings, each with a question as its last symbol, and as its class the
    question with the commonest answer; and the share of each answer to its question."""
    rows, places = np.nonzero(questions.numbers >= 0)
    asked, answers = questions.numbers[rows, places], pairs.outputs[rows, places]
    beginnings = pairs.prefixes()[rows, places]
    keys, first, which = np.unique(
        beginnings * questions.count + asked, return_index=True, return_inverse=True
    )
    votes = np.zeros((len(keys), pairs.num_outputs), dtype=np.int64)
    np.add.at(votes, (which, answers), 1)
    order = first[np.argsort(places[first], kind="stable")][:MOST_ROWS]
    chosen = which[order]
    rows, places, asked = rows[order], places[order], asked[order]
    width = int(places.max(initial=0)) + 1
    shift = np.arange(width) - (width - 1 - places)[:, None]
    tokens = np.where(shift >= 0, pairs.inputs[rows[:, None], np.maximum(shift, 0)], 0)
    tokens[:, -1] = pairs.num_symbols + asked
    classes = asked * pairs.num_outputs + votes[chosen].argmax(axis=1)
    num_classes = questions.count * pairs.num_outputs
    counts = np.bincount(classes, minlength=num_classes).reshape(-1, pairs.num_outputs)
    shares = (counts + 0.5) / (counts + 0.5).sum(axis=1, keepdims=True)
    sample = Sample.of(
        tokens,
        places + 1,
        classes,
        pairs.num_symbols + questions.count,
        num_classes,
    )
    return sample, shares.ravel()
