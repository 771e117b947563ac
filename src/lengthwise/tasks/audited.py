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
    time    places of a batch; words stand at the right end
    state   states of the automaton
    symbol  letters of its alphabet
"""

import torch
from jaxtyping import Bool
from torch import Generator, Tensor

from lengthwise.tasks.automaton import PAD, Automaton
from lengthwise.tasks.balance import balanced_classes, integers_below, place, shuffled_ranks
from lengthwise.tasks.sampling import UniformSampler
from lengthwise.tasks.uniform_walk import Each, Words

_MAX_EDITS = 2**24
"""Most edits, and most states, that are looked at together."""


def draw_audited(
    sampler: UniformSampler, lengths: Each, generator: Generator
) -> tuple[Words, Each]:
    """Draw one word for each length, and its class.

    Raises:
        TaskError: the domain has no word of a length, or there are too many counts to keep.
    """
    classes = balanced_classes(sampler, lengths, generator)
    time = int(lengths.max()) if len(lengths) else 0
    tokens = torch.full((len(lengths), time), PAD)

    sources = other_classes(sampler, classes, lengths, generator)
    near = (sources != classes) & _half_of_each(classes, lengths, generator)
    if sampler.language.num_classes == 2:
        near &= classes == 0
    started = torch.where(near, sources, classes)
    place(tokens, torch.ones_like(near), sampler.draw(started, lengths, generator))
    if near.any():
        edited, found = one_edit_into(sampler.automaton, tokens[near], classes[near], generator)
        wanted = near.nonzero()[:, 0]
        tokens[wanted[found]] = edited[found]
        missed = torch.zeros_like(near)
        missed[wanted[~found]] = True
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
    own = (options[which] < classes[:, None]).logical_and(
        torch.arange(options.shape[1]) < sizes[which][:, None]
    )
    rank = own.sum(dim=1)
    steps = 1 + integers_below((sizes[which] - 1).clamp(min=1), generator)
    return options[which, (rank + steps) % sizes[which]]


def one_edit_into(
    automaton: Automaton, tokens: Words, classes: Each, generator: Generator
) -> tuple[Words, Bool[Tensor, " word"]]:
    """Return each word after one edit into the wanted class, and whether there is such an edit.

    A word that no edit brings there comes back as it was.
    """
    each = max(1, tokens.shape[1] * (automaton.num_symbols + 1), automaton.num_states)
    size = max(1, _MAX_EDITS // each)
    parts = [
        _edit(automaton, some, wanted, generator)
        for some, wanted in zip(torch.split(tokens, size), torch.split(classes, size), strict=True)
    ]
    return torch.cat([words for words, _ in parts]), torch.cat([found for _, found in parts])


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
    found = total > 0
    pick = integers_below(total.clamp(min=1), generator)
    time = torch.searchsorted(by_place, pick[:, None], right=True)[:, 0]
    time = torch.where(found, time, 0)
    word = torch.arange(len(tokens))
    here = fits[word, time].cumsum(dim=1)
    before = by_place[word, time] - here[:, -1]
    symbol = torch.searchsorted(here, (pick - before)[:, None], right=True)[:, 0]
    edited = tokens.clone()
    after = (time + swaps.long()).clamp(max=tokens.shape[1] - 1)
    edited[word, after] = tokens[word, time]
    replacement = torch.where(swaps, tokens[word, after], symbol)
    edited[word, time] = torch.where(found, replacement, tokens[word, time])
    return edited, found


def _fitting_edits(
    automaton: Automaton, tokens: Words, classes: Each
) -> Bool[Tensor, "word time edit"]:
    """Return which edits at which positions lead into the wanted class.

    The first edits put another symbol there; the last exchanges the symbol with the next. From the
    end to the beginning, `good[word, state]` says whether the rest of the word leads from the state
    into the class, and `later` the same for the rest without its first symbol.
    """
    num_words, time = tokens.shape
    start = torch.full((num_words, 1), automaton.start)
    before = torch.cat([start, automaton.states(tokens)], dim=1)
    stay = torch.arange(automaton.num_states)
    moves = torch.cat([automaton.transitions, stay[:, None]], dim=1).T.contiguous()  # PAD is last
    good = automaton.classes == classes[:, None]
    later = torch.zeros_like(good)  # the last symbol has no next one
    fits = torch.empty((num_words, time, automaton.num_symbols + 1), dtype=torch.bool)
    for column in reversed(range(time)):
        here = before[:, column]
        fits[:, column, :-1] = good.gather(1, automaton.transitions[here])
        following = tokens[:, min(column + 1, time - 1)]
        swapped = moves[tokens[:, column], moves[following, here]]
        fits[:, column, -1] = later.gather(1, swapped[:, None])[:, 0] & (
            following != tokens[:, column]
        )
        later, good = good, good.gather(1, moves[tokens[:, column]])
    own = tokens[:, :, None] == torch.arange(automaton.num_symbols)
    fits[:, :, :-1] &= ~own
    return fits & (tokens != PAD)[:, :, None]


def _half_of_each(classes: Each, lengths: Each, generator: Generator) -> Bool[Tensor, " word"]:
    """Choose half of the words of each class and length; an odd one by chance."""
    pairs = torch.stack([lengths, classes], dim=1)
    distinct, which = torch.unique(pairs, dim=0, return_inverse=True)
    coins = torch.randint(2, (len(distinct),), generator=generator)
    return (shuffled_ranks(which, generator) + coins[which]) % 2 == 0
