"""Inference from words that all have one label: the smallest language of an assumed class."""

from collections.abc import Callable

from lengthwise.data.labelled_words import LabelledWords
from lengthwise.errors import TextError
from lengthwise.inference.portfolio import End
from lengthwise.inference.positives.choice import POSITIVES, choose
from lengthwise.inference.positives.statement import PositiveStatement, state_positives
from lengthwise.inference.sample import Sample
from lengthwise.inference.searcher import SearchClock
from lengthwise.languages.language import Language
from lengthwise.problems.inferred.settings import InferenceConfig
from lengthwise.problems.inferred.timing import Timer


def require_fitting(words: LabelledWords, config: InferenceConfig, name: str) -> None:
    """Refuse settings for words of several labels where all have one, and the reverse.

    Raises:
        TextError: a class is assumed, or noise allowed, that these words cannot have.
    """
    of_one = config.assume in POSITIVES
    if words.have_one_label and config.label_noise:
        raise TextError(
            f"{name}: all words have one label, so label_noise={config.label_noise:g} cannot be "
            f"seen. Leave it out, or give words of two labels."
        )
    if config.assume is None or of_one == words.have_one_label:
        return
    if of_one:
        raise TextError(
            f"{name}: the class {config.assume} is for words of one label. Leave it out, or give "
            f"the words of one label alone."
        )
    raise TextError(
        f"{name}: all words have one label, from which the class {config.assume} cannot be "
        f"inferred. Assume {', '.join(POSITIVES)}, or none."
    )


def smallest_language(
    train: Sample,
    valid: Sample,
    held: Callable[[], Sample],
    *,
    config: InferenceConfig,
    name: str,
    timer: Timer,
) -> tuple[Language, PositiveStatement, End, str]:
    """Return the language, what is said of it, why the search ended, and the class assumed.

    The words held out are asked for when the language is chosen.

    Raises:
        TextError: none was made in the time, or all have too many states.
    """
    clock = SearchClock(timer.left, lambda seconds: timer.show(""))
    choice, end = choose(
        train, valid, assume=config.assume, max_states=config.max_states, check=clock.read
    )
    if choice is None:
        raise TextError(
            f"{name}: no language with up to {config.max_states} states was found. Raise "
            f"max_states or the budget, or assume another class of {', '.join(POSITIVES)}."
        )
    statement = state_positives(choice, choice.language, len(train) + len(valid), held())
    done: End = "explained" if end == "exhausted" else end
    return choice.language, statement, done, choice.assumed.at(choice.level)
