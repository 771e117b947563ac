"""Are planted classes found, are binary models taken exactly, and can every merge be checked?"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from torch import nn

import lengthwise as lw
from lengthwise.errors import LanguageError, RunError, VerificationError
from lengthwise.languages.language import Language
from lengthwise.languages.monoid import transition_monoid
from lengthwise.languages.spec import parse
from lengthwise.models.regular_gpt import RegularGPT, RegularGPTConfig
from lengthwise.verification import extraction as extraction_module
from lengthwise.verification.algebra import ABSENT, Integers
from lengthwise.verification.balls import Ball, Floats
from lengthwise.verification.extraction import Extraction, extract
from lengthwise.verification.finite import FiniteAlgebra, Tables, tabulate
from lengthwise.verification.lookup import Snapped
from lengthwise.verification.merging import NO_ANSWER, merge
from lengthwise.verification.network import node_of
from lengthwise.verification.node import Node
from lengthwise.verification.recognised import language_of
from lengthwise.verification.stored import load_snapped, save_snapped
from strategies import domained, machines


def algebra_of(language: Language, chunk: int) -> FiniteAlgebra:
    """The language as an algebra: in the interior its state maps, at the edge its states."""
    machine = language.minimised()
    maps = [tuple(range(machine.num_states))]
    symbols = [
        tuple(machine.transitions[state][symbol] for state in range(machine.num_states))
        for symbol in range(machine.num_symbols)
    ]
    for found in maps:
        for symbol in symbols:
            product = tuple(symbol[state] for state in found)
            if product not in maps:
                maps.append(product)
    number = {found: i for i, found in enumerate(maps)}
    then = np.array([[number[tuple(b[s] for s in a)] for b in maps] for a in maps])
    after = np.array([[found[state] for found in maps] for state in range(machine.num_states)])
    first = np.array([number[symbol] for symbol in symbols])
    classes = np.array(machine.classes)

    def levels(inner: Integers, outer: Integers) -> Tables:
        """`inner[child]` are state maps, `outer[child]` the states after a first child."""
        interior, edge = inner, [outer]
        for _ in range(chunk - 1):
            interior = then[interior[..., None], inner]
            edge.append(after[edge[-1][..., None], inner])
        return Tables(interior=interior, edge=tuple(edge), classes=classes)

    states = np.array([symbol[machine.start] for symbol in symbols])
    above = levels(np.arange(len(maps)), np.arange(machine.num_states))
    return FiniteAlgebra(
        num_symbols=machine.num_symbols,
        num_classes=machine.num_classes,
        chunk=chunk,
        levels=(levels(first, states), above),
        repeat=1,
        empty=machine.start,
    )


class Planted(Node):
    """A node function that computes an algebra on noisy points, for `extract`."""

    def __init__(self, algebra: FiniteAlgebra, noise: float, seed: int) -> None:
        self.chunk, self.num_symbols = algebra.chunk, algebra.num_symbols
        self.is_binary = False
        self._algebra = algebra
        self._noise = noise
        self._random = np.random.default_rng(seed)
        (inner, outer) = algebra.sizes[1]
        sizes = (algebra.num_symbols, inner, outer)
        self._first = np.cumsum([0, *sizes])
        self._points = 10.0 * np.eye(sum(sizes))

    def leaves(self) -> Ball:
        return self._noisy(np.arange(self.num_symbols))

    def gathered(self, below: Ball, children: Integers) -> Ball:
        nearest = np.array(
            [np.linalg.norm(self._points - x, axis=1).argmin() for x in below.centre], dtype=int
        )
        results = []
        for row in children.tolist():
            points = [int(nearest[child]) for child in row if child != ABSENT]
            if not points:
                results.append(self._first[2] + self._algebra.empty)
                continue
            kinds = [int(np.searchsorted(self._first, point, side="right")) - 1 for point in points]
            numbers = [p - int(self._first[k]) for p, k in zip(points, kinds, strict=True)]
            tables = self._algebra.levels[int(kinds[0] > 0)]
            full = len(points) == self.chunk
            if full and kinds[0] != 2 and not (kinds[0] == 0 and self._edge_next):
                results.append(self._first[1] + tables.interior[tuple(numbers)])
            else:
                table = tables.edge[len(points) - 1]
                results.append(self._first[2] + table[tuple(numbers)])
        return self._noisy(np.array(results, dtype=int))

    _edge_next = False

    def logits(self, vectors: Ball) -> tuple[Floats, Floats]:
        nearest = [int(np.linalg.norm(self._points - x, axis=1).argmin()) for x in vectors.centre]
        classes = self._algebra.levels[1].classes[np.array(nearest, dtype=int) - self._first[2]]
        return np.eye(self._algebra.num_classes)[classes], np.zeros((len(nearest), 1))

    def _noisy(self, points: NDArray[Any]) -> Ball:
        centre = self._points[points]
        centre = centre + self._noise * self._random.normal(size=centre.shape)
        return Ball(centre, np.zeros(len(points)))
