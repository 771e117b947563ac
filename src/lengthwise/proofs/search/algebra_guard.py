"""Algebras of users' own, as proofs ask them: with copies, and some of the questions twice.

A proof keeps the arrays that it asks about, so an algebra gets copies, which it may change.
What it answers must be integers, one for each row, and elements must be small enough to be
distinguished in pairs with states. A proof also believes that an answer depends on nothing but the
question: not on chance, on earlier questions, or on the other rows. So the first rows of each
call, up to 256 in all, are asked again in the end, together and in the opposite order, and the
first of them alone.
"""

from typing import Any

import numpy as np

from lengthwise.errors import VerificationError
from lengthwise.proofs.check.arrays import Integers
from lengthwise.proofs.search.algebra import Recurrence, TreeAlgebra

_ROWS_OF_A_CALL, _ROWS = 16, 256
"""Most rows that are asked again, of one call and of all."""

_LARGEST = 2**40
"""Elements are below this, so that their pairs with states fit into 64 bits."""

_Question = tuple[str, tuple[int, ...], tuple[tuple[str, bool], ...]]


class _Guarded:
    """Base of the two kinds of algebras."""

    def __init__(self, given: Any) -> None:
        self._given = given
        self._asked: dict[_Question, list[tuple[Integers, ...]]] = {}
        self._left = _ROWS

    @property
    def num_symbols(self) -> int:
        """Number of different symbols."""
        number: int = self._given.num_symbols
        return number

    def read(self, level: int, elements: Integers) -> Integers:
        """Return the classes of whole words."""
        return self._answers(("read", (level,), ()), elements)

    def require_steady(self) -> None:
        """Ask again: all rows together and in the opposite order, and the first one alone.

        Raises:
            VerificationError: some answers are others.
        """
        for question, parts in self._asked.items():
            *rows, before = (np.concatenate(column)[::-1] for column in zip(*parts, strict=True))
            alone = [row[-1:] for row in rows]
            changed = int((self._call(question, rows) != before).sum())
            changed += int((self._call(question, alone) != before[-1:]).sum())
            self._require_none(changed, question[0], len(before))

    def _require_none(self, changed: int, method: str, count: int) -> None:
        """Refuse an algebra that changed some of its answers."""
        if changed:
            raise VerificationError(
                f"{self._name}.{method} answers {changed} of {count} questions differently when "
                f"they are asked again, in another order or alone. Turn off what is random, "
                f"remembered between calls, or taken from other rows."
            )

    def _answers(self, question: _Question, *rows: Integers) -> Integers:
        if not len(rows[0]):
            return np.empty(0, dtype=np.int64)
        answers = self._call(question, rows)
        count = min(self._left, _ROWS_OF_A_CALL, len(answers))
        if count:
            self._left -= count
            part = tuple(array[:count].copy() for array in (*rows, answers))
            self._asked.setdefault(question, []).append(part)
        return answers

    def _call(self, question: _Question, rows: Any) -> Integers:
        method, fixed, options = question
        copies = [np.array(row) for row in rows]
        returned = getattr(self._given, method)(*fixed, *copies, **dict(options))
        answer = np.asarray(returned)
        is_right = answer.shape == (len(rows[0]),) and answer.dtype.kind in "iub"
        if is_right and method != "read":
            is_right = bool(((answer >= 0) & (answer < _LARGEST)).all())
        if is_right:
            return answer.astype(np.int64)
        raise self._unfit(method, f"[{len(rows[0])}]", returned)

    def _unfit(self, method: str, shape: str, found: object) -> VerificationError:
        description = (
            f"one of {found.dtype} {list(found.shape)}" if isinstance(found, np.ndarray) else ""
        )
        return VerificationError(
            f"{self._name}.{method} has to return integers {shape} from 0 to 2^40, but it "
            f"returned {description or f'{found!r:.40}'}. Number what it returns 0, 1, 2, ..."
        )

    @property
    def _name(self) -> str:
        return type(getattr(self._given, "owner", self._given)).__name__


class GuardedRecurrence(_Guarded):
    """A `Recurrence` that gets copies; some questions are repeated."""

    def __init__(self, given: Any) -> None:
        super().__init__(given)
        self._starts = set[int]()

    def require_steady(self) -> None:
        """Ask again, for the start, too.

        Raises:
            VerificationError: some answers are others.
        """
        super().require_steady()
        self.start()
        self.start()
        self._require_none(len(self._starts) - 1, "start", 3)

    def start(self) -> int:
        """Return the element of the empty word."""
        element = self._given.start()
        is_integer = np.ndim(element) == 0 and np.asarray(element).dtype.kind in "iub"
        if not is_integer or not 0 <= element < _LARGEST:
            raise self._unfit("start", "[]", element)
        self._starts.add(int(element))
        return int(element)

    def step(self, elements: Integers, symbols: Integers) -> Integers:
        """Return the elements after symbols."""
        return self._answers(("step", (), ()), elements, symbols)


class GuardedTree(_Guarded):
    """A `TreeAlgebra` that gets copies; some questions are repeated."""

    @property
    def chunk_size(self) -> int:
        """Number of elements of a chunk."""
        number: int = self._given.chunk_size
        return number

    def compose(self, level: int, children: Integers, *, edge: bool) -> Integers:
        """Map chunks of elements to elements of the next level."""
        return self._answers(("compose", (level,), (("edge", edge),)), children)

    def phase(self, level: int) -> int:
        """Return the phase of a level."""
        number: int = self._given.phase(level)
        return number


def guard(algebra: object) -> GuardedRecurrence | GuardedTree | None:
    """Return an algebra behind a guard; None if it is not an algebra."""
    if isinstance(algebra, Recurrence):
        return GuardedRecurrence(algebra)
    return GuardedTree(algebra) if isinstance(algebra, TreeAlgebra) else None
