"""Proofs from pairs of words that no other sequential function with so few states fits.

Two beginnings are distinguished by pairs if after both the same symbols follow and the outputs of
the last one differ; no sequential function that gives these outputs then reads both into one state.
With that, the condition and the proof are those of `inference.distinguish`: the shortest words to
the states are pairwise distinguished, each of them with one more symbol is distinguished from all
but the one that it leads to, and each output is seen.
"""

import numpy as np

from lengthwise.inference.distinguish import find_distinguished
from lengthwise.inference.pairs.paired import Paired
from lengthwise.inference.pairs.sides import ask_symbols, question_sample
from lengthwise.inference.pairs.support import FunctionSupport
from lengthwise.languages.functions.function import Function
from lengthwise.languages.functions.tables import shortest_pairs


def is_forced(function: Function, pairs: Paired) -> bool:
    """Return whether pairs that a sequential function gives force it among those of its size."""
    sample, _ = question_sample(pairs, ask_symbols(pairs))
    words = [*shortest_pairs(function.left, function.left).values()]  # in the order of states
    count, symbols = len(words), len(function.alphabet)
    longer = [(*word, symbol) for word in words for symbol in range(symbols)]
    apart = find_distinguished(sample, words, [*words, *longer])
    states = np.arange(count)
    same = np.concatenate([states, np.array(function.left).ravel()]) == states[:, None]
    is_seen = np.array(FunctionSupport.of(function, pairs).cells).all()
    return bool((apart | same).all() and is_seen)
