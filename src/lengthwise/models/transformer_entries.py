"""The entries of transformers: encoders, causal ones and scratchpads."""

from collections.abc import Mapping
from typing import Any

from lengthwise.models.causal_recogniser import CausalRecogniser, CausalRecogniserConfig
from lengthwise.models.decoder import Decoder, DecoderConfig
from lengthwise.models.encoder import Encoder, EncoderConfig
from lengthwise.models.entry import Architecture, ModelEntry
from lengthwise.models.looped_recogniser import LoopedRecogniser, LoopedRecogniserConfig
from lengthwise.models.scratchpad import Scratchpad, ScratchpadConfig
from lengthwise.models.universal import Universal, UniversalConfig
from lengthwise.models.window_scratchpad import WindowScratchpad
from lengthwise.models.window_scratchpad_config import WindowScratchpadConfig

ENCODER = Architecture(config=EncoderConfig, module=Encoder)
DECODER = Architecture(config=DecoderConfig, module=Decoder)
UNIVERSAL = Architecture(config=UniversalConfig, module=Universal)
CAUSAL_RECOGNISER = Architecture(config=CausalRecogniserConfig, module=CausalRecogniser)
LOOPED_RECOGNISER = Architecture(config=LoopedRecogniserConfig, module=LoopedRecogniser)
SCRATCHPAD = Architecture(config=ScratchpadConfig, module=Scratchpad)
WINDOW_SCRATCHPAD = Architecture(config=WindowScratchpadConfig, module=WindowScratchpad)


_SMALL = {"d_model": 16, "num_heads": 2}


def _transformer(
    architecture: Architecture,
    summary: str,
    *,
    objective: str = "final",
    training: Mapping[str, Any] | None = None,
    small: Mapping[str, Any] | None = None,
    paper: Mapping[str, Any] | None = None,
    fixed: tuple[str, ...] = (),
    **shape: Any,
) -> ModelEntry:
    """Return the entry of a transformer of a published shape, kept in all presets but `smoke`.

    `paper` is its shape in that preset, if it has another one there. One that sees the whole word
    from everywhere answers at its end only.
    """
    paper_shape = {**{name: shape[name] for name in ("d_model", "num_heads")}, **(paper or {})}
    return ModelEntry(
        summary=summary,
        architecture=architecture,
        defaults=shape,
        objective=objective,
        audited=False,
        training={"steps": 10_000, "learning_rate": 3e-4, **(training or {})},
        presets={
            "smoke": {**_SMALL, **(small or {})},
            "paper": {**paper_shape, "learning_rate": 3e-4},
        },
        fixed=frozenset(fixed),
    )


_STUDY: Mapping[str, Any] = {"d_model": 64, "num_heads": 8}
"""Width and heads of the transformers of the Chomsky-hierarchy study (Deletang et al. 2023)."""

_STUDY_ENCODER: Mapping[str, Any] = {
    **_STUDY,
    "d_hidden": 256,
    "norm": "post",
    "initial": "haiku",
    "cls": "last",
}


def _universal(summary: str, depth: str, num_steps: int, small: Mapping[str, Any]) -> ModelEntry:
    return _transformer(
        UNIVERSAL,
        summary,
        small={"d_hidden": 64, **small},
        fixed=("depth",),
        **_STUDY_ENCODER,
        depth=depth,
        num_steps=num_steps,
        position="sinusoidal",
    )


ENCODER_CLS = _transformer(
    ENCODER,
    "the encoder with CLS of Chiang and Cholak (2022)",
    d_model=16,
    num_heads=2,
    num_layers=2,
    d_hidden=64,
)

CHOMSKY_TRANSFORMER = _transformer(
    ENCODER,
    "the encoder of the Chomsky-hierarchy study, the Transformer of Table 1",
    small={"d_hidden": 64, "num_layers": 2},
    paper={"d_model": 256, "d_hidden": 1024},
    **_STUDY_ENCODER,
    num_layers=5,
    position="transformer-xl",
)

UNIVERSAL_TRANSFORMER = _universal(
    "one layer applied five times (Dehghani et al. 2019)", "fixed", 5, {"num_steps": 2}
)

UNIVERSAL_TRANSFORMER_LOG = _universal(
    "one layer applied ceil(log2 T) times to a word of T symbols", "log", 1, {}
)

CAUSAL = _transformer(
    CAUSAL_RECOGNISER,
    "a causal transformer like GPT-2, which answers at every position",
    small={"num_layers": 2},
    fixed=("selection",),
    **_STUDY,
    num_layers=5,
)

SCRATCHPAD_DECODER = _transformer(
    SCRATCHPAD,
    "a causal transformer that writes down every state, and answers by decoding",
    objective="states",
    training={"steps": 3_000, "learning_rate": 1e-3, "schedule": "cosine"},
    **_STUDY,
    num_layers=2,
)

SCRATCHPAD_WINDOW = ModelEntry(
    summary="a scratchpad with sliding-window attention, trained until it is proved right",
    architecture=WINDOW_SCRATCHPAD,
    objective="codebook",
    audited=True,
    training={"patience": 1},
)
