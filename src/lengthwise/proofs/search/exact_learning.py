"""Exact learning of the language of a finite algebra.

Learning (`learning.learn`) needs classes of words, which are looked up, and counterexamples, which
exploration finds (`closure.explore`) if there are any, whatever their length. So the result is
exact, and no automaton of the language is smaller.
"""

from collections.abc import Sequence

from lengthwise.errors import LanguageError, VerificationError
from lengthwise.evaluation.predict import right_aligned
from lengthwise.languages.language import Language
from lengthwise.proofs.search.closure import explore
from lengthwise.proofs.search.finite_algebra import FiniteAlgebra
from lengthwise.proofs.search.learning import Word, learn
from lengthwise.proofs.search.limits import MAX_STATES
from lengthwise.proofs.search.lookup import Lookup


def language_of(
    algebra: FiniteAlgebra,
    alphabet: Sequence[str],
    class_names: tuple[str, ...],
    domain: Language | None = None,
    *,
    max_states: int = MAX_STATES,
) -> Language:
    """Learn the language of an algebra, minimised; it is exact, since all words are compared.

    Raises:
        LanguageError: there are more than `max_states` states; perhaps no number of states is
            enough, since the element of a chunk may depend on its division and on its level.
        VerificationError: the words are too many to be compared.
    """
    lookup = Lookup(algebra)

    def classify(words: Sequence[Word]) -> list[int]:
        tokens, lengths = right_aligned(words)
        return lookup.classify(tokens.numpy(), lengths.numpy()).tolist()

    def find_counterexample(hypothesis: Language) -> Word | None:
        exploration = explore(algebra, hypothesis)
        if exploration.reason:
            raise VerificationError(
                f"a machine of {hypothesis.num_states} states cannot be compared with the algebra: "
                f"{exploration.reason}. Extract fewer elements."
            )
        return exploration.wrong

    try:
        return learn(
            classify,
            alphabet,
            class_names,
            find_counterexample,
            domain=domain,
            max_states=max_states,
        )
    except LanguageError as error:
        raise LanguageError(
            f"{error} An algebra whose chunks are not composed associatively need not recognise a "
            f"regular language at all."
        ) from None
