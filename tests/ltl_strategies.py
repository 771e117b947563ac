"""Random formulas of temporal logic, and their definition by quantifiers over positions."""

from functools import lru_cache
from random import Random
from typing import TypeAlias

from hypothesis import strategies as st

Tree: TypeAlias = tuple["str | Tree", ...]
"""An operator and its operands; a symbol is ('a',)."""

PAST = (("!", "Y", "O", "H"), ("&", "|", "->", "<->", "S"))
FUTURE = (("!", "X", "N", "F", "G"), ("&", "|", "->", "<->", "U", "W", "R", "M"))
"""Operators of one operand and of two."""


def formulas(
    alphabet: str = "ab",
    max_leaves: int = 6,
    operators: tuple[tuple[str, ...], tuple[str, ...]] = PAST,
) -> st.SearchStrategy[Tree]:
    """Formulas over an alphabet of single letters."""
    unary, binary = operators
    leaves = st.sampled_from([*((a,) for a in alphabet), ("true",), ("false",)])

    def larger(smaller: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
        return st.one_of(
            st.tuples(st.sampled_from(unary), smaller),
            st.tuples(st.sampled_from(binary), smaller, smaller),
        )

    return st.recursive(leaves, larger, max_leaves=max_leaves)


def draw_formula(
    draw: Random, depth: int, operators: tuple[tuple[str, ...], tuple[str, ...]] = FUTURE
) -> Tree:
    """A formula over a and b with operators nested exactly `depth` deep."""
    unary, binary = operators
    if depth == 0:
        return (draw.choice("ab"),)
    sign = draw.choice(unary + binary)
    if sign in unary:
        return (sign, draw_formula(draw, depth - 1, operators))
    parts = [
        draw_formula(draw, depth - 1, operators),
        draw_formula(draw, draw.randrange(depth), operators),
    ]
    draw.shuffle(parts)
    return (sign, *parts)


def in_text(tree: Tree) -> str:
    """The formula as it is written, with all parentheses."""
    if len(tree) == 1:
        return str(tree[0])
    if len(tree) == 2:
        return f"{tree[0]} ({in_text(tree[1])})"  # type: ignore[arg-type]
    return f"({in_text(tree[1])}) {tree[0]} ({in_text(tree[2])})"  # type: ignore[arg-type]


def temporal_depth(tree: Tree) -> int:
    """The greatest number of temporal operators around one another."""
    below = max((temporal_depth(one) for one in tree[1:]), default=0)  # type: ignore[arg-type]
    return below + (tree[0] in ("Y", "O", "H", "S"))


@lru_cache(maxsize=2**18)
def holds(tree: Tree, word: str, i: int) -> bool:
    """Whether the formula holds at position i of a word, from 1; outside it no symbol does."""
    sign, *parts = tree

    def at(part: object, j: int) -> bool:
        return holds(part, word, j)

    past = range(min(i, 1), i + 1)  # at position 0 only that
    match sign:
        case "true" | "false":
            found = sign == "true"
        case "!":
            found = not at(parts[0], i)
        case "&":
            found = at(parts[0], i) and at(parts[1], i)
        case "|":
            found = at(parts[0], i) or at(parts[1], i)
        case "->":
            found = not at(parts[0], i) or at(parts[1], i)
        case "<->":
            found = at(parts[0], i) == at(parts[1], i)
        case "Y":
            found = i > 1 and at(parts[0], i - 1)
        case "O":
            found = any(at(parts[0], j) for j in past)
        case "H":
            found = all(at(parts[0], j) for j in past)
        case "S":
            found = any(
                at(parts[1], j) and all(at(parts[0], k) for k in range(j + 1, i + 1)) for j in past
            )
        case "X" | "N" | "F" | "G" | "U" | "W" | "R" | "M":
            found = _holds_ahead(tree, word, i)
        case _:
            found = 0 < i <= len(word) and word[i - 1] == sign
    return found


def _holds_ahead(tree: Tree, word: str, i: int) -> bool:
    sign, f, g = (*tree, ("true",))[:3]

    def at(part: object, j: int) -> bool:
        return holds(part, word, j)

    ahead = range(i, len(word) + 1)  # nothing where the word has ended
    match sign:
        case "X":
            found = i < len(word) and at(f, i + 1)
        case "N":
            found = i >= len(word) or at(f, i + 1)
        case "F":
            found = any(at(f, j) for j in ahead)
        case "G":
            found = all(at(f, j) for j in ahead)
        case "U":
            found = any(at(g, j) and all(at(f, k) for k in range(i, j)) for j in ahead)
        case "W":
            found = at(("U", f, g), i) or at(("G", f), i)
        case "R":
            found = all(at(g, j) or any(at(f, k) for k in range(i, j)) for j in ahead)
        case _:
            found = at(("R", f, g), i) and at(("F", f), i)
    return found
