"""Algebras of users' own: what they do to the arrays they are given, and answers that change."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lengthwise as lw
from lengthwise.errors import VerificationError
from lengthwise.proofs.check.bounded import Decided
from lengthwise.proofs.search.code_recurrence import CodeRecurrence, TrackedCodes
from lengthwise.proofs.search.exploration import decide

PARITY = lw.language("parity")


class Saying:
    """A network that does something to the arrays that it was given, after each answer."""

    num_symbols, chunk_size = 2, 2

    def __init__(self, after: Callable[[Any], None] = lambda given: None) -> None:
        self._after = after

    def read(self, level: int, elements: Any) -> Any:
        return self._say(elements.copy(), elements)

    def _say(self, answer: Any, *given: Any) -> Any:
        for each in given:
            self._after(each)
        return answer


class Parity(Saying):
    """1 if the number of 1 is odd."""

    def start(self) -> Any:
        return 0

    def step(self, elements: Any, symbols: Any) -> Any:
        return self._say(elements ^ symbols, elements, symbols)


class Tree(Saying):
    """The same as a tree."""

    def phase(self, level: int) -> int:
        return 0

    def compose(self, level: int, children: Any, *, edge: bool) -> Any:
        return self._say((children == 1).sum(axis=1) % 2, children)


class Bits(Parity):
    """Codes of one place, of a type."""

    def __init__(self, after: Callable[[Any], None], kind: type) -> None:
        super().__init__(after)
        self._kind = kind

    def start(self) -> Any:
        return np.zeros(1, dtype=self._kind)

    def step(self, codes: Any, symbols: Any) -> Any:
        return self._say((codes[:, 0] ^ symbols.astype(self._kind))[:, None], codes, symbols)

    def classes(self, codes: Any) -> Any:
        return self._say(codes[:, 0].astype(np.int64), codes)


class Bounded(Bits):
    def start(self) -> Any:
        return Decided(super().start()[None], np.ones(1), np.zeros(1))

    def step(self, codes: Any, symbols: Any) -> Any:
        return Decided(super().step(codes, symbols), np.ones(1), np.zeros(1))

    def classes(self, codes: Any) -> Any:
        return Decided(super().classes(codes), np.ones(1), np.zeros(1))


def empty(given: Any) -> None:
    given[...] = 0


def turn(given: Any) -> None:
    given[...] = given[::-1].copy()


KINDS: dict[str, Callable[[Any], Any]] = {
    "recurrence": Parity,
    "tree": Tree,
    "bits": lambda after: CodeRecurrence(Bits(after, np.bool_)),
    "tokens": lambda after: CodeRecurrence(Bits(after, np.int64)),
    "bounds": lambda after: CodeRecurrence(TrackedCodes(Bounded(after, np.bool_))),
}


@pytest.mark.parametrize("after", [empty, turn])
@pytest.mark.parametrize("kind", KINDS)
def test_a_network_may_write_into_what_it_is_given(kind: str, after: Any) -> None:
    assert decide(KINDS[kind](after), PARITY).is_closed
    wrong = decide(KINDS[kind](after), lw.language("regex:(0|1)*1", "01")).wrong
    assert wrong in [(1, 0), (1, 1)]


class Counting(Parity):
    """A network that answers otherwise from its nth question on."""

    def __init__(self, first: int) -> None:
        super().__init__()
        self._left = first

    def read(self, level: int, elements: Any) -> Any:
        self._left -= 1
        return super().read(level, elements) ^ (self._left < 0)


class FirstRow(Parity):
    """A network that answers the first row of a batch, for all."""

    def step(self, elements: Any, symbols: Any) -> Any:
        return np.where(len(elements) > 2, 1, elements ^ symbols)


class Alone(Parity):
    """A network that answers otherwise where it is asked about one row."""

    def step(self, elements: Any, symbols: Any) -> Any:
        return elements ^ symbols ^ (len(elements) == 1)


class Alternating(Parity):
    """A network whose start is 0, then 1, then 0 again."""

    def __init__(self) -> None:
        super().__init__()
        self._next = 1

    def start(self) -> Any:
        self._next ^= 1
        return self._next


class Random(Tree):
    """A tree that makes one of ten elements at random."""

    def __init__(self) -> None:
        super().__init__()
        self._random = np.random.default_rng(0)

    def compose(self, level: int, children: Any, *, edge: bool) -> Any:
        return self._random.integers(10, size=len(children))

    def read(self, level: int, elements: Any) -> Any:
        return np.zeros_like(elements)


class RandomBits(Bits):
    """A network that sets another bit of the code at random."""

    def __init__(self) -> None:
        super().__init__(lambda given: None, np.bool_)
        self._random = np.random.default_rng(0)

    def step(self, codes: Any, symbols: Any) -> Any:
        return self._random.random((len(codes), 1)) < 0.5


@pytest.mark.parametrize(
    ("network", "message"),
    [
        (Counting(3), r"Counting\.read answers \d+ of \d+ questions differently"),
        (FirstRow(), r"FirstRow\.step answers"),
        (Alone(), r"Alone\.step answers"),
        (Alternating(), r"Alternating\.start answers"),
        (Random(), r"Random\.(compose|read) answers"),
        (CodeRecurrence(RandomBits()), r"RandomBits\.(step|read) answers"),
    ],
)
def test_answers_that_change_are_named(network: Any, message: str) -> None:
    with pytest.raises(VerificationError, match=message) as refused:
        decide(network, PARITY, max_chunks=1000)
    assert "\n" not in str(refused.value)


class Returning(Parity):
    """A recurrence whose methods return what the test says."""

    def __init__(self, **found: Any) -> None:
        super().__init__()
        self._found = found

    def start(self) -> Any:
        return self._found.get("start", 0)

    def step(self, elements: Any, symbols: Any) -> Any:
        return self._found.get("step", elements ^ symbols)

    def read(self, level: int, elements: Any) -> Any:
        return self._found.get("read", elements)


@pytest.mark.parametrize(
    ("found", "message"),
    [
        ({"start": np.nan}, r"Returning\.start has to return integers \[\].*returned nan"),
        ({"start": -1}, "returned -1"),
        ({"start": [0]}, "start"),
        ({"step": np.full(2, np.nan)}, r"step has to return integers \[2\] .*of float64 \[2\]"),
        ({"step": np.full(2, 2**62)}, "from 0 to 2"),
        ({"step": np.array([0, -1])}, "step"),
        ({"step": np.zeros((2, 1), dtype=np.int64)}, r"int64 \[2, 1\]"),
        ({"step": None}, "returned None"),
        ({"read": np.array([np.inf])}, r"read has to return integers \[1\]"),
    ],
)
def test_what_is_no_element_is_refused(found: dict[str, Any], message: str) -> None:
    with pytest.raises(VerificationError, match=message):
        decide(Returning(**found), PARITY)


def test_an_algebra_may_keep_what_it_returned() -> None:
    """It hands out the same array each time, and writes the next answer into it."""

    class Kept(Parity):
        kept = np.zeros(4, dtype=np.int64)

        def step(self, elements: Any, symbols: Any) -> Any:
            np.bitwise_xor(elements, symbols, out=self.kept[: len(symbols)])
            return self.kept[: len(symbols)]

    assert decide(Kept(), PARITY).is_closed
