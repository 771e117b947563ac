"""Programs of lookups do what their definition says, and lose nothing when they are trimmed."""

from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.constructions.diagrams import Condition, fits
from lengthwise.constructions.programs import Lookup, Program, trimmed

Plain = tuple[list[int], list[list[tuple[int, list[int]]]], tuple[int, list[int]]]
"""The numbers of values of the variables; for each lookup what blocks and which value is found, as
a variable of a lower layer and what follows from each of its values; and so for the class.
"""


@st.composite
def plans(draw: st.DrawFn) -> Plain:
    """Programs over two symbols: lookups of up to two values, each may be in a layer of its own."""
    count = draw(st.integers(0, 4))
    sizes = [3, *(draw(st.integers(2, 3)) for _ in range(count))]

    def split(below: int, parts: int) -> tuple[int, list[int]]:
        variable = draw(st.integers(0, below))
        return variable, [draw(st.integers(0, parts)) for _ in range(sizes[variable])]

    lookups = [
        [split(number - 1, 1), split(number - 1, sizes[number] - 1)]
        for number in range(1, count + 1)
    ]
    return sizes, lookups, split(count, 1)


def built(plan: Plain) -> Program:
    def when(split: tuple[int, list[int]], part: int) -> Condition:
        variable, parts = split
        return (((variable, frozenset(v for v, p in enumerate(parts) if p == part)),),)

    sizes, lookups, whole = plan
    return Program(
        alphabet=("a", "b"),
        lookups=tuple(
            Lookup(
                layer=number,
                blocked=when(blocked, 1),
                values=tuple(when(found, value) for value in range(1, sizes[number])),
            )
            for number, (blocked, found) in enumerate(lookups, start=1)
        ),
        classes=(when(whole, 0), when(whole, 1)),
    )


def by_definition(program: Program, word: list[int]) -> list[int]:
    """Each lookup looks back, position by position."""
    at = [[0] * (len(program.lookups) + 1)]
    for i, symbol in enumerate(word, start=1):
        row = [symbol + 1]
        for lookup in program.lookups:
            free = [j for j in range(1, i) if not fits(lookup.blocked, at[j])]
            nearest = at[max(free)] if free else None
            holding = [v for v, c in enumerate(lookup.values, 1) if nearest and fits(c, nearest)]
            row.append(holding[0] if holding else 0)
        at.append(row)
    return [int(fits(program.classes[1], row)) for row in at]


WORDS = st.lists(st.integers(0, 1), max_size=12)


@given(plan=plans(), word=WORDS)
def test_a_program_is_its_definition(plan: Plain, word: list[int]) -> None:
    program = built(plan)
    assert program.run(word) == by_definition(program, word)


@settings(max_examples=60)
@given(plan=plans(), word=WORDS)
def test_a_trimmed_program_answers_alike(plan: Plain, word: list[int]) -> None:
    program = built(plan)
    small = trimmed(program)
    assert small.run(word) == program.run(word)
    assert small.num_layers <= program.num_layers
    for lookup in small.lookups:
        asked = {v for c in lookup.conditions for path in c for v, _ in path} - {0}
        assert lookup.layer == 1 + max((small.lookups[v - 1].layer for v in asked), default=0)


def test_sizes_of_a_program() -> None:
    look = Lookup(layer=1, blocked=(), values=((((0, frozenset([1])),),),))
    two = Lookup(layer=2, blocked=(), values=((((1, frozenset([1])),),),))
    both = (((1, frozenset([1])), (2, frozenset([1]))),)
    program = Program(alphabet=("a",), lookups=(look, two), classes=((), both))
    assert (program.num_layers, program.num_heads, program.most_terms) == (2, 1, 2)
    empty = Program(alphabet=("a",), lookups=(), classes=(((),), ()))
    assert (empty.num_layers, empty.num_heads, empty.most_terms) == (1, 1, 0)
    assert empty.run([0, 0]) == [0, 0, 0]
