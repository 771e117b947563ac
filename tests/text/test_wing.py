"""The wing of texts plugs in, and the rest of the package does not know it."""

import re
import subprocess
import sys
import tomllib
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

import lengthwise as lw
from lengthwise import text
from lengthwise.cli import commands
from lengthwise.cli.main import main
from lengthwise.problems.registry import PROBLEMS, kind_of

SOURCES = Path(lw.__file__).parent
PROJECT = tomllib.loads((SOURCES.parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
ENTRIES = PROJECT["project"]["entry-points"]


def test_no_other_file_names_the_wing() -> None:
    others = [
        path
        for path in SOURCES.rglob("*.py")
        if not path.is_relative_to(SOURCES / "text")
        and re.search(r"lengthwise\.text\b|lengthwise import text", path.read_text("utf-8"))
    ]
    assert others == []


@pytest.mark.parametrize("group", sorted(ENTRIES))
def test_every_entry_point_is_there(group: str) -> None:
    for place in ENTRIES[group].values():
        module, _, attribute = place.partition(":")
        found = import_module(module)
        assert not attribute or hasattr(found, attribute)


def test_its_problems_are_found_by_their_prefixes() -> None:
    assert kind_of("text:corpus") is PROBLEMS["language-modelling"]
    assert kind_of("translation:corpus") is PROBLEMS["translation"]


def test_it_is_not_imported_for_other_problems() -> None:
    specs = ["parity", "regex:0*", "group:S3", "steps:addition", "words:f"]
    script = (
        "import sys; from lengthwise.problems.registry import kind_of; import lengthwise.api; "
        f"[kind_of(spec) for spec in {specs!r}]; "
        "print([m for m in sys.modules if m.startswith('lengthwise.text')])"
    )
    found = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    )
    assert found.stdout == "[]\n"


def test_its_names_are_those_of_its_functions() -> None:
    assert [getattr(lw.text, name).__name__ for name in text.__all__] == text.__all__
    assert set(text.__all__) <= set(dir(text))


def test_an_unknown_name_is_refused_and_a_moved_one_named() -> None:
    with pytest.raises(AttributeError, match=r"no attribute 'prepare'\. Use lw\.text\.prepare\."):
        _ = lw.prepare
    with pytest.raises(AttributeError, match=r"'lengthwise' has no attribute 'compose'$"):
        _ = lw.compose
    with pytest.raises(AttributeError, match=r"'lengthwise\.text' has no attribute 'compose'"):
        _ = text.compose


def test_help_shows_its_commands_by_their_own_summaries(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    for name in ENTRIES["lengthwise.commands"]:
        assert f"  {name:10} {commands.WINGS[name].summary}\n" in shown


@pytest.mark.parametrize("library", ["tokenizers", "zstandard"])
def test_a_library_that_is_not_installed_is_named_with_the_extra(
    library: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hidden = lambda name: None if name == library else find_spec(name)  # noqa: E731
    monkeypatch.setattr("lengthwise.data.extra.find_spec", hidden)
    source = "python" if library == "tokenizers" else str(tmp_path / "text.txt.zst")
    if library == "zstandard":
        Path(source).write_bytes(b"")
    assert main(["prepare", source, "--out", str(tmp_path / "corpus")]) == 2
    assert capsys.readouterr().err.splitlines()[-1] == (
        f"lengthwise: this needs the library {library}, which is not installed. Use pip install "
        "'lengthwise[text]'."
    )
