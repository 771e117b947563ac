"""The sequence layers by name.

A name with `-negative` is the same layer whose steps can have eigenvalues from -1 to 1, in place of
0 to 1 (Grazzi et al. 2025, arXiv 2411.12537).
"""

from collections.abc import Callable

from lengthwise.layers.mixers.linear_attention import LinearAttention
from lengthwise.layers.mixers.mixer import Mixer
from lengthwise.registry import Catalogue

MIXERS: Catalogue[Callable[..., Mixer]] = Catalogue(
    "sequence layer",
    {
        "linear-attention": LinearAttention,
    },
)
"""From the width of vectors, `num_heads=` and the settings that a layer has of its own."""
