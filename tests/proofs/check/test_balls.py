"""Do balls hold what they should? Every operation, and whole nodes, against numbers and torch.

Axes:
    ball    balls of one call
    point   vectors drawn from one ball
    width   numbers in a vector
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.layers.memory import BinaryMemory
from lengthwise.models.regular_gpt import RegularGPT, RegularGPTConfig
from lengthwise.models.threads import processor_threads
from lengthwise.proofs.check.arrays import Integers
from lengthwise.proofs.check.balls import Arithmetic, Ball, Floats, Matrix, norm
from lengthwise.proofs.check.node import Node
from lengthwise.proofs.search.network import node_of
from proofs.draws import Draw, assert_inside, draws, points_of

SINGLE = 2.0**-24
FLOAT32 = Arithmetic.of("float32")
EXACT = Arithmetic.of("float64")
"""Of a network that runs in float64: radii are then what becomes of the radii of arguments."""

# ---- operations: the image of a ball lies in the ball ----------------------------------------


@given(draw=draws, factor=st.sampled_from([-3.0, 0.125, 1.7]))
def test_sums_and_multiples(draw: Draw, factor: float) -> None:
    x, y = draw.balls(), draw.balls()
    some, others = points_of(x, draw.random), points_of(y, draw.random)
    assert_inside(some + others, EXACT.add(x, y))
    assert_inside(some * factor, EXACT.scale(x, factor))
    assert_inside(some, EXACT.round(x))
    assert (x.bound_norms() >= norm(some).max(axis=0)).all()


@given(draw=draws, rows=st.integers(1, 9))
def test_matrices(draw: Draw, rows: int) -> None:
    x, matrix = draw.balls(), draw.matrix(rows)
    # the directions in which a matrix, and each of its rows, stretches most
    _, _, right = np.linalg.svd(matrix.weight)
    directions = np.concatenate([right[:1], matrix.weight / norm(matrix.weight)[:, None]])
    worst = x.centre + directions[:, None] * x.radius[:, None] * (1 - 1e-12)
    points = np.concatenate([points_of(x, draw.random), worst, 2 * x.centre - worst])
    values = points @ matrix.weight.T + matrix.bias
    assert_inside(values, EXACT.linear(x, matrix))
    centre, radius = EXACT.numbers(x, matrix)
    assert (np.abs(values - centre) <= radius).all()
    tight = x.radius[:, None] * norm(matrix.weight)
    assert (radius <= tight * (1 + 1e-6) + 1e-9 * (1 + np.abs(values).max())).all()


@given(draw=draws)
def test_activations(draw: Draw) -> None:
    x = draw.balls()
    points = points_of(x, draw.random)
    assert_inside(np.maximum(points, 0.0), EXACT.relu(x))
    gelu = torch.nn.functional.gelu(torch.from_numpy(points)).numpy()
    assert_inside(gelu, EXACT.gelu(x))


def test_gelu_where_it_is_steepest() -> None:
    for at in np.linspace(-3, 3, 61).tolist():
        x = Ball(np.array([[at]]), np.array([1e-3]))
        points = torch.linspace(at - 1e-3, at + 1e-3, 11, dtype=torch.float64)[1:-1, None, None]
        assert_inside(torch.nn.functional.gelu(points).numpy(), EXACT.gelu(x))


@given(draw=draws, shift=st.sampled_from([0.0, 3.0, 1e3]), flat=st.booleans())
def test_layer_norm(draw: Draw, shift: float, flat: bool) -> None:
    """Also of vectors that are nearly constant, whose deviation is little more than epsilon."""
    x = draw.balls()
    centre = x.centre * (1e-4 if flat else 1.0) + shift
    x = Ball(centre, x.radius * (1e-3 if flat else 1.0))
    weight, bias = draw.random.normal(size=(2, draw.width))
    points = points_of(x, draw.random)
    longer = points.astype(np.longdouble)
    centred = longer - longer.mean(axis=-1, keepdims=True)
    deviation = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + np.longdouble(1e-5))
    values = (centred / deviation * weight + bias).astype(np.float64)
    assert_inside(values, EXACT.layer_norm(x, weight, bias, 1e-5))


@pytest.mark.parametrize("deviation", [0.003, 0.03, 0.3])
@pytest.mark.parametrize("over", [0.5, 1.0, 1.5, 3.0])
def test_layer_norm_where_the_deviation_passes_zero(deviation: float, over: float) -> None:
    """There it is steepest, far steeper than at the centre."""
    direction = np.array([1.0, -1.0])
    x = Ball(deviation * direction[None], np.array([deviation * over * 2**0.5]))
    shares = np.linspace(1 - over, 1 + over, 101)[1:-1, None, None]
    points = shares * x.centre
    values = points / np.sqrt((points**2).mean(axis=-1, keepdims=True) + 1e-5)
    assert_inside(values, EXACT.layer_norm(x, np.ones(2), np.zeros(2), 1e-5))


@given(
    seed=st.integers(0, 2**32 - 1),
    places=st.integers(1, 4),
    scale=st.sampled_from([0.1, 3.0, 80.0]),
    radius=st.sampled_from([0.0, 1e-6, 0.1, 5.0]),
)
def test_softmax(seed: int, places: int, scale: float, radius: float) -> None:
    random = np.random.default_rng(seed)
    logits = random.normal(size=(6, places, 2)) * scale
    radii = radius * random.random((6, places, 2))
    present = random.random((6, places, 2)) < 0.7
    present[:, -1] = True
    weight, moved, relative = EXACT.softmax(logits, radii, present)
    assert 0 < relative < 1e-12
    np.testing.assert_allclose(weight.sum(axis=1), 1.0, rtol=1e-12)
    assert (weight[~present] == 0).all()
    assert (moved[~present] == 0).all()
    signs = [np.array(s)[None, :, None] for s in product([-1.0, 1.0], repeat=places)]
    offsets = [radii * s for s in signs]
    offsets += [radii * random.uniform(-1, 1, size=radii.shape) for _ in range(30)]
    for offset in offsets:
        moved_logits = np.where(present, logits + offset, -np.inf)
        power = np.exp(moved_logits - moved_logits.max(axis=1, keepdims=True))
        exact = power / power.sum(axis=1, keepdims=True)
        assert (np.abs(exact - weight) <= moved + relative * exact + 1e-15).all()


# ---- operations: rounding in the worst order -------------------------------------------------


def add_up(terms: Floats) -> np.float32:
    """Floats added one after the other, as a plain loop does."""
    total = np.float32(0.0)
    for term in terms.astype(np.float32):
        total = np.float32(total + term)
    return total


@pytest.mark.parametrize("width", [4, 64, 1024])
def test_rounding_of_sums_can_be_as_bad_as_allowed(width: int) -> None:
    """1 + t + t + ... with t half a unit: every addition loses all of t. No smaller radius does."""
    x = np.full(width, SINGLE)
    x[0] = 1.0
    ball = Ball(x[None], np.zeros(1))
    lost = abs(x.sum() - float(add_up(x)))
    assert lost == pytest.approx((width - 1) * SINGLE)
    matrix = Matrix(np.ones((1, width)))
    centre, radius = FLOAT32.numbers(ball, matrix)
    assert abs(float(add_up(x)) - centre[0, 0]) <= radius[0, 0]
    assert_inside(np.array([[[add_up(x)]]], dtype=np.float64), FLOAT32.linear(ball, matrix))
    assert radius[0, 0] < 3 * width**0.5 * lost


@pytest.mark.parametrize("scale", [1.0, 1e-3, 1e6])
def test_rounding_of_single_operations(scale: float) -> None:
    """Radii of exact vectors cover what float32 makes of elementwise operations."""
    single, random = FLOAT32, np.random.default_rng(0)
    x = (random.normal(size=(400, 6)) * scale).astype(np.float32)
    y = (random.normal(size=(400, 6)) * scale).astype(np.float32)
    left, right = (Ball(v.astype(np.float64), np.zeros(400)) for v in (x, y))
    assert_inside((x + y).astype(np.float64)[None], single.add(left, right))
    factor = 8**-0.5
    assert_inside((x * np.float32(factor)).astype(np.float64)[None], single.scale(left, factor))
    by_torch = torch.nn.functional.gelu(torch.from_numpy(x)).double().numpy()
    assert_inside(by_torch[None], single.gelu(left))
    for shift in (0.0, 10.0, 3000.0):
        moved = (x + np.float32(shift * scale)).astype(np.float32)
        ball = Ball(moved.astype(np.float64), np.zeros(400))
        weight, bias = random.normal(size=(2, 6)).astype(np.float32)
        normed = torch.nn.functional.layer_norm(
            torch.from_numpy(moved), (6,), torch.from_numpy(weight), torch.from_numpy(bias)
        )
        image = single.layer_norm(ball, weight.astype(float), bias.astype(float), 1e-5)
        assert_inside(normed.double().numpy()[None], image)


def test_gamma_is_highams_for_network_and_centre() -> None:
    for terms in (1, 10, 1000):
        expected = sum(terms * u / (1 - terms * u) for u in (SINGLE, 2.0**-53))
        assert FLOAT32.gamma(terms) == pytest.approx(expected, rel=1e-12)


def test_where_float32_overflows_no_radius_is_finite() -> None:
    """Numbers that float64 can hold and float32 cannot."""
    huge = Ball(np.full((1, 4), 1e38), np.zeros(1))
    assert np.isinf(FLOAT32.scale(huge, 8.0).radius).all()
    assert np.isinf(FLOAT32.add(FLOAT32.add(huge, huge), FLOAT32.add(huge, huge)).radius).all()
    many = Matrix(np.full((2, 4), 1e3))
    assert np.isinf(FLOAT32.linear(huge, many).radius).all()
    assert np.isinf(FLOAT32.numbers(huge, many)[1]).all()
    ones = np.ones(4)
    assert np.isinf(FLOAT32.layer_norm(huge, ones, ones, 1e-5).radius).all()
    small = Ball(np.array([[1.0, -1.0, 2.0, -2.0]]), np.zeros(1))
    assert np.isinf(FLOAT32.layer_norm(small, ones * 3e38, ones, 1e-5).radius).all()
    assert np.isfinite(FLOAT32.layer_norm(small, ones, ones, 1e-5).radius).all()


# ---- whole nodes -----------------------------------------------------------------------------

VOCABULARY = 4


def make(seed: int = 0, *, scale: float = 1.0, **values: Any) -> RegularGPT:
    """A float32 model whose every weight is away from its initial value."""
    settings = {"vocab_size": VOCABULARY, "num_classes": 3, "d_model": 16, "num_heads": 2}
    model = RegularGPT(RegularGPTConfig(**{**settings, "num_bits": 11, **values}))
    generator = torch.Generator().manual_seed(seed)
    model.initialise(generator)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.2 * torch.randn(parameter.shape, generator=generator))
            parameter.mul_(scale)
    return model.eval()


def children_of(chunk_size: int, below: int) -> Integers:
    """Chunks of every number of children, pads first; all of them, or many."""
    random = np.random.default_rng(0)
    rows = []
    for used in range(chunk_size + 1):
        chosen = random.integers(below, size=(16, used))
        rows.append(np.concatenate([np.full((16, chunk_size - used), -1), chosen], axis=1))
    return np.unique(np.concatenate(rows), axis=0)


SHAPES = [
    {"chunk_size": 2, "num_layers": 1, "norm": "post", "activation": "relu", "pad": "learned"},
    {"chunk_size": 3, "num_layers": 1, "norm": "post", "activation": "gelu", "pad": "absent"},
    {"chunk_size": 2, "num_layers": 2, "norm": "pre", "activation": "gelu", "pad": "learned"},
    {"chunk_size": 3, "num_layers": 2, "norm": "pre", "activation": "relu", "pad": "absent"},
    {"chunk_size": 3, "num_layers": 2, "norm": "none", "activation": "relu", "pad": "learned"},
    {"chunk_size": 2, "num_layers": 1, "norm": "none", "activation": "gelu", "pad": "absent"},
    {"chunk_size": 3, "num_layers": 2, "norm": "post", "activation": "gelu", "pad": "absent"},
    {"chunk_size": 2, "num_layers": 2, "norm": "post", "activation": "relu", "pad": "absent"},
    {"chunk_size": 2, "num_layers": 1, "norm": "pre", "activation": "relu", "pad": "learned"},
]


@pytest.fixture(params=SHAPES, ids=lambda shape: "-".join(map(str, shape.values())))
def shape(request: pytest.FixtureRequest) -> dict[str, Any]:
    chosen: dict[str, Any] = request.param
    return chosen


class Stages:
    """What a model makes of chunks of symbols, and of chunks of the vectors that come out."""

    def __init__(self, model: RegularGPT, dtype: torch.dtype) -> None:
        self.model = model.to(dtype)
        self.memory = self.model.memory
        self.dtype = dtype

    @torch.no_grad()
    def __call__(self, below: Floats | None, children: Integers) -> dict[str, Floats]:
        model = self.model
        leaves = model.leaf(torch.arange(VOCABULARY))
        under = leaves if below is None else torch.from_numpy(below).to(self.dtype)
        gathered = model.gather(under, torch.from_numpy(children))
        kept = self.memory(gathered)
        found = {"leaves": leaves, "gathered": gathered, "kept": kept, "logits": model.read(kept)}
        if isinstance(self.memory, BinaryMemory):
            found["numbers"] = self.memory.numbers(gathered)
        return {name: tensor.double().numpy() for name, tensor in found.items()}


def node_and_copy(model: RegularGPT) -> tuple[Node, Stages]:
    """The node function of the weights, and the same weights in a float64 model."""
    node = node_of(model)
    copy = RegularGPT(model.config)
    copy.load_state_dict(model.state_dict())
    return node, Stages(copy.eval(), torch.float64)


def through(node: Node, below: Ball, children: Integers) -> tuple[Ball, Ball]:
    """Gathered, and kept."""
    gathered = node.gather(below, children)
    if not node.is_binary:
        return gathered, gathered
    return gathered, node.recall(node.numbers(gathered)[0] >= 0)


@pytest.mark.slow_except(
    "2-1-none-gelu-absent-continuous",
    "2-1-post-relu-learned-binary",
    "2-1-post-relu-learned-continuous",
    "2-1-pre-relu-learned-continuous",
    "3-1-post-gelu-absent-binary",
    "3-1-post-gelu-absent-continuous",
)
@pytest.mark.parametrize("memory", ["binary", "continuous"])
def test_centres_are_the_network_in_float64(shape: dict[str, Any], memory: str) -> None:
    for seed, scale in ((0, 1.0), (1, 3.0)):
        node, exact = node_and_copy(make(seed, scale=scale, memory=memory, **shape))
        below: Ball = node.leaves()
        vectors: Floats | None = None
        np.testing.assert_allclose(
            below.centre,
            exact(None, children_of(node.chunk_size, VOCABULARY))["leaves"],
            atol=1e-12,
        )
        for _ in range(3):
            children = children_of(node.chunk_size, len(below.centre))
            found = exact(vectors, children)
            gathered, kept = through(node, below, children)
            size = 1.0 + float(np.abs(found["gathered"]).max())
            assert np.abs(gathered.centre - found["gathered"]).max() <= 1e-10 * size
            assert np.abs(kept.centre - found["kept"]).max() <= 1e-10 * size
            logits, _ = node.logits(kept)
            size = 1.0 + float(np.abs(found["logits"]).max())
            assert np.abs(logits - found["logits"]).max() <= 1e-10 * size
            if node.is_binary:
                numbers, _ = node.numbers(gathered)
                size = 1.0 + float(np.abs(found["numbers"]).max())
                assert np.abs(numbers - found["numbers"]).max() <= 1e-10 * size
            below, vectors = Ball(kept.centre, np.zeros(len(children))), found["kept"]


@pytest.mark.slow_except(
    "2-1-none-gelu-absent-0.001",
    "2-1-none-gelu-absent-0.1",
    "2-1-none-gelu-absent-1e-07",
    "2-1-none-gelu-absent-2.0",
    "2-1-post-relu-learned-0.001",
    "2-1-pre-relu-learned-0.001",
    "2-1-pre-relu-learned-0.1",
    "2-1-pre-relu-learned-1e-07",
    "2-1-pre-relu-learned-2.0",
    "3-2-none-relu-learned-1e-07",
)
@pytest.mark.parametrize("radius", [1e-7, 1e-3, 0.1, 2.0])
def test_nodes_map_points_of_balls_into_balls(shape: dict[str, Any], radius: float) -> None:
    """In float64 on both sides, so that only what becomes of the radii can hold the points."""
    for seed in range(2):
        model = make(seed, scale=1.5, memory="binary", **shape).double()
        node, exact = node_of(model), Stages(model, torch.float64)
        random = np.random.default_rng(seed)
        leaves = node.leaves()
        below = Ball(leaves.centre, radius * random.random(len(leaves.centre)))
        children = children_of(node.chunk_size, VOCABULARY)
        gathered = node.gather(below, children)
        numbers, doubt = node.numbers(gathered)
        logits, room = node.logits(gathered)  # as if memory were continuous
        for points in points_of(below, random, 25):
            found = exact(points, children)
            assert_inside(found["gathered"][None], gathered)
            assert (np.abs(found["numbers"] - numbers) <= doubt).all()
            with torch.no_grad():
                read = model.read(torch.from_numpy(found["gathered"])).numpy()
            assert (np.abs(read - logits) <= room).all()


def attention_alone(
    query: Floats, key: Floats, value: Floats, dtype: torch.dtype = torch.float64
) -> RegularGPT:
    """Two numbers, one head, no norm, an idle feed-forward network: x plus what is gathered."""
    config = RegularGPTConfig(
        vocab_size=VOCABULARY, num_classes=2, d_model=2, num_heads=1, ff_factor=1, norm="none"
    )
    model = RegularGPT(config).to(dtype)
    attention = model.block[0].attention
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
        attention.query.weight.copy_(torch.from_numpy(query))
        attention.key_value.weight.copy_(torch.from_numpy(np.concatenate([key, value])))
        attention.output.weight.copy_(torch.eye(2))
    return model.eval()


ONE, TWO = np.diag([1.0, 0.0]), np.diag([0.0, 1.0])
TURN = np.array([[0.0, 0.0], [1.0, 0.0]])


@pytest.mark.parametrize(
    ("matrices", "centre", "moves"),
    [
        # a key moves along a long query, where values are far apart
        ((0.1 * TURN, TWO, ONE), [[100.0, 0.0], [110.0, 0.0]], [[0.0, 1.0], [0.0, 0.0]]),
        # a query moves along the distance of keys
        ((np.eye(2), 0.1 * np.eye(2), 0.01 * TWO), [[5.0, 1e3], [5.0, 0.0]], [[0, 0], [0, 1.0]]),
        # values move together
        ((0.0 * ONE, 0.0 * ONE, 100.0 * np.eye(2)), [[1.0, 2.0], [3.0, 1.0]], [[0, 1.0], [0, 1.0]]),
        # one value moves
        ((0.0 * ONE, 0.0 * ONE, 100.0 * np.eye(2)), [[1.0, 2.0], [3.0, 1.0]], [[1.0, 0], [0, 0]]),
    ],
)
@pytest.mark.parametrize("size", [1e-6, 1e-4, 1e-2])
def test_each_way_in_which_attention_moves_is_within_the_radius(
    matrices: tuple[Floats, Floats, Floats],
    centre: list[list[float]],
    moves: list[list[float]],
    size: float,
) -> None:
    """In each case one part of the radius is needed nearly whole."""
    model = attention_alone(*matrices)
    node = node_of(model)
    below = Ball(np.array(centre), np.full(2, size))
    gathered = node.gather(below, np.array([[0, 1]]))
    stages = Stages(model, torch.float64)
    far = 0.0
    for sign in (1.0, -1.0):
        points = below.centre + sign * size * (1 - 1e-9) * np.array(moves)
        found = stages(points, np.array([[0, 1]]))["gathered"]
        assert_inside(found[None], gathered)
        far = max(far, float(norm(found - gathered.centre)[0]))
    assert far > 0.2 * gathered.radius[0]


def renumber(model: RegularGPT, seed: int) -> RegularGPT:
    """The same function with other orders of addition: hidden units and heads change places."""
    copy = RegularGPT(model.config)
    copy.load_state_dict(model.state_dict())
    generator = torch.Generator().manual_seed(seed)
    config = model.config
    heads, size = config.num_heads, config.d_model // config.num_heads
    with torch.no_grad():
        for layer in copy.block:
            order = torch.randperm(config.ff_factor * config.d_model, generator=generator)
            layer.expand.weight.copy_(layer.expand.weight[order])
            layer.expand.bias.copy_(layer.expand.bias[order])
            layer.contract.weight.copy_(layer.contract.weight[:, order])
            swap = torch.randperm(heads, generator=generator)
            inside = torch.stack([torch.randperm(size, generator=generator) for _ in swap])
            rows = (swap[:, None] * size + inside).flatten()
            attention = layer.attention
            attention.query.weight.copy_(attention.query.weight[rows])
            both = torch.cat([rows, rows + config.d_model])
            attention.key_value.weight.copy_(attention.key_value.weight[both])
            attention.output.weight.copy_(attention.output.weight[:, rows])
            attention.bias.copy_(attention.bias[swap])
    return copy.eval()


def ways_to_run(model: RegularGPT, count: int) -> Iterator[tuple[RegularGPT, list[slice], int]]:
    """Models, batches and threads whose answers are the same but for rounding."""
    whole = [slice(0, count)]
    yield model, whole, 1
    yield model, whole, 2
    yield model, [*(slice(i, i + 1) for i in range(12)), slice(12, count)], 1
    yield model, [slice(i, i + 7) for i in range(0, count, 7)], 1
    for seed in range(2):
        yield renumber(model, seed), whole, 1


@pytest.mark.slow_except(
    "2-1-none-gelu-absent-4.0",
    "2-1-post-relu-learned-1.0",
    "2-1-post-relu-learned-4.0",
    "2-1-pre-relu-learned-1.0",
    "2-1-pre-relu-learned-4.0",
    "3-1-post-gelu-absent-4.0",
)
@pytest.mark.parametrize("scale", [1.0, 4.0, pytest.param(30.0, marks=pytest.mark.slow)])
def test_what_torch_computes_in_float32_lies_within_the_radii(
    shape: dict[str, Any], scale: float
) -> None:
    model = make(5, scale=scale, memory="binary", d_model=32, **shape)
    node = node_of(model)
    codes = np.random.default_rng(0).random((9, 11)) < 0.5
    signs = torch.where(torch.from_numpy(codes), 1.0, -1.0)
    for below, number in ((node.leaves(), VOCABULARY), (node.recall(codes), 9)):
        children = children_of(node.chunk_size, number)
        gathered = node.gather(below, children)
        numbers, doubt = node.numbers(gathered)
        assert np.isfinite(doubt).all() or scale > 1 or shape["num_layers"] > 1
        largest = 0.0
        for other, batches, threads in ways_to_run(model, len(children)):
            memory = other.memory
            assert isinstance(memory, BinaryMemory)
            with processor_threads(threads), torch.no_grad():
                vectors = memory.norm(memory.read(signs))
                if number == VOCABULARY:
                    vectors = other.leaf(torch.arange(VOCABULARY))
                rows = torch.from_numpy(children)
                out = torch.cat([other.gather(vectors, rows[batch]) for batch in batches])
                signed = memory.numbers(out).double().numpy()
            assert_inside(vectors.double().numpy()[None], below)
            assert_inside(out.double().numpy()[None], gathered)
            assert (np.abs(signed - numbers) <= doubt).all()
            largest = max(largest, float(np.abs(signed - numbers).max()))
        assert largest > 0
    with torch.no_grad():
        answers = model.read(model.memory.norm(model.memory.read(signs)))  # type: ignore[operator]
    logits, room = node.logits(node.recall(codes))
    assert (np.abs(answers.double().numpy() - logits) <= room).all()


def test_radii_are_small_enough_to_be_of_use() -> None:
    """Of a network of the defaults' width, with weights about as large as after training."""
    model = make(0, memory="binary", d_model=64, num_heads=8, num_bits=24, chunk_size=2)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(0.6)
    node = node_of(model)
    numbers, doubt = node.numbers(node.gather(node.leaves(), children_of(2, VOCABULARY)))
    assert doubt.max() < 0.05
    assert doubt.max() < 0.2 * np.abs(numbers).mean()


def test_weights_of_other_types_have_their_own_rounding() -> None:
    radii = []
    for dtype in (torch.float32, torch.float64):
        node = node_of(make(0, memory="binary").to(dtype))
        radii.append(node.numbers(node.gather(node.leaves(), children_of(2, VOCABULARY)))[1])
    assert (radii[0] > 1e6 * radii[1]).all()


def test_squares_that_underflow_hide_no_rounding() -> None:
    """Rows of 1e-162 have a norm above 0, so a product of them with 1e152 is rounded, too."""
    random = np.random.default_rng(0)
    arithmetic = EXACT
    for _ in range(200):
        row = random.normal(size=16)
        vector = random.normal(size=16)
        vector -= (vector @ row) / (row @ row) * row
        row, vector = row * 1.2e-162, vector * 1e152
        ball = Ball(vector[None], np.zeros(1))
        centre, radius = arithmetic.numbers(ball, Matrix(row[None]))
        exact = sum(Fraction(a) * Fraction(b) for a, b in zip(row, vector, strict=True))
        assert abs(Fraction(float(centre[0, 0])) - exact) < Fraction(float(radius[0, 0]))
        assert radius[0, 0] > 0


def test_sums_of_too_many_terms_have_no_bound() -> None:
    """Where n u nears 1, gamma would be negative beyond it."""
    arithmetic = FLOAT32
    for terms in (2**22 + 10**6, 2**24 - 1, 2**24, 2**24 + 2, 2**40):
        assert arithmetic.gamma(terms) == np.inf
