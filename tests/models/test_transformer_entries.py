"""Transformers of published shapes, as they are printed."""

from typing import Any

import pytest

from lengthwise.models.recognisers import MODELS

STUDY = {"d_model": 64, "num_heads": 8}
"""Deletang et al. 2023."""


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        (
            "chomsky-transformer",
            {**STUDY, "d_hidden": 256, "num_layers": 5, "position": "transformer-xl"},
        ),
        ("universal-transformer", {**STUDY, "d_hidden": 256, "num_steps": 5, "depth": "fixed"}),
        ("encoder-cls", {"d_model": 16, "num_heads": 2, "num_layers": 2, "d_hidden": 64}),
        ("decoder", {**STUDY, "num_layers": 5}),
    ],
)
def test_shapes_are_the_published_ones_and_kept_in_the_paper_preset(
    name: str, shape: dict[str, Any]
) -> None:
    entry = MODELS[name]
    config = entry.configure({"vocab_size": 2, "num_classes": 2}).to_dict()
    assert {key: config[key] for key in shape} == shape
    width = {key: shape[key] for key in ("d_model", "num_heads")}
    if name == "chomsky-transformer":  # Table 4 of Chi et al. (2023) has another width
        width |= {"d_model": 256, "d_hidden": 1024}
    assert entry.presets["paper"] == {**width, "learning_rate": 3e-4}
    assert (entry.training["steps"], entry.training["learning_rate"]) == (10_000, 3e-4)
