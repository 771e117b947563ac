"""The automaton that labelled words show, and the statement about it."""

from dataclasses import replace

import numpy as np

from lengthwise.data.labelled_words import LabelledWords
from lengthwise.data.parts import TEST, TRAIN, VALID
from lengthwise.errors import TextError
from lengthwise.inference.sample import Sample, joined
from lengthwise.inference.search import infer
from lengthwise.inference.statement import DataStatement, no_automaton, state_data
from lengthwise.inference.support import Support
from lengthwise.languages.language import Language
from lengthwise.problems.inferred.settings import InferenceConfig
from lengthwise.problems.labelled_words.objective import part_of


def sample_of(words: LabelledWords, part: str, config: InferenceConfig, name: str) -> Sample:
    """Return the words of a part, shortest first.

    Raises:
        TextError: there are none.
    """
    rows = part_of(words, part, config, name).numpy()
    return Sample.of(
        words.tokens(rows, 0),
        words.lengths(rows),
        np.asarray(words.classes[rows], dtype=np.int64),
        len(words.alphabet),
        len(words.class_names),
    )


def inferred(words: LabelledWords, config: InferenceConfig, name: str) -> Language:
    """Return the automaton that fits the words of training and validation.

    Raises:
        TextError: no automaton with up to `max_states` states fits them, or was found; or a part
            has no words.
    """
    part_of(words, TEST, config, name)  # raises if nothing is left to be held out
    train, valid = (sample_of(words, part, config, name) for part in (TRAIN, VALID))
    found = infer(train, valid, noise=config.label_noise, max_states=config.max_states)
    if found is None:
        blank = Language(
            alphabet=words.alphabet,
            transitions=((0,) * len(words.alphabet),),
            classes=(0,),
            class_names=words.class_names,
        )
        raise TextError(
            f"{name}: {no_automaton(train, blank, config.max_states)}. Raise max_states, or, if "
            f"labels may be wrong, set label_noise=0.01."
        )
    return replace(found, alphabet=words.alphabet, class_names=words.class_names).minimised()


def stated(
    language: Language, words: LabelledWords, config: InferenceConfig, name: str
) -> DataStatement:
    """Return the statement about an automaton; this is where the words held out are looked at."""
    parts = [sample_of(words, part, config, name) for part in (TRAIN, VALID, TEST)]
    return state_data(language, *parts, noise=config.label_noise, undecided=words.undecided)


def supported(
    language: Language, words: LabelledWords, config: InferenceConfig, name: str
) -> Support:
    """Return the number of words of training and validation behind each part of an automaton."""
    train, valid = (sample_of(words, part, config, name) for part in (TRAIN, VALID))
    return Support.of(language, joined(train, valid))
