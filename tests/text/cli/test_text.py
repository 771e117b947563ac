"""The commands on texts, as a user gives them."""

import json
import re
import shlex
import shutil
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import lengthwise as lw
from cli.shell import Shell
from lengthwise.cli.main import main
from lengthwise.errors import ConfigError, WordError

pytestmark = pytest.mark.usefixtures("undrawn")

SMALL = ["--preset", "smoke", "--device", "cpu", "--set", "window=16", "--set", "chunk_size=4"]


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Commands that write where they stand write there."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("text")
    (folder / "a.txt").write_text("what a transformer can express and learn\n" * 300)
    out = folder / "corpus"
    assert (
        main(["prepare", str(folder / "a.txt"), "--out", str(out), "--set", "vocab_size=257"]) == 0
    )
    return out


@pytest.fixture(scope="module")
def run_folder(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was trained for a moment, and knows little."""
    path = tmp_path_factory.mktemp("runs") / "text"
    assert main(["train", f"text:{corpus}", "--out", str(path), *SMALL]) == 0
    return path


def test_prepare_says_what_there_is(shell: Shell, corpus: Path) -> None:
    source = str(corpus.parent / "a.txt")
    wishes = [source, "--out", str(corpus), "--set", "vocab_size=257"]
    status, text, error = shell("prepare", *wishes)
    assert status == 0
    assert "train\t1\t11,070\t11,071" in text
    assert f"next: lengthwise train text:{corpus} --out run" in error
    found = shell.json("prepare", *wishes)
    assert found["vocab_size"] == 257
    assert found["parts"]["test"]["tokens"] == 616


def test_train_says_the_perplexity(shell: Shell, corpus: Path, tmp_path: Path) -> None:
    out = str(tmp_path / "run")
    status, text, error = shell("train", f"text:{corpus}", "--out", out, *SMALL)
    assert status == 0
    assert f"{corpus}, regular-gpt-lm (next token supervision, windows of " in text
    assert "perplexity" in text
    assert "% of what a matrix product reaches" in text
    assert re.search(r"tokens/s \(\d+ % of peak\), validation loss", error)
    assert f"next: lengthwise evaluate {out}" in error
    found = shell.json("train", f"text:{corpus}", "--out", out, *SMALL)
    assert found["supervision"] == "next token"
    assert found["validation_perplexity"] > 1
    assert found["tokens_per_second"] > 0
    assert found["flops_per_token"] > 6 * (found["parameters"] - 257 * 16)  # at least one level
    assert 0 < found["utilisation"] < 1


def test_evaluate_is_by_length(shell: Shell, run_folder: Path, corpus: Path) -> None:
    status, text, _ = shell("evaluate", str(run_folder), "--words", "30")
    assert status == 0
    lengths = [line.split("\t")[0] for line in text.splitlines() if "\t" in line]
    assert lengths == ["length", "16", "32", "64", "128", "256"]
    found = shell.json(
        "evaluate", str(run_folder), "--words", "30", "--lengths", "8,20", "--text", str(corpus)
    )
    assert [each["length"] for each in found["records"]] == [8, 20]
    assert found["perplexity"]["8"] == found["records"][0]["perplexity"]
    assert (run_folder / "evaluation.json").exists()


def test_models_are_compared_on_one_text_whatever_its_name(
    shell: Shell, run_folder: Path, corpus: Path, tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text("learn and express what a transformer can\n" * 300)
    other = ("--tokenizer", str(corpus), "--out", "corpus")
    assert shell("prepare", "a.txt", *other)[0] == 0
    runs = [shutil.copytree(run_folder, tmp_path / name) for name in ("a", "b c")]
    for run, text in zip(runs, [corpus, Path("corpus")], strict=True):
        assert shell("evaluate", str(run), "--words", "30", "--text", str(text))[0] == 0
    status, _, error = shell("compare", *map(str, runs))
    assert status == 2
    assert f"part test of {corpus}, and {runs[1]} with part test of corpus." in error
    assert error.endswith(" --part test --lengths 16,32,64,128,256\n")
    remedy = error.partition("Run lengthwise ")[2].strip()
    assert shell(*shlex.split(remedy))[0] == 0
    assert shell("compare", *map(str, runs))[0] == 0
    moved = shutil.copytree(corpus, tmp_path / "moved")
    assert shell("evaluate", str(runs[1]), "--words", "30", "--text", str(moved))[0] == 0
    assert shell("compare", *map(str, runs))[0] == 0


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"tokens": 0}, "tokens is an integer of 1 or more, but got 0"),
        ({"seed": "a"}, "seed is an integer of 0 or more, but got 'a'"),
        ({"temperature": "hot"}, "temperature is a number, such as 0.8, but got 'hot'"),
        ({"temperature": float("nan")}, "temperature=nan is out of range"),
        ({"text": 3}, "text is a path, such as 'runs/text', but got 3"),
    ],
)
def test_options_of_answers_are_checked(
    run_folder: Path, options: dict[str, Any], says: str
) -> None:
    with pytest.raises(ConfigError, match=says):
        lw.predict(lw.load(run_folder), ["what"], **options)


def test_numbers_of_numpy_are_numbers(run_folder: Path, tmp_path: Path) -> None:
    run = lw.load(shutil.copytree(run_folder, tmp_path / "run"))
    nine = np.int64(9)
    lw.evaluate(run, lengths=[4], words=nine, seed=cast(int, nine))
    assert json.loads((tmp_path / "run" / "evaluation.json").read_text())["windows"] == 9
    lw.predict(run, ["what"], tokens=np.int64(2), seed=nine, temperature=np.float32(0.5))


def test_predict_goes_on_with_each_line(shell: Shell, run_folder: Path) -> None:
    status, text, _ = shell("predict", str(run_folder), "--tokens", "5", stdin="what\na tr\n")
    assert status == 0
    assert text.startswith("what")
    found = shell.json("predict", str(run_folder), "--temperature", "1", stdin="what\n")
    assert found["texts"][0]["text"] == "what"
    again = shell.json("predict", str(run_folder), "--temperature", "1", stdin="what\n")
    assert again == found
    other = shell.json(
        "predict", str(run_folder), "--temperature", "1", "--seed", "1", stdin="what\n"
    )
    assert other != found


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (["evaluate", "RUN", "--protocol", "audited"], "--protocol is for languages"),
        (["evaluate", "RUN", "--lengths", "1"], "2 tokens or more"),
        (["evaluate", "RUN", "--lengths", "9000"], "no file of it has a window of 9,000"),
        (["evaluate", "RUN", "--text", "none"], "none holds no prepared corpus"),
        (["evaluate", "RUN", "--part", "tset"], "unknown part 'tset'"),
        (["predict", "RUN", "--snapped"], "--snapped is for languages"),
        (["predict", "RUN", "--temperature", "-1"], "temperature=-1.0 is out of range"),
        (["predict", "RUN", "--text", "none"], "none holds no prepared corpus"),
        (["evaluate", "RUN", "--words", "1"], "1 window cannot show a spread"),
        (["prepare", "--out", "x", "--tokenizer", "y", "--set", "vocab_size=300"], "Leave one"),
        (["certify", "RUN"], "classifies no words of a formal language"),
        (["train", "text:none", "--out", "x"], "none holds no prepared corpus"),
        (["train", "text:CORPUS", "--out", "x", "--protocol", "audited"], "is for languages"),
        (["prepare", "none.txt", "--out", "x"], "none.txt does not exist"),
        (["prepare", "--out", "x", "--set", "vocab=5"], "unknown setting 'vocab'"),
        (["prepare", "--out", "x", "--valid", "python"], "Give both, or neither"),
        (["prepare", "--out", "RUN"], "holds no prepared corpus"),
    ],
)
def test_bad_input_is_told_in_one_line(
    shell: Shell,
    run_folder: Path,
    corpus: Path,
    command: list[str],
    says: str,
) -> None:
    places = {"RUN": str(run_folder), "text:CORPUS": f"text:{corpus}"}
    status, out, error = shell(*[places.get(word, word) for word in command], stdin="what\n")
    assert (status, out) == (2, "")
    assert says in error
    assert error.count("\n") == 1
    assert list(Path().iterdir()) == []


def test_a_run_has_a_section_in_the_report(shell: Shell, run_folder: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    status, text, error = shell("report", str(run_folder), "--out", str(page))
    assert (status, text, error) == (0, f"{page}\n", "")
    assert "regular-gpt-lm" in page.read_text()


def test_an_empty_line_is_told(shell: Shell, run_folder: Path) -> None:
    status, _, error = shell("predict", str(run_folder), stdin="what\n\n")
    assert status == 2
    assert "line 2 is empty" in error


def test_tests_on_other_tokens_are_told(shell: Shell, run_folder: Path, tmp_path: Path) -> None:
    """The greatest length says which windows are drawn; asked for more, all that there are."""
    runs = [shutil.copytree(run_folder, tmp_path / name) for name in "ab"]
    for folder, lengths in zip(runs, ("16,32", "16,64"), strict=True):
        assert shell("evaluate", str(folder), "--lengths", lengths, "--words", "9")[0] == 0
    note = "not tested on the same: 9 windows, seed 0, of at most 32 tokens; 9 windows, seed 0, of"
    assert note in shell("compare", *map(str, runs))[2]
    found = shell.json("evaluate", str(run_folder), "--lengths", "16", "--words", "1000000")
    assert 1 < found["windows"] == found["records"][0]["windows"] < 1_000_000
    run = lw.load(run_folder)
    with pytest.raises(WordError, match=r"^input 2 is empty\."):
        lw.predict(run, ["what", ""], tokens=1)
    with pytest.raises(WordError, match=r"^input 1 has half of a character"):
        lw.predict(run, ["a\ud800"], tokens=1)
    with pytest.raises(ConfigError, match=r"lw\.load\(folder\)"):
        lw.text.perplexity(cast(Any, str(run_folder)), [8])
    found = lw.text.perplexity(run, cast(Any, (n for n in (8, 16))), windows=9)
    assert list(found) == [8, 16]


def test_texts_keep_going_after_a_line_that_cannot_be_read(shell: Shell, run_folder: Path) -> None:
    command = ("predict", str(run_folder), "--tokens", "3")
    whole = shell(*command, stdin="what\nnow\n")[1].splitlines()
    stdin = "what\n\nnow\n\udcff\n"
    status, out, error = shell(*command, "--keep-going", stdin=stdin)
    assert (status, out.splitlines()) == (2, [whole[0], "", whole[1], ""])
    first, second, end = error.splitlines()
    assert first.startswith("line 2 is empty.")
    assert second.startswith("line 4 is not UTF-8")
    assert end.endswith("2 of 4 lines could not be read; the others are answered.")
    status, out, _ = shell(*command, "--keep-going", "--json", stdin=stdin)
    found = json.loads(out)
    assert [(each["line"], each["text"]) for each in found["texts"]] == [(1, "what"), (3, "now")]
    assert [each["line"] for each in found["errors"]] == [2, 4]


def test_options_of_texts_are_refused_elsewhere(shell: Shell, tmp_path: Path) -> None:
    out = str(tmp_path / "parity")
    small = ["--preset", "smoke", "--device", "cpu", "--model", "gru", "--set", "steps=1"]
    assert shell("train", "parity", "--out", out, *small)[0] == 0
    error = shell("evaluate", out, "--text", "x")[2]
    assert "--text is for " in error
    assert "language models and translators, which" in error
    assert "--tokens is for language models" in shell("predict", out, "--tokens", "3")[2]


@pytest.mark.slow_except("64-asked1")
@pytest.mark.parametrize(("window", "asked"), [(16, [16, 32, 64]), (64, [64]), (160, [80])])
def test_evaluate_asks_what_a_small_corpus_has(shell: Shell, window: int, asked: list[int]) -> None:
    """100 bytes are set apart for the test."""
    for name, text in (("a", "a mat " * 500), ("b", "a cow " * 90), ("c", "cat " * 25)):
        Path(f"{name}.txt").write_text(text)
    parts = ["a.txt", "--valid", "b.txt", "--test", "c.txt", "--set", "vocab_size=257"]
    assert shell("prepare", *parts, "--out", "corpus")[0] == 0
    small = [*SMALL, "--set", f"window={window}", "--set", "steps=1"]
    status, _, error = shell("train", "text:corpus", "--out", "run", *small)
    assert (status, error.splitlines()[-1]) == (0, "next: lengthwise evaluate run")
    status, out, error = shell("evaluate", "run", "--words", "4")
    assert status == 0, error
    rows = [line.split("\t")[0] for line in out.splitlines() if "\t" in line]
    assert rows == ["length", *map(str, asked)]
    longest = asked[-1]
    assert f"no window of {2 * longest} tokens, so {longest} is the longest asked\n" in error
