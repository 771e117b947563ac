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

    from lengthwise import interpret, steps
    from lengthwise.answers import evaluate, predict
    from lengthwise.api import certify, compile, infer, load, train
    from lengthwise.arenas.arena import arena
    from lengthwise.arenas.record import Arena
    from lengthwise.constructions.exact import Construction
    from lengthwise.decoding.processor import logits_processor
    from lengthwise.evaluation.scores import Scores
    from lengthwise.examination.examine import examine
    from lengthwise.examination.record import Examination
    from lengthwise.exports.export import export
    from lengthwise.interpret import extract
    from lengthwise.languages.functions.by_name import function
    from lengthwise.languages.functions.function import Function
    from lengthwise.languages.language import Language
    from lengthwise.languages.spec import language
    from lengthwise.models.custom_network import adapt
    from lengthwise.monitor import Monitor
    from lengthwise.problems.base import Run
    from lengthwise.problems.inferred.inference import Inference
    from lengthwise.problems.paired_words.inference import FunctionInference
    from lengthwise.problems.results import Evaluation
    from lengthwise.proofs.check.certificate import Certificate
    from lengthwise.proofs.check.file import check
    from lengthwise.proofs.search.extracted_automaton import Extraction
    from lengthwise.report.compare import compare
    from lengthwise.report.comparison import Comparison

    __version__: str

__all__ = [
    "Arena",
    "Certificate",
    "Comparison",
    "Construction",
    "Evaluation",
    "Examination",
    "Extraction",
    "Function",
    "FunctionInference",
    "Inference",
    "Language",
    "Monitor",
    "Run",
    "Scores",
    "__version__",
    "adapt",
    "arena",
    "certify",
    "check",
    "compare",
    "compile",
    "evaluate",
    "examine",
    "export",
    "extract",
    "function",
    "infer",
    "interpret",
    "language",
    "load",
    "logits_processor",
    "predict",
    "steps",
    "train",
]

_ELSEWHERE = {
    "Arena": "arenas.record",
    "Certificate": "proofs.check.certificate",
    "Comparison": "report.comparison",
    "Construction": "constructions.exact",
    "Evaluation": "problems.results",
    "Examination": "examination.record",
    "Extraction": "proofs.search.extracted_automaton",
    "Function": "languages.functions.function",
    "FunctionInference": "problems.paired_words.inference",
    "Inference": "problems.inferred.inference",
    "Language": "languages.language",
    "Monitor": "monitor",
    "Run": "problems.base",
    "Scores": "evaluation.scores",
    "adapt": "models.custom_network",
    "arena": "arenas.arena",
    "check": "proofs.check.file",
    "compare": "report.compare",
    "evaluate": "answers",
    "examine": "examination.examine",
    "export": "exports.export",
    "extract": "interpret",
    "function": "languages.functions.by_name",
    "language": "languages.spec",
    "logits_processor": "decoding.processor",
    "predict": "answers",
}
"""Modules of the names that `lengthwise.api` does not have."""

_MODULES = ("interpret", "steps")
"""Names that are modules."""

_NOW = {
    "CodeRecurrence": "lw.interpret.CodeRecurrence",
    "Findings": "lw.interpret.Findings",
    "Plan": "lengthwise.problems.plan.Plan",
    "Problem": "lengthwise.problems.base.Problem",
    "Task": "lengthwise.tasks.task.Task",
    "analyse": "lw.interpret.analyse",
    "evaluate_steps": "lw.evaluate",
    "explain": "lw.compile(...).explain()",
    "explore": "lw.certify, or the command explore",
    "extract_automaton": "lw.extract",
    "learn_automaton": "lw.interpret.learn_automaton",
    "load_construction": "lw.load",
    "ltl": "lw.language('ltl:...')",
    "shortcuts": "lw.evaluate(...).shortcuts(), or lw.interpret.shortcuts",
    "snap": "lw.extract(model).snap()",
    "step_task": "lw.steps.step_task",
    "streaming": "lw.interpret.streaming",
    "verify": "lw.compile(...).verify()",
}
"""Names of today, by the former name."""


display.views = "lengthwise.notebooks.views"


def __getattr__(name: str) -> "Any":
    from importlib import import_module  # noqa: PLC0415  a command can be stopped that much sooner

    if name not in __all__:
        return _from_a_wing(name)
    if name == "__version__":
        return import_module("importlib.metadata").version("lengthwise")
    if name in _MODULES:
        return import_module(f"lengthwise.{name}")
    return getattr(import_module(f"lengthwise.{_ELSEWHERE.get(name, 'api')}"), name)


def _from_a_wing(name: str) -> "Any":
    """Return the wing of that name, `lw.text`, which is a module that an entry point names."""
    from lengthwise.registry import Catalogue  # noqa: PLC0415

    wings: Catalogue[Any] = Catalogue("wing", {}, group="lengthwise.wings", needs=("__all__",))
    is_public = not name.startswith("_")
    if is_public and name in wings:
        return wings[name]
    now = _NOW.get(name)
    if now is None and is_public:
        now = next((f"lw.{wing}.{name}" for wing in wings if name in wings[wing].__all__), None)
    remedy = "" if now is None else f". Use {now}."
    raise AttributeError(f"module 'lengthwise' has no attribute {name!r}{remedy}")


def __dir__() -> list[str]:
    return list(__all__)
