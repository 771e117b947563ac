"""Sections 2 to 5 and both appendices of chiang2022 in numpy, with each slip of the print put back.

Without a slip these are the networks that `constructions` builds, and every claim holds. With one
slip as printed, a claim fails: docs/errata.md says which.
"""

import math
from itertools import product

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from bits import binary, logits
from lengthwise.constructions.first import compile_first, compile_normed_first, compile_scaled_first
from lengthwise.constructions.parity import compile_normed_parity, compile_parity

Array = NDArray[np.float64]
Word = tuple[int, ...]
ZERO, ONE, CLS, PLACE, SIGN, ONES, INVERSE, MATCH, ANSWER = range(9)


def words(max_length: int, min_length: int = 0) -> list[Word]:
    return [w for n in range(min_length, max_length + 1) for w in product((0, 1), repeat=n)]


def relu(x: Array) -> Array:
    return np.maximum(x, 0.0)


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def layer_norm(x: Array, epsilon: float) -> Array:
    """Section 4, with gamma = 1 and beta = 0."""
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + epsilon)


def attend(query: Array, keys: Array, values: Array, factor: float = 1.0) -> Array:
    """V^T softmax(factor K q); the square roots of d cancel those of W^Q."""
    powers = np.exp(factor * (keys @ query) - np.max(factor * (keys @ query)))
    return values.T @ (powers / powers.sum())


def embed(word: Word, width: int, *slips: str) -> tuple[Array, int]:
    """The symbols of section 2.2.1 at i = 0, ..., n - 1, and n."""
    n = len(word) + 1
    x = np.zeros((n, width))
    if "no embedding of CLS" not in slips:
        x[0, CLS] = 1
    for i, symbol in enumerate(word, start=1):
        x[i, symbol] = 1
    if "places run to n" in slips:
        x = np.vstack([x, np.zeros(width)])
    return x, n


class Parity:
    """Section 3.2, doubled and normalised (section 4.1) if there is an epsilon."""

    def __init__(self, word: Word, *slips: str, c: float = 1.0, epsilon: float | None = None):
        x, n = embed(word, 9, *slips)
        k = sum(word)
        self.n, self.k = n, k
        places = np.arange(len(x))
        x[:, PLACE] = places / (6 if "position without n" in slips else n)
        x[:, SIGN] = np.cos(places * math.pi)
        none = np.ones(len(x)) / len(x)
        gathered = np.zeros(9)
        gathered[ONES], gathered[INVERSE] = none @ x[:, ONE], none @ x[:, CLS]
        self.c1, self.big_c1 = self.norm(x + gathered, epsilon)
        hidden = [
            relu(self.c1[:, ONES] - self.c1[:, PLACE] + shift * self.c1[:, INVERSE])
            for shift in (-1, 0, 1)
        ]
        y = self.c1.copy()
        y[:, MATCH] = hidden[0] - 2 * hidden[1] + hidden[2]
        self.a1, self.big_a1 = self.norm(y, epsilon)
        z = self.a1[0].copy()
        for side in (-1.0, 1.0):
            query = c * self.a1[0, CLS : CLS + 1]
            z[ANSWER] -= side * attend(query, side * self.a1[:, SIGN, None], self.a1[:, MATCH])
        self.before_norms = z
        c2, self.big_c2 = self.norm(z[None], epsilon)
        a2, self.big_a2 = self.norm(c2, epsilon)
        self.s = float(a2[0, ANSWER])
        self.attention_s = float(z[ANSWER])

    @staticmethod
    def norm(x: Array, epsilon: float | None) -> tuple[Array, Array]:
        """The normalised vectors of (x, -x), of which the first half, and the factors."""
        if epsilon is None:
            return x, np.ones(len(x))
        normal = layer_norm(np.hstack([x, -x]), epsilon)[:, : x.shape[1]]
        return normal, np.linalg.norm(normal, axis=1) / np.linalg.norm(x, axis=1)


class First:
    """Section 3.3, with logits times a factor; doubled and normalised if there is an epsilon."""

    def __init__(
        self, word: Word, *, c: float = 1.0, scaled: bool = False, epsilon: float | None = None
    ):
        x, n = embed(word, 6)
        self.n = n
        x[:, 3] = np.arange(n) == 1
        self.c1, self.big_c1 = Parity.norm(x, epsilon)
        y = self.c1.copy()
        y[:, 4] = relu(self.c1 @ np.array([-1.0, 0, -1, 1, 0, 0]))
        self.a1, self.big_a1 = Parity.norm(y, epsilon)
        self.values = np.zeros((n, 6))
        self.values[:, 5] = self.a1[:, 4] - self.a1[:, 3] / 2
        factor = math.log(n) if scaled else 1.0
        z = self.a1[0] + attend(
            c * self.a1[0, CLS : CLS + 1], self.a1[:, 3, None], self.values, factor
        )
        c2, self.big_c2 = Parity.norm(z[None], epsilon)
        a2, self.big_a2 = Parity.norm(c2, epsilon)
        self.s, self.attention_s = float(a2[0, 5]), float(z[5])


def confident(x: Array, row: Array, eta: float, *slips: str) -> Array:
    """Section 4.2: the new layer's output for vectors x, and its logit, from the read-out's row."""
    d = x.shape[-1]
    identity = np.eye(d)
    first = np.vstack([identity, -identity])
    answer = np.vstack([np.hstack([row, -row]), np.hstack([-row, row])])
    rest = np.zeros((d - 2, d if "zeros of d columns" in slips else 2 * d))
    second = np.hstack([-identity, identity]) + np.vstack([answer, rest])
    if "matrices of d by d" in slips:
        first, second = first[:d], second[:, :d]
    out = layer_norm(x + relu(x @ first.T) @ second.T, 0.0)
    gain = -math.log(math.expm1(eta)) / math.sqrt(d / 2)
    return np.append(out, gain * out[..., 0])


def right(word: Word, s: float) -> bool:
    """Section 2.2.3: accepted if and only if the output probability is greater than 1/2."""
    return (s > 0) == (sum(word) % 2 == 1)


# ---- the networks without slips ----------------------------------------------------------------


def ours(model: torch.nn.Module, word: Word) -> float:
    with torch.no_grad():
        return float(model(torch.tensor([word], dtype=torch.long).reshape(1, -1))[0, 1])


def test_without_slips_these_are_our_networks() -> None:
    """But for the empty word, which ours decide by one more unit or move."""
    plain, normed = compile_parity(), compile_normed_parity(epsilon=1e-3)
    one, scaled = compile_first(), compile_scaled_first(eta=math.log1p(math.exp(-4.0)))
    for word in words(5, 1):
        assert Parity(word).s == pytest.approx(ours(plain, word), rel=1e-12)
        assert Parity(word, epsilon=1e-3).s == pytest.approx(ours(normed, word), rel=1e-10)
        assert First(word).s == pytest.approx(ours(one, word), rel=1e-12)
        assert 16 * First(word, scaled=True).s == pytest.approx(ours(scaled, word), rel=1e-12)
        assert right(word, Parity(word).s)


# ---- section 2 ---------------------------------------------------------------------------------


def test_places_end_at_n_minus_1() -> None:
    """With one more place, attention divides by n + 1, and k/n - i/n is zero nowhere."""
    assert all(right(word, Parity(word).s) for word in words(6))
    assert not all(right(word, Parity(word, "places run to n").s) for word in words(6))
    word = (1, 1, 0)
    assert Parity(word).c1[0, ONES] == 2 / 4
    assert Parity(word, "places run to n").c1[0, ONES] == 2 / 5


def test_cls_is_embedded_though_it_is_no_symbol_of_sigma() -> None:
    """Without a vector for it, 1/n is never found, and nothing is asked."""
    assert not Parity((1,), "no embedding of CLS").c1[0, INVERSE]
    assert {Parity(word, "no embedding of CLS").s for word in words(4, 1)} == {0.0}


def test_positions_depend_on_the_number_of_places() -> None:
    """A function of i alone is i/n for one n, and the network is right at that one only."""
    for length in range(2, 9):
        right_all = all(
            right(word, Parity(word, "position without n").s) for word in words(length, length)
        )
        assert right_all == (length + 1 == 6)
        assert all(right(word, Parity(word).s) for word in words(length, length))


# ---- appendix A --------------------------------------------------------------------------------


@pytest.mark.parametrize("c", [0.3, 1.0, 3.0])
def test_the_numerator_for_odd_k_is_a_sine(c: float) -> None:
    for n in (3, 5, 9):
        z1 = (n - 1) / 2 * math.exp(c) + (n + 1) / 2 * math.exp(-c)
        z2 = (n + 1) / 2 * math.exp(c) + (n - 1) / 2 * math.exp(-c)
        s = Parity((1, *[0] * (n - 2)), c=c).s
        assert s == pytest.approx((n + 1) * math.sinh(2 * c) / (n * z1 * z2), rel=1e-12)
        assert s != pytest.approx((n + 1) * math.cosh(2 * c) / (n * z1 * z2), rel=1e-6)


def test_the_logit_is_zero_not_negative_on_the_empty_word() -> None:
    assert Parity(()).s == 0.0
    assert all(Parity((0,) * length).s < 0 for length in range(1, 20))


# ---- appendix B --------------------------------------------------------------------------------

EVEN = [word for word in words(7, 3) if len(word) % 2]


@pytest.mark.parametrize("epsilon", [0.0, 1e-3, 1.0])
def test_norms_have_factors_of_their_own_at_each_place(epsilon: float) -> None:
    for word in words(5, 1):
        network = Parity(word, epsilon=epsilon)
        assert len(set(np.round(network.big_c1, 12))) == network.n
    one = First((1, 0), epsilon=epsilon)
    factors = one.big_c1 * one.big_a1
    assert factors[0] == pytest.approx(factors[2])
    assert factors[0] > 1.1 * factors[1]


@pytest.mark.parametrize("epsilon", [0.0, 1e-3, 1.0])
def test_the_printed_logit_of_parity_is_not_the_networks_with_any_one_factor(
    epsilon: float,
) -> None:
    """Not with A_1 C_1 of any place, once or squared."""
    for word in EVEN:
        network = Parity(word, epsilon=epsilon)
        sign = 1 if network.k % 2 else -1
        for factor in network.big_c1 * network.big_a1:
            for power in (1, 2):
                printed = sign * 2 * factor * math.tanh(factor**power) / network.n**2
                assert network.attention_s != pytest.approx(printed, rel=1e-6)


def test_logits_of_attention_are_multiplied_twice() -> None:
    """Both the query and the key are A_1 C_1 times what they were; the print has one factor."""
    for epsilon in (0.0, 1e-3, 1.0):
        for word in ((1,), (1, 0, 1), (0, 1)):
            network = First(word, epsilon=epsilon)
            mark, first = (network.big_c1 * network.big_a1)[:2]
            value = first * (word[0] - 0.5)
            twice, once = (math.exp(f) for f in (mark * first, first))
            n = network.n
            assert network.attention_s == pytest.approx(twice / (twice + n - 1) * value)
            assert network.attention_s != pytest.approx(once / (once + n - 1) * value, rel=1e-3)


def test_the_last_norm_does_nothing_only_without_epsilon() -> None:
    """A_2 = 1: the vector has variance 1 already, but with epsilon it has not."""
    for word in words(4, 1):
        assert Parity(word, epsilon=0.0).big_a2 == pytest.approx(1.0, rel=1e-12)
        assert First(word, epsilon=0.0).big_a2 == pytest.approx(1.0, rel=1e-12)
        assert abs(Parity(word, epsilon=1.0).big_a2[0] - 1) > 0.05
        assert abs(First(word, epsilon=1.0).big_a2[0] - 1) > 0.05


# ---- proposition 2 -----------------------------------------------------------------------------


def read_out(width: int) -> tuple[Array, Array]:
    """Random vectors of mean 0, and a row that reads them."""
    random = np.random.default_rng(0)
    x = layer_norm(random.normal(size=(20, width)), 0.0)
    return x, random.normal(size=(1, width))


def test_the_new_layer_leaves_the_logit_alone() -> None:
    x, row = read_out(6)
    for vector in x:
        *out, logit = confident(vector, row, 0.01)
        sign = math.copysign(1.0, (row @ vector).item())
        assert out == pytest.approx([sign * 3**0.5, -sign * 3**0.5, 0, 0, 0, 0], abs=1e-9)
        assert math.log1p(math.exp(-sign * logit)) == pytest.approx(0.01)


def test_its_block_of_zeros_has_2d_columns() -> None:
    x, row = read_out(6)
    with pytest.raises(ValueError, match="dimensions"):
        confident(x[0], row, 0.01, "zeros of d columns")


def test_its_matrices_are_not_d_by_d() -> None:
    """Section 2.2.2 lets a layer have d hidden units; with the first d, only relu(x) is known."""
    x, row = read_out(6)
    signs = [math.copysign(1.0, (row @ vector).item()) for vector in x]
    found = [confident(vector, row, 0.01, "matrices of d by d")[-1] for vector in x]
    assert any(sign * logit < 0 for sign, logit in zip(signs, found, strict=True))


@pytest.mark.parametrize("eta", [1e-6, 0.01, 0.5])
@pytest.mark.parametrize("d", [2, 12, 18])
def test_cross_entropy_is_minus_the_logarithm(eta: float, d: int) -> None:
    """A word of the language, then another; as printed, both are negative."""
    c = -math.log(math.expm1(eta)) / math.sqrt(d / 2)
    accepted, rejected = sigmoid(c * math.sqrt(d / 2)), sigmoid(-c * math.sqrt(d / 2))
    for printed in (math.log(accepted), math.log(1 - rejected)):
        assert -printed == pytest.approx(eta)
        assert printed < 0


@pytest.mark.parametrize("eta", [0.7, 1.0, 5.0])
def test_the_printed_scale_turns_answers_round_from_eta_log_2_on(eta: float) -> None:
    """The cross-entropy is eta all the same, but every word is on the wrong side."""
    x, row = read_out(6)
    assert math.log(math.expm1(math.log(2))) == pytest.approx(0.0)
    for vector in x:
        sign = math.copysign(1.0, (row @ vector).item())
        assert sign * confident(vector, row, eta)[-1] < 0
        assert sign * confident(vector, row, 0.69)[-1] > 0


def test_a_word_rejected_by_a_tie_is_divided_by_zero() -> None:
    """Both exact solutions reject the empty word with s = 0, as section 2.2.3 allows."""
    row = np.zeros((1, 12))
    row[0, 5] = 1.0
    network = First((), epsilon=0.0)
    assert network.s == 0.0
    vector = layer_norm(np.array([0.0, 0, 1, 0, 0, 0, 0, 0, -1, 0, 0, 0]), 0.0)
    with np.errstate(invalid="ignore"):
        assert np.isnan(confident(vector, row, 0.01)[-1])
    for model in (compile_normed_first(epsilon=0.0), compile_normed_parity(epsilon=0.0)):
        assert logits(model, binary(0)).item() < 0
    assert Parity((), epsilon=0.0).s == 0.0


# ---- FIRST -------------------------------------------------------------------------------------


def test_equation_1_needs_a_first_symbol() -> None:
    """On the empty word it is -1/2, and the network, whose CLS finds only itself, has 0."""
    for c in (0.5, 1.0, 3.0):
        for word in words(4):
            n = len(word) + 1
            begins = word[:1] == (1,)
            printed = math.exp(c) / (math.exp(c) + n - 1) * (begins - 0.5)
            assert (First(word, c=c).s == pytest.approx(printed)) == (n > 1)
    assert First(()).s == 0.0


def test_only_the_sixth_number_of_a_value_counts() -> None:
    """Section 5.2: V_{i,4} and V_{i,5} are zero at i = 1, too; V_{i,6} is zero at other places."""
    for word in words(5, 1):
        network = First(word)
        assert not network.values[:, 3:5].any()
        assert network.values[1, 5] == word[0] - 0.5
        assert not network.values[[i != 1 for i in range(network.n)], 5].any()
        assert (network.a1[:, 3:5].any(axis=1) == (np.arange(network.n) == 1)).all()


def test_proposition_3_needs_a_first_symbol() -> None:
    """1/4 < |s| for n >= 2, and never over 1/3; on the empty word s = 0, cross-entropy log 2."""
    for word in words(8, 1):
        assert 1 / 4 < abs(First(word, scaled=True).s) <= 1 / 3 + 1e-12
    assert First((), scaled=True).s == 0.0


def least(epsilon: float, length: int) -> float:
    """The least |logit| with log-length scaling, c = 1 and layer norm, over both first symbols."""
    rest = (0,) * (length - 1)
    return min(abs(First((b, *rest), scaled=True, epsilon=epsilon).s) for b in (0, 1))


def test_proposition_3_forgets_the_norms_of_the_first_layer() -> None:
    """With c = 1 and a large epsilon the logit vanishes, below any bound, as n grows."""
    for epsilon in (1e-5, 0.1, 0.8, 1.0, 3.0):
        found = [least(epsilon, length) for length in (10, 100, 1000, 10_000)]
        ratio = found[-1] / found[-2]
        bound = 0.25 * (5 / 24 + epsilon) ** -0.5
        assert (ratio < 0.99) == (epsilon > 0.72)
        assert (found[-1] < bound) == (epsilon > 0.72)
    assert least(3.0, 10_000) < 1e-3 * 0.25 * (5 / 24 + 3.0) ** -0.5


def test_the_variance_of_the_last_vector_is_not_as_printed() -> None:
    """It is (1 + s^2) / 6 only where norms multiply by 1."""
    for epsilon in (0.0, 1e-5, 1.0):
        network = First((1, 0), scaled=True, epsilon=epsilon)
        half = network.a1[0].copy()
        half[5] = network.attention_s
        doubled = np.append(half, -half)
        printed = (1 + network.attention_s**2) / 6
        assert doubled.var() == pytest.approx((half[CLS] ** 2 + half[5] ** 2) / 6)
        assert doubled.var() != pytest.approx(printed, rel=0.1)
    plain = First((1, 0), scaled=True)
    half = np.array([0, 0, 1, 0, 0, plain.s])
    assert np.append(half, -half).var() == pytest.approx((1 + plain.s**2) / 6)
