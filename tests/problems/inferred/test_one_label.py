"""Inference from words of one label: what `lw.infer` returns, and what goes on from it."""

import json
from itertools import product
from pathlib import Path

import pytest

import lengthwise as lw
from lengthwise.cli.main import main
from lengthwise.errors import TextError
from lengthwise.languages.spec import parse


@pytest.fixture
def file(tmp_path: Path) -> Path:
    place = tmp_path / "own.tsv"
    words = ["".join(word) for n in range(10) for word in product("ab", repeat=n)]
    place.write_text("".join(f"{word}\tok\n" for word in words if "aa" not in word))
    return place


def test_the_language_is_inferred_and_its_assumption_is_said(file: Path) -> None:
    found = lw.infer(file)
    assert isinstance(found, lw.Inference)
    assert found.language.difference(parse("regex:(b|ab)*a?")) is None
    assert (found.searcher, found.end) == ("2-testable", "explained")
    assert str(found).splitlines()[1:] == found.statement.sentences()
    assert "A is the smallest 2-testable language" in str(found)
    assert repr(found).endswith(f"A has 3 states, {found.statement.headline})")


def test_words_alone_say_the_same(file: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare.tsv"
    words = [line.partition("\t")[0] for line in file.read_text().splitlines()]
    bare.write_text("".join(f"{word}\n" for word in words if word))
    found = lw.infer(bare, columns={"label": ""}, assume="k-testable")
    assert found.language.difference(parse("regex:b*(ab+)*a?") - parse("regex[ab]:()")) is None


def test_a_budget_and_too_few_states_are_one_line(file: Path) -> None:
    with pytest.raises(TextError, match="no language with up to 1 states was found"):
        lw.infer(file, max_states=1, assume="k-reversible", budget=1e-6)


def test_the_automaton_trains_as_a_language_and_not_as_words(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, stored = tmp_path / "A.att", tmp_path / "A.json"
    assert main(["infer", str(file), "--out", str(out)]) == 0
    assert f"next: lengthwise train att:{out} --out DIR" in capsys.readouterr().err
    assert parse(f"att:{out}").difference(parse("regex:(b|ab)*a?")) is None
    assert main(["infer", str(file), "--out", str(stored), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["statement"]["assumed"] == "2-testable"
    assert shown["search"]["by"] == "2-testable"
    for wrong in (lw.infer(file), f"inferred:{stored}", f"words:{file}"):
        with pytest.raises(TextError, match="all words have one label, so none shows what"):
            lw.train(wrong, out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_language_of_all_words_ends_with_status_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "own.tsv"
    words = ["".join(word) for n in range(1, 8) for word in product("ab", repeat=n)]
    place.write_text("\n".join(words) + "\n")
    assert main(["infer", str(place), "--columns", "label=", "--assume", "prefix-closed"]) == 1
    assert "The words show no rule: A has all words" in capsys.readouterr().err
