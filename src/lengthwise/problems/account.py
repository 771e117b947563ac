"""The account of a run: one record of all that is said of it, which every rendering only lays out.

A problem makes it from the records of the run (`Problem.account`). The report, the card of a
notebook, `print(run)`, the line of `train` and its `--json` show its parts in their order, so what
leads in it leads everywhere. `ls`, which loads neither torch nor a problem, reads the same files.
"""

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from torch import nn

from lengthwise.problems.plan import Plan
from lengthwise.problems.results import Facts, Section
from lengthwise.training.loop import kept
from lengthwise.training.runs import RunFolder
from lengthwise.wording import counted


def plain_facts(values: Mapping[str, Any]) -> Facts:
    """Return the values that are strings or numbers."""
    plain = str | int | float
    return [(name, str(value)) for name, value in values.items() if isinstance(value, plain)]


@dataclass(frozen=True, kw_only=True, slots=True)
class Account:
    """All that is said of a run. A warning leads: in the verdict, the results and the sentences."""

    title: str
    """Its subject and its model."""
    verdict: str = ""
    """A few words if the run is not what was wanted, though its training ended well: `refuted`."""
    results: Facts
    """What came of it, the judgement that counts first; each text is clear without its name."""
    conditions: Sequence[str] = ()
    """How it came about: supervision, examples, preset, seed."""
    facts: Facts = field(default_factory=list)
    """What else is known of it; these texts need their names."""
    sentences: Sequence[str] = ()
    """What its data say of it."""
    refutation: str = ""
    """The reason why it is not what was wanted; with it, `train` ends with status 1."""
    values: Mapping[str, Any] = field(default_factory=dict)
    """The entries of `train --json`."""
    advice: Callable[[], str] = str
    """Returns the command that is suggested next."""
    tested: Callable[[Mapping[str, Any]], Facts] = plain_facts
    """Says what stands in `evaluation.json`, if there is no `section`."""
    section: Callable[["Account"], Section] | None = None
    """Draws what only a page can show of the run with this account, where the problem draws that.

    Raises `RunError` if a record is damaged, and `CertificateError` if a certificate is.
    """

    @property
    def headline(self) -> str:
        """The results in a line; what leads comes first."""
        return "; ".join(text for _, text in self.results)

    @property
    def line(self) -> str:
        """The account in a line, as a terminal shows it."""
        named = [f"{name}: {text}" for name, text in self.facts]
        said = "; ".join([f"{self.title} ({', '.join(self.conditions)}): {self.headline}", *named])
        return " ".join([f"{said}.", *self.sentences]) if self.sentences else said

    @property
    def subtitle(self) -> str:
        """The results and the conditions in a line, as they stand below a title."""
        return "; ".join([self.headline, ", ".join(self.conditions)])

    @property
    def further(self) -> Facts:
        """What a list shows below results and conditions."""
        return [*(("statement", sentence) for sentence in self.sentences), *self.facts]


class Parameters(NamedTuple):
    """Numbers of parameters of a model."""

    every: int
    trained: int

    @classmethod
    def of(cls, model: nn.Module) -> "Parameters":
        """Count those of a model."""
        sizes = [(each.numel(), each.requires_grad) for each in model.parameters()]
        return cls(sum(size for size, _ in sizes), sum(size for size, changes in sizes if changes))

    @property
    def said(self) -> str:
        """The numbers in words."""
        some = "" if self.trained == self.every else f", {self.trained:,} of them trained"
        return f"{counted(self.every, 'parameter')}{some}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Records:
    """What training left of a run, from which its account is made."""

    plan: Plan
    metrics: Sequence[Mapping[str, Any]] = ()
    """One record for each validation."""
    ended: Sequence[Mapping[str, Any]] = ()
    """One record for each stage that ended without a proof."""
    folder: RunFolder | None = None
    parameters: Parameters | None = None
    """None if the model is not loaded."""

    @classmethod
    def of(cls, folder: RunFolder, plan: Plan) -> "Records":
        """Read the records of a folder.

        Raises:
            RunError: one is damaged.
        """
        ended = [each.stage_record() for each in folder.ended_stages()]
        return cls(plan=plan, metrics=folder.metrics(), ended=ended, folder=folder)

    @property
    def best(self) -> Mapping[str, Any]:
        """The record of the validation whose weights are kept; empty before the first."""
        return kept(self.metrics) if self.metrics else {}

    def named(self, more: str = "") -> str:
        """Return the folder as a command names it, with something behind its name."""
        return shlex.quote(f"{self.folder.path if self.folder else 'RUN'}{more}")

    @property
    def after(self) -> str:
        """The steps after which the weights were kept, in words: `after 10 of 20 steps`."""
        step, last = self.best["step"], self.metrics[-1]["step"]
        some = "" if step == last else f"{step:,} of "
        return f"after {some}{counted(last, 'step')}"

    def validated(self, said: str) -> tuple[str, str]:
        """Return the result of validation, which is said in the words of the problem."""
        return "in validation", f"{said} {self.after}" if self.metrics else "no validation yet"

    def conditions(self, *own: str) -> list[str]:
        """Return conditions in the words of the problem, with those that all runs have."""
        size = [self.parameters.said] if self.parameters else []
        return [*own, *size, f"{self.plan.preset} preset", f"seed {self.plan.training.seed}"]

    @property
    def stages(self) -> list[dict[str, Any]]:
        """A record for every stage: those that ended without a proof, and the last."""
        records = [dict(each) for each in self.ended]
        if best := self.best if len(records) < self.plan.stage else {}:
            measured = {name: best.get(name) for name in ("proved", "right_to", "first_wrong")}
            ending = "perfect" if best["perfect"] else "steps"
            records.append({**self.of_stage(ending), **measured, "reason": ""})
        return [{**each, "kept": each["stage"] == self.plan.stage} for each in records]

    def of_stage(self, ending: str) -> dict[str, Any]:
        """Return what is known of the stage of the plan, which ended in this way."""
        plan, best = self.plan, self.best
        return {
            "stage": plan.stage,
            "model": plan.model,
            "supervision": plan.supervision,
            "told": plan.trained_on,
            "ended": ending,
            "steps": self.metrics[-1]["step"] if self.metrics else 0,
            "validation_accuracy": best.get("validation_accuracy"),
            "longest": best.get("longest"),
            "grows_to": best.get("grows_to"),
            "chunks": best.get("chunks"),
            "wrong_chunks": best.get("wrong"),
        }

    @property
    def values(self) -> dict[str, Any]:
        """The entries of `train --json` that all runs have; none before the first validation."""
        plan, best, stages = self.plan, self.best, self.stages
        if not best:
            return {}
        own = next(each for each in stages if each["kept"])
        of_best = ("validation_accuracy", "validation_loss", "perfect", "longest", "grows_to")
        of_stage = ("proved", "right_to", "first_wrong", "wrong_chunks", "reason")
        every, trained = self.parameters or (None, None)
        return {
            "run": str(self.folder.path) if self.folder else None,
            "supervision": plan.supervision,
            "model": plan.model,
            "chosen": plan.chosen,
            "preset": plan.preset,
            "parameters": every,
            "trained_parameters": trained,
            "steps": self.metrics[-1]["step"],
            "kept_step": best["step"],
            **{name: best.get(name) for name in of_best},
            **{name: own[name] for name in of_stage},
            "states": best.get("states"),
            "stage": plan.stage,
            "stages": stages,
            f"{plan.problem.setup.unit}_per_second": self.metrics[-1].get("words_per_second"),
        }
