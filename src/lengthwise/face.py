"""The package in a few functions: what `import lengthwise as lw` gives."""

from collections.abc import Mapping, Sequence
from operator import index
from pathlib import Path
from typing import Any, Literal

from torch import nn

from lengthwise.constructions.construction import Construction
from lengthwise.constructions.folders import load_construction as load_stored
from lengthwise.constructions.known_constructions import construct
from lengthwise.constructions.verify import Verification
from lengthwise.constructions.verify import verify as verify_construction
from lengthwise.errors import ConfigError, VerificationError
from lengthwise.evaluation.evaluate import answer_of
from lengthwise.evaluation.evaluate import evaluate as evaluate_task
from lengthwise.evaluation.predict import device_of
from lengthwise.evaluation.predict import predict as predict_words
from lengthwise.evaluation.scores import Scores
from lengthwise.evaluation.translate import DecodingConfig
from lengthwise.experiments.measure import measure_perplexity, measure_steps
from lengthwise.experiments.translated import measure_translation, translated
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from lengthwise.languages.validation import short
from lengthwise.models.language_model import LanguageModel
from lengthwise.models.streaming import Stream
from lengthwise.models.streaming import streaming as stream_model
from lengthwise.tasks.step_specs import is_step_spec, make_step_task
from lengthwise.tasks.steps import StepTask
from lengthwise.tasks.task import Task
from lengthwise.text.documents import PYTHON
from lengthwise.text.numbers import DIGITS, WORDS
from lengthwise.text.pairs import NUMBERS
from lengthwise.text.parallel import PairsConfig, ParallelCorpus, require_further
from lengthwise.text.parallel import prepare_pairs as prepare_parallel_corpus
from lengthwise.text.prepared import TEST, Corpus, PrepareConfig
from lengthwise.text.prepared import prepare as prepare_corpus
from lengthwise.training.language_plan import LanguagePlan, is_text_spec, make_language_plan
from lengthwise.training.loop import Progress
from lengthwise.training.made_for import difference
from lengthwise.training.step_plan import StepPlan, make_step_plan
from lengthwise.training.train import AnyPlan, Run, load_run, make_plan
from lengthwise.training.train import train as train_plan
from lengthwise.training.translation_plan import (
    TranslationPlan,
    is_pairs_spec,
    make_translation_plan,
)
from lengthwise.verification.certificate import Certificate, Strength
from lengthwise.verification.certify import certify as certify_model
from lengthwise.verification.closure import MAX_CHUNKS
from lengthwise.verification.extraction import MAX_ELEMENTS, Extraction
from lengthwise.verification.extraction import extract as extract_algebra
from lengthwise.verification.learning_by_tests import (
    learn_automaton as learn_automaton,  # noqa: PLC0414  handed on as it is
)
from lengthwise.verification.lookup import SnappedModel


def language(spec: str, alphabet: str | None = None) -> Language:
    """The language that a specification names.

    `parity`, `tomita-4`, `d-3`, `count:a:3`, `regex:(0|10*1)*`, `group:S5`, `att:machine.att`, ...;
    `lengthwise languages` lists them. `alphabet` gives all symbols of a regular
    expression or of an automaton in a file: `abc`, or `s1 s2` if some have several characters.

    Raises:
        LanguageError: the specification is unknown or malformed.
    """
    return parse(spec, alphabet)


def train(
    language: Language | str,
    model: str | None = None,
    *,
    out: Path | str | None = None,
    preset: str = "laptop",
    protocol: str | None = None,
    device: str = "auto",
    progress: Progress | None = None,
    **settings: Any,
) -> Run:
    """Train a model on a language, a step task or a corpus; `run.model` answers.

    `model` is `regular-gpt-binary` unless told otherwise; for a step task, such as
    `steps:addition`, `step-decoder`; for `text:FOLDER`, a prepared corpus, `regular-gpt-lm`; and
    for `pairs:FOLDER`, a parallel one, `encoder-decoder`.

    `settings` are those of the network, the words and the loop, such as `max_length=40`,
    `steps=5000`, `seed=1`, `d_model=128`. With `out`, the run is kept in that folder, and calling
    again goes on where it was interrupted, or loads it if it has ended.

    Raises:
        ConfigError: a name or value does not fit.
        RunError: the folder holds another run.
        ClaimError: the loss is not finite.
    """
    plan: AnyPlan
    if not isinstance(model, str | None):
        raise ConfigError(
            f"model is a name, such as 'regular-gpt', but got {short(model)}. A module of your own "
            f"is trained by your own loop; evaluate, predict and learn_automaton take it."
        )
    if isinstance(language, str) and is_pairs_spec(language):
        own = {} if protocol is None else {"protocol": protocol}
        plan = make_translation_plan(language, model, preset=preset, settings={**own, **settings})
    elif isinstance(language, str) and (is_step_spec(language) or is_text_spec(language)):
        if protocol is not None:
            raise ConfigError(f"protocol is for languages, and {language} is none. Omit it.")
        make = make_step_plan if is_step_spec(language) else make_language_plan
        plan = make(language, model, preset=preset, settings=settings)
    else:
        plan = make_plan(
            _chosen(language),
            model,
            preset=preset,
            protocol=protocol,
            settings=settings,
        )
    return train_plan(plan, out=out, device=device, progress=progress)


def step_task(spec: str, **settings: Any) -> StepTask:
    """What is written after which inputs: `.written(inputs)`, `.names`, `.outputs`.

    `steps:addition` (`bits`, `order`), `steps:multiplication` (`bits`, `order`),
    `steps:circuit:FILE` (`order`), or a language such as `steps:group:S5` (`length`).

    Raises:
        ConfigError: a setting is unknown, or of another kind.
        CircuitError, LanguageError: the circuit, the order or the language is wrong.
    """
    return make_step_task(spec, settings)


def evaluate_steps(run: Run, *, words: int | None = None) -> dict[str, Any]:
    """Exact match of a run on a step task, decoded from inputs that training never saw.

    `words` of those that are set apart for the test, or all. The result has `exact_match`, its
    `interval_95`, and `right_at` for every symbol that is written.

    Raises:
        ConfigError: the run is about a language.
        TaskError: more words are asked for than are set apart.
    """
    if not isinstance(run.plan, StepPlan):
        raise ConfigError("this run is about a language, and writes no steps. Use evaluate.")
    return measure_steps(run, words=words)


def prepare(
    out: Path | str,
    train: Path | str | Sequence[Path | str] = PYTHON,
    *,
    valid: Path | str | Sequence[Path | str] = (),
    test: Path | str | Sequence[Path | str] = (),
    tokenizer: Path | str | None = None,
    **settings: Any,
) -> Corpus:
    """Text made ready to train on, in a folder: `train("text:FOLDER")` reads it.

    A source is a file (`.txt`, `.jsonl`; `.xz`, `.gz` or `.zst`), a folder, `hf:NAME` or
    `hf:NAME:CONFIG:SPLIT`, or `python`, the English text that ships with Python. Without `valid`
    and `test` a share of the documents is set apart. `settings` are `vocab_size` (257 for bytes)
    and `column`.

    Raises:
        TextError: a source cannot be read, or the folder holds something else.
        ConfigError: a setting does not fit, or a library is not installed.
    """
    _require_one_vocabulary(tokenizer, settings)
    sources = _sources({"train": train, "valid": valid, "test": test})
    return prepare_corpus(out, sources, PrepareConfig.from_dict(settings), tokenizer=tokenizer)


def prepare_pairs(
    out: Path | str,
    train: Path | str | Sequence[Path | str] = NUMBERS,
    *,
    languages: tuple[str, str] = (DIGITS, WORDS),
    valid: Path | str | Sequence[Path | str] = (),
    test: Path | str | Sequence[Path | str] = (),
    also: Mapping[str, Path | str | Sequence[Path | str]] | None = None,
    tokenizer: Path | str | None = None,
    **settings: Any,
) -> ParallelCorpus:
    """Parallel text made ready, in a folder: `train("pairs:FOLDER")` reads it.

    A source is a table `FILE.tsv` that has the two languages as columns, two aligned files
    `SOURCE_FILE,TARGET_FILE`, `hf:NAME`, or `numbers`, which makes up numbers and their names for
    all parts. `also` has further parts for tests; with the `tokenizer` of another corpus and
    `train=()` there may be no others. `settings` are `vocab_size` (259 for bytes).

    Raises:
        TextError: a source cannot be read, or the folder holds something else.
        ConfigError: a part is missing, a setting does not fit, or a library is not installed.
    """
    _require_one_vocabulary(tokenizer, settings)
    for name in also or ():
        require_further(name)
    sources = _sources({**(also or {}), "train": train, "valid": valid, "test": test})
    config = PairsConfig.from_dict(settings)
    return prepare_parallel_corpus(out, sources, languages, config, tokenizer=tokenizer)


def translate(run: Run, sentences: Sequence[str], **decoding: Any) -> list[str]:
    """Translations of sentences, of whatever length, by a run on `pairs:FOLDER`.

    `decoding` are settings of `DecodingConfig`: `beam`, `length_penalty`, `patience` and `ratio`.

    Raises:
        ConfigError: the run does not translate, a setting is unknown, or a number is out of range.
        TextError: a sentence is longer than memory allows, or the corpus is not there.
    """
    _require_translator(run)
    if isinstance(sentences, str) or not all(isinstance(each, str) for each in sentences):
        raise ConfigError(f"sentences are a list of texts, but got {sentences!r}. Give [text].")
    written = translated(run, sentences, decoding=DecodingConfig.from_dict(decoding))
    return [each.sentence for each in written]


def evaluate_translations(run: Run, part: str = TEST, **decoding: Any) -> dict[str, Any]:
    """BLEU and chrF of a run on `pairs:FOLDER`, on a part of its corpus.

    `decoding` is that of `translate`. The result has `bleu` with `interval_95`, `chrf`, sacrebleu's
    `signatures`, `by_length` of the sources, and `samples`, by which
    `lengthwise.evaluation.bleu.compared` compares two runs.

    Raises:
        ConfigError: the run does not translate, a setting is unknown, or a number is out of range.
        TextError: the corpus is not there, or has no such part.
    """
    _require_translator(run)
    config = DecodingConfig.from_dict(decoding)
    return measure_translation(run, part=part, decoding=config)[1]


def perplexity(
    run: Run, lengths: Sequence[int], *, windows: int = 1_000, seed: int = 0
) -> dict[int, float]:
    """Of the last token of random windows of each length, with all before it as context.

    The text is the part of the run's corpus that is set apart for tests.

    Raises:
        ConfigError: the run is no language model.
        TaskError: a length is below 2, or comes twice.
        ConfigError: lengths are no whole numbers.
        TextError: the corpus is not there, or too short.
    """
    if not isinstance(run.plan, LanguagePlan):
        raise ConfigError("this run is no language model. Use evaluate, or evaluate_steps.")
    records, _ = measure_perplexity(run, _listed_lengths(lengths), windows=windows, seed=seed)
    return {record["length"]: record["perplexity"] for record in records}


def compile(spec: Language | str, **settings: Any) -> Construction:
    """Exact weights: `.model` is right by construction, within `.range`; `.claim` says of what.

    `spec` is a language (`chunk`, `norm`, `target` are its settings), `circuit:FILE` (`error`,
    `epsilon`), or a name such as `chiang2022/parity` or `steps2022/addition-2`;
    `lengthwise compile` lists them.

    Raises:
        ConstructionError: a setting is out of range, or the result would be too large.
        ConfigError: a setting has another name or type.
        LanguageError, CircuitError: the language or circuit cannot be read.
    """
    return construct(spec, settings)


def load_construction(path: Path | str) -> Construction:
    """The construction in a folder that `lengthwise compile` wrote: a recogniser or a circuit.

    Raises:
        RunError: the folder holds none, or a file is damaged.
    """
    return load_stored(path)


def verify(
    construction: Construction,
    *,
    longest: int = 1_000,
    words_per_length: int = 32,
    seed: int = 0,
) -> Verification:
    """A construction compared with the independent definition, in four precisions.

    `.holds` says whether the claim stands as far as was asked; `.precisions["float32"]` has
    `.right_to`, `.first_wrong` and `.margin` by length. A precision in which this machine cannot
    compute is skipped, and its `.skipped` says why.

    Raises:
        VerificationError: a number is too small, or no word is as short as `longest`.
    """
    return verify_construction(
        construction, longest=longest, words_per_length=words_per_length, seed=seed
    )


def load(path: Path | str, *, device: str = "auto") -> Run:
    """The trained model of a run folder.

    Raises:
        RunError: the folder holds no finished run.
    """
    return load_run(path, device=device)


def evaluate(
    model: nn.Module,
    language: Language | str,
    lengths: Sequence[int] = range(41, 501),
    *,
    protocol: str = "audited",
    words_per_length: int = 512,
    seed: int = 0,
) -> Scores:
    """Accuracy and loss of a model by length and class, on fresh words.

    `.summary()` has the mean over lengths, the worst length and the 95 % interval.

    Dropout and noise are off. What shortcuts reach on the same words is told by
    `lengthwise.evaluation.shortcuts.shortcut_accuracies`, and by the command `evaluate`.

    Raises:
        TaskError: no length has a word, or the language has no words of that protocol.
        ConfigError: the model was made for other symbols or classes, or lengths are none.
    """
    chosen = _fitting(model, language)
    return evaluate_task(
        model.eval(),
        Task(language=chosen, protocol=protocol),
        _listed_lengths(lengths),
        words_per_length=words_per_length,
        seed=seed,
        device=device_of(model),
    )


def predict(
    model: nn.Module, language: Language | str, words: Sequence[str | Sequence[int]]
) -> list[str]:
    """Return the class that a model gives to each word, of whatever length.

    A word is a text as it is written, or a sequence of integers as encoded.

    It is that of the largest logit, in the model's own precision, and the first of equals: what
    certificates are about.

    Raises:
        WordError: a symbol is not in the alphabet, or a word is outside the domain.
        ConfigError: the model was made for other symbols or classes, or the words are no list.
    """
    chosen = _fitting(model, language)
    if not _are_words(words):
        raise ConfigError(f"words are a list of texts, but got {short(words)}. Give [word].")
    encoded = [chosen.encode(word) if isinstance(word, str) else tuple(word) for word in words]
    for word in encoded:
        chosen.require_in_domain(word)
    logits = predict_words(model.eval(), encoded, device=device_of(model))
    return [chosen.class_names[c] for c in answer_of(logits).tolist()]


def certify(
    model: nn.Module,
    language: Language | str,
    *,
    strength: Literal["auto"] | Strength = "auto",
    max_chunks: int = MAX_CHUNKS,
) -> Certificate:
    """A proof that a model is right at every length, or the shortest word on which it is wrong.

    `.verdict` is `equivalent`, `counterexample` (the word is `.counterexample.word`, and the model
    itself was run on it) or `not-closed` (`.reason` says why; all words of at most
    `.checked_length` symbols are right as far as explored). `.table` is the finite algebra that the
    model computes, `.save(path)` writes all of it to a file that
    `lengthwise certify --check FILE` checks again. `equivalent` is said only of what that checker,
    which shares no code with the search, accepts; `.summary()["terms"]` has the terms of the claim.

    Raises:
        VerificationError: the model is no RegularGPT, has other symbols or classes, or the strength
            does not suit it.
        LanguageError: the language has too many state maps to tell apart.
    """
    chosen = _chosen(language)
    if (other := difference(model, chosen)) is not None:
        raise VerificationError(other)
    return certify_model(model, chosen, strength=strength, max_chunks=max_chunks)


def extract(
    model: nn.Module, domain: Language | None = None, *, max_elements: int = MAX_ELEMENTS
) -> Extraction:
    """The finite algebra of a model: tables, representatives, and every merge with its distance.

    With binary memory it is the model itself; otherwise vectors are merged where there is a gap,
    and `.spread`, `.gap` and `.summary()` say how clear that was. With a `domain`, only its words
    count. `lengthwise.verification.exact_learning.language_of` finds the automaton of `.algebra`.

    Raises:
        VerificationError: the model is no RegularGPT; it has more than `max_elements` elements at a
            level; or its levels do not come to repeat.
    """
    return extract_algebra(model, domain, max_elements=max_elements)


def snap(
    model: nn.Module, domain: Language | None = None, *, max_elements: int = MAX_ELEMENTS
) -> SnappedModel:
    """The model with its vectors snapped to representatives: tables, so it answers by looking up.

    It is used as the model is, in `evaluate`, `predict` and `learn_automaton`, and is very fast.

    Raises:
        VerificationError: as for `extract`.
    """
    return SnappedModel(extract_algebra(model, domain, max_elements=max_elements).algebra)


def streaming(model: nn.Module, *lengths: int) -> Stream:
    """A stream that is fed symbol by symbol and answers at the announced lengths."""
    return stream_model(model, *lengths)


def _require_translator(run: Run) -> None:
    if not isinstance(run.plan, TranslationPlan):
        raise ConfigError("this run does not translate. Use one that was trained on pairs:FOLDER.")


def _sources(
    given: Mapping[str, Path | str | Sequence[Path | str]],
) -> dict[str, list[str]]:
    """The sources of each part, as texts."""
    return {
        part: [str(each) for each in ([found] if isinstance(found, str | Path) else found)]
        for part, found in given.items()
    }


def _require_one_vocabulary(tokenizer: Path | str | None, settings: Mapping[str, Any]) -> None:
    if tokenizer is not None and "vocab_size" in settings:
        raise ConfigError("tokenizer brings its own vocab_size. Leave one of them out.")


def _chosen(language: Language | str) -> Language:
    """The language that is given or named.

    Raises:
        LanguageError: it is neither.
    """
    if isinstance(language, Language):
        return language
    return parse(language)


def _listed_lengths(lengths: Sequence[int]) -> Sequence[int]:
    """The lengths, if they are whole numbers one after another.

    Raises:
        ConfigError: they are not.
    """
    try:
        found = [index(each) for each in lengths]
    except TypeError:
        raise ConfigError(
            f"lengths are whole numbers, such as range(41, 501), but got {short(lengths)}. Give "
            f"[{lengths}]."
            if isinstance(lengths, int)
            else f"lengths are whole numbers, such as range(41, 501), but got {short(lengths)}."
        ) from None
    if min(found, default=0) < 0:
        raise ConfigError(f"a length is 0 or more, but got {min(found)}.")
    return found


def _are_words(words: object) -> bool:
    return (
        isinstance(words, Sequence)
        and not isinstance(words, str)
        and all(isinstance(word, Sequence) for word in words)
    )


def _fitting(model: nn.Module, language: Language | str) -> Language:
    """The language, if the model has its symbols and classes (as far as is known of it)."""
    chosen = _chosen(language)
    if not isinstance(model, nn.Module):
        at_hand = " Give its .model." if isinstance(model, Run | Construction) else ""
        raise ConfigError(
            f"a model is a torch.nn.Module, but got a {type(model).__name__}.{at_hand}"
        )
    if isinstance(model, LanguageModel):
        raise ConfigError("this is a language model, and classifies no words. Use perplexity.")
    if (other := difference(model, chosen)) is not None:
        raise ConfigError(other)
    config = getattr(model, "config", None)
    made_for = (getattr(config, "vocab_size", None), getattr(config, "num_classes", None))
    asked = (chosen.num_symbols, chosen.num_classes)
    if None not in made_for and made_for != asked:
        raise ConfigError(
            f"the model was made for {made_for[0]} symbols and {made_for[1]} classes, but "
            f"{chosen.spec or 'the language'} has {asked[0]} and {asked[1]}. Give its own language."
        )
    return chosen
