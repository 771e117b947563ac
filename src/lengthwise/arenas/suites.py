"""The suites of the arena: fixed lists of languages and tasks, and settings of their own."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lengthwise.languages.named_languages import TABLE_1
from lengthwise.registry import Catalogue
from lengthwise.tasks.chomsky_tasks import TRANSDUCTIONS


@dataclass(frozen=True, kw_only=True, slots=True)
class Suite:
    """A list of languages, or other tasks, on which networks are compared."""

    summary: str
    languages: tuple[str, ...]
    """Specifications."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Settings of training that the suite asks for in place of the protocol's."""


_GROUPS = ("Z60", "S3", "A5", "S5")
_SUBREGULAR = (
    *("SL", "coSL", "TSL", "TcoSL", "SP", "coSP", "LT", "TLT", "PT", "LTT", "TLTT", "PLT"),
    *("TPLT", "SF", "Zp", "Reg"),
)
_REGULAR_OF_CHOMSKY = tuple(
    f"chomsky-{name}" for name in ("even-pairs", "modular-arithmetic", "parity", "cycle-navigation")
)

SUITES: Catalogue[Suite] = Catalogue(
    "suite",
    {
        "state-tracking": Suite(
            summary="word problems of groups: the product of the elements read, few and many "
            "generators",
            languages=(
                "group:Z2",
                *(f"group:{name},generators=2,seed=0" for name in _GROUPS),
                *(f"group:{name}" for name in _GROUPS),
            ),
        ),
        "regular": Suite(
            summary="the twelve languages of Table 1 of Chi et al. (2023), and the regular tasks "
            "of Deletang et al. (2023) as their code has them",
            languages=(*TABLE_1, *_REGULAR_OF_CHOMSKY),
        ),
        "chomsky": Suite(
            summary="the fifteen tasks of Deletang et al. (2023): the four regular ones, and "
            "eleven whose output follows the string",
            languages=(*_REGULAR_OF_CHOMSKY, *(f"chomsky:{name}" for name in TRANSDUCTIONS)),
        ),
        "mlregtest": Suite(
            summary="a random language of each class of MLRegTest, on words of up to 29 symbols",
            languages=tuple(f"subregular:{name},seed=0" for name in _SUBREGULAR),
            settings={"max_length": 29},
        ),
    },
    expected=Suite,
)
"""The suites by name."""
