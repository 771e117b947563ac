"""The public names, written out: a name that comes or goes is a decision."""

import subprocess
import sys
from importlib.metadata import version

import pytest

import lengthwise as lw


def test_public_names() -> None:
    assert dir(lw) == sorted(lw.__all__)
    assert lw.__all__ == [
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
    assert all(callable(getattr(lw, name)) for name in lw.__all__ if name != "__version__")
    assert lw.__version__ == version("lengthwise")
    with pytest.raises(AttributeError, match="no attribute 'trian'"):
        _ = lw.trian
    with pytest.raises(
        AttributeError, match=r"no attribute 'extract_automaton'\. Use lw\.extract\."
    ):
        _ = lw.extract_automaton


@pytest.mark.parametrize(
    "asked",
    [
        "from lengthwise.cli.main import main; main(['describe', 'parity'])",
        "import lengthwise as lw; lw.language('parity'); lw.language('ltl:O a', 'ab')",
    ],
    ids=["command", "Python"],
)
def test_asking_about_a_language_does_not_wait_for_torch(asked: str) -> None:
    code = f"import sys; {asked}; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
