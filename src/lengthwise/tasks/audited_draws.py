"""Words drawn so that shortcuts pay less.

Less, not nothing: counting symbols still tells the classes of some languages apart.

At every length each class that exists there comes as often as any other, and the words of a class
are uniform. Near misses are added: half of the non-members of a recogniser, and half of the words
of each class otherwise, are one edit away from a uniform word of another class of their length.

An edit replaces one symbol, or exchanges two neighbours (which no count of symbols notices): a coin
says which, and it is uniform among all edits of that kind that lead into the wanted class, and so
stay in the domain. If there are none the other kind serves, and if that has none either, a uniform
word of the wanted class.

Axes:
    word    words of a batch
    time    places of a batch; words are at the right end
    state   states of the automaton
    symbol  letters of its alphabet
"""

import numpy as np
import torch
from jaxtyping import Bool
from torch import Generator, Tensor

from lengthwise.tasks.automaton import PAD, Automaton
from lengthwise.tasks.balance import draw_balanced_classes, draw_ranks, integers_below, place
from lengthwise.tasks.sampling import UniformSampler
from lengthwise.tasks.uniform_walk import Each, Words

_MAX_EDITS = 2**24
"""Most edits, and most states, of the words whose edits are drawn together."""

_AT_ONCE = 2**22
"""Most edits of the words that are judged together, and most states at these edits."""


def draw_audited(
    sampler: UniformSampler, lengths: Each, generator: Generator
) -> tuple[Words, Each]:
    """Draw one word for each length, and its class.

    Raises:
        TaskError: the domain has no word of a length, or there are too many counts to keep.
    """
    classes = draw_balanced_classes(sampler, lengths, generator)
    time = int(lengths.max()) if len(lengths) else 0
    tokens = torch.full((len(lengths), time), PAD)

    sources = other_classes(sampler, classes, lengths, generator)
    near = (sources != classes) & _half_of_each(classes, lengths, generator)
    if sampler.language.num_classes == 2:
        near &= classes == 0
    started = torch.where(near, sources, classes)
    place(tokens, torch.ones_like(near), sampler.draw(started, lengths, generator))
    if near.any():
        edited, is_edited = one_edit_into(sampler.automaton, tokens[near], classes[near], generator)
        rows = near.nonzero()[:, 0]
        tokens[rows[is_edited]] = edited[is_edited]
        if not is_edited.all():
            missed = torch.zeros_like(near)
            missed[rows[~is_edited]] = True
            place(tokens, missed, sampler.draw(classes[missed], lengths[missed], generator))
    return tokens, classes


def other_classes(
    sampler: UniformSampler, classes: Each, lengths: Each, generator: Generator
) -> Each:
    """Draw another class for each word, of those with words of its length; its own if none."""
    distinct, which = torch.unique(lengths, return_inverse=True)
    options = torch.zeros(len(distinct), sampler.language.num_classes, dtype=torch.int64)
    sizes = torch.zeros(len(distinct), dtype=torch.int64)
    for row, length in enumerate(distinct.tolist()):
        present = torch.tensor(sampler.classes_at(length))
        sizes[row] = len(present)
        options[row, : len(present)] = present
    ranks = (options[which] < classes[:, None]).logical_and(
        torch.arange(options.shape[1]) < sizes[which][:, None]
    )
    rank = ranks.sum(dim=1)
    steps = 1 + integers_below((sizes[which] - 1).clamp(min=1), generator)
    return options[which, (rank + steps) % sizes[which]]


def one_edit_into(
    automaton: Automaton, tokens: Words, classes: Each, generator: Generator
) -> tuple[Words, Bool[Tensor, " word"]]:
    """Return each word after one edit into the wanted class, and whether there is such an edit.

    A word that no edit brings there comes back as it was.

    Raises:
        WordError: a token is neither a symbol nor `PAD`.
    """
    edits_per_word = max(1, tokens.shape[1] * (automaton.num_symbols + 1), automaton.num_states)
    size = max(1, _MAX_EDITS // edits_per_word)
    parts = [
        _edit(automaton, words, goals, generator)
        for words, goals in zip(torch.split(tokens, size), torch.split(classes, size), strict=True)
    ]
    return torch.cat([words for words, _ in parts]), torch.cat(
        [is_edited for _, is_edited in parts]
    )


def _edit(
    automaton: Automaton, tokens: Words, classes: Each, generator: Generator
) -> tuple[Words, Bool[Tensor, " word"]]:
    if tokens.shape[1] == 0:
        return tokens, torch.zeros(len(tokens), dtype=torch.bool)
    fits = _fitting_edits(automaton, tokens, classes)
    can_swap, can_replace = fits[:, :, -1].any(dim=1), fits[:, :, :-1].any(dim=(1, 2))
    coin = torch.randint(2, can_swap.shape, generator=generator).bool()
    swaps = can_swap & (coin | ~can_replace)
    fits[:, :, -1] &= swaps[:, None]
    fits[:, :, :-1] &= ~swaps[:, None, None]
    by_place = fits.sum(dim=2).cumsum(dim=1)
    total = by_place[:, -1]
    is_possible = total > 0
    pick = integers_below(total.clamp(min=1), generator)
    time = torch.searchsorted(by_place, pick[:, None], right=True)[:, 0]
    time = torch.where(is_possible, time, 0)
    word = torch.arange(len(tokens))
    fitting = fits[word, time].cumsum(dim=1)
    before = by_place[word, time] - fitting[:, -1]
    symbol = torch.searchsorted(fitting, (pick - before)[:, None], right=True)[:, 0]
    edited = tokens.clone()
    after = (time + swaps.long()).clamp(max=tokens.shape[1] - 1)
    edited[word, after] = tokens[word, time]
    replacement = torch.where(swaps, tokens[word, after], symbol)
    edited[word, time] = torch.where(is_possible, replacement, tokens[word, time])
    return edited, is_possible


def _fitting_edits(
    automaton: Automaton, tokens: Words, classes: Each
) -> Bool[Tensor, "word time edit"]:
    """Return which edits at which positions lead into the wanted class.

    The first edits put another symbol there; the last exchanges the symbol with the next.
    """
    time, states = tokens.shape[1], automaton.num_states
    size = max(1, _AT_ONCE // (time * max(automaton.num_symbols + 1, states)))
    parts = zip(torch.split(tokens, size), torch.split(classes, size), strict=True)
    return torch.cat([_few_fitting_edits(automaton, words, goals) for words, goals in parts])


def _few_fitting_edits(
    automaton: Automaton, tokens: Words, classes: Each
) -> Bool[Tensor, "word time edit"]:
    """Compute `_fitting_edits` of a few words (in numpy, whose small operations start faster)."""
    symbols, transitions = tokens.T.contiguous().numpy(), automaton.transitions.numpy()
    (time, num_words), (num_states, num_symbols) = symbols.shape, transitions.shape
    moves = np.concatenate([transitions.T, np.arange(num_states)[None]])  # PAD, or -1, stays
    before = np.empty_like(symbols)
    before[0], before[1:] = automaton.start, automaton.states(tokens).T[:-1].numpy()

    # From the end to the beginning: does the rest of the word lead from a state into the class?
    leads = np.empty((time + 1, num_words, num_states), dtype=np.bool_)
    leads[time] = automaton.classes.numpy() == classes.numpy()[:, None]
    first = np.arange(num_words)[:, None] * num_states
    places = np.empty((num_words, num_states), dtype=np.int64)
    for column in reversed(range(time)):
        moves.take(symbols[column], axis=0, out=places, mode="wrap")
        places += first
        leads[column + 1].take(places, out=leads[column], mode="clip")

    # Where `leads` of the rest behind each symbol begins.
    after = first.T + np.arange(1, time + 1)[:, None] * (num_words * num_states)
    fits = np.empty((time, num_words, num_symbols + 1), dtype=np.bool_)
    fits[:, :, :-1] = leads.take(after[:, :, None] + transitions[before])
    fits[:, :, :-1] &= symbols[:, :, None] != np.arange(num_symbols)
    following = np.concatenate([symbols[1:], symbols[-1:]])  # the last symbol has no next one
    swapped = moves[symbols, moves[following, before]]
    later = leads.take(after + num_words * num_states + swapped, mode="clip")
    fits[:, :, -1] = later & (following != symbols)
    fits &= (symbols != PAD)[:, :, None]
    return torch.from_numpy(fits.swapaxes(0, 1))


def _half_of_each(classes: Each, lengths: Each, generator: Generator) -> Bool[Tensor, " word"]:
    """Choose half of the words of each class and length; an odd one by chance."""
    pairs = lengths * (classes.max() + 1) + classes if len(classes) else lengths
    distinct, which = torch.unique(pairs, return_inverse=True)
    coins = torch.randint(2, (len(distinct),), generator=generator)
    return (draw_ranks(which, generator) + coins[which]) % 2 == 0
