"""The models that translate, by name: how each is built for a corpus, and trained by default."""

from lengthwise.models.entry import Architecture, Entry
from lengthwise.registry import Catalogue
from lengthwise.text.models.encoder_decoder import EncoderDecoder, EncoderDecoderConfig

DEFAULT_TRANSLATION_MODEL = "encoder-decoder"

TRANSLATION_MODELS: Catalogue[Entry] = Catalogue(
    "translation model",
    {
        DEFAULT_TRANSLATION_MODEL: Entry(
            summary="a transformer that reads a sentence and writes another",
            architecture=Architecture(config=EncoderDecoderConfig, module=EncoderDecoder),
            training={
                **{"steps": 4_000, "learning_rate": 2e-3, "schedule": "cosine", "warmup": 400},
                **{"validate_every": 400, "patience": 0},
            },
        )
    },
    group="lengthwise.translation_models",
    expected=Entry,
)
