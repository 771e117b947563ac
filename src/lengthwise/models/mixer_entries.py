"""The entries of networks of sequence layers: one block, one shape and one training for all."""

from typing import Any

from lengthwise.models.entry import Architecture, ModelEntry
from lengthwise.models.mixer_stack import DeltaProductConfig, MixerStack, MixerStackConfig

MIXER_STACK = Architecture(config=MixerStackConfig, module=MixerStack)
DELTAPRODUCT_STACK = Architecture(config=DeltaProductConfig, module=MixerStack)


def _mixer(
    name: str, summary: str, architecture: Architecture = MIXER_STACK, **shape: Any
) -> ModelEntry:
    return ModelEntry(
        summary=summary,
        architecture=architecture,
        defaults={"mixer": name, **shape},
        objective="final",
        audited=False,
        training={"steps": 10_000, "learning_rate": 1e-3, "schedule": "cosine"},
        presets={"paper": {"learning_rate": 3e-4}},
        fixed=frozenset({"mixer"}),
    )


LINEAR_ATTENTION = _mixer("linear-attention", "linear attention (Katharopoulos et al. 2020)")

RETNET = _mixer("retnet", "RetNet: sums that decay and turn at a fixed pace (Sun et al. 2023)")

GLA = _mixer("gla", "gated linear attention (Yang et al. 2023)")

DELTANET = _mixer("deltanet", "DeltaNet with rates up to 1 (Schlag et al. 2021)")

DELTANET_NEGATIVE = _mixer(
    "deltanet-negative", "DeltaNet with rates up to 2, so negative eigenvalues (Grazzi et al. 2025)"
)

GATED_DELTANET = _mixer("gated-deltanet", "DeltaNet with decay, rates up to 1 (Yang et al. 2025)")

GATED_DELTANET_NEGATIVE = _mixer(
    "gated-deltanet-negative", "DeltaNet with decay, rates up to 2, so negative eigenvalues"
)

DELTAPRODUCT = _mixer(
    "deltaproduct",
    "DeltaProduct: steps are products of n reflections (Siems et al. 2025)",
    DELTAPRODUCT_STACK,
)

RWKV7 = _mixer("rwkv7", "RWKV-7's time mixing, a generalised delta rule (Peng et al. 2025)")

MAMBA = _mixer("mamba", "Mamba, a selective state space (Gu and Dao 2023)")

MAMBA_NEGATIVE = _mixer("mamba-negative", "Mamba with negative eigenvalues (Grazzi et al. 2025)")

MAMBA2 = _mixer("mamba2", "Mamba-2, a state space with a factor for each head (Dao and Gu 2024)")

MAMBA2_NEGATIVE = _mixer("mamba2-negative", "Mamba-2 with negative eigenvalues")

MLSTM = _mixer("mlstm", "mLSTM, an LSTM with a matrix as its cell (Beck et al. 2024)")

SLSTM = _mixer("slstm", "sLSTM, an LSTM with exponential gates (Beck et al. 2024)")

PD_SSM = _mixer("pd-ssm", "PD-SSM: numbers that move and are multiplied (Terzic et al. 2025)")

BLOCK_DIAGONAL = _mixer(
    "block-diagonal", "a matrix from the input for each block of the state (Fan et al. 2024)"
)

LDRU = _mixer("ldru", "LDRU: a tree of one learned operation over each prefix (Pert et al. 2026)")
