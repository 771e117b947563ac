"""Small RegularGPTs, and words for them."""

from functools import partial
from typing import Any

from hypothesis import strategies as st

from lengthwise.models.regular_gpt import RegularGPT, RegularGPTConfig
from perturbed import perturb, random_tokens

VOCABULARY = 3


def make(seed: int = 0, **values: Any) -> RegularGPT:
    """A small model in float64 whose every weight is away from its initial value."""
    config = RegularGPTConfig(
        **{"vocab_size": VOCABULARY, "num_classes": 4, "d_model": 8, "num_heads": 2, **values}
    )
    return perturb(RegularGPT(config), 0.2, seed)


draw = partial(random_tokens, VOCABULARY)

shapes = st.fixed_dictionaries(
    {
        "chunk_size": st.integers(2, 5),
        "num_layers": st.integers(1, 2),
        "pad": st.sampled_from(["learned", "absent"]),
        "norm": st.sampled_from(["post", "pre", "none"]),
        "activation": st.sampled_from(["relu", "gelu"]),
    }
)
