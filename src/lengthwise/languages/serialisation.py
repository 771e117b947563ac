"""Languages as plain values, for JSON files, and the names of their automata."""

import hashlib
from collections.abc import Mapping
from typing import Any

from lengthwise.errors import LanguageError
from lengthwise.languages.language import Language


def to_dict(language: Language) -> dict[str, Any]:
    """Convert a language to plain values, ready for JSON; `from_dict` restores it."""
    return {
        "spec": language.spec,
        "alphabet": list(language.alphabet),
        "transitions": [list(row) for row in language.transitions],
        "classes": list(language.classes),
        "start": language.start,
        "class_names": list(language.class_names),
        "domain": None if language.domain is None else to_dict(language.domain),
    }


def from_dict(values: Mapping[str, Any]) -> Language:
    """Restore a language from the values that `to_dict` returned.

    Raises:
        LanguageError: an entry is missing, or entries do not fit together.
    """
    try:
        domain = values["domain"]
        return Language(
            alphabet=tuple(values["alphabet"]),
            transitions=tuple(tuple(row) for row in values["transitions"]),
            classes=tuple(values["classes"]),
            start=values["start"],
            class_names=tuple(values["class_names"]),
            domain=None if domain is None else from_dict(domain),
            spec=values["spec"],
        )
    except (KeyError, TypeError) as error:
        raise LanguageError(f"a stored language is damaged ({error!r}). Make it again.") from None


def machine_name(language: Language) -> str:
    """Return `machine-` and twelve hex digits of the minimal automaton, whatever it is called."""
    machine = language.total().minimise()
    body = repr((machine.alphabet, machine.transitions, machine.classes, machine.start))
    return f"machine-{hashlib.sha256(body.encode()).hexdigest()[:12]}"
