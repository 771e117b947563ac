"""Recognition: the problem of classifying words of a formal language."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Self

from lengthwise.evaluation.scores import parse_lengths
from lengthwise.languages.characters import list_symbols
from lengthwise.languages.language import Language
from lengthwise.languages.serialisation import from_dict, to_dict
from lengthwise.languages.spec import parse
from lengthwise.messages import format_count
from lengthwise.models.entry import Entry, ModelEntry
from lengthwise.models.recognisers import DEFAULT_MODEL, MODELS
from lengthwise.objectives.base import Subject, WordObjective
from lengthwise.objectives.catalogue import (
    OBJECTIVES,
    AnyObjectiveConfig,
    names_of,
    names_of_settings,
    require_fit,
    require_own,
)
from lengthwise.objectives.sizes import LARGE_MODEL
from lengthwise.objectives.words import WordsConfig
from lengthwise.problems.account import Account, Records
from lengthwise.problems.base import Plan, Problem, Run
from lengthwise.problems.capabilities import Formal, Plotted, Tested
from lengthwise.problems.plan import Route
from lengthwise.problems.presets import BY_PAPER, INITIAL_OF_PAPER, LENGTHS_OF_PAPER, PRESETS
from lengthwise.problems.recognition.outcome import account_of, advice_of
from lengthwise.problems.recognition.routes import routes_to_a_proof
from lengthwise.problems.results import Curve, Evaluation, Options, Predictor, Section, Watch
from lengthwise.problems.setup import Defaults, Setup
from lengthwise.settings import Config, Parts
from lengthwise.tasks.task import Task, default_protocol
from lengthwise.training.construction_files import Compiled
from lengthwise.training.loop import Objective
from lengthwise.training.runs import RunFolder

if TYPE_CHECKING:
    from lengthwise.problems.sweep_tests import Test, TestResult
    from lengthwise.proofs.check.certificate import Certificate

_SHAPE = "vocab_size num_classes num_slots num_states state_classes transition_size"
_FROM_LANGUAGE = frozenset(f"network.{name}" for name in _SHAPE.split())
"""Settings that follow from the language and the objective."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RecognitionSetup(Setup):
    """A setup in which objectives have names."""

    def settable(self, entry: Entry, objective: str | None = None) -> dict[str, set[str]]:
        """Return the names of the settings that a user may set, of one objective or of all."""
        every = names_of_settings(entry) if objective is None else names_of(objective, entry)
        return {**Setup.settable(self, entry), "objective": every}

    def of_model(self, model: str) -> Defaults:
        """Return the defaults of a model, its objective included."""
        origin, values = Setup.of_model(self, model)
        return Defaults(origin, {"objective.name": self.models[model].objective, **values})

    def of_preset(self, preset: str, model: str, subject: str) -> Iterator[Defaults]:
        """Return the numbers of a preset, those for the language, and those of the model in it."""
        of_all, of_model = Setup.of_preset(self, preset, model, subject)
        yield of_all
        if preset == "paper":
            numbers: Mapping[str, Any] = {}
            if model == "regular-gpt":
                numbers = {**INITIAL_OF_PAPER, **BY_PAPER.get(subject, {})}
            if subject in LENGTHS_OF_PAPER:
                numbers = {"max_length": LENGTHS_OF_PAPER[subject], **numbers}
            yield Defaults(f"preset paper for {subject}", numbers)
        yield of_model  # some numbers above are for other networks


@dataclass(frozen=True, kw_only=True, slots=True)
class Recognition(Problem, Formal, Tested, Plotted):
    """A language whose words a model classifies."""

    kind = "recognition"
    prefix = ""
    noun = "languages"
    setup = RecognitionSetup(
        models=MODELS,
        default_model=DEFAULT_MODEL,
        data=WordsConfig,
        objective=AnyObjectiveConfig,
        given=_FROM_LANGUAGE,
        derived=frozenset({"network.max_length"}),
        presets=PRESETS,
        train_options=frozenset({"alphabet", "protocol"}),
        evaluate_options=frozenset({"lengths", "words", "protocol", "p_one", "seed", "snapped"}),
        predict_options=frozenset({"snapped", "keep_going"}),
    )

    language: Language

    @classmethod
    def parse(cls, spec: str, settings: Mapping[str, Any], options: Options) -> Self:
        """Return the recognition of the language that a specification names.

        Raises:
            LanguageError: the specification is unknown or malformed.
        """
        return cls(language=parse(spec, options.get("alphabet")))

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return the recognition of a stored language."""
        return cls(language=from_dict(values["language"]))

    def to_dict(self) -> dict[str, Any]:
        """Return the automaton of the language, as plain values."""
        return {"language": to_dict(self.language)}

    @property
    def name(self) -> str:
        """The specification of the language, or its size if it has none."""
        language = self.language
        symbols = list_symbols(language.alphabet, 8)
        return (
            language.spec
            or f"a language of {format_count(language.num_states, 'state')} over {symbols}"
        )

    def configure(
        self, model: str, entry: Entry, chosen: Parts, asked: Parts
    ) -> tuple[Config, Config, Config]:
        """Return the settings of the network, the words and the supervision.

        Raises:
            ConfigError: a value does not fit.
        """
        assert isinstance(entry, ModelEntry)
        usual = default_protocol(self.language, binary=entry.audited)
        words = WordsConfig.from_dict({"protocol": usual, **chosen["data"]})
        task = Task(language=self.language, protocol=words.protocol, p_one=words.p_one)
        name = asked["objective"].get("name") or self._choose_objective(entry)
        objective = OBJECTIVES[name]
        require_fit(model, entry, name)
        for setting in asked["objective"]:
            require_own(setting, name, entry)
        names = objective.names(entry.config)
        own_values = {
            setting: value for setting, value in chosen["objective"].items() if setting in names
        }
        settings = objective.settings.from_dict({**own_values, "name": name})
        training = self.setup.training.from_dict(chosen["training"])
        subject = Subject(
            task=task,
            words=words,
            network=None,
            settings=settings,
            precision=training.precision,
            steps=training.steps,
        )
        shape = {
            "vocab_size": task.language.num_symbols,
            "num_classes": task.language.num_classes,
            **objective.shape(subject, entry.config, asked["network"]),
        }
        network = entry.configure({**chosen["network"], **shape})
        subject = replace(subject, network=network)
        objective.require(subject)
        subject = replace(
            subject, network=network.with_room(words.max_length, asked["network"].get("max_length"))
        )
        return objective.fit_network(subject, asked["network"]), words, settings

    def choose_defaults(self, preset: str, entry: Entry, asked: Parts) -> Iterator[Defaults]:
        """Return the objective in place of a model's own, and what it sets for the language."""
        assert isinstance(entry, ModelEntry)
        named = asked["objective"].get("name")
        name = named or self._choose_objective(entry)
        defaults = OBJECTIVES[name].defaults(
            self.language, preset, entry.config, is_named=named is not None
        )
        if name not in (named, entry.objective):
            yield Defaults(f"in place of {entry.objective}", {"objective.name": name})
        size = f", {defaults.size}" if defaults.size else ""
        yield Defaults(f"objective {name}, {preset}{size}", defaults.values)

    def _choose_objective(self, entry: ModelEntry) -> str:
        """Return the objective of a model, or its fallback for the language."""
        return OBJECTIVES[entry.objective].fallback(self.language) or entry.objective

    def routes(self, preset: str, asked: Parts) -> Sequence[Route]:
        """Return the routes to a proof, or one model alone where an objective or a setting is asked
        for that the others do not have."""
        name = asked["objective"].get("name")
        if name is not None and OBJECTIVES[name].model != self.setup.default_model:
            return (Route(OBJECTIVES[name].model, f"objective={name!r} is asked for"),)
        if not any(asked.values()):
            return routes_to_a_proof(self.language, preset)
        large = MODELS[LARGE_MODEL]
        names = self.setup.settable(large, large.objective)
        own_names = [
            setting for part in names for setting in asked[part] if setting not in names[part]
        ]
        if name is None and not own_names:
            return routes_to_a_proof(self.language, preset)
        own_names = [*own_names, f"objective={name!r}"]
        return (Route(self.setup.default_model, f"{own_names[0]} is not for {LARGE_MODEL}"),)

    def objective(self, plan: Plan) -> Objective:
        """Return the loss, with its labels, of the objective of a plan."""
        return _objective(plan).loss(self._subject(plan))

    def _subject(self, plan: Plan) -> Subject:
        return Subject(
            task=self.words_of(plan),
            words=plan.data,
            network=plan.network,
            settings=plan.objective,
            precision=plan.training.precision,
            steps=plan.training.steps,
        )

    def words_of(self, plan: Plan | Compiled) -> Task:
        """Return the language, with the protocol by which its words are drawn."""
        if isinstance(plan, Compiled):
            return plan.task
        return _task(self.language, self.language.spec, plan.data.protocol, plan.data.p_one)

    @property
    def symbols(self) -> Language:
        """The language."""
        return self.language

    def lengths(self, plan: Plan) -> tuple[int, int]:
        """Return the least and the greatest length of words of training."""
        return int(plan.data.min_length), int(plan.data.max_length)

    def describe_supervision(self, plan: Plan) -> tuple[str, str]:
        """Return the name of the objective, and its labels with the words that they are about."""
        return str(plan.objective.name), _objective(plan).labels(self._subject(plan))

    def account(self, records: Records) -> Account:
        """Return the account of a run: whether a proof closed, and the accuracy on fresh words."""
        account = account_of(Problem.account(self, records), self.words_of(records.plan), records)
        lengths = usual_lengths(records.plan)
        advice = partial(advice_of, self.language, records, account.values, lengths)
        return replace(account, advice=advice, section=partial(self._section, records))

    def _section(self, records: Records, account: Account) -> Section:
        from lengthwise.problems.recognition.section import section_of  # noqa: PLC0415  draws figures

        return section_of(self.language, records, account.title)

    def evaluate(self, run: Run, options: Options, watch: Watch) -> Evaluation:
        """Test a run on fresh words, and measure the accuracy of shortcuts on them."""
        from lengthwise.problems.recognition.measure import evaluate_run  # noqa: PLC0415  seldom

        lengths = options.get("lengths")
        if lengths is None:
            lengths = parse_lengths(usual_lengths(run.plan))
        return evaluate_run(run, {**options, "lengths": lengths}, watch)

    def predictor(self, run: Run, options: Options) -> Predictor:
        """Return the predictor, which classifies words."""
        from lengthwise.problems.recognition.measure import predictor_of  # noqa: PLC0415  seldom

        return predictor_of(run, self.language, options)

    def certify(self, run: Run, options: Options) -> "Certificate":
        """Prove a run right at every length, or find the shortest word on which it is wrong.

        `options` are `against` (another language over the same symbols and classes), `strength`,
        `precision`, `max_chunks` and `progress`, as those of `proofs.search.certify`.

        Raises:
            LanguageError: the other language is over other symbols or classes.
            VerificationError: the model is not a RegularGPT, or the strength does not suit it.
        """
        from lengthwise.problems.classification import require_same_symbols  # noqa: PLC0415  seldom
        from lengthwise.proofs.search.certify import certify  # noqa: PLC0415  all searches

        other_options = {name: value for name, value in options.items() if name != "against"}
        language: Language = options.get("against") or self.language
        require_same_symbols(self.language, language)
        return certify(run.model, language, **other_options)

    def test(self, run: Run, test: "Test") -> "TestResult":
        """Return accuracy by length."""
        from lengthwise.problems.recognition.measure import test_run  # noqa: PLC0415  seldom

        return test_run(run, test)

    def test_lengths(self, plan: Plan) -> list[int]:
        """Return lengths beyond those of training, if the model reads them."""
        return parse_lengths(usual_lengths(plan))

    def curve(self, folder: RunFolder, plan: Plan) -> Curve | None:
        """Return accuracy by length."""
        from lengthwise.problems.recognition.section import curve_of  # noqa: PLC0415  draws figures

        return curve_of(folder, plan)


def _objective(plan: Plan) -> WordObjective:
    return OBJECTIVES[plan.objective.name]


def usual_lengths(plan: Plan | Compiled) -> str:
    """Return the default lengths of a test: beyond training, if the model reads them.

    The lengths of the paper are 41:500, for words of at most 40 symbols in training.
    """
    if isinstance(plan, Compiled):
        return "41:500"
    trained, network = plan.data.max_length, plan.network
    most = max(500, 2 * trained)
    if network.reads_at_most is not None:
        most = min(network.reads_at_most, most)
    return f"{trained + 1 if most > trained else 1}:{most}"


@lru_cache(maxsize=2)
def _task(language: Language, spec: str, protocol: str, p_one: float) -> Task:
    """Return a task; the same one again, since the tables of its sampler grow with use.

    Languages are equal whatever they are called, and records name the language of the task, so the
    name is part of what is remembered.
    """
    return Task(language=language, protocol=protocol, p_one=p_one)
