"""Tools for what transformers can express, learn, and carry to any length.

    import lengthwise as lw

    language = lw.language("regex:(0|10*1)*")
    exact = lw.compile(language)
    run = lw.train(language, max_length=40)
    scores = lw.evaluate(run, lengths=range(41, 501))
    proof = lw.certify(run)

Each name is imported when it is first used, since torch is slow to import and not always needed.
"""

from lengthwise import display

TYPE_CHECKING = False  # that of typing, which takes long to import
if TYPE_CHECKING:
    from typing import Any

    from lengthwise.analysis.analyses import Findings
    from lengthwise.api import (
        certify,
        evaluate,
        infer,
        load,
        predict,
        shortcuts,
        step_task,
        train,
    )
    from lengthwise.constructions.api import compile, explain, load_construction, verify
    from lengthwise.constructions.construction import Construction
    from lengthwise.evaluation.scores import Scores
    from lengthwise.languages.language import Language
    from lengthwise.languages.spec import language
    from lengthwise.models.adapted import adapt
    from lengthwise.problems.base import Plan, Problem, Run
    from lengthwise.problems.inferred.inference import Inference
    from lengthwise.problems.inside import (
        analyse,
        extract,
        learn_automaton,
        streaming,
    )
    from lengthwise.problems.results import Evaluation
    from lengthwise.proofs.check.certificate import Certificate
    from lengthwise.proofs.search.codes import CodeRecurrence
    from lengthwise.report.compare import Comparison, compare
    from lengthwise.tasks.task import Task

    __version__: str

__all__ = [
    "Certificate",
    "CodeRecurrence",
    "Comparison",
    "Construction",
    "Evaluation",
    "Findings",
    "Inference",
    "Language",
    "Plan",
    "Problem",
    "Run",
    "Scores",
    "Task",
    "__version__",
    "adapt",
    "analyse",
    "certify",
    "compare",
    "compile",
    "evaluate",
    "explain",
    "extract",
    "infer",
    "language",
    "learn_automaton",
    "load",
    "load_construction",
    "predict",
    "shortcuts",
    "step_task",
    "streaming",
    "train",
    "verify",
]

_ELSEWHERE = {
    "Certificate": "proofs.check.certificate",
    "CodeRecurrence": "proofs.search.codes",
    "Comparison": "report.compare",
    "Construction": "constructions.construction",
    "Evaluation": "problems.results",
    "Findings": "analysis.analyses",
    "Inference": "problems.inferred.inference",
    "Language": "languages.language",
    "Plan": "problems.base",
    "Problem": "problems.base",
    "Run": "problems.base",
    "Scores": "evaluation.scores",
    "Task": "tasks.task",
    "adapt": "models.adapted",
    "analyse": "problems.inside",
    "compare": "report.compare",
    "extract": "problems.inside",
    "language": "languages.spec",
    "learn_automaton": "problems.inside",
    "compile": "constructions.api",
    "explain": "constructions.api",
    "load_construction": "constructions.api",
    "streaming": "problems.inside",
    "verify": "constructions.api",
}
"""Modules of the names that `lengthwise.api` does not have."""

_NOW = {
    "evaluate_steps": "evaluate",
    "explore": "certify, or the command explore",
    "extract_automaton": "extract",
    "ltl": "language('ltl:...')",
    "snap": "extract(model).snapped()",
}
"""What took the place of a name that is no more."""


display.views = "lengthwise.notebooks.views"


def __getattr__(name: str) -> "Any":
    from importlib import import_module  # noqa: PLC0415  a command can be stopped that much sooner

    if name not in __all__:
        return _from_a_wing(name)
    if name == "__version__":
        return import_module("importlib.metadata").version("lengthwise")
    return getattr(import_module(f"lengthwise.{_ELSEWHERE.get(name, 'api')}"), name)


def _from_a_wing(name: str) -> "Any":
    """Return the wing of that name, `lw.text`, which is a module that an entry point names.

    Raises:
        AttributeError: there is none; the message has the wing that has such a name.
    """
    from lengthwise.registry import Catalogue  # noqa: PLC0415

    wings: Catalogue[Any] = Catalogue("wing", {}, group="lengthwise.wings", needs=("__all__",))
    is_public = not name.startswith("_")
    if is_public and name in wings:
        return wings[name]
    has_it = [f"{each}.{name}" for each in wings if is_public and name in wings[each].__all__]
    now = has_it[0] if has_it else _NOW.get(name)
    remedy = f". Use lw.{now}." if now else ""
    raise AttributeError(f"module 'lengthwise' has no attribute {name!r}{remedy}")


def __dir__() -> list[str]:
    return list(__all__)
