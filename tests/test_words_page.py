"""The page about words of one's own works as it stands, but for the time that training takes."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import lengthwise as lw
from lengthwise.cli.main import main

PAGE = (Path(__file__).parents[1] / "docs" / "words.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```", PAGE, flags=re.S | re.M)
QUICK = ["--preset", "smoke", "--set", "validate_every=2", "--set", "steps=4"]


@pytest.mark.slow
def test_every_command_of_the_page_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (first, _) = (block for kind, block in BLOCKS if kind == "python")
    exec(compile(first, "words.md", "exec"), {})
    assert len((tmp_path / "words.tsv").read_text().splitlines()) == 20_001
    lines = [line for kind, block in BLOCKS if not kind for line in block.splitlines()]
    assert len(lines) == 15
    for line in lines:
        command = line.partition("  #")[0].strip()
        if command.startswith("printf") or " > " in command:
            shell = command.replace("lengthwise ", f"{sys.executable} -m lengthwise.cli.main ")
            done = subprocess.run(shell, shell=True, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
            assert set(done.stdout.split()) <= {"0", "1"}
            continue
        given = shlex.split(command)[1:]
        status = main(given + (QUICK if "--model" in given else []))
        assert status == 0, (command, capsys.readouterr().err)
    said = json.loads((tmp_path / "runs" / "words" / "statement.json").read_text())["sentences"]
    rows = re.findall(r"^\| statement \| (.*) \|$", PAGE, flags=re.M)
    assert rows == said
    assert (tmp_path / "report.html").stat().st_size > 10_000


def test_the_language_of_the_page_is_that_of_its_words() -> None:
    (spec,) = re.findall(r"--against '(.*)'", PAGE)
    language = lw.language(spec)
    for word in ("", "b", "aaa", "abab", "aabab", "aab", "baab", "babb"):
        assert (word in language) == (word[-3:-2] == "a")
