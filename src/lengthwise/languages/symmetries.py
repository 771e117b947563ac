"""Coordinates of state maps in bits, chosen by symmetries so that products are simple.

A *symmetry* permutes the states of a strongly connected part P of the automaton, fixes all others,
and commutes with every symbol read in P. The action of a sub-word on a state follows from its
action on one state of each orbit, a *probe*; and a state is identified by the probe p of its orbit
and the one symmetry g that takes p there, written g·p. Then sub-words x and y compose as in a
wreath product:

    if x(p) = g·q and y(q) = h·r, then (xy)(p) = (g h)·r,

which looks up y at q, and multiplies two symmetries. A symmetry is identified by its images of the
cosets of a few small subgroups: an element of S5 by its images of 5 points (25 bits), an element of
Z60 by its remainders mod 3, 4 and 5 (12 bits). So a state map is identified by bits, one for each
probe and each property of the state that it goes to. Prior art: the decomposition of machines by
Krohn and Rhodes (1965), and Zeiger's coordinates.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lengthwise.languages.language import Language

Booleans = NDArray[np.bool_]
Integers = NDArray[np.int64]

_TRIED = 400
"""Number of pairs of symmetries drawn to find subgroups."""


@dataclass(frozen=True)
class BitCoordinates:
    """Coordinates of a state map: the states that the probes go to, in bits."""

    probes: Integers
    """One state of each orbit; one of them is the start state."""
    labels: Booleans
    """`labels[state, bit]`: the bits of each state; no two states have the same bits."""

    def bits(self, maps: Integers) -> Booleans:
        """Return the bits of state maps, one row each; where a map is -1, all bits are 0."""
        probed = maps[:, self.probes]
        bits_of_state = np.concatenate(
            [self.labels, np.zeros((1, self.labels.shape[1]), dtype=np.bool_)]
        )
        bits: Booleans = bits_of_state[probed].reshape(len(maps), -1)
        return bits


def bit_coordinates(machine: Language) -> BitCoordinates:
    """Compute the coordinates of a minimised automaton over all words."""
    steps = np.array(machine.transitions, dtype=np.int64)
    count = len(steps)
    orbit = np.arange(count)  # the probe of each state
    labels = []
    for states in _strongly_connected(steps):
        # the first state is the probe of its orbit
        part = states[np.argsort(states != machine.start, kind="stable")]
        group = _symmetries(steps, part)
        if len(group) == 1:
            continue
        element = np.zeros(count, dtype=np.int64)
        known = np.zeros(count, dtype=np.bool_)
        for position, state in enumerate(part):
            if not known[state]:
                images = group[:, position]
                known[images], orbit[images] = True, state
                element[images] = np.arange(len(group))
        views = _views(_products(group, part))
        labels.append(np.where(known[:, None], views[element], False))
    probes = np.unique(orbit)
    return BitCoordinates(probes, np.concatenate([orbit[:, None] == probes, *labels], axis=1))


def _strongly_connected(steps: Integers) -> list[Integers]:
    """Return the states of each strongly connected part."""
    reach = np.eye(len(steps), dtype=np.bool_)
    for row in steps.T:
        reach[np.arange(len(steps)), row] = True
    while True:
        further = (reach.astype(np.float32) @ reach.astype(np.float32)) > 0
        if (further == reach).all():
            break
        reach = further
    number = np.unique(reach & reach.T, axis=0, return_inverse=True)[1].reshape(-1)
    return [np.flatnonzero(number == part) for part in range(number.max() + 1)]


def _symmetries(steps: Integers, part: Integers) -> Integers:
    """Return the symmetries of a part as rows of images of its states, the identity first.

    The part is strongly connected, so a symmetry follows from the image of the first state; all
    images are tried at once.
    """
    position = np.full(len(steps), -1)
    position[part] = np.arange(len(part))
    images = np.full((len(part), len(part)), -1)
    images[:, 0] = part
    queue = [0]
    for current in queue:
        for symbol, target in enumerate(steps[part[current]]):
            place = position[target]
            if place >= 0 and images[0, place] < 0:
                images[:, place] = steps[images[:, current], symbol]
                queue.append(place)
    images = images[(position[images] >= 0).all(axis=1)]
    everywhere = np.arange(len(steps))
    symmetries = []
    for image in images:
        moved = everywhere.copy()
        moved[part] = image
        permutes = len(np.unique(image)) == len(image)
        if permutes and (moved[steps[part]] == steps[image]).all():
            symmetries.append(image)
    return np.array(symmetries)


def _products(group: Integers, part: Integers) -> Integers:
    """Return `table[g, h]`, the symmetry gh (h acts first); each is identified by the first state's
    image.
    """
    position = np.zeros(int(part.max()) + 1, dtype=np.int64)
    position[part] = np.arange(len(part))
    number = np.zeros(len(part), dtype=np.int64)
    number[position[group[:, 0]]] = np.arange(len(group))
    table: Integers = number[position[group[:, position[group[:, 0]]]]]
    return table


def _views(table: Integers) -> Booleans:
    """Return `bits[g, bit]`: the images of cosets of a few subgroups, different for different g.

    Subgroups are added by the information that they give for each bit, and redundant ones are
    removed afterwards, the most expensive first.
    """
    candidates: dict[bytes, Booleans] = {}
    for subgroup in sorted(_subgroups(table), key=len, reverse=True):
        coset = table[:, subgroup].min(axis=1)
        images = coset[table[:, np.unique(coset)]]
        key = np.flatnonzero((images == images[0]).all(axis=1)).tobytes()
        if key not in candidates:  # with fewer cosets than later ones that tell as much
            bits = images[:, :, None] == np.unique(coset)
            candidates[key] = np.unique(bits.reshape(len(table), -1), axis=1)
    views: list[Booleans] = []
    size = len(table)
    while size > 1:
        gains = []
        for bits in candidates.values():
            left = len(_kernel(np.concatenate([*views, bits], axis=1)))
            gains.append((math.log(size / left) / bits.shape[1], -left, bits))
        _, left, best = max(gains, key=lambda gain: gain[:2])
        views.append(best)
        size = -left
    for bits in sorted(views, key=lambda bits: -bits.shape[1]):
        rest = [other for other in views if other is not bits]
        if rest and len(_kernel(np.concatenate(rest, axis=1))) == 1:
            views = rest
    return np.concatenate(views, axis=1)


def _subgroups(table: Integers) -> list[Integers]:
    """Return proper subgroups that one element or two drawn elements generate."""
    order = len(table)
    random = np.random.default_rng(0)
    pairs = [*((g, g) for g in range(order)), *random.integers(order, size=(_TRIED, 2)).tolist()]
    subgroups: dict[bytes, Integers] = {}
    for pair in pairs:
        inside = np.zeros(order, dtype=np.bool_)
        inside[0] = True
        while True:
            further = table[np.flatnonzero(inside)][:, list(pair)]
            if inside[further].all():
                break
            inside[further] = True
        if not inside.all():
            subgroups.setdefault(inside.tobytes(), np.flatnonzero(inside))
    return list(subgroups.values())


def _kernel(bits: Booleans) -> Integers:
    """Return the elements with the same bits as the identity."""
    return np.flatnonzero((bits == bits[0]).all(axis=1))
