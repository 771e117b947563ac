"""PARITY against the number of ones mod 2, its closed forms, and each step of its proof."""

import math
from collections.abc import Callable
from itertools import pairwise

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from bits import (
    EPSILONS,
    SHARPNESSES,
    binary,
    cross_entropy,
    logits,
    parity,
    with_ones,
    wrong,
    wrong_to,
)
from lengthwise.constructions.parity import (
    NAMES,
    compile_confident_parity,
    compile_normed_parity,
    compile_parity,
)
from lengthwise.errors import ConstructionError
from lengthwise.layers.norms import LayerNorm
from lengthwise.models.encoder import Encoder

VARIANTS: dict[str, Callable[..., Encoder]] = {
    "plain": compile_parity,
    "normed": compile_normed_parity,
    "confident": compile_confident_parity,
}


@pytest.fixture(params=sorted(VARIANTS))
def build(request: pytest.FixtureRequest) -> Callable[..., Encoder]:
    return VARIANTS[request.param]


# ---- right answers -----------------------------------------------------------------------------


def test_every_word_to_length_13(build: Callable[..., Encoder]) -> None:
    model = build()
    for length in range(14):
        words = binary(length)
        assert not wrong(model, words, parity(words))


@pytest.mark.parametrize("sharpness", SHARPNESSES)
def test_every_word_to_length_8_with_other_settings(sharpness: float) -> None:
    assert not wrong_to(8, compile_parity(sharpness=sharpness), parity)
    for epsilon in EPSILONS:
        for model in (
            compile_normed_parity(epsilon=epsilon, sharpness=sharpness),
            compile_confident_parity(epsilon=epsilon, sharpness=sharpness, eta=1e-6),
        ):
            assert not wrong_to(8, model, parity), epsilon


@settings(max_examples=25)
@given(
    length=st.integers(0, 200),
    seed=st.integers(0, 99),
    epsilon=st.floats(0, 200),
    sharpness=st.floats(0.1, 20),
    data=st.data(),
)
def test_random_words_with_random_settings(
    length: int, seed: int, epsilon: float, sharpness: float, data: st.DataObject
) -> None:
    count = data.draw(st.integers(0, length))
    words = with_ones(length, [count, length - count, min(count + 1, length)], seed)
    for model in (
        compile_parity(sharpness=sharpness),
        compile_normed_parity(epsilon=epsilon, sharpness=sharpness),
        compile_confident_parity(epsilon=epsilon, sharpness=sharpness),
    ):
        assert not wrong(model, words, parity(words))


@given(
    fraction=st.floats(0, 1),
    length=st.integers(0, 120),
    epsilon=st.floats(0, 50, exclude_min=True).map(lambda power: 10.0 ** (power - 6)),
)
def test_any_epsilon_works_with_a_sharpness_that_is_allowed_with_it(
    fraction: float, length: int, epsilon: float
) -> None:
    """Layer norm with a large epsilon leaves little of the logits, but sharpness gives it back."""
    kept = 3 / (1 + epsilon + 3 * epsilon**2)
    sharpness = 1.01e-6 * 6e7**fraction / kept
    words = with_ones(
        length, sorted({0, 1, length // 2, length - 1, length} & {*range(length + 1)})
    )
    model = compile_normed_parity(epsilon=epsilon, sharpness=sharpness)
    assert not wrong(model, words, parity(words))


def test_words_of_10000_symbols(build: Callable[..., Encoder]) -> None:
    words = with_ones(10_000, [0, 1, 2, 4999, 5000, 5001, 9998, 9999, 10_000])
    assert not wrong(build(), words, parity(words))
    longer = with_ones(9_999, [0, 1, 4999, 5000, 9998, 9999])
    assert not wrong(build(), longer, parity(longer))


@pytest.mark.slow
def test_words_of_a_million_symbols(build: Callable[..., Encoder]) -> None:
    for length in (1_000_000, 999_999):
        words = with_ones(length, [length // 2, length // 2 + 1])
        assert not wrong(build(), words, parity(words))


@pytest.mark.parametrize("length", [14, 61, 200])
def test_single_precision_is_right_to_length_200(
    build: Callable[..., Encoder], length: int
) -> None:
    words = with_ones(length, range(length + 1))
    assert not wrong(build().float(), words, parity(words))


def test_every_word_to_length_10_in_single_precision(build: Callable[..., Encoder]) -> None:
    for length in range(11):
        words = binary(length)
        assert not wrong(build().float(), words, parity(words))


@pytest.mark.parametrize("count_weight", [0.98, 1.02])
def test_another_weight_of_ones_is_wrong(
    build: Callable[..., Encoder], count_weight: float
) -> None:
    """Figure 3: the count must be exact, even in a word of 100 symbols."""
    words = with_ones(100, range(101))
    assert wrong(build(count_weight=count_weight), words, parity(words))


def test_a_compiled_network_is_ready_to_be_asked(build: Callable[..., Encoder]) -> None:
    assert not build().training
    assert {parameter.dtype for parameter in build().parameters()} == {torch.float64}


# ---- closed forms and vectors ------------------------------------------------------------------


def parity_logit(n: int, k: int, sharpness: float = 1.0) -> float:
    """The logit s of a word of n - 1 symbols with k ones, without layer norm (appendix A).

    For the empty word it is -1/4, by our additional unit; the paper's network has 0.
    """
    if n == 1:
        return -0.25
    sign = 1 if k % 2 else -1
    if n % 2 == 0:
        return sign * 2 * math.tanh(sharpness) / n**2
    u = math.exp(sharpness)
    z1 = ((n - 1) * u + (n + 1) / u) / 2
    z2 = ((n + 1) * u + (n - 1) / u) / 2
    return sign * (n + sign) * math.sinh(2 * sharpness) / (n * z1 * z2)


@pytest.mark.parametrize(("sharpness", "step"), [(1.0, 3), (3.0, 9)])
def test_the_closed_form_is_the_logit_for_all_counts_to_200_places(
    sharpness: float, step: int
) -> None:
    """Appendix A, both parities of n."""
    model = compile_parity(sharpness=sharpness)
    for n in range(1, 201, step):
        found = logits(model, with_ones(n - 1, range(n), seed=n))
        closed = [parity_logit(n, k, sharpness) for k in range(n)]
        expected = torch.tensor(closed, dtype=torch.float64)
        torch.testing.assert_close(found, expected, rtol=1e-12, atol=0)


@pytest.mark.parametrize("n", [2, 3, 8, 9])
@pytest.mark.parametrize("sharpness", SHARPNESSES)
def test_the_closed_form_is_what_two_averages_give(n: int, sharpness: float) -> None:
    """The sums over places, without any network."""
    for k in range(n):
        odd = [math.exp(-sharpness * (-1) ** i) for i in range(n)]
        even = [math.exp(sharpness * (-1) ** i) for i in range(n)]
        direct = (odd[k] / math.fsum(odd) - even[k] / math.fsum(even)) / n
        assert parity_logit(n, k, sharpness) == pytest.approx(direct, rel=1e-12)


def outputs(model: Encoder, words: Tensor) -> list[Tensor]:
    """The vectors of all places after each layer."""
    found: list[Tensor] = []
    hooks = [
        layer.register_forward_hook(lambda *call: found.append(call[2])) for layer in model.block
    ]
    with torch.no_grad():
        model(words, skip_unused_queries=False)
    for hook in hooks:
        hook.remove()
    return found


def by_hand(word: list[int]) -> list[dict[str, float]]:
    """The paper's a^{1,i}, for i = 0, ..., n - 1."""
    n, k = len(word) + 1, sum(word)
    return [
        {
            "is_zero": float(i > 0 and word[i - 1] == 0),
            "is_one": float(i > 0 and word[i - 1] == 1),
            "is_cls": float(i == 0),
            "place": i / n,
            "sign": math.cos(i * math.pi),
            "ones": k / n,
            "inverse": 1 / n,
            "match": (i == k) / n,
            "answer": -0.25 if n == 1 else 0.0,
        }
        for i in range(n)
    ]


def check_vectors(words: Tensor) -> None:
    model = compile_parity()
    after_first, after_second = outputs(model, words)
    for number, word in enumerate(words.tolist()):
        expected = [[place[name] for name in NAMES] for place in by_hand(word)]
        torch.testing.assert_close(
            after_first[number], torch.tensor(expected, dtype=torch.float64), rtol=0, atol=1e-15
        )
        cls = {**by_hand(word)[0], "answer": parity_logit(len(word) + 1, sum(word))}
        torch.testing.assert_close(
            after_second[number, 0],
            torch.tensor([cls[name] for name in NAMES], dtype=torch.float64),
            rtol=1e-12,
            atol=1e-15,
        )


@pytest.mark.parametrize("length", range(7))
def test_vectors_of_all_places_are_those_of_the_paper(length: int) -> None:
    check_vectors(binary(length))


def test_vectors_of_long_words_are_those_of_the_paper() -> None:
    check_vectors(with_ones(200, [0, 1, 57, 100, 199, 200]))


@pytest.mark.parametrize("length", [1, 9, 48, 100, 998])
def test_shares_are_exact(length: int) -> None:
    """k/n and 1/n are rounded once, so that k/n - i/n is exactly 0 where i = k."""
    n = length + 1
    (after_first, _) = outputs(compile_parity(), with_ones(length, [0, length // 2, length]))
    for row, k in enumerate([0, length // 2, length]):
        vectors = dict(zip(NAMES, after_first[row].T, strict=True))
        assert vectors["ones"].tolist() == [k / n] * n
        assert vectors["inverse"].tolist() == [1 / n] * n
        assert vectors["place"].tolist() == [i / n for i in range(n)]
        assert vectors["match"][k].item() == 1 / n
        assert not vectors["match"][k + 2 :].any()


# ---- the proof with layer norm -----------------------------------------------------------------


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("n", [2, 3, 6, 11])
def test_factors_of_the_first_norms_are_those_of_the_proof(n: int, epsilon: float) -> None:
    """r_i multiplies the vector of place i; it does not rise, and not fall below q r_0."""
    (after_first, _) = outputs(compile_normed_parity(epsilon=epsilon), with_ones(n - 1, range(n)))
    for k in range(n):
        word_by_hand = by_hand(with_ones(n - 1, range(n))[k].tolist())
        factors = []
        for i, vector in enumerate(after_first[k]):
            q = 2 + (i**2 + k**2 + 1) / n**2
            r = 3 / math.sqrt(q * (1 + epsilon) + (i == k) / n**2 + 9 * epsilon**2)
            expected = torch.tensor([word_by_hand[i][name] for name in NAMES], dtype=torch.float64)
            doubled = torch.cat([expected, -expected]) * r
            torch.testing.assert_close(vector, doubled, rtol=1e-12, atol=1e-15)
            factors.append(r)
        assert all(after <= before * (1 + 1e-15) for before, after in pairwise(factors))
        assert factors[-1] >= math.sqrt(2 / 3) * factors[0]


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("sharpness", [0.1, 1.0, 3.0])
def test_steps_of_the_proof_with_layer_norm(epsilon: float, sharpness: float) -> None:
    for n in range(2, 40):
        for k in range(n):
            squares = [2 + (i**2 + k**2 + 1) / n**2 for i in range(n)]
            r = [
                3 / math.sqrt(q * (1 + epsilon) + (i == k) / n**2 + 9 * epsilon**2)
                for i, q in enumerate(squares)
            ]
            c = [r[0] * r[i] * sharpness for i in range(n)]
            z1 = math.fsum(math.exp(c[i] * (1 if i % 2 else -1)) for i in range(n))
            z2 = math.fsum(math.exp(c[i] * (-1 if i % 2 else 1)) for i in range(n))
            assert -1e-12 * z1 <= z2 - z1 <= 2 * math.sinh(c[0]) * (1 + 1e-12)
            assert z1 >= math.exp(-c[0]) + math.exp(math.sqrt(2 / 3) * c[0])
            if k % 2 == 0:
                assert z2 / z1 < math.exp(2 * c[k])


def test_the_last_inequality_of_the_proof() -> None:
    """Every coefficient of its power series but the first is positive, and the first is 0."""
    q = math.sqrt(2 / 3)
    assert (2 * q - 1) ** 0 + (3 * q) ** 0 - q**0 - 1 == 0
    for power in range(1, 300):
        assert (2 * q - 1) ** power + (3 * q) ** power > q**power + 1
    for x in (1e-9, 1e-4, 0.1, 1.0, 10.0, 200.0):
        ratio = 2 * math.sinh(x) / (math.exp(-x) + math.exp(q * x))
        assert math.log1p(ratio) < 2 * q * x


# ---- cross-entropy -----------------------------------------------------------------------------


@pytest.mark.parametrize("eta", [1e-15, 1e-9, 1e-3, 0.1, 0.69, 0.7, 5.0])
def test_cross_entropy_is_at_most_eta_at_every_length(eta: float) -> None:
    """Proposition 2; and it does not depend on the length."""
    model = compile_confident_parity(eta=eta)
    found = []
    for length in (0, 1, 2, 3, 4, 9, 10, 99, 100, 500, 999, 1000, 1999, 2000):
        words = with_ones(length, sorted({0, min(1, length), length // 2, length}))
        found.append(cross_entropy(model, words, parity(words)))
    values = torch.cat(found)
    assert values.max() <= eta * (1 + 1e-9)
    assert values.max() - values.min() <= 1e-9 * eta
    assert values.min() >= min(eta, 0.5) * (1 - 1e-9)


def test_cross_entropy_grows_with_the_length_unless_epsilon_is_zero() -> None:
    """And without layer norm: towards log 2, as Hahn's lemma says."""
    for model in (
        compile_parity(),
        compile_normed_parity(),
        compile_confident_parity(epsilon=1e-5),
    ):
        found = []
        for length in (10, 100, 1000):
            words = with_ones(length, [length // 2])
            found.append(cross_entropy(model, words, parity(words)).item())
        assert found == sorted(found)
        assert math.log(2) * 0.99 < found[-1] < math.log(2)


# ---- bad input ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("epsilon", "remedy"),
    [
        (-1e-5, "Use 0 or more."),
        (math.nan, "Use 0 or more."),
        (-math.inf, "Use 0 or more."),
        (math.inf, "Use 1e+50 or less."),
        (1e300, "Use 1e+50 or less."),
    ],
)
@pytest.mark.parametrize("variant", ["normed", "confident"])
def test_an_impossible_epsilon_is_refused(variant: str, epsilon: float, remedy: str) -> None:
    with pytest.raises(ConstructionError) as caught:
        VARIANTS[variant](epsilon=epsilon)
    message = str(caught.value)
    assert f"epsilon={epsilon}" in message
    assert message.endswith(remedy)
    assert "\n" not in message


@pytest.mark.parametrize("sharpness", [0.0, -1.0, 1e-7, 100.0, math.inf, math.nan])
def test_an_impossible_sharpness_is_refused(
    build: Callable[..., Encoder], sharpness: float
) -> None:
    with pytest.raises(ConstructionError) as caught:
        build(sharpness=sharpness)
    message = str(caught.value)
    assert message.startswith(f"sharpness={sharpness} gives attention logits of about")
    assert "Use " in message
    assert "\n" not in message


def test_the_range_of_the_sharpness_is_that_with_the_epsilon() -> None:
    with pytest.raises(ConstructionError) as caught:
        compile_normed_parity(epsilon=1e5)
    assert str(caught.value) == (
        "sharpness=1.0 gives attention logits of about 1e-10, which float64 rounds to wrong "
        "answers. Use 1e+04 to 6.4e+11."
    )
    words = with_ones(200, range(201))
    for sharpness in (1.1e4, 6e11):
        model = compile_normed_parity(epsilon=1e5, sharpness=sharpness)
        assert not wrong(model, words, parity(words))


def test_the_refused_settings_would_give_wrong_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sharpness 100 with layer norm, and epsilon 1e8 with sharpness 1."""
    monkeypatch.setattr("lengthwise.constructions.weights.MIN_LOGIT", 0.0)
    monkeypatch.setattr("lengthwise.constructions.weights.MAX_LOGIT", math.inf)
    words = with_ones(50, range(51))
    for epsilon, sharpness in ((0.0, 100.0), (1e8, 1.0)):
        model = compile_normed_parity(epsilon=epsilon, sharpness=sharpness)
        assert wrong(model, words, parity(words))


@pytest.mark.parametrize("eta", [0.0, -1.0, math.nan, math.inf, 1e-17])
def test_an_impossible_eta_is_refused(eta: float) -> None:
    with pytest.raises(ConstructionError, match="eta="):
        compile_confident_parity(eta=eta)


def test_norms_are_there_exactly_if_asked_for() -> None:
    def norms(model: Encoder) -> list[float]:
        return [m.eps for m in model.modules() if isinstance(m, LayerNorm)]

    assert norms(compile_parity()) == []
    assert norms(compile_normed_parity(epsilon=0.5)) == [0.5] * 4
    assert norms(compile_confident_parity(epsilon=0.5)) == [0.5] * 6
