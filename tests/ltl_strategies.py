"""Random formulas of past-time logic, and their definition by quantifiers over positions."""

from typing import TypeAlias

from hypothesis import strategies as st

Tree: TypeAlias = tuple["str | Tree", ...]
"""An operator and its operands; a symbol is ('a',)."""

UNARY = ("!", "Y", "O", "H")
BINARY = ("&", "|", "->", "<->", "S")


def formulas(alphabet: str = "ab", max_leaves: int = 6) -> st.SearchStrategy[Tree]:
    """Formulas over an alphabet of single letters."""
    leaves = st.sampled_from([*((a,) for a in alphabet), ("true",), ("false",)])

    def larger(smaller: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
        return st.one_of(
            st.tuples(st.sampled_from(UNARY), smaller),
            st.tuples(st.sampled_from(BINARY), smaller, smaller),
        )

    return st.recursive(leaves, larger, max_leaves=max_leaves)


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


def holds(tree: Tree, word: str, i: int) -> bool:
    """Whether the formula holds at position i of a word; at 0, nothing stands or stood."""
    sign, *parts = tree

    def at(part: object, j: int) -> bool:
        return holds(part, word, j)  # type: ignore[arg-type]

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
        case _:
            found = i > 0 and word[i - 1] == sign
    return found
