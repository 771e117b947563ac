"""The vocabulary of network settings: each shared setting is declared, documented and checked once.

A network's settings class lists the settings that it has, each with a type of this module and with
the default of its paper, so that the meaning and the limits of `d_model` are the same everywhere.
`check_settings` is the one check. No torch here: certificates are checked without it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Literal, get_type_hints

from lengthwise.config import Config, require, require_at_least, require_options


@dataclass(frozen=True, kw_only=True, slots=True)
class Setting:
    """The meaning of a setting, and the values that it may have."""

    meaning: str
    letter: str = ""
    """The letter that papers have for it."""
    least: int | None = None
    most: int | None = None
    below: int | None = None
    """A bound that the value stays below."""
    options: Mapping[str, Any] | None = None
    """The catalogue that names its values."""


Norm = Annotated[
    Literal["post", "post-embedded", "pre", "none"],
    Setting(meaning="Where a residual branch is normalised: a name in `NORMS`."),
]
Activation = Annotated[
    Literal["relu", "gelu"], Setting(meaning="Nonlinearity of the feed-forward networks.")
]
VocabSize = Annotated[int, Setting(meaning="Number of different symbols that are read.", least=1)]
NumClasses = Annotated[int, Setting(meaning="Number of classes of words.", least=1)]
Width = Annotated[int, Setting(meaning="Numbers in the vector of a position.", letter="d", least=1)]
NumHeads = Annotated[int, Setting(meaning="Attention heads of a layer.", letter="H", least=1)]
NumLayers = Annotated[int, Setting(meaning="Layers, one after the other.", letter="L", least=1)]
HeadWidth = Annotated[
    int,
    Setting(meaning="Numbers in a query or key of a head; 0 for `d_model / num_heads`.", least=0),
]
ValueWidth = Annotated[
    int, Setting(meaning="Numbers in a value of a head; 0 for as many as in a key.", least=0)
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
        meaning="Share of numbers that are left out in training: of what branches add, and of "
        "embeddings where the model says so.",
        least=0,
        below=1,
    ),
]


def check_settings(config: Config) -> None:
    """Refuse values that the declarations of a class do not allow.

    Raises:
        ConfigError: a number is outside its limits, or a name is no option.
    """
    kind: Any = type(config)
    declared = declarations(kind)
    least = {name: s.least for name, s in declared.items() if s.least is not None}
    require_at_least(config, least)
    require_options(config)
    for name, setting in declared.items():
        value = getattr(config, name)
        if setting.most is not None:
            too_large = f"{name}={value} is too large. Use {setting.most:,} or less."
            require(value <= setting.most, too_large)
        if setting.below is not None:
            remedy = f"Use {setting.least} or more, below {setting.below}."
            require(value < setting.below, f"{name}={value} is not a share. {remedy}")
        if setting.options is not None:
            setting.options[value]  # raises unless it is a name


@cache
def declarations(kind: Any) -> Mapping[str, Setting]:
    """Return the declarations of a class of settings, by name; some settings have none."""
    return {
        name: each
        for name, hint in get_type_hints(kind, include_extras=True).items()
        for each in getattr(hint, "__metadata__", ())
        if isinstance(each, Setting)
    }
