"""Exploration of any algebra: whether every word of a language gets its class."""

from typing import Any

from lengthwise.arguments import require_integer
from lengthwise.errors import VerificationError
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from lengthwise.models.custom_network import Adapted
from lengthwise.proofs.search.algebra import Algebra
from lengthwise.proofs.search.algebra_guard import GuardedRecurrence, guard
from lengthwise.proofs.search.closure import MAX_CHUNKS, Closure, LevelCallback
from lengthwise.proofs.search.closure import explore as explore_tree
from lengthwise.proofs.search.prefixes import PrefixClosure, explore_prefixes
from lengthwise.status_lines import report_silence


@report_silence("deciding")
def decide(
    algebra: Algebra | Adapted,
    language: Language | str,
    *,
    max_chunks: int = MAX_CHUNKS,
    progress: LevelCallback | None = None,
) -> Closure | PrefixClosure:
    """Decide whether an algebra gives every word of a language its class.

    Args:
        algebra: a `TreeAlgebra` or a `Recurrence`; a network that `adapt` has wrapped counts as
            what it wraps.
        language: the language.
        max_chunks: most compositions that are tried.
        progress: called for each level with its number, and the numbers of pairs of its interior
            and its edge.

    Returns:
        A result that `is_closed` if the answer is yes; else it has the shortest word on which the
        algebra is `wrong`, or the `reason` why more than `max_chunks` compositions would be needed.

    Examples:
        >>> import lengthwise as lw
        >>> class Parity:
        ...     num_symbols = 2
        ...     def start(self):
        ...         return 0
        ...     def step(self, states, symbols):
        ...         return states ^ symbols
        ...     def read(self, level, states):
        ...         return states
        >>> lw.interpret.decide(Parity(), "parity").is_closed
        True

    Raises:
        ConfigError: `max_chunks` is not an integer of 1 or more.
        VerificationError: the algebra is neither a `TreeAlgebra` nor a `Recurrence`, has other
            symbols than the language, returns no integers, or answers otherwise when asked again.
        LanguageError: it is not a language, or sub-words have too many state maps for a tree.
    """
    subject: Any = algebra.module if isinstance(algebra, Adapted) else algebra
    language = language if isinstance(language, Language) else parse(language)
    max_chunks = require_integer("max_chunks", max_chunks, 1)
    guarded_algebra = guard(subject)
    if guarded_algebra is None:
        raise VerificationError(
            f"a proof needs an algebra, but {type(subject).__name__} has neither the methods of a "
            f"Recurrence (num_symbols, start, step, read) nor those of a TreeAlgebra."
        )
    exploration: Closure | PrefixClosure
    if isinstance(guarded_algebra, GuardedRecurrence):
        exploration = explore_prefixes(
            guarded_algebra, language, max_chunks=max_chunks, progress=progress
        )
    else:
        exploration = explore_tree(
            guarded_algebra, language, max_chunks=max_chunks, progress=progress
        )
    guarded_algebra.require_steady()
    return exploration
