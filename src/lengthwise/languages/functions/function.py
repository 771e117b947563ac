"""Functions on words that give an output symbol for each input symbol: length-preserving rational
functions, in their smallest form.

The output at a position depends on the state of one automaton that has read what is before it, on
its symbol, and on the state of a second automaton that has read what follows, from the end of the
word backwards (a *bimachine*, Schuetzenberger 1961). If the second has one state, the function is
sequential: a Mealy machine computes it while it reads.

Two beginnings are equivalent if the outputs of no continuation tell them apart, and two endings if
the outputs of no word before them do. Outputs have the length of inputs, so the two relations
depend on the function alone, and their classes are the states of the one smallest bimachine: two
functions over the same symbols are equal if and only if their smallest bimachines are.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import lru_cache
from itertools import product
from typing import Any, Self

from lengthwise.display import Viewed
from lengthwise.errors import LanguageError, WordError
from lengthwise.languages.characters import list_symbols
from lengthwise.languages.functions.tables import (
    Outputs,
    S,
    pair_automaton,
    reach_states,
    require_small,
    shortest_pairs,
    smallest_bimachine,
)
from lengthwise.languages.language import Language
from lengthwise.languages.minimise import Table
from lengthwise.languages.moore_machine import require_one_alphabet
from lengthwise.languages.validation import check_alphabet, short
from lengthwise.messages import format_count


@dataclass(frozen=True, kw_only=True, slots=True)
class Function(Viewed):
    """A function on words whose output has a symbol for each symbol of the input.

    It is made of two automata and a table. `left[state][symbol]` reads a word from its beginning,
    `right[state][symbol]` from its end, both from state 0. The output at a position is
    `table[p][x][q]`, with x its symbol, p the state of `left` after the symbols before it, and q
    that of `right` after those that follow. Whatever is given is replaced by the smallest form, so
    that `==` compares functions.

    Examples:
        >>> import lengthwise as lw
        >>> add = lw.function("add[base=10]")
        >>> add("95 + 17"), add.is_sequential  # 59 + 71 = 130, the low digit first
        ('03', True)
        >>> lw.function("gray")("0111"), (lw.function("gray") | lw.function("gray"))("0111")
        ('0100', '0110')
        >>> add.difference(lw.function("add[base=10,first=high]"))
        (0, 19)

    Raises:
        LanguageError: the symbols, the automata or the table are of another shape.
    """

    alphabet: tuple[str, ...]
    outputs: tuple[str, ...]
    left: Table
    right: Table
    table: Outputs
    spec: str = field(default="", compare=False)
    """Specification from which `lw.function` builds it again; empty if unknown."""

    def __post_init__(self) -> None:
        check_alphabet(self.alphabet)
        check_alphabet(self.outputs)
        self._check()
        left, right, table = smallest_bimachine(self.left, self.right, self.table)
        object.__setattr__(self, "left", left)
        object.__setattr__(self, "right", right)
        object.__setattr__(self, "table", table)

    def _check(self) -> None:
        """Refuse automata and a table that do not fit together."""
        for name, automaton in (("left", self.left), ("right", self.right)):
            if not automaton or any(
                len(row) != len(self.alphabet) or not all(0 <= t < len(automaton) for t in row)
                for row in automaton
            ):
                raise LanguageError(
                    f"an automaton of a function has states, and a next state for each of the "
                    f"{len(self.alphabet)} symbols, but {name} has not."
                )
        shape = (len(self.left), len(self.alphabet), len(self.right))
        flat = [cell for rows in self.table for cells in rows for cell in cells]
        fits = len(self.table) == shape[0] and all(
            len(rows) == shape[1] and all(len(cells) == shape[2] for cells in rows)
            for rows in self.table
        )
        if not fits or not all(0 <= cell < len(self.outputs) for cell in flat):
            raise LanguageError(
                f"the table of a function has an output symbol for each of {shape[0]} x {shape[1]} "
                f"x {shape[2]} (left state, symbol, right state), but this one has not."
            )

    def __repr__(self) -> str:
        name = f"{self.spec}: " if self.spec else ""
        return f"Function({name}{self.size})"

    @property
    def is_sequential(self) -> bool:
        """True if no output depends on what follows it."""
        return len(self.right) == 1

    @property
    def size(self) -> str:
        """The kind and the size of the function, in words."""
        if self.is_sequential:
            return f"sequential, {format_count(len(self.left), 'state')}"
        return (
            f"bimachine, {format_count(len(self.left), 'state')} from the left and "
            f"{len(self.right)} from the right"
        )

    @property
    def line(self) -> str:
        """The automata and the table in one line, which names the function whatever made it."""
        values = {name: value for name, value in self.to_dict().items() if name != "spec"}
        return f"bimachine:{json.dumps(values, separators=(',', ':'))}"

    # ---- words -----------------------------------------------------------------------------------

    @property
    def signs(self) -> str:
        """The sign between the two digits of every symbol, such as `+`; empty without digits."""
        middle = {symbol[1:-1] for symbol in self.alphabet if len(symbol) == 3}
        is_pair = len(middle) == 1 and all(len(symbol) == 3 for symbol in self.alphabet)
        return next(iter(middle)) if is_pair else ""

    def encode(self, text: str) -> tuple[int, ...]:
        """Encode `text`, such as `0110`, `s1 s2 s1`, or two numbers of one length, `95 + 17`.

        Raises:
            WordError: a symbol is not in the alphabet, or two numbers differ in length.
        """
        sign, compact = self.signs, text.replace(" ", "")
        if sign and compact.count(sign) == 1:
            first, second = compact.split(sign)
            if len(first) != len(second):
                raise WordError(
                    f"two numbers have the same length, but {first!r:.40} has "
                    f"{format_count(len(first), 'digit')} and {second!r:.40} has {len(second):,}. "
                    f"Pad the shorter one with zeros."
                )
            digits = dict.fromkeys(symbol[0] for symbol in self.alphabet)
            if wrong := [digit for digit in first + second if digit not in digits]:
                raise WordError(
                    f"{wrong[0]!r} is not a digit: they are {list_symbols([*digits])}. Use those."
                )
            text = " ".join(f"{a}{sign}{b}" for a, b in zip(first, second, strict=True))
        return self.reader.encode(text)

    @property
    def reader(self) -> Language:
        """An automaton of one state over the input symbols, which reads and writes words."""
        return _reader(self.alphabet)

    def decode(self, outputs: Iterable[int]) -> str:
        """Return a string of `outputs`, given as integers."""
        joint = " " if max(map(len, self.outputs)) > 1 else ""
        return joint.join(self.outputs[symbol] for symbol in outputs)

    def __call__(self, word: str | Sequence[int]) -> str:
        """Return the output of an input, given as a string or as encoded integers.

        Raises:
            WordError: it is not an input.
        """
        read = (
            self.encode(word)
            if isinstance(word, str)
            else self.reader.encode(self.reader.decode(word))
        )
        return self.decode(self.run(read))

    def run(self, word: Sequence[int]) -> list[int]:
        """Return the output symbols of `word`, an encoded input that is not checked."""
        after, state = [0] * len(word), 0
        if len(self.right) > 1:
            for place in range(len(word) - 1, -1, -1):
                after[place] = state
                state = self.right[state][word[place]]
        result, state = [], 0
        for symbol, right in zip(word, after, strict=True):
            result.append(self.table[state][symbol][right])
            state = self.left[state][symbol]
        return result

    def difference(self, other: "Function") -> tuple[int, ...] | None:
        """Return a shortest input on which the `other` function differs, or None if none does.

        Raises:
            LanguageError: the other one is over other input symbols.
        """
        require_one_alphabet(self.reader, other.reader)
        before = shortest_pairs(self.left, other.left)
        after = shortest_pairs(self.right, other.right)
        best: tuple[int, ...] | None = None
        for (p1, p2), beginning in before.items():
            for (q1, q2), ending in after.items():
                if best is not None and len(beginning) + len(ending) + 1 >= len(best):
                    break  # those that follow are no shorter
                for symbol, (own, others) in enumerate(
                    zip(self.table[p1], other.table[p2], strict=True)
                ):
                    if self.outputs[own[q1]] != other.outputs[others[q2]]:
                        best = (*beginning, symbol, *reversed(ending))
                        break
        return best

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain values, ready for JSON; `from_dict` restores it."""
        return {
            "spec": self.spec,
            "alphabet": [*self.alphabet],
            "outputs": [*self.outputs],
            "left": [[*row] for row in self.left],
            "right": [[*row] for row in self.right],
            "table": [[[*cells] for cells in rows] for rows in self.table],
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Restore a function from the values that `to_dict` returned.

        Raises:
            LanguageError: an entry is missing, or entries do not fit together.
        """
        names = [field.name for field in fields(cls)]
        if not isinstance(values, Mapping) or not {*names} <= {*values}:
            raise LanguageError(
                f"a stored function has {', '.join(names)}, but this is {short(values)}. Make it "
                f"again."
            )
        kinds: dict[str, type] = {"spec": str, "alphabet": str, "outputs": str}
        parts = {name: _frozen(name, values[name], kinds.get(name, int)) for name in names}
        try:
            return cls(**parts)
        except TypeError:  # lists in the place of numbers, or the other way round
            raise LanguageError(
                "the automata of a stored function are lists of lists of states, and its table has "
                "one level more, but these are not. Make it again."
            ) from None

    # ---- functions made of others ----------------------------------------------------------------

    def __or__(self, other: "Function") -> "Function":
        """Return the composition: `(f | g)(w)` is `g(f(w))`.

        Raises:
            LanguageError: an output symbol of the first is not an input symbol of the second, or an
                automaton would have more than `MAX_STATES` states.
        """
        for symbol in self.outputs:
            if symbol not in other.alphabet:
                raise LanguageError(
                    f"f | g gives g what f writes, but {symbol!r} is not an input symbol of "
                    f"{other.spec or 'g'}. Compose others."
                )
        reads = [other.alphabet.index(symbol) for symbol in self.outputs]
        f, g, symbols = self, other, range(len(self.alphabet))

        # A state of the left automaton: that of f, and for each right state of f that of g.
        def left_step(state: tuple[int, ...], x: int) -> tuple[int, ...]:
            p, *held = state
            return (
                f.left[p][x],
                *(
                    g.left[held[f.right[q][x]]][reads[f.table[p][x][q]]]
                    for q in range(len(f.right))
                ),
            )

        def right_step(state: tuple[int, ...], x: int) -> tuple[int, ...]:
            q, *held = state
            return (
                f.right[q][x],
                *(g.right[held[f.left[p][x]]][reads[f.table[p][x][q]]] for p in range(len(f.left))),
            )

        left, lefts = reach_states((0,) * (1 + len(f.right)), left_step, symbols)
        right, rights = reach_states((0,) * (1 + len(f.left)), right_step, symbols)
        require_small(len(lefts), len(symbols), len(rights))

        def output(before: tuple[int, ...], x: int, after: tuple[int, ...]) -> int:
            p, q = before[0], after[0]
            middle = reads[f.table[p][x][q]]
            return g.table[before[1 + f.right[q][x]]][middle][after[1 + f.left[p][x]]]

        return Function(
            alphabet=f.alphabet,
            outputs=g.outputs,
            left=left,
            right=right,
            table=tuple(
                tuple(tuple(output(b, x, a) for a in rights) for x in symbols) for b in lefts
            ),
            spec=f"{f.spec} | {g.spec}" if f.spec and g.spec else "",
        )

    def inverse_image(self, language: Language) -> Language:
        """Return the language of the inputs whose output is in a language, or has its class.

        Raises:
            LanguageError: an output symbol is not in its alphabet, it has a domain, or the result
                would have more than `MAX_STATES` states.
        """
        if language.domain is not None or not {*self.outputs} <= {*language.alphabet}:
            raise LanguageError(
                "an inverse image is that of a language of all words over the output symbols, but "
                "this one has a domain or lacks a symbol. Use another."
            )
        reads = [language.alphabet.index(symbol) for symbol in self.outputs]

        def step(state: tuple[int, ...], x: int) -> tuple[int, ...]:
            p, *held = state
            targets = (
                language.transitions[held[self.right[q][x]]][reads[self.table[p][x][q]]]
                for q in range(len(self.right))
            )
            return (self.left[p][x], *targets)

        start = (0, *[language.start] * len(self.right))
        transitions, states = reach_states(start, step, range(len(self.alphabet)))
        return Language(
            alphabet=self.alphabet,
            transitions=transitions,
            classes=tuple(language.classes[state[1]] for state in states),
            class_names=language.class_names,
        ).minimise()

    def __mul__(self, other: "Function") -> "Function":
        """Return the product, which writes the outputs of both, such as `0,1`.

        Raises:
            LanguageError: the functions are over different input symbols.
        """
        require_one_alphabet(self.reader, other.reader)
        left, lefts = pair_automaton(self.left, other.left)
        right, rights = pair_automaton(self.right, other.right)
        require_small(len(lefts), len(self.alphabet), len(rights))
        names = [f"{a},{b}" for a, b in product(self.outputs, other.outputs)]
        table = tuple(
            tuple(
                tuple(
                    self.table[p1][x][q1] * len(other.outputs) + other.table[p2][x][q2]
                    for q1, q2 in rights
                )
                for x in range(len(self.alphabet))
            )
            for p1, p2 in lefts
        )
        return Function(
            alphabet=self.alphabet, outputs=tuple(names), left=left, right=right, table=table
        )

    def reverse(self) -> "Function":
        """Return the function that does the same from the other end: it maps the reversal of a word
        to the reversal of its output."""
        table = tuple(
            tuple(
                tuple(self.table[p][x][q] for p in range(len(self.left)))
                for x in range(len(self.alphabet))
            )
            for q in range(len(self.right))
        )
        return Function(
            alphabet=self.alphabet,
            outputs=self.outputs,
            left=self.right,
            right=self.left,
            table=table,
        )


def _frozen(name: str, value: Any, kind: type) -> Any:
    """Return a value of this kind, or lists of such as tuples."""
    if isinstance(value, list):
        return tuple(_frozen(name, item, kind) for item in value)
    if type(value) is not kind:
        wanted = "strings" if kind is str else "integers"
        raise LanguageError(
            f"{name} of a stored function is of {wanted}, but {short(value)} is not. Make it again."
        )
    return value


@lru_cache(maxsize=32)
def _reader(alphabet: tuple[str, ...]) -> Language:
    """Return an automaton of one state over these symbols, which reads and writes words."""
    return Language(alphabet=alphabet, transitions=((0,) * len(alphabet),), classes=(0,))


def sequential(
    alphabet: Sequence[str],
    outputs: Sequence[str],
    start: S,
    step: Callable[[S, str], tuple[S, str]],
) -> Function:
    """Return the function of a Mealy machine: `step(state, symbol)` is a state and an output.

    >>> copy = sequential("ab", "ab", None, lambda state, symbol: (state, symbol))
    >>> copy("abba"), copy.size
    ('abba', 'sequential, 1 state')

    Raises:
        LanguageError: there are more than `MAX_STATES` states.
    """
    number = {name: index for index, name in enumerate(outputs)}
    transitions, states = reach_states(
        start, lambda state, x: step(state, alphabet[x])[0], range(len(alphabet))
    )
    return Function(
        alphabet=tuple(alphabet),
        outputs=tuple(outputs),
        left=transitions,
        right=((0,) * len(alphabet),),
        table=tuple(tuple((number[step(s, symbol)[1]],) for symbol in alphabet) for s in states),
    )
