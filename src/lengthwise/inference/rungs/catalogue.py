"""The searchers of classes by their names, as `--assume NAME` gives them."""

from collections.abc import Mapping

from lengthwise.inference.rungs import classes, counting_searchers, star_free
from lengthwise.inference.searcher import Searcher

RUNGS: Mapping[str, type[Searcher]] = {
    searcher.name: searcher
    for searcher in (
        classes.StrictlyLocal,
        classes.CoStrictlyLocal,
        classes.TierStrictlyLocal,
        classes.TierCoStrictlyLocal,
        classes.StrictlyPiecewise,
        classes.CoStrictlyPiecewise,
        classes.LocallyTestable,
        classes.TierLocallyTestable,
        classes.ThresholdTestable,
        classes.TierThresholdTestable,
        classes.PiecewiseTestable,
        classes.PiecewiseLocallyTestable,
        classes.TierPiecewiseLocallyTestable,
        counting_searchers.GroupCounts,
        counting_searchers.Counted,
        star_free.Chain,
    )
}
"""The searchers that share a search, the smaller classes first."""

ASSUMED: Mapping[str, type[Searcher]] = {**RUNGS, star_free.StarFree.name: star_free.StarFree}
"""The classes that can be assumed; the last one asks several of the others."""
