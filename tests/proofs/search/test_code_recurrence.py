"""Networks with codes of their own."""

from typing import Any

import numpy as np
import pytest
import torch

import lengthwise as lw
from lengthwise.errors import VerificationError
from lengthwise.proofs.check.arrays import Booleans, Integers
from lengthwise.proofs.check.bounded import Decided
from lengthwise.proofs.search.code_recurrence import CodeRecurrence, TrackedCodes
from lengthwise.proofs.search.exploration import decide
from proofs.coded import Answers


class Ends:
    """Bits that say whether the last symbol was b, and how many symbols there were, modulo 4."""

    num_symbols = 2

    def start(self) -> Booleans:
        return np.zeros(3, dtype=np.bool_)

    def step(self, codes: Booleans, symbols: Integers) -> Booleans:
        after = codes.copy()
        after[:, 0] = symbols == 1
        after[:, 1] ^= codes[:, 2]
        after[:, 2] = ~codes[:, 2]
        return after

    def classes(self, codes: Booleans) -> Integers:
        return codes[:, 0].astype(np.int64)


def test_codes_of_a_network_of_ones_own_are_numbered_and_explored() -> None:
    language = lw.language("regex:(a|b)*b", "ab")
    recurrence = CodeRecurrence(Ends())
    found = decide(recurrence, language)
    assert found.is_closed
    met = {tuple(code) for code in recurrence.codes(np.arange(len(recurrence.packed))).tolist()}
    assert len(met) == len(recurrence.packed) == 8  # 000 once, then both last symbols four times
    wrong = decide(CodeRecurrence(Ends()), lw.language("regex:(a|b)*bb", "ab"))
    assert wrong.wrong == (1,)


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ({"start": np.zeros(2)}, r"start .* bits or integers \[place\].*one of float64 \[2\]"),
        ({"start": [0, 1]}, "start has to return .* returned a list"),
        ({"start": torch.zeros(2)}, "returned a Tensor"),
        ({"start": np.zeros((1, 2), dtype=np.bool_)}, r"one of bool \[1, 2\]"),
        ({"step": np.zeros((2, 2), dtype=np.int64)}, r"step .* of bits \[2, 2\].* int64"),
        ({"step": np.zeros((2, 3), dtype=np.bool_)}, r"one of bool \[2, 3\]"),
        ({"step": np.zeros((1, 2), dtype=np.bool_)}, r"one of bool \[1, 2\]"),
        ({"start": np.zeros(2, dtype=np.int64), "step": np.full((2, 2), 0.3)}, ".* float64"),
        ({"start": np.zeros(2, dtype=np.uint64)}, "one of uint64"),
        ({"classes": np.ones(1)}, r"classes .* integers \[1\].* one of float64"),
        ({"classes": np.ones((1, 1), dtype=np.int64)}, r"one of int64 \[1, 1\]"),
        (
            {"start": Decided(np.zeros(1, dtype=np.int64), np.ones(1), np.ones(1))},
            r"Wrap the network in lengthwise\.proofs\.search\.code_recurrence\.TrackedCodes",
        ),
    ],
)
def test_what_is_no_code_is_refused_rather_than_rounded(
    answers: dict[str, Any], message: str
) -> None:
    """A number cut to a whole one, or to a bit, would make two codes one, and prove falsely."""
    every = lw.language("regex:(a|b)*", "ab")
    assert decide(CodeRecurrence(Answers()), every).is_closed
    with pytest.raises(VerificationError, match=message):
        decide(CodeRecurrence(Answers(**answers)), every)


class Silent:
    """A network without numbers of symbols and methods."""


class Named(Silent):
    num_symbols = "2"


class Halted(Silent):
    num_symbols = 2

    def start(self) -> Booleans:
        return np.zeros(1, dtype=np.bool_)


@pytest.mark.parametrize("wrap", [CodeRecurrence, TrackedCodes])
@pytest.mark.parametrize(
    ("network", "message"),
    [
        (Silent(), "Silent.num_symbols has to be an integer of 1 or more, but it has none"),
        (Named(), "it is '2'"),
        (Halted(), "Halted has no step and no classes"),
        (None, "is an object with num_symbols, start, step and classes, but got None"),
        (Ends, "but got <class"),
    ],
)
def test_what_a_network_with_codes_lacks_is_named(wrap: Any, network: Any, message: str) -> None:
    with pytest.raises(VerificationError, match=message):
        wrap(network)
