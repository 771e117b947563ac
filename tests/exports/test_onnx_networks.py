"""A network in ONNX gives the logits that our own network gives, under onnxruntime."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
from torch import nn

import lengthwise as lw
from lengthwise.errors import ConfigError
from lengthwise.exports.format import Exported
from lengthwise.exports.onnx_file import Onnx
from lengthwise.models.binary_recurrent import BinaryRecurrent
from lengthwise.models.binary_recurrent_config import BinaryRecurrentConfig
from lengthwise.models.rational_gpt import RationalGPT
from lengthwise.models.rational_gpt_config import RationalGPTConfig
from lengthwise.models.recurrent import Recurrent, RecurrentConfig
from lengthwise.models.regular_gpt import RegularGPT, RegularGPTConfig

LENGTHS = (0, 1, 2, 3, 4, 5, 8, 9, 27, 40)
ALL: dict[str, Any] = {"vocab_size": 3, "num_classes": 4}
SMALL = ALL | {"d_model": 8, "num_heads": 2}
PLAIN_OPERATORS = {
    *("Add", "And", "Concat", "Div", "Equal", "Erf", "Expand", "Gather", "Greater"),
    *("GreaterOrEqual", "Identity", "LayerNormalization", "Loop", "MatMul", "Mod", "Mul", "Neg"),
    *("Or", "Range", "ReduceSum", "Relu", "Reshape", "Shape", "Sigmoid", "Softmax", "Split"),
    *("Squeeze", "Sub", "Tanh", "Transpose", "Unsqueeze", "Where"),
}


def session_of(content: bytes) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(content, options)


def tree(kind: type[RegularGPT] = RegularGPT, **settings: Any) -> nn.Module:
    config = RationalGPTConfig if kind is RationalGPT else RegularGPTConfig
    return kind(config(**SMALL, **settings))


MODELS: dict[str, Callable[[], Any]] = {
    "elman": lambda: Recurrent(RecurrentConfig(**ALL, cell="elman", d_model=7)),
    "elman-relu, 2 layers": lambda: Recurrent(
        RecurrentConfig(**ALL, cell="elman-relu", d_model=7, num_layers=2)
    ),
    "gru, 2 layers": lambda: Recurrent(RecurrentConfig(**ALL, cell="gru", d_model=7, num_layers=2)),
    "lstm": lambda: Recurrent(RecurrentConfig(**ALL, cell="lstm", d_model=7)),
    "lstm, 3 layers": lambda: Recurrent(
        RecurrentConfig(**ALL, cell="lstm", d_model=7, num_layers=3)
    ),
    "elman-binary": lambda: BinaryRecurrent(BinaryRecurrentConfig(**ALL, cell="elman", d_model=8)),
    "gru-binary": lambda: BinaryRecurrent(BinaryRecurrentConfig(**ALL, cell="gru", d_model=8)),
    "relu-binary": lambda: BinaryRecurrent(BinaryRecurrentConfig(**ALL, cell="relu", d_model=8)),
    "tree": tree,
    "tree of threes, pre, gelu": lambda: tree(chunk_size=3, norm="pre", activation="gelu"),
    "tree without pads": lambda: tree(chunk_size=4, pad="absent", norm="none"),
    "tree of 3 layers": lambda: tree(chunk_size=3, num_layers=3, pad="absent"),
    "tree of bits": lambda: tree(memory="binary", num_layers=2, norm="pre"),
    "rational tree": lambda: tree(RationalGPT, chunk_size=3, num_layers=2, pad="absent"),
}


@pytest.mark.parametrize(
    ("name", "double"),
    [(n, double) for n in MODELS for double in (False, True) if not ("gelu" in n and double)],
)  # onnxruntime has no Erf of float64
def test_logits_are_equal(name: str, *, double: bool) -> None:
    model = MODELS[name]()
    model.initialise(torch.Generator().manual_seed(3))
    with torch.no_grad():
        for parameter in model.parameters():  # no bias and no offset is 0
            generator = torch.Generator().manual_seed(parameter.numel())
            parameter.add_(torch.randn(parameter.shape, generator=generator), alpha=0.1)
    model.eval()
    if double:
        model.double()
    exported = Exported(language=lw.language("regex:[abc]*"), network=model, notes=("a note",))
    content = Onnx().content(exported)
    session = session_of(content)
    draw = np.random.default_rng(5)
    for length in LENGTHS:
        words = draw.integers(0, 3, (4, length))
        (found,) = session.run(["logits"], {"words": words})
        with torch.no_grad():
            expected = model(torch.tensor(words)).numpy()
        np.testing.assert_allclose(found, expected, atol=1e-12 if double else 2e-5)
    used = {node.op_type for node in _nodes(onnx.load_from_string(content).graph)}
    assert used <= PLAIN_OPERATORS


def test_the_file_names_symbols_classes_and_its_origin(tmp_path: Path) -> None:
    path = tmp_path / "network.onnx"
    lw.export("zoo:cycle-navigation-tiny", path)
    model = onnx.load(path)
    properties = {each.key: json.loads(each.value) for each in model.metadata_props}
    assert properties == {"symbols": ["0", "1", "2"], "classes": ["0", "1", "2", "3", "4"]}
    assert model.doc_string.startswith("The network of zoo:cycle-navigation-tiny.\n")
    assert "\nCertificate " in model.doc_string
    assert "A certificate does not cover this file" in model.doc_string
    assert [each.version for each in model.opset_import] == [17]
    first = path.read_bytes()
    lw.export("zoo:cycle-navigation-tiny", path)
    assert first == path.read_bytes()


def test_other_networks_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "network.onnx"
    with pytest.raises(ConfigError, match=r"a recurrent network or a RegularGPT, .* StateSlots\."):
        lw.export("zoo:d-12", path)
    run = lw.load("zoo:parity")
    run.model.bfloat16()
    with pytest.raises(ConfigError, match=r"this one has torch\.bfloat16\. Convert it"):
        lw.export(run, path)
    assert not path.exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    ["parity", "d-3-exact", "cycle-navigation-tiny", "s3-tiny", "parity-tiny"],
)
def test_equal_answers_on_words_of_all_lengths(name: str, tmp_path: Path) -> None:
    """10,000 words, 100 of each of 100 lengths from 0 to 2,000."""
    run = lw.load(f"zoo:{name}")
    lw.export(run, tmp_path / "network.onnx")
    session = session_of((tmp_path / "network.onnx").read_bytes())
    draw = np.random.default_rng(7)
    for length in (*range(10), *draw.integers(10, 2_001, 89), 2_000):
        words = draw.integers(0, run.language.num_symbols, (100, length))
        (logits,) = session.run(["logits"], {"words": words})
        with torch.no_grad():
            expected = run.model(torch.tensor(words)).argmax(dim=1)
        assert (logits.argmax(axis=1) == expected.numpy()).all()


def _nodes(graph: Any) -> list[Any]:
    inner = [
        node for each in graph.node for a in each.attribute if a.HasField("g") for node in a.g.node
    ]
    return [*graph.node, *inner]
