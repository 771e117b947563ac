"""An automaton that is drawn by hand: from the page's JSON to a language, and to a file's text."""

from lengthwise.errors import LanguageError
from lengthwise.files import parse_json
from lengthwise.languages.att import to_att
from lengthwise.languages.language import Language
from lengthwise.languages.serialisation import from_dict


def read_drawing(text: str) -> Language:
    """Return the recogniser of a drawing: `alphabet`, `transitions`, `classes` (0 or 1), `start`.

    Raises:
        LanguageError: the text is none, or its parts do not fit together.
    """
    try:
        values = parse_json(text)
    except ValueError as error:
        raise LanguageError(f"a drawn automaton is JSON, but this is not ({error}).") from None
    if not isinstance(values, dict):
        raise LanguageError("a drawn automaton is a JSON object, but this is another value.")
    return from_dict({**values, "class_names": ["0", "1"], "domain": None, "spec": ""})


def att_or_none(language: Language) -> str | None:
    """Return the text of a file that names the language, or None if the format cannot write it."""
    try:
        return to_att(language)
    except LanguageError:
        return None
