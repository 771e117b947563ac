"""From a language and a model's name to a trained model, and from a run folder back to it."""

import platform
import re
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import torch
from torch import nn

from lengthwise.config import Config, parted, require, require_known
from lengthwise.errors import ConfigError, LanguageError, RunError
from lengthwise.languages.elements import MAX_ELEMENTS
from lengthwise.languages.language import Language
from lengthwise.languages.monoid import transition_monoid
from lengthwise.languages.serialisation import from_dict, to_dict
from lengthwise.layers.encodings import LearnedPosition
from lengthwise.layers.positions import POSITIONS
from lengthwise.layers.randomised import RandomisedPosition
from lengthwise.models.catalogue import DEFAULT_MODEL, MODELS, ModelEntry, Supervision
from lengthwise.models.gpt2 import BodyConfig, origin
from lengthwise.models.layer_stack import LayerStackConfig
from lengthwise.models.regular_gpt import RegularGPTConfig
from lengthwise.precision import require_precision, why_unavailable
from lengthwise.tasks.assigned import assign
from lengthwise.tasks.supervision import state_maps
from lengthwise.tasks.task import Task, default_protocol
from lengthwise.training.assigned import Assigned
from lengthwise.training.autocast import require_autocast
from lengthwise.training.compiled import (
    Compiled,
    is_compiled,
    load_compiled,
    load_weights,
)
from lengthwise.training.composition import Composition
from lengthwise.training.language_plan import LanguagePlan
from lengthwise.training.loop import LoopConfig, Objective, Progress, fit
from lengthwise.training.made_for import remember
from lengthwise.training.plan import BasePlan
from lengthwise.training.presets import preset_settings
from lengthwise.training.processes import Processes, join, require_alone
from lengthwise.training.recognition import (
    Final,
    Nodes,
    Prefix,
    RecognitionConfig,
    States,
    Transitions,
    state_classes,
    transition_size,
)
from lengthwise.training.runs import RunFolder
from lengthwise.training.step_plan import StepPlan
from lengthwise.training.translation_plan import TranslationPlan


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan(BasePlan):
    """A language, a model that tells words apart, and how it is trained."""

    models = MODELS

    task: Task
    recognition: RecognitionConfig

    @property
    def supervision(self) -> str:
        """What is told in training: the supervision."""
        return self.recognition.supervision

    @property
    def words(self) -> str:
        """Which words it is trained on."""
        lengths = f"lengths {self.recognition.min_length}..{self.recognition.max_length}"
        match self.recognition.supervision:
            case "composition":
                return f"compositions of sub-words, {lengths}"
            case "assigned":
                return f"all chunks of codes in words of {lengths}"
            case _:
                return f"{self.task.protocol}, {lengths}"

    def objective(self) -> Objective:
        """What is learned."""
        task, settings = self.task, self.recognition
        match settings.supervision:
            case "final":
                return Final(task, settings)
            case "prefix":
                return Prefix(task, settings)
            case "node":
                return Nodes(task, settings, state_maps(task.language))
            case "transition":
                return Transitions(task, settings, state_maps(task.language))
            case "states":
                return States(task, settings)
            case "composition":
                return Composition(task, settings, state_maps(task.language))
            case "assigned":
                chunk = self.network.chunk
                return Assigned(task, settings, chunk, precision=self.loop.precision)

    def settings(self) -> Mapping[str, Config]:
        """Those of the network, the words and the loop."""
        return {"network": self.network, "recognition": self.recognition, "loop": self.loop}

    def about(self) -> dict[str, Any]:
        """The language, and how words are drawn."""
        return {
            "language": to_dict(self.task.language),
            "protocol": self.task.protocol,
            "p_one": self.task.p_one,
        }

    @classmethod
    def own_parts(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        """The language and its words."""
        task = Task(
            language=from_dict(values["language"]),
            protocol=values["protocol"],
            p_one=_share(values["p_one"]),
        )
        recognition = RecognitionConfig.from_dict(values["recognition"])
        return {"task": task, "recognition": recognition}


AnyPlan = Plan | StepPlan | LanguagePlan | TranslationPlan
"""What can be trained."""

_KINDS: Mapping[str, type[StepPlan | LanguagePlan | TranslationPlan]] = {
    "steps": StepPlan,
    "text": LanguagePlan,
    "translation": TranslationPlan,
}
"""Kinds of plans, by a part that only they have."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """A trained or computed model, what it is about, and where it is stored."""

    plan: AnyPlan | Compiled
    model: nn.Module
    metrics: list[dict[str, Any]]
    folder: RunFolder | None = None

    def __post_init__(self) -> None:
        if isinstance(self.plan, Plan | Compiled):
            remember(self.model, self.plan.task.language)

    @property
    def language(self) -> Language:
        """What it tells apart."""
        return self.plan.task.language

    @property
    def task(self) -> Task:
        """The words it was trained on, or made for."""
        return self.plan.task


def make_plan(
    language: Language,
    model: str | None = None,
    *,
    preset: str = "laptop",
    protocol: str | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Plan:
    """Settings from a preset and from the user, each to the part that it belongs to.

    Besides those of the network, the words and the loop there are `p_one`, the P(1) of the
    published words of Parity, and `longest_word`, for which there is room where positions are
    learned or drawn from a range.

    Raises:
        ConfigError: a name is unknown, or a value does not fit.
    """
    model = model or DEFAULT_MODEL
    entry = MODELS[model]
    parts = _settable(entry)
    has_room = "max_length" in _names(entry.config)
    own_names = {"p_one", "longest_word"} if has_room else {"p_one"}
    require_known(settings or {}, own_names.union(*parts.values()))
    chosen = {
        **entry.training,
        **preset_settings(preset, language.spec),  # some numbers are of other networks
        **entry.presets.get(preset, {}),
        **(settings or {}),
    }
    own = parted(chosen, parts)
    recognition = RecognitionConfig.from_dict(
        {"supervision": _suitable(entry.supervision, language), **own[RecognitionConfig]}
    )
    entry.require_supervision(model, recognition.supervision)
    if recognition.supervision in ("composition", "assigned"):
        _require_few_elements(language, recognition.supervision)
    network: dict[str, Any] = {
        "vocab_size": language.num_symbols,
        "num_classes": language.num_classes,
    }
    if recognition.supervision in ("transition", "composition"):
        network["transition_size"] = transition_size(state_maps(language))
    if recognition.supervision == "states":
        network["state_classes"] = state_classes(language)
    configured = entry.configure({**own[entry.config], **network})
    if has_room:
        configured = _with_room(configured, recognition.max_length, settings or {})
    if recognition.supervision in ("composition", "assigned"):
        require(
            getattr(configured, "memory", "") == "binary",
            f"supervision={recognition.supervision!r} is about codes, but the memory is not binary."
            f" Use model regular-gpt-binary, or supervision='transition'.",
        )
    if recognition.supervision == "assigned":
        configured = _with_bits(configured, language, recognition.max_length, settings or {})
    return Plan(
        task=Task(
            language=language,
            protocol=protocol or default_protocol(language, binary=entry.audited),
            p_one=_share(chosen.get("p_one", 0.5)),
        ),
        model=model,
        preset=preset,
        network=configured,
        recognition=recognition,
        loop=LoopConfig.from_dict(own[LoopConfig]),
    )


def usual_lengths(plan: AnyPlan | Compiled) -> str:
    """The lengths that a run is tested at if nobody says which: past training, if it reads them.

    Those of the paper are 41:500, for words of at most 40 symbols in training.
    """
    if not isinstance(plan, Plan):
        return "41:500"
    trained, network = plan.recognition.max_length, plan.network
    most = max(500, 2 * trained)
    is_stack = isinstance(network, LayerStackConfig)
    if is_stack and issubclass(POSITIONS[network.position], LearnedPosition):
        most = min(network.max_length, most)
    return f"{trained + 1 if most > trained else 1}:{most}"


def _with_room(network: Config, max_length: int, settings: Mapping[str, Any]) -> LayerStackConfig:
    """The network with room for words of `max_length` symbols, or as long as the user asks for.

    Learned positions past the words of training would stay as they were drawn, so there are none
    unless they are asked for. Other positions are told of the usual room at least.
    """
    assert isinstance(network, LayerStackConfig)  # other models have room for any word
    position = POSITIONS[network.position]
    if "longest_word" not in settings:
        is_table = issubclass(position, LearnedPosition)
        longest = max_length if is_table else max(max_length, network.max_length)
        return replace(network, max_length=longest)
    longest = settings["longest_word"]
    require(
        isinstance(longest, int) and not isinstance(longest, bool),
        f"longest_word={longest!r} must be a whole number. Use {max_length} or more.",
    )
    require(
        issubclass(position, LearnedPosition | RandomisedPosition),
        f"longest_word={longest} is for positions that are learned or drawn from a range, but "
        f"position={network.position!r} has no end. Leave it out.",
    )
    require(
        longest >= max_length,
        f"longest_word={longest} is shorter than the words of training, max_length={max_length}. "
        f"Use {max_length} or more.",
    )
    return replace(network, max_length=longest)


def _with_bits(
    network: Config, language: Language, max_length: int, settings: Mapping[str, Any]
) -> RegularGPTConfig:
    """The network with as many bits as the codes that it is told."""
    assert isinstance(network, RegularGPTConfig)  # other models do not learn from codes
    needed = assign(language, network.chunk, max_length).num_bits
    if settings.get("num_bits", needed) != needed:
        raise ConfigError(
            f"with supervision='assigned' the codes of {language.spec or 'the language'} have "
            f"{needed} bits, so num_bits={settings['num_bits']} does not fit. Leave it out."
        )
    return replace(network, num_bits=needed)


_MADE_HERE = {"vocab_size", "num_classes", "transition_size", "state_classes", "max_length"}
"""Settings of a network that follow from the language, the supervision and the words."""

_OF_COMPOSITION = {"pull", "margin", "lessons"}


def _settable(entry: ModelEntry) -> dict[type[Config], set[str]]:
    """What can be set of the network, the words and the loop of a model."""
    needless = set() if "composition" in entry.supervisions else _OF_COMPOSITION
    return {
        entry.config: set(_names(entry.config)) - _MADE_HERE - entry.fixed,
        RecognitionConfig: set(_names(RecognitionConfig)) - needless,
        LoopConfig: set(_names(LoopConfig)),
    }


def _names(config: type[Config]) -> dict[str, Any]:
    """The settings of a class, with their defaults."""
    return {setting.name: setting.default for setting in fields(config)}


def _suitable(supervision: Supervision, language: Language) -> Supervision:
    """`composition`, unless the language has too many state maps for it: then `transition`."""
    if supervision == "composition" and not _has_few_elements(language):
        return "transition"
    return supervision


def _require_few_elements(language: Language, supervision: str) -> None:
    if not _has_few_elements(language):
        raise ConfigError(
            f"supervision={supervision!r} tells at most {MAX_ELEMENTS} state maps apart, but "
            f"{language.spec or 'the language'} has more. Use supervision='transition'."
        )


@lru_cache(maxsize=64)
def _has_few_elements(language: Language) -> bool:
    try:
        transition_monoid(language.total().minimised(), max_elements=MAX_ELEMENTS)
    except LanguageError:
        return False
    return True


def train(
    plan: AnyPlan,
    *,
    out: Path | str | None = None,
    device: str = "auto",
    progress: Progress | None = None,
) -> Run:
    """Train as planned; with `out`, in a run folder, where an interrupted run goes on.

    A run that has ended is loaded, not trained again. Of processes that were started together each
    trains on a share of every batch, and has the whole model in the end.

    Raises:
        RunError: the folder holds another run.
        ClaimError: the loss is not finite.
        ConfigError: there are several processes, and what is learned is not divided among them; or
            the device cannot compute in the precision of `autocast`.
    """
    processes = _processes(plan, device)
    folder = None if out is None else RunFolder(Path(out))
    if folder and folder.is_claimed and folder.is_finished:
        claim(folder, plan, environment(device))
        return load_run(folder.path, device=device)
    require_autocast(choose_device(device), plan.autocast)
    model, goal = plan.draw(), _goal(plan, processes)
    made_with = environment(device)
    if isinstance(plan.network, BodyConfig):
        made_with["body"] = origin(plan.network)
    if processes.count > 1:
        made_with["processes"] = str(processes.count)
    if folder is None:  # all that can be refused has been, before anything is written
        model.to(choose_device(device))
        metrics = fit(model, goal, plan.loop, progress=progress, processes=processes)
        return Run(plan=plan, model=model, metrics=metrics)
    with ExitStack() as lock:
        if processes.is_main:
            claim(folder, plan, made_with)
            lock.enter_context(folder.locked())
        processes.wait()  # until the folder is there, and ours
        if not folder.is_finished:
            model.to(choose_device(device))
            fit(model, goal, plan.loop, folder=folder, progress=progress, processes=processes)
        processes.wait()  # until the model is written
    return load_run(folder.path, device=device)


def _processes(plan: AnyPlan, device: str) -> Processes:
    """Those that train together.

    Raises:
        ConfigError: there are several, and the plan is not for them.
    """
    if not isinstance(plan, LanguagePlan):
        require_alone("training on a language or a step task")
    return join(device)


def _goal(plan: AnyPlan, processes: Processes) -> Objective:
    return plan.objective(processes) if isinstance(plan, LanguagePlan) else plan.objective()


def claim(folder: RunFolder, plan: AnyPlan, made_with: Mapping[str, str]) -> None:
    """Make the folder for a plan, or find that it is this plan's already.

    A folder of an older version, which lacks settings that were added since, is that of their
    defaults.

    Raises:
        RunError: the folder holds something else.
    """
    stored = folder.config() if folder.is_claimed else {}
    lacks = "loop" in stored and plan_from_dict(stored) == plan
    folder.claim(stored if lacks else {**plan.to_dict(), "environment": dict(made_with)})


def plan_from_dict(values: Mapping[str, Any]) -> AnyPlan:
    """The plan of a stored run, of whatever kind.

    Raises:
        RunError: something is missing, or of the wrong kind.
    """
    for name, kind in _KINDS.items():
        if name in values:
            return kind.from_dict(values)
    return Plan.from_dict(values)


def _share(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ConfigError(f"p_one={value!r} must be a number.")
    return float(value)


def load_run(path: Path | str, *, device: str = "auto") -> Run:
    """The model of a run folder, trained or computed, ready to be asked.

    Raises:
        RunError: the folder holds no finished run, or a circuit, or a file is damaged.
    """
    folder = RunFolder(Path(path))
    config = folder.config()
    if is_compiled(config):
        compiled, computed = load_compiled(path)
        assert isinstance(compiled.task, Task)  # raises RunError if it is a circuit
        return Run(
            plan=compiled, model=computed.to(choose_device(device)), metrics=[], folder=folder
        )
    plan = plan_from_dict(config)
    model = plan.build()
    load_weights(model, folder.weights(), folder.path)
    model.to(choose_device(device)).eval()
    metrics = folder.metrics()
    if not metrics:
        raise RunError(
            f"{folder.path}/metrics.jsonl must hold a record of every validation, but it is empty "
            f"or missing. Train again in a new folder."
        )
    return Run(plan=plan, model=model, metrics=metrics, folder=folder)


def choose_device(name: str) -> torch.device:
    """`auto` is an accelerator if there is one that computes, and the processor otherwise.

    Raises:
        ConfigError: torch does not know the device, or it is not there, or gives wrong numbers.
    """
    if name == "auto":
        accelerator = torch.accelerator.current_accelerator()
        usable = accelerator is not None and torch.accelerator.is_available()
        if not usable or accelerator is None or why_unavailable("float32", accelerator):
            return torch.device("cpu")
        return accelerator
    try:
        device = torch.device(name)
    except RuntimeError:
        raise ConfigError(
            f"torch knows no device {name!r}. Use auto, cpu, mps, or cuda (with a number, cuda:1)."
        ) from None
    try:
        torch.zeros(1, device=device).item()
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise ConfigError(
            f"device {name!r} cannot be used ({str(error).splitlines()[0]}). Use auto or cpu."
        ) from None
    require_precision("float32", device, what=f"device {name!r}", instead="Use auto or cpu.")
    return device


def environment(device: str) -> dict[str, str]:
    """What a result was made with."""
    return {
        "python": platform.python_version(),
        "torch": torch.__version__,
        "processor": processor(),
        "device": str(choose_device(device)),
    }


def processor() -> str:
    """What the processor calls itself, such as `AMD EPYC 7B13`; at least its architecture."""
    try:
        facts = Path("/proc/cpuinfo").read_text(encoding="utf-8")  # Linux
    except OSError:
        facts = ""
    name = re.search(r"^model name\s*: (.+)$", facts, re.MULTILINE)
    return name[1].strip() if name else platform.machine()
