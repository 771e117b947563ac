"""Does anything that torch computes leave its ball? A search for the worst, and what it once found.

Each search starts from random inputs and goes on from those that came nearest to the edges of
their balls. `HUNTS` says what is searched, and over how many bounds.

Axes:
    ball    inputs of one round
    width   numbers in a vector
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from lengthwise.languages.spec import parse
from lengthwise.proofs.check.balls import Arithmetic, Ball, Floats, Matrix, norm
from lengthwise.proofs.check.node import Node
from lengthwise.proofs.check.tight_node import TightNode
from lengthwise.proofs.search.certify import certify
from lengthwise.proofs.search.network import weights_of
from proofs.hostile import SYMBOLS, chunks, flushing, hostile, ran, settings_drawn
from proofs.trained import ENDS_WITH_1, last_symbol

FLOAT32 = Arithmetic.of("float32")

# ---- what was found once -----------------------------------------------------------------------


def test_an_answer_that_hangs_on_a_subnormal_weight_is_not_certain() -> None:
    """Signs are of 1e20 times 1e-39, which torch may take as 0: then all words are wrong alike."""
    model = last_symbol()
    memory: Any = model.memory
    with torch.no_grad():
        model.embedding.weight.mul_(1e20)
        model.pad.mul_(1e20)
        memory.norm.weight.mul_(1e20)
        memory.write.weight.mul_(1e-39)
    words = torch.tensor([[0, 0], [1, 0], [0, 1], [1, 1]])
    with torch.no_grad():
        assert model(words).argmax(dim=1).tolist() == [0, 0, 1, 1]
        with flushing(True) as can:
            assert not can or model(words).argmax(dim=1).tolist() == [1, 1, 1, 1]
    for language in (ENDS_WITH_1, parse("regex:(0|1)*", alphabet="01")):
        assert certify(model, language).verdict != "equivalent"


@pytest.mark.parametrize("weight", [1e-39, -1e-42, 3e-38])
@pytest.mark.parametrize("size", [1.0, 1e20, 1e25])
def test_products_with_subnormal_numbers_stay_within_radii(weight: float, size: float) -> None:
    """Either factor may be the subnormal one, and either may be taken as 0."""
    few = torch.tensor([[weight, weight]], dtype=torch.float32)
    many = torch.tensor([[size, -0.5 * size]], dtype=torch.float32)
    for x, w in ((many, few), (few, many)):
        ball = Ball(x.double().numpy(), np.zeros(1))
        matrix = Matrix(w.double().numpy())
        image = FLOAT32.linear(ball, matrix)
        centre, radius = FLOAT32.numbers(ball, matrix)
        for flush in (False, True):
            with flushing(flush):
                found = F.linear(x, w).double().numpy()
            assert (np.abs(found - centre) <= radius).all()
            assert (norm(found - image.centre) <= image.radius).all()


def one_pass(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Means, and variances as means of squares less squares of means, of numbers in their order."""
    total, squares = torch.zeros_like(x[..., 0]), torch.zeros_like(x[..., 0])
    for place in range(x.shape[-1]):
        total = total + x[..., place]
        squares = squares + x[..., place] * x[..., place]
    mean = total / x.shape[-1]
    return mean, squares / x.shape[-1] - mean * mean


def two_passes(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Means, and variances as means of squared distances from them."""
    total, squares = torch.zeros_like(x[..., 0]), torch.zeros_like(x[..., 0])
    for place in range(x.shape[-1]):
        total = total + x[..., place]
    mean = total / x.shape[-1]
    for place in range(x.shape[-1]):
        squares = squares + (x[..., place] - mean) * (x[..., place] - mean)
    return mean, squares / x.shape[-1]


def welford(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Means and variances that are updated number by number."""
    mean, squares = torch.zeros_like(x[..., 0]), torch.zeros_like(x[..., 0])
    for place in range(x.shape[-1]):
        delta = x[..., place] - mean
        mean = mean + delta / (place + 1)
        squares = squares + delta * (x[..., place] - mean)
    return mean, squares / x.shape[-1]


Moments = Callable[[torch.Tensor], tuple[torch.Tensor, torch.Tensor]]


def apply_norm(
    moments: Moments, x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor
) -> torch.Tensor:
    """Layer norm with the last steps in the order in which they lose most."""
    mean, variance = moments(x)
    scale = 1 / (variance.clamp(min=0) + 1e-5).sqrt()
    return (x * scale[..., None] - (mean * scale)[..., None]) * weight + bias


@pytest.mark.parametrize("width", [2, 3, 16, 64])
@pytest.mark.parametrize("mean", [30.0, 300.0, 2000.0, 5000.0, 1e6])
def test_a_variance_that_is_lost_in_a_far_mean_stays_within_radii(width: int, mean: float) -> None:
    """The mean of squares less the square of the mean may be 0, and 1/s 300 times too large."""
    random = np.random.default_rng(width)
    x = (mean + random.normal(size=(3000, width))).astype(np.float32)
    weight, bias = random.normal(size=(2, width)).astype(np.float32)
    image = FLOAT32.layer_norm(
        Ball(x.astype(np.float64), np.zeros(len(x))),
        weight.astype(np.float64),
        bias.astype(np.float64),
        1e-5,
    )
    assert np.isfinite(image.radius).all() or mean >= 300 or width < 16
    by_torch = F.layer_norm(
        torch.from_numpy(x), (width,), torch.from_numpy(weight), torch.from_numpy(bias)
    ).numpy()
    given = [torch.from_numpy(part) for part in (x, weight, bias)]
    others = [apply_norm(moments, *given).numpy() for moments in (one_pass, two_passes, welford)]
    for found in (*others, by_torch):
        assert (norm(found.astype(np.float64) - image.centre) <= image.radius).all()


def test_a_radius_is_never_a_nan() -> None:
    """Infinities meet in networks that overflow; a NaN would pass as small in some comparisons."""
    for seed in range(40):
        random = np.random.default_rng(seed)
        settings = settings_drawn(random) | {"memory": "continuous"}
        model = hostile(random, settings, 0.3, torch.float32)
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.mul_(float(random.choice([1.0, 1e30])))
        for kind in (Node, TightNode):
            node = kind(model.config.to_dict(), weights_of(model))
            below = node.gather(node.leaves(), chunks(random, node.chunk_size, SYMBOLS, 9))
            image = node.gather(below, chunks(random, node.chunk_size, 9, 9))
            _, radius = node.logits(image)
            assert not np.isnan(image.radius).any()
            assert not np.isnan(radius).any()


# ---- searches --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Hunt:
    """An operation on vectors: what torch makes of points, and the balls that should hold it."""

    width: int
    by_torch: Callable[[torch.Tensor], torch.Tensor]
    in_balls: Callable[[Ball], Ball]


def linear(random: np.random.Generator, dtype: torch.dtype) -> Hunt:
    width, rows = (int(n) for n in random.integers(1, 40, size=2))
    sizes = random.choice([1e-41, 1e-38, 1e-8, 1.0, 1.0, 1e8], size=(rows, width))
    weight = torch.from_numpy(random.normal(size=(rows, width)) * sizes).to(dtype)
    bias = torch.from_numpy(random.normal(size=rows)).to(dtype)
    matrix = Matrix(weight.double().numpy(), bias.double().numpy())
    kind = Arithmetic.of(str(dtype).removeprefix("torch."))
    return Hunt(width, lambda x: F.linear(x, weight, bias), lambda x: kind.linear(x, matrix))


def layer_norm(
    random: np.random.Generator, dtype: torch.dtype, moments: Moments | None = None
) -> Hunt:
    """That of torch, or one with other moments."""
    width = int(random.choice([2, 3, 4, 7, 8, 16, 17, 33, 64, 100, 300]))
    weight, bias = torch.from_numpy(random.normal(size=(2, width))).to(dtype)
    if random.random() < 0.7:
        bias = bias * random.choice([0.0, 1e-6])
    kind = Arithmetic.of(str(dtype).removeprefix("torch."))
    given = (weight.double().numpy(), bias.double().numpy(), 1e-5)

    def find(x: torch.Tensor) -> torch.Tensor:
        if moments is None:
            return F.layer_norm(x, (width,), weight, bias, 1e-5)
        return apply_norm(moments, x, weight, bias)

    return Hunt(width, find, lambda x: kind.layer_norm(x, *given))


def gelu(random: np.random.Generator, dtype: torch.dtype) -> Hunt:
    kind = Arithmetic.of(str(dtype).removeprefix("torch."))
    return Hunt(int(random.integers(1, 5)), F.gelu, kind.gelu)


def scale(random: np.random.Generator, dtype: torch.dtype) -> Hunt:
    kind = Arithmetic.of(str(dtype).removeprefix("torch."))
    size = int(random.integers(1, 70))
    return Hunt(
        int(random.integers(1, 5)), lambda x: x / size**0.5, lambda x: kind.scale(x, size**-0.5)
    )


HUNTS: dict[str, Callable[[np.random.Generator, torch.dtype], Hunt]] = {
    "linear": linear,
    "layer_norm": layer_norm,
    "layer_norm_one_pass": partial(layer_norm, moments=one_pass),
    "layer_norm_two_passes": partial(layer_norm, moments=two_passes),
    "layer_norm_welford": partial(layer_norm, moments=welford),
    "gelu": gelu,
    "scaled": scale,
}


def draw(random: np.random.Generator, count: int, width: int) -> Floats:
    """Vectors of many sizes, with means up to millions of times their deviation."""
    x = random.normal(size=(count, width)) * 10.0 ** random.uniform(-4, 4, size=(count, 1))
    flat = random.random((count, 1)) < 0.3
    x = np.where(flat, np.sign(x) * np.abs(x).max(axis=1, keepdims=True), x)
    far = 10.0 ** random.uniform(-2, 7, size=(count, 1)) * random.choice([0, 1, -1], (count, 1))
    x = x + far * np.abs(x).max(axis=1, keepdims=True)
    odd = random.random((count, width)) < 0.05
    x = np.where(odd, x * random.choice([1e-41, 1e-20, 1e10, 0.0], (count, width)), x)
    return np.asarray(x, dtype=np.float64)


def change(random: np.random.Generator, x: Floats) -> Floats:
    """Vectors near others: some numbers moved, all stretched, or the mean shifted."""
    shape = (len(x), 1)
    steps = 10.0 ** random.uniform(-8, 0, size=shape)
    moved = x * (1 + steps * random.normal(size=x.shape) * (random.random(x.shape) < 0.4))
    moved = moved * np.where(random.random(shape) < 0.3, random.uniform(0.5, 2, shape), 1.0)
    shift = np.where(random.random(shape) < 0.3, random.normal(size=shape), 0.0)
    return np.asarray(moved + shift * moved.std(axis=1, keepdims=True), dtype=np.float64)


def worst_ratio(
    hunt: Hunt, random: np.random.Generator, dtype: torch.dtype
) -> tuple[float, float, int]:
    """Largest distance from the centre, as a share of the radius, that a search finds.

    First that of exact inputs, where the radius is of rounding alone; then that of all; then how
    many finite radii there were.
    """
    rounding, best, count = 0.0, 0.0, 0
    x = draw(random, 300, hunt.width)
    for _ in range(6):
        points = torch.from_numpy(x).to(dtype)
        exact = points.double().numpy()
        # half of the points stand at the edge of a ball of some size
        away = random.normal(size=exact.shape)
        away *= (10.0 ** random.uniform(-9, -1, len(x)) * norm(exact) / norm(away))[:, None]
        away[random.random(len(x)) < 0.5] = 0.0
        centre = exact + away
        reach = norm(centre - exact)
        balls = hunt.in_balls(Ball(centre, np.where(reach > 0, reach * (1 + 1e-12), 0.0)))
        assert not np.isnan(balls.radius).any()
        ratio = np.zeros(len(x))
        finite = np.isfinite(balls.radius)
        for flush in (False, True):
            with flushing(flush):
                found = hunt.by_torch(points).double().numpy()
            off = np.full(len(x), 0.0)
            off[finite] = norm(found - balls.centre)[finite] / balls.radius[finite]
            ratio = np.maximum(ratio, off)
        count += int(finite.sum())
        best = max(best, float(ratio.max()))
        rounding = max(rounding, float(ratio[reach == 0].max(initial=0.0)))
        order = np.argsort(-ratio)
        parents = x[order[:30]]
        x = np.concatenate([change(random, np.repeat(parents, 9, axis=0)), parents])
    return rounding, best, count


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=["float32", "float64"])
@pytest.mark.parametrize("name", sorted(HUNTS))
def test_no_search_finds_a_point_outside_its_ball(name: str, dtype: torch.dtype) -> None:
    random = np.random.default_rng(7)
    rounding, best, count = 0.0, 0.0, 0
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        while count < 200_000:
            found = worst_ratio(HUNTS[name](random, dtype), random, dtype)
            rounding, best, count = max(rounding, found[0]), max(best, found[1]), count + found[2]
    print(f"{name} {dtype}: {count} bounds, {rounding:.4f} of rounding, {best:.7f} of all")
    assert 0.01 < rounding <= 1.0
    assert 0.9 < best <= 1.0


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=["float32", "float64"])
def test_no_search_over_networks_finds_a_vector_outside_its_ball(dtype: torch.dtype) -> None:
    """The weights that came nearest are changed, a few at a time."""
    random = np.random.default_rng(11)
    best, count = 0.0, 0
    for start in range(40):
        settings = settings_drawn(random) | {"memory": "continuous"}
        model = hostile(random, settings, [0.0, 0.1, 0.25][start % 3], dtype)
        here = -1.0
        first = chunks(random, settings["chunk_size"], SYMBOLS, 60)
        second = chunks(random, settings["chunk_size"], 60, 60)
        for _ in range(8):
            before = {name: w.clone() for name, w in model.state_dict().items()}
            if here >= 0:
                with torch.no_grad():
                    for parameter in model.parameters():
                        hit = torch.from_numpy(random.random(tuple(parameter.shape)) < 0.1)
                        step = torch.from_numpy(random.normal(size=tuple(parameter.shape)))
                        parameter.copy_(torch.where(hit, parameter * (1 + step), parameter))
            ratio, some = ratio_of(model, first, second)
            count += some
            best = max(best, ratio)
            if ratio >= here:
                here = ratio
            else:
                model.load_state_dict(before)
    print(f"networks {dtype}: {count} bounds, largest ratio {best:.3f}")
    assert 0.001 < best <= 1.0


def ratio_of(model: Any, first: Any, second: Any) -> tuple[float, int]:
    """Largest share of a radius that two levels use, and how many bounds there were."""
    best, count = 0.0, 0
    for kind in (Node, TightNode):
        node = kind(model.config.to_dict(), weights_of(model))
        below = node.gather(node.leaves(), first)
        levels = [(None, first, below)]
        with torch.no_grad():
            under = model.gather(model.leaf(torch.arange(SYMBOLS)), torch.from_numpy(first))
        levels.append((under, second, node.gather(below, second)))
        for points, children, image in levels:
            finite = np.isfinite(image.radius)
            for found in ran(model, points, children, ways=((1, 99),)):
                off = norm(found[finite] - image.centre[finite]) / image.radius[finite]
                best, count = max(best, off.max(initial=0.0)), count + len(off)
    return best, count
