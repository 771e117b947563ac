"""Recognition: the problem of classifying words of a formal language."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Self

from torch import nn

from lengthwise.errors import ConfigError, WordError
from lengthwise.evaluation.scores import parse_lengths
from lengthwise.languages.characters import listed
from lengthwise.languages.language import Language
from lengthwise.languages.serialisation import from_dict, to_dict
from lengthwise.languages.spec import parse
from lengthwise.models.cost import forward_flops
from lengthwise.models.entry import Entry
from lengthwise.models.rational_gpt_config import RationalGPTConfig
from lengthwise.models.recognisers import DEFAULT_MODEL, MODELS, ModelEntry, Supervision
from lengthwise.models.regular_gpt import RegularGPTConfig
from lengthwise.models.state_slots_config import bits_for
from lengthwise.models.transformer_config import NetworkConfig
from lengthwise.models.window_scratchpad_config import WindowScratchpadConfig
from lengthwise.problems.base import Plan, Problem, Run
from lengthwise.problems.classification import require_same_symbols
from lengthwise.problems.plan import Route
from lengthwise.problems.presets import preset_settings
from lengthwise.problems.recognition.codebook import CodebookSupervision
from lengthwise.problems.recognition.composition import Composition
from lengthwise.problems.recognition.film import film_of
from lengthwise.problems.recognition.labels_alone import (
    labels_alone,
    require_labels_alone,
    useless_terms,
)
from lengthwise.problems.recognition.measure import evaluate_run, predictor_of, test_run
from lengthwise.problems.recognition.objectives import (
    Nodes,
    Prefix,
    States,
    Transitions,
    state_classes,
    transition_size,
)
from lengthwise.problems.recognition.outcome import needs_another_model, outcome_of
from lengthwise.problems.recognition.routes import require_slots, routes_to_a_proof, standing
from lengthwise.problems.recognition.settings import ACTS_WITH, SupervisionConfig, WordsConfig
from lengthwise.problems.recognition.state_codes import StateCodeSupervision
from lengthwise.problems.recognition.state_products import StateProducts
from lengthwise.problems.recognition.state_tokens import StateTokens, StateTokenSupervision
from lengthwise.problems.recognition.suited import (
    LARGE_MODEL,
    num_elements,
    require_few_elements,
    suited_to_labels,
    suited_to_monoid,
    suited_to_states,
    suited_to_tokens,
)
from lengthwise.problems.results import Curve, Evaluation, Options, Predictor, Section, Watch
from lengthwise.problems.testing import Test, TestResult
from lengthwise.settings import Config, Parts, require
from lengthwise.tasks.codebook import make_codebook
from lengthwise.tasks.state_codes import make_state_codes
from lengthwise.tasks.state_maps import state_maps
from lengthwise.tasks.task import Task, default_protocol
from lengthwise.training.compiled import Compiled
from lengthwise.training.distributed import ALONE, ProcessGroup
from lengthwise.training.film import Film
from lengthwise.training.loop import Objective
from lengthwise.training.made_for import remember
from lengthwise.training.runs import RunFolder
from lengthwise.verification.certificate import Certificate
from lengthwise.verification.certify import certify
from lengthwise.wording import counted

WORD_OF_COST = 500
"""Number of symbols of the word whose cost is given."""

_FROM_LANGUAGE = {"vocab_size", "num_classes", "num_slots", "num_states", "state_classes"}
_FROM_LANGUAGE |= {"transition_size"}
"""Settings of a network that follow from the language and the supervision."""

_OF_COMPOSITION, _OF_CODES = {"code_consistency", "margin"}, {"replay"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Recognition(Problem):
    """A language whose words a model classifies."""

    kind = "recognition"
    prefix = ""
    noun = "languages"
    models = MODELS
    default_model = DEFAULT_MODEL
    data = WordsConfig
    objective_settings = SupervisionConfig
    evaluation_options = frozenset({"lengths", "words", "protocol", "seed", "snapped"})
    prediction_options = frozenset({"snapped", "keep_going"})
    own_options = frozenset({"alphabet", "protocol"})
    derived = frozenset({"network.max_length"})

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
        symbols = listed(language.alphabet, 8)
        return (
            language.spec or f"a language of {counted(language.num_states, 'state')} over {symbols}"
        )

    @classmethod
    def settable(cls, entry: Entry) -> dict[str, set[str]]:
        """Return the names of the settings that a user may set, by section."""
        assert isinstance(entry, ModelEntry)
        found = cls.every_name(entry)
        found["network"] -= _FROM_LANGUAGE
        if "composition" not in entry.supervisions:
            found["objective"] -= _OF_COMPOSITION
        if "codebook" not in entry.supervisions:
            found["objective"] -= _OF_CODES
        found["objective"] -= useless_terms(entry.config)
        return found

    @classmethod
    def usual(cls, preset: str, entry: Entry, name: str = "") -> dict[str, Any]:
        """Return the default settings: those of the language, then those of the model."""
        assert isinstance(entry, ModelEntry)
        return {
            "supervision": entry.supervision,
            **entry.training,
            **preset_settings(preset, name),  # some numbers are for other networks
            **entry.presets.get(preset, {}),
        }

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
        labels = SupervisionConfig.from_dict(chosen["objective"])
        if "supervision" not in asked["objective"]:
            labels = replace(labels, supervision=self._suitable(labels.supervision))
        entry.require_supervision(model, labels.supervision)
        told = labels.supervision
        if told == "codebook" and "chunk_lengths" not in asked["objective"]:
            labels = replace(labels, chunk_lengths="all")
        shape: dict[str, Any] = {
            "vocab_size": task.language.num_symbols,
            "num_classes": task.language.num_classes,
        }
        if told in ("transition", "composition"):
            shape["transition_size"] = transition_size(state_maps(self.language))
        if issubclass(entry.config, WindowScratchpadConfig):
            shape["num_states"] = self._num_states(labels, words)
        elif told == "states":
            shape["state_classes"] = state_classes(self.language)
        if told == "maps":
            shape |= self._slots(asked["network"])
        network = entry.configure({**chosen["network"], **shape})
        steps = self.training.from_dict(chosen["training"]).steps
        require_labels_alone(words, labels, network, steps)
        network = network.with_room(words.max_length, asked["network"].get("max_length"))
        if told in ("composition", "codebook") and not network.is_recurrent:
            require_few_elements(self.language, told)
        if told in ("composition", "codebook"):
            require(
                network.has_codes,
                f"supervision={told!r} is about codes, but the memory is not binary. Use model "
                f"regular-gpt-binary, or supervision='transition'.",
            )
        if told == "codebook" and not isinstance(network, WindowScratchpadConfig):
            network = self._with_bits(network, _longest(labels, words), asked["network"])
        return network, words, labels

    def unused(self, asked: Parts, stages: Sequence[Plan]) -> str:
        """Return a message about a setting that was changed and that no stage uses, or ""."""
        told = [stage.supervision for stage in stages]
        for name in sorted(ACTS_WITH.keys() & asked["objective"].keys()):
            value, suited = getattr(stages[0].objective, name), ACTS_WITH[name]
            is_used = any(each in suited for each in told)
            if not is_used and value != getattr(SupervisionConfig(), name):
                return (
                    f"{name}={value!r} is for supervision={' or '.join(map(repr, suited))}, but "
                    f"supervision={told[0]!r}. Leave it out, or set another supervision."
                )
        return ""

    def suited(self, preset: str, entry: Entry, asked: Parts) -> dict[str, Any]:
        """Return the default settings that suit the size of the language's monoid."""
        assert isinstance(entry, ModelEntry)
        told = asked["objective"].get("supervision", entry.supervision)
        if issubclass(entry.config, RationalGPTConfig):
            return {}
        if told == "final" and entry.supervision == "codebook":
            return suited_to_labels(preset)
        if "supervision" in asked["objective"]:
            return {}
        match entry.supervision:
            case "composition":
                return suited_to_monoid(self.language, preset)
            case "codebook" if issubclass(entry.config, WindowScratchpadConfig):
                return suited_to_tokens(self.language, preset)
            case "codebook":
                return suited_to_states(self.language, preset)
            case _:
                return {}

    def routes(self, preset: str, asked: Parts) -> Sequence[Route]:
        """Return the routes to a proof, or the default model alone where what is asked for is a
        supervision or a setting that the others do not have."""
        told = asked["objective"].get("supervision")
        if told == "maps":
            return (Route(LARGE_MODEL, "supervision='maps' is asked for"),)
        names = self.settable(MODELS[LARGE_MODEL])
        own = [each for part in names for each in asked[part] if each not in names[part]]
        if told is None and not own:
            return routes_to_a_proof(self.language, preset)
        own = [*own, f"supervision={told!r}"]
        return (Route(self.default_model, f"{own[0]} is not for {LARGE_MODEL}"),)

    def standing(self, plan: Plan, model: nn.Module) -> Mapping[str, Any]:
        """Return how far a model is right, by exploration with a bound."""
        return standing(model, self.language)

    def objective(  # noqa: PLR0911  one for each supervision
        self, plan: Plan, processes: ProcessGroup = ALONE
    ) -> Objective:
        """Return the objective for the supervision of a plan."""
        task, words, labels = self.words_of(plan), plan.data, plan.objective
        match labels.supervision:
            case "final":
                return labels_alone(task, plan)
            case "prefix":
                return Prefix(task, words)
            case "node":
                return Nodes(task, words, state_maps(task.language))
            case "transition":
                return Transitions(task, words, state_maps(task.language))
            case "states":
                if isinstance(plan.network, WindowScratchpadConfig):
                    return StateTokens(task, words, precision=plan.training.precision)
                return States(task, words)
            case "composition":
                return Composition(task, words, labels, state_maps(task.language))
            case "maps":
                return StateProducts(task, words, precision=plan.training.precision)
            case _ if plan.network.is_recurrent:
                tokens = isinstance(plan.network, WindowScratchpadConfig)
                table = StateTokenSupervision if tokens else StateCodeSupervision
                return table(task, words, labels, precision=plan.training.precision)
            case _:
                chunk, precision = plan.network.chunk, plan.training.precision
                return CodebookSupervision(task, words, labels, chunk, precision=precision)

    def words_of(self, plan: Plan | Compiled) -> Task:
        """Return the language, with the protocol by which its words are drawn."""
        if isinstance(plan, Compiled):
            return plan.task
        return _task(self.language, self.language.spec, plan.data.protocol, plan.data.p_one)

    def film(self, plan: Plan) -> Film | None:
        """Return an empty film of codes of words, or None without binary memory."""
        return film_of(plan, self.words_of(plan))

    def remember(self, model: nn.Module) -> None:
        """Record the language that a model was made for."""
        remember(model, self.language)

    def supervision(self, plan: Plan) -> str:
        """Return the supervision."""
        return str(plan.objective.supervision)

    def trained_on(self, plan: Plan) -> str:
        """Return the protocol by which words are drawn, and their lengths."""
        lengths = f"lengths {plan.data.min_length}..{plan.data.max_length}"
        match plan.objective.supervision:
            case "composition":
                return f"compositions of sub-words, {lengths}"
            case "maps":
                return "maps of states, and their products"
            case "codebook":
                told = "steps of states" if plan.network.is_recurrent else "chunks of codes"
                every = plan.objective.chunk_lengths == "all"
                return f"all {told} in words of {'every length' if every else lengths}"
            case _:
                return f"{plan.data.protocol}, {lengths}"

    def facts(self, plan: Plan) -> dict[str, Any]:
        """Return the entries for the task, the language and the protocol."""
        task = self.words_of(plan)
        return {"task": task.id, "language": self.language.spec, "protocol": task.protocol}

    def outcome(self, plan: Plan, facts: Mapping[str, Any]) -> str:
        """Return a line on whether a proof closed, and the accuracy on fresh words."""
        return outcome_of(plan, self.words_of(plan), facts)

    def advice(self, plan: Plan, facts: Mapping[str, Any], out: Path) -> str:
        """Return `certify`, which keeps a proof or says why there is none; `evaluate` where no
        proof was asked.

        Where a proof needs another model, it is to train that.
        """
        if needs_another_model(self.language, plan, facts):
            spec = shlex.quote(self.language.spec)
            other = shlex.quote(f"{out}-gru")
            return f"lengthwise train {spec} --model gru-binary --out {other}"
        folder = shlex.quote(str(out))
        if facts["proved"] is not None or facts["states"] is not None:
            return f"lengthwise certify {folder}"
        return f"lengthwise evaluate {folder} --lengths {usual_lengths(plan)}"

    def flops(self, plan: Plan) -> int:
        """Return floating-point operations of a word of `WORD_OF_COST` symbols."""
        model, num_symbols = plan.build().eval(), self.language.num_symbols
        try:
            return forward_flops(model, num_symbols, WORD_OF_COST)
        except WordError:  # learned positions reach only the training lengths
            return forward_flops(model, num_symbols, plan.data.max_length)

    def evaluate(self, run: Run, options: Options, watch: Watch) -> Evaluation:
        """Test a run on fresh words, and measure the accuracy of shortcuts on them."""
        lengths = options.get("lengths")
        if lengths is None:
            lengths = parse_lengths(usual_lengths(run.plan))
        return evaluate_run(run, {**options, "lengths": lengths}, watch)

    def predictor(self, run: Run, options: Options) -> Predictor:
        """Return the predictor, which classifies words."""
        return predictor_of(run, self.language, options)

    def certify(self, run: Run, options: Options) -> Certificate:
        """Prove a run right at every length, or find the shortest word on which it is wrong.

        `options` are `against` (another language over the same symbols and classes), `strength`,
        `precision`, `max_chunks` and `progress`, as those of `verification.certify`.

        Raises:
            LanguageError: the other language is over other symbols or classes.
            VerificationError: the model is no RegularGPT, or the strength does not suit it.
        """
        others = {name: each for name, each in options.items() if name != "against"}
        language: Language = options.get("against") or self.language
        require_same_symbols(self.language, language)
        return certify(run.model, language, **others)

    def require_test(self, test: Test) -> None:
        """Refuse a protocol by which no words of the language can be drawn."""
        if test.protocol is not None:
            Task(language=self.language, protocol=test.protocol)

    def test(self, run: Run, test: Test) -> TestResult:
        """Return accuracy by length."""
        return test_run(run, test)

    def section(self, folder: RunFolder, plan: Plan) -> Section:
        """Return the section of the report: words, proof, curves and analyses."""
        from lengthwise.problems.recognition.section import section_of  # noqa: PLC0415  draws figures

        return section_of(self.language, folder, plan)

    def curve(self, folder: RunFolder, plan: Plan) -> Curve | None:
        """Return accuracy by length."""
        from lengthwise.problems.recognition.section import curve_of  # noqa: PLC0415  draws figures

        return curve_of(folder, plan)

    def _suitable(self, supervision: Supervision) -> Supervision:
        """Return `transition` for `composition` where the language has too many state maps."""
        few = supervision != "composition" or num_elements(self.language) is not None
        return supervision if few else "transition"

    def _slots(self, asked: Mapping[str, Any]) -> dict[str, int]:
        """Return a slot for each state, with as many bits as tell the states apart."""
        states = require_slots(self.language)
        return {"num_slots": states, "num_bits": asked.get("num_bits", bits_for(states))}

    def _num_states(self, labels: SupervisionConfig, words: WordsConfig) -> int:
        """Return the number of states that a supervision names."""
        if labels.supervision == "states":
            return self.language.total().minimised().num_states
        return len(make_state_codes(self.language, _longest(labels, words)).classes)

    def _with_bits(
        self, network: NetworkConfig, max_length: int | None, asked: Mapping[str, Any]
    ) -> NetworkConfig:
        """Return the network with as many bits as the codes of the codebook."""
        if isinstance(network, RegularGPTConfig):
            needed = make_codebook(self.language, network.chunk, max_length).num_bits
        else:
            needed = make_state_codes(self.language, max_length).num_bits
        if asked.get("num_bits", needed) != needed:
            raise ConfigError(
                f"with supervision='codebook' the codes of {self.language.spec or 'the language'} "
                f"have {needed} bits, so num_bits={asked['num_bits']} does not fit. Leave it out."
            )
        return network.from_dict({**network.to_dict(), "num_bits": needed})


def _longest(labels: SupervisionConfig, words: WordsConfig) -> int | None:
    """Return the length of the longest words whose steps or chunks are told; None for any."""
    return None if labels.chunk_lengths == "all" else words.max_length


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
