"""From labelled words to an automaton, and what the words say of it: the result of `lw.infer`."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from lengthwise.data.columns import Columns
from lengthwise.data.counted_words import CountingWorkers
from lengthwise.data.labelled_words import LabelledWords
from lengthwise.data.paired_words import has_pairs
from lengthwise.data.parts import TEST, TRAIN, VALID
from lengthwise.data.word_parts import rows_of_part
from lengthwise.data.word_symbols import format_word
from lengthwise.data.words_reference import WordsReference
from lengthwise.display import Drawing, Viewed, drawing_of
from lengthwise.errors import TextError
from lengthwise.inference.judge import Judge
from lengthwise.inference.needed_states import shortest_words
from lengthwise.inference.portfolio import End
from lengthwise.inference.positives.statement import PositiveStatement
from lengthwise.inference.rungs.catalogue import ASSUMED
from lengthwise.inference.rungs.refuting import refuting_word
from lengthwise.inference.sample import Sample, join_samples
from lengthwise.inference.statement import DataStatement, no_automaton, state_data
from lengthwise.inference.support import Support
from lengthwise.languages.characters import split_alphabet
from lengthwise.languages.language import Language
from lengthwise.languages.serialisation import to_dict
from lengthwise.languages.validation import short
from lengthwise.problems.inferred.one_label import require_fitting, smallest_language
from lengthwise.problems.inferred.searching import search_words
from lengthwise.problems.inferred.settings import InferenceConfig
from lengthwise.problems.inferred.timing import Timer
from lengthwise.problems.results import Watch, no_watch

_MORE_STATES = "Raise max_states, or, if labels may be wrong, set label_noise=0.01."
"""The remedy where no automaton with that number of states fits."""

_WIDE = 2**17
"""Number of words up to which their symbols take eight bytes each, and need no conversion."""

_MANY_LABELS = 16
"""Number of labels from which they are outputs if each is as long as its word."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Inference(Viewed):
    """The automaton that the words of a file show, and the statement about it.

    Examples:
        >>> from pathlib import Path
        >>> import lengthwise as lw
        >>> words = [format(n, "b") for n in range(300)]
        >>> lines = "".join(f"{word}\\t{word.count('1') % 2}\\n" for word in words)
        >>> size = Path("words.tsv").write_text(lines)
        >>> found = lw.infer("words.tsv")
        >>> found.language.num_states, found.language.classify("0111")
        (2, 1)
    """

    words: WordsReference
    settings: InferenceConfig
    language: Language
    """The automaton A."""
    statement: DataStatement | PositiveStatement
    """Says how far the words support A; those that were held out had no part in its choice."""
    end: End
    """Why the search ended."""
    seconds: float
    """Total time of the search, in seconds."""
    searcher: str
    """Name of the searcher that made A."""
    least_states: int = 1
    """States that every automaton has that fits the words, as the search proved."""

    @property
    def name(self) -> str:
        """The file, as a specification."""
        return spec_of_words(self.words)

    def __str__(self) -> str:
        lines = [
            f"{self.name}: {self.statement.headline}",
            *self.statement.sentences(),
            *self.notes,
        ]
        return "\n".join(lines)

    def __repr__(self) -> str:
        states = self.language.num_states
        return f"Inference({self.name}: A has {states} states, {self.statement.headline})"

    @property
    def notes(self) -> list[str]:
        """A line on a search that ended before it found what explains the words."""
        lines = notes_of_search(self.end, self.seconds, "A is the best automaton")
        more = "" if self.end == "exhausted" else " Infer again to continue it."
        return [line + more for line in lines]

    def draw(self) -> Drawing:
        """Draw the automaton: a notebook shows the result, and `.save(path)` writes it as SVG.

        Raises:
            ConfigError: it is too large to be drawn.
            MissingLibraryError: a library that draws is not installed.
        """
        return drawing_of(self.language)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, which `lengthwise train inferred:FILE.json` reads."""
        return {
            "language": to_dict(self.language),
            "words": self.words.to_dict(),
            "inference": self.settings.to_dict(),
            "least_states": self.least_states,
            "search": {"end": self.end, "by": self.searcher},
            "statement": self.statement.to_dict(),
        }


def notes_of_search(end: End, seconds: float, best: str) -> list[str]:
    """Return a line on a search that ended before it found what explains the words."""
    if end == "explained":
        return []
    why = {"exhausted": "nothing is left to try", "stopped": "it was stopped"}
    ended = why.get(end, "the budget is used up")
    return [f"The search ended after {seconds:,.0f} s, since {ended}; {best} so far."]


def spec_of_words(words: WordsReference) -> str:
    """Return a file of labelled words as a specification."""
    return f"words:{words.shown}"


def read_reference(
    spec: str,
    alphabet: str | None,
    config: InferenceConfig,
    columns: str | Mapping[str, str] | Columns | None = None,
    *,
    needs_labels: bool = False,
    workers: CountingWorkers | None = None,
) -> WordsReference:
    """Read the file that a specification or a path names; `Columns.parse` reads `columns`.

    Raises:
        TextError: none is named, or it holds no labelled words; or it `needs_labels`, and all words
            have one.
        LanguageError: the alphabet is not valid.
    """
    file = spec.removeprefix("words:")
    if not file:
        raise TextError(
            f"{spec or 'an empty path'} names no file. Give words:FILE, a .tsv or .jsonl."
        )
    given_alphabet = alphabet and split_alphabet(alphabet)
    return WordsReference.of(
        Path(file),
        given_alphabet or None,
        by_majority=config.label_noise > 0,
        columns=Columns.parse(columns),
        needs_labels=needs_labels,
        workers=workers,
    )


def infer_from(
    words: WordsReference, settings: InferenceConfig, watch: Watch = no_watch
) -> Inference:
    """Infer an automaton from words, and then look at those that were held out.

    Raises:
        TextError: no automaton with up to `max_states` states fits them, or a part has no words.
    """
    name = spec_of_words(words)
    with watch(f"inferring an automaton from {name}", "seconds") as progress:
        return _infer(words, settings, name, Timer(settings.budget, progress))


def _infer(words: WordsReference, settings: InferenceConfig, name: str, timer: Timer) -> Inference:
    timer.show("reading the words")
    labelled = words.load()
    _require_labels(labelled, words.shown)
    require_fitting(labelled, settings, name)
    rows_of_part(labelled, TEST, settings, name)  # raises if nothing is left to be held out
    parts = _Parts(labelled, settings, name)
    train, valid = parts.sample(TRAIN), parts.sample(VALID)
    if labelled.have_one_label:
        timer.begin_search()
        smallest, about_words, ended, by = smallest_language(
            train, valid, partial(parts.sample, TEST), config=settings, name=name, timer=timer
        )
        return Inference(
            words=words,
            settings=settings,
            language=name_as(smallest, labelled),
            statement=about_words,
            end=ended,
            seconds=timer.used,
            searcher=by,
            least_states=1,
        )
    known = join_samples(train, valid)
    if settings.label_noise == 0:
        _require_class(known, labelled, settings.assume, name)
    timer.begin_search()
    state = search_words(labelled, Judge(train, valid, settings.label_noise), settings, timer)
    best = state.best
    assert best is not None
    if state.least_states > settings.max_states:
        _require_possible(shortest_words(train), labelled, settings.max_states, name)
        raise TextError(
            f"{name}: no automaton with up to {settings.max_states} states fits all words, as an "
            f"exact search proved. {_MORE_STATES}"
        )
    timer.show("reading all words for the statement")
    if best.all_wrong and settings.label_noise == 0:
        _require_possible(known, labelled, settings.max_states, name)
    language = name_as(best.language, labelled)
    statement = parts.statement(language, state.least_states)
    return Inference(
        words=words,
        settings=settings,
        language=language,
        statement=statement,
        end=state.end,
        seconds=state.seconds,
        searcher=best.searcher,
        least_states=state.least_states,
    )


def sample_of(words: LabelledWords, part: str, config: InferenceConfig, name: str) -> Sample:
    """Return the words of a part, shortest first.

    Raises:
        TextError: there are none.
    """
    rows = rows_of_part(words, part, config, name)
    kind = np.int64 if len(words) <= _WIDE else np.min_scalar_type(len(words.alphabet))
    return Sample.of(
        words.tokens(rows, 0, kind),
        words.lengths(rows),
        np.asarray(words.classes[rows], dtype=np.int64),
        len(words.alphabet),
        len(words.class_names),
        lines=None if words.lines is None else np.asarray(words.lines[rows], dtype=np.int64),
    )


@dataclass(slots=True)
class _Parts:
    """The words of a file by their parts; each part is read once."""

    words: LabelledWords
    config: InferenceConfig
    name: str
    read: dict[str, Sample] = field(default_factory=dict)

    def sample(self, part: str) -> Sample:
        """Return the words of a part."""
        if part not in self.read:
            self.read[part] = sample_of(self.words, part, self.config, self.name)
        return self.read[part]

    def statement(self, language: Language, least_states: int) -> DataStatement:
        """Return the statement about an automaton, judged by the words held out."""
        samples = [self.sample(part) for part in (TRAIN, VALID, TEST)]
        return state_data(
            language,
            *samples,
            noise=self.config.label_noise,
            undecided=self.words.undecided,
            undecided_lines=self.words.undecided_lines,
            least_states=least_states,
        )


def name_as(automaton: Language, words: LabelledWords) -> Language:
    """Return a minimal automaton over the symbols and classes of a file."""
    renamed = replace(automaton, alphabet=words.alphabet, class_names=words.class_names)
    return renamed.minimise()


def _require_labels(words: LabelledWords, file: str) -> None:
    """Refuse outputs in the place of labels."""
    if len(words.class_names) > _MANY_LABELS and has_pairs(words):
        raise TextError(
            f"words:{file}: {len(words.class_names):,} different labels, each as long as its word, "
            f"are outputs of a function. Give pairs:{file} to infer it."
        )


def _require_possible(known: Sample, words: LabelledWords, max_states: int, name: str) -> None:
    """Refuse words that no automaton with at most `max_states` states fits."""
    loops = ((0,) * len(words.alphabet),)
    blank = Language(
        alphabet=words.alphabet, transitions=loops, classes=(0,), class_names=words.class_names
    )
    if why := no_automaton(known, blank, max_states):
        raise TextError(f"{name}: {why}. {_MORE_STATES}")


def _require_class(known: Sample, words: LabelledWords, assumed: str | None, name: str) -> None:
    """Refuse a class of fewer labels than the words have, and one that the words refute."""
    if assumed is None or assumed not in ASSUMED:
        return
    most = ASSUMED[assumed].most_classes
    if known.num_classes > most:
        raise TextError(
            f"{name}: the search for the class {assumed} tells {most} labels apart, but the words "
            f"have {known.num_classes}. Assume another class, or none."
        )
    if (refutation := refuting_word(known, assumed)) is None:
        return
    row, why = refutation
    label, (other, language) = int(known.classes[row]), words.class_names
    symbols_of_word = format_word(
        [words.alphabet[symbol] for symbol in known.word(row)], words.alphabet
    )
    turned = assumed.removeprefix("co") if assumed.startswith("co") else f"co{assumed}"
    remedy = "Assume another class, or none."
    if refuting_word(known, turned) is None:
        remedy = f"Assume {turned} if the words with the label {other} are those of {assumed}."
    raise TextError(
        f"{name}: the words refute the class {assumed} for those with the label {language}, the "
        f"second one: {short(symbols_of_word)} has the label {words.class_names[label]}, and {why} "
        f"with the label {words.class_names[1 - label]}. {remedy}"
    )


def statement_of(
    language: Language,
    words: LabelledWords,
    config: InferenceConfig,
    name: str,
    least_states: int = 1,
) -> DataStatement:
    """Return the statement about an automaton, judged by the words held out."""
    return _Parts(words, config, name).statement(language, least_states)


def count_support(
    language: Language, words: LabelledWords, config: InferenceConfig, name: str
) -> Support:
    """Return the number of words of training and validation behind each part of an automaton."""
    train, valid = (sample_of(words, part, config, name) for part in (TRAIN, VALID))
    return Support.of(language, join_samples(train, valid))
