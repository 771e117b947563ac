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

from lengthwise.errors import RunError
from lengthwise.problems.base import Problem
from lengthwise.problems.inferred.inference import infer_from, read_reference
from lengthwise.problems.inferred.problem import InferredProblem
from lengthwise.problems.inferred.settings import OF_INFERENCE, InferenceConfig, divide_settings
from lengthwise.problems.labelled_words.problem import LabelledWordsProblem
from lengthwise.problems.plan import Plan
from lengthwise.problems.planning import plan_from_dict
from lengthwise.problems.registry import require_own_options
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
) -> Asked:
    """Infer an automaton from the words that a specification names; return what remains to plan.

    If the folder `out` has a run on these words, that run continues, whatever its model.

    Raises:
        TextError: there are no labelled words, or no automaton fits them.
        ConfigError: a setting or option is unknown, or does not fit.
        RunError: the folder holds a run on other words, or from another inference.
    """
    given_options = {name: value for name, value in options.items() if value is not None}
    require_own_options(LabelledWordsProblem, given_options, spec)
    stored_plan = _plan_there(out)
    if stored_plan is not None and isinstance(stored_plan.problem, LabelledWordsProblem):
        return Asked(subject=spec, model=stored_plan.model, settings=settings, options=options)
    of_inference, of_training = divide_settings(settings)
    entry = InferredProblem.setup.models[InferredProblem.setup.default_model]
    names = {**InferredProblem.setup.settable(entry), "inference": OF_INFERENCE}
    for layer in of_training:  # unknown names are refused before work that may take minutes
        sort_settings(layer, names, derived=InferredProblem.setup.derived)
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
        assert out is not None
        RunFolder(out).require_same(before.own_values(), config.to_dict())
        if before.words != words:
            raise RunError(
                f"{out} holds a run on {before.name} with words, labels or an alphabet that are "
                f"not those of {spec}. Use another folder."
            )
        problem = replace(before, words=words)
    return Asked(subject=problem, model=None, settings=of_training, options={})


def _plan_there(out: Path | None) -> Plan | None:
    """Return the plan of the trained run in a folder, if there is one."""
    if out is None or not RunFolder(out).is_claimed:
        return None
    stored = RunFolder(out).config()
    return None if is_compiled(stored) else plan_from_dict(stored)
