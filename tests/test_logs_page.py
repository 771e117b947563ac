"""The page from a log to a monitor works as it is written.

The ordinary test takes the rule that the page states for the automaton, and does all but infer it.
"""

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from lengthwise.cli.main import main

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "logs.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```", PAGE, flags=re.S | re.M)
PICTURE = ROOT / "docs" / "img" / "logs-rule.svg"


def plain(text: str) -> str:
    return " ".join(text.split())


def run(block: str, capsys: pytest.CaptureFixture[str]) -> str:
    """Run the commands of a block; return what they print."""
    capsys.readouterr()
    said = ""
    for line in block.replace("\\\n", "").splitlines():
        if line.startswith("lengthwise "):
            status = main(shlex.split(line)[1:])
            printed = capsys.readouterr()
            assert status == 0, (line, printed.err)
            said += printed.out + printed.err
        else:
            done = subprocess.run(line, shell=True, capture_output=True, text=True, check=True)
            assert done.stderr == "", line
            said += done.stdout
    return said


def follow(blocks: list[tuple[str, str]], capsys: pytest.CaptureFixture[str]) -> int:
    """Run blocks in their order; return how many quotes were found in what was printed."""
    said, quoted = "", 0
    for kind, block in blocks:
        if kind == "text":
            for line in block.splitlines():
                assert plain(line.removesuffix("...")) in plain(said)
            quoted += 1
        elif kind == "python":
            exec(compile(block, "logs.md", "exec"), {})
        elif shutil.which("cc") or "cc " not in block:
            said = run(block, capsys)
    assert PICTURE.read_text() == Path("rule.svg").read_text()
    return quoted


def test_the_rule_of_the_page_is_drawn_monitored_and_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = [(kind, block) for kind, block in BLOCKS if "lengthwise infer" not in block]
    blocks = [block for block in blocks if "words held out" not in block[1]]
    (rule,) = re.findall(r'"(ltlf\[.*?)"', PAGE.replace("\\\n", ""))
    assert main(["export", rule, "--out", "rule.json"]) == 0
    values = Path("rule.json").read_text()
    Path("rule.json").write_text(re.sub(r'"spec": ".*"', '"spec": ""', values))
    assert follow(blocks, capsys) == 3
    assert len(Path("log.csv").read_text().splitlines()) > 200_000


@pytest.mark.slow
def test_the_whole_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With a longer budget, as other work may share the processor."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert sum("--budget 60" in block for _, block in BLOCKS) == 1
    blocks = [(kind, block.replace("--budget 60", "--budget 240")) for kind, block in BLOCKS]
    assert follow(blocks, capsys) == 4
