"""The models by name: how each is built for a language, and how trained by default.

Entries are imported when they are first used, since each brings its network.
"""

from lengthwise.models.entry import Architecture, ModelEntry
from lengthwise.registry import Catalogue

_TREES = "lengthwise.models.tree_entries"
_RECURRENT = "lengthwise.models.recurrent_entries"
_MIXERS = "lengthwise.models.mixer_entries"
_TRANSFORMERS = "lengthwise.models.transformer_entries"

ARCHITECTURES: Catalogue[Architecture] = Catalogue(
    "architecture",
    {
        "regular-gpt": f"{_TREES}:REGULAR_GPT",
        "regular-gpt-slots": f"{_TREES}:STATE_SLOTS",
        "encoder": f"{_TRANSFORMERS}:ENCODER",
        "decoder": f"{_TRANSFORMERS}:DECODER",
        "causal-recogniser": f"{_TRANSFORMERS}:CAUSAL_RECOGNISER",
        "looped-recogniser": f"{_TRANSFORMERS}:LOOPED_RECOGNISER",
    },
)
"""Architectures that weights can be computed for (`constructions`) and stored."""

DEFAULT_MODEL = "regular-gpt-binary"


class ModelCatalogue(Catalogue[ModelEntry]):
    """The models by name, those of users by import path, `package.module:factory`, and those of
    transformers, `hf:CONFIG.json`."""

    def __getitem__(self, name: str) -> ModelEntry:
        if ":" not in name:
            return super().__getitem__(name)
        if name.startswith("hf:"):
            from lengthwise.models.hugging_face import hugging_face_entry  # noqa: PLC0415  an extra

            return hugging_face_entry(name)
        from lengthwise.models.custom import own_entry  # noqa: PLC0415  it imports ModelEntry

        return own_entry(name)

    def __contains__(self, name: object) -> bool:
        return (isinstance(name, str) and ":" in name) or super().__contains__(name)


MODELS: Catalogue[ModelEntry] = ModelCatalogue(
    "model",
    {
        "regular-gpt": f"{_TREES}:PLAIN",
        "regular-gpt-binary": f"{_TREES}:REGULAR_GPT_BINARY",
        "regular-gpt-rational": f"{_TREES}:REGULAR_GPT_RATIONAL",
        "regular-gpt-slots": f"{_TREES}:REGULAR_GPT_SLOTS",
        "elman": f"{_RECURRENT}:ELMAN",
        "elman-relu": f"{_RECURRENT}:ELMAN_RELU",
        "gru": f"{_RECURRENT}:GRU",
        "lstm": f"{_RECURRENT}:LSTM",
        "elman-binary": f"{_RECURRENT}:ELMAN_BINARY",
        "gru-binary": f"{_RECURRENT}:GRU_BINARY",
        "relu-binary": f"{_RECURRENT}:RELU_BINARY",
        "linear-attention": f"{_MIXERS}:LINEAR_ATTENTION",
        "retnet": f"{_MIXERS}:RETNET",
        "gla": f"{_MIXERS}:GLA",
        "deltanet": f"{_MIXERS}:DELTANET",
        "deltanet-negative": f"{_MIXERS}:DELTANET_NEGATIVE",
        "gated-deltanet": f"{_MIXERS}:GATED_DELTANET",
        "gated-deltanet-negative": f"{_MIXERS}:GATED_DELTANET_NEGATIVE",
        "deltaproduct": f"{_MIXERS}:DELTAPRODUCT",
        "rwkv7": f"{_MIXERS}:RWKV7",
        "mamba": f"{_MIXERS}:MAMBA",
        "mamba-negative": f"{_MIXERS}:MAMBA_NEGATIVE",
        "mamba2": f"{_MIXERS}:MAMBA2",
        "mamba2-negative": f"{_MIXERS}:MAMBA2_NEGATIVE",
        "mlstm": f"{_MIXERS}:MLSTM",
        "slstm": f"{_MIXERS}:SLSTM",
        "pd-ssm": f"{_MIXERS}:PD_SSM",
        "block-diagonal": f"{_MIXERS}:BLOCK_DIAGONAL",
        "ldru": f"{_MIXERS}:LDRU",
        "encoder-cls": f"{_TRANSFORMERS}:ENCODER_CLS",
        "chomsky-transformer": f"{_TRANSFORMERS}:CHOMSKY_TRANSFORMER",
        "universal-transformer": f"{_TRANSFORMERS}:UNIVERSAL_TRANSFORMER",
        "universal-transformer-log": f"{_TRANSFORMERS}:UNIVERSAL_TRANSFORMER_LOG",
        "decoder": f"{_TRANSFORMERS}:CAUSAL",
        "scratchpad": f"{_TRANSFORMERS}:SCRATCHPAD_DECODER",
        "scratchpad-window": f"{_TRANSFORMERS}:SCRATCHPAD_WINDOW",
    },
    group="lengthwise.models",
    expected=ModelEntry,
)
