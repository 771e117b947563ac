"""Pretraining of a small GPT-2 on plain text, with the package's own loop.

It is saved in the format of transformers:

    DIR/config.json, model.safetensors, tokenizer.json ...   for `from_pretrained`
    DIR/training/                                            the run folder: settings, records

The objective is the next token of windows of the text; the last tenth of it is for validation.
"""

import hashlib
import math
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from lengthwise.data.extra import require_extra
from lengthwise.data.parts import TRAIN
from lengthwise.errors import RunError
from lengthwise.files import require_kinds
from lengthwise.settings import Config, Setting, require, sort_settings
from lengthwise.text.data.python_text import PYTHON_TEXT, python_text
from lengthwise.text.data.text_corpus import Corpus, Tokens
from lengthwise.text.data.tokens import encode, learn_tokenizer
from lengthwise.text.layers.token_loss import ReadOut
from lengthwise.text.models.backbones import BACKBONES, location
from lengthwise.text.models.gpt2 import draw_gpt2, gpt2_config
from lengthwise.text.problems.language_modelling.objective import NextToken, WindowsConfig
from lengthwise.training.autocast import Autocast, require_autocast
from lengthwise.training.devices import choose_device, environment
from lengthwise.training.distributed import require_alone
from lengthwise.training.loop import Progress, find_kept_record, fit
from lengthwise.training.runs import RunFolder
from lengthwise.training.settings import MixedTrainingConfig

if TYPE_CHECKING:
    from transformers import GPT2LMHeadModel


_MOST = 2**16


@dataclass(frozen=True, kw_only=True, slots=True)
class PretrainConfig(Config):
    """Shape of the backbone, and the windows that it reads at a step."""

    vocab_size: Annotated[int, Setting(most=_MOST)] = 1024
    """Number of tokens; the first 256 are the bytes."""
    d_model: Annotated[int, Setting(least=1, most=_MOST)] = 128
    num_layers: Annotated[int, Setting(least=1, most=_MOST)] = 4
    num_heads: Annotated[int, Setting(least=1)] = 4
    places: Annotated[int, Setting(least=1, most=_MOST)] = 512
    """Number of learned positions: the longest window that it can ever read."""
    window: Annotated[int, Setting(least=2)] = 256
    """Number of tokens of a window in training; positions past it keep their initial values."""
    batch_size: Annotated[int, Setting(least=1)] = 8

    def __post_init__(self) -> None:
        Config.__post_init__(self)
        require(
            self.d_model % self.num_heads == 0,
            f"d_model={self.d_model} cannot be split over num_heads={self.num_heads}. Use a "
            f"multiple.",
        )
        require(
            self.window <= self.places,
            f"window={self.window} is longer than places={self.places}. Lower it.",
        )


PRETRAINING: dict[str, Any] = {
    "steps": 3_000,
    "learning_rate": 1e-3,
    "schedule": "cosine",
    "warmup": 200,
    "validate_every": 500,
    "patience": 0,
}
"""Settings of the training loop, unless the user sets others."""


def pretraining(
    settings: Mapping[str, Any],
) -> tuple[PretrainConfig, MixedTrainingConfig]:
    """Return the two parts of some settings, which replace those of `PRETRAINING`.

    Raises:
        ConfigError: a setting is unknown, or does not fit.
    """
    kinds = (PretrainConfig, MixedTrainingConfig)
    parts = {kind.__name__: kind.__dataclass_fields__ for kind in kinds}
    shape, training = sort_settings({**PRETRAINING, **settings}, parts).values()
    return PretrainConfig.from_dict(shape), MixedTrainingConfig.from_dict(training)


def make_named(
    body: str,
    *,
    corpus: Path | None = None,
    half: Autocast = "none",
    progress: Progress | None = None,
) -> None:
    """Make a backbone of `BACKBONES` in its folder, unless it exists, or is on the hub.

    It is made of the English that ships with Python, or of the training part of a corpus that
    `prepare` made; `half` is the precision of matrix products.

    Raises:
        ConfigError: `transformers` or `tokenizers` is not installed, or the device cannot compute
            in that precision.
    """
    if BACKBONES[body].made_with is None or Path(location(body), "config.json").exists():
        return
    shape, loop = pretraining({**BACKBONES[body].pretraining(), "autocast": half})
    text, source = (python_text(), PYTHON_TEXT) if corpus is None else _text_of(corpus)
    pretrain(Path(location(body)), text, source, shape, loop, progress=progress)


_CHARACTERS = 2**27
"""Characters after which no further document of a corpus is read: 30 million tokens or more."""


def _text_of(folder: Path) -> tuple[str, str]:
    """Return the documents of the training part of a corpus, up to a size, and its sources."""
    corpus = Corpus.load(folder)
    sources = ", ".join(Path(source).name for source in corpus.index["sources"][TRAIN])
    text, left = StringIO(), _CHARACTERS
    for document in corpus.documents(TRAIN):
        left -= text.write(f"{document}\n")
        if left < 0:
            break
    return text.getvalue(), sources


def _read_out(model: nn.Module, tokens: Tensor) -> ReadOut:
    """Return the read-out of a GPT-2 of transformers for the next token at every position."""
    body, read_out = model.get_submodule("transformer"), model.get_submodule("lm_head")
    vectors = body(input_ids=tokens, use_cache=False).last_hidden_state
    assert isinstance(read_out, nn.Linear)
    return ReadOut(vectors, read_out.weight)


def objective(
    tokens: NDArray[np.int64], config: PretrainConfig, half: Autocast = "none"
) -> NextToken:
    """Return the objective: the next token at every position; the last tenth is for validation."""
    held_out = max(len(tokens) // 10, config.window + 1)
    return NextToken(
        Tokens([tokens[:-held_out]]),
        Tokens([tokens[-held_out:]]),
        WindowsConfig(window=config.window, batch_size=config.batch_size),
        _read_out,
        half=half,
    )


def pretrain(
    out: Path | str,
    text: str,
    source: str,
    config: PretrainConfig,
    loop: MixedTrainingConfig,
    *,
    device: str = "auto",
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Train a GPT-2 on a text, save it in `out`, and return the figures of the training.

    An interrupted training continues from its checkpoint, and one that has ended is not repeated.
    `source` is a description of where the text is from.

    Raises:
        ConfigError: `transformers` or `tokenizers` is not installed, or the device cannot compute
            in the precision of `autocast`.
        TextError: the text is too short.
        RunError: the folder holds something else, or the training of other settings.
    """
    require_extra("transformers")
    require_alone("pretraining")
    out = Path(out)
    folder = RunFolder(out / "training")
    if not folder.is_finished:
        require_autocast(choose_device(device), loop.autocast)
    tokenizer = learn_tokenizer([text], config.vocab_size)
    tokens = encode(tokenizer, text, least=20 * (config.window + 1))
    if out.exists() and not (out / "training").is_dir() and any(out.iterdir()):
        raise RunError(f"{out} exists and holds no pretraining. Use a new or empty folder.")
    learned = objective(tokens, config, loop.autocast)
    model = build_gpt2(config, tokenizer.get_vocab_size())
    folder.claim(
        {
            "pretraining": config.to_dict(),
            "loop": _as_stored(loop, folder),
            "text": {
                "source": source,
                "characters": len(text),
                "tokens": len(tokens),
                "sha256": hashlib.sha256(text.encode()).hexdigest(),
            },
            "environment": environment(device),
        }
    )
    draw_gpt2(model, config.num_layers, torch.Generator().manual_seed(loop.seed))
    with folder.lock():
        if not folder.is_finished:
            nn.Module.to(model, choose_device(device))
            fit(model, learned, loop, folder=folder, progress=progress)
        if not (out / "config.json").exists():
            model.load_state_dict({**model.state_dict(), **folder.weights()})
            _save(out, model.cpu(), tokenizer)
    return {
        **folder.config()["text"],
        "parameters": sum(p.numel() for p in model.parameters()),
        "steps": folder.metrics()[-1]["step"],
        "bits_per_token": find_kept_record(folder.metrics())["validation_loss"] / math.log(2),
    }


def _as_stored(loop: MixedTrainingConfig, folder: RunFolder) -> dict[str, Any]:
    """Return the settings of the loop; for a folder of an older version, without later defaults."""
    values = known = loop.to_dict()
    if folder.is_claimed:
        stored = folder.config()
        where = f"{folder.path}/config.json"
        require_kinds(stored, {"loop": "an object"}, where=where, remedy="Use a new folder.")
        known = {**stored["loop"], **loop.non_defaults()}
    return {name: value for name, value in values.items() if name in known}


def build_gpt2(config: PretrainConfig, vocab_size: int) -> "GPT2LMHeadModel":
    """Build the network with weights that are still to be drawn; input and output share theirs."""
    from transformers import GPT2LMHeadModel  # noqa: PLC0415

    return GPT2LMHeadModel(
        gpt2_config(
            vocab_size=vocab_size,
            n_positions=config.places,
            n_embd=config.d_model,
            n_layer=config.num_layers,
            n_head=config.num_heads,
        )
    )


def _save(out: Path, model: "GPT2LMHeadModel", tokenizer: Any) -> None:
    """Write the files to a temporary folder, and move them to `out`; `config.json` last."""
    from transformers import PreTrainedTokenizerFast  # noqa: PLC0415

    aside = out / "training" / "saved"
    shutil.rmtree(aside, ignore_errors=True)
    model.save_pretrained(aside)
    PreTrainedTokenizerFast(tokenizer_object=tokenizer).save_pretrained(aside)
    for path in sorted(aside.iterdir(), key=lambda path: path.name == "config.json"):
        with path.open("rb") as file:
            os.fsync(file.fileno())
        path.replace(out / path.name)
    aside.rmdir()
