"""From star-free automata to programs of lookups, by a cascade of resets."""

from lengthwise.constructions.cascades import decompose
from lengthwise.constructions.programs import Program
from lengthwise.errors import ConstructionError, LanguageError
from lengthwise.languages.cascade import cascade
from lengthwise.languages.language import Language


def star_free_program(language: Language) -> Program:
    """Return the program of a star-free language.

    Raises:
        ConstructionError: the language is not star-free, and the message names a group; or it is
            too large.
    """
    try:
        return decompose(language, cascade)
    except LanguageError as error:
        raise ConstructionError(
            f"{language.spec or 'the language'} has no network of lookups: {error} Use another "
            f"rung, such as scan."
        ) from None
