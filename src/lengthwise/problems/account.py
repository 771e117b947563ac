"""The account of a run: all statements about it, which every rendering only lays out.

A problem makes it from the records of the run (`Problem.account`). The report, the card of a
notebook, `print(run)`, the terminal and `train --json` show its parts in their order, so what leads
in it leads everywhere. `ls` loads neither torch nor a problem, and reads the same files.
"""

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from torch import nn

from lengthwise.evaluation.scores import percent
from lengthwise.messages import format_count
from lengthwise.problems.plan import Plan
from lengthwise.problems.results import Facts, Section
from lengthwise.training.loop import find_kept_record
from lengthwise.training.runs import RunFolder


def plain_facts(values: Mapping[str, Any]) -> Facts:
    """Return the values that are strings or numbers."""
    plain = str | int | float
    return [(name, str(value)) for name, value in values.items() if isinstance(value, plain)]


@dataclass(frozen=True, kw_only=True, slots=True)
class Account:
    """All statements about a run."""

    title: str
    """Its subject and its model."""
    conditions: str
    """How the run was made: supervision, examples, preset, seed."""
    rows: Facts
    """The results by name; a warning comes first."""
    verdict: str = ""
    """A few words for a warning that leads: `refuted`."""
    refutation: str = ""
    """Why the run failed to reach its goal; if given, `train` ends with status 1."""
    values: Mapping[str, Any] = field(default_factory=dict)
    """The entries of `train --json`."""
    advice: Callable[[], str] = str
    """Returns the command that is suggested next."""
    tested: Callable[[Mapping[str, Any]], Facts] = plain_facts
    """Says what is in `evaluation.json`, where there is no `section`."""
    section: Callable[["Account"], Section] | None = None
    """Draws what only a page can show of the run with this account.

    Raises `RunError` if a record is damaged, and `CertificateError` if a certificate is.
    """


@dataclass(frozen=True, kw_only=True, slots=True)
class Records:
    """What training left of a run, from which its account is made."""

    plan: Plan
    metrics: Sequence[Mapping[str, Any]] = ()
    """One record for each validation."""
    ended: Sequence[Mapping[str, Any]] = ()
    """One record for each stage that ended without a proof."""
    folder: RunFolder | None = None
    model: nn.Module | None = None
    """None if it is not loaded."""

    @classmethod
    def of(cls, folder: RunFolder, plan: Plan) -> "Records":
        """Read the records of a folder.

        Raises:
            RunError: one is damaged.
        """
        ended = [stage.stage_record() for stage in folder.list_ended_stages()]
        return cls(plan=plan, metrics=folder.metrics(), ended=ended, folder=folder)

    @property
    def best(self) -> Mapping[str, Any]:
        """The record of the validation whose weights are kept; empty before the first."""
        return find_kept_record(self.metrics) if self.metrics else {}

    def name_folder(self, more: str = "") -> str:
        """Return the folder as a command names it, with something behind its name."""
        return shlex.quote(f"{self.folder.path if self.folder else 'RUN'}{more}")

    @property
    def after(self) -> str:
        """The steps after which the weights were kept: `after 10 of 20 steps`."""
        step, last = self.best["step"], self.metrics[-1]["step"]
        return f"after {'' if step == last else f'{step:,} of '}{format_count(last, 'step')}"

    def make_validation_row(self, words: str = "", figure: str = "") -> tuple[str, str]:
        """Return the row of the validation: a figure, by default accuracy, on which words."""
        if not self.metrics:
            return "in validation", "not yet"
        figure = figure or f"{percent(self.best['validation_accuracy'])} %"
        return "in validation", " ".join([figure, *([words] if words else []), self.after])

    def conditions(self, *own: str) -> str:
        """Return conditions in the words of the problem, with those that all runs have."""
        size = [] if self.model is None else [size_of(self.model)]
        every = [*own, *size, f"{self.plan.preset} preset", f"seed {self.plan.training.seed}"]
        return ", ".join(every)

    @property
    def stages(self) -> list[dict[str, Any]]:
        """A record for every stage: those that ended without a proof, and the last."""
        records = [dict(record) for record in self.ended]
        if best := self.best if len(records) < self.plan.stage else {}:
            measured = {name: best.get(name) for name in ("proved", "right_to", "first_wrong")}
            ending = "perfect" if best["perfect"] else "steps"
            records.append({**self.of_stage(ending), **measured, "reason": ""})
        return [{**record, "kept": record["stage"] == self.plan.stage} for record in records]

    def of_stage(self, ending: str) -> dict[str, Any]:
        """Return the facts about the stage of the plan, which ended in this way."""
        plan, best = self.plan, self.best
        of_best = {name: best.get(name) for name in ("longest", "grows_to", "chunks")}
        return {
            "stage": plan.stage,
            "model": plan.model,
            "supervision": plan.supervision,
            "told": plan.trained_on,
            "ended": ending,
            "steps": self.metrics[-1]["step"] if self.metrics else 0,
            "validation_accuracy": best.get("validation_accuracy"),
            **of_best,
            "wrong_chunks": best.get("wrong"),
        }

    @property
    def values(self) -> dict[str, Any]:
        """The entries of `train --json` that all runs have; none before the first validation."""
        plan, best, stages = self.plan, self.best, self.stages
        if not best:
            return {}
        stage_record = next(stage for stage in stages if stage["kept"])
        of_best = ("validation_accuracy", "validation_loss", "perfect", "longest", "grows_to")
        of_stage = ("proved", "right_to", "first_wrong", "wrong_chunks", "reason")
        return {
            "run": str(self.folder.path) if self.folder else None,
            "supervision": plan.supervision,
            "model": plan.model,
            "chosen": plan.chosen,
            "preset": plan.preset,
            **({} if self.model is None else sizes_of(self.model)),
            "steps": self.metrics[-1]["step"],
            "kept_step": best["step"],
            **{name: best.get(name) for name in (*of_best, "states")},
            **{name: stage_record[name] for name in of_stage},
            "stage": plan.stage,
            "stages": stages,
            f"{plan.problem.setup.unit}_per_second": self.metrics[-1].get("words_per_second"),
        }


def sizes_of(model: nn.Module) -> dict[str, int]:
    """Count the parameters of a model, and those that training changes."""
    sizes = [(parameter.numel(), parameter.requires_grad) for parameter in model.parameters()]
    trained = sum(size for size, changes in sizes if changes)
    return {"parameters": sum(size for size, _ in sizes), "trained_parameters": trained}


def size_of(model: nn.Module) -> str:
    """Return the number of parameters of a model in words."""
    every, trained = sizes_of(model).values()
    trained_part = "" if trained == every else f", {trained:,} of them trained"
    return f"{format_count(every, 'parameter')}{trained_part}"
