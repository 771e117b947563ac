"""Networks of the library transformers, built from a configuration file: `hf:CONFIG.json`.

The file is the `config.json` of any model with vectors for tokens: `model_type` and sizes. Its
vocabulary becomes the symbols, a start and a pad; a linear map reads the last vector. A word is
read after the start, with pads right of it and an attention mask, since stock models number
positions, and stock recurrences read, from the left end of a row.

Axes:
    word      words of a batch
    position  positions of a row
    class     classes
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from lengthwise.data.extra import require_extra
from lengthwise.errors import ConfigError, RunError, in_a_line
from lengthwise.files import read_object
from lengthwise.layers.right_aligned import ClassLogits, FullWords, Lengths, Words
from lengthwise.models.common_settings import NumClasses, VocabSize
from lengthwise.models.custom import OwnEntry
from lengthwise.models.custom_network import Adapted, adapt
from lengthwise.models.entry import Architecture
from lengthwise.models.eval_mode import in_eval_mode
from lengthwise.models.meta_networks import undrawn
from lengthwise.models.transformer_config import NetworkConfig
from lengthwise.settings import Setting

PREFIX = "hf:"
"""What the name of such a model begins with."""


@dataclass(frozen=True, kw_only=True, slots=True)
class HuggingFaceConfig(NetworkConfig):
    """Settings of a network of transformers."""

    vocab_size: VocabSize
    num_classes: NumClasses
    config: Annotated[str, Setting(meaning="The configuration, as JSON.")]
    positions: Annotated[int, Setting(meaning="Rows of its table of positions, if any.")] = 0

    @property
    def reads_at_most(self) -> int | None:
        """The start symbol needs a position, too; some models skip two more."""
        return max(1, self.positions - 3) if self.positions else None


class HuggingFaceRecogniser(nn.Module):
    """Left-aligned words to the logits of their classes, by the vector at their ends."""

    def __init__(self, config: HuggingFaceConfig) -> None:
        super().__init__()
        self.body, width = _build_body(config)
        self.start = config.vocab_size
        self.answer = nn.Linear(width, config.num_classes)

    def forward(self, tokens: Words, lengths: Lengths) -> ClassLogits:
        """Return the logits of the class of each word; what follows a word is a pad."""
        places = torch.arange(tokens.shape[1] + 1, device=tokens.device)
        vectors = self._vectors(tokens, (places <= lengths[:, None]).long())
        return self.answer(vectors[torch.arange(len(tokens), device=tokens.device), lengths])

    def _vectors(self, tokens: Tensor, mask: Tensor) -> Float[Tensor, "word position width"]:
        """Return the vectors at the start and after each symbol."""
        first = tokens.new_full((len(tokens), 1), self.start)
        found = self.body(torch.cat([first, tokens], dim=1), attention_mask=mask, use_cache=False)
        vectors: Tensor = found.last_hidden_state
        return vectors


class CausalHuggingFace(HuggingFaceRecogniser):
    """One whose vectors depend on nothing that follows, so that it answers at every position."""

    def every_position(self, tokens: FullWords) -> Float[Tensor, "word position class"]:
        """Return the logits of every prefix of words that fill their rows."""
        mask = tokens.new_ones(len(tokens), tokens.shape[1] + 1)
        return self.answer(self._vectors(tokens, mask)[:, 1:])


def hugging_face_entry(name: str) -> OwnEntry:
    """Return the entry of a model that is named `hf:CONFIG.json`.

    Raises:
        MissingLibraryError: transformers is not installed.
        ConfigError: the file is not the configuration of a model.
    """
    require_extra("transformers", "hf")
    path = Path(name.removeprefix(PREFIX))
    try:
        values = read_object(path, remedy="Give the config.json of a model of transformers.")
    except RunError as error:
        raise ConfigError(str(error)) from None
    if not isinstance(values.get("model_type"), str):
        raise ConfigError(
            f"{path} has no model_type, so it is not a configuration of transformers. Add it, such "
            f'as "model_type": "gpt2".'
        )
    return _entry(json.dumps(values, sort_keys=True), values["model_type"], path)


@cache
def _entry(text: str, kind: str, path: Path) -> OwnEntry:
    sizes = HuggingFaceConfig(vocab_size=2, num_classes=2, config=text)
    with undrawn():
        body, _ = _build_body(sizes)
    return OwnEntry(
        summary=f"a {kind} of transformers, after {path}",
        architecture=Architecture(config=HuggingFaceConfig, module=_build),
        defaults={"config": text, "positions": _count_positions(body)},
        objective="final",
        audited=False,
        training={"steps": 10_000, "learning_rate": 1e-3, "schedule": "cosine"},
        fixed=frozenset({"config", "positions"}),
    )


def _build(config: HuggingFaceConfig) -> Adapted:
    """Build a network, and find out whether it answers at every position."""
    network = CausalHuggingFace(config)
    if not _is_causal(network):
        network.__class__ = HuggingFaceRecogniser  # type: ignore[assignment]
    return adapt(network, padding="right", pad_token=config.vocab_size + 1)


def _build_body(config: HuggingFaceConfig) -> tuple[nn.Module, int]:
    """Return the body that a configuration describes, and its width."""
    from transformers import AutoConfig, AutoModel  # noqa: PLC0415  an extra

    values: Mapping[str, Any] = json.loads(config.config)
    special = {"pad_token_id": config.vocab_size + 1, "bos_token_id": config.vocab_size}
    sizes = {"vocab_size": config.vocab_size + 2, **special, "eos_token_id": config.vocab_size}
    own = {k: v for k, v in values.items() if k not in ("model_type", "architectures", *sizes)}
    try:
        built = AutoConfig.for_model(values["model_type"], **own, **sizes)
        body: nn.Module = AutoModel.from_config(built)
    except Exception as error:  # each model raises its own
        raise ConfigError(
            f"transformers builds no {values['model_type']} of this configuration "
            f"({in_a_line(error)}). Correct it."
        ) from error
    return body, int(built.get_text_config().hidden_size)


def _count_positions(body: nn.Module) -> int:
    """Return the number of rows of a table of positions; 0 if there is none."""
    tables = (
        module.num_embeddings
        for name, module in body.named_modules()
        if isinstance(module, nn.Embedding) and ("pos" in name or "wpe" in name)
    )
    return min(tables, default=0)


@torch.no_grad()
def _is_causal(network: CausalHuggingFace) -> bool:
    """Tell whether the vectors at the beginning of two words are the same if their ends differ."""
    if next(network.parameters()).is_meta:
        return False
    tokens = torch.zeros(2, 4, dtype=torch.long)
    tokens[1, 3] = network.start - 1 or network.start
    with in_eval_mode(network):
        logits = network.every_position(tokens)
    first, second = logits[:, :3]
    return bool(torch.allclose(first, second, atol=1e-5))
