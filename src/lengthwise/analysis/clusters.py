r"""Clusters of sub-word vectors, compared with the elements of the transition monoid.

Chi et al. (2023, section 7.3 and Figure 3) look at the feed-forward outputs of all levels on words
of 500 symbols, and see as many clusters as the language has state transitions. Here each vector is
labelled with the element of the transition monoid of its sub-word, so that clusters can be compared
with elements. All numbers are computed from the vectors themselves; the two principal components
serve the figure only.

**purity.** k-means with k = the number of elements seen clusters the vectors without their labels.
Purity is the share of vectors with the most frequent element of their cluster. The first centre is
the vector farthest from the mean, each next one the vector farthest from all centres so far
(Gonzalez, 1985), so that the result is deterministic.

**gap.** The smallest distance between two vectors of different elements.

**spread.** The largest distance of a vector from the mean of its element. If gap > 2 spread, any
two vectors of one element are nearer to each other than any two of different elements.

Axes:
    point      vectors, one for each distinct sub-word of a level
    width      numbers in a vector
    component  principal components, the largest first
    centre     centres of clusters
    element    elements of the transition monoid that are seen
"""

from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from lengthwise.analysis.model_copy import block_outputs, float64_copy
from lengthwise.errors import ClaimError
from lengthwise.languages.language import Language
from lengthwise.languages.monoid import Monoid, transition_monoid
from lengthwise.layers.chunks import grow
from lengthwise.layers.right_aligned import FullWords, Lengths
from lengthwise.tasks.state_maps import state_maps

MEASURED_PER_LEVEL = 5000
"""Largest number of vectors of a level that are measured, evenly spaced in the level's order."""

DRAWN_PER_LEVEL = 100
"""Largest number of vectors of a level that are plotted."""

_MOST_ROUNDS = 1000
_EXACT: Any = "donot_use_mm_for_euclid_dist"
_ROWS = 1024


def clusters(
    model: nn.Module, language: Language, tokens: FullWords, lengths: Lengths
) -> dict[str, Any]:
    """Record purity, gap, spread and points to plot for right-aligned words.

    `nodes` is the number of distinct sub-words of all levels, `points` the number of measured ones.
    `explained` holds the share of variance of each principal component. In `drawn`, `element` is an
    index into `elements`, which are named by their shortest words.

    Raises:
        ConfigError: the model is not a RegularGPT.
        LanguageError: the monoid has more than `languages.monoid.MAX_ELEMENTS` elements.
        ClaimError: some vectors are not finite.
    """
    model = float64_copy(model)
    maps = state_maps(language)
    monoid = transition_monoid(maps.machine)
    tree = grow(tokens, lengths, model.config.vocab_size, model.config.chunk_size)
    levels = [level.children for level in tree.levels]
    rows_of_levels = [_evenly(len(level), MEASURED_PER_LEVEL) for level in levels]
    vectors = torch.cat(
        [
            part[rows]
            for part, rows in zip(block_outputs(model, levels), rows_of_levels, strict=True)
        ]
    )
    if not bool(vectors.isfinite().all()):
        raise ClaimError(
            "vectors of sub-words are not finite, so they form no clusters: weights are damaged, "
            "or training diverged. Train or compile again."
        )
    doing = torch.cat(
        [part[rows] for part, rows in zip(maps.of_levels(levels), rows_of_levels, strict=True)]
    )
    seen, element = torch.unique(elements_of(monoid, doing), return_inverse=True)
    points = torch.cat(_choose_rows([len(rows) for rows in rows_of_levels]))
    level_of = torch.cat([torch.full((len(rows),), i + 1) for i, rows in enumerate(rows_of_levels)])
    components, explained = principal_components(vectors)
    gap, spread = gap_and_spread(vectors, element)
    counts = torch.bincount(element).tolist()
    return {
        "nodes": tree.num_nodes,
        "points": len(vectors),
        "purity": purity(k_means(vectors, len(seen)), element),
        "gap": gap,
        "spread": spread,
        "gap_to_spread": None if gap is None or spread == 0 else gap / spread,
        "explained": explained.tolist(),
        "elements": [
            {"word": language.decode(monoid.words[number]), "points": count}
            for number, count in zip(seen.tolist(), counts, strict=True)
        ],
        "drawn": {
            "x": _round(components[points, 0]),
            "y": _round(components[points, 1]),
            "element": element[points].tolist(),
            "level": level_of[points].tolist(),
        },
    }


def elements_of(monoid: Monoid, maps: Int[Tensor, "point state"]) -> Int[Tensor, " point"]:
    """Return the numbers in the monoid of given state maps, which must be in it."""
    known = torch.from_numpy(monoid.maps).long()
    distinct, row = torch.unique(torch.cat([known, maps]), dim=0, return_inverse=True)
    number = row.new_empty(len(distinct))
    number[row[: len(known)]] = torch.arange(len(known))
    return number[row[len(known) :]]


def principal_components(
    points: Float[Tensor, "point width"],
) -> tuple[Float[Tensor, "point component"], Float[Tensor, " component"]]:
    """Return coordinates on all principal axes (at least two), and each axis' share of variance.

    The sign of an axis is chosen so that its entry of largest size is positive.
    """
    centred = points - points.mean(dim=0)
    if centred.shape[1] == 1:
        centred = torch.cat([centred, torch.zeros_like(centred)], dim=1)
    axes, shares = principal_axes(centred)
    return centred @ axes.T, shares


def principal_axes(
    centred: Float[Tensor, "point width"],
) -> tuple[Float[Tensor, "component width"], Float[Tensor, " component"]]:
    """Return the principal axes of points whose mean is 0, and each axis' share of variance.

    The sign of an axis is chosen so that its entry of largest size is positive.
    """
    _, variances, axes = torch.linalg.svd(centred.T @ centred)
    largest = axes.gather(1, axes.abs().argmax(dim=1, keepdim=True))
    total = variances.sum()
    shares = variances / total if total > 0 else torch.zeros_like(variances)
    return axes * largest.sign(), shares


def k_means(points: Float[Tensor, "point width"], count: int) -> Int[Tensor, " point"]:
    """Assign each point to a cluster by Lloyd's algorithm from centres that are far apart."""
    centres = points[_far_apart(points, count)]
    cluster = _nearest(points, centres)
    for _ in range(_MOST_ROUNDS):
        sizes = torch.bincount(cluster, minlength=count)
        sums = torch.zeros_like(centres).index_add(0, cluster, points)
        centres = torch.where((sizes > 0)[:, None], sums / sizes.clamp(min=1)[:, None], centres)
        previous, cluster = cluster, _nearest(points, centres)
        if torch.equal(previous, cluster):
            break
    return cluster


def purity(cluster: Int[Tensor, " point"], element: Int[Tensor, " point"]) -> float:
    """Return the share of points with the most frequent element of their cluster."""
    width = int(element.max()) + 1
    counts = torch.bincount(cluster * width + element, minlength=(int(cluster.max()) + 1) * width)
    return float(counts.view(-1, width).amax(dim=1).sum()) / len(element)


def gap_and_spread(
    points: Float[Tensor, "point width"], element: Int[Tensor, " point"]
) -> tuple[float | None, float]:
    """Return the smallest distance between elements (None if there is one), and the largest
    distance of a point from the mean of its element.
    """
    sizes = torch.bincount(element)
    sums = points.new_zeros(len(sizes), points.shape[1]).index_add(0, element, points)
    spread = float((points - (sums / sizes[:, None])[element]).norm(dim=1).max())
    if len(sizes) == 1:
        return None, spread
    order = element.argsort()
    points, element = points[order], element[order]
    smallest = []
    for first in range(0, len(points), _ROWS):  # each pair once: a block with all from it on
        rows = slice(first, first + _ROWS)
        distance = torch.cdist(points[rows], points[first:], compute_mode=_EXACT)
        same = element[rows, None] == element[None, first:]
        smallest.append(distance.masked_fill(same, torch.inf).min())
    return float(torch.stack(smallest).min()), spread


def _far_apart(points: Float[Tensor, "point width"], count: int) -> list[int]:
    """Return rows of points, each the farthest from all before it, beginning far from the mean."""
    rows = [int((points - points.mean(dim=0)).norm(dim=1).argmax())]
    distance = (points - points[rows[0]]).norm(dim=1)
    while len(rows) < count:
        rows.append(int(distance.argmax()))
        distance = torch.minimum(distance, (points - points[rows[-1]]).norm(dim=1))
    return rows


def _nearest(
    points: Float[Tensor, "point width"], centres: Float[Tensor, "centre width"]
) -> Int[Tensor, " point"]:
    parts = torch.split(points, _ROWS)
    return torch.cat([torch.cdist(p, centres, compute_mode=_EXACT).argmin(dim=1) for p in parts])


def _evenly(count: int, most: int) -> Int[Tensor, " row"]:
    """Return at most `most` of the rows 0..count-1, evenly spaced."""
    return torch.arange(min(count, most)) * count // min(count, most)


def _choose_rows(counts: list[int]) -> list[Int[Tensor, " row"]]:
    """Return the rows to plot, from the numbers of measured rows of each level."""
    firsts = [sum(counts[:level]) for level in range(len(counts))]
    return [
        first + _evenly(count, DRAWN_PER_LEVEL) for first, count in zip(firsts, counts, strict=True)
    ]


def _round(values: Float[Tensor, " point"]) -> list[float]:
    return [round(value, 3) for value in values.tolist()]
