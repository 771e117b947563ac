"""The catalogue of position encodings: one class each, under one contract.

The contract is `Position`: vectors that are added to the embeddings, a transform of queries and
keys, and a bias on the logits. Read the catalogue to see what there is.
"""

from lengthwise.layers.biases import (
    AlibiPosition,
    KerpleLogPosition,
    KerplePowerPosition,
    T5Position,
)
from lengthwise.layers.encodings import (
    EarlyFirstPosition,
    EarlyFractionPosition,
    FirstPosition,
    FractionPosition,
    LearnedPosition,
    NoPosition,
    OneHotPosition,
    SinusoidalPosition,
)
from lengthwise.layers.layer_biases import HopPosition, RecencyPosition
from lengthwise.layers.position import Position
from lengthwise.layers.randomised import RandomisedLearnedPosition, RandomisedSinusoidalPosition
from lengthwise.layers.rotary import RotaryPosition
from lengthwise.layers.transformer_xl import TransformerXlPosition
from lengthwise.registry import Catalogue

POSITIONS: Catalogue[type[Position]] = Catalogue(
    "position",
    {
        "none": NoPosition,
        "learned": LearnedPosition,
        "sinusoidal": SinusoidalPosition,
        "one-hot": OneHotPosition,
        "fraction": FractionPosition,
        "fraction-early": EarlyFractionPosition,
        "first": FirstPosition,
        "first-early": EarlyFirstPosition,
        "transformer-xl": TransformerXlPosition,
        "t5": T5Position,
        "alibi": AlibiPosition,
        "kerple-log": KerpleLogPosition,
        "kerple-power": KerplePowerPosition,
        "recency": RecencyPosition,
        "hops": HopPosition,
        "rope": RotaryPosition,
        "randomised-sinusoidal": RandomisedSinusoidalPosition,
        "randomised-learned": RandomisedLearnedPosition,
    },
    group="lengthwise.positions",
    expected=Position,
)
