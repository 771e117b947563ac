"""The account of a run on a language: the outcome of training, stage by stage."""

import shlex
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from lengthwise.languages.language import Language
from lengthwise.messages import format_count, shorten, shorter_words
from lengthwise.models.recognisers import DEFAULT_MODEL
from lengthwise.objectives.sizes import LARGE_MODEL, MOST_LABELLED, num_elements
from lengthwise.problems.account import Account, Records
from lengthwise.problems.results import Facts
from lengthwise.tasks.task import Task

_SHOWN = 60
"""Greatest number of characters that are shown of a wrong word."""

_ENDED = {"steps": "after", "diverged": "diverged after"}


def account_of(plain: Account, task: Task, records: Records) -> Account:
    """Return the account of a run on a language: its proof, accuracy and stages."""
    plan, best, protocol = records.plan, records.best, task.protocol
    words = shorter_words(best) or f" of length {plan.data.min_length}..{plan.data.max_length}"
    proof = _proof(plain.values, by_steps=plan.network.is_recurrent) if best else []
    own_values = {"task": task.id, "language": task.language.spec, "protocol": protocol}
    return replace(
        plain,
        conditions=records.conditions(
            f"{protocol} words of {task.title}",
            f"{plan.supervision} supervision",
            plan.trained_on.removeprefix(f"{protocol}, "),
        ),
        rows=[*proof, records.make_validation_row(f"on fresh words{words}"), *_stages(records)],
        values={**plain.values, **own_values},
    )


def _stages(records: Records) -> Facts:
    """Return the stage of a run, how those ended that closed no proof, and what was replayed."""
    plan, facts = records.plan, []
    without = [stage for stage in records.ended if not stage["proved"]]
    if plan.is_staged:
        facts.append(("stage", f"{plan.stage} of {plan.num_stages}, {plan.supervision}"))
    if without:
        ended = ", ".join(map(_describe_end, without))
        if len(without) == plan.num_stages:
            why = next(stage["reason"] for stage in without if stage["stage"] == plan.stage)
            ended += f"; nearest came {plan.supervision}, which is kept{why and f' ({why})'}"
        facts.append(("stages without a proof", ended))
    if plan.barrier and not records.best.get("proved"):
        facts.append(("routes", f"no further route was tried, since {plan.barrier}"))
    longest = max((metric.get("lesson_length", 0) for metric in records.metrics), default=0)
    if longest > plan.data.max_length:
        facts.append(("replay", f"parts of sub-words of up to {longest} symbols"))
    return facts


def advice_of(language: Language, records: Records, facts: Mapping[str, Any], lengths: str) -> str:
    """Return `certify`, which keeps a proof or says why there is none; `evaluate` where no proof
    was asked; and where a proof needs another model, `train` with that.

    It does if the monoid is too large for the default model, or if no route is left.
    """
    plan, spec = records.plan, language.spec
    if spec and not facts["proved"]:
        is_last = facts["proved"] is False and (plan.is_staged or plan.model == LARGE_MODEL)
        count = num_elements(language) if plan.model == DEFAULT_MODEL else 0
        if is_last or count is None or count > MOST_LABELLED:
            other = f"--model gru-binary --out {records.name_folder('-gru')}"
            return f"lengthwise train {shlex.quote(spec)} {other}"
    if facts["proved"] is not None or facts["states"] is not None:
        return f"lengthwise certify {records.name_folder()}"
    return f"lengthwise evaluate {records.name_folder()} --lengths {lengths}"


def _describe_end(stage: Mapping[str, Any]) -> str:
    """Say how a stage ended, and how near it came to a proof."""
    text = (
        f"{stage['supervision']} ({_ENDED[stage['ended']]} {format_count(stage['steps'], 'step')}"
    )
    right, wrong = stage["right_to"], stage["wrong_chunks"]
    if right is not None and right >= 0:
        text += f", right to length {right}"
    if wrong is not None:
        text += f", {wrong:,} of {stage['chunks']:,} chunks wrong"
    return f"{text})"


def _proof(facts: Mapping[str, Any], *, by_steps: bool) -> Facts:
    """Say whether a proof closed, where training tries one, or how far a model is right.

    A network that reads symbol by symbol is judged by its steps, others by their chunks. Of one
    that was given labels alone, say how many states its own automaton has.
    """
    right, wrong = facts["right_to"], facts["wrong_chunks"]
    if facts["states"] is not None:
        return [
            ("automaton", f"settled on an automaton of {format_count(facts['states'], 'state')}")
        ]
    if facts["proved"] is None:
        return []
    if facts["proved"]:
        return [("proof", "training ended with a proof at every length")]
    reasons = [] if right is None else [_far(right, facts["first_wrong"])]
    if wrong:
        unit = ("step", "of the automaton") if by_steps else ("chunk", "of codes")
        reasons.insert(0, f"wrong on {format_count(wrong, unit[0])} {unit[1]}")
    elif wrong == 0 or right is None:
        reasons = ["nothing that was judged is wrong, and `certify` says what is open"]
    return [("proof", f"not proved: {', '.join(reasons)}")]


def _far(right_to: int, word: str | None) -> str:
    """Say up to which length a model is right, and the first word on which it is wrong."""
    if right_to < 0:
        return "the empty word is wrong"
    first = "" if word is None else f", first wrong word {shorten(word, _SHOWN)}"
    return f"right to length {right_to}{first}"
