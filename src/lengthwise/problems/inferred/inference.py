"""From labelled words to an automaton, and what the words say of it: the result of `lw.infer`."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from lengthwise.data.labelled_words import LabelledWords
from lengthwise.data.parts import TEST, TRAIN, VALID
from lengthwise.data.word_parts import rows_of_part
from lengthwise.data.words_reference import WordsReference
from lengthwise.display import Drawing, Viewed, drawing_of
from lengthwise.errors import TextError
from lengthwise.inference.sample import Sample, joined
from lengthwise.inference.search import best_automaton
from lengthwise.inference.statement import DataStatement, no_automaton, state_data
from lengthwise.inference.support import Support
from lengthwise.languages.characters import split_alphabet
from lengthwise.languages.language import Language
from lengthwise.languages.serialisation import to_dict
from lengthwise.problems.inferred.settings import InferenceConfig
from lengthwise.problems.results import Watch, no_watch


@dataclass(frozen=True, kw_only=True, slots=True)
class Inference(Viewed):
    """The automaton that the words of a file show, and the statement about it."""

    words: WordsReference
    settings: InferenceConfig
    language: Language
    """The automaton A."""
    statement: DataStatement
    """What the words say of A; those that were held out had no part in its choice."""

    @property
    def name(self) -> str:
        """The file, as a specification."""
        return spec_of_words(self.words)

    def __str__(self) -> str:
        return "\n".join([f"{self.name}: {self.statement.headline}", *self.statement.sentences()])

    def __repr__(self) -> str:
        states = self.language.num_states
        return f"Inference({self.name}: A has {states} states, {self.statement.headline})"

    def draw(self) -> Drawing:
        """Draw the automaton: a notebook shows the result, and `.save(path)` writes it as SVG.

        Raises:
            ConfigError: it is too large to be drawn.
            MissingLibraryError: a library that draws is not installed.
        """
        return drawing_of(self.language)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, from which `lengthwise train inferred:FILE.json` goes on."""
        return {
            "language": to_dict(self.language),
            "words": asdict(self.words),
            "inference": self.settings.to_dict(),
            "statement": self.statement.to_dict(),
        }


def spec_of_words(words: WordsReference) -> str:
    """Return a file of labelled words as a specification."""
    return f"words:{words.shown}"


def referred(spec: str, alphabet: str | None, config: InferenceConfig) -> WordsReference:
    """Read the file that a specification or a path names.

    Raises:
        TextError: none is named, or it holds no labelled words.
        LanguageError: the alphabet is none.
    """
    file = spec.removeprefix("words:")
    if not file:
        raise TextError(
            f"{spec or 'an empty path'} names no file. Give words:FILE, a .tsv or .jsonl."
        )
    stated = alphabet and split_alphabet(alphabet)
    return WordsReference.of(Path(file), stated or None, by_majority=config.label_noise > 0)


def infer_from(
    words: WordsReference, settings: InferenceConfig, watch: Watch = no_watch
) -> Inference:
    """Infer an automaton from words, and then look at those that were held out.

    Raises:
        TextError: no automaton with up to `max_states` states fits them, or was found; or a part
            has no words.
    """
    there = words.load()
    with watch(f"inferring an automaton from {spec_of_words(words)}", "attempts") as progress:
        language = _automaton(there, settings, spec_of_words(words), progress)
    statement = statement_of(language, there, settings, spec_of_words(words))
    return Inference(words=words, settings=settings, language=language, statement=statement)


def sample_of(words: LabelledWords, part: str, config: InferenceConfig, name: str) -> Sample:
    """Return the words of a part, shortest first.

    Raises:
        TextError: there are none.
    """
    rows = rows_of_part(words, part, config, name)
    return Sample.of(
        words.tokens(rows, 0),
        words.lengths(rows),
        np.asarray(words.classes[rows], dtype=np.int64),
        len(words.alphabet),
        len(words.class_names),
    )


def _automaton(words: LabelledWords, config: InferenceConfig, name: str, progress: Any) -> Language:
    """Return the automaton that fits the words of training and validation."""
    rows_of_part(words, TEST, config, name)  # raises if nothing is left to be held out
    train, valid = (sample_of(words, part, config, name) for part in (TRAIN, VALID))
    limits: Mapping[str, Any] = {"noise": config.label_noise, "max_states": config.max_states}
    found = best_automaton(train, valid, **limits, progress=progress)
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


def statement_of(
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
