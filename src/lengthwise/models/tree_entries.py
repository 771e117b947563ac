"""The entries of networks of trees: RegularGPT and its kind."""

from lengthwise.models.entry import Architecture, ModelEntry
from lengthwise.models.rational_gpt import RationalGPT
from lengthwise.models.rational_gpt_config import RationalGPTConfig
from lengthwise.models.regular_gpt import RegularGPT, RegularGPTConfig
from lengthwise.models.state_slots import StateSlots, StateSlotsConfig

REGULAR_GPT = Architecture(config=RegularGPTConfig, module=RegularGPT)
RATIONAL_GPT = Architecture(config=RationalGPTConfig, module=RationalGPT)
STATE_SLOTS = Architecture(config=StateSlotsConfig, module=StateSlots)

PLAIN = ModelEntry(
    summary="RegularGPT's own network: vectors as memory, the answer alone is supervised",
    architecture=REGULAR_GPT,
    defaults={"memory": "continuous"},
    objective="final",
    audited=False,
    training={"steps": 5_000, "learning_rate": 2e-3, "schedule": "cosine", "patience": 0},
)

REGULAR_GPT_BINARY = ModelEntry(
    summary="RegularGPT with binary working memory, trained until it is proved right",
    architecture=REGULAR_GPT,
    defaults={"memory": "binary", "num_bits": 24, "noise": 0.2},
    objective="composition",
    audited=True,
    training={"patience": 1},
)

REGULAR_GPT_RATIONAL = ModelEntry(
    summary="RegularGPT with ReLU attention and no norm: exact in rational arithmetic",
    architecture=RATIONAL_GPT,
    objective="codebook",
    audited=True,
    training={
        **{"steps": 3_000, "learning_rate": 5e-3, "schedule": "cosine", "patience": 1},
        **{"validate_every": 100, "binary_places": 6},
    },
)

REGULAR_GPT_SLOTS = ModelEntry(
    summary="RegularGPT with a slot of memory for each state: proved for any automaton",
    architecture=STATE_SLOTS,
    objective="maps",
    audited=True,
    training={
        **{"steps": 5_000, "learning_rate": 1e-2, "schedule": "cosine", "patience": 1},
        **{"validate_every": 100, "validation_words": 256},
    },
    presets={"paper": {"d_model": 256}},
)
