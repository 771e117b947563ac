"""What the documents say: their code runs, their tables are the results, their links lead."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from lengthwise.cli.main import COMMANDS, main
from lengthwise.models.regular_gpt import RegularGPTConfig

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def run_python(code: str, folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_python_of_the_readme_runs_and_says_what_is_claimed(tmp_path: Path) -> None:
    (block,) = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    facts, exact, scores, proof, predictions = run_python(block, tmp_path).splitlines()
    assert facts == "2 True (512, 512)"
    assert exact == "right; every vector is exactly of zeros and ones True"
    assert scores.startswith("1.0 ")
    assert proof.startswith("equivalent The model as it runs gives every word of regex:(0|10*1)*")
    assert predictions == "['1', '1']"


LONG_EXAMPLES = ("learn_automaton.py", "any_language.py")
EXAMPLES = [
    pytest.param(path, id=path.name, marks=[pytest.mark.slow] * (path.name in LONG_EXAMPLES))
    for path in sorted((ROOT / "examples").glob("*.py"))
]


@pytest.mark.parametrize("path", EXAMPLES)
def test_every_example_runs(path: Path, tmp_path: Path) -> None:
    assert run_python(path.read_text(encoding="utf-8"), tmp_path)


def test_the_commands_of_the_readme_are_understood(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In their order, as they stand, but for fewer test lengths."""
    monkeypatch.chdir(tmp_path)
    found = re.findall(r"^```(\w*)\n(.*?)^```$", README, flags=re.DOTALL | re.MULTILINE)
    blocks = "".join(block for kind, block in found if not kind)
    lines = re.findall(r"^(?:printf .*\| )?lengthwise .*$", blocks, flags=re.MULTILINE)
    assert {re.findall(r"lengthwise (\w+)", line)[0] for line in lines} == set(COMMANDS) - {
        "demo",
        "languages",
        "prepare",
        "pretrain",
        "translate",
    }
    for line in lines:
        command = line.partition("  #")[0].replace("41:500", "41:45")
        if "|" not in command:  # a process of its own would import torch once more
            assert main(shlex.split(command)[1:]) == 0, command
            assert capsys.readouterr().out
            continue
        shell = command.replace("lengthwise ", f"{sys.executable} -m lengthwise.cli.main ")
        done = subprocess.run(shell, shell=True, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (command, done.stderr)
        assert done.stdout
    assert main(["languages"]) == 0
    assert "parity" in capsys.readouterr().out


def test_figures_and_tables_come_from_the_committed_results() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "docs" / "make.py"), "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"run docs/make.py; it would change {done.stderr}"


def test_results_say_how_they_were_made() -> None:
    for path in (ROOT / "results").glob("*.json"):
        result = json.loads(path.read_text(encoding="utf-8"))
        made_with = {"preset", "seed", "commit", "environment", "date", "records"}
        assert made_with <= set(result), path
        assert result["commit"], path
        if result["experiment"].startswith("own/"):
            for one in result["records"]:
                assert {"seed", "words_per_length", "protocol", "interval_95", "date"} <= set(one)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_local_link_leads_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
        if "://" not in target:
            assert (page.parent / target).exists(), target
    for named in re.findall(r"`((?:src|tests|docs|benchmarks|results)/[\w./]+)(?:::(\w+))?`", text):
        path = ROOT / named[0]
        assert path.exists(), named[0]
        if named[1]:
            assert f"def {named[1]}(" in path.read_text(encoding="utf-8"), named


def test_settings_of_the_documents_exist() -> None:
    text = (ROOT / "docs" / "regular_gpt.md").read_text(encoding="utf-8")
    (table,) = re.findall(r"\| setting .*?\n\n", text, flags=re.DOTALL)
    named = {name for row in table.splitlines()[2:] for name in re.findall(r"`(\w+)`", row[:40])}
    assert {"chunk", "noise", "pad"} <= named
    values = {"post", "pre", "none", "relu", "gelu", "learned", "absent", "continuous", "binary"}
    assert named - values <= set(RegularGPTConfig(vocab_size=1, num_classes=1).to_dict())
