"""Lines about a run on a language: what training came to, stage by stage, and what to do next."""

from collections.abc import Mapping
from typing import Any

from lengthwise.evaluation.scores import percent
from lengthwise.languages.language import Language
from lengthwise.models.recognisers import DEFAULT_MODEL
from lengthwise.objectives.sizes import LARGE_MODEL, MOST_LABELLED, num_elements
from lengthwise.problems.plan import Plan
from lengthwise.tasks.task import Task
from lengthwise.wording import counted, shorter_words

_SHOWN = 60
"""Greatest number of characters that are shown of a wrong word."""

_ENDED = {"steps": "after", "diverged": "diverged after"}


def outcome_of(plan: Plan, task: Task, facts: Mapping[str, Any]) -> str:
    """Return a line on whether a proof closed, the accuracy on fresh words, and the stages."""
    words = plan.data
    return (
        f"{plan.model} on {task.title} ({task.protocol} words, {plan.supervision} supervision, "
        f"{plan.preset} preset): {_proof(facts, by_steps=plan.network.is_recurrent)}"
        f"{percent(facts['validation_accuracy'])} % on fresh words"
        f"{shorter_words(facts) or f' of length {words.min_length}..{words.max_length}'} after "
        f"{counted(facts['kept_step'], 'step')}"
        f"{_stages(plan, facts)}"
    )


def needs_another_model(language: Language, plan: Plan, facts: Mapping[str, Any]) -> bool:
    """Return whether a proof needs another model: the monoid is too large for that of the default
    model, or no route is left."""
    if facts["proved"] or not language.spec:
        return False
    if plan.model == DEFAULT_MODEL and _is_past_codebooks(language):
        return True
    return facts["proved"] is False and (plan.is_staged or plan.model == LARGE_MODEL)


def _is_past_codebooks(language: Language) -> bool:
    """Return whether there are too many state maps for their codes to be labels."""
    count = num_elements(language)
    return count is None or count > MOST_LABELLED


def _stages(plan: Plan, facts: Mapping[str, Any]) -> str:
    """Say which stages there were, and how near those came that ended without a proof."""
    stages, told = facts["stages"], ""
    if plan.is_staged:
        told = f" of stage {plan.stage} of {plan.num_stages}"
        others = [each for each in stages if not each["kept"]]
        if len(stages) == plan.num_stages and not facts["proved"]:
            others = stages
        if others:
            told += f"; without a proof ended {', '.join(ended_in_words(each) for each in others)}"
        if others is stages:
            told += f"; nearest came {plan.supervision}, which is kept"
            told += f" ({facts['reason']})" if facts["reason"] else ""
    if plan.barrier and not facts["proved"]:
        told += f"; no further route was tried, since {plan.barrier}"
    return told


def ended_in_words(stage: Mapping[str, Any]) -> str:
    """Say how a stage ended, with the numbers of how near it came."""
    told = f"{stage['supervision']} ({_ENDED[stage['ended']]} {counted(stage['steps'], 'step')}"
    right, wrong = stage["right_to"], stage["wrong_chunks"]
    if right is not None and right >= 0:
        told += f", right to length {right}"
    if wrong is not None:
        told += f", {wrong:,} of {stage['chunks']:,} chunks wrong"
    return f"{told})"


def _proof(facts: Mapping[str, Any], *, by_steps: bool) -> str:
    """Say whether a proof closed, where training tries one, or how far a model is right.

    A network that reads symbol by symbol is judged by its steps, others by their chunks. Of one
    that was told labels alone, say how many states its own automaton has.
    """
    if facts["states"] is not None:
        return f"settled on an automaton of {counted(facts['states'], 'state')}; "
    if facts["proved"] is None:
        return ""
    if facts["proved"]:
        return "proved at every length; "
    right = facts["right_to"]
    if facts["wrong_chunks"]:
        wrong = f"wrong on {counted(facts['wrong_chunks'], 'step' if by_steps else 'chunk')}"
        wrong += " of the automaton" if by_steps else " of codes"
        far = "" if right is None else f", {_far(right, facts['first_wrong'])}"
        return f"not proved: {wrong}{far}; "
    if facts["wrong_chunks"] == 0 and by_steps:
        return "not proved: no step that was judged is wrong, and `certify` says what is open; "
    if facts["wrong_chunks"] == 0:
        return "not proved: no chunk of codes is wrong, but rounding could change an answer; "
    if right is None:
        return "not proved: nothing wrong in float64, but rounding could change an answer; "
    return f"not proved: {_far(right, facts['first_wrong'])}; "


def _far(right_to: int, word: str | None) -> str:
    """Say up to which length a model is right, and the first word on which it is wrong."""
    if right_to < 0:
        return "the empty word is wrong"
    if word is None:
        return f"right to length {right_to}"
    brief = word if len(word) <= _SHOWN else f"{word[:_SHOWN]}..."
    return f"right to length {right_to}, first wrong word {brief}"
