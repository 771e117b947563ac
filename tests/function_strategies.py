"""Random functions and a plain oracle of them, shared by tests."""

from itertools import product
from random import Random

from lengthwise.languages.functions.function import Function


def draw_function(
    seed: int, *, left: int = 4, right: int = 1, symbols: int = 2, outputs: int = 2
) -> Function:
    """Draw a function with at most so many states."""
    draw = Random(f"function {seed}")

    def automaton(states: int) -> tuple[tuple[int, ...], ...]:
        return tuple(tuple(draw.randrange(states) for _ in range(symbols)) for _ in range(states))

    return Function(
        alphabet=tuple("abcd"[:symbols]),
        outputs=tuple("wxyz"[:outputs]),
        left=automaton(left),
        right=automaton(right),
        table=tuple(
            tuple(tuple(draw.randrange(outputs) for _ in range(right)) for _ in range(symbols))
            for _ in range(left)
        ),
    )


def draw_large(seed: int, *, is_sequential: bool) -> Function:
    """Draw a function of 2 to 12 states, or a bimachine of 2 to 5 on each side."""
    draw = Random(f"large function {seed} {is_sequential}")
    most = 12 if is_sequential else 5
    while True:
        made = draw_function(
            draw.randrange(10**9),
            left=draw.randint(2, most),
            right=1 if is_sequential else draw.randint(2, most),
            symbols=draw.randint(2, 4),
            outputs=draw.randint(2, 4),
        )
        if len(made.left) > 1 and made.is_sequential == is_sequential:
            return made


def inputs_of(function: Function, longest: int) -> list[tuple[int, ...]]:
    """All inputs of at most so many symbols, the shortest first."""
    symbols = range(len(function.alphabet))
    return [word for length in range(longest + 1) for word in product(symbols, repeat=length)]


def slow_output(function: Function, word: tuple[int, ...]) -> str:
    """The oracle: both automata run again for every position."""
    written = []
    for place, symbol in enumerate(word):
        before = after = 0
        for x in word[:place]:
            before = function.left[before][x]
        for x in reversed(word[place + 1 :]):
            after = function.right[after][x]
        written.append(function.outputs[function.table[before][symbol][after]])
    return function.decode([function.outputs.index(symbol) for symbol in written])
