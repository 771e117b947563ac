"""Initial weights of RegularGPT: their moments, by parameter."""

import math

import pytest
import torch

from lengthwise.models.regular_gpt import RegularGPT, RegularGPTConfig

WIDTH = 64
CUT = 0.8796
"""The deviation of N(0, 1) within -2..2."""


def drawn(initial: str) -> RegularGPT:
    shape = {"vocab_size": 200, "num_classes": 100, "d_model": WIDTH, "chunk_size": 100}
    model = RegularGPT(RegularGPTConfig.from_dict({**shape, "initial": initial}))
    model.initialise(torch.Generator().manual_seed(0))
    return model


@pytest.mark.parametrize("initial", ["xavier", "haiku"])
def test_biases_are_0_and_factors_1(initial: str) -> None:
    for name, weight in drawn(initial).named_parameters():
        if weight.ndim < 2 and name != "pad":
            assert (weight == (1.0 if name.endswith("norm.weight") else 0.0)).all(), name


def test_haiku_is_what_the_authors_code_draws() -> None:
    """Their offsets and pad are `RandomNormal(0.02)`, and the pad has no factor sqrt(width)."""
    model = drawn("haiku")
    for name, weight in model.named_parameters():
        if weight.ndim < 2:
            continue
        if name.endswith("attention.bias"):
            assert weight.std().item() == pytest.approx(0.02, rel=0.1), name
            assert weight.abs().max().item() > 0.05, name  # not cut at two deviations
            continue
        deviation = 0.02 if name == "embedding.weight" else weight.shape[1] ** -0.5
        assert weight.abs().max().item() <= 2 * deviation, name
        assert weight.std().item() == pytest.approx(CUT * deviation, rel=0.03), name
        assert abs(weight.mean().item()) < 0.03 * deviation, name
    leaves = model.leaf(torch.arange(200))
    assert leaves.std().item() == pytest.approx(CUT * 0.02 * math.sqrt(WIDTH), rel=0.03)
    read = model.pad * model.config.scale
    assert read.std().item() == pytest.approx(0.02, rel=0.3)


def test_xavier_is_uniform_and_symbols_have_deviation_1() -> None:
    model = drawn("xavier")
    for name, weight in model.named_parameters():
        if name.endswith("attention.bias"):
            assert (weight == 0).all()
        elif weight.ndim == 2 and name != "embedding.weight":
            bound = math.sqrt(6 / sum(weight.shape))
            assert 0.95 * bound < weight.abs().max().item() <= bound, name
    assert model.leaf(torch.arange(200)).std().item() == pytest.approx(1.0, rel=0.03)
    assert (model.pad * model.config.scale).std().item() == pytest.approx(1.0, rel=0.3)


def test_certificates_do_not_sign_how_weights_were_drawn() -> None:
    settings = {name: drawn(name).config.of_function() for name in ("xavier", "haiku")}
    assert settings["xavier"] == settings["haiku"]
    config = drawn("haiku").config
    assert config.to_dict() == {**settings["haiku"], "initial": "haiku"}
    assert RegularGPTConfig.from_dict(config.to_dict()) == config
    assert drawn("xavier").config.to_dict() == settings["xavier"]
