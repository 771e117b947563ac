"""Reversible languages from words of them (Angluin, 1982).

A language is k-reversible if one common ending means that all are common: with u1 v w and u2 v w in
it and k symbols in v, u1 v z is in it exactly if u2 v z is. In its automaton two states with the
same k symbols before them are one if both accept, or if one symbol leads both to the same state.

Exactness. In the automaton of a k-reversible language that has the words, two states of the prefix
tree of the words that a rule merges are one state: the tree maps into it, and the rules hold there.
So the automaton in which no rule applies any more maps into it, and its language is a part of it.
It is k-reversible itself, so it is the smallest.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable

import numpy as np

from lengthwise.inference.positives.contract import MOST_PARTS, PositiveClass, Word
from lengthwise.inference.sample import Sample
from lengthwise.inference.searcher import to_language
from lengthwise.languages.language import Language
from lengthwise.messages import format_count


class KReversible(PositiveClass):
    """The languages in which the same k symbols and one common ending mean the same state."""

    name = "k-reversible"
    least, most = 0, 3

    def of_few(self, sample: Sample, level: int, check: Callable[[], None]) -> Language | None:
        """Return the language of the merged prefix tree."""
        words = (sample.word(row) for row in range(len(sample)))
        tree = _Tree.of(words, sample.num_symbols)
        if tree is None or not tree.merge(level, check):
            return None
        return tree.language(sample)

    def at(self, level: int) -> str:
        """Return `0-reversible`."""
        return f"{level}-reversible"

    def means(self, level: int) -> str:
        """Return what follows a common ending."""
        last = f" with the same last {format_count(level, 'symbol')}" if level else ""
        return (
            f"if one ending completes two beginnings{last} to words of the language, then so does "
            f"each other ending, both or neither"
        )


class _Tree:
    """The prefix tree of words, whose nodes are merged."""

    def __init__(self, num_symbols: int) -> None:
        self.num_symbols = num_symbols
        self.after: list[dict[int, int]] = [{}]
        self.accepts = [False]
        self.parent = [0]

    @classmethod
    def of(cls, words: Iterable[Word], num_symbols: int) -> "_Tree | None":
        """Return the tree of some words; None if it has too many nodes."""
        tree = cls(num_symbols)
        for word in words:
            node = 0
            for symbol in word:
                node = tree.after[node].setdefault(symbol, len(tree.after))
                if node == len(tree.after):
                    tree.after.append({})
                    tree.accepts.append(False)
                    tree.parent.append(node)
            tree.accepts[node] = True
            if len(tree.after) > MOST_PARTS:
                return None
        return tree

    def find(self, node: int) -> int:
        """Return the node that stands for all that were merged with this one."""
        while self.parent[node] != node:
            self.parent[node] = self.parent[self.parent[node]]
            node = self.parent[node]
        return node

    def join(self, one: int, other: int) -> bool:
        """Make two nodes one, and those that a symbol leads them to; return if they were two."""
        waiting, changed = [(one, other)], False
        while waiting:
            one, other = map(self.find, waiting.pop())
            if one == other:
                continue
            changed = True
            self.parent[other] = one
            self.accepts[one] |= self.accepts[other]
            for symbol, target in self.after[other].items():
                known = self.after[one].setdefault(symbol, target)
                if known != target:
                    waiting.append((known, target))
        return changed

    def merge(self, level: int, check: Callable[[], None]) -> bool:
        """Merge until no rule applies; return False if there is too much to compare."""
        changed = True
        while changed:
            check()
            changed = False
            leaders = self._leaders(level)
            if leaders is None:
                return False
            first: dict[tuple[Word, int, int], int] = {}
            for node, before in leaders.items():
                edges = [(s, self.find(target)) for s, target in self.after[node].items()]
                keys = [*edges, *([(-1, -1)] if self.accepts[node] else [])]
                for leader in before:
                    for symbol, target in keys:
                        other = first.setdefault((leader, symbol, target), node)
                        changed |= self.join(other, node)
        return True

    def _leaders(self, level: int) -> dict[int, set[Word]] | None:
        """Return the words of `level` symbols that lead to each node; None if they are too many."""
        nodes = [node for node in range(len(self.after)) if self.parent[node] == node]
        words: dict[int, set[Word]] = {node: {()} for node in nodes}
        for _ in range(level):
            longer = defaultdict[int, set[Word]](set)
            for node in nodes:
                for symbol, target in self.after[node].items():
                    longer[self.find(target)] |= {(*word, symbol) for word in words[node]}
            words = {node: longer[node] for node in nodes}
            if sum(map(len, words.values())) > 10 * MOST_PARTS:
                return None
        return words

    def language(self, sample: Sample) -> Language:
        """Return the automaton; what no word shows leads to a state that accepts nothing."""
        nodes = [node for node in range(len(self.after)) if self.parent[node] == node]
        numbers = {node: number for number, node in enumerate(nodes, start=1)}
        rows = np.zeros((len(nodes) + 1, self.num_symbols), dtype=np.int64)
        for node, number in numbers.items():
            for symbol, target in self.after[node].items():
                rows[number, symbol] = numbers[self.find(target)]
        classes = [0, *(int(self.accepts[node]) for node in nodes)]
        return to_language(rows, np.array(classes), sample, start=numbers[self.find(0)])
