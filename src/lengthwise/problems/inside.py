"""Functions that look into a trained model, as `lw` gives them: algebra, stream, analyses.

Each function takes a run or its model. Of a run the language is known, and need not be given.
"""

from collections.abc import Callable, Sequence
from typing import Any

from torch import nn

from lengthwise.analysis.analyses import LONGEST, Findings, Knowledge
from lengthwise.analysis.analyses import analysis_of as analyse_model
from lengthwise.arguments import whole
from lengthwise.errors import ConfigError, LanguageError
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from lengthwise.models.adapted import require_steady_if_own, with_lengths
from lengthwise.models.eval_mode import keeps_mode
from lengthwise.models.streaming import Stream
from lengthwise.models.streaming import open_stream as stream_model
from lengthwise.problems.base import Run
from lengthwise.problems.capabilities import proving
from lengthwise.problems.plan import Plan
from lengthwise.problems.proof import known_verdict, read_proof
from lengthwise.proofs.search.extracted_automaton import ExtractedAutomaton, extract_automaton
from lengthwise.proofs.search.learning_by_tests import LearnedAutomaton
from lengthwise.proofs.search.learning_by_tests import learn_by_tests as learn_from_recogniser
from lengthwise.proofs.search.limits import MAX_ELEMENTS, MAX_STATES
from lengthwise.silence import told
from lengthwise.tasks.task import Task
from lengthwise.training.loop import kept


def module_of(model: nn.Module | Run) -> nn.Module:
    """Return the network of a run, or the network that is given.

    Raises:
        ConfigError: it is neither.
    """
    if isinstance(model, Run):
        return model.model
    if not isinstance(model, nn.Module):
        own = (
            " Give its .model (and a language, where one is asked for)."
            if isinstance(getattr(model, "model", None), nn.Module)
            else ""
        )
        path = " Load its folder: lw.load(folder)." if isinstance(model, str) else ""
        raise ConfigError(
            f"a model is a torch.nn.Module or a run, but got a {type(model).__name__}.{own}{path}"
        )
    return model


@told("extracting")
@keeps_mode
def extract(
    model: nn.Module | Run,
    language: Language | str | None = None,
    *,
    max_elements: int = MAX_ELEMENTS,
    max_states: int = MAX_STATES,
) -> ExtractedAutomaton:
    """Extract the minimal automaton that a model computes: its `.language`.

    A `language` gives symbols, names of classes and domain; a run has its own. `.likeness` says
    whether the automaton is the model itself, which is so for networks of bits and of slots, or
    another function near it. `learn_automaton` takes any model, by tests.

    Of a RegularGPT, `.tables` has the finite algebra, with representatives, merges and distances,
    and `.snapped()` is the model that answers by it. With binary memory the algebra is the model
    itself; otherwise vectors are merged where there is a gap, and `.tables.spread`, `.tables.gap`
    and `.tables.summary()` say how clear that was.

    Raises:
        ConfigError: it is no model, or a number is out of range.
        VerificationError: the model has neither slots nor recurring bits nor vectors of sub-words;
            its weights hold no automaton; it has too many codes; or its algebra has more than
            `max_elements` elements or never repeats.
        LanguageError: no language is given for a model; or the automaton that is learned of an
            algebra has more than `max_states` states.
    """
    network = module_of(model)
    if language is None and isinstance(model, Run):
        language = _symbols(model)
    return extract_automaton(
        network,
        _language_of(model, language),
        max_elements=whole("max_elements", max_elements, 1),
        max_states=whole("max_states", max_states, 1),
    )


def streaming(model: nn.Module | Run, *lengths: int) -> Stream:
    """Return a stream that reads symbol by symbol and answers at the announced lengths.

    Raises:
        ConfigError: the model composes no vectors of sub-words, or a length is no whole number.
        WordError: no length is announced.
    """
    network = module_of(model)
    return stream_model(network, *[whole("an announced length", each) for each in lengths])


@told("learning the automaton")
@keeps_mode
def learn_automaton(
    recogniser: nn.Module | Run | Callable[[list[str]], Sequence[Any]],
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

    `recogniser` is a run, a model with an `alphabet`, or any function from a list of written words
    to their classes. Alphabet, classes and domain of a run are its own unless others are given. The
    settings are those of `lengthwise.proofs.search.learning_by_tests.learn_by_tests`, which says
    how words are drawn and what the tests support.

    Raises:
        ConfigError: a number is out of range, the model has other numbers of symbols or classes, or
            the recogniser answers with something else than one of the classes for each word.
        LanguageError: the alphabet, the classes and the domain do not fit together, or even the
            first hypothesis has more than `max_states` states.
    """
    if isinstance(recogniser, Run):
        own = _symbols(recogniser)
        alphabet = own.alphabet if alphabet is None else alphabet
        classes = own.class_names if classes is None else classes
        domain = own.domain if domain is None else domain
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
            f"an alphabet is a text such as '01', or a list of symbols, but got {alphabet!r:.40}."
        )
    if classes is not None and not _are_texts(classes):
        raise ConfigError(
            f"classes are a text such as '01', or a list of names, but got {classes!r:.40}."
        )
    return learn_from_recogniser(
        recogniser,
        alphabet,
        classes=classes,
        domain=domain,
        max_length=whole("max_length", max_length),
        num_tests=whole("num_tests", num_tests, 1),
        seed=whole("seed", seed),
        max_states=whole("max_states", max_states, 1),
        batch_size=whole("batch_size", batch_size, 1),
    )


@told("analysing")
def analyse(
    model: nn.Module | Run,
    figure: str = "clusters",
    *,
    language: Language | str | None = None,
    lengths: Sequence[int] = (),
    words_per_length: int = 100,
    seed: int = 0,
) -> Findings:
    """Look into a RegularGPT by a figure in `ANALYSES`, such as `clusters`, on uniform words.

    The result has `.numbers`, `.meaning` (what they say of this model), `.record`, and `.draw()`,
    a matplotlib figure. A run is analysed on its own language. Without `lengths`, words have 500
    symbols, and those of `deeper-trees` as many as the longest of training. Nothing is written; the
    command `analyse` stores what it finds in the folder of the run, and `report` shows it.

    Raises:
        ConfigError: there is no such analysis, the model is no RegularGPT, or a number is none.
        TaskError: a length has no word or no positions, or there are too many symbols.
        LanguageError: the language has too many elements, or none is given for a model.
        ClaimError: something is not finite.
    """
    network = module_of(model)
    chosen = _language_of(model, language)
    if isinstance(lengths, str | int) or not isinstance(lengths, Sequence):
        raise ConfigError(f"lengths are a list of whole numbers, but got {lengths!r:.40}.")
    record = analyse_model(
        figure,
        network,
        Task(language=chosen),
        lengths=[whole("a length", each, 1) for each in lengths],
        words_per_length=whole("words_per_length", words_per_length, 1),
        seed=whole("seed", seed),
        longest=longest_of_training(model),
    )
    known = knowledge_of(model) if isinstance(model, Run) and language is None else Knowledge()
    return Findings(record=record, known=known)


def longest_of_training(model: nn.Module | Run) -> int:
    """Return the greatest length of the words of training, or 40 where it is not known."""
    plan = model.plan if isinstance(model, Run) else None
    data = plan.data if isinstance(plan, Plan) else None
    found: int = getattr(data, "max_length", LONGEST)
    return found


def knowledge_of(run: Run) -> Knowledge:
    """Return what is proved or refuted about the model of a run, as it runs.

    Of a run with a folder the certificate there says so, which is checked here; of another one,
    the proof that ended its training.

    Raises:
        CertificateError: the certificate was changed, or is of another network or other symbols.
    """
    if run.folder is None:
        verdict = "equivalent" if run.metrics and kept(run.metrics).get("proved") else None
    else:
        verdict = known_verdict(read_proof(run.folder, _symbols(run)), run.language)
    return Knowledge(verdict=verdict, has_binary_memory=has_binary_memory(run.plan.network))


def has_binary_memory(network: object) -> bool:
    """Return whether a network with these settings hands on signs only."""
    return getattr(network, "memory", None) == "binary"


def _language_of(model: nn.Module | Run, language: Language | str | None) -> Language:
    if language is not None:
        return language if isinstance(language, Language) else parse(language)
    if isinstance(model, Run):
        return model.language
    raise LanguageError("of a model the language must be given. Give language='parity', say.")


def _are_texts(values: object) -> bool:
    return isinstance(values, Sequence) and all(isinstance(each, str) for each in values)


def _symbols(run: Run) -> Language:
    """Return the language of a run, or an automaton with the symbols and classes of its words."""
    return proving(run.problem).symbols
