"""Exploration of any algebra: whether every word of a language gets its class."""

from lengthwise.errors import VerificationError
from lengthwise.languages.language import Language
from lengthwise.verification.algebra import Algebra, Recurrence, TreeAlgebra
from lengthwise.verification.closure import MAX_CHUNKS, Closure, LevelCallback
from lengthwise.verification.closure import explore as explore_tree
from lengthwise.verification.prefixes import PrefixClosure, explore_prefixes


def explore(
    algebra: Algebra,
    language: Language,
    *,
    max_chunks: int = MAX_CHUNKS,
    progress: LevelCallback | None = None,
) -> Closure | PrefixClosure:
    """Decide whether an algebra gives every word of a language its class.

    The result `is_closed` if it does; else it has the shortest word on which it is `wrong`, or the
    `reason` why more than `max_chunks` compositions would be needed.

    Raises:
        VerificationError: the algebra is neither a `TreeAlgebra` nor a `Recurrence`, or has other
            symbols than the language.
        LanguageError: sub-words have too many state maps for a tree.
    """
    if isinstance(algebra, Recurrence):
        return explore_prefixes(algebra, language, max_chunks=max_chunks, progress=progress)
    if isinstance(algebra, TreeAlgebra):
        return explore_tree(algebra, language, max_chunks=max_chunks, progress=progress)
    raise VerificationError(
        f"a proof needs an algebra, but {type(algebra).__name__} has neither the methods of a "
        f"Recurrence (num_symbols, start, step, read) nor those of a TreeAlgebra."
    )
