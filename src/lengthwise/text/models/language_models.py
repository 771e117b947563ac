"""The language models, by name: how each is built for a corpus, and trained by default."""

from lengthwise.models.entry import Architecture, Entry
from lengthwise.registry import Catalogue
from lengthwise.text.models.gpt_lm import GPTLM, GPTLMConfig
from lengthwise.text.models.regular_gpt_lm import RegularGPTLM, RegularGPTLMConfig

DEFAULT_LANGUAGE_MODEL = "regular-gpt-lm"

_TRAINING = {
    **{"steps": 2_000, "learning_rate": 1e-3, "schedule": "cosine", "warmup": 100},
    **{"validate_every": 250, "patience": 0},
}

LANGUAGE_MODELS: Catalogue[Entry] = Catalogue(
    "language model",
    {
        "regular-gpt-lm": Entry(
            summary="RegularGPT: dilated attention, as many levels as the text needs",
            architecture=Architecture(config=RegularGPTLMConfig, module=RegularGPTLM),
            training=_TRAINING,
        ),
        "gpt-lm": Entry(
            summary="a transformer that sees all of its context, with a position of your choice",
            architecture=Architecture(config=GPTLMConfig, module=GPTLM),
            training=_TRAINING,
        ),
    },
    group="lengthwise.language_models",
    expected=Entry,
)
