"""Components of a graph."""

import itertools

from hypothesis import given

from lengthwise.languages.components import components
from lengthwise.languages.language import Language
from strategies import machines


@given(machines(max_states=6))
def test_components_are_mutually_reachable(language: Language) -> None:
    reach = [{s} | set(row) for s, row in enumerate(language.transitions)]
    for _ in reach:
        reach = [set().union(*(reach[t] for t in r)) for r in reach]
    numbers = components(language.transitions)
    for a, b in itertools.product(range(len(reach)), repeat=2):
        assert (numbers[a] == numbers[b]) == (a in reach[b] and b in reach[a])
        assert b not in reach[a] or numbers[b] <= numbers[a]
