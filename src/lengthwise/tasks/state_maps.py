"""State maps of sub-words, and the targets that supervise them beside the class of the word.

A network that computes vectors of sub-words (nodes of a tree) can be supervised at each of them:
`node` gives its class as a word of its own, `transition` the state that it leads to from each of
several probe states. Both follow from the state map of the sub-word, computed here from integers.

States rather than their classes are asked for, because classes alone need not tell sub-words apart:
in D_2, `0` and `00` lead to no accepted word from any state, and yet they differ.

Axes:
    node   distinct nodes of a level of the tree
    chunk  the children of a node, in the order of the word; -1 where there is none
    state  states of the automaton
    probe  the states that are asked about
"""

from collections.abc import Sequence
from functools import lru_cache

import torch
from jaxtyping import Int
from torch import Tensor

from lengthwise.errors import LanguageError
from lengthwise.languages.distinct_rows import distinct_rows
from lengthwise.languages.language import Language
from lengthwise.languages.monoid import transition_monoid

IGNORED = -100
"""Target of a question that no word of the domain can ask; cross-entropy leaves it out."""

_MOST_ELEMENTS = 5_000
"""Past this size of the monoid, all states are probes."""


class StateMaps:
    """The state maps of sub-words, and the questions about them.

    `machine` is the minimised automaton over all words; the start state is the first probe.
    """

    def __init__(self, language: Language) -> None:
        machine = language.total().minimise()
        self.machine = machine
        self.probes = probe_states(machine)
        self._steps = torch.tensor(machine.transitions).T.contiguous()
        self._classes = torch.tensor(machine.classes)
        self._classes[self._classes >= language.num_classes] = IGNORED
        alive = machine.reaching(lambda c: c < language.num_classes)
        self._alive = torch.tensor([state in alive for state in range(machine.num_states)])

    def of_levels(self, levels: Sequence[Int[Tensor, "_ chunk"]]) -> list[Int[Tensor, "_ state"]]:
        """Return the state map of every node, from its children (symbols, on the first level)."""
        identity = torch.arange(self.machine.num_states)[None]
        below = self._steps
        maps = []
        for children in levels:
            table = torch.cat([identity, below])[children.cpu() + 1]
            result = table[:, 0]
            for child in table.unbind(dim=1)[1:]:
                result = child.gather(1, result)
            maps.append(result)
            below = result
        return maps

    def classes(self, maps: Int[Tensor, "node state"]) -> Int[Tensor, " node"]:
        """Return the class of each sub-word as a word of its own; `IGNORED` outside the domain."""
        return self._classes[maps[:, self.machine.start]]

    def transitions(self, maps: Int[Tensor, "node state"]) -> Int[Tensor, "node probe"]:
        """Return the state that each sub-word leads to from each probe.

        `IGNORED` where no word of the domain passes.
        """
        reached = maps[:, list(self.probes)]
        return torch.where(self._alive[reached], reached, IGNORED)


@lru_cache(maxsize=16)
def state_maps(language: Language) -> StateMaps:
    """Return the state maps of a language; made once for each."""
    return StateMaps(language)


def probe_states(machine: Language) -> tuple[int, ...]:
    """Return a small set of states, with the start, that tells all elements of the monoid apart.

    Greedy: the state that splits the most elements is added until none are alike on the set. All
    states, if the monoid has too many elements to look at.
    """
    try:
        elements = torch.tensor(transition_monoid(machine, max_elements=_MOST_ELEMENTS).elements)
    except LanguageError:
        other_states = (state for state in range(machine.num_states) if state != machine.start)
        return (machine.start, *other_states)
    probes = [machine.start]
    while _num_distinct(elements[:, probes]) < len(elements):
        rest = [state for state in range(machine.num_states) if state not in probes]
        probes.append(max(rest, key=lambda state: _num_distinct(elements[:, [*probes, state]])))
    return tuple(probes)


def _num_distinct(rows: Int[Tensor, "row column"]) -> int:
    return len(distinct_rows(rows.numpy()).rows)
