"""The entries of recurrent networks, with memory of numbers or of bits."""

from collections.abc import Mapping
from typing import Any

from lengthwise.models.binary_recurrent import BinaryRecurrent
from lengthwise.models.binary_recurrent_config import BinaryRecurrentConfig
from lengthwise.models.entry import Architecture, ModelEntry
from lengthwise.models.recurrent import Recurrent, RecurrentConfig

RECURRENT = Architecture(config=RecurrentConfig, module=Recurrent)
BINARY_RECURRENT = Architecture(config=BinaryRecurrentConfig, module=BinaryRecurrent)


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


ELMAN = _recurrent("elman", "Elman's recurrent network, the RNN of Table 1")

ELMAN_RELU = _recurrent(
    "elman-relu", "Elman's network with ReLU, as in the Chomsky-hierarchy study"
)

GRU = _recurrent("gru", "a recurrent network with gates (GRU)")

LSTM = _recurrent("lstm", "a recurrent network with gates and a cell of its own (LSTM)")

ELMAN_BINARY = _binary_recurrent(
    "elman", "Elman's network with binary memory, trained until it is proved right"
)

GRU_BINARY = _binary_recurrent("gru", "a GRU with binary memory, trained until it is proved right")

RELU_BINARY = _binary_recurrent(
    "relu",
    "Elman's network with ReLU and no norm: exact in rational arithmetic",
    training={"binary_places": 6},
)
