"""Every constant of the bounds on rounding: what it is, and the least that its derivation needs.

Measured deviations are at most 0.2 % of the bounds, so no sample of networks and orders sees a
constant that is too small. Here each is held against an exact worst case: `needs` counts the
roundings that one number can pass through, for any order of additions, and `is` is what the code
asks `gamma` for, recorded while it runs. A constant that is changed, up or down, is noticed, too;
whoever changes one derives it anew, in its docstring and here.
"""

import ast
import hashlib
import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import log
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from lengthwise.languages.language import Language
from lengthwise.verification import balls, layer_node, narrow, slot_node, tight_node
from lengthwise.verification.balls import Arithmetic, Ball, Matrix
from lengthwise.verification.narrow import Narrow
from lengthwise.verification.network import weights_of
from lengthwise.verification.node import Node
from lengthwise.verification.slot_node import SlotNode
from verification.slots import slots_of
from verification.trained import ENDS_WITH_1, random_model
from verification.traced import VARIANCES, Traced, root, sensitivity

ROOT = Path(__file__).parents[2]
SIZES = (1, 2, 3, 4, 5, 8, 16, 17, 64, 256)
UNITS = (Fraction(1, 2**8), Fraction(1, 2**24), Fraction(1, 2**53))
FLOAT32 = Arithmetic.of("float32")


def gamma(terms: Fraction | int, unit: Fraction) -> Fraction:
    """The bound, exactly."""
    return Fraction(terms) * unit / (1 - Fraction(terms) * unit)


# ---- what the code asks for ----------------------------------------------------------------------


@dataclass
class Asked:
    """The arguments of `gamma` (network and centre), of `_gamma` for the centre alone, and the
    numbers of terms given to `lost`, in order."""

    both: list[Fraction]
    own: list[Fraction]
    lost: list[int]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """What the bounds ask for from now on; an inner `gamma` counts in the arithmetic's own unit."""
    found = Asked([], [], [])
    plain, lost, both = balls._gamma, Arithmetic.lost, Arithmetic.gamma
    inside: list[bool] = []

    def recorded(terms: float, unit: float) -> float:
        if not inside:
            found.own.append(Fraction(terms))
        return plain(terms, unit)

    def recorded_both(self: Arithmetic, terms: float) -> float:
        found.both.append(Fraction(terms))
        inside.append(True)
        try:
            return both(self, terms)
        finally:
            inside.pop()

    def recorded_lost(self: Arithmetic, terms: int, size: Any) -> Any:
        found.lost.append(terms)
        return lost(self, terms, size)

    monkeypatch.setattr(balls, "_gamma", recorded)
    monkeypatch.setattr(Arithmetic, "gamma", recorded_both)
    monkeypatch.setattr(Arithmetic, "lost", recorded_lost)
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
    needs: Callable[[int], tuple[float, ...]]
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
        lambda n: FLOAT32.rounded(ball(3), n), lambda n: (n,), lambda n: (n,), lambda n: (n,)
    ),
    "add": Entry(
        lambda n: FLOAT32.add(ball(n), ball(n)), lambda n: (1,), lambda n: (1,), lambda n: (1,)
    ),
    # the root, its cut to the network's type, its reciprocal, the product
    "scaled": Entry(
        lambda n: FLOAT32.scaled(ball(n), 0.3), lambda n: (4,), lambda n: (4,), lambda n: (4, 4)
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
    "relu": Entry(
        lambda n: FLOAT32.relu(ball(n)), lambda n: (0,), lambda n: (0,), lambda n: (1,)
    ),
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
        lambda n: FLOAT32.rectified(np.ones((1, n)), np.ones((1, n)), np.ones((1, n), bool)),
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
            max(n + 1, _of_mean(n)),
            n + 3 + _TWO_DIFFERENCES * _of_means(n),
            max(n + 8, _of_mean(n)),
            max(n + 1, _of_means(n)),
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
    "narrow sums": Entry(
        lambda n: NARROW.sums(n), lambda n: (3, n), lambda n: (3, n), lambda n: ()
    ),
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
        asked.both.clear(), asked.own.clear(), asked.lost.clear()
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

_TWO_DIFFERENCES = 1 + root(Fraction(2))
"""Of Welford's two differences, by Cauchy: the second is the first, less its k-th part."""


def _of_steps(n: int) -> Iterator[tuple[Fraction, Fraction]]:
    r"""For k up to n: what the k-th mean is off by, in u times the norm of all numbers.

    $k |e_k|$ is at most the sum over j <= k of $j |m_j|$, a rounding of the sum, and of three times
    $|d_j| = |x_j - m_{j-1}|$, of difference, quotient (by a reciprocal) and product. By Cauchy
    $j |m_j| \le \sqrt j$. The greatest sum of the $|d_j|$ is the norm of its coefficients in the
    orthonormal $\sqrt k\, m_k$ and $\sqrt{(j - 1) / j}\, d_j$, since $d_1 = x_1 = m_k - \sum d_j /
    j$: $1 / k + \sum_{j \ge 2} (j + 1)^2 / (j (j - 1))$.
    """
    of_sums, of_changes = Fraction(0), Fraction(0)
    for k in range(1, n + 1):
        of_sums += _up(root(Fraction(k)))
        if k > 1:
            of_changes += _up(Fraction((k + 1) ** 2, k * (k - 1)))
        yield _up(of_sums / k), _up(3 * root(Fraction(1, k) + of_changes) / k)


def _up(number: Fraction) -> Fraction:
    """The next number of nine places."""
    return Fraction(-(-number.numerator * 10**9 // number.denominator), 10**9)


@cache
def _of_mean(n: int) -> Fraction:
    """What a mean of n numbers that is updated one by one is off by, in u times the root of their
    mean square."""
    *_, (of_sums, of_changes) = _of_steps(n)
    return (of_sums + of_changes) * root(Fraction(n))


@cache
def _of_means(n: int) -> Fraction:
    """The root of the mean square of what all n means are off by, in the same unit."""
    return root(sum((a + b) ** 2 for a, b in _of_steps(n)))


def _means_at_most(n: int) -> Fraction:
    """The bound on `_of_means` that the docstring of `layer_norm` has."""
    return Fraction(n, 2) + 5 * root(1 + Fraction(log(n)))


def test_the_docstring_of_the_layer_norm_is_right_about_means() -> None:
    for n in (*SIZES, 1024):
        assert _of_mean(n) <= Fraction(2, 3) * n + 7
        assert _of_means(n) <= _means_at_most(n)


def test_wide_layer_norms_cover_products_of_roundings_too() -> None:
    """Up to the widest that has a bound in float32. What a mean is off by is multiplied by
    (1 + u)^2 at most in each step, for the rounding of the sum and of the change."""
    unit, widest = Fraction(1, 2**24), (balls._MOST_TERMS - 64) * 4 // 9
    for n in (*(2**power for power in range(21)), widest):
        grown = _means_at_most(n) * unit / (1 - 2 * n * unit)
        needed = gamma(n + 3, unit) + _TWO_DIFFERENCES * grown
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


@pytest.mark.parametrize("n", [1, 2, 3, 5, 16])
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
        worst = max(root(sum(each**2 for each in both)) for both in (moved, moved_apart))
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
        asked.both.clear(), asked.lost.clear()
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
        asked.both.clear()
        node._own_weights()
        assert asked.both[-1] == 2 * states + 64
        assert asked.both[-1] >= 2 * (2 * 8 + 1) + states


def test_attention_counts_products_with_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    """A value is multiplied by its weight, and in chunk - 1 additions; a logit has a product for
    each number of a head, and a bias."""
    plain, terms = Arithmetic.sums, []
    monkeypatch.setattr(Arithmetic, "sums", lambda self, n: terms.append(n) or plain(self, n))
    for chunk in (2, 3, 5):
        model = random_model(ENDS_WITH_1, 0, chunk=chunk, norm="none")
        node = Node(model.config.to_dict(), weights_of(model))
        terms.clear()
        node.gathered(node.leaves(), np.zeros((1, chunk), dtype=np.int64))
        size = model.config.d_model // model.config.num_heads
        assert terms == [size + 2, chunk + 1] * model.config.num_heads
        assert size + 2 >= size + 1 and chunk + 1 >= chunk


def test_matrices_of_the_centres_have_slack_for_their_own_roundings() -> None:
    """Entries of C D E + I and of sums over heads: a product, of up to n terms each (of a head, and
    of heads), a factor, and the identity. The terms may cancel; their sizes are norms."""
    for n in SIZES:
        slack = Fraction(tight_node._slack(n, 3.0))
        assert slack == (2 * n + 16) * 4 * Fraction(1, 2**53)
        assert slack >= 4 * gamma(2 + n + 1 + 1, Fraction(1, 2**53))


# ---- numbers that stand alone --------------------------------------------------------------------

PINNED: dict[tuple[ModuleType, str], float] = {
    (balls, "OWN"): 2.0**-53,
    (balls, "_OWN_TINY"): 2.0**-1022,
    (balls, "_ULPS"): 8,
    (balls, "_ROOT_ULPS"): 2,
    (balls, "_EXP_ULPS"): 20,
    (balls, "_LEAST"): 1e-90,
    (balls, "_OUTWARD"): 1 + 1e-9,
    (balls, "_INWARD"): 1 - 1e-9,
    (balls, "_MOST_TERMS"): 4 * 10**6,
    (balls, "_SQUARINGS"): 11,
    (narrow, "_RESULT_AND_BIAS"): 2,
    (narrow, "_OF_SOFTMAX"): 4,
    (layer_node, "LAYER_NORM_EPSILON"): 1e-5,
}


@pytest.mark.parametrize(("module", "name"), PINNED)
def test_constants_have_their_values(module: ModuleType, name: str) -> None:
    assert getattr(module, name) == PINNED[module, name]


def test_arithmetics_have_the_numbers_of_their_types() -> None:
    assert (FLOAT32.unit, FLOAT32.tiny) == (2.0**-24, 2.0**-126)
    assert FLOAT32.largest == (2 - 2.0**-23) * 2.0**127
    double = Arithmetic.of("float64")
    assert (double.unit, double.tiny) == (2.0**-53, 2.0**-1022)
    assert (NARROW.unit, NARROW.tiny, NARROW.wide) == (2.0**-8, 2.0**-126, FLOAT32)


def test_what_is_outward_is_more_than_roundings_lose() -> None:
    """Radii are made of sums of up to `_MOST_TERMS` products, twice, and a few factors more."""
    own, roundings = Fraction(1, 2**53), 2 * balls._MOST_TERMS + 1000
    least = 1 + gamma(roundings, own)
    assert Fraction(balls._OUTWARD) >= least
    assert Fraction(balls._INWARD) <= 1 / least
    assert balls._LEAST**3 >= 2.0**-1022  # products of three are normal
    assert Fraction(balls._LEAST) ** 2 >= balls._MOST_TERMS * Fraction(10) ** -240


def test_small_numbers_lose_no_more_than_is_said() -> None:
    """Of n products: a factor each, the product, and arguments and result of n additions."""
    tiny = Fraction(FLOAT32.tiny) + Fraction(2) ** -1022
    for n in SIZES:
        stretched = 3 * root(Fraction(n))
        lost = Fraction(FLOAT32.lost(n, 3.0))
        assert lost >= 2 * tiny * (n + 3 * n + stretched)
        assert abs(lost / (8 * tiny * (n + 1 + stretched)) - 1) < Fraction(1, 10**12)


def test_slopes_are_at_least_those_of_their_functions() -> None:
    x = np.linspace(-6.0, 6.0, 4001)
    point = np.sqrt(2.0)
    peak = 0.5 * (1 + float(balls._erf(np.array(1.0)))) + point * np.exp(-1) / np.sqrt(2 * np.pi)
    assert peak < 1.13
    for name, slope in {"gelu": 1.13, "tanh": 1.0, "sigmoid": 0.25, "relu": 1.0}.items():
        far = getattr(FLOAT32, name)(Ball(x[:, None], np.full(len(x), 2.0**-4)))
        near = getattr(FLOAT32, name)(Ball(x[:, None], np.zeros(len(x))))
        moved = far.radius - near.radius
        steepest = np.abs(np.diff(near.centre[:, 0]) / np.diff(x)).max()
        assert np.allclose(moved, slope * 2.0**-4, rtol=1e-4)
        assert steepest <= slope


def test_numbers_past_a_millionth_of_the_largest_have_no_radius() -> None:
    """A sum that rounds is at most twice its size, and stays finite."""
    limit = 1e-6 * FLOAT32.largest
    sizes = np.array([limit * (1 - 1e-9), limit * (1 + 1e-9)])
    assert np.isfinite(FLOAT32.safe(sizes, np.zeros(2))).tolist() == [True, False]


def test_the_share_of_the_root_is_at_least_the_root() -> None:
    """The second checker bounds (1 - q)^(-1/2) - 1 by q (1 + 2 q) / 2, for q up to 1/2."""
    for part in range(1, 513):
        q = Fraction(part, 1024)
        assert (1 + q * (1 + 2 * q) / 2) ** 2 * (1 - q) >= 1


# ---- the code that uses them ---------------------------------------------------------------------


def _functions(module: ModuleType) -> Iterator[tuple[str, str]]:
    """The names of all functions of a module, and their code without docstrings."""
    tree = ast.parse(inspect.getsource(module))
    for parent in ast.walk(tree):
        for node in ast.iter_child_nodes(parent):
            if isinstance(node, ast.FunctionDef):
                if ast.get_docstring(node) is not None:
                    node.body = node.body[1:] or [ast.Pass()]
                node.returns = None
                owner = f"{parent.name}." if isinstance(parent, ast.ClassDef) else ""
                yield owner + node.name, ast.unparse(node)


def _digest(code: str) -> str:
    return hashlib.sha256(re.sub(r"\s+", "", code).encode()).hexdigest()[:8]


_BOUNDS = re.compile(
    r"gamma|sums\(|lost\(|safe\(|rounded\(|outward|norm_bound|OWN|WARD|LEAST|radius|flushed|by\."
    r"|_elementwise|stretch"
)


def _python() -> dict[str, str]:
    """Digests of the functions whose code has to do with radii."""
    return {
        f"{module.__name__.rpartition('.')[2]}.{name}": _digest(code)
        for module in (balls, layer_node, narrow, slot_node, tight_node)
        for name, code in _functions(module)
        if _BOUNDS.search(code)
    }


def _parts_of_rust() -> Iterator[tuple[str, str]]:
    """The names of constants and functions of the second checker's bounds, and their code."""
    text = (ROOT / "checker" / "checker.rs").read_text(encoding="utf-8")
    text = re.sub(r"//.*", "", text)
    text = text[text.index("const OUTWARD") : text.index("struct Contexts")]
    parts = re.split(r"^ *(?=(?:const|fn) \w+)", text, flags=re.MULTILINE)
    names = [re.match(r"(?:const|fn) (\w+)", part) for part in parts]
    found: dict[str, str] = {}
    for name, part in zip(names, parts, strict=True):
        if name is not None:  # some have one name
            found[name[1]] = found.get(name[1], "") + part
    yield from found.items()


def _rust() -> dict[str, str]:
    """Digests of the same of the second checker, and of the constants of its arithmetic."""
    return {
        name: _digest(part)
        for name, part in _parts_of_rust()
        if _BOUNDS.search(part) or part.startswith("const")
    }


# ---- the second checker --------------------------------------------------------------------------


@dataclass(frozen=True)
class InRust:
    """A number of roundings in the second checker's code, and how many there are of size n."""

    function: str
    text: str
    value: Callable[[int], float]
    needs: Callable[[int], float]


IN_RUST = (
    # of rows and columns of n numbers: as of the largest singular value above
    InRust(
        "singular",
        "4.0 * FLOAT64.gamma_of(rows[0].len() + rows.len())",
        lambda n: 4 * (n + n),
        lambda n: n + 2,
    ),
    InRust("affine", "n) = (x.sizes(), x.centre.len() + 2)", lambda n: n + 2, lambda n: n + 1),
    InRust("sum", "x.radius + y.radius, 1)", lambda n: 1, lambda n: 1),
    InRust("layer_norm", "FLOAT64.gamma_of(count + 24)", lambda n: n + 24, lambda n: n + 1),
    InRust(
        "layer_norm",
        "off = self.gamma(count + 24)",
        lambda n: n + 24,
        lambda n: max(n + 1, _of_mean(n)),
    ),
    InRust(
        "layer_norm",
        "self.gamma(count * 9 / 4 + 65)",
        lambda n: n * 9 // 4 + 65,
        lambda n: n + 3 + _TWO_DIFFERENCES * _of_means(n),
    ),
    InRust(
        "layer_norm",
        "one_pass = self.gamma(count + 24)",
        lambda n: n + 24,
        lambda n: max(n + 8, _of_mean(n)),
    ),
    InRust(
        "layer_norm",
        "self.gamma(count + 64)",
        lambda n: n + 64,
        lambda n: max(n + 1, _of_means(n)),
    ),
    InRust("layer_norm", "self.gamma(8)", lambda n: 8, lambda n: 2 * 2 + 3),
    InRust("layer_norm", "&sizes, 6, reach)", lambda n: 6, lambda n: 4),
    InRust("logit", "sizes.len() + 2, reach)", lambda n: n + 2, lambda n: n + 1),
    # exponents of float64: two exps of 8 units in the last place, and their differences
    InRust("share", "FLOAT64.gamma_of(64)", lambda n: 64, lambda n: 2 * (2 * 8 + 1)),
    InRust("share", "self.gamma(6) * most", lambda n: 6, lambda n: 2),
    InRust("share", "self.gamma(EXP)", lambda n: 2 * 20 + 4, lambda n: 2 * 20),
    InRust(
        "share",
        "FLOAT64.gamma_of(2 * logits.len() + 64)",
        lambda n: 2 * n + 64,
        lambda n: n + 1 + 2 * (2 * 8 + 1),
    ),
    # weights are off by n + 1, or by 2 of a quotient; then a product, and n - 1 additions
    InRust("attend", "2 * count + if cancel { 8 }", lambda n: 2 * n + 8, lambda n: 2 * n + 1),
    InRust("attend", "else { 12 }", lambda n: 2 * n + 12, lambda n: n + 2),
    InRust("tight", "lost_of(2 * width + 16,", lambda n: 2 * n + 16, lambda n: n + 4),
    InRust("tight_fed", "lost_of(2 * shares.len() + 16,", lambda n: 2 * n + 16, lambda n: n + 4),
    # the root, its cut to the network's type, its reciprocal, the product
    InRust("read_tree", "&factor, 4)", lambda n: 4, lambda n: 4),
    InRust("looks", "&self.factor, 4)", lambda n: 4, lambda n: 4),
    InRust("own_weight", "&factor, 4)", lambda n: 4, lambda n: 4),
    InRust("read_recurrence", "&old(2), 1)", lambda n: 1, lambda n: 1),
    InRust("read_recurrence", "&less), 1)", lambda n: 1, lambda n: 1),
    InRust("check_products", "2 * count + 8,", lambda n: 2 * n + 8, lambda n: 2 * n + 4),
    InRust("check_products", "bits + 8, reach)", lambda n: n + 8, lambda n: n + 1 + 4),
    InRust("EXP", "2 * 20 + 4;", lambda n: 44, lambda n: 2 * 20 + 2),
    InRust("TANH_UNITS", "2 * 8;", lambda n: 16, lambda n: 2 * 8),
)


def test_the_second_checker_covers_its_roundings() -> None:
    parts = dict(_parts_of_rust())
    for each in IN_RUST:
        assert re.sub(r"\s+", "", parts[each.function]).count(re.sub(r"\s+", "", each.text)) == 1
        assert all(each.value(n) >= each.needs(n) for n in SIZES), each
    mentioned = "".join(each.text for each in IN_RUST)
    for part in parts.values():  # none is left out
        for terms in re.findall(r"gamma(?:_of)?\(((?:[^()]|\(\))*\d(?:[^()]|\(\))*)\)", part):
            assert terms in mentioned, terms
    assert "const OUTWARD: f64 = 1.0 + 1e-9;" in parts["OUTWARD"]
    assert "const LEAST: f64 = 1e-90;" in parts["LEAST"]
    assert "const NORM_EPSILON: f64 = 1e-5;" in parts["NORM_EPSILON"]
    assert "8.0 * (self.tiny + FLOAT64.tiny) * reach" in parts["flushed"]
    assert "!(size < 1e-6 * self.max)" in parts["overflows"]
    assert "terms > 4_000_000 || product >= 0.5" in parts["gamma_of"]


SEEN_IN_PYTHON: dict[str, str] = {
    "balls.Arithmetic._elementwise": "615ec0a0",
    "balls.Arithmetic.add": "d4c6e63f",
    "balls.Arithmetic.exp_rounding": "e0cbe938",
    "balls.Arithmetic.gamma": "1ab0a85d",
    "balls.Arithmetic.gelu": "d9bc09d4",
    "balls.Arithmetic.layer_norm": "3627f6c8",
    "balls.Arithmetic.linear": "4611652f",
    "balls.Arithmetic.lost": "ae8c5ea9",
    "balls.Arithmetic.numbers": "0b567997",
    "balls.Arithmetic.product": "6431648d",
    "balls.Arithmetic.rectified": "d4020582",
    "balls.Arithmetic.relu": "1bdd530c",
    "balls.Arithmetic.rounded": "2a52fdad",
    "balls.Arithmetic.safe": "f1fde459",
    "balls.Arithmetic.scaled": "85ead605",
    "balls.Arithmetic.sigmoid": "aece4726",
    "balls.Arithmetic.softmax": "d4a30f2d",
    "balls.Arithmetic.sums": "253cc8a2",
    "balls.Arithmetic.tanh": "e725454b",
    "balls.Ball.__add__": "3ab575e9",
    "balls.Ball.__getitem__": "388278af",
    "balls.Ball.bound": "cc0e46f9",
    "balls.Matrix.__init__": "8a97a738",
    "balls._ball": "7e997151",
    "balls._gamma": "f93a5e49",
    "balls.largest_singular_value": "7cf87d3b",
    "balls.norm_bound": "883ef194",
    "balls.outward": "a069440a",
    "layer_node.ChunkBalls.of": "9957fbb4",
    "layer_node.LayerNode._attend": "bf7c4dbc",
    "layer_node.LayerNode._logits": "f19a102d",
    "layer_node._rest": "88737c03",
    "layer_node.arithmetic_of": "69dc3854",
    "narrow.Narrow.gelu": "ebe71aea",
    "narrow.Narrow.layer_norm": "f8391a38",
    "narrow.Narrow.linear": "c3726cbf",
    "narrow.Narrow.numbers": "bcee8603",
    "narrow.Narrow.sigmoid": "a2117234",
    "narrow.Narrow.softmax": "d753687a",
    "narrow.Narrow.sums": "05b9470f",
    "narrow.Narrow.tanh": "7448515f",
    "narrow.bfloat16_rounded": "f618d991",
    "slot_node.SlotNode._own_weights": "6d50f381",
    "slot_node.SlotNode._rounding": "fd0d9f71",
    "slot_node.SlotNode.apart": "511587b5",
    "slot_node.SlotNode.flushed": "c41ca8fa",
    "slot_node.SlotNode.sides": "66d17a39",
    "tight_node.TightNode._attention_with_residual": "b84b9fae",
    "tight_node.TightNode._feed_forward_with_residual": "06361643",
    "tight_node._slack": "e6ad4977",
}

SEEN_IN_RUST: dict[str, str] = {
    "EXP": "65ba6111",
    "FLOAT32": "b905b795",
    "FLOAT64": "ae1a5d9f",
    "LEAST": "d78d8a32",
    "LOGISTIC": "a98569d8",
    "NORM_EPSILON": "cbc433ba",
    "OUTWARD": "7f17c8bf",
    "RELU": "b2d8e2f4",
    "TANH": "9a3dc6c6",
    "TANH_UNITS": "19cb1e9b",
    "affine": "951763b6",
    "attend": "663fe3a2",
    "ball": "5e0ef8ab",
    "check_products": "8b02c0ff",
    "class": "4b44ad3e",
    "code": "0a3363ca",
    "entries": "dec77d3f",
    "exact": "04f95776",
    "fed": "a6712339",
    "flushed": "1c2b49d8",
    "gamma": "e19817a8",
    "gamma_of": "8df9a60e",
    "gathered": "dd33a98b",
    "layer_norm": "cbbcdda3",
    "logit": "568322cf",
    "looks": "c62de708",
    "lost_of": "ed16e98d",
    "new": "07ff1978",
    "norm": "8debd9e5",
    "own_weight": "150b85b0",
    "product": "a43a8f49",
    "projected": "e9db1713",
    "radius": "9de73553",
    "read": "24bc0334",
    "read_recurrence": "1aa0140a",
    "read_tree": "a6f712f7",
    "recall": "91d703ef",
    "rectified": "c450be79",
    "rest": "706b16a6",
    "run": "aa89dff2",
    "share": "db3992d9",
    "shown": "13595f36",
    "singular": "f1c1263f",
    "sizes": "1ebac62d",
    "smaller": "4dadb67d",
    "sum": "af57c9ff",
    "tight": "d4770567",
    "tight_fed": "4ee41ee2",
    "unless": "2747b2cc",
    "zipped": "0c3eb662",
}


@pytest.mark.parametrize(("code", "seen"), [(_python, SEEN_IN_PYTHON), (_rust, SEEN_IN_RUST)])
def test_bounds_are_the_ones_that_were_derived(
    code: Callable[[], dict[str, str]], seen: dict[str, str]
) -> None:
    """Code that computes radii has changed, is new, or is gone: derive it, and enter its digest."""
    found = code()
    assert found == seen, {name: found.get(name) for name, _ in found.items() ^ seen.items()}
