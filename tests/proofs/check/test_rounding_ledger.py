"""Every constant of the bounds on rounding: what it is, and the least that its derivation needs.

Measured deviations are at most 0.2 % of the bounds, so no sample of networks and orders sees a
constant that is too small. Here each is held against an exact worst case: `needs` counts the
roundings that one number can pass through, for any order of additions, and `both` is what the code
asks `gamma` for, recorded while it runs. A constant that is changed, up or down, is noticed, too;
whoever changes one derives it anew, in its docstring and here. Numbers that stand alone are in
`test_rounding_numbers.py`, those of the second checker in `test_second_ledger.py`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from lengthwise.languages.language import Language
from lengthwise.proofs.check import balls, tight_node
from lengthwise.proofs.check.balls import Arithmetic, Ball, Matrix
from lengthwise.proofs.check.bfloat16_balls import Narrow
from lengthwise.proofs.check.node import Node
from lengthwise.proofs.check.slot_node import SlotNode
from lengthwise.proofs.search.network import weights_of
from proofs.rounding_needs import (
    SIZES,
    TWO_DIFFERENCES,
    gamma,
    means_at_most,
    of_mean,
    of_means,
)
from proofs.slots import slots_of
from proofs.traced import VARIANCES, Traced, root, sensitivity
from proofs.trained import ENDS_WITH_1, random_model

UNITS = (Fraction(1, 2**8), Fraction(1, 2**24), Fraction(1, 2**53))
FLOAT32 = Arithmetic.of("float32")


# ---- what the code asks for ----------------------------------------------------------------------


@dataclass
class Asked:
    """The arguments of `gamma` (network and centre), of `_gamma` for the centre alone, and the
    numbers of terms given to `lost`, in order."""

    both: list[Fraction]
    own: list[Fraction]
    lost: list[int]

    def clear(self) -> None:
        """Forget what was asked."""
        for each in (self.both, self.own, self.lost):
            each.clear()


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """What the bounds ask for from now on; an inner `gamma` counts in the arithmetic's own unit."""
    found = Asked([], [], [])
    plain, lost, both = balls._gamma, Arithmetic.bound_underflow, Arithmetic.gamma
    inside: list[bool] = []

    def record(terms: float, unit: float) -> float:
        if not inside:
            found.own.append(Fraction(terms))
        return plain(terms, unit)

    def record_both(self: Arithmetic, terms: float) -> float:
        found.both.append(Fraction(terms))
        inside.append(True)
        try:
            return both(self, terms)
        finally:
            inside.pop()

    def record_lost(self: Arithmetic, terms: int, size: Any) -> Any:
        found.lost.append(terms)
        return lost(self, terms, size)

    monkeypatch.setattr(balls, "_gamma", record)
    monkeypatch.setattr(Arithmetic, "gamma", record_both)
    monkeypatch.setattr(Arithmetic, "bound_underflow", record_lost)
    return found


def ball(width: int, count: int = 2) -> Ball:
    """Balls of some vectors."""
    return Ball(np.linspace(-1.0, 2.0, count * width).reshape(count, width), np.full(count, 0.01))


def matrix(rows: int, columns: int) -> Matrix:
    return Matrix(np.linspace(-1.0, 1.0, rows * columns).reshape(rows, columns), np.ones(rows))


# ---- the ledger ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Entry:
    """An operation of size n: what it asks for, and what that must cover."""

    run: Callable[[int], Any]
    both: Callable[[int], tuple[float, ...]]
    """What `gamma` is asked for."""
    needs: Callable[[int], tuple[Fraction | float, ...]]
    """The roundings that there are, by the same order."""
    lost: Callable[[int], tuple[int, ...]]
    """The products, or operations, of which small numbers may be lost."""
    own: Callable[[int], tuple[float, ...]] = lambda n: ()
    own_needs: Callable[[int], tuple[float, ...]] = lambda n: ()


def _softmax(arithmetic: Arithmetic, n: int) -> Any:
    return arithmetic.softmax(np.zeros((1, n, 1)), np.ones((1, n, 1)), np.ones((1, n, 1), bool))


NARROW = Narrow.bfloat16()

LEDGER: dict[str, Entry] = {
    # one rounding for each operation
    "rounded": Entry(
        lambda n: FLOAT32.round(ball(3), n), lambda n: (n,), lambda n: (n,), lambda n: (n,)
    ),
    "add": Entry(
        lambda n: FLOAT32.add(ball(n), ball(n)), lambda n: (1,), lambda n: (1,), lambda n: (1,)
    ),
    # the root, its cut to the network's type, its reciprocal, the product
    "scaled": Entry(
        lambda n: FLOAT32.scale(ball(n), 0.3), lambda n: (4,), lambda n: (4,), lambda n: (4, 4)
    ),
    # a product is rounded, and is in n additions at most: n - 1 of products, and of the bias
    "linear": Entry(
        lambda n: FLOAT32.linear(ball(n), matrix(3, n)),
        lambda n: (n + 2,),
        lambda n: (n + 1,),
        lambda n: (n,),
    ),
    "numbers": Entry(
        lambda n: FLOAT32.numbers(ball(n), matrix(3, n)),
        lambda n: (n + 2,),
        lambda n: (n + 1,),
        lambda n: (n,),
    ),
    "relu": Entry(lambda n: FLOAT32.relu(ball(n)), lambda n: (0,), lambda n: (0,), lambda n: (1,)),
    # erf is off by 2 x 8 u, and by 2 u for its argument; 1 + erf is 2 at most, and rounded; half of
    # that is multiplied by x, which rounds, and so do the half and the result
    "gelu": Entry(
        lambda n: FLOAT32.gelu(ball(n)),
        lambda n: (32,),
        lambda n: ((2 * 8 + 2 + 2) / 2 + 4,),
        lambda n: (33,),
    ),
    # 8 units in the last place, of two u each, of a number that is at most |x|
    "tanh": Entry(
        lambda n: FLOAT32.tanh(ball(n)), lambda n: (16,), lambda n: (2 * 8,), lambda n: (17,)
    ),
    # exp is off by 20 units in the last place; sum and quotient round
    "sigmoid": Entry(
        lambda n: FLOAT32.sigmoid(ball(n)),
        lambda n: (44,),
        lambda n: (2 * 20 + 2,),
        lambda n: (1,),
    ),
    "product": Entry(
        lambda n: FLOAT32.product(ball(n), ball(n)),
        lambda n: (1,),
        lambda n: (1,),
        lambda n: (1,),
    ),
    # the difference from the largest logit is up to 2 of their size; exp as above. Then a weight
    # is in n - 1 additions, and divided, or multiplied by the reciprocal
    "softmax": Entry(
        lambda n: _softmax(FLOAT32, n),
        lambda n: (6, 44, n + 4),
        lambda n: (2, 2 * 20, n + 1),
        lambda n: (n,),
        # in float64: exp twice, n additions, the quotient; of two weights
        lambda n: (2 * n + 32,) * n,
        lambda n: (n + 1 + 2,) * n,
    ),
    "rectified": Entry(
        lambda n: FLOAT32.rectify(np.ones((1, n)), np.ones((1, n)), np.ones((1, n), bool)),
        lambda n: (4,),
        lambda n: (2,),
        lambda n: (4,),
    ),
    # the mean, the variance one by one and by squares, the means of parts, epsilon with the root,
    # and the result; each is derived below
    "layer norm": Entry(
        lambda n: FLOAT32.layer_norm(ball(n), np.ones(n), np.ones(n), 1e-5),
        lambda n: (n + 24, 2.25 * n + 64, n + 24, n + 64, 8, 6),
        lambda n: (
            max(Fraction(n + 1), of_mean(n)),
            n + 3 + TWO_DIFFERENCES * of_means(n),
            max(Fraction(n + 8), of_mean(n)),
            max(Fraction(n + 1), of_means(n)),
            2 * 2 + 3,
            4,
        ),
        lambda n: (n, n, 4),
        lambda n: (n + 24,),
        lambda n: (n + 1,),
    ),
    # a logit: n products, and a bias; then as of a matrix
    "logits": Entry(
        lambda n: Node._logits(_node(FLOAT32), _points(n), _points(n), np.zeros((1, 1))),
        lambda n: (n + 2,),
        lambda n: (n + 1,),
        lambda n: (n,),
    ),
    # in bfloat16 the result is rounded, and again after a bias; what is wide is counted there
    "narrow linear": Entry(
        lambda n: NARROW.linear(ball(n), matrix(3, n)),
        lambda n: (n + 2, 2),
        lambda n: (n + 1, 2),
        lambda n: (n, 1),
    ),
    "narrow numbers": Entry(
        lambda n: NARROW.numbers(ball(n), matrix(3, n)),
        lambda n: (n + 2, 2),
        lambda n: (n + 1, 2),
        lambda n: (n, 1),
    ),
    # each product is rounded, too
    "narrow sums": Entry(NARROW.sums, lambda n: (3, n), lambda n: (3, n), lambda n: ()),
    # the difference of two logits, each of the size; then exp, those in the sum, and the quotient
    "narrow softmax": Entry(
        lambda n: _softmax(NARROW, n),
        lambda n: (1, 6, 44, n + 4, 4),
        lambda n: (1, 2, 2 * 20, n + 1, 3),
        lambda n: (n,),
        lambda n: (2 * n + 32,) * n,
        lambda n: (n + 1 + 2,) * n,
    ),
    # a quotient of each factor, n products, n - 1 additions; the bound has four times as much
    "largest singular value": Entry(
        lambda n: balls.largest_singular_value(np.ones((n, n))),
        lambda n: (),
        lambda n: (),
        lambda n: (),
        lambda n: (n + 4,) * 11,
        lambda n: (n + 2,) * 11,
    ),
}


def _points(n: int) -> Ball:
    return Ball(np.ones((1, 1, n)), np.zeros((1, 1)))


def _node(arithmetic: Arithmetic) -> Any:
    """What the bounds on logits need of a network."""
    return type("Only", (), {"arithmetic": arithmetic})()


@pytest.mark.parametrize("name", LEDGER)
def test_each_bound_covers_its_roundings(name: str, asked: Asked) -> None:
    entry = LEDGER[name]
    for n in SIZES:
        asked.clear()
        entry.run(n)
        own = [terms for terms in asked.own if terms != 0]
        if name != "largest singular value":  # of a matrix that is made here
            own = own[len(own) - len(entry.own(n)) :]
        assert asked.both == list(map(Fraction, entry.both(n)))
        assert own == list(map(Fraction, entry.own(n)))
        assert asked.lost == list(entry.lost(n))
        for has, needs in zip(
            [*entry.both(n), *entry.own(n)], [*entry.needs(n), *entry.own_needs(n)], strict=True
        ):
            assert has >= needs
            for unit in UNITS:
                if has * unit < 1 and needs == int(needs):  # n roundings, one after the other
                    assert gamma(Fraction(has), unit) >= (1 + unit) ** int(needs) - 1


# ---- the layer norm ------------------------------------------------------------------------------


def test_the_docstring_of_the_layer_norm_is_right_about_means() -> None:
    for n in SIZES:
        assert of_mean(n) <= Fraction(2, 3) * n + 7
        assert of_means(n) <= means_at_most(n)


def test_wide_layer_norms_cover_products_of_roundings_too() -> None:
    """Up to the widest that has a bound in float32. What a mean is off by is multiplied by
    (1 + u)^2 at most in each step, for the rounding of the sum and of the change."""
    unit, widest = Fraction(1, 2**24), (balls._MOST_TERMS - 64) * 4 // 9
    for n in (*(2**power for power in range(21)), widest):
        grown = means_at_most(n) * unit / (1 - 2 * n * unit)
        needed = gamma(n + 3, unit) + TWO_DIFFERENCES * grown
        assert needed <= gamma(Fraction(9, 4) * n + 64, unit)
        assert grown <= gamma(n + 64, unit)


def _vectors(n: int) -> dict[str, list[Fraction]]:
    """Numbers that strain the ways to a variance: far means, one far number, small spreads."""
    far = [Fraction(0)] * n
    far[0] = Fraction(8)
    last = far[::-1]
    turning = [Fraction((-1) ** place) for place in range(n)]
    return {
        "far mean": [64 + Fraction(place, n) for place in range(n)],
        "first far": far,
        "last far": last,
        "turning": turning,
        "turning, far mean": [each / 4 + 32 for each in turning],
        "rising": [Fraction(place * place, n) for place in range(n)],
    }


@pytest.mark.parametrize("n", [1, 2, 3, 9])
@pytest.mark.parametrize("way", VARIANCES)
def test_layer_norms_of_the_worst_roundings_lie_in_their_balls(way: Any, n: int) -> None:
    """The computed 1 / s is off by 2 units in the last place and two roundings; ε is rounded."""
    epsilon = Fraction(1e-5)
    for x in _vectors(n).values():
        given = [Traced(each) for each in x]
        mean, variance = way(given)
        scale = (variance + Traced(epsilon, (), 1)).reciprocal_root(2 * 2 + 1)
        moved = [sensitivity((each - mean) * scale) for each in given]
        moved_apart = [sensitivity(each * scale - mean * scale) for each in given]
        worst = max(
            root(sum((each**2 for each in both), Fraction(0))) for both in (moved, moved_apart)
        )
        centre = np.array([[float(each) for each in x]])
        radius = FLOAT32.layer_norm(
            Ball(centre, np.zeros(1)), np.ones(n), np.zeros(n), float(epsilon)
        ).radius[0]
        assert worst * Fraction(FLOAT32.unit) <= radius


def test_sums_of_the_worst_roundings_lie_in_their_balls() -> None:
    """One after the other: the first product is rounded n + 1 times, as the bound is for."""
    for n in SIZES[:8]:
        total = Traced(1) * Traced(1)
        for _ in range(n - 1):
            total = total + Traced(Fraction(1, 2**20)) * Traced(1)
        total = total + Traced(Fraction(1, 2**20))
        row = np.full((1, n), 2.0**-20)
        row[0, 0] = 1.0
        ones = Ball(np.ones((1, n)), np.zeros(1))
        bound = FLOAT32.numbers(ones, Matrix(row, np.full(1, 2.0**-20)))[1][0, 0]
        needs = sensitivity(total)
        assert n + 1 <= needs <= n + 2
        assert needs * Fraction(FLOAT32.unit) <= bound


# ---- other networks ------------------------------------------------------------------------------


def test_slots_and_chunks_count_their_roundings(asked: Asked) -> None:
    """A weight of n slots is off by n + 4 roundings, and in a sum with n - 1 others, which round;
    then a matrix. Its float64 is a sum of n exps with their quotient."""
    node = SlotNode.__new__(SlotNode)
    node.arithmetic = FLOAT32
    for slots, bits in ((1, 1), (2, 1), (5, 3), (64, 6)):
        asked.clear()
        node._rounding(np.ones(bits), np.ones(bits), slots, bits)
        assert asked.both == [2 * slots + 8, 2 * bits + 16]
        assert asked.lost == [slots, bits]
        assert 2 * slots + 8 >= (slots + 4) + slots
        assert 2 * bits + 16 >= bits + 2 + 6  # of the matrix, and of the float64 beside it


def test_the_own_slot_counts_the_roundings_of_its_float64(asked: Asked) -> None:
    """Two exps of 8 units in the last place, a difference each, n - 1 additions, a quotient."""
    for states in (2, 3, 8):
        chain = Language(
            alphabet=("a",),
            transitions=tuple((min(state + 1, states - 1),) for state in range(states)),
            classes=tuple(int(state == states - 1) for state in range(states)),
        )
        model = slots_of(chain)
        node = SlotNode(model.config.to_dict(), weights_of(model))
        asked.clear()
        node._own_weights()
        assert asked.both[-1] == 2 * states + 64
        assert asked.both[-1] >= 2 * (2 * 8 + 1) + states


def test_attention_counts_products_with_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    """A value is multiplied by its weight, and in chunk - 1 additions; a logit has a product for
    each number of a head, and a bias."""
    plain, terms = Arithmetic.sums, list[float]()

    def sums(self: Arithmetic, count: float) -> float:
        terms.append(count)
        return plain(self, count)

    monkeypatch.setattr(Arithmetic, "sums", sums)
    for chunk in (2, 3, 5):
        model = random_model(ENDS_WITH_1, 0, chunk_size=chunk, norm="none")
        node = Node(model.config.to_dict(), weights_of(model))
        terms.clear()
        node.gather(node.leaves(), np.zeros((1, chunk), dtype=np.int64))
        size = model.config.d_model // model.config.num_heads
        assert terms == [size + 2, chunk + 1] * model.config.num_heads
        assert size + 2 >= size + 1
        assert chunk + 1 >= chunk


def test_matrices_of_the_centres_have_slack_for_their_own_roundings() -> None:
    """Entries of C D E + I and of sums over heads: a product, of up to n terms each (of a head, and
    of heads), a factor, and the identity. The terms may cancel; their sizes are norms."""
    for n in SIZES:
        slack = Fraction(tight_node._slack(n, 3.0))
        assert slack == (2 * n + 16) * 4 * Fraction(1, 2**53)
        assert slack >= 4 * gamma(2 + n + 1 + 1, Fraction(1, 2**53))
