"""The public functions of the package, as `import lengthwise as lw` provides them."""

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from lengthwise.arguments import path_of, require_text, whole
from lengthwise.circuits.gate_sequence import GateSequence
from lengthwise.constructions.exact import Construction
from lengthwise.constructions.folders import read_construction
from lengthwise.constructions.known_constructions import construct
from lengthwise.errors import ConfigError, LengthwiseWarning, VerificationError, WordError
from lengthwise.evaluation.evaluate import evaluate_words as evaluate_task
from lengthwise.evaluation.predict import device_of
from lengthwise.evaluation.scores import Scores
from lengthwise.languages.language import Language
from lengthwise.languages.spec import alphabet_text, require_alphabet
from lengthwise.languages.validation import short
from lengthwise.models.adapted import require_steady_if_own, with_lengths
from lengthwise.models.eval_mode import keeps_mode
from lengthwise.models.own import OwnModel, keep_again, own_name
from lengthwise.problems.base import Problem, Run, evaluated
from lengthwise.problems.capabilities import proving
from lengthwise.problems.circuit import circuit_predictor
from lengthwise.problems.classification import classify
from lengthwise.problems.given import (
    Model,
    asked_language,
    fitting_language,
    listed_lengths,
    module_of,
    named_language,
    run_of,
)
from lengthwise.problems.inferred.inference import Inference, infer_from, referred
from lengthwise.problems.inferred.problem import InferredProblem
from lengthwise.problems.inferred.settings import InferenceConfig
from lengthwise.problems.planning import make_plan
from lengthwise.problems.recognition.measure import RecognitionEvaluation
from lengthwise.problems.recognition.problem import Recognition
from lengthwise.problems.registry import infers
from lengthwise.problems.results import Evaluation, Predictor, Watch, read_options
from lengthwise.problems.runs import load_run
from lengthwise.problems.runs import train as train_plan
from lengthwise.problems.without_model import with_inference
from lengthwise.proofs.check.certificate import Certificate, Strength
from lengthwise.proofs.check.narrow import Precision
from lengthwise.proofs.search.certify import certify as certify_model
from lengthwise.proofs.search.closure import MAX_CHUNKS
from lengthwise.silence import told
from lengthwise.tasks.task import Task
from lengthwise.training.compiled import is_compiled
from lengthwise.training.devices import choose_device
from lengthwise.training.listing import read_statement
from lengthwise.training.made_for import difference
from lengthwise.training.progress import Shown, caller_progress, caller_watch
from lengthwise.training.runs import RunFolder


def infer(
    words: Path | str,
    *,
    alphabet: str | Sequence[str] | None = None,
    columns: str | Mapping[str, str] | None = None,
    progress: bool | None = None,
    **settings: Any,
) -> Inference:
    """Infer an automaton from labelled words; the result has it as `.language`.

    `words` names a file with a word and its label on each line, or with an event on each (.tsv,
    .csv, .jsonl, .parquet, .xes, the formats of competitions, or a dataset).
    `.statement` says how sure we may be that the automaton is the language meant, first of all on
    how many of the words it is right that were held out; `print` shows it, and `.draw()` draws the
    automaton. `train` trains a network on the result until it is proved to compute the automaton.

    `alphabet` gives all symbols, if not those of the file. `columns` says where the words are,
    such as `{"word": "text", "label": "class"}`, or `{"case": "id", "event": "action", "label":
    "outcome"}` where each row is an event. `settings` are `budget` (seconds), `assume` (a class),
    `label_noise`, `max_states`, `validation_share`, `test_share` and `max_length`. `progress` is
    that of `evaluate`.

    Raises:
        TextError: the file holds no labelled words, or no automaton with at most `max_states`
            states fits them.
        ConfigError: a setting is unknown, or does not fit.
    """
    config = InferenceConfig.from_dict(settings)
    place = str(path_of("words", words, "words.tsv"))
    reference = referred(place, alphabet_text(alphabet), config, columns)
    return infer_from(reference, config, caller_watch(progress))


@told("computing weights")
def compile(spec: Language | str, **settings: Any) -> Construction:
    """Compute exact weights: `.model` is right by construction within `.range`.

    `.claim` states what the model computes, `.verify()` compares it with the independent
    definition, and `.explain()` says what each layer does. `spec` is a language (`chunk`, `norm`,
    `target` are its settings), `circuit:FILE` (`error`, `epsilon`), or a name such as
    `chiang2022/parity` or `steps2022/addition-2`; `lengthwise compile` lists them.

    Raises:
        ConstructionError: a setting is out of range, or the result would be too large.
        ConfigError: a setting has another name or type.
        LanguageError, CircuitError: the language or circuit cannot be read.
    """
    if not isinstance(spec, str | Language):
        raise ConfigError(
            f"weights are computed for a language, a circuit or a name, such as 'parity', but got "
            f"{spec!r:.40}."
        )
    return Construction.of(construct(spec, settings))


def train(
    language: Language | str | Problem | Inference,
    model: str | OwnModel | None = None,
    *,
    out: Path | str | None = None,
    preset: str = "laptop",
    alphabet: str | Sequence[str] | None = None,
    columns: str | Mapping[str, str] | None = None,
    protocol: str | None = None,
    device: str = "auto",
    film: bool = False,
    progress: Shown = None,
    **settings: Any,
) -> Run:
    """Train a model on a language, a step task, words or a corpus; it is `run.model`.

    `model` is a name, `package.module:factory`, a network of your own (see `adapt`), or a function
    that builds one. By default it is `regular-gpt-binary` for a language (`regular-gpt-slots` where
    there are more than 16 state maps, or where the former is not proved), `step-decoder` for a step
    task, `regular-gpt-lm` for `text:FOLDER`, and `encoder-decoder` for `pairs:FOLDER`.

    An `Inference` is trained on as the automaton that it found, and the run keeps its statement.
    `words:FILE` without a `model` does the same after `infer`; with one, that learns the labels.

    `settings` are those of network, data, objective and training, such as `max_length=40`,
    `steps=5000`, `seed=1`, `d_model=128`, or by section, `network={"d_model": 128}`; `lengthwise
    settings` lists them. With `out`, the run is kept in that folder. Calling again continues an
    interrupted run, and loads a finished one. With `film=True` the folder also keeps a film of the
    codes of a network with binary memory, which `lengthwise explore` shows. `alphabet` gives all
    symbols of a regular expression or of a file of words, `columns` says where such a file has its
    words (see `infer`), and `protocol` says how words are drawn.

    A bar shows the progress on a terminal and in a notebook, and nothing elsewhere; `progress=True`
    prints lines wherever there is no bar, `progress=False` silences, and an object with
    `update(step, record)` is called after every step.

    Raises:
        ConfigError: a name or value does not fit.
        RunError: the folder holds another run.
        ClaimError: the loss is not finite.
    """
    if not isinstance(model, str | None):
        model = own_name(model)
    symbols = alphabet_text(alphabet)
    if isinstance(language, Inference):
        language = InferredProblem.of(language)
    if isinstance(language, str | Problem):
        if symbols is not None and isinstance(language, Problem):
            raise ConfigError("a problem has its alphabet; alphabet= is for a name. Leave it out.")
        spec: str | Problem | Language = language
    else:
        spec = require_alphabet(named_language(language), symbols)
    out = None if out is None else path_of("out", out)
    options: Mapping[str, Any] = {"alphabet": symbols, "columns": columns, "protocol": protocol}
    layers: Sequence[Mapping[str, Any]] = [settings]
    if infers(spec, model):
        watch = caller_watch(progress if isinstance(progress, bool) else None)
        rest = with_inference(str(spec), layers, options, out, watch)
        spec, model, layers, options = (rest.subject, rest.model, rest.settings, rest.options)
    plan = make_plan(spec, model, preset=preset, settings=layers, options=options)
    with caller_progress(progress, plan.title, plan.training.steps, plan.problem.setup.unit) as bar:
        return train_plan(plan, out=out, device=device, film=film, progress=bar)


def load(
    path: Path | str, *, device: str = "auto", model: OwnModel | None = None
) -> Run | Construction:
    """Load a trained run, or computed weights, from their folder or by `zoo:NAME`.

    A folder that `train` wrote gives a `Run`, and one that `compile` wrote a `Construction`.

    `model` is a network of the same shape, where that of the run was given as an object, or the
    function that builds it, where it was given as one.

    Raises:
        RunError: the folder holds neither, or is damaged.
        ConfigError: the run's model is neither a given network nor built by a given function.
    """
    path = path_of("a run's folder", path)
    if model is not None:
        own_name(model)  # raises unless it is a network, or builds one
    config = RunFolder(path).config()
    if model is not None:
        keep_again(config["model"], model)
    if not is_compiled(config):
        return load_run(path, device=device)
    construction = Construction.of(read_construction(path))
    construction.model.to(choose_device(device))
    return construction


@keeps_mode
def predict(
    model: Model,
    inputs: Sequence[str | Sequence[int]],
    *,
    language: Language | str | None = None,
    **options: Any,
) -> list[str]:
    """Return the answer of a model to each input.

    `model` is a run, a construction, or a network alone, whose `language` must be given.

    For a language the answer is the class of a word of any length. A word is a string as it is
    written, or a sequence of integers as encoded. The class is that of the largest logit, in the
    model's own precision, and the first of equal ones; certificates are about this class. A circuit
    reads its bits. For other runs the answer is the text that the commands `predict` and
    `translate` print, and `options` are those of the commands.

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
        return _answered(run, inputs, options)
    if options:
        raise ConfigError(f"{min(options)} is not for words of a language. Leave it out.")
    machine = fitting_language(model, language)
    if not _are_words(inputs):
        raise ConfigError(
            f"words are a list of strings, but got {short(inputs)}. Give [word], where a word is a "
            f"string, or the numbers that language.encode makes of one."
        )
    encoded = [machine.encode(word) if isinstance(word, str) else tuple(word) for word in inputs]
    for word in encoded:
        machine.require_in_domain(word)
    require_steady_if_own(module, encoded)
    return [answer.shown for answer in classify(module, machine, encoded)]


def _answered(run: Run, inputs: object, options: Mapping[str, Any]) -> list[str]:
    """Return the answers of a run to texts, as the command `predict` does."""
    for option in options:
        if option not in run.problem.setup.predict_options - {"keep_going"}:
            raise ConfigError(f"{option} is not for {run.problem.noun}. Leave it out.")
    return _answers(run.problem.predictor(run, read_options(options)), inputs)


def _answers(predictor: Predictor, inputs: object) -> list[str]:
    """Return what a predictor answers to texts."""
    if isinstance(inputs, str) or not (
        isinstance(inputs, Sequence) and all(isinstance(value, str) for value in inputs)
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
    if any(answer.mark for answer in answers):
        warnings.warn(" ".join(predictor.notes(answers)), LengthwiseWarning, stacklevel=3)
    return [answer.shown for answer in answers]


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
    store: bool = False,
    **options: Any,
) -> Any:
    """Test a model on fresh words of a language, or a run on its own problem.

    `model` is a run, a construction, or a network alone, whose `language` must be given. The result
    is `Scores` for a language, and an `Evaluation` for other problems.

    Scores have accuracy and loss by length and class, and `.shortcuts()` says how far rules get on
    such words without recognising the language. `lengths` are 41 to 500, or for a run greater than
    those of training; there are 512 words of each unless `words_per_length` is given; `protocol` is
    the run's own, or `audited` where a `language` is given. Of other problems the result has the
    figures, and `options` are those of the command `evaluate`, such as `part`. `.summary()`
    summarises the result: for a language by the mean over lengths, the worst length and the 95 %
    interval.

    `store=True` stores the result in the folder of the run, as the command `evaluate` does, where
    `compare` and the report find it; otherwise nothing is written. `progress` is that of `train`: a
    bar on a terminal and in a notebook, unless it is False. Dropout and noise are off.

    Raises:
        TaskError: no length has a word, or the language has no words of that protocol.
        ConfigError: the model was made for other symbols or classes, lengths are not
            integers, an option is not for this problem, or there is no folder to store into.
        LanguageError: a network is given alone.
        RunError: the model computes a circuit.
    """
    module, watch = with_lengths(module_of(model)), caller_watch(progress)
    seed = whole("seed", seed)
    if words_per_length is not None:
        words_per_length = whole("words_per_length", words_per_length, 1)
    if protocol is not None:
        require_text("protocol", protocol, "audited")
    run = None if language is not None else run_of(model)
    if run is not None:
        test_options = {"lengths": lengths, "protocol": protocol, "words": words_per_length}
        given_options = {**test_options, "seed": None if seed == 0 else seed, **options}
        if isinstance(against := options.get("against"), str | Path):
            given_options["against"] = load_run(against, device=str(device_of(module)))
        return _evaluated(run, given_options, watch, store=store)
    if store:
        raise ConfigError("store keeps the test of a run on its own problem. Leave it out.")
    own_language = fitting_language(model, language)
    if options:
        remedy = "Use words_per_length." if "words" in options else "Leave it out."
        raise ConfigError(f"{min(options)} is not for words of a language. {remedy}")
    task = Task(language=own_language, protocol=protocol or "audited")
    asked_lengths = listed_lengths(range(41, 501) if lengths is None else lengths)
    shortest = sorted({n for n in asked_lengths if 0 < n <= _LONGEST_TRIED})[:3]
    require_steady_if_own(
        module, [[place % min(2, own_language.num_symbols) for place in range(n)] for n in shortest]
    )
    with watch(f"evaluating {task.title}") as bar:
        return evaluate_task(
            module,
            task,
            asked_lengths,
            words_per_length=512 if words_per_length is None else words_per_length,
            seed=seed,
            device=device_of(module),
            progress=bar,
        )


_LONGEST_TRIED = 1000
"""Greatest length of the words that a network of somebody's own is tried on."""


def _evaluated(
    run: Run, options: Mapping[str, Any], watch: Watch, *, store: bool
) -> Scores | Evaluation:
    """Test a run on its own problem, with the options that are not None."""
    if store and (run.folder is None or run.folder.is_read_only):
        reason = "is in a folder that cannot be written to"
        if run.folder is None:
            reason = "has no folder"
        elif run.folder.is_shipped:
            reason = "is part of the package"
        raise ConfigError(f"the run {reason}, so nothing can be stored. Train with out=FOLDER.")
    options_given = {name: value for name, value in options.items() if value is not None}
    if "lengths" in options_given:
        options_given["lengths"] = listed_lengths(options_given["lengths"])
    evaluation = evaluated(run, options_given, watch, stored=store)
    return evaluation.scores if isinstance(evaluation, RecognitionEvaluation) else evaluation


@told("certifying")
@keeps_mode
def certify(
    model: Model,
    *,
    language: Language | str | None = None,
    strength: Literal["auto"] | Strength = "auto",
    precision: Precision = "weights",
    max_chunks: int = MAX_CHUNKS,
) -> Certificate:
    """Prove that a model is right at every length, or find the shortest word on which it is wrong.

    `model` is a run, a construction, or a network alone, whose `language` must be given. Runs and
    constructions are certified on their own language unless another one is given.

    `.verdict` is `equivalent`, `counterexample` (the word is `.counterexample.word`) or
    `not-closed` (`.reason` says why; all words of at most `.checked_length` symbols were right, as
    far as the model was explored, or run once where its signs are not certain). The verdict is
    about the model as it runs, but with the strength `snapped`, which continuous memory has by
    default, about the model whose vectors are moved to the nearest of finitely many: the model
    itself may answer a word otherwise. `.table` is the finite algebra that the model computes,
    `.save(path)` writes all of it to a file that `check` checks again.
    The verdict `equivalent` is given only if that checker, which believes nothing of what the
    search found, accepts the proof. The search imports the checker's functions that compute
    networks and bounds on their rounding (`lengthwise.proofs.check`), and nothing else decides for
    both; the checker in Rust (`make checker`) shares no code with either.
    `.summary()["terms"]` has the terms of the claim.

    `precision="bfloat16"` makes the claim one about the model cast by `.bfloat16()`.

    Raises:
        VerificationError: there are no proofs of such a network, it has other symbols or classes,
            or the strength or precision does not suit it.
        LanguageError: the language has too many state maps to distinguish, or a network is given
            alone.
        RunError: the model computes a circuit.
    """
    max_chunks = whole("max_chunks", max_chunks, 1)
    network, run = module_of(model), run_of(model)
    if run is not None:
        against = None if language is None else named_language(language)
        options = {
            "against": against,
            "strength": strength,
            "precision": precision,
            "max_chunks": max_chunks,
        }
        certificate = proving(run.problem).certify(run, options)
        statement = read_statement(run.folder.path) if run.folder and against is None else None
        if statement is not None and statement["refutation"]:
            warnings.warn(
                f"this is about A; {statement['refutation']}", LengthwiseWarning, stacklevel=3
            )
        return certificate
    own_language = asked_language(model, language)
    if (other := difference(network, own_language)) is not None:
        raise VerificationError(other)
    return certify_model(
        network, own_language, strength=strength, precision=precision, max_chunks=max_chunks
    )


def _are_words(words: object) -> bool:
    return (
        isinstance(words, Sequence)
        and not isinstance(words, str)
        and all(isinstance(word, Sequence) for word in words)
    )
