"""Encoders: each word is as alone, and computing only what is read changes nothing."""

from functools import partial
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from bits import binary
from lengthwise.constructions.first import compile_confident_first, compile_scaled_normed_first
from lengthwise.constructions.parity import compile_normed_parity, compile_parity
from lengthwise.errors import ConfigError, WordError
from lengthwise.layers.attention import SCALES
from lengthwise.layers.encodings import FeaturePosition
from lengthwise.layers.positions import POSITIONS
from lengthwise.models.encoder import Encoder, EncoderConfig
from perturbed import perturb, random_tokens

VOCABULARY, LONGEST = 3, 12
PAD = -1


def make(seed: int = 0, **values: Any) -> Encoder:
    """A small model in float64 whose every weight is away from its initial value."""
    config = EncoderConfig(
        **{
            "vocab_size": VOCABULARY,
            "num_classes": 2,
            "max_length": LONGEST,
            "d_model": 8,
            "d_hidden": 5,
            "initial": "xavier",
            **values,
        }
    )
    return perturb(Encoder(config), 0.4, seed)


draw = partial(random_tokens, VOCABULARY)


def silence(model: Encoder, layer: int, *, alike: bool, idle: bool) -> None:
    """Make a layer's queries all alike, or its attention do nothing (but for biases)."""
    attention = model.block[layer].attention
    with torch.no_grad():
        if alike:
            attention.query.weight.zero_()
        if idle:
            attention.value.weight.zero_()


shapes = st.fixed_dictionaries(
    {
        "num_layers": st.integers(1, 3),
        "num_heads": st.sampled_from([1, 2, 4]),
        "head_width": st.sampled_from([0, 3]),
        "num_classes": st.sampled_from([1, 2, 3]),
        "norm": st.sampled_from(["post", "pre", "none"]),
        "epsilon": st.sampled_from([0.0, 1e-5, 1.0]),
        "position": st.sampled_from(sorted(POSITIONS)),
        "scale": st.sampled_from(sorted(SCALES)),
        "cls": st.sampled_from(["first", "last"]),
    }
)


# ---- one word ----------------------------------------------------------------------------------


@given(
    shape=shapes,
    lengths=st.lists(st.integers(0, LONGEST), min_size=1, max_size=5),
    room=st.integers(0, 2),
)
def test_words_of_several_lengths_are_as_alone(
    shape: dict[str, Any], lengths: list[int], room: int
) -> None:
    """Whatever stands left of a word in its row."""
    model, time = make(**shape), max(lengths) + room
    tokens = torch.full((len(lengths), time), PAD)
    words = [draw(1, length, seed=seed) for seed, length in enumerate(lengths)]
    for row, word in enumerate(words):
        tokens[row, time - word.shape[1] :] = word[0]

    together = model(tokens, torch.tensor(lengths))

    for row, word in enumerate(words):
        torch.testing.assert_close(together[row], model(word)[0], rtol=1e-9, atol=1e-9)


@given(shape=shapes, length=st.integers(1, LONGEST), data=st.data())
def test_every_symbol_counts(shape: dict[str, Any], length: int, data: st.DataObject) -> None:
    """What the tests of equality compare does depend on the word."""
    model = make(**shape)
    word = draw(1, length)
    place = data.draw(st.integers(0, length - 1))
    other = word.clone()
    other[:, place] = (word[:, place] + 1) % VOCABULARY
    assert not torch.allclose(model(word), model(other), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("position", sorted(POSITIONS))
def test_order_counts_exactly_if_there_are_positions(position: str) -> None:
    model = make(position=position)
    there, back = model(torch.tensor([[0, 1, 2, 2]])), model(torch.tensor([[2, 2, 1, 0]]))
    assert torch.allclose(there, back, rtol=1e-9) == (position == "none")


def test_cls_is_no_symbol() -> None:
    """The empty word has places to attend to, and an embedding of its own."""
    model = make()
    empty = model(torch.zeros(2, 0, dtype=torch.long))
    assert empty.shape == (2, 2)
    with torch.no_grad():
        model.embedding.weight[VOCABULARY] += 1.0
    assert not torch.allclose(model(torch.zeros(2, 0, dtype=torch.long)), empty)


@settings(max_examples=20)
@given(shape=shapes, length=st.integers(0, LONGEST))
def test_cls_at_the_end_reads_the_word_backwards(shape: dict[str, Any], length: int) -> None:
    """Which, since CLS is place 0 again, is all that the setting does."""
    last, first = (make(**{**shape, "cls": cls}) for cls in ("last", "first"))
    words = draw(3, length)
    torch.testing.assert_close(last(words), first(words.flip(1)), rtol=0, atol=0)


def test_the_number_of_places_counts_cls() -> None:
    """Section 2.2.1: n = |w| + 1 and CLS stands at place 0."""
    seen = []
    model = make(position="fraction")
    model.position.register_forward_hook(lambda *call: seen.append(call[1]))
    model(draw(1, 4))
    ((place, count),) = seen
    assert place.tolist() == [[0, 1, 2, 3, 4]]
    assert count.tolist() == [[5]]


@pytest.mark.parametrize("position", sorted(set(POSITIONS) - {"learned", "randomised-learned"}))
def test_lengths_never_trained_on_run(position: str) -> None:
    assert make(position=position)(draw(1, 300)).isfinite().all()


def test_learned_positions_end_at_the_longest_word() -> None:
    model = make(position="learned")
    assert model(draw(1, LONGEST)).isfinite().all()
    with pytest.raises(WordError, match="at most 13 places, but a word needs 14"):
        model(draw(1, LONGEST + 1))


# ---- classes -----------------------------------------------------------------------------------


@given(shape=shapes, length=st.integers(0, LONGEST))
def test_there_is_one_logit_for_each_class(shape: dict[str, Any], length: int) -> None:
    assert make(**shape)(draw(3, length)).shape == (3, shape["num_classes"])


def test_two_classes_are_one_number() -> None:
    """The probability of class 1 is the sigmoid of one read-out, as in the paper."""
    model = make()
    assert model.answer.weight.shape == (1, 8)
    vectors = torch.randn(5, 8, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    zero, number = model.read(vectors).unbind(1)
    assert not zero.any()
    torch.testing.assert_close(number, model.answer(vectors)[:, 0])


@pytest.mark.parametrize("norm", ["post", "pre", "none"])
def test_the_read_out_normalises_where_the_layers_do_not_at_their_end(norm: str) -> None:
    model = make(norm=norm)
    vectors = torch.randn(5, 8, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    larger = torch.allclose(model.read(vectors), model.read(3 * vectors), rtol=1e-4)
    assert larger == (norm == "pre")


def test_a_tie_means_class_0() -> None:
    model = make()
    nn.init.zeros_(model.answer.weight)
    nn.init.zeros_(model.answer.bias)
    assert model(draw(2, 3)).argmax(dim=1).tolist() == [0, 0]


# ---- computing less ----------------------------------------------------------------------------


@given(
    shape=shapes,
    lengths=st.lists(st.integers(0, LONGEST), min_size=1, max_size=3),
    alike=st.lists(st.booleans(), min_size=3, max_size=3),
    idle=st.lists(st.booleans(), min_size=3, max_size=3),
)
def test_computing_only_what_is_read_changes_nothing(
    shape: dict[str, Any], lengths: list[int], alike: list[bool], idle: list[bool]
) -> None:
    model = make(**shape)
    for layer in range(shape["num_layers"]):
        silence(model, layer, alike=alike[layer], idle=idle[layer])
    tokens, length = draw(len(lengths), max(lengths)), torch.tensor(lengths)
    torch.testing.assert_close(
        model(tokens, length),
        model(tokens, length, skip_unused_queries=False),
        rtol=1e-9,
        atol=1e-9,
    )


@pytest.mark.parametrize(
    "model",
    [
        compile_parity(),
        compile_normed_parity(),
        compile_confident_first(),
        compile_scaled_normed_first(),
    ],
)
def test_computing_only_what_is_read_changes_no_construction(model: Encoder) -> None:
    for length in range(8):
        words = binary(length)
        torch.testing.assert_close(
            model(words), model(words, skip_unused_queries=False), rtol=1e-12, atol=1e-14
        )


@pytest.mark.parametrize(
    ("alike", "idle", "queries", "outputs"),
    [
        ([], [], [7, 7, 1], [7, 7, 1]),
        ([0], [], [1, 7, 1], [7, 7, 1]),
        ([0, 1, 2], [], [1, 1, 1], [7, 7, 1]),
        ([], [2], [7, 1, 1], [7, 1, 1]),
        ([], [1], [7, 7, 1], [7, 7, 1]),
        ([], [1, 2], [1, 1, 1], [1, 1, 1]),
        ([0], [2], [1, 1, 1], [7, 1, 1]),
    ],
)
def test_no_more_places_are_computed_than_are_read(
    alike: list[int], idle: list[int], queries: list[int], outputs: list[int]
) -> None:
    model = make(num_layers=3)
    asked: list[int] = []
    computed: list[int] = []
    for number, layer in enumerate(model.block):
        silence(model, number, alike=number in alike, idle=number in idle)
        layer.attention.query.register_forward_hook(lambda *call: asked.append(call[2].shape[1]))
        layer.expand.register_forward_hook(lambda *call: computed.append(call[2].shape[1]))
    model(draw(2, 6))
    assert asked == queries
    assert computed == outputs


class Largest(TorchFunctionMode):
    """The numbers in the largest tensor that any call of torch gave back."""

    def __init__(self) -> None:
        super().__init__()
        self.numbers = 0

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        if isinstance(result, Tensor) and "expand" not in getattr(func, "__name__", ""):
            self.numbers = max(self.numbers, result.numel())
        return result


def largest(model: Encoder, length: int, *, skip_unused_queries: bool) -> int:
    with Largest() as mode, torch.no_grad():
        model(draw(1, length) % 2, skip_unused_queries=skip_unused_queries)
    return mode.numbers


@pytest.mark.parametrize(
    "model", [compile_parity(), compile_normed_parity(), compile_confident_first()]
)
def test_memory_of_a_construction_grows_with_the_length_not_its_square(model: Encoder) -> None:
    """Computing every query builds n times n weights for each head; skipping some never does."""
    heads, places = model.config.num_heads, 401
    assert largest(model, places - 1, skip_unused_queries=False) == heads * places**2
    assert largest(model, places - 1, skip_unused_queries=True) <= model.config.d_hidden * places


@pytest.mark.parametrize("position", sorted(POSITIONS))
def test_queries_that_stand_elsewhere_are_not_alike(position: str) -> None:
    """Places with one query for all still gather differently where attention knows the places."""
    model = make(position=position, num_layers=3)
    asked: list[int] = []
    for number, layer in enumerate(model.block):
        silence(model, number, alike=True, idle=False)
        layer.attention.query.register_forward_hook(lambda *call: asked.append(call[2].shape[1]))
    words, lengths = draw(3, LONGEST), torch.tensor([LONGEST, 5, 0])
    found = model(words, lengths)
    knows = POSITIONS[position].acts_in_attention
    assert asked == ([LONGEST + 1, LONGEST + 1, 1] if knows else [1, 1, 1])
    torch.testing.assert_close(
        found, model(words, lengths, skip_unused_queries=False), rtol=1e-9, atol=1e-9
    )


NOT_NEAR = {
    "fraction-early": "it grows with n",
    "hops": "where no position is 2^l back, a short format loses the content beside the bias",
}


@pytest.mark.slow_except(
    "dtype0-alibi",
    "dtype0-first",
    "dtype0-first-early",
    "dtype0-learned",
    "dtype1-alibi",
    "dtype1-first-early",
    "dtype1-fraction",
    "dtype1-kerple-log",
    "dtype1-kerple-power",
    "dtype1-learned",
    "dtype1-none",
    "dtype1-one-hot",
    "dtype1-randomised-learned",
    "dtype1-randomised-sinusoidal",
    "dtype1-recency",
    "dtype1-sinusoidal",
)
@pytest.mark.parametrize("position", sorted(set(POSITIONS) - set(NOT_NEAR)))
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_is_near(position: str, dtype: torch.dtype) -> None:
    """Also where short words stand beside long ones."""
    model = make(position=position, scale="log-length", max_length=300)
    words, lengths = draw(4, 300), torch.tensor([300, 0, 1, 17])
    exact, half = model(words, lengths), model.to(dtype)(words, lengths)
    assert half.dtype == dtype
    torch.testing.assert_close(half.double(), exact, rtol=0.2, atol=0.3)


@pytest.mark.parametrize("scale", sorted(SCALES))
@pytest.mark.parametrize("position", sorted(POSITIONS))
def test_every_weight_is_trained(position: str, scale: str) -> None:
    model = make(position=position, scale=scale).train()
    model(draw(3, 12), torch.tensor([12, 12, 7])).sin().sum().backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None, name
        # A bias of all keys of a query alike changes no attention.
        assert parameter.grad.any() or name.endswith("key.bias"), name


@pytest.mark.parametrize("position", ["randomised-sinusoidal", "randomised-learned"])
def test_positions_are_drawn_in_training_only(position: str) -> None:
    model, words = make(position=position, max_length=100), draw(3, 7)
    assert torch.equal(model(words), model(words))
    model.train()
    first, again, other = (
        model(words, generator=torch.Generator().manual_seed(seed)) for seed in (0, 0, 1)
    )
    assert torch.equal(first, again)
    assert not torch.isclose(first, other).all(dim=1).any()


def test_training_computes_all_queries() -> None:
    """Else weights that are zero by chance would get no gradient from most places."""
    model = make(num_layers=2).train()
    silence(model, 0, alike=True, idle=False)
    asked: list[int] = []
    model.block[0].attention.query.register_forward_hook(
        lambda *call: asked.append(call[2].shape[1])
    )
    model(draw(2, 6)).sum().backward()
    assert asked == [7]
    assert model.block[0].attention.query.weight.grad is not None


# ---- weights -----------------------------------------------------------------------------------


@settings(max_examples=20)
@given(shape=shapes)
def test_stored_weights_are_all_there_is(shape: dict[str, Any]) -> None:
    model, other = make(**shape), make(seed=1, **shape)
    if isinstance(model.position, FeaturePosition):
        model.position.directions.mul_(2.0)
    words = draw(3, 7)
    assert not torch.allclose(model(words), other(words))
    other.load_state_dict(model.state_dict())
    assert torch.equal(model(words), other(words))


def test_one_seed_gives_one_model() -> None:
    words = draw(3, 7)
    assert torch.equal(make(seed=3)(words), make(seed=3)(words))
    assert not torch.allclose(make(seed=3)(words), make(seed=4)(words))


def test_positions_and_scales_start_as_they_say() -> None:
    """KERPLE's numbers are uniform, and the scale is log n."""
    model = Encoder(
        EncoderConfig(vocab_size=2, num_classes=2, position="kerple-log", scale="learned-log")
    )
    model.initialise(torch.Generator().manual_seed(0))
    weights = dict(model.named_parameters())
    assert weights["position.p"].gt(0).all()
    assert weights["position.a"].gt(0).all()
    assert weights["position.p"].max() < 2
    assert weights["position.a"].max() < 1
    for layer in range(2):
        assert weights[f"layers.{layer}.attention.scale.factor"].tolist() == [1.0, 1.0]


def test_drawing_weights_is_as_it_was() -> None:
    """A seed of a published result gives the same network: the position comes second."""
    model = make(position="learned")
    model.initialise(torch.Generator().manual_seed(5))
    generator = torch.Generator().manual_seed(5)
    expected = [
        torch.empty(shape, dtype=torch.double).normal_(0.0, 8**-0.5, generator=generator)
        for shape in ((VOCABULARY + 1, 8), (LONGEST + 1, 8))
    ]
    assert torch.equal(model.embedding.weight, expected[0])
    assert torch.equal(dict(model.named_parameters())["position.vectors"], expected[1])


def test_the_defaults_are_those_of_the_experiments() -> None:
    """Section 5.1: 16 numbers, 64 hidden units, epsilon 1e-5; two layers and heads."""
    config = EncoderConfig(vocab_size=2, num_classes=2)
    assert (config.d_model, config.d_hidden, config.num_layers, config.num_heads) == (16, 64, 2, 2)
    assert (config.norm, config.epsilon, config.initial) == ("post", 1e-5, "torch")


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_epsilon_reaches_every_norm(norm: str) -> None:
    model = make(norm=norm, epsilon=0.25, num_layers=3)
    found = [m.eps for m in model.modules() if isinstance(m, nn.LayerNorm)]
    assert found == [0.25] * {"post": 6, "pre": 7}[norm]


@pytest.mark.parametrize(("head_width", "numbers"), [(0, 8), (3, 6)])
def test_heads_have_a_width_of_their_own_if_told(head_width: int, numbers: int) -> None:
    for layer in make(head_width=head_width, num_layers=2).block:
        assert layer.attention.query.weight.shape == (numbers, 8)


def test_the_scale_reaches_every_layer() -> None:
    model = make(scale="log-length", num_layers=2)
    assert {type(layer.attention.scale).__name__ for layer in model.block} == {"LogLengthScale"}


# ---- bad settings ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"vocab_size": 0}, "vocab_size=0 is too small. Use 1 or more."),
        ({"num_classes": 0}, "num_classes=0 is too small. Use 1 or more."),
        ({"num_layers": 0}, "num_layers=0 is too small. Use 1 or more."),
        ({"d_hidden": 0}, "d_hidden=0 is too small. Use 1 or more."),
        ({"head_width": -1}, "head_width=-1 is too small. Use 0 or more."),
        ({"max_length": -1}, "max_length=-1 is too small. Use 0 or more."),
        ({"epsilon": -0.1}, "epsilon=-0.1 is too small. Use 0 or more."),
        ({"epsilon": float("nan")}, "epsilon=nan is too small. Use 0 or more."),
        (
            {"d_model": 9},
            "d_model=9 cannot be split over num_heads=2. Use a multiple, or give head_width.",
        ),
        (
            {"norm": "past"},
            "norm='past' must be one of 'post', 'pre', 'none'.",
        ),
        (
            {"scale": "log"},
            "unknown attention scale 'log'. Known: standard, log-length, log-length-32, "
            "learned-log.",
        ),
        (
            {"position": "learnt"},
            f"unknown position 'learnt'. Did you mean 'learned'? Known: {', '.join(POSITIONS)}.",
        ),
        (
            {"initial": "tensorflow"},
            "unknown initialisation 'tensorflow'. Known: xavier, torch, torch-copies, "
            "torch-copies-small, haiku, mingpt.",
        ),
        ({"cls": "middle"}, "cls='middle' must be one of 'first', 'last'."),
        ({"layers": 2}, "unknown setting 'layers'. Did you mean 'num_layers'?"),
    ],
)
def test_what_cannot_be_built_is_refused_in_one_line(setting: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        EncoderConfig.from_dict({"vocab_size": 2, "num_classes": 2, **setting})
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("norm", ["post", "pre", "none"])
@pytest.mark.parametrize("position", sorted(POSITIONS))
def test_what_is_observed_is_what_is_computed(position: str, norm: str) -> None:
    model = make(position=position, norm=norm, num_layers=3).eval()
    words = draw(3, LONGEST)
    logits, weights = model.observe(words)
    torch.testing.assert_close(logits, model(words), rtol=1e-9, atol=1e-9)
    assert weights.shape == (3, 3, model.config.num_heads, LONGEST + 1)
    torch.testing.assert_close(weights.sum(dim=-1), torch.ones_like(weights[..., 0]))
