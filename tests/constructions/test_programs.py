"""Programs of memories do what their definition says, and lose nothing when they are trimmed."""

from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.constructions.diagrams import Condition, fits
from lengthwise.constructions.programs import COUNTED, Counter, LookupTable, Program, trim

Split = tuple[int, list[int]]
"""A variable, and what follows from each of its values."""

Plain = tuple[list[int], list[tuple[Split | None, Split]], Split]
"""The numbers of values of the variables; for each lookup what blocks and which value is found, for
each counter None and what is added, by a variable of a lower layer; and so for the class.
"""


@st.composite
def plans(draw: st.DrawFn) -> Plain:
    """Programs over two symbols: memories of up to three values, each in a layer of its own."""
    count = draw(st.integers(0, 4))
    sizes = [3, *(draw(st.integers(2, 3)) for _ in range(count))]

    def split(below: int, parts: int) -> Split:
        variable = draw(st.integers(0, below))
        return variable, [draw(st.integers(0, parts)) for _ in range(sizes[variable])]

    memories: list[tuple[Split | None, Split]] = []
    for number in range(1, count + 1):
        blocked = split(number - 1, 1) if draw(st.booleans()) else None
        memories.append((blocked, split(number - 1, sizes[number] - 1)))
    return sizes, memories, split(count, 1)


def build(plan: Plain) -> Program:
    def when(split: Split, part: int) -> Condition:
        variable, parts = split
        return (((variable, frozenset(v for v, p in enumerate(parts) if p == part)),),)

    sizes, memories, whole = plan
    made: list[LookupTable | Counter] = []
    for number, (blocked, found) in enumerate(memories, start=1):
        values = [when(found, value) for value in range(1, sizes[number])]
        if blocked is None:
            amounts = tuple(zip((1, -1), values, strict=False))
            made.append(Counter(layer=5 * number, modulus=sizes[number], amounts=amounts))
        else:
            made.append(
                LookupTable(layer=5 * number, blocked=when(blocked, 1), values=tuple(values))
            )
    return Program(
        alphabet=("a", "b"),
        memories=tuple(made),
        classes=(when(whole, 0), when(whole, 1)),
    )


def by_definition(program: Program, word: list[int]) -> list[int]:
    """Each memory looks back, position by position."""
    at = [[0] * (len(program.memories) + 1)]
    for i, symbol in enumerate(word, start=1):
        row = [symbol + 1]
        for memory in program.memories:
            if isinstance(memory, Counter):
                held = [[a for a, c in memory.amounts if fits(c, at[j])] for j in range(1, i)]
                row.append(sum(map(sum, held)) % memory.modulus)
                continue
            assert isinstance(memory, LookupTable)
            free = [j for j in range(1, i) if not fits(memory.blocked, at[j])]
            nearest = at[max(free)] if free else None
            holding = [v for v, c in enumerate(memory.values, 1) if nearest and fits(c, nearest)]
            row.append(holding[0] if holding else 0)
        at.append(row)
    return [int(fits(program.classes[1], row)) for row in at]


WORDS = st.lists(st.integers(0, 1), max_size=12)


@given(plan=plans(), word=WORDS)
def test_a_program_is_its_definition(plan: Plain, word: list[int]) -> None:
    program = build(plan)
    assert program.run(word) == by_definition(program, word)


@settings(max_examples=60)
@given(plan=plans(), word=WORDS)
def test_a_trimmed_program_answers_alike(plan: Plain, word: list[int]) -> None:
    program = build(plan)
    small = trim(program)
    assert small.run(word) == program.run(word)
    assert small.num_layers <= program.num_layers
    for memory in small.memories:
        asked = {v for c in memory.conditions for path in c for v, _ in path} - {0}
        assert memory.layer == 1 + max((small.memories[v - 1].ready for v in asked), default=0)


def test_sizes_of_a_program() -> None:
    look = LookupTable(layer=1, blocked=(), values=((((0, frozenset([1])),),),))
    two = LookupTable(layer=2, blocked=(), values=((((1, frozenset([1])),),),))
    both = (((1, frozenset([1])), (2, frozenset([1]))),)
    program = Program(alphabet=("a",), memories=(look, two), classes=((), both))
    assert (program.num_layers, program.num_heads, program.most_terms) == (2, 1, 2)
    counter = Counter(layer=2, modulus=5, amounts=((-2, ()), (1, ())))
    counting = Program(alphabet=("a",), memories=(look, counter), classes=((), both))
    assert (counting.num_layers, counting.most_amount, program.most_amount) == (2 + COUNTED, 2, 0)
    empty = Program(alphabet=("a",), memories=(), classes=(((),), ()))
    assert (empty.num_layers, empty.num_heads, empty.most_terms) == (1, 1, 0)
    assert empty.run([0, 0]) == [0, 0, 0]
