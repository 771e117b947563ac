"""Small decoders, and words for them."""

from functools import partial
from typing import Any

from hypothesis import strategies as st

from lengthwise.layers.attention import SCALES
from lengthwise.layers.positions import POSITIONS
from lengthwise.models.decoder import Decoder, DecoderConfig
from perturbed import perturb, random_tokens

VOCABULARY = 3

LONGEST = 12

NORMS = ["post", "post-embedded", "pre", "none"]


def make(seed: int = 0, **values: Any) -> Decoder:
    """A small model in float64 whose every weight is away from its initial value."""
    config = DecoderConfig(
        **{"vocab_size": VOCABULARY, "max_length": LONGEST, "d_model": 8, "num_heads": 2, **values}
    )
    return perturb(Decoder(config), 0.4, seed)


draw = partial(random_tokens, VOCABULARY)

shapes = st.fixed_dictionaries(
    {
        "num_layers": st.integers(1, 3),
        "num_heads": st.sampled_from([1, 2, 4]),
        "head_width": st.sampled_from([0, 3]),
        "d_hidden": st.sampled_from([0, 5]),
        "norm": st.sampled_from(NORMS),
        "epsilon": st.sampled_from([0.0, 1e-5, 1.0]),
        "activation": st.sampled_from(["relu", "gelu"]),
        "position": st.sampled_from(sorted(POSITIONS)),
        "scale": st.sampled_from(sorted(SCALES)),
    }
)
