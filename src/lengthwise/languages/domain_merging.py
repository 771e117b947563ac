"""Merging of states that no word of a domain tells apart.

Two states can be merged if no word leads from them to two different classes inside the domain.
Unlike equality of classes over all words, this is not an equivalence relation, so the smallest
automaton is hard to find. Pairs are tried one by one, in the order of their shortest words, and a
merge that changes no class is kept. (The folding is that of Oncina and Garcia 1992, RPNI.)
"""

from collections.abc import Sequence

from lengthwise.languages.language import Language


def merge_outside_domain(language: Language) -> Language:
    """Return a small automaton over all words with the classes of the language on its domain.

    Without a domain it is the smallest automaton of the language.
    """
    if language.domain is None:
        return language.minimise()
    blocks = _Blocks(language)
    for second in range(len(blocks.parent)):
        for first in range(second):
            joined = blocks.join(first, second)
            if joined is not None:
                blocks = joined
                break
    machine = blocks.machine
    roots = [blocks.root(state) for state in range(machine.num_states)]
    return Language(
        alphabet=language.alphabet,
        transitions=tuple(
            tuple(
                roots[blocks.target[root].get(symbol, root)] for symbol in range(len(row))
            )  # a word that leaves the domain stays
            for root, row in zip(roots, machine.transitions, strict=True)
        ),
        classes=tuple(blocks.label.get(root, 0) for root in roots),
        start=roots[machine.start],
        class_names=language.class_names,
    ).minimise()


class _Blocks:
    """A partition of the states of a minimised automaton, with what the domain says of a block."""

    def __init__(self, language: Language) -> None:
        self.machine = language.total().minimise()
        steps, outside = self.machine.transitions, language.num_classes
        self.label = {s: c for s, c in enumerate(self.machine.classes) if c != outside}
        """The class of the words of the domain that lead to a block, by its first state."""
        live = _leading_to(steps, self.label)
        self.target = {
            state: {symbol: t for symbol, t in enumerate(row) if t in live}
            for state, row in enumerate(steps)
        }
        """A state to which each symbol leads from a block, if a word of the domain goes there."""
        self.parent = list(range(len(steps)))

    def root(self, state: int) -> int:
        """Return the first state of the block of a state."""
        while self.parent[state] != state:
            state = self.parent[state]
        return state

    def join(self, first: int, second: int) -> "_Blocks | None":
        """Return the partition with two states in one block, and whatever follows from that; None
        if two classes meet.
        """
        partition = object.__new__(_Blocks)
        partition.machine, partition.parent = self.machine, list(self.parent)
        partition.label, partition.target = dict(self.label), dict(self.target)
        waiting = [(first, second)]
        while waiting:
            kept_root, two = sorted(partition.root(state) for state in waiting.pop())
            if kept_root == two:
                continue
            labels = {
                partition.label[block] for block in (kept_root, two) if block in partition.label
            }
            if len(labels) > 1:
                return None
            first_targets, second_targets = partition.target[kept_root], partition.target[two]
            waiting += [
                (first_targets[symbol], second_targets[symbol])
                for symbol in first_targets
                if symbol in second_targets
            ]
            partition.parent[two], partition.target[kept_root] = (
                kept_root,
                {**second_targets, **first_targets},
            )
            partition.label.update(dict.fromkeys([kept_root], labels.pop()) if labels else {})
        return partition


def _leading_to(steps: Sequence[Sequence[int]], goals: dict[int, int]) -> set[int]:
    """Return the states from which a word leads to a goal."""
    states = set(goals)
    while more := {s for s, row in enumerate(steps) if s not in states and states & set(row)}:
        states |= more
    return states
