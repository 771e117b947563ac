"""A language as plain values, so that a file can hold it whole."""

from collections.abc import Mapping
from typing import Any

from lengthwise.errors import LanguageError
from lengthwise.languages.language import Language


def to_dict(language: Language) -> dict[str, Any]:
    """All that makes a language, ready for JSON; `from_dict` gives it back."""
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
    """The language that `to_dict` stored.

    Raises:
        LanguageError: something is missing, or does not fit together.
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
