"""Initial weights: those of torch's own layer, of the study's library, and Xavier's."""

import math
from collections.abc import Iterator

import pytest
import torch
from torch import Tensor, nn

from lengthwise.errors import ConfigError
from lengthwise.models.decoder import Decoder, DecoderConfig
from lengthwise.models.encoder import Encoder, EncoderConfig
from lengthwise.models.initialisation import INITIALISATIONS

WIDTH, HIDDEN, SYMBOLS = 64, 192, 800


def draw(initial: str, seed: int = 0, num_layers: int = 1) -> Encoder:
    shape = {"d_model": WIDTH, "num_heads": 4, "d_hidden": HIDDEN, "num_layers": num_layers}
    config = EncoderConfig.from_dict(
        {"vocab_size": SYMBOLS - 1, "num_classes": 3, "position": "t5", "initial": initial, **shape}
    )
    model = Encoder(config)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.fill_(math.nan)  # so that nothing is left as it was made
    model.initialise(torch.Generator().manual_seed(seed))
    return model


def torch_weights() -> dict[str, Tensor]:
    """What torch draws by itself, under the names that the same weights have here."""
    with torch.random.fork_rng():
        torch.manual_seed(1)
        layer = nn.TransformerEncoderLayer(WIDTH, 4, HIDDEN, batch_first=True)
        embedding, answer = nn.Embedding(SYMBOLS, WIDTH), nn.Linear(WIDTH, 3)
    parts = {
        "attention.output": layer.self_attn.out_proj,
        "attention_norm.norm": layer.norm1,
        "expand": layer.linear1,
        "contract": layer.linear2,
        "feed_forward_norm.norm": layer.norm2,
    }
    found = {
        f"layers.0.{path}.{name}": weight
        for path, part in parts.items()
        for name, weight in part.state_dict().items()
    }
    joint = layer.self_attn.state_dict()
    for kind in ("weight", "bias"):
        for name, part in zip(
            ("query", "key", "value"), joint[f"in_proj_{kind}"].chunk(3), strict=True
        ):
            found[f"layers.0.attention.{name}.{kind}"] = part
    found["embedding.weight"] = embedding.weight.detach()
    found |= {f"answer.{name}": weight for name, weight in answer.state_dict().items()}
    return found


def own(model: Encoder) -> Iterator[tuple[str, Tensor]]:
    """The weights but for those of the position, which draws them itself."""
    for name, weight in model.named_parameters():
        if not name.startswith("position"):
            yield name, weight.detach()


def test_every_weight_is_drawn_as_by_torch() -> None:
    """Deviation and bound of each, and zeros and ones where torch has them."""
    theirs = torch_weights()
    ours = dict(own(draw("torch")))
    assert set(ours) == set(theirs)
    for name, weight in ours.items():
        other = theirs[name]
        assert weight.shape == other.shape, name
        if name == "answer.bias":  # three numbers say little of their bound
            assert 0 < weight.abs().max() <= WIDTH**-0.5
            continue
        near = 0.04 if weight.ndim == 2 else 0.25
        assert weight.std().item() == pytest.approx(other.std().item(), rel=near, abs=1e-9), name
        most = weight.abs().max().item()
        if name != "embedding.weight":
            assert most == pytest.approx(other.abs().max().item(), rel=near, abs=1e-9), name
        mean = other.mean().item()
        assert weight.mean().item() == pytest.approx(mean, abs=3 * (most + 0.1) / 64), name


def test_small_copies_have_queries_a_quarter_as_large() -> None:
    usual, small = dict(own(draw("torch-copies"))), dict(own(draw("torch-copies-small")))
    for name, weight in usual.items():
        factor = 0.25 if name.endswith("query.weight") else 1.0
        assert torch.equal(small[name], factor * weight), name
    assert any(name.endswith("query.weight") for name in usual)


def test_the_study_cuts_its_tails() -> None:
    model = draw("haiku")
    cut = 0.8796  # the deviation of N(0, 1) within -2..2
    for name, weight in own(model):
        if weight.ndim < 2:
            assert (weight == (1.0 if name.endswith("norm.weight") else 0.0)).all(), name
            continue
        deviation = 0.02 * 8 if name == "embedding.weight" else weight.shape[1] ** -0.5
        assert weight.abs().max().item() <= 2 * deviation, name
        near = 0.25 if name == "answer.weight" else 0.03  # it has 192 numbers
        assert weight.std().item() == pytest.approx(cut * deviation, rel=near), name


def test_xavier_is_uniform_and_biases_are_0() -> None:
    for name, weight in own(draw("xavier")):
        if name == "embedding.weight":
            assert weight.std().item() == pytest.approx(WIDTH**-0.5, rel=0.02)
        elif weight.ndim < 2:
            assert (weight == (1.0 if name.endswith("norm.weight") else 0.0)).all(), name
        else:
            bound = math.sqrt(6 / sum(weight.shape))
            assert 0.95 * bound < weight.abs().max().item() <= bound, name


def test_mingpt_is_normal_and_small() -> None:
    for name, weight in own(draw("mingpt", num_layers=2)):
        if weight.ndim < 2:
            assert (weight == (1.0 if name.endswith("norm.weight") else 0.0)).all(), name
            continue
        near = 0.2 if name == "answer.weight" else 0.05  # it has 192 numbers
        assert weight.std().item() == pytest.approx(0.02, rel=near), name
        assert weight.abs().max().item() > 2.2 * 0.02, name


@pytest.mark.parametrize(("initial", "deviation"), [("mingpt", 0.02), ("xavier", WIDTH**-0.5)])
def test_learned_positions_are_drawn_as_embeddings_are(initial: str, deviation: float) -> None:
    config = DecoderConfig(vocab_size=9, max_length=500, d_model=WIDTH, initial=initial)
    model = Decoder(config)
    model.initialise(torch.Generator().manual_seed(0))
    vectors = model.get_parameter("position.vectors")
    assert vectors.std().item() == pytest.approx(deviation, rel=0.03)
    assert model.embedding.weight.std().item() == pytest.approx(deviation, rel=0.1)


def test_an_unknown_manner_is_refused_by_decoders() -> None:
    with pytest.raises(ConfigError, match=r"unknown initialisation 'gpt3'.*mingpt"):
        DecoderConfig(vocab_size=2, max_length=3, initial="gpt3")


def layers_are_alike(model: nn.Module) -> bool:
    """Whether the second and third layer have every weight of the first."""
    weights = model.state_dict()
    return all(
        torch.equal(weights[name], weights[name.replace("layers.0.", f"layers.{number}.")])
        for name in weights
        if name.startswith("layers.0.")
        for number in (1, 2)
    )


def test_layers_are_copies_where_torch_copies_them() -> None:
    layer = nn.TransformerEncoderLayer(WIDTH, 4, HIDDEN, batch_first=True)
    assert layers_are_alike(nn.TransformerEncoder(layer, 3, enable_nested_tensor=False))
    assert layers_are_alike(draw("torch-copies", num_layers=3))
    assert not layers_are_alike(draw("torch", num_layers=3))
    one, first = dict(own(draw("torch"))), dict(own(draw("torch-copies", num_layers=3)))
    for name, weight in one.items():
        assert name.startswith("answer") or torch.equal(weight, first[name]), name


@pytest.mark.parametrize("initial", sorted(INITIALISATIONS))
def test_the_generator_decides_every_weight(initial: str) -> None:
    torch.manual_seed(0)
    one = draw(initial).state_dict()
    torch.manual_seed(1)
    same, other = draw(initial).state_dict(), draw(initial, seed=1).state_dict()
    for name, weight in one.items():
        assert weight.isfinite().all(), name
        assert torch.equal(weight, same[name]), name
        assert torch.equal(weight, other[name]) == (weight.std() == 0).item(), name
