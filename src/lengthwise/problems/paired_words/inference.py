"""From pairs of words to a function, and what the pairs say of it: the result of `lw.infer`."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lengthwise.data.columns import Columns
from lengthwise.data.paired_words import PairedWords, columns_of_pairs, load_pairs
from lengthwise.data.parts import TEST, TRAIN, VALID
from lengthwise.data.words_reference import WordsReference
from lengthwise.display import Viewed
from lengthwise.errors import ConfigError, TextError
from lengthwise.inference.pairs.search import FunctionSearch
from lengthwise.inference.pairs.statement import PairStatement, state_pairs
from lengthwise.inference.pairs.support import FunctionSupport
from lengthwise.inference.portfolio import End
from lengthwise.languages.characters import split_alphabet
from lengthwise.languages.functions.function import Function
from lengthwise.languages.functions.reading import reading_of
from lengthwise.languages.language import Language
from lengthwise.problems.inferred.inference import notes_of_search
from lengthwise.problems.inferred.settings import InferenceConfig
from lengthwise.problems.inferred.timing import Timer
from lengthwise.problems.results import Watch, no_watch

PREFIX = "pairs:"
"""Prefix of the specifications of files of pairs."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FunctionInference(Viewed):
    """The function that the pairs of a file show, and the statement about it.

    Examples:
        >>> from pathlib import Path
        >>> import lengthwise as lw
        >>> gray = lw.function("gray")
        >>> words = [format(n, "b") for n in range(300)]
        >>> size = Path("gray.tsv").write_text("".join(f"{w}\\t{gray(w)}\\n" for w in words))
        >>> found = lw.infer("pairs:gray.tsv")
        >>> found.function == gray, found.function.size
        (True, 'sequential, 2 states')
    """

    words: WordsReference
    settings: InferenceConfig
    function: Function
    """The function F."""
    statement: PairStatement
    """What the pairs say of F; those that were held out had no part in its choice."""
    end: End
    """Why the search ended."""
    seconds: float
    """Total time of the search, in seconds."""

    @property
    def name(self) -> str:
        """The file, as a specification."""
        return spec_of_pairs(self.words)

    @property
    def language(self) -> Language:
        """The language of F, whose classes of prefixes a network learns."""
        return reading_of(self.function).language

    def __str__(self) -> str:
        lines = [f"{self.name}: {self.statement.headline}", *self.statement.sentences()]
        return "\n".join(
            [*lines, *notes_of_search(self.end, self.seconds, "F is the best function")]
        )

    def __repr__(self) -> str:
        return f"FunctionInference({self.name}: {self.function.size}, {self.statement.headline})"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "function": self.function.to_dict(),
            "words": self.words.to_dict(),
            "inference": self.settings.to_dict(),
            "search": {"end": self.end},
            "statement": self.statement.to_dict(),
        }


def spec_of_pairs(words: WordsReference) -> str:
    """Return a file of pairs as a specification."""
    return f"{PREFIX}{words.shown}"


def read_paired_words(
    spec: str,
    alphabet: str | None,
    config: InferenceConfig,
    columns: str | Mapping[str, str] | Columns | None = None,
    *,
    scheduler: str | None = None,
) -> WordsReference:
    """Return a reference to the file of pairs that a specification names, which is read.

    Raises:
        TextError: none is named, or it holds no pairs; or a pair has two lengths.
        LanguageError: the alphabet is not valid.
        ConfigError: a class of languages is assumed, or a scheduler named.
    """
    file = spec.removeprefix(PREFIX)
    if not file:
        raise TextError(f"{spec} names no file. Give {PREFIX}FILE, a .tsv or .jsonl.")
    for option, value in (("assume", config.assume), ("scheduler", scheduler)):
        if value is not None:
            raise ConfigError(
                f"{option}={value!r:.60} is for labelled words, not for pairs. Leave it out."
            )
    given = alphabet and split_alphabet(alphabet)
    reference = WordsReference.of(
        Path(file),
        given or None,
        by_majority=config.label_noise > 0,
        columns=columns_of_pairs(Path(file), Columns.parse(columns)),
        needs_labels=False,
    )
    load_pairs(reference)
    return replace(reference, class_names=())  # they are all outputs, and the digest has them


def infer_function(
    words: WordsReference, settings: InferenceConfig, watch: Watch = no_watch
) -> FunctionInference:
    """Infer a function from pairs, and then look at those that were held out.

    Raises:
        TextError: a part has no pairs.
    """
    name = spec_of_pairs(words)
    with watch(f"inferring a function from {name}", "seconds") as progress:
        timer = Timer(settings.budget, progress)
        timer.show("reading the pairs")
        pairs = load_pairs(words)
        train, valid, _ = (pairs.part(part, settings, name) for part in (TRAIN, VALID, TEST))
        timer.begin_search()
        search = FunctionSearch(
            train,
            valid,
            settings.label_noise,
            settings.max_states,
            show=lambda search: timer.show(_describe(search)),
        )
        best = search.run(timer.left)
        function = replace(best.function, alphabet=pairs.words.alphabet, outputs=pairs.outputs)
        statement = statement_about(function, pairs, settings, name)
    return FunctionInference(
        words=words,
        settings=settings,
        function=function,
        statement=statement,
        end=search.end,
        seconds=timer.used,
    )


def _describe(search: FunctionSearch) -> str:
    """Return a few words for the best function so far."""
    best = search.best
    if best is None:
        return ""
    return f"best: {best.function.size}, {best.wrong:,} of {search.symbols:,} symbols wrong"


def statement_about(
    function: Function, pairs: PairedWords, config: InferenceConfig, name: str
) -> PairStatement:
    """Return the statement about a function, judged by the pairs held out."""
    return state_pairs(
        function,
        *(pairs.part(part, config, name) for part in (TRAIN, VALID, TEST)),
        noise=config.label_noise,
        undecided=pairs.words.undecided,
    )


def count_support_of(
    function: Function, pairs: PairedWords, config: InferenceConfig, name: str
) -> FunctionSupport:
    """Count the pairs of training and validation behind each part of a function."""
    train, valid = (pairs.part(part, config, name) for part in (TRAIN, VALID))
    return FunctionSupport.of(function, train.join(valid))
