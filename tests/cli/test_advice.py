"""What a message advises can be done: every option that it names is one of the command's."""

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

import lengthwise
from cli.shell import Shell
from lengthwise.cli.commands import parser_of
from own_commands import OWN_COMMANDS

SOURCE = Path(lengthwise.__file__).parent
SHOWN = ("certify", "compile", "verify", "train")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
ELSEWHERE = {
    "cli/main.py": {"--version"},  # of the program
    "sweeps/folder.py": {"--runs"},  # of `reproduce`, which is another distribution's
    "training/devices.py": {"--porcelain", "--untracked-files", "--always"},  # of git
}
"""Options that are not those of our commands, by file."""


@cache
def options_of(command: str) -> frozenset[str]:
    """The options of a command, as its parser has them."""
    parser = parser_of(command)[1]
    return frozenset(option for action in parser._actions for option in action.option_strings)


def find_stray_options(
    message: str, command: str | None, printing: Iterable[str] = SHOWN
) -> set[str]:
    """Options in a message that neither the commands it names have, nor those that print it."""
    named = [each for each in OWN_COMMANDS if re.search(rf"\b{each}\b", message, re.IGNORECASE)]
    commands = {*named, *([command] if command else printing)}
    known = frozenset().union(*(options_of(each) for each in commands))
    return set(OPTION.findall(message)) - known


@cache
def messages() -> tuple[tuple[str, str | None, str], ...]:
    """Every string of the package but docstrings: its place, its command if any, and itself."""
    return tuple(read_messages())


def read_messages() -> Iterator[tuple[str, str | None, str]]:
    """Yield them, file by file."""
    for file in sorted(SOURCE.rglob("*.py")):
        command = file.stem if file.parent.name == "cli" and file.stem in OWN_COMMANDS else None
        place, tree = file.relative_to(SOURCE).as_posix(), ast.parse(file.read_text())
        left_out = {
            id(part)
            for node in ast.walk(tree)
            if isinstance(node, ast.JoinedStr)
            or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
            for part in ast.iter_child_nodes(node)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr | ast.Constant) and id(node) not in left_out:
                parts = [each for each in ast.walk(node) if isinstance(each, ast.Constant)]
                text = "".join(each.value for each in parts if isinstance(each.value, str))
                if " " in text or text.startswith("--"):
                    yield f"{place}:{node.lineno}", command, text


def test_options_that_strings_name_are_options_of_the_command() -> None:
    stray = []
    for place, command, text in messages():
        printing = SHOWN if place.startswith("proofs") else OWN_COMMANDS
        options = find_stray_options(text, command, printing)
        if options - ELSEWHERE.get(place.partition(":")[0], set()):
            stray.append((place, text))
    assert len(messages()) > 3000
    assert stray == []


def test_no_error_asks_for_a_greater_number_of_nothing() -> None:
    vague = [place for place, _, text in messages() if "a greater number" in text]
    assert vague == []


def test_an_option_of_another_command_is_noticed() -> None:
    assert find_stray_options("Give --max-elements.", "certify") == {"--max-elements"}
    assert find_stray_options("Give extract --max-elements.", "certify") == set()
    assert find_stray_options("Compile it with --as slots.", None) == set()


@pytest.mark.parametrize("given", [(), ("--as", "tree")])
def test_what_is_compiled_is_proved_or_the_remedy_is_one(
    shell: Shell, tmp_path: Path, given: tuple[str, ...]
) -> None:
    folder = str(tmp_path / "made")
    assert shell("compile", "d-12", "--out", folder, *given)[0] == 0
    status, out, error = shell("certify", folder)
    if not given:
        assert status == 0, error
        assert "equivalent (structural)" in out
        return
    assert status == 1
    assert error.endswith("Compile it with --as slots, which is proved for any automaton.\n")
    assert "greater" not in out + error
    assert shell("compile", "d-12", "--out", f"{folder}2", "--as", "slots")[0] == 0
    assert shell("certify", f"{folder}2")[0] == 0
