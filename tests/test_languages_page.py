"""The page about languages works as it stands, but for the time that training takes."""

import re
import shlex
import sys
from pathlib import Path

import pytest

import lengthwise as lw
from lengthwise.cli.main import main
from lengthwise.languages.serialisation import machine_name
from lengthwise.languages.subregular import CLASSES

PAGE = (Path(__file__).parents[1] / "docs" / "languages.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```", PAGE, flags=re.S | re.M)
QUICK = ["--device", "cpu", "--set", "validate_every=2", "--set", "steps=4"]


def test_every_command_of_the_page_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "my_languages", raising=False)
    module, script = (block for kind, block in BLOCKS if kind == "python")
    Path("my_languages.py").write_text(module)
    exec(compile(script, "languages.md", "exec"), {})
    assert capsys.readouterr().out == "5 True\n"
    named = machine_name(lw.language("py[states=8,alphabet=01]:my_languages:accepts"))
    assert f"`{named}` here" in " ".join(PAGE.split())
    lines = [line for kind, block in BLOCKS if not kind for line in block.splitlines()]
    lines = [line for line in lines if line.startswith("lengthwise ")]
    assert len(lines) == 15
    for line in lines:
        given = shlex.split(line)[1:]
        status = main(given + (QUICK if given[0] == "train" else []))
        assert status == 0, (line, capsys.readouterr().err)


@pytest.mark.parametrize(
    "row", re.findall(r"^\| (`.*\n)", PAGE.partition("## Groups")[2], flags=re.M)
)
def test_groups_of_the_page_have_their_orders(row: str) -> None:
    names, orders = row.split(" | ")[:2]
    specs = re.findall(r"`([^`]+)`", names)
    for spec, order in zip(specs, orders.split(", "), strict=True):
        assert lw.language(f"group:{spec}").num_classes == int(order)


def test_products_of_the_page_are_right() -> None:
    for spec, text in (("D5", "`r1 s0` is `s1`, `s0 r1` is `s4`"), ("Q8", "`i j` is `k`")):
        assert text in PAGE
        language = lw.language(f"group:{spec}")
        for word, answer in re.findall(r"`(\S+ \S+)` is `(\S+)`", text):
            assert language.class_names[language.classify(word)] == answer


def test_a_rare_word_escapes_as_the_page_says() -> None:
    assert "accepts only `1` repeated 100 times" in PAGE.replace("\n", " ")
    language = lw.language(lambda word: word == "1" * 100, "01", max_states=8)
    assert language == lw.language("regex[01]:(0|1)*") & ~lw.language("regex[01]:(0|1)*")


def test_every_class_of_mlregtest_has_a_row() -> None:
    section = PAGE.partition("## MLRegTest's classes\n")[2].partition("\n## ")[0]
    rows = [row.split("|")[1] for row in section.splitlines() if row.startswith("| `")]
    assert re.findall("`(.*?)`", " ".join(rows)) == list(CLASSES)
