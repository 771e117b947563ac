"""The vocabulary of network settings: each shared setting is declared, documented and checked once.

A network's settings class lists the settings that it has, each with a type of this module and with
the default of its paper, so that the meaning and the limits of `d_model` are the same everywhere.
`check_settings` is the one check. No torch here: certificates are checked without it.
"""

from typing import Annotated, Literal

from lengthwise.settings import Setting

MOST_LAYERS = 2**12
"""Greatest number of layers: they are made one by one, and more of them take minutes."""

_NORM = Setting(meaning="Where a residual branch is normalised.")
CausalNorm = Annotated[Literal["post", "post-embedded", "pre", "none"], _NORM]
Norm = Annotated[Literal["post", "pre", "none"], _NORM]
"""For networks that do not normalise embeddings."""
TextNorm = Annotated[Literal["pre", "post"], _NORM]
Activation = Annotated[
    Literal["relu", "gelu"], Setting(meaning="Nonlinearity of the feed-forward networks.")
]
VocabSize = Annotated[int, Setting(meaning="Number of different symbols that are read.", least=1)]
NumClasses = Annotated[int, Setting(meaning="Number of classes of words.", least=1)]
Width = Annotated[int, Setting(meaning="Width of the vector of a position.", letter="d", least=1)]
NumHeads = Annotated[int, Setting(meaning="Attention heads of a layer.", letter="H", least=1)]
NumLayers = Annotated[
    int, Setting(meaning="Layers, one after the other.", letter="L", least=1, most=MOST_LAYERS)
]
HeadWidth = Annotated[
    int,
    Setting(meaning="Width of a head's queries and keys; 0 for `d_model / num_heads`.", least=0),
]
ValueWidth = Annotated[
    int, Setting(meaning="Width of a head's values; 0 for the width of its keys.", least=0)
]
HiddenWidth = Annotated[
    int, Setting(meaning="Hidden units of the feed-forward networks; 0 for `4 d_model`.", least=0)
]
MaxLength = Annotated[
    int,
    Setting(meaning="Longest word, for positions that are learned or drawn from a range.", least=1),
]
Epsilon = Annotated[
    float, Setting(meaning="Number that layer normalisation adds to the variance.", least=0)
]
Dropout = Annotated[
    float,
    Setting(
        meaning="Dropout rate in training: for the outputs of branches, and for embeddings if the "
        "model says so.",
        least=0,
        below=1,
    ),
]
