"""The public functions of the package, as `import lengthwise as lw` provides them."""

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from lengthwise.arguments import path_of, require_integer
from lengthwise.constructions.exact import Construction
from lengthwise.constructions.folders import read_construction
from lengthwise.constructions.known_constructions import construct
from lengthwise.errors import ConfigError, LengthwiseWarning, VerificationError
from lengthwise.languages.functions.by_name import named_language
from lengthwise.languages.functions.function import Function
from lengthwise.languages.language import Language
from lengthwise.languages.spec import alphabet_text, require_alphabet
from lengthwise.models.custom import OwnModel, keep_again, own_name
from lengthwise.models.eval_mode import keeps_mode
from lengthwise.problems.base import Problem, Run
from lengthwise.problems.capabilities import proving
from lengthwise.problems.functions.problem import FunctionProblem
from lengthwise.problems.infer_then_train import with_inference
from lengthwise.problems.inferred.inference import Inference, infer_from, read_reference
from lengthwise.problems.inferred.problem import InferredProblem
from lengthwise.problems.inferred.settings import InferenceConfig
from lengthwise.problems.paired_words.inference import (
    PREFIX,
    FunctionInference,
    infer_function,
    read_paired_words,
)
from lengthwise.problems.paired_words.problem import PairedWordsProblem
from lengthwise.problems.planning import make_plan
from lengthwise.problems.registry import infers
from lengthwise.problems.resolve import (
    Model,
    choose_language,
    make_language,
    module_of,
    run_of,
)
from lengthwise.problems.runs import load_run
from lengthwise.problems.runs import train as train_plan
from lengthwise.proofs.check.bfloat16_balls import Precision
from lengthwise.proofs.check.certificate import Certificate, Strength
from lengthwise.proofs.search.certify import certify as certify_model
from lengthwise.proofs.search.closure import MAX_CHUNKS
from lengthwise.status_lines import report_silence
from lengthwise.sweeps.executors import executor_for
from lengthwise.training.construction_files import is_compiled
from lengthwise.training.devices import choose_device
from lengthwise.training.model_languages import difference
from lengthwise.training.progress import Shown, caller_progress, caller_watch
from lengthwise.training.run_listing import read_statement
from lengthwise.training.runs import RunFolder


def infer(
    words: Path | str,
    *,
    alphabet: str | Sequence[str] | None = None,
    columns: str | Mapping[str, str] | None = None,
    scheduler: str | None = None,
    progress: bool | None = None,
    **settings: Any,
) -> Inference | FunctionInference:
    r"""Infer an automaton from labelled words; `train` trains a network on the result.

    Args:
        words: a file with a word and its label on each line, or with an event on each (.tsv, .csv,
            .jsonl, .parquet, .xes, the formats of competitions, or a dataset). `pairs:FILE` has
            pairs of an input and its output of equal length: a function is inferred.
        alphabet: all symbols, if not those of the file.
        columns: where the words are: `{"word": "text", "label": "class"}`, or, where each row is an
            event, `{"case": "id", "event": "action", "label": "outcome"}`.
        scheduler: the address of a Dask scheduler, such as `tcp://10.0.0.1:8786`: its workers count
            the words of parts of a large .tsv or .jsonl.
        progress: True prints lines where no bar can be shown, False nothing.
        settings: `budget` (seconds), `assume` (a class of languages), `label_noise` (share of wrong
            labels), `max_states`, `validation_share`, `test_share`, `max_length` (symbols).

    Returns:
        The automaton as `.language`. `.statement` says how sure we may be that it is the language
        meant, first of all on how many of the words it is right that were held out. `print` shows
        the statement, `.draw()` the automaton.

    Examples:
        >>> from pathlib import Path
        >>> import lengthwise as lw
        >>> words = [format(n, "b") for n in range(300)]
        >>> lines = [f"{word}\t{word.count('1') % 2}\n" for word in words]
        >>> size = Path("words.tsv").write_text("".join(lines))
        >>> lw.infer("words.tsv").language
        Language(2 states over '0 1', classes '0 1')

    Raises:
        TextError: the file holds no labelled words, or no automaton with at most `max_states`
            states fits them.
        ConfigError: a setting is unknown, or does not fit; or the scheduler cannot be reached.
    """
    config = InferenceConfig.from_dict(settings)
    place = str(path_of("words", words, "words.tsv"))
    if place.startswith(PREFIX):
        own_alphabet = alphabet_text(alphabet)
        pairs = read_paired_words(place, own_alphabet, config, columns, scheduler=scheduler)
        return infer_function(pairs, config, caller_watch(progress))
    with executor_for(scheduler=scheduler) as executor:
        reference = read_reference(
            place,
            alphabet_text(alphabet),
            config,
            columns,
            workers=None if scheduler is None else executor,
        )
    return infer_from(reference, config, caller_watch(progress))


@report_silence("computing weights")
def compile(spec: Language | Function | str, **settings: Any) -> Construction:
    """Compute exact weights: `.model` is right by construction within `.range`.

    Args:
        spec: a language; a function on words; `circuit:FILE`; or a name such as
            `chiang2022/parity` or `steps2022/addition-2`, which `lengthwise compile` lists.
        settings: of a language `rung` (the kind of network), `chunk_size`, `norm` and `target`; of
            a circuit `error` and `epsilon`; of a name those that the list says.

    Returns:
        `.claim` states what the model computes, `.verify()` compares it with the independent
        definition, and `.explain()` says what each layer does.

    Examples:
        >>> import lengthwise as lw
        >>> made = lw.compile("tomita-4")
        >>> lw.predict(made, ["1001", "1000"])
        ['1', '0']
        >>> made.verify(longest=20, progress=False).holds
        True

    Raises:
        ConstructionError: a setting is out of range, or the result would be too large.
        ConfigError: a setting has another name or type.
        LanguageError, CircuitError: the language or circuit cannot be read.
    """
    if isinstance(spec, Function):
        spec = named_language(spec)
    if not isinstance(spec, str | Language):
        raise ConfigError(
            f"weights are computed for a language, a circuit or a name, such as 'parity', but got "
            f"{spec!r:.40}."
        )
    return Construction.of(construct(spec, settings))


def train(
    language: Language | Function | str | Problem | Inference | FunctionInference,
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

    Args:
        language: a language; a function on words; `steps:addition` and other step tasks;
            `words:FILE`, labelled words; `pairs:FILE`, pairs of words, from which a function is
            inferred first; a corpus, `text:FOLDER` or `translation:FOLDER`; a `Problem`; or what
            `infer` returned, whose automaton or function is trained on. `words:FILE` without a
            `model` is inferred first; with one, that learns the labels.
        model: a name, `package.module:factory`, a network of your own (see `adapt`), or a function
            that builds one. By default `regular-gpt-binary` for a language (`regular-gpt-slots`
            where it has more than 16 state maps, or where the former is not proved), `step-decoder`
            for a step task, `regular-gpt-lm` for `text:` and `encoder-decoder` for `translation:`.
        out: a folder for the run. Calling again continues an interrupted run, and loads a finished
            one.
        preset: sizes and steps: `smoke` (seconds), `laptop` (minutes) or `paper`.
        alphabet: all symbols of a regular expression or of a file of words.
        columns: where a file of words has its words (see `infer`).
        protocol: how words are drawn: `published`, as the authors of RegularGPT did, or `audited`,
            with classes equally often and near misses.
        device: `auto` (an accelerator if there is one), `cpu` or `cuda`.
        film: keep a film of the codes of binary memory in the folder, which `explore` shows.
        progress: True prints lines where no bar can be shown, False nothing; of an object
            `update(step, record)` is called after every step.
        settings: those of network, data, objective and training, such as `max_length=40` (symbols),
            `steps=5000`, `seed=1`, `d_model=128`, or by section, `network={"d_model": 128}`;
            `lengthwise settings` lists them.

    Examples:
        >>> import lengthwise as lw
        >>> run = lw.train("parity", max_length=20, seed=1)
        >>> run
        Run(parity, regular-gpt-binary: training ended with a proof at every length)
        >>> lw.predict(run, ["0110", "1" * 1001])
        ['0', '1']

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
    if isinstance(language, FunctionInference):
        language = PairedWordsProblem.of_inference(language)
    if isinstance(language, Function):
        language = FunctionProblem.of(language)
    if isinstance(language, str | Problem):
        if symbols is not None and isinstance(language, Problem):
            raise ConfigError("a problem has its alphabet; alphabet= is for a name. Leave it out.")
        spec: str | Problem | Language = language
    else:
        spec = require_alphabet(make_language(language), symbols)
    out = None if out is None else path_of("out", out)
    options: Mapping[str, Any] = {"alphabet": symbols, "columns": columns, "protocol": protocol}
    layers: Sequence[Mapping[str, Any]] = [settings]
    if infers(spec, model):
        watch = caller_watch(progress if isinstance(progress, bool) else None)
        rest = with_inference(str(spec), layers, options, out, watch, model=model)
        spec, model, layers, options = rest.subject, rest.model, rest.settings, rest.options
    plan = make_plan(spec, model, preset=preset, settings=layers, options=options)
    with caller_progress(progress, plan.title, plan.training.steps, plan.problem.setup.unit) as bar:
        return train_plan(plan, out=out, device=device, film=film, progress=bar)


def load(
    path: Path | str, *, device: str = "auto", model: OwnModel | None = None
) -> Run | Construction:
    """Load a trained run, or computed weights, from their folder or by `zoo:NAME`.

    Args:
        path: a folder that `train` or the command `compile` wrote, or `zoo:NAME`.
        device: `auto` (an accelerator if there is one), `cpu` or `cuda`.
        model: a network of the same shape, where that of the run was given as an object, or the
            function that builds it, where it was given as one.

    Returns:
        A `Run` for a trained one, a `Construction` for computed weights.

    Examples:
        >>> import lengthwise as lw
        >>> lw.load("zoo:parity").language
        Language(parity: 2 states over '0 1', classes '0 1')

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


@report_silence("certifying")
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

    Args:
        model: a run, a construction, or a network alone.
        language: another language than that of the run or construction; a network alone needs one.
        strength: `auto`, or a kind of claim. `snapped`, the default of continuous memory, is about
            the model whose vectors are moved to the nearest of finitely many; `tabulated`, that of
            recurrences whose step cannot be traced, about its table, which only running the network
            computes again; others are about the model as it runs.
        precision: `weights`, the model's own, or `bfloat16`, the model cast by `.bfloat16()`.
        max_chunks: compositions of a level after which the search ends.

    Returns:
        `.verdict` is `equivalent`, `counterexample` (the word is `.counterexample.word`) or
        `not-closed`: `.reason` says why, and all words of at most `.checked_length` symbols were
        right, as far as the model was explored, or run once where its signs are not certain.
        `.table` is the finite algebra that the model computes, `.summary()["terms"]` has the terms
        of the claim, and `.save(path)` writes a file that `check` checks again.

        The verdict `equivalent` is given only if the checker, which believes nothing of what the
        search found, accepts the proof. The search imports the checker's functions that compute
        networks and bounds on their rounding (`lengthwise.proofs.check`), and nothing else decides
        for both; the checker in Rust (`make checker`) shares no code with either.

    Examples:
        >>> import lengthwise as lw
        >>> lw.certify(lw.load("zoo:parity")).statement
        'The model as it runs gives every word of parity its class, at every length.'

    Raises:
        VerificationError: there are no proofs of such a network, it has other symbols or classes,
            or the strength or precision does not suit it.
        LanguageError: the language has too many state maps to distinguish, or a network is given
            alone.
        RunError: the model computes a circuit.
    """
    max_chunks = require_integer("max_chunks", max_chunks, 1)
    network, run = module_of(model), run_of(model)
    if run is not None:
        against = None if language is None else make_language(language)
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
                f"this is about {statement['inferred']}; {statement['refutation']}",
                LengthwiseWarning,
                stacklevel=3,
            )
        return certificate
    own_language = choose_language(model, language)
    if (other := difference(network, own_language)) is not None:
        raise VerificationError(other)
    return certify_model(
        network, own_language, strength=strength, precision=precision, max_chunks=max_chunks
    )
