"""How are words drawn so that no shortcut tells the classes apart?

At every length each class that exists there comes as often as any other, and the words of a class
are uniform. Near misses are added: half of the non-members of a recogniser, and half of the words
of each class otherwise, differ in one symbol from a uniform word of another class of their length.
The difference is uniform among all substitutions that lead into the wanted class, and so stay in
the domain; a word that has none is replaced by a uniform word of the wanted class.

Axes:
    word    words of a batch
    time    places of a batch; words stand at the right end
    state   states of the automaton
    symbol  letters of its alphabet
"""

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from lengthwise.tasks.automaton import PAD, Automaton
from lengthwise.tasks.sampling import (
    UniformSampler,
    balanced_classes,
    integers_below,
    place,
    shuffled_ranks,
)

_MAX_EDITS = 2**24
"""Most substitutions, and most states, that are looked at together."""


def draw_audited(
    sampler: UniformSampler, lengths: Int[Tensor, " word"], generator: torch.Generator
) -> tuple[Int[Tensor, "word time"], Int[Tensor, " word"]]:
    """One word for each length, and its class.

    Raises:
        TaskError: the domain has no word of a length.
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
    sampler: UniformSampler,
    classes: Int[Tensor, " word"],
    lengths: Int[Tensor, " word"],
    generator: torch.Generator,
) -> Int[Tensor, " word"]:
    """A uniform other class for each word, of those with words of its length; its own if none."""
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
    automaton: Automaton,
    tokens: Int[Tensor, "word time"],
    classes: Int[Tensor, " word"],
    generator: torch.Generator,
) -> tuple[Int[Tensor, "word time"], Bool[Tensor, " word"]]:
    """Each word with one symbol replaced so that it is of the wanted class, and whether it can be.

    Uniform among all such substitutions; a word that has none comes back as it was.
    """
    each = max(1, tokens.shape[1] * automaton.num_symbols, automaton.num_states)
    size = max(1, _MAX_EDITS // each)
    parts = [
        _edit(automaton, some, wanted, generator)
        for some, wanted in zip(torch.split(tokens, size), torch.split(classes, size), strict=True)
    ]
    return torch.cat([words for words, _ in parts]), torch.cat([found for _, found in parts])


def _edit(
    automaton: Automaton,
    tokens: Int[Tensor, "word time"],
    classes: Int[Tensor, " word"],
    generator: torch.Generator,
) -> tuple[Int[Tensor, "word time"], Bool[Tensor, " word"]]:
    fits = _fitting_symbols(automaton, tokens, classes)
    by_place = fits.sum(dim=2).cumsum(dim=1)
    if tokens.shape[1] == 0:
        return tokens, torch.zeros(len(tokens), dtype=torch.bool)
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
    edited[word, time] = torch.where(found, symbol, tokens[word, time])
    return edited, found


def _fitting_symbols(
    automaton: Automaton, tokens: Int[Tensor, "word time"], classes: Int[Tensor, " word"]
) -> Bool[Tensor, "word time symbol"]:
    """Which other symbols at which places lead into the wanted class.

    From the end to the beginning, `good[word, state]` says whether the rest of the word leads from
    the state into the class.
    """
    num_words, time = tokens.shape
    start = torch.full((num_words, 1), automaton.start)
    before = torch.cat([start, automaton.states(tokens)], dim=1)
    stay = torch.arange(automaton.num_states)
    moves = torch.cat([automaton.transitions, stay[:, None]], dim=1).T.contiguous()  # PAD is last
    good = automaton.classes == classes[:, None]
    fits = torch.empty((num_words, time, automaton.num_symbols), dtype=torch.bool)
    for column in reversed(range(time)):
        fits[:, column] = good.gather(1, automaton.transitions[before[:, column]])
        good = good.gather(1, moves[tokens[:, column]])
    own = tokens[:, :, None] == torch.arange(automaton.num_symbols)
    return fits & ~own & (tokens != PAD)[:, :, None]


def _half_of_each(
    classes: Int[Tensor, " word"], lengths: Int[Tensor, " word"], generator: torch.Generator
) -> Bool[Tensor, " word"]:
    """Half of the words of each class and length; of an odd number, one more or less by chance."""
    pairs = torch.stack([lengths, classes], dim=1)
    distinct, which = torch.unique(pairs, dim=0, return_inverse=True)
    coins = torch.randint(2, (len(distinct),), generator=generator)
    return (shuffled_ranks(which, generator) + coins[which]) % 2 == 0
