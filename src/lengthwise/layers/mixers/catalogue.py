"""The sequence layers by name.

A name with `-negative` is the same layer whose steps can have eigenvalues from -1 to 1, in place of
0 to 1 (Grazzi et al. 2025, arXiv 2411.12537).
"""

from collections.abc import Callable
from functools import partial

from lengthwise.layers.mixers.block_diagonal import BlockDiagonal
from lengthwise.layers.mixers.deltanet import DeltaNet, DeltaProduct
from lengthwise.layers.mixers.gated_deltanet import GatedDeltaNet
from lengthwise.layers.mixers.gla import GatedLinearAttention
from lengthwise.layers.mixers.ldru import Ldru
from lengthwise.layers.mixers.linear_attention import LinearAttention
from lengthwise.layers.mixers.mamba import Mamba
from lengthwise.layers.mixers.mamba2 import Mamba2
from lengthwise.layers.mixers.mixer import Mixer
from lengthwise.layers.mixers.mlstm import MLstm
from lengthwise.layers.mixers.pd_ssm import PdSsm
from lengthwise.layers.mixers.retnet import Retention
from lengthwise.layers.mixers.rwkv7 import Rwkv7
from lengthwise.layers.mixers.slstm import SLstm
from lengthwise.registry import Catalogue

MIXERS: Catalogue[Callable[..., Mixer]] = Catalogue(
    "sequence layer",
    {
        "linear-attention": LinearAttention,
        "retnet": Retention,
        "gla": GatedLinearAttention,
        "deltanet": partial(DeltaNet, largest_rate=1.0),
        "deltanet-negative": partial(DeltaNet, largest_rate=2.0),
        "gated-deltanet": partial(GatedDeltaNet, largest_rate=1.0),
        "gated-deltanet-negative": partial(GatedDeltaNet, largest_rate=2.0),
        "deltaproduct": DeltaProduct,
        "rwkv7": Rwkv7,
        "mamba": Mamba,
        "mamba-negative": partial(Mamba, negative=True),
        "mamba2": Mamba2,
        "mamba2-negative": partial(Mamba2, negative=True),
        "mlstm": MLstm,
        "slstm": SLstm,
        "pd-ssm": PdSsm,
        "block-diagonal": BlockDiagonal,
        "ldru": Ldru,
    },
)
"""From the width of vectors, `num_heads=` and the settings that a layer has of its own."""
