"""Constructions: computed weights with a claim, its lengths and its precisions."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NotRequired, TypedDict

from torch import nn

from lengthwise.circuits.gate_sequence import GateSequence
from lengthwise.constructions.defaults import PRECISIONS
from lengthwise.display import Viewed
from lengthwise.languages.language import Language
from lengthwise.messages import format_count, shorten
from lengthwise.tasks.task import Task
from lengthwise.training.construction_files import Compiled
from lengthwise.training.model_languages import remember
from lengthwise.training.runs import RunFolder

EVERY_LENGTH: Mapping[str, int | None] = dict.fromkeys(PRECISIONS)
"""The range of a claim for every length in every precision."""


class Claim(TypedDict):
    """The claim of a construction; fields of `Construction`."""

    claim: str
    source: str
    range: Mapping[str, int | None]
    required_margin: float
    is_binary: bool
    is_whole: NotRequired[bool]


@dataclass(frozen=True, kw_only=True)
class Computed(Viewed):
    """A network whose weights were computed, for a language or for a circuit.

    `range` maps each precision to the longest words (for a circuit: its only length) of the claim;
    None is every length, and there is no claim for a precision that is missing.
    """

    name: str
    settings: Mapping[str, Any]
    source: str
    claim: str
    about: Language | GateSequence
    architecture: str
    model: nn.Module
    range: Mapping[str, int | None] = field(default_factory=lambda: dict(EVERY_LENGTH))
    required_margin: float = 0.0
    """Least margin that is claimed, only in float64, where rounding hardly matters, and not for the
    empty word. In other precisions only the right answer is claimed.
    """
    is_binary: bool = False
    """True if the vector of every sub-word is claimed to consist of exact zeros and ones; hidden
    units also hold small integers.
    """
    is_whole: bool = False
    """True if the vector of every sub-word is claimed to consist of exact integers."""
    folder: RunFolder | None = field(default=None, compare=False)
    """The folder that it was loaded from, if it was."""

    def __post_init__(self) -> None:
        if isinstance(self.about, Language):
            remember(self.model, self.about)

    def __repr__(self) -> str:
        return (
            f"Construction({shorten(self.name, 100)}: {shorten(self.claim, 100)} Range: "
            f"{self.range_in_words()}. {self.architecture} of "
            f"{format_count(self.num_parameters, 'parameter')})"
        )

    @property
    def compiled(self) -> Compiled:
        """The description that is stored beside the weights."""
        subject = self.about
        return Compiled(
            construction=self.name,
            settings=self.settings,
            claim={
                "text": self.claim,
                "source": self.source,
                "range": dict(self.range),
                "required_margin": self.required_margin,
                "is_binary": self.is_binary,
                **({"is_whole": True} if self.is_whole else {}),
            },
            about=subject if isinstance(subject, GateSequence) else Task(language=subject),
            model=self.architecture,
            network=self.model.config,  # type: ignore[arg-type]
        )

    @property
    def num_parameters(self) -> int:
        """Number of parameters of the network."""
        return sum(parameter.numel() for parameter in self.model.parameters())

    @property
    def language(self) -> Language:
        """The language whose words the network classifies.

        Raises:
            RunError: it computes a circuit.
        """
        return self.compiled.task.language

    def range_in_words(self) -> str:
        """Write the range as text: `to 10,000 symbols in float64; every length in float32,
        float16`.
        """
        together: dict[int | None, list[str]] = {}
        for name, longest in self.range.items():
            together.setdefault(longest, []).append(name)
        return "; ".join(
            f"{self._longest_in_words(longest)} in {', '.join(names)}"
            for longest, names in together.items()
        )

    def margin_in_words(self) -> str:
        """Write the margin as text, such as `at least 6.907 in float64, of words with a symbol`."""
        if self.required_margin == 0 or "float64" not in self.range:
            return "none is claimed but that the answer is right"
        extent = (
            "at every step" if isinstance(self.about, GateSequence) else "of words with a symbol"
        )
        return f"at least {self.required_margin:.4g} in float64, {extent}"

    def _longest_in_words(self, longest: int | None) -> str:
        if longest is not None:
            return f"to {longest:,} symbols"
        return "all inputs" if isinstance(self.about, GateSequence) else "every length"
