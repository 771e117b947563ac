"""The kinds of networks that a language can be compiled to, by name.

Each rung has a class of languages, a design (the size, before anything is built), the weights, and
a claim that follows from its settings alone.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from torch import nn

from lengthwise.constructions import automata, c_rasp, lookups, ltl, scan, slots, solvable
from lengthwise.constructions.automata import SURE, Sized
from lengthwise.constructions.construction import EVERY_LENGTH, Claim
from lengthwise.constructions.defaults import DEFAULT
from lengthwise.constructions.setting_values import complete
from lengthwise.errors import LanguageError
from lengthwise.languages.language import Language
from lengthwise.languages.monoid import syntactic_monoid
from lengthwise.layers.chunks import depth as levels_of
from lengthwise.models.transformer_config import NetworkConfig
from lengthwise.models.universal import log_depth
from lengthwise.registry import Catalogue

_PROVED_OTHERWISE = "slots"
"""The rung that `compile` takes where the proof of a tree might not close."""

MOST_ELEMENTS = 8
"""Most elements of a monoid whose tree `compile` writes by default. Certificates of all of 750
automata with at most 8 elements close, and so do many of larger ones; but where images are numbers
up to 9 or more and there are 8 classes, bounds on rounding can be too loose."""

MOST_SYMBOLS = 64
"""Most symbols of the same: a proof looks at all pairs of symbols."""

Settings = Mapping[str, Any]


@runtime_checkable
class RungDesign(Sized, Protocol):
    """A network before it is built."""

    @property
    def config(self) -> NetworkConfig:
        """Shape of the network."""
        ...


@dataclass(frozen=True, kw_only=True)
class Rung:
    """One kind of networks for languages."""

    summary: str
    languages: str
    """The class of languages that it reaches."""
    architecture: str
    """A name in `ARCHITECTURES`."""
    design: Callable[..., RungDesign]
    """Function from a language, and settings by keyword, to the design; it refuses a language that
    the rung does not reach."""
    build: Callable[[Any], nn.Module]
    claim: Callable[[Settings], Claim]
    """Function from the complete settings to the claim."""
    depth: Callable[[Any, int], int]
    """Function from a design and a length to the number of layers that run on such a word."""
    grows: str = ""
    """The growth of the depth with the length T, in words; empty if it does not grow."""


def _of_maps(settings: Settings, source: str, where: str, is_normed: bool = False) -> Claim:
    """Return the claim of networks that compose state maps exactly."""
    is_whole = settings["target"] == "images"
    is_binary = not (is_normed or is_whole)
    numbers = "whole numbers" if is_whole else "zeros and ones" if is_binary else ""
    return Claim(
        claim=f"right{where}" + (f"; every vector is exactly of {numbers}" if numbers else ""),
        source=source,
        range=dict(EVERY_LENGTH),
        required_margin=0.0,
        is_binary=is_binary,
        is_whole=is_whole,
    )


def _claim_of_tree(settings: Settings) -> Claim:
    is_whole = settings["target"] == "images"
    source = (
        "ours, after Chi et al. (2023), section 7.2"
        if is_whole
        else "Chi et al. (2023), section 7.2 and Lemma 1"
    )
    return _of_maps(settings, source, "", is_normed=settings["norm"] != "none")


def _claim_of_slots(settings: Settings) -> Claim:
    return Claim(
        claim="right; every slot holds the code of a state",
        source="ours",
        range=dict(EVERY_LENGTH),
        required_margin=SURE,
        is_binary=False,
    )


def _claim_of_scan(settings: Settings) -> Claim:
    source = "Liu et al. (2023), theorem 1, with our encodings"
    return _of_maps(settings, source, " at every prefix of a word")


RUNGS: Catalogue[Rung] = Catalogue(
    "rung",
    {
        "tree": Rung(
            summary="RegularGPT's tree: one block, ceil(log_C T) levels, an answer at the end",
            languages="any regular language",
            architecture="regular-gpt",
            design=automata.design_automaton,
            build=automata.build,
            claim=_claim_of_tree,
            depth=lambda design, length: (
                levels_of(length, design.config.chunk_size) * design.config.num_layers
            ),
            grows="ceil(log_C T)",
        ),
        "slots": Rung(
            summary="a tree whose nodes have a slot for each state: proved for any automaton",
            languages="any regular language",
            architecture="regular-gpt-slots",
            design=slots.design_slots,
            build=slots.build_slots,
            claim=_claim_of_slots,
            depth=lambda design, length: levels_of(length, design.config.chunk_size),
            grows="ceil(log_C T)",
        ),
        "scan": Rung(
            summary="a causal decoder: one layer, ceil(log2 T) times, an answer at every position",
            languages="any regular language",
            architecture="looped-recogniser",
            design=scan.design_scan,
            build=scan.build_scan,
            claim=_claim_of_scan,
            depth=lambda design, length: log_depth(length, 1),
            grows="ceil(log2 T)",
        ),
        "ltl": Rung(
            summary="a causal decoder of constant depth: each head finds the nearest position",
            languages="star-free languages: formulas of past-time linear temporal logic",
            architecture="causal-recogniser",
            design=ltl.design_ltl,
            build=lookups.build_lookups,
            claim=lookups.claim_of_lookups,
            depth=lambda design, length: design.config.num_layers,
        ),
        "c-rasp": Rung(
            summary="a causal decoder of constant depth: each head counts all positions alike",
            languages="languages of C-RASP: balanced counters tell states apart",
            architecture="causal-recogniser",
            design=c_rasp.design_c_rasp,
            build=lookups.build_lookups,
            claim=c_rasp.claim_of_c_rasp,
            depth=lambda design, length: design.config.num_layers,
        ),
        "cascade": Rung(
            summary="a causal decoder of constant depth: heads find the nearest position, or count",
            languages="languages whose groups are solvable: cascades of resets and counters",
            architecture="causal-recogniser",
            design=solvable.design_cascade,
            build=lookups.build_lookups,
            claim=solvable.claim_of_cascade,
            depth=lambda design, length: design.config.num_layers,
        ),
    },
)
"""In the order in which they are listed."""


def usual(language: Language, settings: Settings) -> str:
    """Return the rung that `compile` takes if none is asked for, which `certify` proves.

    It is the tree, if settings are given that only trees have, or the monoid and the alphabet are
    small.
    """
    if not settings.keys() <= complete(RUNGS[_PROVED_OTHERWISE].design, {}).keys():
        return DEFAULT
    if language.num_symbols > MOST_SYMBOLS:
        return _PROVED_OTHERWISE
    try:
        syntactic_monoid(language, MOST_ELEMENTS)
    except LanguageError:
        return _PROVED_OTHERWISE
    return DEFAULT
