"""Networks of transformers: answers of words alone and among others, and what is refused."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch

from lengthwise.errors import ConfigError
from lengthwise.models.custom_network import Adapted
from lengthwise.models.recognisers import MODELS

pytest.importorskip("transformers")

SIZES = {"vocab_size": 3, "num_classes": 4}
CONFIGS: dict[str, dict[str, Any]] = {
    "gpt2": {"n_embd": 8, "n_layer": 1, "n_head": 2, "n_positions": 32},
    "bert": {
        **{"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2},
        **{"intermediate_size": 16, "max_position_embeddings": 32},
    },
    "mamba": {"hidden_size": 8, "num_hidden_layers": 1, "state_size": 4},
}
WORDS = [[0, 1, 2, 2, 1], [2], [], [1, 1, 0]]


def name_of(folder: Path, kind: str, **more: Any) -> str:
    path = folder / f"{kind}.json"
    path.write_text(json.dumps({"model_type": kind, "vocab_size": 99, **CONFIGS[kind], **more}))
    return f"hf:{path}"


def drawn(name: str) -> Adapted:
    entry = MODELS[name]
    model = entry.draw_from(entry.configure(SIZES), 1)
    assert isinstance(model, Adapted)
    return model.eval()


def ask(model: Adapted, words: Sequence[Sequence[int]]) -> torch.Tensor:
    longest = max(map(len, words))
    rows = [[-1] * (longest - len(word)) + list(word) for word in words]
    lengths = torch.tensor([len(word) for word in words])
    with torch.no_grad():
        return model(torch.tensor(rows, dtype=torch.long).view(len(words), longest), lengths)


@pytest.mark.parametrize("kind", list(CONFIGS))
def test_a_word_among_others_is_answered_as_it_is_alone(tmp_path: Path, kind: str) -> None:
    model = drawn(name_of(tmp_path, kind))
    alone = torch.cat([ask(model, [word]) for word in WORDS])
    torch.testing.assert_close(ask(model, WORDS), alone, atol=1e-5, rtol=1e-5)
    assert alone.shape == (4, 4)


@pytest.mark.parametrize(("kind", "is_causal"), [("gpt2", True), ("mamba", True), ("bert", False)])
def test_causal_ones_answer_at_every_position_and_others_do_not(
    tmp_path: Path, kind: str, is_causal: bool
) -> None:
    model = drawn(name_of(tmp_path, kind))
    assert model.answers_everywhere == is_causal
    if is_causal:
        (word,) = tokens = torch.tensor([[0, 1, 2, 2, 1]])
        prefixes = torch.cat([ask(model, [word[:n].tolist()]) for n in range(1, 6)])
        with torch.no_grad():
            every = model.every_prefix(tokens)[0]
        torch.testing.assert_close(every, prefixes, atol=1e-5, rtol=1e-5)


def test_a_table_of_positions_limits_the_words(tmp_path: Path) -> None:
    entry = MODELS[name_of(tmp_path, "gpt2")]
    most = entry.configure(SIZES).reads_at_most
    assert most == 29
    assert len(ask(drawn(name_of(tmp_path, "gpt2")), [[0] * most])) == 1
    assert MODELS[name_of(tmp_path, "mamba")].configure(SIZES).reads_at_most is None


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("{", "config.json of a model"),
        ("{}", "has no model_type"),
        ('{"model_type": "gpt9"}', "builds no gpt9"),
        ('{"model_type": "gpt2", "n_embd": 7, "n_head": 2}', "builds no gpt2"),
    ],
)
def test_other_files_are_refused_in_one_line(tmp_path: Path, written: str, message: str) -> None:
    (tmp_path / "own.json").write_text(written)
    with pytest.raises(ConfigError, match=message) as slip:
        MODELS[f"hf:{tmp_path / 'own.json'}"]
    assert "\n" not in str(slip.value)


def test_a_missing_file_is_named() -> None:
    with pytest.raises(ConfigError, match=r"nowhere\.json"):
        MODELS["hf:nowhere.json"]
