"""The models by name: how each is built for a language, and how trained by default."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lengthwise.models.binary_recurrent import BinaryRecurrent
from lengthwise.models.binary_recurrent_config import BinaryRecurrentConfig
from lengthwise.models.causal_recogniser import CausalRecogniser, CausalRecogniserConfig
from lengthwise.models.decoder import Decoder, DecoderConfig
from lengthwise.models.encoder import Encoder, EncoderConfig
from lengthwise.models.entry import Architecture, Entry
from lengthwise.models.looped_recogniser import LoopedRecogniser, LoopedRecogniserConfig
from lengthwise.models.rational_gpt import RationalGPT
from lengthwise.models.rational_gpt_config import RationalGPTConfig
from lengthwise.models.recurrent import Recurrent, RecurrentConfig
from lengthwise.models.regular_gpt import RegularGPT, RegularGPTConfig
from lengthwise.models.scratchpad import Scratchpad, ScratchpadConfig
from lengthwise.models.state_slots import StateSlots, StateSlotsConfig
from lengthwise.models.universal import Universal, UniversalConfig
from lengthwise.models.window_scratchpad import WindowScratchpad
from lengthwise.models.window_scratchpad_config import WindowScratchpadConfig
from lengthwise.registry import Catalogue

REGULAR_GPT = Architecture(config=RegularGPTConfig, module=RegularGPT)
RATIONAL_GPT = Architecture(config=RationalGPTConfig, module=RationalGPT)
ENCODER = Architecture(config=EncoderConfig, module=Encoder)
DECODER = Architecture(config=DecoderConfig, module=Decoder)
RECURRENT = Architecture(config=RecurrentConfig, module=Recurrent)
BINARY_RECURRENT = Architecture(config=BinaryRecurrentConfig, module=BinaryRecurrent)
UNIVERSAL = Architecture(config=UniversalConfig, module=Universal)
CAUSAL_RECOGNISER = Architecture(config=CausalRecogniserConfig, module=CausalRecogniser)
LOOPED_RECOGNISER = Architecture(config=LoopedRecogniserConfig, module=LoopedRecogniser)
STATE_SLOTS = Architecture(config=StateSlotsConfig, module=StateSlots)
SCRATCHPAD = Architecture(config=ScratchpadConfig, module=Scratchpad)
WINDOW_SCRATCHPAD = Architecture(config=WindowScratchpadConfig, module=WindowScratchpad)

ARCHITECTURES: Catalogue[Architecture] = Catalogue(
    "architecture",
    {
        "regular-gpt": REGULAR_GPT,
        "regular-gpt-slots": STATE_SLOTS,
        "encoder": ENCODER,
        "decoder": DECODER,
        "causal-recogniser": CAUSAL_RECOGNISER,
        "looped-recogniser": LOOPED_RECOGNISER,
    },
)
"""Architectures that weights can be computed for (`constructions`) and stored."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelEntry(Entry):
    """One way to build a network that classifies words: tokens and lengths to logits."""

    objective: str
    """What it learns from unless the user names another objective (`objectives.catalogue`)."""
    audited: bool
    """Whether it trains on `audited` words even where the paper's own distribution exists."""


def _recurrent(cell: str, summary: str) -> ModelEntry:
    return ModelEntry(
        summary=summary,
        architecture=RECURRENT,
        defaults={"cell": cell},
        objective="final",
        audited=False,
        training={"steps": 10_000, "learning_rate": 1e-3, "schedule": "cosine"},
        presets={"paper": {"d_model": 256, "learning_rate": 3e-4}},
        fixed=frozenset({"cell"}),
    )


def _binary_recurrent(
    cell: str,
    summary: str,
    training: Mapping[str, Any] | None = None,
) -> ModelEntry:
    return ModelEntry(
        summary=summary,
        architecture=BINARY_RECURRENT,
        defaults={"cell": cell},
        objective="codebook",
        audited=True,
        training={"patience": 1, **(training or {})},
        fixed=frozenset({"cell"}),
    )


_SMALL = {"d_model": 16, "num_heads": 2}


def _transformer(
    architecture: Architecture,
    summary: str,
    *,
    objective: str = "final",
    training: Mapping[str, Any] | None = None,
    small: Mapping[str, Any] | None = None,
    fixed: tuple[str, ...] = (),
    **shape: Any,
) -> ModelEntry:
    """Return the entry of a transformer of a published shape, kept in all presets but `smoke`.

    One that sees the whole word from everywhere answers at its end only.
    """
    own = {name: shape[name] for name in ("d_model", "num_heads")}
    return ModelEntry(
        summary=summary,
        architecture=architecture,
        defaults=shape,
        objective=objective,
        audited=False,
        training={"steps": 10_000, "learning_rate": 3e-4, **(training or {})},
        presets={"smoke": {**_SMALL, **(small or {})}, "paper": {**own, "learning_rate": 3e-4}},
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


DEFAULT_MODEL = "regular-gpt-binary"


class ModelCatalogue(Catalogue[ModelEntry]):
    """The models by name, and those of users by import path: `package.module:factory`."""

    def __getitem__(self, name: str) -> ModelEntry:
        if ":" not in name:
            return super().__getitem__(name)
        from lengthwise.models.own import own_entry  # noqa: PLC0415  it imports ModelEntry

        return own_entry(name)

    def __contains__(self, name: object) -> bool:
        return (isinstance(name, str) and ":" in name) or super().__contains__(name)


MODELS: Catalogue[ModelEntry] = ModelCatalogue(
    "model",
    {
        "regular-gpt": ModelEntry(
            summary="RegularGPT's own network: vectors as memory, the answer alone is supervised",
            architecture=REGULAR_GPT,
            defaults={"memory": "continuous"},
            objective="final",
            audited=False,
            training={"steps": 5_000, "learning_rate": 2e-3, "schedule": "cosine", "patience": 0},
        ),
        "regular-gpt-binary": ModelEntry(
            summary="RegularGPT with binary working memory, trained until it is proved right",
            architecture=REGULAR_GPT,
            defaults={"memory": "binary", "num_bits": 24, "noise": 0.2},
            objective="composition",
            audited=True,
            training={"patience": 1},
        ),
        "regular-gpt-rational": ModelEntry(
            summary="RegularGPT with ReLU attention and no norm: exact in rational arithmetic",
            architecture=RATIONAL_GPT,
            objective="codebook",
            audited=True,
            training={
                **{"steps": 3_000, "learning_rate": 5e-3, "schedule": "cosine", "patience": 1},
                **{"validate_every": 100, "binary_places": 6},
            },
        ),
        "regular-gpt-slots": ModelEntry(
            summary="RegularGPT with a slot of memory for each state: proved for any automaton",
            architecture=STATE_SLOTS,
            objective="maps",
            audited=True,
            training={
                **{"steps": 5_000, "learning_rate": 1e-2, "schedule": "cosine", "patience": 1},
                **{"validate_every": 100, "validation_words": 256},
            },
            presets={"paper": {"d_model": 256}},
        ),
        "elman": _recurrent("elman", "Elman's recurrent network, the RNN of Table 1"),
        "elman-relu": _recurrent(
            "elman-relu", "Elman's network with ReLU, as in the Chomsky-hierarchy study"
        ),
        "gru": _recurrent("gru", "a recurrent network with gates (GRU)"),
        "lstm": _recurrent("lstm", "a recurrent network with gates and a cell of its own (LSTM)"),
        "elman-binary": _binary_recurrent(
            "elman", "Elman's network with binary memory, trained until it is proved right"
        ),
        "gru-binary": _binary_recurrent(
            "gru", "a GRU with binary memory, trained until it is proved right"
        ),
        "relu-binary": _binary_recurrent(
            "relu",
            "Elman's network with ReLU and no norm: exact in rational arithmetic",
            training={"binary_places": 6},
        ),
        "encoder-cls": _transformer(
            ENCODER,
            "the encoder with CLS of Chiang and Cholak (2022)",
            d_model=16,
            num_heads=2,
            num_layers=2,
            d_hidden=64,
        ),
        "chomsky-transformer": _transformer(
            ENCODER,
            "the encoder of the Chomsky-hierarchy study, the Transformer of Table 1",
            small={"d_hidden": 64, "num_layers": 2},
            **_STUDY_ENCODER,
            num_layers=5,
            position="transformer-xl",
        ),
        "universal-transformer": _universal(
            "one layer applied five times (Dehghani et al. 2019)", "fixed", 5, {"num_steps": 2}
        ),
        "universal-transformer-log": _universal(
            "one layer applied ceil(log2 T) times to a word of T symbols", "log", 1, {}
        ),
        "decoder": _transformer(
            CAUSAL_RECOGNISER,
            "a causal transformer in the manner of GPT-2, which answers at every position",
            small={"num_layers": 2},
            fixed=("selection",),
            **_STUDY,
            num_layers=5,
        ),
        "scratchpad": _transformer(
            SCRATCHPAD,
            "a causal transformer that writes down every state, and answers by decoding",
            objective="states",
            training={"steps": 3_000, "learning_rate": 1e-3, "schedule": "cosine"},
            **_STUDY,
            num_layers=2,
        ),
        "scratchpad-window": ModelEntry(
            summary="a scratchpad with sliding-window attention, trained until it is proved right",
            architecture=WINDOW_SCRATCHPAD,
            objective="codebook",
            audited=True,
            training={"patience": 1},
        ),
    },
    group="lengthwise.models",
    expected=ModelEntry,
)
