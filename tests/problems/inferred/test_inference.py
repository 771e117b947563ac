"""The result of `lw.infer`: the automaton, what is said of it, and what goes on from it."""

import json
import random
import re
from pathlib import Path

import pytest

import lengthwise as lw
from lengthwise.display import html_of
from lengthwise.errors import ConfigError, LengthwiseError, RunError, TextError
from lengthwise.inference.statement import DataStatement
from lengthwise.problems.inferred.inference import Inference
from lengthwise.problems.inferred.problem import InferredProblem
from lengthwise.problems.planning import make_plan


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("words") / "own.tsv"
    draw = random.Random(7)
    words = {"".join(draw.choices("ab", k=draw.randint(0, 20))) for _ in range(800)}
    place.write_text("".join(f"{word}\t{word.count('a') % 3}\n" for word in sorted(words)))
    return place


@pytest.fixture(scope="module")
def found(file: Path) -> Inference:
    found = lw.infer(file)
    assert isinstance(found, lw.Inference)
    return found


def test_the_automaton_is_the_one_that_the_words_mean(found: Inference) -> None:
    assert found.language.num_states == 3
    assert found.language.class_names == ("0", "1", "2")
    for word in ("", "a", "abaab", "b" * 50 + "a" * 301):
        assert found.language.classify(word) == word.count("a") % 3


def test_what_is_printed_begins_with_the_words_held_out(found: Inference) -> None:
    assert isinstance(found.statement, DataStatement)
    held = found.statement.held_out
    right = held.words - held.wrong
    shortcut = found.statement.shortcut_right
    lead = f"right on {right} of {held.words} words held out (the best shortcut: {shortcut})"
    first, *others = str(found).splitlines()
    assert first.endswith(f": {lead}")
    assert others == found.statement.sentences()
    assert repr(found).endswith(f"A has 3 states, {lead})")


def test_a_notebook_shows_the_statement_and_draws_the_automaton(found: Inference) -> None:
    card = html_of(found)
    assert found.statement.headline in card
    assert "<svg" in card
    assert ">refuted<" not in card


def test_a_run_keeps_the_statement_of_its_inference(found: Inference, tmp_path: Path) -> None:
    run = lw.train(found, out=tmp_path / "run", device="cpu")
    assert run.language == found.language
    stored = json.loads((tmp_path / "run" / "statement.json").read_text())
    plain = json.loads(json.dumps(found.statement.to_dict()))
    assert {name: stored[name] for name in plain} == plain
    assert stored["network"]["verdict"] == "equivalent"


def test_an_inference_is_read_from_its_file(found: Inference, tmp_path: Path) -> None:
    place = tmp_path / "own.json"
    place.write_text(json.dumps(found.to_dict()))
    assert make_plan(f"inferred:{place}").problem == InferredProblem.of(found)
    assert make_plan(f"inferred:{place}", "gru-binary").model == "gru-binary"


def test_a_specification_of_words_is_the_same_file(found: Inference, file: Path) -> None:
    again = lw.infer(f"words:{file}")
    assert (again.language, again.statement) == (found.language, found.statement)


def test_the_progress_counts_seconds_and_says_the_best(
    file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lengthwise.training.progress._SECONDS_BETWEEN_LINES", -1.0)
    lw.infer(file, progress=True)
    lines = capsys.readouterr().err.splitlines()
    said = re.compile(r"own\.tsv: \d of 120 seconds \((.*)\)$")
    notes = [found[1] for line in lines if (found := said.search(line))]
    assert len(notes) == len(lines) >= 3
    assert (notes[0], notes[-1]) == ("reading the words", "reading all words for the statement")
    best = re.compile(r"best: \d states?, [\d,]+ of 564 words wrong$")
    assert all(best.match(note) for note in notes[1:-1])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{}", "is damaged"),
        ("[]", "must hold a JSON object"),
        ('{"language": 1, "words": {}, "inference": {}}', "is damaged"),
        (None, "does not name an existing file"),
    ],
)
def test_a_file_that_is_no_inference_is_refused(
    content: str | None, message: str, tmp_path: Path
) -> None:
    place = tmp_path / "own.json"
    if content is not None:
        place.write_text(content)
    with pytest.raises((RunError, TextError), match=message) as caught:
        make_plan(f"inferred:{place}")
    assert "\n" not in str(caught.value)
    assert "lengthwise infer WORDS --out FILE.json" in str(caught.value)


def test_an_inference_whose_words_are_others_now_is_refused(tmp_path: Path) -> None:
    words, place = tmp_path / "own.tsv", tmp_path / "own.json"
    lines = [f"{'a' * n}{'b' * m}\t{n % 2}\n" for n in range(15) for m in range(15)]
    words.write_text("".join(lines))
    place.write_text(json.dumps(lw.infer(words).to_dict()))
    words.write_text("".join(lines[1:]))
    with pytest.raises(TextError, match="holds other words"):
        make_plan(f"inferred:{place}")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"label_noise": 0.5}, r"label_noise=0\.5"),
        ({"max_states": 0}, "max_states"),
        ({"steps": 5}, "steps"),
        ({"test_share": 1.5}, r"test_share=1\.5"),
        ({"test_share": 1e-6}, "left to test with. Raise test_share"),
        ({"alphabet": "a"}, "symbol 'b' is not in the"),
        ({"progress": "yes"}, "progress is True or False"),
    ],
)
def test_slips_are_one_line(file: Path, settings: dict[str, object], message: str) -> None:
    with pytest.raises(LengthwiseError, match=message) as caught:
        lw.infer(file, **settings)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)


def test_words_are_a_file(file: Path) -> None:
    with pytest.raises(ConfigError, match="words is a path"):
        lw.infer({"ab": 1})  # type: ignore[arg-type]
    with pytest.raises(TextError, match="names no file"):
        lw.infer("words:")
    with pytest.raises(TextError, match="does not exist"):
        lw.infer(file.parent / "none.tsv")
