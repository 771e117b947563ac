"""The answers of a model to words, and its scores: `lw.predict` and `lw.evaluate`."""

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lengthwise.arguments import require_integer, require_text
from lengthwise.circuits.gate_sequence import GateSequence
from lengthwise.constructions.exact import Construction
from lengthwise.errors import ConfigError, LengthwiseWarning, WordError
from lengthwise.evaluation.evaluate import evaluate_words as evaluate_task
from lengthwise.evaluation.predict import device_of
from lengthwise.evaluation.scores import Scores
from lengthwise.languages.language import Language
from lengthwise.languages.validation import short
from lengthwise.models.custom_network import require_steady_if_own, with_lengths
from lengthwise.models.eval_mode import keeps_mode
from lengthwise.problems.base import Run, evaluate_and_store
from lengthwise.problems.circuit import circuit_predictor
from lengthwise.problems.classification import classify
from lengthwise.problems.recognition.measure import RecognitionEvaluation
from lengthwise.problems.recognition.problem import Recognition
from lengthwise.problems.resolve import (
    Model,
    fitting_language,
    list_lengths,
    module_of,
    run_of,
)
from lengthwise.problems.results import Evaluation, Predictor, Watch, read_options
from lengthwise.problems.runs import load_run
from lengthwise.tasks.task import Task
from lengthwise.training.progress import caller_watch


@keeps_mode
def predict(
    model: Model,
    inputs: Sequence[str | Sequence[int]],
    *,
    language: Language | str | None = None,
    **options: Any,
) -> list[str]:
    """Return the answer of a model to each input.

    Args:
        model: a run, a construction, or a network alone.
        inputs: words as strings, or as sequences of integers, as encoded; of a circuit its bits; of
            other runs the lines that the commands `predict` and `translate` read.
        language: the language of a network that is given alone.
        options: those of the command `predict`, for runs that are not about a language.

    Returns:
        For a language the name of each word's class: that of the largest logit, in the model's own
        precision, and the first of equal ones. Certificates are about this class.

    Examples:
        >>> import lengthwise as lw
        >>> lw.predict(lw.load("zoo:parity"), ["", "0110", "1" * 1001])
        ['0', '0', '1']

    Raises:
        WordError: an input cannot be read: a symbol is not in the alphabet, or a word is outside
            the domain.
        ConfigError: the model was made for other symbols or classes, or the inputs are not a list,
            or the logits are not finite.
        LanguageError: a network is given alone.
    """
    module = with_lengths(module_of(model))
    if isinstance(model, Construction) and isinstance(model.about, GateSequence):
        if language is not None or options:
            option = "language" if language is not None else min(options)
            raise ConfigError(f"{option} is not for circuits. Leave it out.")
        return _answers(circuit_predictor(model.model, model.about), inputs)
    run = None if language is not None else run_of(model)
    if run is not None and (options or run.problem.kind != Recognition.kind):
        return _answer(run, inputs, options)
    if options:
        raise ConfigError(f"{min(options)} is not for words of a language. Leave it out.")
    chosen = fitting_language(model, language)
    if not _are_words(inputs):
        raise ConfigError(
            f"words are a list of strings, but got {short(inputs)}. Give [word], where a word is a "
            f"string, or the numbers that language.encode makes of one."
        )
    encoded = [chosen.encode(word) if isinstance(word, str) else tuple(word) for word in inputs]
    for word in encoded:
        chosen.require_in_domain(word)
    require_steady_if_own(module, encoded)
    return [each.shown for each in classify(module, chosen, encoded)]


def _answer(run: Run, inputs: object, options: Mapping[str, Any]) -> list[str]:
    """Return the answers of a run to texts, as the command `predict` does."""
    for option in options:
        if option not in run.problem.setup.predict_options - {"keep_going"}:
            raise ConfigError(f"{option} is not for {run.problem.noun}. Leave it out.")
    return _answers(run.problem.predictor(run, read_options(options)), inputs)


def _answers(predictor: Predictor, inputs: object) -> list[str]:
    if isinstance(inputs, str) or not (
        isinstance(inputs, Sequence) and all(isinstance(each, str) for each in inputs)
    ):
        remedy = "Give [text]" if isinstance(inputs, str) else "Write each input as a string"
        raise ConfigError(f"inputs are a list of strings, but got {short(inputs)}. {remedy}.")
    read = []
    for number, text in enumerate(inputs, 1):
        try:
            read.append(predictor.read(text))
        except WordError as error:
            if predictor.joint != " ":  # the error is a sentence by itself
                raise
            raise WordError(f"input {number} {error}") from None
    answers = predictor.answer(read)
    if any(each.mark for each in answers):
        warnings.warn(" ".join(predictor.notes(answers)), LengthwiseWarning, stacklevel=3)
    return [each.shown for each in answers]


@keeps_mode
def evaluate(
    model: Model,
    *,
    lengths: Sequence[int] | None = None,
    language: Language | str | None = None,
    protocol: str | None = None,
    words_per_length: int | None = None,
    seed: int = 0,
    progress: bool | None = None,
    store: bool = True,
    **options: Any,
) -> Any:
    """Test a model on fresh words of a language, or a run on its own problem.

    The result of a run is stored in its folder, if it has one, in place of the last one: `compare`
    and the report read it there. Dropout and noise are off.

    Args:
        model: a run, a construction, or a network alone.
        lengths: lengths of the words, in symbols: 41 to 500, or for a run greater than those of
            training.
        language: a language to test on; a network alone needs one. Nothing is stored then.
        protocol: how words are drawn; the run's own, or `audited` where a `language` is given.
        words_per_length: number of words of each length, 512 unless it is given.
        seed: of the words.
        progress: True prints lines where no bar can be shown, False nothing.
        store: False writes nothing.
        options: of other problems those of the command `evaluate`, such as `part`.

    Returns:
        `Scores` for a language: accuracy and loss (nats per word) by length and class;
        `.shortcuts()` says how far rules get on such words without recognising the language. An
        `Evaluation` for other problems. `.summary()` summarises both.

    Examples:
        >>> import lengthwise as lw
        >>> lw.evaluate(lw.load("zoo:parity"), lengths=[50, 500], words_per_length=20)
        Scores(regular-gpt-binary on parity@1: mean 100.00 %, worst 100.00 % at length 50; ...)

    Raises:
        TaskError: no length has a word, or the language has no words of that protocol.
        ConfigError: the model was made for other symbols or classes, lengths are not integers, or
            an option is not for this problem.
        LanguageError: a network is given alone.
        RunError: the model computes a circuit.
    """
    module, watch = with_lengths(module_of(model)), caller_watch(progress)
    seed = require_integer("seed", seed)
    if words_per_length is not None:
        words_per_length = require_integer("words_per_length", words_per_length, 1)
    if protocol is not None:
        require_text("protocol", protocol, "audited")
    run = None if language is not None else run_of(model)
    if run is not None:
        given = {"lengths": lengths, "protocol": protocol, "words": words_per_length}
        asked = {**given, "seed": None if seed == 0 else seed, **options}
        if isinstance(against := options.get("against"), str | Path):
            asked["against"] = load_run(against, device=str(device_of(module)))
        return _evaluate(run, asked, watch, store=store)
    chosen = fitting_language(model, language)
    if options:
        remedy = "Use words_per_length." if "words" in options else "Leave it out."
        raise ConfigError(f"{min(options)} is not for words of a language. {remedy}")
    task = Task(language=chosen, protocol=protocol or "audited")
    asked_lengths = list_lengths(range(41, 501) if lengths is None else lengths)
    shortest = sorted({n for n in asked_lengths if 0 < n <= _LONGEST_TRIED})[:3]
    require_steady_if_own(
        module, [[place % min(2, chosen.num_symbols) for place in range(n)] for n in shortest]
    )
    with watch(f"evaluating {task.title}") as shown:
        return evaluate_task(
            module,
            task,
            asked_lengths,
            words_per_length=512 if words_per_length is None else words_per_length,
            seed=seed,
            device=device_of(module),
            progress=shown,
        )


_LONGEST_TRIED = 1000
"""Greatest length of the words that a network of somebody's own is tried on."""


def _evaluate(
    run: Run, options: Mapping[str, Any], watch: Watch, *, store: bool
) -> Scores | Evaluation:
    """Test a run on its own problem, with the options that are not None."""
    asked = {name: value for name, value in options.items() if value is not None}
    if "lengths" in asked:
        asked["lengths"] = list_lengths(asked["lengths"])
    found = evaluate_and_store(run, asked, watch, stored=store)
    return found.scores if isinstance(found, RecognitionEvaluation) else found


def _are_words(words: object) -> bool:
    return (
        isinstance(words, Sequence)
        and not isinstance(words, str)
        and all(isinstance(word, Sequence) for word in words)
    )
