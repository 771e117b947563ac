"""Automata come back from the files that hold them."""

import json
from pathlib import Path

import pytest

from lengthwise.errors import LengthwiseError, RunError
from lengthwise.exports.export import export
from lengthwise.languages.machine_files import read_machine
from lengthwise.languages.serialisation import to_dict
from lengthwise.languages.spec import parse


def test_files_of_automata(tmp_path: Path) -> None:
    language = parse("tomita-4")
    inferred = tmp_path / "inferred.json"
    inferred.write_text(json.dumps({"language": to_dict(language), "words": "elsewhere"}))
    for name in ("exported.json", "exported.att"):
        export(language, tmp_path / name)
        assert read_machine(str(tmp_path / name)) == language
    assert read_machine(str(inferred)) == read_machine(f"inferred:{inferred}") == language


@pytest.mark.parametrize("name", ["parity", "nowhere.att", "att:nowhere.att"])
def test_other_names_are_not_files(name: str) -> None:
    assert read_machine(name) is None


def test_a_file_that_is_not_there_is_named() -> None:
    with pytest.raises(RunError, match=r"^nowhere\.json does not exist"):
        read_machine("nowhere.json")


@pytest.mark.parametrize("content", ["{}", "[]", "{", '{"language": {}}', '{"language": 1}'])
def test_damaged_files_are_refused(tmp_path: Path, content: str) -> None:
    file = tmp_path / "machine.json"
    file.write_text(content)
    with pytest.raises(LengthwiseError) as caught:
        read_machine(str(file))
    assert "\n" not in str(caught.value)
    with pytest.raises(LengthwiseError, match=r"nowhere\.json"):
        read_machine("inferred:nowhere.json")
