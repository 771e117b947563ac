"""The contract of formats: write an automaton, or its network, as the content of a file."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from lengthwise.errors import ConfigError
from lengthwise.languages.language import Language

if TYPE_CHECKING:
    from torch import nn


@dataclass(frozen=True, kw_only=True, slots=True)
class Exported:
    """What is written: an automaton, where it comes from, and its network, if it has one."""

    language: Language
    """Its minimal automaton."""
    name: str = "automaton"
    """The name of the file, without its ending."""
    notes: tuple[str, ...] = ()
    """Sentences for a comment: the origin, the certificate, and what it says."""
    network: "nn.Module | None" = None

    @property
    def machine(self) -> Language:
        """The minimal automaton over all words, which start in state 0; those outside the domain
        have the last class.
        """
        return self.language.total().minimise()


class Format(ABC):
    """Writes files of one kind."""

    summary: ClassVar[str]
    """What such a file is, in a few words."""
    writes_network: ClassVar[bool] = False
    """Whether it is about the network, not about an automaton."""

    @abstractmethod
    def content(self, exported: Exported) -> str | bytes:
        """Return the content of the file.

        Raises:
            ConfigError: the format cannot express it.
            LanguageError: the same, for a symbol.
        """


def require_two_classes(exported: Exported, format_name: str) -> Language:
    """Return the automaton, if it accepts or rejects every word.

    Raises:
        ConfigError: it has other classes, or a domain.
    """
    language = exported.language
    if language.class_names == ("0", "1") and language.domain is None:
        return language
    names = " ".join(language.class_names[:8])
    has = "a domain" if language.domain is not None else f"the classes {names}"
    raise ConfigError(
        f"{format_name} accepts or rejects every word, but this language has {has}. Save it as "
        f".json, .dot, .mmd or .c."
    )


def require_characters(exported: Exported, format_name: str) -> None:
    """Refuse symbols of several characters.

    Raises:
        ConfigError: there is one.
    """
    if exported.language.spaced:
        symbol = next(s for s in exported.language.alphabet if len(s) > 1)
        raise ConfigError(
            f"{format_name} reads words character by character, but the symbol {symbol!r} has "
            f"{len(symbol)}. Save it as .json, .dot or .c."
        )
