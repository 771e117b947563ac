"""The commands on translators, as a user gives them."""

import json
import shlex
import shutil
from pathlib import Path

import pytest

import lengthwise as lw
from cli.shell import Shell
from lengthwise.cli.main import main
from lengthwise.errors import ConfigError
from lengthwise.text.data.numbers import _COUNTS
from lengthwise.training.runs import RunFolder

pytestmark = pytest.mark.usefixtures("undrawn")

SMALL = ["--preset", "smoke", "--device", "cpu", "--set", "steps=4", "--set", "validate_every=2"]


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Commands that write where they stand write there."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("numbers") / "corpus"
    wishes = ["numbers", "--pairs", "digits,words", "--out", str(out)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(_COUNTS, "train", {3: 300, 6: 700})
        assert main(["prepare", *wishes, "--set", "vocab_size=300"]) == 0
    return out


@pytest.fixture(scope="module")
def run_folder(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was trained for a moment, and knows little."""
    path = tmp_path_factory.mktemp("runs") / "numbers"
    assert main(["train", f"translation:{corpus}", "--out", str(path), *SMALL]) == 0
    return path


@pytest.fixture
def folders(corpus: Path, run_folder: Path) -> dict[str, str]:
    """What stands for what in lists of slips."""
    return {
        "RUN": str(run_folder),
        "text:CORPUS": f"text:{corpus}",
        "translation:CORPUS": f"translation:{corpus}",
    }


def test_train_says_the_perplexity_and_what_comes_next(
    shell: Shell, corpus: Path, tmp_path: Path
) -> None:
    out = str(tmp_path / "run")
    wishes = (f"translation:{corpus}", "--out", out, "--protocol", "train-short-test-long", *SMALL)
    status, text, error = shell("train", *wishes)
    assert status == 0
    assert ", encoder-decoder (translations supervision, pairs up to " in text
    assert "pairs up to the median length" in text
    assert f"lengthwise translate {out}" in error
    found = shell.json("train", *wishes)
    assert found["steps"] == 4
    assert found["tokens_per_second"] > 0
    assert found["validation_perplexity"] > 1


def test_sentences_are_translated_line_by_line(shell: Shell, run_folder: Path) -> None:
    given = "4 7 2\n\n1 2 3 4 5 6 7 8 9 1 2 3\n"
    status, text, _ = shell("translate", str(run_folder), stdin=given)
    assert status == 0
    assert text.count("\n") == 3
    assert text.splitlines()[1] == ""
    found = shell.json("translate", str(run_folder), "--beam", "1", stdin=given)["sentences"]
    assert [each["sentence"] for each in found] == given.split("\n")[:-1]
    assert all(isinstance(each["translation"], str) for each in found)
    assert shell("translate", str(run_folder)) == (0, "", "")


def test_translations_keep_going_after_a_line_that_cannot_be_read(
    shell: Shell, run_folder: Path
) -> None:
    whole = shell("translate", str(run_folder), stdin="4 7 2\n1 2\n")[1].splitlines()
    given = ("translate", str(run_folder), "--keep-going")
    status, out, error = shell(*given, stdin="4 7 2\n\udcff\n1 2\n")
    assert (status, out.splitlines()) == (2, [whole[0], "", whole[1]])
    assert error.splitlines()[0] == "line 2 is not UTF-8. Convert the text."


def test_the_same_in_python(run_folder: Path) -> None:
    run = lw.load(run_folder)
    assert len(lw.text.translate(run, ["4 7 2", "1"], beam=2, patience=1)) == 2
    found = lw.text.evaluate_translations(run, "valid", beam=1, ratio=2)
    assert found["decoding"] == {"beam": 1, "length_penalty": 1.0, "patience": 2.0, "ratio": 2}
    with pytest.raises(ConfigError, match=r"patience=-1\.0 is too small"):
        lw.text.translate(run, ["1"], patience=-1)
    with pytest.raises(ConfigError, match="wide"):
        lw.text.translate(run, ["1"], wide=3)


def test_evaluate_says_bleu_with_its_signature(shell: Shell, run_folder: Path) -> None:
    status, text, _ = shell("evaluate", str(run_folder), "--words", "20")
    assert status == 0
    assert "nrefs:1|case:mixed" in text
    found = shell.json("evaluate", str(run_folder), "--words", "20", "--part", "valid")
    assert found["part"] == "valid"
    assert found["sentences"] == 20
    assert 0 <= found["bleu"] <= 100
    assert "samples" not in found
    options = ("--length-penalty", "0.5", "--patience", "1.5", "--ratio", "2.5")
    found = shell.json("evaluate", str(run_folder), "--words", "9", *options)
    asked = {"length_penalty": 0.5, "patience": 1.5, "ratio": 2.5}
    assert found["decoding"] == {"beam": 4, **asked}


def test_two_runs_are_compared(shell: Shell, run_folder: Path) -> None:
    found = shell.json(
        "evaluate", str(run_folder), "--words", "40", "--against", str(run_folder), "--beam", "2"
    )
    assert found["decoding"]["beam"] == 2
    against = found["against"]
    assert against.pop("run") == str(run_folder)
    assert against.pop("bleu") == found["bleu"]
    assert against.pop("chrf") == found["chrf"]
    assert against == {"difference": 0.0, "p_value": 1.0, "share_better": 0.0}
    _, text, _ = shell("evaluate", str(run_folder), "--words", "40", "--against", str(run_folder))
    assert "p = 1.000 (paired bootstrap" in text
    beside = lw.evaluate(lw.load(run_folder), words=40, against=str(run_folder)).printed
    assert beside["against"]["p_value"] == 1.0


def test_translators_are_compared_on_one_test(
    shell: Shell, run_folder: Path, tmp_path: Path
) -> None:
    runs = [str(shutil.copytree(run_folder, tmp_path / name)) for name in "ab"]
    few, other = ("--words", "9"), ("--words", "8", "--beam", "2")
    for first, second, says in [
        ([*few, "--beam", "2"], other, "at most 8 sentences of part test"),
        ([*few, "--length-penalty", "0.5"], few, "with beam 4, length_penalty 1.0"),
    ]:
        for run, options in zip(runs, [first, second], strict=True):
            assert shell("evaluate", run, *options)[0] == 0
        status, _, error = shell("compare", *runs)
        assert status == 2
        assert says in error
        assert shell(*shlex.split(error.partition("Run lengthwise ")[2]))[0] == 0
        assert shell("compare", *runs)[0] == 0


def test_few_sentences_are_told(shell: Shell, run_folder: Path) -> None:
    for words, told in (("1", "the interval is that of 1 sentence alone"), ("40", "")):
        error = shell("evaluate", str(run_folder), "--words", words, "--beam", "1")[2]
        assert told in error
        assert bool(told) == ("too few to say much" in error)


def test_bleu_of_all_sentences_is_compared(shell: Shell, run_folder: Path, tmp_path: Path) -> None:
    """Buckets are of unlike sizes, so that their mean says little; where training ended within a
    bucket, it begins with the sentences that were tested."""
    runs = [shutil.copytree(run_folder, tmp_path / name) for name in "ab"]
    for run in runs:
        assert shell("evaluate", str(run), "--words", "40", "--beam", "1")[0] == 0
    found = RunFolder(runs[0]).evaluation()
    assert found is not None
    groups = shell.json("compare", *map(str, runs))["groups"]
    assert [each["overall"] for each in groups] == pytest.approx([found["bleu"]] * len(groups))
    table = shell("compare", *map(str, runs))[1]
    assert "seeds overall worst" in " ".join(table.split())
    (bucket,) = found["by_length"]
    both = {**found, "by_length": [bucket, {**bucket, "first": 11, "last": 20}]}
    for run in runs:
        (run / "evaluation.json").write_text(json.dumps({**both, "longest_trained": 3}))
    curve = lw.compare(runs).curve
    assert list(curve.points) == [4, 11]
    assert curve.overall == found["bleu"]
    (runs[0] / "evaluation.json").write_text(json.dumps(both))
    mixed = lw.compare(runs)
    assert list(mixed.curve.points) == [11]
    assert not mixed.has_overall
    assert any("not tested on the same" in note for note in mixed.notes)


@pytest.mark.slow
def test_a_comparison_leaves_the_other_run_as_it_was(
    shell: Shell, corpus: Path, run_folder: Path, tmp_path: Path
) -> None:
    other = str(tmp_path / "short")
    short = ("--protocol", "train-short-test-long")
    assert shell("train", f"translation:{corpus}", "--out", other, *short, *SMALL)[0] == 0
    runs = [str(shutil.copytree(run_folder, tmp_path / "all")), other]
    for run in runs:
        assert shell("evaluate", run, "--beam", "1", "--words", "400")[0] == 0
    told = "at no length in common. They were tested on 400 sentences and"
    assert told in shell("compare", *runs)[2]
    (tmp_path / "short" / "evaluation.json").unlink()
    status, _, error = shell("evaluate", str(run_folder), "--words", "40", "--against", other)
    assert status == 2
    assert "on the same sentences, but theirs differ (40 and 40)" in error
    assert not (tmp_path / "short" / "evaluation.json").exists()
    again = str(tmp_path / "again")
    assert (
        shell("train", f"translation:{corpus}", "--out", again, *SMALL, "--set", "seed=1")[0] == 0
    )
    assert shell("evaluate", str(run_folder), "--words", "40", "--against", again)[0] == 0
    assert not (tmp_path / "again" / "evaluation.json").exists()


def test_predict_answers_as_translate_does(shell: Shell, run_folder: Path) -> None:
    asked = (str(run_folder), "--json")
    found = shell("predict", *asked, stdin="4 7 2\n1\n")
    assert found == shell("translate", *asked, stdin="4 7 2\n1\n")
    assert found[0] == 0


def test_translations_that_were_cut_are_counted(shell: Shell, run_folder: Path) -> None:
    given = ("translate", str(run_folder), "--ratio", "0.1", "--beam", "1")
    _, out, error = shell(*given, "--json", stdin="4 7 2\n" * 3)
    cut = json.loads(out)["cut"]
    assert ("cut at 0.1 tokens" in error) == (cut > 0)


@pytest.mark.parametrize(
    ("arguments", "stdin", "words"),
    [
        (["translate", "RUN", "--beam", "0"], "", "--beam: '0' is not an integer of 1 or more"),
        (["translate", "RUN", "--beam", "999"], "", "beam=999 is too large"),
        (["translate", "RUN", "--length-penalty", "-1"], "", "length_penalty=-1.0 is too small"),
        (["translate", "RUN", "--text", "nowhere"], "", "nowhere holds no prepared corpus"),
        (["translate", "nowhere"], "", "nowhere is not a folder"),
        (["translate", "RUN"], "4\n\udcff\n", "line 2 is not UTF-8"),
        (
            ["translate", "RUN"],
            "\n4\n" + "4 " * 5_000,
            "line 3 has 5,000 tokens, but 4,096 is the most",
        ),
        (["translate", "RUN", "--ratio", "0"], "", "ratio=0.0 is too small"),
        (["train", "translation:", "--out", "out"], "", "translation: names no corpus"),
        (["evaluate", "RUN", "--words", "9", "--against", "RUN"], "", "9 sentences cannot compare"),
        (["evaluate", "RUN", "--part", "tests"], "", "Did you mean 'test'?"),
        (
            ["evaluate", "RUN", "--lengths", "1:3"],
            "",
            "--lengths is for languages and",
        ),
        (["evaluate", "RUN", "--against", "nowhere"], "", "nowhere is not a folder"),
        (["train", "translation:nowhere", "--out", "out"], "", "nowhere holds no prepared corpus"),
        (["train", "text:CORPUS", "--out", "out"], "", "holds parallel text, but text is needed"),
        (
            ["train", "translation:CORPUS", "--out", "out", "--alphabet", "ab"],
            "",
            "--alphabet is for",
        ),
        (
            ["train", "translation:CORPUS", "--out", "out", "--set", "scal=1"],
            "",
            "Did you mean 'scale'",
        ),
    ],
)
def test_slips_are_one_line(
    shell: Shell, folders: dict[str, str], arguments: list[str], stdin: str, words: str
) -> None:
    given = [folders.get(argument, argument) for argument in arguments]
    status, out, error = shell(*given, stdin=stdin)
    assert (status, out) == (2, "")
    assert error.count("\n") == 1
    assert words in error
    assert list(Path.cwd().iterdir()) == []


def test_what_is_for_translators_is_refused_by_others(shell: Shell, tmp_path: Path) -> None:
    run = str(tmp_path / "parity")
    assert shell("train", "parity", "--out", run, "--preset", "smoke", "--set", "steps=1")[0] == 0
    for option in ("--beam", "--length-penalty", "--patience", "--ratio", "--against", "--part"):
        status, _, error = shell("evaluate", run, option, "1")
        assert status == 2
        assert f"{option} is for" in error
    status, _, error = shell("translate", run)
    assert status == 2
    assert "does not translate. Give a run that was trained on translation:DIR" in error
