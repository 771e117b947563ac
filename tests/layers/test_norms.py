"""Norms: torch's own where epsilon > 0, without a scale where it is 0, and where each stands."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

from lengthwise.errors import ConfigError
from lengthwise.layers.norms import EPSILON, NORMS, LayerNorm


def draw(*shape: int, seed: int = 0) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, dtype=torch.float64, generator=generator)


def make(width: int, epsilon: float) -> LayerNorm:
    """With a weight and a bias of their own."""
    norm = LayerNorm(width, eps=epsilon).double()
    with torch.no_grad():
        norm.weight.copy_(draw(width, seed=1))
        norm.bias.copy_(draw(width, seed=2))
    return norm


@pytest.mark.parametrize("epsilon", [1e-300, 1e-5, 1.0, 100.0])
def test_positive_epsilon_is_what_torch_does(epsilon: float) -> None:
    ours, theirs = make(7, epsilon), nn.LayerNorm(7, eps=epsilon).double()
    theirs.load_state_dict(ours.state_dict())
    assert torch.equal(ours(draw(3, 4, 7)), theirs(draw(3, 4, 7)))


@given(width=st.integers(2, 20), epsilon=st.sampled_from([0.0, 1e-5, 1.0]), seed=st.integers(0, 99))
def test_norm_is_its_formula(width: int, epsilon: float, seed: int) -> None:
    norm, x = make(width, epsilon), draw(3, width, seed=seed)
    mean = x.mean(dim=-1, keepdim=True)
    variance = (x - mean).square().mean(dim=-1, keepdim=True)
    expected = (x - mean) / (variance + epsilon).sqrt() * norm.weight + norm.bias
    torch.testing.assert_close(norm(x), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("scale", [1e-300, 1e-200, 1e-30, 1.0, 1e30, 1e150, 1e300])
def test_without_epsilon_the_size_does_not_count(scale: float) -> None:
    """Squares of 1e-200 underflow, and of 1e200 overflow."""
    norm, x = make(7, 0.0), draw(3, 4, 7)
    torch.testing.assert_close(norm(x * scale), norm(x), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_without_epsilon_the_size_does_not_count_in_less_precision(dtype: torch.dtype) -> None:
    norm = LayerNorm(6, eps=0.0).to(dtype)
    tiny = torch.tensor([[1.0, -1.0, 0.0, 0.0, 0.0, 0.0]]) * (
        1e-4 if dtype == torch.float16 else 1e-30
    )
    expected = torch.tensor([[3**0.5, -(3**0.5), 0, 0, 0, 0]])
    torch.testing.assert_close(norm(tiny.to(dtype)).float(), expected, rtol=1e-2, atol=0)


@pytest.mark.parametrize("value", [0.0, 1.0, 0.1, 0.7, -3.3, 1e-200, 1e300])
@pytest.mark.parametrize("width", [1, 2, 3, 7, 18])
def test_without_epsilon_a_constant_vector_becomes_zero(value: float, width: int) -> None:
    """Three numbers of 0.1 have a mean that is not 0.1 in float64."""
    norm = make(width, 0.0)
    out = norm(torch.full((2, width), value, dtype=torch.float64))
    assert torch.equal(out, norm.bias.expand(2, width))


def test_without_epsilon_a_constant_vector_is_no_matter_to_the_others() -> None:
    norm, x = make(5, 0.0), draw(3, 5)
    x[1] = 2.5
    out = norm(x)
    assert torch.equal(out[1], norm.bias)
    torch.testing.assert_close(out[[0, 2]], norm(x[[0, 2]]), rtol=0, atol=0)


def test_without_epsilon_the_last_digit_is_a_direction() -> None:
    x = torch.tensor([[1.0, 1.0 + 2.0**-52]], dtype=torch.float64)
    assert LayerNorm(2, eps=0.0).double()(x).tolist() == [[-1.0, 1.0]]


def test_doubled_vectors_are_only_multiplied() -> None:
    """Up to rounding, as the constructions need: nothing is taken away as a mean."""
    half = draw(50, 9) * (draw(50, 9, seed=1) > 0)
    for epsilon in (0.0, 1e-5):
        out = LayerNorm(18, eps=epsilon).double()(torch.cat([half, -half], dim=1))
        factor = (half.square().mean(dim=1, keepdim=True) + epsilon).rsqrt()
        torch.testing.assert_close(out[:, :9], half * factor, rtol=1e-12, atol=1e-15)
        torch.testing.assert_close(out[:, 9:], -out[:, :9], rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("name", sorted(NORMS))
def test_a_norm_stands_where_its_name_says(name: str) -> None:
    """`embedded`, `before` the branch, `after` the sum, `final`: exactly these places normalise."""
    norm, embedded, final = NORMS[name](6), NORMS[name].make_embedding_norm(6), NORMS[name].final(6)
    x = draw(4, 6).float()
    normal = nn.functional.layer_norm(x, (6,))
    places = {
        "embedded": embedded(x),
        "before": norm.before(x),
        "after": norm.after(x),
        "final": final(x),
    }
    normalised = {place for place, out in places.items() if torch.allclose(out, normal)}
    untouched = {place for place, out in places.items() if torch.equal(out, x)}
    expected: dict[str, set[str]] = {
        "post": {"after"},
        "post-embedded": {"embedded", "after"},
        "pre": {"before", "final"},
        "none": set(),
    }
    assert normalised == expected[name]
    assert untouched == set(places) - normalised


@pytest.mark.parametrize("name", ["post", "post-embedded", "pre"])
@pytest.mark.parametrize("epsilon", [0.0, 1e-5, 3.0])
def test_every_norm_has_the_epsilon_that_it_was_given(name: str, epsilon: float) -> None:
    once = [NORMS[name].make_embedding_norm(6, epsilon), NORMS[name].final(6, epsilon)]
    norms = [NORMS[name](6, epsilon), *once]
    found = [m.eps for norm in norms for m in norm.modules() if isinstance(m, LayerNorm)]
    assert found == [epsilon] * {"post": 1, "post-embedded": 2, "pre": 2}[name]


def test_epsilon_is_that_of_torch_unless_told() -> None:
    assert nn.LayerNorm(3).eps == EPSILON
    assert [m.eps for m in NORMS["post"](6).modules() if isinstance(m, LayerNorm)] == [EPSILON]


def test_an_unknown_norm_is_refused() -> None:
    with pytest.raises(ConfigError, match="Did you mean 'post'"):
        NORMS["past"]
