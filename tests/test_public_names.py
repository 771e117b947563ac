"""The public names, written out: a name that comes or goes is a decision."""

import re
import subprocess
import sys
from importlib import import_module
from importlib.metadata import version

import pytest

import lengthwise as lw


def test_public_names() -> None:
    assert dir(lw) == sorted(lw.__all__)
    assert lw.__all__ == [
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
    assert lw.interpret.__all__ == [
        "CodeRecurrence",
        "Findings",
        "LearnedAutomaton",
        "Stream",
        "analyse",
        "decide",
        "learn_automaton",
        "shortcuts",
        "streaming",
    ]
    assert lw.steps.__all__ == ["RuleCertificate", "StepTask", "certify", "check", "step_task"]
    for module in (lw, lw.interpret, lw.steps):
        names = {*module.__all__} - {"__version__", "interpret", "steps"}
        assert all(callable(getattr(module, name)) for name in names)
    assert lw.__version__ == version("lengthwise")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("CodeRecurrence", "lw.interpret.CodeRecurrence"),
        ("Plan", "lengthwise.problems.plan.Plan"),
        ("Problem", "lengthwise.problems.base.Problem"),
        ("Task", "lengthwise.tasks.task.Task"),
        ("analyse", "lw.interpret.analyse"),
        ("extract_automaton", "lw.extract"),
        ("load_construction", "lw.load"),
        ("verify", "lw.compile(...).verify()"),
        ("explain", "lw.compile(...).explain()"),
        ("step_task", "lw.steps.step_task"),
        ("prepare", "lw.text.prepare"),
    ],
)
def test_an_old_name_says_what_took_its_place(old: str, new: str) -> None:
    with pytest.raises(AttributeError, match=rf"no attribute '{old}'\. Use {re.escape(new)}\.$"):
        getattr(lw, old)


def test_what_took_the_place_of_a_name_is_there() -> None:
    for new in lw._NOW.values():
        door, *names = new.partition("(")[0].partition(",")[0].split(".")
        found = lw if door == "lw" else import_module(".".join([door, *names[:-1]]))
        for name in names if door == "lw" else names[-1:]:
            found = getattr(found, name)


def test_a_name_that_never_was_is_refused() -> None:
    with pytest.raises(AttributeError, match=r"no attribute 'trian'$"):
        _ = lw.trian


@pytest.mark.parametrize(
    "asked",
    [
        "from lengthwise.cli.main import main; main(['describe', 'parity'])",
        "import lengthwise as lw; lw.language('parity'); lw.language('ltl:O a', 'ab')",
        "import lengthwise as lw; assert lw.check('zoo:parity').verdict == 'equivalent'",
        "import lengthwise as lw; getattr(lw, 'learn_automaton', None)",
    ],
    ids=["command", "Python", "check", "old name"],
)
def test_what_needs_no_network_does_not_wait_for_torch(asked: str) -> None:
    code = f"import sys; {asked}; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
