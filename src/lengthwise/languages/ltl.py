"""Past-time linear temporal logic: formulas, and the language that each defines.

A formula says something of a position of a word, and a word belongs to the language if the formula
holds at its last position. With positions 1..n:

    a            the symbol at i is a
    ! & | -> <-> not, and, or, implies, if and only if
    Y f          yesterday: i > 1, and f holds at i - 1
    f S g        since: g holds at some j <= i, and f at all of j + 1..i
    O f, H f     once: true S f; historically: !O !f
    true, false

(Manna and Pnueli 1992; the operators are written as in pylogics and Spot.) `S` is the reflexive
since. The strict one, which asks for j < i and f at j + 1..i - 1, is `Y (f S g)`. The empty word
has no last position; it is in the language if the formula holds where there is no symbol and none
came before: `!a`, `H !a` and `!Y true` hold there, and `a`, `O a` and `H a` do not.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from lengthwise.languages.builders import from_step_function
from lengthwise.languages.language import Language

MAX_STATES = 10_000
"""Largest number of states of the automaton of a formula, before it is minimised."""


@dataclass(frozen=True, slots=True)
class FormulaNode:
    """An operator or a symbol of a formula."""

    kind: str
    """One of symbol, true, not, and, or, since, yesterday, until, next."""
    of: tuple[int, ...] = ()
    """Indices of the operands."""
    symbol: str = ""


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula as a list of its different sub-formulas, operands first; the last is the whole."""

    nodes: tuple[FormulaNode, ...]

    @property
    def root(self) -> int:
        """Index of the whole formula."""
        return len(self.nodes) - 1

    @property
    def symbols(self) -> set[str]:
        """The symbols that occur."""
        return {node.symbol for node in self.nodes if node.kind == "symbol"}

    def collect_remembered(self) -> list[int]:
        """Return the sub-formulas whose value at the position before is asked for: every since
        itself, as `f S g` is `g | (f & Y (f S g))`, and what is under a yesterday.
        """
        indices = {index for index, node in enumerate(self.nodes) if node.kind == "since"}
        indices |= {node.of[0] for node in self.nodes if node.kind == "yesterday"}
        return sorted(indices)

    def depth(self) -> int:
        """Return the nesting depth of temporal operators, where `Y (f S g)` counts once."""
        return max(self.depths().values(), default=0)

    def depths(self) -> Mapping[int, int]:
        """Return for each of `collect_remembered` how deeply temporal operators are nested in
        it.
        """
        depths: list[int] = []
        """Depth of each sub-formula where its own memory, of a since, counts."""
        inside: list[int] = []
        """Depth of the operands of a since, or of the sub-formula."""
        for node in self.nodes:
            below = max((depths[index] for index in node.of), default=0)
            inside.append(below)
            if node.kind == "since":
                depths.append(below + 1)
            elif node.kind == "yesterday":
                under = node.of[0]
                depths.append(inside[under] + 1 if self._is_since(under) else depths[under] + 1)
            else:
                depths.append(below)
        return {
            index: (inside[index] if self._is_since(index) else depths[index]) + 1
            for index in self.collect_remembered()
        }

    def _is_since(self, index: int) -> bool:
        return self.nodes[index].kind == "since"

    def values(self, symbol: str | None, before: Mapping[int, bool]) -> list[bool]:
        """Return the values of all sub-formulas at a position.

        `before` has those of `collect_remembered` at the position before; all are false at the
        first.
        """
        truth: list[bool] = []
        for index, node in enumerate(self.nodes):
            match node.kind:
                case "symbol":
                    value = node.symbol == symbol
                case "true":
                    value = True
                case "not":
                    value = not truth[node.of[0]]
                case "and":
                    value = truth[node.of[0]] and truth[node.of[1]]
                case "or":
                    value = truth[node.of[0]] or truth[node.of[1]]
                case "since":
                    value = truth[node.of[1]] or (truth[node.of[0]] and before[index])
                case _:
                    value = before[node.of[0]]
            truth.append(value)
        return truth


class Builder:
    """Builds a formula, and keeps equal sub-formulas once."""

    def __init__(self) -> None:
        self._index: dict[FormulaNode, int] = {}

    def add(self, kind: str, *of: int, symbol: str = "") -> int:
        """Return the index of a sub-formula."""
        return self._index.setdefault(FormulaNode(kind, of, symbol), len(self._index))

    def negation(self, operand: int) -> int:
        """Return `!f`; two negations cancel."""
        node = list(self._index)[operand]
        return node.of[0] if node.kind == "not" else self.add("not", operand)

    def unary(self, sign: str, of: int) -> int:
        """Return an operator of one operand, by those that nodes have."""
        not_ = self.negation
        match sign:
            case "!":
                return not_(of)
            case "Y":
                return self.add("yesterday", of)
            case "X":
                return self.add("next", of)
            case "N":
                return not_(self.add("next", not_(of)))
            case "O" | "F":
                return self.add("since" if sign == "O" else "until", self.add("true"), of)
            case _:
                return not_(self.unary("O" if sign == "H" else "F", not_(of)))

    def binary(self, sign: str, left: int, right: int) -> int:
        """Return a temporal operator of two operands, by those that nodes have."""
        not_ = self.negation
        match sign:
            case "S":
                return self.add("since", left, right)
            case "U":
                return self.add("until", left, right)
            case "M":
                return self.add("until", right, self.add("and", left, right))
            case "R":
                return not_(self.add("until", not_(left), not_(right)))
            case _:
                neither = self.add("and", not_(left), not_(right))
                return not_(self.add("until", not_(right), neither))

    def build(self, root: int) -> Formula:
        """Return the formula, without sub-formulas that it does not have."""
        nodes = list(self._index)
        needed, waiting = {root}, [root]
        while waiting:
            new = set(nodes[waiting.pop()].of) - needed
            needed |= new
            waiting += new
        order = {old: new for new, old in enumerate(sorted(needed))}
        kept_nodes = [nodes[old] for old in sorted(needed)]
        return Formula(
            tuple(replace(node, of=tuple(order[index] for index in node.of)) for node in kept_nodes)
        )


def automaton(formula: Formula, alphabet: Sequence[str]) -> Language:
    """Return the minimal automaton of a formula.

    A state is what the formula remembers of a position, and whether it held there.

    Raises:
        LanguageError: there are more than `MAX_STATES` states.
    """
    memory = formula.collect_remembered()

    def after(symbol: str | None, bits: tuple[bool, ...]) -> tuple[tuple[bool, ...], bool]:
        values = formula.values(symbol, dict(zip(memory, bits, strict=True)))
        return tuple(values[index] for index in memory), values[formula.root]

    nothing = (False,) * len(memory)
    return from_step_function(
        alphabet,
        (nothing, after(None, nothing)[1]),
        lambda state, symbol: after(symbol, state[0]),
        lambda state: int(state[1]),
        max_states=MAX_STATES,
        refusal=f"the formula has {len(memory)} temporal operators and more than {{most}} states, "
        f"the most that are built. Use a smaller formula.",
    )
