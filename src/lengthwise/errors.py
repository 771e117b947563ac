"""Errors of the package: one class for each kind of mistake that a caller can make.

Every message is one line: the rule, the value that was given, and a remedy. The command line turns
all of these into exit status 2 (`ClaimError`: 1).
"""

from collections.abc import Iterable
from difflib import get_close_matches


class LengthwiseError(Exception):
    """Base of all errors that the package raises on purpose."""


class ConfigError(LengthwiseError):
    """A setting, name or combination of settings that cannot be used."""


class LanguageError(LengthwiseError):
    """An automaton, expression or specification that does not describe a language."""


class WordError(LengthwiseError):
    """A word with a symbol outside the alphabet, or outside the language's domain."""


class TaskError(LengthwiseError):
    """A task that cannot be drawn from, such as a class with no word of the requested length."""


class RunError(LengthwiseError):
    """A run folder that is missing, broken, or belongs to something else."""


class NothingFinishedError(RunError):
    """A folder of runs that lacks all finished runs that are requested."""


class VerificationError(LengthwiseError):
    """A model and a language that cannot be compared, or an exploration past its bound."""


class OutOfTimeError(LengthwiseError):
    """A search that the time given to it does not suffice for."""


class ConstructionError(LengthwiseError):
    """Weights that cannot be computed: too large, or out of the range of the numbers."""


class CircuitError(LengthwiseError):
    """A circuit that cannot be computed, or a file of one that cannot be read."""


class CertificateError(LengthwiseError):
    """A certificate that is damaged, changed, or of another model."""


class TextError(LengthwiseError):
    """A file or corpus that cannot be read, or is too short to train on."""


class MissingLibraryError(ConfigError):
    """A library of an extra, such as `lengthwise[text]`, that is not installed."""


class ClaimError(LengthwiseError):
    """A result that was computed and does not hold, such as a loss that is not finite."""


class LengthwiseWarning(UserWarning):
    """A problem that was repaired and that a caller should know of; commands print its line."""


def guess(name: str, known: Iterable[str]) -> str:
    """Return `Did you mean 'x'? ` with the nearest known name; nothing if none is near."""
    by_lowercase = {name.lower(): name for name in known}
    near = get_close_matches(name.lower(), by_lowercase, n=1)
    return f"Did you mean {by_lowercase[near[0]]!r}? " if near else ""


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return `Did you mean 'x'? Known: ...`, with the nearest known name if one is near."""
    names = [name or "''" for name in known]
    return f"{guess(name, names)}Known: {', '.join(names) or 'none'}."


def unknown_name(
    kind: str, name: str, known: Iterable[str], error: type[LengthwiseError] = ConfigError
) -> LengthwiseError:
    """Return the error for a misspelt name, with the nearest known one."""
    return error(f"unknown {kind} {name!r:.60}. {suggestion(str(name), known)}")


def in_a_line(error: BaseException) -> str:
    """Return the kind of an error and the first line of its text."""
    first = str(error).strip().partition("\n")[0]
    return f"{type(error).__name__}: {first[:200]}"
