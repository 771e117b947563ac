"""The page about words of one's own works as it is written, but for the time of training."""

import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import lengthwise as lw
from lengthwise.cli.main import main

PAGE = (Path(__file__).parents[1] / "docs" / "words.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```", PAGE, flags=re.S | re.M)
QUICK = ["--preset", "smoke", "--set", "validate_every=2", "--set", "steps=4"]


def plain(text: str) -> str:
    return " ".join(text.split())


def run(line: str, capsys: pytest.CaptureFixture[str]) -> str:
    """Run a command of the page; return what it prints."""
    command = line.partition("  #")[0].strip()
    if "tcp://" in command:  # no scheduler is here
        return ""
    if command.startswith("printf") or " > " in command:
        shell = command.replace("lengthwise ", f"{sys.executable} -m lengthwise.cli.main ")
        done = subprocess.run(shell, shell=True, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert set(done.stdout.split()) <= {"0", "1"}
        return done.stdout
    given = shlex.split(command)[1:]
    capsys.readouterr()
    status = main(given + (QUICK if "--model" in given else []))
    said = capsys.readouterr()
    assert status == 0, (command, said.err)
    return said.out


@pytest.mark.slow
def test_every_block_of_the_page_works_and_prints_what_it_quotes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    names: dict[str, Any] = {}
    said, quoted = "", 0
    for kind, block in BLOCKS:
        if kind == "python":
            exec(compile(block, "words.md", "exec"), names)
        elif kind == "text":
            for part in block.split("...\n"):
                assert plain(part) in plain(said)
                quoted += 1
        else:
            said = "".join(run(line, capsys) for line in block.splitlines())
    assert quoted == 12
    assert len((tmp_path / "words.tsv").read_text().splitlines()) == 20_001
    assert (tmp_path / "report.html").stat().st_size > 10_000


def test_each_kind_of_file_has_an_example() -> None:
    kinds = set(re.findall(r"^\| \[?[^|]*\]\(#([\w-]+)\)", PAGE, flags=re.M))
    titles = {title.lower().replace(" ", "-") for title in re.findall(r"^#+ (.*)$", PAGE, re.M)}
    assert len(kinds) == 7
    assert kinds <= titles


def test_the_language_of_the_page_is_that_of_its_words() -> None:
    (spec,) = re.findall(r"--against '(.*)'", PAGE)
    language = lw.language(spec)
    for word in ("", "b", "aaa", "abab", "aabab", "aab", "baab", "babb"):
        assert (word in language) == (word[-3:-2] == "a")
