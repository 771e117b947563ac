"""The step function of scratchpads with windows against torch, in both precisions."""

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.errors import VerificationError
from lengthwise.models.threads import processor_threads
from lengthwise.proofs.check.arrays import ABSENT
from lengthwise.proofs.check.window_node import WindowNode
from lengthwise.proofs.search.network import weights_of
from ordinary import few
from proofs.windowed import random_scratchpad


def node_of(model: Any) -> WindowNode:
    return WindowNode(model.config.to_dict(), weights_of(model))


def contexts_for(model: Any, seed: int, count: int = 6) -> np.ndarray:
    """Random contexts, some of which begin inside; an absent token is before all present ones."""
    field, draw = model.config.receptive_field, np.random.default_rng(seed)
    tokens = draw.integers(0, model.embedding.num_embeddings, (count, field))
    present = draw.integers(1, field + 1, count)
    tokens[np.arange(field) < field - present[:, None]] = ABSENT
    return tokens


models = st.builds(
    random_scratchpad,
    st.integers(0, 10**6),
    num_layers=st.integers(1, 3),
    window=st.integers(2, 4),
    num_digits=st.integers(1, 2),
    norm=st.sampled_from(["pre", "post", "none"]),
    activation=st.sampled_from(["relu", "gelu"]),
    dtype=st.sampled_from([torch.float32, torch.float64]),
)


@settings(max_examples=few(10, 30), deadline=None)
@given(model=models, seed=st.integers(0, 2**32 - 1), scale=st.sampled_from([0.01, 1.0, 30.0]))
def test_logits_of_torch_are_within_their_radii(model: Any, seed: int, scale: float) -> None:
    """In float32 the weights are the same numbers, so torch in float64 is within them, too."""
    with torch.no_grad():
        model.embedding.weight.mul_(scale)
    node, contexts = node_of(model), contexts_for(model, seed)
    centre, radius = node.logits(contexts)
    given = torch.from_numpy(contexts)
    kept = (model, random_scratchpad(0, **_shape(model)))
    kept[1].load_state_dict(model.state_dict())
    with torch.no_grad():
        for network in kept:
            for threads in (1, 2):
                with processor_threads(threads):
                    found = network.logits(given).double().numpy()
                assert (np.abs(found - centre) <= radius).all()
        exact = kept[1].logits(given).numpy()
    slack = 1e-7 if scale < 30 else 1e-5
    np.testing.assert_allclose(centre, exact, rtol=slack, atol=slack)
    decided = node.step(contexts[:, :-1], contexts[:, -1])
    if (decided.distance > decided.radius).all():
        written = model.predict_token(given).numpy()
        assert np.array_equal(decided.values[:, -1], written)
        assert np.array_equal(decided.values[:, :-1], contexts[:, 2:])


def _shape(model: Any) -> dict[str, Any]:
    shape: dict[str, Any] = model.config.to_dict()
    return shape


@settings(max_examples=15, deadline=None)
@given(model=models)
def test_classes_and_the_start_are_those_of_torch(model: Any) -> None:
    node = node_of(model)
    tokens = np.arange(node.first_token, model.embedding.num_embeddings)
    decided = node.classes(tokens[:, None])
    with torch.no_grad():
        logits = model.read(torch.from_numpy(tokens)).double().numpy()
        written = model.predict_token(model.first_context).numpy()
    ordered = np.sort(logits, axis=1)
    assert np.abs(ordered[:, -1] - ordered[:, -2] - decided.distance).max() <= decided.radius.max()
    if (decided.distance > decided.radius).all():
        assert np.array_equal(decided.values, logits.argmax(axis=1))
    start = node.start()
    assert start.values.shape == (1, model.config.receptive_field - 1)
    if (start.distance > start.radius).all():
        assert start.values[0, -1] == written[0]


def test_radii_are_small_enough_to_prove_something() -> None:
    model = random_scratchpad(0, d_model=64, num_states=300, dtype=torch.float32)
    contexts = contexts_for(model, 0, 50)
    for network, most in ((model, 1.0), (model.double(), 1e-7)):
        assert node_of(network).logits(contexts)[1].max() < most


def test_numbers_that_overflow_have_no_finite_radius() -> None:
    model = random_scratchpad(0, norm="none", dtype=torch.float32)
    with torch.no_grad():
        model.layers[0].attention.query.weight.mul_(1e30)
        model.layers[0].attention.key_value.weight.mul_(1e30)
    assert not np.isfinite(node_of(model).logits(contexts_for(model, 0))[1]).any()


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"num_states": 6}, VerificationError, "the weights are not those of the settings"),
        ({"window": 3}, VerificationError, "the weights are not those of the settings"),
        ({"num_layers": 2}, VerificationError, "the weights are not those of the settings"),
        ({"norm": "most"}, VerificationError, "norm"),
    ],
)
def test_settings_and_weights_must_fit(change: Any, error: type[Exception], message: str) -> None:
    model = random_scratchpad(0)
    with pytest.raises(error, match=message):
        WindowNode({**model.config.to_dict(), **change}, weights_of(model))
