"""What `train` makes of labelled words where no model is named: it infers an automaton first.

With a model, `words:FILE` is learned from its labels. Without one, an automaton is inferred, and a
network is trained until it is proved to compute that: `train words:FILE` does what `infer` and then
`train inferred:FILE` do. A folder that holds a run on the words continues it, and nothing is
inferred again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lengthwise.data.words_reference import WordsReference
from lengthwise.errors import RunError
from lengthwise.problems.base import Problem
from lengthwise.problems.inferred.inference import infer_from, read_reference
from lengthwise.problems.inferred.problem import InferredProblem
from lengthwise.problems.inferred.settings import OF_INFERENCE, InferenceConfig, divide_settings
from lengthwise.problems.labelled_words.problem import LabelledWordsProblem
from lengthwise.problems.paired_words.inference import infer_function, read_paired_words
from lengthwise.problems.paired_words.problem import PairedWordsProblem
from lengthwise.problems.plan import Plan
from lengthwise.problems.planning import plan_from_dict
from lengthwise.problems.registry import kind_of, require_own_options
from lengthwise.problems.results import Options, Watch, no_watch
from lengthwise.settings import sort_settings
from lengthwise.training.construction_files import is_compiled
from lengthwise.training.runs import RunFolder


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """What is to be planned, in the terms of `make_plan`."""

    subject: str | Problem
    model: str | None
    settings: Sequence[Mapping[str, Any]]
    options: Options


def with_inference(
    spec: str,
    settings: Sequence[Mapping[str, Any]],
    options: Options,
    out: Path | None,
    watch: Watch = no_watch,
    *,
    model: str | None = None,
) -> Asked:
    """Infer an automaton, or a function, from the words that a specification names; return what
    remains to plan.

    A `model` is named for pairs of words alone: it learns the function. If the folder `out` has a
    run on these words, that run continues, whatever its model.

    Raises:
        TextError: there are no labelled words, or no automaton fits them.
        ConfigError: a setting or option is unknown, or does not fit.
        RunError: the folder holds a run on other words, or from another inference.
    """
    given_options = {name: value for name, value in options.items() if value is not None}
    if kind_of(spec) is PairedWordsProblem:
        return _with_function(spec, settings, given_options, out, watch, model=model)
    require_own_options(LabelledWordsProblem, given_options, spec)
    stored_plan = _plan_there(out)
    if stored_plan is not None and isinstance(stored_plan.problem, LabelledWordsProblem):
        return Asked(subject=spec, model=stored_plan.model, settings=settings, options=options)
    of_inference, of_training = _divide(InferredProblem, settings, None)
    before = (
        stored_plan.problem
        if stored_plan and isinstance(stored_plan.problem, InferredProblem)
        else None
    )
    config = InferenceConfig.from_dict({**(before.own_values() if before else {}), **of_inference})
    words = read_reference(
        spec, given_options.get("alphabet"), config, given_options.get("columns"), needs_labels=True
    )
    if before is None:
        problem = InferredProblem.of(infer_from(words, config, watch))
    else:
        problem = replace(before, words=_require_same(before, words, config, spec, out))
    return Asked(subject=problem, model=None, settings=of_training, options={})


def _with_function(
    spec: str,
    settings: Sequence[Mapping[str, Any]],
    options: Options,
    out: Path | None,
    watch: Watch,
    *,
    model: str | None,
) -> Asked:
    """Infer a function from pairs of words, unless the folder has one of these pairs."""
    require_own_options(PairedWordsProblem, options, spec)
    of_inference, of_training = _divide(PairedWordsProblem, settings, model)
    stored_plan = _plan_there(out)
    there = stored_plan.problem if stored_plan is not None else None
    before = there if isinstance(there, PairedWordsProblem) else None
    config = InferenceConfig.from_dict({**(before.own_values() if before else {}), **of_inference})
    words = read_paired_words(spec, options.get("alphabet"), config, options.get("columns"))
    if before is None:
        problem = PairedWordsProblem.of_inference(infer_function(words, config, watch))
    else:
        problem = replace(before, words=_require_same(before, words, config, spec, out))
    return Asked(subject=problem, model=model, settings=of_training, options={})


def _divide(
    kind: type[Problem], settings: Sequence[Mapping[str, Any]], model: str | None
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Divide settings into those of inference and of training; unknown names are refused before
    work that may take minutes."""
    of_inference, of_training = divide_settings(settings)
    entry = kind.setup.models[model or kind.setup.default_model]
    names = {**kind.setup.settable(entry), "inference": OF_INFERENCE}
    for layer in of_training:
        sort_settings(layer, names, derived=kind.setup.derived)
    return of_inference, of_training


def _require_same(
    before: InferredProblem | PairedWordsProblem,
    words: WordsReference,
    config: InferenceConfig,
    spec: str,
    out: Path | None,
) -> WordsReference:
    """Return words that are those of the run in a folder."""
    assert out is not None
    RunFolder(out).require_same(before.own_values(), config.to_dict())
    if before.words != words:
        raise RunError(
            f"{out} holds a run on {before.name} with words, labels or an alphabet that are "
            f"not those of {spec}. Use another folder."
        )
    return words


def _plan_there(out: Path | None) -> Plan | None:
    """Return the plan of the trained run in a folder, if there is one."""
    if out is None or not RunFolder(out).is_claimed:
        return None
    stored = RunFolder(out).config()
    return None if is_compiled(stored) else plan_from_dict(stored)
