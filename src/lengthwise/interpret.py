"""What a trained model computes, and how: its automaton, its algebra, its stream, its vectors.

Functions take a run, a construction, or a network alone, whose language is then given.
"""

from collections.abc import Callable, Sequence
from typing import Any

from torch import nn

from lengthwise.analysis.analyses import LONGEST, Findings, Knowledge, has_binary_memory
from lengthwise.analysis.analyses import analysis_of as analyse_model
from lengthwise.arguments import require_integer, require_text
from lengthwise.constructions.construction import Computed
from lengthwise.errors import ConfigError
from lengthwise.evaluation.shortcuts import shortcuts_beside, spread_lengths
from lengthwise.languages.language import Language
from lengthwise.models.custom_network import require_steady_if_own, with_lengths
from lengthwise.models.eval_mode import keeps_mode
from lengthwise.models.streaming import Stream
from lengthwise.models.streaming import open_stream as stream_model
from lengthwise.problems.base import Run
from lengthwise.problems.plan import Plan
from lengthwise.problems.resolve import (
    Model,
    choose_language,
    list_lengths,
    make_language,
    module_of,
    run_of,
    symbols_of,
)
from lengthwise.problems.run_certificate import find_known_verdict, read_proof
from lengthwise.proofs.search.code_recurrence import CodeRecurrence
from lengthwise.proofs.search.exploration import decide
from lengthwise.proofs.search.extracted_automaton import Extraction, extract_automaton
from lengthwise.proofs.search.learning_by_tests import LearnedAutomaton
from lengthwise.proofs.search.learning_by_tests import learn_by_tests as learn_from_recogniser
from lengthwise.proofs.search.limits import MAX_ELEMENTS, MAX_STATES
from lengthwise.status_lines import report_silence
from lengthwise.tasks.task import Task
from lengthwise.training.loop import find_kept_record

__all__ = [
    "CodeRecurrence",
    "Findings",
    "LearnedAutomaton",
    "Stream",
    "analyse",
    "decide",
    "learn_automaton",
    "shortcuts",
    "streaming",
]


@report_silence("extracting")
@keeps_mode
def extract(
    model: Model,
    *,
    language: Language | str | None = None,
    max_elements: int = MAX_ELEMENTS,
    max_states: int = MAX_STATES,
) -> Extraction:
    """Extract the minimal automaton that a model computes: `.automaton`.

    Args:
        model: a run, a construction, or a network alone.
        language: what gives symbols, names of classes and domain of a network alone.
        max_elements: most elements of the algebra of a RegularGPT.
        max_states: most states of the automaton.

    Returns:
        `.fidelity` says whether the automaton is the model itself, which is so for networks of bits
        and of slots, or another function near it. Of a RegularGPT, `.algebra` has the finite
        algebra, with representatives, merges and distances, and `.snap()` is the model that
        answers by it. With binary memory the algebra is the model itself; otherwise vectors are
        merged where there is a gap, and `.algebra.spread`, `.algebra.gap` and `.algebra.summary()`
        say how clear that was. Of networks that are read symbol by symbol, also your own, the state
        is snapped, and `.states` is the table. `interpret.learn_automaton` takes any model, by
        tests.

    Examples:
        >>> import lengthwise as lw
        >>> lw.extract(lw.load("zoo:parity")).automaton == lw.language("parity").minimise()
        True

    Raises:
        ConfigError: it is not a model, or a number is out of range.
        VerificationError: the model has neither slots nor vectors of sub-words, and is not read
            symbol by symbol; no snapping is usable;
            its weights hold no automaton; it has too many codes; or its algebra has more than
            `max_elements` elements or never repeats.
        LanguageError: a network is given alone; or the automaton that is learned of an algebra has
            more than `max_states` states.
        RunError: the model computes a circuit.
    """
    network = module_of(model)
    return extract_automaton(
        network,
        symbols_of(model, language),
        max_elements=require_integer("max_elements", max_elements, 1),
        max_states=require_integer("max_states", max_states, 1),
    )


def streaming(model: Model, *lengths: int) -> Stream:
    """Return a stream that reads symbol by symbol and answers at the announced lengths.

    Args:
        model: a run, a construction, or a network alone that composes vectors of sub-words.
        lengths: the lengths at which it is asked, in symbols.

    Examples:
        >>> import lengthwise as lw
        >>> run = lw.load("zoo:parity")
        >>> stream = lw.interpret.streaming(run, 3)
        >>> stream.feed(run.language.encode("111"))
        >>> stream.answer().shape
        torch.Size([2])

    Raises:
        ConfigError: the model composes no vectors of sub-words, or a length is not an integer.
        WordError: no length is announced.
    """
    network = module_of(model)
    return stream_model(
        network, *[require_integer("an announced length", length) for length in lengths]
    )


@report_silence("learning the automaton")
@keeps_mode
def learn_automaton(
    recogniser: Model | Callable[[list[str]], Sequence[Any]],
    alphabet: Sequence[str] | None = None,
    *,
    classes: Sequence[str] | None = None,
    domain: Language | None = None,
    max_length: int = 40,
    num_tests: int = 10_000,
    seed: int = 0,
    max_states: int = MAX_STATES,
    batch_size: int = 1024,
) -> LearnedAutomaton:
    """Learn an automaton from any recogniser by asking it words; `.language` is the automaton.

    `lengthwise.proofs.search.learning_by_tests.learn_by_tests` says how words are drawn and what
    the tests support.

    Args:
        recogniser: a run, a construction, a network with an `alphabet`, or any function from a list
            of written words to their classes.
        alphabet: its symbols; those of the run or construction unless they are given.
        classes: names of its classes; those of the run or construction unless they are given.
        domain: the words that it is asked; all, or those of the run or construction.
        max_length: most symbols of a word of the tests.
        num_tests: words by which a hypothesis is tested.
        seed: of these words.
        max_states: most states of a hypothesis.
        batch_size: words that are asked at once.

    Examples:
        >>> import lengthwise as lw
        >>> def threes(words):
        ...     return [word.count("a") % 3 == 0 for word in words]
        >>> lw.interpret.learn_automaton(threes, "ab", num_tests=500).language
        Language(3 states over 'a b', classes '0 1')

    Raises:
        ConfigError: a number is out of range, the model has other numbers of symbols or classes, or
            the recogniser answers with something else than one of the classes for each word.
        LanguageError: the alphabet, the classes and the domain do not fit together, or even the
            first hypothesis has more than `max_states` states.
    """
    if isinstance(recogniser, Run | Computed):
        symbols = symbols_of(recogniser, None)
        alphabet = symbols.alphabet if alphabet is None else alphabet
        classes = symbols.class_names if classes is None else classes
        domain = symbols.domain if domain is None else domain
        recogniser = recogniser.model
    elif isinstance(recogniser, nn.Module):
        recogniser = with_lengths(recogniser)
        first = None if domain is None else domain.shortest(1)
        words = [(0,), (0, 0), (0, 0, 0)] if domain is None else [first or ()]
        require_steady_if_own(recogniser, words)
    elif not callable(recogniser):
        raise ConfigError(
            f"a recogniser is a run, a model or a function from words to classes, but got "
            f"{recogniser!r:.40}."
        )
    if alphabet is None or not _are_texts(alphabet):
        raise ConfigError(
            f"an alphabet is a string such as '01', or a list of symbols, but got {alphabet!r:.40}."
        )
    if classes is not None and not _are_texts(classes):
        raise ConfigError(
            f"classes are a string such as '01', or a list of names, but got {classes!r:.40}."
        )
    return learn_from_recogniser(
        recogniser,
        alphabet,
        classes=classes,
        domain=domain,
        max_length=require_integer("max_length", max_length),
        num_tests=require_integer("num_tests", num_tests, 1),
        seed=require_integer("seed", seed),
        max_states=require_integer("max_states", max_states, 1),
        batch_size=require_integer("batch_size", batch_size, 1),
    )


@report_silence("analysing")
def analyse(
    model: Model,
    figure: str = "clusters",
    *,
    language: Language | str | None = None,
    lengths: Sequence[int] = (),
    words_per_length: int = 100,
    seed: int = 0,
) -> Findings:
    """Look into a RegularGPT by a figure in `ANALYSES`, on uniform words; nothing is written.

    The command `analyse` stores what it finds in the folder of the run, and `report` shows it.

    Args:
        model: a run, a construction, or a network alone.
        figure: the analysis: `clusters`, `receptive-field`, `deeper-trees` or `attention`.
        language: the language of a network alone.
        lengths: of the words, in symbols: 500, and for `deeper-trees` the longest of training.
        words_per_length: number of words of each length.
        seed: of the words.

    Returns:
        `.numbers`, `.meaning` (what they say of this model), `.record`, and `.draw()`, a matplotlib
        figure.

    Examples:
        >>> import lengthwise as lw
        >>> found = lw.interpret.analyse(lw.load("zoo:parity"), lengths=[64], words_per_length=50)
        >>> dict(found.numbers)["purity"]
        '100.00 %'

    Raises:
        ConfigError: there is no such analysis, the model is not a RegularGPT, or an option is not a
            number.
        TaskError: a length has no word or no positions, or there are too many symbols.
        LanguageError: the language has too many elements, or a network is given alone.
        ClaimError: something is not finite.
    """
    network, run = module_of(model), run_of(model)
    own_language = choose_language(model, language)
    if isinstance(lengths, str | int) or not isinstance(lengths, Sequence):
        raise ConfigError(f"lengths are a list of integers, but got {lengths!r:.40}.")
    record = analyse_model(
        figure,
        network,
        Task(language=own_language),
        lengths=[require_integer("a length", length, 1) for length in lengths],
        words_per_length=require_integer("words_per_length", words_per_length, 1),
        seed=require_integer("seed", seed),
        longest=longest_of_training(run),
    )
    known = knowledge_of(run) if run is not None and language is None else Knowledge()
    return Findings(record=record, known=known)


def longest_of_training(run: Run | None) -> int:
    """Return the greatest length of the words of training, or 40 where it is not known."""
    data = run.plan.data if run is not None and isinstance(run.plan, Plan) else None
    length: int = getattr(data, "max_length", LONGEST)
    return length


def knowledge_of(run: Run) -> Knowledge:
    """Return what is proved or refuted about the model of a run, as it runs.

    Of a run with a folder the certificate there says so, which is checked here; of another one,
    the proof that ended its training.

    Raises:
        CertificateError: the certificate was changed, or is of another network or other symbols.
    """
    if run.folder is None:
        verdict = (
            "equivalent" if run.metrics and find_kept_record(run.metrics).get("proved") else None
        )
    else:
        verdict = find_known_verdict(read_proof(run.folder, symbols_of(run, None)), run.language)
    return Knowledge(verdict=verdict, has_binary_memory=has_binary_memory(run.plan.network))


def shortcuts(
    language: Language | str,
    lengths: Sequence[int] = range(41, 501),
    *,
    protocol: str = "audited",
    words_per_length: int = 512,
    seed: int = 0,
) -> dict[str, float]:
    """Return the accuracy of rules that recognise no language, on words such as those of a test.

    The rules are `majority`, `length only`, `symbol counts` and `first and last symbol`, learnt
    from other words of the same lengths. A model that does no better has learnt none of the
    language. The mean is over lengths; of more than 60 lengths, five runs of twelve neighbouring
    ones are used. `Scores.shortcuts` does the same for the words of a test.

    Args:
        language: the language of the words.
        lengths: their lengths, in symbols.
        protocol: how they are drawn: `audited` or `published`.
        words_per_length: number of words of each length.
        seed: of the words.

    Examples:
        >>> import lengthwise as lw
        >>> rules = lw.interpret.shortcuts("first", [20], words_per_length=50)
        >>> rules["first and last symbol"]
        1.0

    Raises:
        TaskError: a length has no word, or the language has no words of that protocol.
        ConfigError: lengths are not integers, or there is no such protocol.
    """
    protocol = require_text("protocol", protocol, "audited")
    task = Task(language=make_language(language), protocol=protocol)
    seed, words = (
        require_integer("seed", seed),
        require_integer("words_per_length", words_per_length, 1),
    )
    return shortcuts_beside(task, spread_lengths(list_lengths(lengths)), words, seed)


def _are_texts(values: object) -> bool:
    return isinstance(values, Sequence) and all(isinstance(value, str) for value in values)
