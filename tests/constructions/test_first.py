"""FIRST against the first symbol, its closed forms, and each step of its proofs."""

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.nn import functional as F

from bits import (
    EPSILONS,
    SHARPNESSES,
    binary,
    cross_entropy,
    first,
    logits,
    with_ones,
    wrong,
    wrong_to,
)
from lengthwise.constructions.first import (
    NAMES,
    compile_confident_first,
    compile_first,
    compile_flawed_first,
    compile_flawed_scaled_first,
    compile_normed_first,
    compile_scaled_first,
    compile_scaled_normed_first,
    compute_scaled_floor,
)
from lengthwise.errors import ConstructionError
from lengthwise.layers.norms import LayerNorm
from lengthwise.models.encoder import Encoder
from ordinary import few

VARIANTS: dict[str, Callable[..., Encoder]] = {
    "plain": compile_first,
    "normed": compile_normed_first,
    "confident": compile_confident_first,
    "scaled": compile_scaled_first,
    "scaled normed": compile_scaled_normed_first,
    "flawed": compile_flawed_first,
    "flawed scaled": compile_flawed_scaled_first,
}
EXACT = sorted(set(VARIANTS) - {"flawed"})
LENGTHS = [0, 1, 2, 3, 4, 9, 10, 99, 100, 500, 999, 1000, 2000]


def extremes(length: int) -> Tensor:
    """Of the words with each first symbol, those with the most and the fewest ones after it."""
    words = torch.tensor([[0, 0], [0, 1], [1, 0], [1, 1]])
    return torch.cat([words[:, :1], words[:, 1:].expand(4, max(length - 1, 0))], dim=1)[:, :length]


@pytest.fixture(params=EXACT)
def build(request: pytest.FixtureRequest) -> Callable[..., Encoder]:
    return VARIANTS[request.param]


# ---- right answers -----------------------------------------------------------------------------


def test_every_word_to_length_13(build: Callable[..., Encoder]) -> None:
    model = build()
    for length in range(14):
        words = binary(length)
        assert not wrong(model, words, first(words))


@pytest.mark.parametrize("sharpness", [1e-5, *SHARPNESSES, 64.0])
def test_every_word_to_length_8_with_other_settings(sharpness: float) -> None:
    assert not wrong_to(8, compile_first(sharpness=sharpness), first)
    for epsilon in [*EPSILONS, 1e10, 1e50]:
        for model in (
            compile_normed_first(epsilon=epsilon, sharpness=sharpness),
            compile_confident_first(epsilon=epsilon, sharpness=sharpness, eta=1e-6),
        ):
            assert not wrong_to(8, model, first), epsilon


@pytest.mark.parametrize("epsilon", [*EPSILONS, 1e10, 1e50])
def test_every_word_to_length_8_with_scaling_and_any_epsilon(epsilon: float) -> None:
    assert not wrong_to(8, compile_scaled_normed_first(epsilon=epsilon), first)


@settings(max_examples=few(8, 25))
@given(
    length=st.integers(0, 300),
    seed=st.integers(0, 99),
    share=st.floats(0, 1),
    numbers=st.tuples(st.floats(0, 200), st.floats(0.1, 20), st.floats(1e-12, 2)),
)
def test_random_words_with_random_settings(
    length: int, seed: int, share: float, numbers: tuple[float, float, float]
) -> None:
    epsilon, sharpness, eta = numbers
    words = with_ones(length, [int(share * length)], seed)
    both = words.clone()
    both[:, :1] = 1 - both[:, :1]
    words = torch.cat([words, both])
    for model in (
        compile_first(sharpness=sharpness),
        compile_normed_first(epsilon=epsilon, sharpness=sharpness),
        compile_confident_first(epsilon=epsilon, sharpness=sharpness, eta=eta),
        compile_scaled_first(eta=eta),
        compile_scaled_normed_first(epsilon=epsilon, eta=eta),
        compile_flawed_scaled_first(),
    ):
        assert not wrong(model, words, first(words))


def test_words_of_30000_symbols(build: Callable[..., Encoder]) -> None:
    words = extremes(30_000)
    assert not wrong(build(), words, first(words))


@pytest.mark.slow
def test_words_of_a_million_symbols(build: Callable[..., Encoder]) -> None:
    words = extremes(1_000_000)
    assert not wrong(build(), words, first(words))


@pytest.mark.parametrize("length", [1, 14, 1000])
def test_single_precision_is_right_to_length_1000(
    build: Callable[..., Encoder], length: int
) -> None:
    words = torch.cat([extremes(length), with_ones(length, [length // 2, length // 3])])
    assert not wrong(build().float(), words, first(words))


def test_every_word_to_length_10_in_single_precision(build: Callable[..., Encoder]) -> None:
    assert not wrong_to(10, build().float(), first)


def test_a_compiled_network_is_ready_to_be_asked(build: Callable[..., Encoder]) -> None:
    assert not build().training
    assert {parameter.dtype for parameter in build().parameters()} == {torch.float64}


# ---- the flawed network ------------------------------------------------------------------------


@pytest.mark.parametrize("sharpness", [0.5, 1.0, 1.5, 2.0, 2.5])
def test_the_flawed_network_is_right_exactly_on_words_shorter_than_exp_of_the_sharpness(
    sharpness: float,
) -> None:
    """First it fails on 1 and zeros after, and 2 symbols later on 0 and ones after."""
    model = compile_flawed_first(sharpness=sharpness)
    for length in range(15):
        words = binary(length)
        failed = wrong(model, words, first(words))
        assert bool(failed) == (length > math.exp(sharpness))
        assert ([1] + [0] * (length - 1) in failed) == (length > math.exp(sharpness))
        assert ([0] + [1] * (length - 1) in failed) == (length > math.exp(sharpness) + 2)


def test_a_tie_of_the_flawed_network_is_wrong() -> None:
    """c = log(n - 1) is not enough: equality gives s = 0, which rejects."""
    assert compute_flawed_logit(9, True, 1, math.log(8)) == pytest.approx(0.0, abs=1e-15)
    assert compute_flawed_logit(9, True, 1, math.log(8.01)) > 1e-4


@pytest.mark.parametrize("length", [148, 149, 1000])
def test_the_flawed_network_on_long_words(length: int) -> None:
    """exp(5) = 148.4."""
    words = extremes(length)
    failed = wrong(compile_flawed_first(sharpness=5.0), words, first(words))
    assert bool(failed) == (length > 148)


# ---- closed forms ------------------------------------------------------------------------------


def first_logit(n: int, begins_with_one: bool, sharpness: float = 1.0) -> float:
    """The logit of a word of n - 1 >= 1 symbols, without layer norm (equation 1)."""
    weight = math.exp(sharpness)
    return weight / (weight + n - 1) * (begins_with_one - 0.5)


def compute_scaled_logit(n: int, begins_with_one: bool) -> float:
    """The logit with log-length scaled attention and c = 1 (proof of Proposition 3)."""
    return n / (2 * n - 1) * (begins_with_one - 0.5)


def compute_flawed_logit(n: int, begins_with_one: bool, k: int, sharpness: float) -> float:
    """The logit of the flawed network for n - 1 symbols with k ones (section 5.2)."""
    weight = math.exp(sharpness)
    return ((weight - 1) * (begins_with_one - 0.5) + k - n / 2) / (weight + n - 1)


def compute_flawed_scaled_logit(n: int, begins_with_one: bool, k: int) -> float:
    """The logit of the flawed network with log-length scaled attention (section 5.3)."""
    return ((n - 1) * (begins_with_one - 0.5) + k - n / 2) / (2 * n - 1)


def pairs(n: int, step: int = 1) -> list[tuple[bool, int]]:
    """The first symbols and numbers of ones that words of n - 1 symbols can have."""
    return [(b, k + b) for b in (False, True) for k in range(0, n - 1, step)]


def words_for(n: int, step: int = 1) -> Tensor:
    """A word for each of `pairs`."""
    rest = with_ones(n - 2, range(0, n - 1, step), seed=n)
    return torch.cat([F.pad(rest, (1, 0), value=b) for b in (0, 1)])


CLOSED: dict[str, tuple[Encoder, Callable[[int, bool, int], float]]] = {
    "equation 1": (compile_first(sharpness=2.0), lambda n, b, k: first_logit(n, b, 2.0)),
    "proposition 3": (
        compile_scaled_first(eta=1e-3),
        lambda n, b, k: -4 * math.log(math.expm1(1e-3)) * compute_scaled_logit(n, b),
    ),
    "5.2": (
        compile_flawed_first(sharpness=2.0),
        lambda n, b, k: compute_flawed_logit(n, b, k, 2.0),
    ),
    "5.3": (compile_flawed_scaled_first(), compute_flawed_scaled_logit),
}


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=[] if n == "proposition 3" else [pytest.mark.slow]) for n in CLOSED],
)
def test_closed_forms_are_the_logits_for_all_counts_to_200_places(name: str) -> None:
    """Or for some counts, where they do not count."""
    model, closed = CLOSED[name]
    step = 1 if name.startswith("5") else 30
    for n in range(2, 201):
        found = logits(model, words_for(n, step))
        expected = torch.tensor([closed(n, b, k) for b, k in pairs(n, step)], dtype=torch.float64)
        torch.testing.assert_close(found, expected, rtol=1e-12, atol=2e-16)


@pytest.mark.parametrize("name", CLOSED)
def test_the_network_on_the_empty_word(name: str) -> None:
    """A tie without layer norm; CLS counts itself in the flawed network, and its forms say so."""
    model, closed = CLOSED[name]
    (found,) = logits(model, binary(0)).tolist()
    assert found == (closed(1, False, 0) if name.startswith("5") else 0.0)


def test_closed_forms_are_what_an_average_gives() -> None:
    """The sums over places, without any network."""
    for n in (2, 3, 8):
        for b, k in pairs(n):
            word = [int(b)] + [1] * (k - b) + [0] * (n - 2 - (k - b))
            for c in SHARPNESSES:
                weights = [math.exp(c * (i == 1)) for i in range(n)]
                z = math.fsum(weights)
                assert first_logit(n, b, c) == pytest.approx(weights[1] * (b - 0.5) / z)
                values = [-0.5, *(symbol - 0.5 for symbol in word)]
                direct = math.fsum(w * v for w, v in zip(weights, values, strict=True)) / z
                assert compute_flawed_logit(n, b, k, c) == pytest.approx(direct, abs=1e-15)
            logarithm = math.log(n)
            assert compute_scaled_logit(n, b) == pytest.approx(first_logit(n, b, logarithm))
            assert compute_flawed_scaled_logit(n, b, k) == pytest.approx(
                compute_flawed_logit(n, b, k, logarithm), abs=1e-15
            )


@pytest.mark.parametrize("length", range(7))
def test_vectors_are_those_of_the_paper(length: int) -> None:
    """a^{1,i} of section 3.3 at every place, and a^{2,0}."""
    words, found = binary(length), []
    model = compile_first()
    for layer in model.block:
        layer.register_forward_hook(lambda *call: found.append(call[2]))
    with torch.no_grad():
        model(words, skip_unused_queries=False)
    after_first, after_second = found
    for number, word in enumerate(words.tolist()):
        for i in range(length + 1):
            symbol = word[i - 1] if i else None
            expected = {
                "is_zero": symbol == 0,
                "is_one": symbol == 1,
                "is_cls": symbol is None,
                "first": i == 1,
                "match": symbol == 1 and i == 1,
                "answer": False,
            }
            assert after_first[number, i].tolist() == [float(expected[name]) for name in NAMES]
        s = first_logit(length + 1, word[0] == 1) if length else 0.0
        assert after_second[number, 0].tolist() == pytest.approx([0, 0, 1, 0, 0, s], rel=1e-12)


# ---- the proofs with layer norm ----------------------------------------------------------------


def keep(epsilon: float) -> tuple[float, float, float]:
    """k_0 and k_1 of the proof, and what a first place that holds a zero makes of a 1."""
    mark = 1 / math.sqrt(1 / 6 + epsilon / 6 + epsilon**2)
    one = 1 / math.sqrt(3 / 6 + 2 * epsilon / 6 + epsilon**2)
    zero = 1 / math.sqrt(2 / 6 + 2 * epsilon / 6 + epsilon**2)
    return mark, one, zero


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_factors_of_the_first_norms_are_those_of_the_proof(epsilon: float) -> None:
    model = compile_normed_first(epsilon=epsilon)
    found: list[Tensor] = []
    model.block[0].register_forward_hook(lambda *call: found.append(call[2]))
    with torch.no_grad():
        model(torch.tensor([[1, 0], [0, 1]]), skip_unused_queries=False)
    (vectors,) = found
    mark, one, zero = keep(epsilon)
    expected = torch.tensor(
        [
            [[0, 0, mark, 0, 0, 0], [0, one, 0, one, one, 0]],
            [[0, 0, mark, 0, 0, 0], [zero, 0, 0, zero, 0, 0]],
        ],
        dtype=torch.float64,
    )
    torch.testing.assert_close(vectors[:, :2, :6], expected, rtol=1e-12, atol=1e-16)
    torch.testing.assert_close(vectors[:, :2, 6:], -expected, rtol=1e-12, atol=1e-16)
    assert one <= zero
    assert one <= mark <= math.sqrt(3) * one * (1 + 1e-15)


def answer_after_attention(model: Encoder, words: Tensor) -> Tensor:
    """The proof's s: what CLS holds before the second layer's norms."""
    found: list[Tensor] = []
    hook = model.block[1].attention.register_forward_hook(lambda *call: found.append(call[2]))
    with torch.no_grad():
        model(words)
    hook.remove()
    return found[0][:, 0, NAMES.index("answer")]


@pytest.mark.slow_except(
    "1.0-0.001",
    "1.0-1.0",
    "20.0-100.0",
    "20.0-1e-05",
    "20.0-1e-07",
    "3.0-0.001",
    "3.0-1.0",
    "3.0-100.0",
)
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("sharpness", SHARPNESSES)
def test_the_bound_without_scaling(epsilon: float, sharpness: float) -> None:
    mark, one, _ = keep(epsilon)
    model = compile_normed_first(epsilon=epsilon, sharpness=sharpness)
    power = math.exp(sharpness * mark * one)
    for length in LENGTHS:
        found = answer_after_attention(model, extremes(length)).abs()
        bound = (power * one / 2 - mark / 8) / (power + length) if length else mark / 8
        assert found.min() >= bound * (1 - 1e-12)
        assert bound > 0


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_floor_with_scaling_is_reached_and_not_passed(epsilon: float) -> None:
    """k_1 / 4 before the second layer's norms, `compute_scaled_floor` after them."""
    eta = 1e-3
    model = compile_scaled_normed_first(epsilon=epsilon, eta=eta)
    gain = -math.log(math.expm1(eta)) / compute_scaled_floor(epsilon)
    before, after = [], []
    for length in LENGTHS:
        before.append(answer_after_attention(model, extremes(length)).abs())
        after.append(logits(model, extremes(length)).abs() / gain)
    for found, floor in ((before, keep(epsilon)[1] / 4), (after, compute_scaled_floor(epsilon))):
        least = torch.cat(found).min()
        assert floor * (1 - 1e-12) <= least <= floor * (1 + 1e-12)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_later_norms_are_increasing_in_the_answer(epsilon: float) -> None:
    mark, one, _ = keep(epsilon)
    answers = torch.linspace(-one, one, 401, dtype=torch.float64)
    vector = torch.zeros(401, 12, dtype=torch.float64)
    vector[:, 2], vector[:, 8] = mark, -mark
    vector[:, 5], vector[:, 11] = answers, -answers
    norm = LayerNorm(12, eps=epsilon).double()
    with torch.no_grad():
        once, twice = norm(vector)[:, 5], norm(norm(vector))[:, 5]
    assert (once.diff() > 0).all()
    assert (twice.diff() > 0).all()


# ---- cross-entropy -----------------------------------------------------------------------------


@pytest.mark.parametrize("eta", [1e-15, 1e-9, 1e-3, 0.1, 0.69, 0.7, 5.0])
def test_cross_entropy_is_at_most_eta_at_every_length(eta: float) -> None:
    """Proposition 2; and it does not depend on the length."""
    model = compile_confident_first(eta=eta)
    found = torch.cat([cross_entropy(model, (w := extremes(n)), first(w)) for n in LENGTHS])
    assert found.max() <= eta * (1 + 1e-9)
    assert found.max() - found.min() <= 1e-9 * eta
    assert found.min() >= min(eta, 0.5) * (1 - 1e-9)


@pytest.mark.slow_except(
    "10000000000.0-0.001",
    "10000000000.0-0.1",
    "10000000000.0-0.7",
    "1e+50-0.001",
    "1e+50-0.1",
    "1e+50-1e-09",
    "1e-07-0.001",
    "1e-07-0.1",
    "1e-07-0.7",
    "1e-07-1e-09",
)
@pytest.mark.parametrize("eta", [1e-9, 1e-3, 0.1, 0.7])
@pytest.mark.parametrize("epsilon", [*EPSILONS, 1e10, 1e50])
def test_cross_entropy_with_scaling_and_layer_norm_is_at_most_eta(
    epsilon: float, eta: float
) -> None:
    """Proposition 3, for any epsilon, and on the empty word, too."""
    model = compile_scaled_normed_first(epsilon=epsilon, eta=eta)
    found = torch.cat([cross_entropy(model, (w := extremes(n)), first(w)) for n in LENGTHS])
    assert found.max() <= eta * (1 + 1e-9)
    assert found.max() >= min(eta, 0.5) * (1 - 1e-9)


@pytest.mark.parametrize("eta", [1e-9, 1e-3, 0.1, 0.7])
def test_cross_entropy_with_scaling_is_at_most_eta_unless_the_word_is_empty(eta: float) -> None:
    model = compile_scaled_first(eta=eta)
    assert cross_entropy(model, binary(0), first(binary(0))).item() == pytest.approx(math.log(2))
    for length in LENGTHS[1:]:
        words = extremes(length)
        assert cross_entropy(model, words, first(words)).max() <= eta * (1 + 1e-9)


def test_cross_entropy_grows_with_the_length_unless_epsilon_is_zero_or_attention_scaled() -> None:
    for model in (compile_first(), compile_normed_first(), compile_confident_first(epsilon=1e-5)):
        found = []
        for length in (10, 1000, 100_000):
            words = extremes(length)[:1]
            found.append(cross_entropy(model, words, first(words)).item())
        assert found == sorted(found)
        assert found[-1] > 2 * found[0] or math.log(2) * 0.99 < found[-1] < math.log(2)


# ---- bad input ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("variant", "setting", "message"),
    [
        (
            variant,
            {"epsilon": epsilon},
            f"layer normalisation adds epsilon >= 0 to the variance, but epsilon={epsilon}. "
            "Use 0 or more.",
        )
        for variant in ("normed", "confident", "scaled normed")
        for epsilon in (-1e-5, math.nan, -math.inf)
    ]
    + [
        (
            variant,
            {"epsilon": epsilon},
            "each layer divides its numbers by epsilon, and float64 keeps nothing of them with "
            f"epsilon={epsilon}. Use 1e+50 or less.",
        )
        for variant in ("normed", "confident", "scaled normed")
        for epsilon in (math.inf, 1e300)
    ]
    + [
        (
            variant,
            {"sharpness": sharpness},
            f"sharpness={sharpness} gives attention logits of about {sharpness:.3g}, which float64 "
            "rounds to wrong answers. Use 1e-06 to 64.",
        )
        for variant in ("plain", "normed", "confident", "flawed")
        for sharpness in (0.0, -1.0, 65.0, math.inf, math.nan)
    ],
)
def test_impossible_settings_are_refused(
    variant: str, setting: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConstructionError) as caught:
        VARIANTS[variant](**setting)
    assert str(caught.value) == message


@pytest.mark.parametrize("variant", ["confident", "scaled", "scaled normed"])
@pytest.mark.parametrize("eta", [0.0, -1.0, math.nan, math.inf, 1e-17])
def test_an_impossible_eta_is_refused(variant: str, eta: float) -> None:
    with pytest.raises(ConstructionError, match="eta="):
        VARIANTS[variant](eta=eta)


def test_norms_are_there_exactly_if_asked_for() -> None:
    def norms(model: Encoder) -> list[float]:
        return [m.eps for m in model.modules() if isinstance(m, LayerNorm)]

    assert not norms(compile_first())
    assert not norms(compile_scaled_first())
    assert not norms(compile_flawed_first())
    assert norms(compile_normed_first(epsilon=0.5)) == [0.5] * 4
    assert norms(compile_scaled_normed_first(epsilon=0.5)) == [0.5] * 4
    assert norms(compile_confident_first(epsilon=0.5)) == [0.5] * 6
