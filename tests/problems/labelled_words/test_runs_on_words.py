"""Runs on the words of a file: trained, tested, asked and shown, and slips in one line."""

import json
import re
from pathlib import Path

import pytest
import torch

import lengthwise as lw
from cli.shell import Shell
from lengthwise.data.parts import TEST, TRAIN, VALID
from lengthwise.errors import LengthwiseError
from lengthwise.evaluation.scores import wilson
from lengthwise.problems.base import Run, evaluate_and_store, run_test
from lengthwise.problems.labelled_words.measure import WordsEvaluation
from lengthwise.problems.labelled_words.objective import LabelsOfFile
from lengthwise.problems.labelled_words.problem import LabelledWordsProblem
from lengthwise.problems.planning import make_plan
from lengthwise.problems.runs import load_run
from lengthwise.problems.sweep_tests import Test
from word_files import label_of, random_machine, random_words, write_words

pytestmark = pytest.mark.usefixtures("undrawn")

MODEL = "regular-gpt-binary"
SMALL = {"preset": "smoke", "steps": 30, "validate_every": 15, "device": "cpu"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("words")
    write_words(folder / "own", random_words(1200, states=3, seed=4), "ab")
    return folder


@pytest.fixture(autouse=True)
def _own_cache(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))


@pytest.fixture(scope="module")
def trained(folder: Path) -> Run:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        settings = {"max_length": 10, "validation_share": 0.1, "test_share": 0.2}
        return lw.train(f"words:{folder}/own.tsv", MODEL, out=folder / "run", **SMALL, **settings)  # type: ignore[arg-type]


def words_by_part(run: Run) -> dict[str, set[str]]:
    plan = run.require_plan()
    assert isinstance(run.problem, LabelledWordsProblem)
    words, data = run.problem.words.load(), plan.data
    shares = {"validation_share": data.validation_share, "test_share": data.test_share}
    parts = {
        part: words.rows(part, **shares, max_length=None if part == TEST else data.max_length)
        for part in (TRAIN, VALID, TEST)
    }
    return {part: {words.format_word(row) for row in rows} for part, rows in parts.items()}


def test_training_and_validation_draw_no_word_of_another_part(trained: Run) -> None:
    plan, parts = trained.require_plan(), words_by_part(trained)
    problem = trained.problem
    assert isinstance(problem, LabelledWordsProblem)
    objective = problem.objective(plan)
    assert isinstance(objective, LabelsOfFile)
    moves, labels = random_machine(3, "ab", 4)
    draws = torch.Generator().manual_seed(0)
    drawn: set[str] = set()
    for _ in range(60):
        batch = objective.draw(draws)
        for tokens, length, c in zip(batch.tokens, batch.lengths, batch.classes, strict=True):
            word = problem.symbols.decode(tokens[len(tokens) - int(length) :].tolist())
            assert label_of(word, moves, labels) == problem.words.class_names[c]
            drawn.add(word)
    assert drawn <= parts[TRAIN]
    assert len(drawn) > 0.9 * len(parts[TRAIN])
    assert not parts[TRAIN] & parts[TEST]
    assert not parts[VALID] & (parts[TEST] | parts[TRAIN])
    assert max(map(len, parts[TRAIN] | parts[VALID])) == 10
    assert max(map(len, parts[TEST])) == 12


def test_an_evaluation_is_that_of_its_words_one_by_one(trained: Run) -> None:
    found = lw.evaluate(trained)
    assert isinstance(found, WordsEvaluation)
    values = found.values
    moves, labels = random_machine(3, "ab", 4)
    words = sorted(words_by_part(trained)[TEST])
    right = [
        label_of(word, moves, labels) == answer
        for word, answer in zip(words, lw.predict(trained, words), strict=True)
    ]
    assert values["words"] == len(words)
    assert values["accuracy"] == sum(right) / len(right)
    assert values["interval_95"] == list(wilson(sum(right), len(right)))
    for name, of in values["by_class"].items():
        some = [r for r, w in zip(right, words, strict=True) if label_of(w, moves, labels) == name]
        assert (of["words"], of["correct"]) == (len(some), sum(some))
    for of in values["by_length"]:
        first, last = of["lengths"]
        some = [r for r, word in zip(right, words, strict=True) if first <= len(word) <= last]
        assert (of["words"], of["correct"]) == (len(some), sum(some))
    assert sum(of["words"] for of in values["by_length"]) == len(words)


def test_shortcuts_learn_from_the_training_words(trained: Run) -> None:
    parts = words_by_part(trained)
    moves, labels = random_machine(3, "ab", 4)
    told = {word: label_of(word, moves, labels) for part in parts.values() for word in part}

    def most(words: list[str], otherwise: str) -> str:
        ones = sum(told[word] == "1" for word in words)
        return otherwise if not words else ("1" if 2 * ones > len(words) else "0")

    majority = most(list(parts[TRAIN]), "0")
    right = {"majority": 0, "length only": 0, "first and last symbol": 0}
    for word in parts[TEST]:
        alike = [each for each in parts[TRAIN] if len(each) == len(word)]
        by_length = most(alike, majority)
        ends = [each for each in alike if (each[:1], each[-1:]) == (word[:1], word[-1:])]
        answers = (majority, by_length, most(ends, by_length))
        for name, answer in zip(right, answers, strict=True):
            right[name] += answer == told[word]
    found = lw.evaluate(trained).values["shortcuts"]
    for name, number in right.items():
        assert found[name] == number / len(parts[TEST]), name
    assert set(found) == {*right, "symbol counts"}


def test_a_run_of_words_learns_them(folder: Path) -> None:
    run = lw.train(
        f"words:{folder}/own.tsv",
        "gru",
        preset="smoke",
        steps=150,
        learning_rate=1e-2,
        device="cpu",
    )
    found = lw.evaluate(run).values
    assert found["accuracy"] > max(found["shortcuts"].values()) + 0.05


@pytest.mark.parametrize(
    "model",
    [
        name
        for name in LabelledWordsProblem.setup.models
        if name not in ("scratchpad", "scratchpad-window", "regular-gpt-slots")
    ],
)
def test_every_model_takes_words(folder: Path, model: str) -> None:
    settings = {**SMALL, "steps": 2, "validate_every": 2}
    run = lw.train(f"words:{folder}/own.tsv", model, **settings)  # type: ignore[arg-type]
    assert set(lw.predict(run, ["abba", ""])) <= {"0", "1"}
    assert lw.evaluate(run).values["words"] > 0


def test_the_commands_of_a_run(shell: Shell, folder: Path, trained: Run, tmp_path: Path) -> None:
    facts = shell.json("train", f"words:{folder}/own.tsv", "--out", str(folder / "run"), *_as_set())
    assert (facts["alphabet"], facts["classes"], facts["supervision"]) == (
        ["a", "b"], ["0", "1"], "final",
    )  # fmt: skip
    status, out, _ = shell("evaluate", str(folder / "run"))
    assert status == 0
    assert "supervision" in out
    assert "shortcut: symbol counts" in out
    found = shell.json("evaluate", str(folder / "run"), "--lengths", "11:12")
    assert found["lengths"] == [11, 12]
    assert shell.json("evaluate", str(folder / "run"), "--part", "valid")["part"] == "valid"
    stored = json.loads((folder / "run" / "evaluation.json").read_text())
    assert (stored["part"], stored["lengths"][0] < 11) == (TEST, True)
    status, out, _ = shell("predict", str(folder / "run"), stdin="abab\n\na b a b\n")
    assert (status, out) == (
        0,
        "".join(f"{x}\n" for x in lw.predict(trained, ["abab", "", "abab"])),
    )
    page = tmp_path / "page.html"
    assert shell("report", str(folder / "run"), "--out", str(page))[0] == 0
    text = page.read_text()
    assert "The words of a file are divided by a hash" in text
    assert f"{stored['words']:,} of words:" in text
    assert "<svg" in text


def _as_set() -> list[str]:
    settings = {"steps": 30, "validate_every": 15, "max_length": 10}
    settings |= {"validation_share": 0.1, "test_share": 0.2}  # type: ignore[dict-item]
    each = [("--set", f"{name}={value}") for name, value in settings.items()]
    return [
        "--model",
        MODEL,
        "--preset",
        "smoke",
        "--device",
        "cpu",
        *(part for pair in each for part in pair),
    ]


def test_a_run_needs_its_file_for_a_test_but_not_for_answers(
    shell: Shell, folder: Path, trained: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    run, own = str(folder / "run"), folder / "own.tsv"
    moved = own.rename(tmp_path / "moved.tsv")
    try:
        status, _, error = shell("evaluate", run)
        assert (status, error.count("\n")) == (2, 1)
        assert "own.tsv does not exist" in error
        assert "name it with --text" in error
        assert shell("predict", run, stdin="ab\n")[0] == 0
        assert shell("report", run, "--out", str(tmp_path / "page.html"))[0] == 0
        assert shell.json("evaluate", run, "--text", str(moved))["words"] > 0
        content = moved.read_text()
        shuffled = "".join(sorted(content.splitlines(keepends=True)))
        own.write_text(shuffled)
        assert shell("evaluate", run)[0] == 0
        flipped = re.sub(r"\t(.)\n", lambda m: f"\t{1 - int(m[1])}\n", content)
        for other in (content + "aaaaaaaaaaaaaaaaaaaaaa\t1\n", flipped):
            own.write_text(other)
            status, _, error = shell("evaluate", run)
            assert (status, error.count("\n")) == (2, 1)
            assert "holds other words or labels than those" in error
    finally:
        moved.replace(own)


def test_a_stopped_run_goes_on_only_with_the_same_words(
    shell: Shell, folder: Path, trained: Run, tmp_path: Path
) -> None:
    other = write_words(tmp_path / "other", random_words(900, states=3, seed=5), "ab")
    again = ("train", f"words:{other}", "--out", str(folder / "run"), *_as_set())
    status, _, error = shell(*again)
    assert (status, error.count("\n")) == (2, 1)
    assert "holds a run with problem.words.digest=" in error
    copy = tmp_path / "copy.tsv"
    copy.write_bytes((folder / "own.tsv").read_bytes())
    assert shell("train", f"words:{copy}", "--out", str(folder / "run"), *_as_set())[0] == 0


def test_a_sweep_tests_a_run_by_length(trained: Run) -> None:
    found = run_test(trained, Test(name="long", lengths=(11, 12)))
    assert [length for length, _, _ in found.by_length] == [11, 12]
    records = evaluate_and_store(trained, {"lengths": [12]}, stored=False).records
    assert found.by_length[1].correct == sum(each["correct"] for each in records)
    assert "majority" in found.shortcuts


def test_a_run_is_certified_against_a_language_of_the_user(
    shell: Shell, folder: Path, trained: Run
) -> None:
    status, _, error = shell("certify", str(folder / "run"))
    assert (status, error.count("\n")) == (2, 1)
    assert "no language to prove against" in error
    status, _, error = shell("certify", str(folder / "run"), "--against", "parity")
    assert status == 2
    assert "Give a language over the same" in error
    against = ("--against", "regex:(a|b)*a", "--max-chunks", "2000")
    status, out, error = shell("certify", str(folder / "run"), *against)
    assert status == 1
    assert re.search(r"counterexample|not-closed", out)


def test_the_automaton_of_a_run_is_learned(trained: Run) -> None:
    learned = lw.interpret.learn_automaton(trained.model, "ab", classes=["0", "1"], max_states=50)
    assert learned.language.alphabet == ("a", "b")
    words = ["abab", "bbab", ""]
    if learned.agrees_with_tests:
        named = [learned.language.class_names[learned.language.classify(word)] for word in words]
        assert named == lw.predict(trained, words)


@pytest.mark.parametrize(
    ("command", "line"),
    [
        ("train words: --out X", "words: names no file. Give words:FILE"),
        ("train words:no.tsv --out X", "no.tsv does not exist. Give a file of labelled words"),
        ("train words:FILE --out X --model gru --set objective=node", "objective='node' needs"),
        ("train words:FILE --out X --model scratchpad", "model scratchpad learns from states, wh"),
        ("train words:FILE --out X --protocol audited", "--protocol is for languages, and words:"),
        ("train words:FILE --out X --alphabet a", "line 1, column 3: symbol 'b' is not in the"),
        ("train words:FILE --out X --set test_share=0", "test_share=0.0 is too small"),
        ("train words:FILE --out X --set test_share=0.96", "leave no words for training. Lower"),
        ("train words:FILE --out X --set test_share=1e-6", "left to test with. Raise test_share"),
        ("train words:FILE --out X --set validation_share=1e-6", "Raise validation_share"),
        (
            "train words:FILE --out X --set max_length=-1",
            "max_length=-1 is too small. Use 0 or more",
        ),
        ("train words:FILE --out X --set batch_size=99999999", "are more than 268,435,456 symbols"),
        ("train words:FILE --out X --set vocab_size=3", "vocab_size"),
        ("evaluate RUN --part own", "unknown part 'own'"),
        ("evaluate RUN --lengths 50:60", "has one of these lengths. Use others"),
        ("evaluate RUN --words 5", "--words is for"),
        ("evaluate RUN --snapped", "--snapped is for languages"),
        ("extract RUN", "whose language is not known. Use evaluate, predict or certify --against"),
        ("analyse RUN", "whose language is not known"),
    ],
)
def test_slips_are_one_line(  # noqa: PLR0917
    shell: Shell,
    folder: Path,
    trained: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    line: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "FILE.tsv").write_bytes((folder / "own.tsv").read_bytes())
    given = command.replace("FILE", "FILE.tsv").replace("RUN", str(folder / "run")).split()
    status, out, error = shell(*given)
    assert (status, out, error.count("\n")) == (2, "", 1), error
    assert line in error
    assert not (tmp_path / "X").exists()


def test_words_that_cannot_be_read_are_told_with_their_line(
    shell: Shell, folder: Path, trained: Run
) -> None:
    status, out, error = shell("predict", str(folder / "run"), stdin="ab\nabx\n")
    assert (status, out) == (2, "")
    assert "line 2, column 3: symbol 'x' is not in the alphabet" in error


def test_the_plan_of_a_run_is_stored_and_read(folder: Path, trained: Run) -> None:
    run = load_run(folder / "run", device="cpu")
    assert run.plan == trained.plan
    stored = json.loads((folder / "run" / "config.json").read_text())["problem"]
    assert set(stored["words"]) == {
        *("file", "digest", "alphabet", "class_names", "is_stated", "by_majority"),
    }
    with pytest.raises(LengthwiseError, match="inputs are a list of strings"):
        lw.predict(run, "ab")
    stated = make_plan(f"words:{folder}/own.tsv", "gru", options={"alphabet": "abc"})
    assert stated.network.vocab_size == 3
