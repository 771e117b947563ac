"""The searchers of classes by their names, as `--assume NAME` gives them."""

from collections.abc import Mapping

from lengthwise.inference.rungs.classes import STAGED
from lengthwise.inference.rungs.counting_searchers import Counted, GroupCounts
from lengthwise.inference.rungs.star_free import Chain, StarFree
from lengthwise.inference.searcher import Searcher

RUNGS: Mapping[str, Searcher] = {
    searcher.name: searcher for searcher in (*STAGED, GroupCounts(), Counted(), Chain())
}
"""The searchers that share a search, the smaller classes first."""

ASSUMED: Mapping[str, Searcher] = {**RUNGS, StarFree.name: StarFree()}
"""The classes that can be assumed; the last one asks several of the others."""
