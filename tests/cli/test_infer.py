"""The commands `infer` and `sample --labelled`: words, their automaton, and what is saved."""

import itertools
import json
import random
import re
from pathlib import Path

import pytest

import lengthwise as lw
from cli.shell import Shell
from lengthwise.files import read_object


@pytest.fixture
def file(tmp_path: Path) -> Path:
    draw = random.Random(9)
    words = {"".join(draw.choices("ab", k=draw.randint(0, 14))) for _ in range(600)}
    place = tmp_path / "own.tsv"
    place.write_text("".join(f"{word}\t{int(word.endswith('ab'))}\n" for word in sorted(words)))
    return place


def test_the_statement_comes_first_and_then_the_automaton(file: Path, shell: Shell) -> None:
    status, out, error = shell("infer", str(file))
    found = lw.infer(file)
    assert status == 0
    assert out.startswith(f"{found}\n\nalphabet  ")
    assert "num states   3" in out
    assert "Which transformer can carry it" in out
    assert f"next: lengthwise train words:{file} --out DIR" in error


def test_what_is_saved_goes_on(file: Path, shell: Shell, tmp_path: Path) -> None:
    found, out = lw.infer(file), tmp_path / "own"
    assert isinstance(found, lw.Inference)
    for ending in ("json", "svg", "dot", "att"):
        assert shell("infer", f"words:{file}", "--out", f"{out}.{ending}")[0] == 0
    assert read_object(Path(f"{out}.json")) == json.loads(json.dumps(found.to_dict()))
    drawn = re.sub("<desc>.*?</desc>", "", Path(f"{out}.svg").read_text())
    assert drawn == found.draw().svg
    assert "digraph" in Path(f"{out}.dot").read_text()
    assert lw.language(f"att:{out}.att").difference(found.language) is None
    run = str(tmp_path / "run")
    status, said, _ = shell("train", f"inferred:{out}.json", "--out", run, "--device", "cpu")
    assert (status, f"by words  {found.statement.headline}\n" in said) == (0, True)


def test_json_has_the_inference_and_the_description(file: Path, shell: Shell) -> None:
    told = shell.json(
        "infer", str(file), "--set", "label_noise=0.01", "--alphabet", "abc", "--budget", "2"
    )
    assert told["inference"]["label_noise"] == 0.01
    assert told["statement"]["headline"].startswith("right on ")
    assert (told["words"]["alphabet"], told["file"]) == (["a", "b", "c"], None)
    assert told["description"]["num_states"] == len(told["language"]["transitions"])


@pytest.mark.parametrize(
    ("noise", "verdict", "why"),
    [
        (0.06, "refuted", "A is not the language, or labels are wrong: "),
        (0.5, "at chance", "The language is not found: "),
    ],
)
def test_an_automaton_that_is_not_the_language_ends_with_status_1(
    shell: Shell, tmp_path: Path, noise: float, verdict: str, why: str
) -> None:
    draw = random.Random(4)
    words = sorted({"".join(draw.choices("ab", k=draw.randint(4, 12))) for _ in range(300)})
    file = tmp_path / "own.tsv"
    labels = {word: word.count("a") % 2 ^ (draw.random() < noise) for word in words}
    file.write_text("".join(f"{word}\t{label}\n" for word, label in labels.items()))
    status, out, error = shell("infer", str(file), "--set", "test_share=0.3", "--budget", "5")
    assert status == 1
    assert out.splitlines()[0].startswith(f"words:{file}: {verdict}: right on ")
    assert why in error.splitlines()[-1]


def test_a_budget_without_time_keeps_the_commonest_label(file: Path, shell: Shell) -> None:
    status, out, _ = shell("infer", str(file), "--budget", "1e-9")
    assert status == 1
    assert "since the budget is used up; A is the best automaton so far." in out
    assert "at chance: right on " in out
    status, out, _ = shell("infer", str(file))
    assert (status, "A is the best automaton so far" in out) == (0, False)
    for budget in ("0", "-1", "long"):
        assert shell("infer", str(file), "--budget", budget)[0] == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("none.tsv",), "none.tsv does not exist"),
        (("OWN", "--set", "steps=5"), "steps"),
        (("OWN", "--set", "max_states=1"), "no automaton with up to 1 states"),
        (("OWN", "--out", "own.gif"), "must end in .c .dot"),
        (("labels:OWN",), "does not exist"),
    ],
)
def test_slips_are_one_line(
    file: Path, shell: Shell, arguments: tuple[str, ...], message: str
) -> None:
    status, out, error = shell("infer", *(each.replace("OWN", str(file)) for each in arguments))
    assert (status, out, error.count("\n")) == (2, "", 1)
    assert message in error


def test_a_large_automaton_is_not_drawn(shell: Shell, tmp_path: Path) -> None:
    file, out = tmp_path / "long.tsv", tmp_path / "long.svg"
    file.write_text("".join(f"{'a' * n}\t{int(n % 41 == 0)}\n" for n in range(500)))
    status, said, error = shell("infer", str(file), "--out", str(out))
    assert (status, said, out.exists()) == (2, "", False)
    assert "an automaton of 41 states and 41 arrows is too large to draw. Save it as" in error


def test_words_of_a_language_are_sampled_with_their_classes(shell: Shell) -> None:
    given = ("sample", "tomita-3", "--length", "9", "--count", "300", "--labelled")
    rows = [line.split("\t") for line in shell(*given)[1].splitlines()]
    language = lw.language("tomita-3")
    assert len({word for word, _ in rows}) == len(rows) > 100
    assert {len(word) for word, _ in rows} == set(range(10))
    assert all(language.class_names[language.classify(word)] == name for word, name in rows)
    assert len({name for _, name in rows}) == 2
    told = shell.json(*given)["words"]
    assert [[each["word"], each["class"]] for each in told] == rows
    assert shell(*given, "--seed", "1")[1] != shell(*given)[1]


def test_inputs_of_a_function_are_sampled_with_their_outputs(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "flip.att"
    file.write_text("0 1 a x\n1 0 a y\n0 0 b y\n1 1 b x\n0\n1\n")
    given = ("sample", f"mealy:{file}", "--length", "9", "--count", "100", "--labelled")
    rows = [line.split("\t") for line in shell(*given)[1].splitlines()]
    function = lw.function(f"mealy:{file}")
    assert len(rows) > 30
    assert all(word and function(word) == output for word, output in rows)
    told = shell.json(*given)["words"]
    assert [[each["word"], each["output"]] for each in told] == rows


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--labelled", "--class", "1"), "draws words of all classes"),
        (("--labelled", "--count", "999999999"), "symbols at once"),
    ],
)
def test_slips_of_sample_are_one_line(shell: Shell, more: tuple[str, ...], message: str) -> None:
    status, out, error = shell("sample", "parity", "--length", "9", *more)
    assert (status, out, error.count("\n")) == (2, "", 1)
    assert message in error


def test_a_class_is_assumed_unless_the_words_refute_it(tmp_path: Path, shell: Shell) -> None:
    words = ["".join(word) for size in range(9) for word in itertools.product("ab", repeat=size)]
    file = tmp_path / "own.tsv"
    file.write_text("".join(f"{word}\t{word.count('a') % 2}\n" for word in words))
    told = shell.json("infer", str(file), "--assume", "group")
    assert (told["search"]["by"], told["inference"]["assume"]) == ("group", "group")
    status, out, error = shell("infer", str(file), "--assume", "SL")
    assert (status, out, error.count("\n")) == (2, "", 1)
    assert "the words refute the class SL for those with the label 1, the second one: " in error
    assert error.endswith("Assume another class, or none.\n")
    file.write_text("".join(f"{word}\t{'has' if 'aa' in word else 'none'}\n" for word in words))
    status, out, error = shell("infer", str(file), "--assume", "coSL")
    assert error.endswith("Assume SL if the words with the label has are those of coSL.\n")
    status, out, error = shell("infer", str(file), "--assume", "SLS")
    assert (status, out) == (2, "")
    assert "unknown class of languages 'SLS'" in error
    file.write_text("".join(f"{word}\t{word.count('a') % 3}\n" for word in words))
    status, out, error = shell("infer", str(file), "--assume", "SL")
    assert (status, out, error.count("\n")) == (2, "", 1)
    assert error.endswith(
        "SL tells 2 labels apart, but the words have 3. Assume another class, or none.\n"
    )


def test_columns_are_named_and_a_run_on_them_goes_on(
    file: Path, shell: Shell, tmp_path: Path
) -> None:
    """A log of one event a row says what the words say, in the command and in Python."""
    words = [line.split("\t") for line in file.read_text().splitlines()]
    rows = [
        f"{case},{symbol},{label}"
        for case, (word, label) in enumerate(words)
        for symbol in ["", *word]
    ]
    log = tmp_path / "log.csv"
    log.write_text("\n".join(["id,action,ok", *rows]))
    columns = "case=id,event=action,label=ok"
    found = lw.infer(log, columns={"case": "id", "event": "action", "label": "ok"})
    assert found.language == lw.infer(file).language
    told = shell.json("infer", str(log), "--columns", columns)
    assert told["language"] == json.loads(json.dumps(found.to_dict()["language"]))
    train = ("train", f"words:{log}", "--columns", columns, "--out", str(tmp_path / "run"))
    for _ in range(2):  # the second finds that training has ended
        assert shell(*train, "--device", "cpu")[0] == 0
    assert shell("evaluate", str(tmp_path / "run"))[0] == 0
    status, _, error = shell("infer", str(log), "--columns", "case=id,evnt=action")
    assert (status, "unknown part of columns 'evnt'" in error) == (2, True)
    status, _, error = shell("train", "parity", "--columns", columns, "--out", str(tmp_path / "x"))
    assert (status, "--columns is for files of words, and parity is not one" in error) == (2, True)


@pytest.mark.parametrize(
    ("rows", "part"),
    [
        ("1,a,x,1\n2,a,,1\n", "log.csv, line 3: case '2' has no label. Write it in one row."),
        ("1,a,x,1\n1,b,y,2\n", "log.csv, line 3: case '1' has the label 'y', but 'x' in line 2"),
        ("1,a,x,soon\n", "log.csv, line 2: the time 'soon' is neither a number nor a date"),
        ("1,a,x,1\n1,b,x,2026-01-31\n", "log.csv, line 3: the time '2026-01-31' is a date, but"),
        (",a,x,1\n", "log.csv, line 2 has no case"),
        ("1,a,x,1\n1,d,x,2\n", "log.csv, line 2, symbol 2: symbol 'd' is not in the alphabet"),
    ],
)
def test_logs_that_cannot_be_read_leave_nothing(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: str, part: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("log.csv").write_text(f"c,e,l,t\n{rows}")
    columns = "case=c,event=e,label=l,time=t"
    given = ("infer", "log.csv", "--columns", columns, "--alphabet", "abc", "--out", "out.json")
    status, out, error = shell(*given)
    assert (status, out) == (2, "")
    assert part in error
    assert error.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["log.csv"]


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    draw, gray = random.Random(9), lw.function("gray")
    words = {"".join(draw.choices("01", k=draw.randint(1, 14))) for _ in range(300)}
    place = tmp_path / "pairs.tsv"
    place.write_text("".join(f"{word}\t{gray(word)}\n" for word in sorted(words)))
    return place


def test_a_function_is_inferred_from_pairs_and_saved(pairs: Path, shell: Shell) -> None:
    out = pairs.with_suffix(".att")
    status, said, error = shell("infer", f"pairs:{pairs}", "--out", str(out))
    assert status == 0
    assert said.startswith(f"{lw.infer(f'pairs:{pairs}')}\n\nfunction ")
    assert f"next: lengthwise train pairs:{pairs} --out DIR" in error
    assert lw.function(f"mealy:{out}") == lw.function("gray")
    told = shell.json("infer", f"pairs:{pairs}")
    assert (told["description"]["left_states"], told["file"]) == (2, None)
    more = ("--alphabet", "012", "--set", "label_noise=0.01")
    _, _, error = shell("infer", f"pairs:{pairs}", *more)
    assert f"train pairs:{pairs} {' '.join(more)} --out DIR" in error


@pytest.mark.parametrize(
    ("line", "more", "says"),
    [
        ("1" * 20 + "\t01\n", [], "pairs.tsv, line 1: an output has the length of its input, but"),
        ("0\t1\n0\t0\n", [], "'0', of lines 1 ('1') and 2 ('0'). Leave one for each"),
        ("", ["--out", "f.svg"], "a function is saved as FILE.att"),
        ("", ["--assume", "SL"], "assume='SL' is for labelled words"),
        ("", ["--scheduler", "tcp://x:1"], "scheduler='tcp://x:1' is for labelled words"),
    ],
)
def test_slips_about_pairs_are_one_line(
    line: str, more: list[str], says: str, pairs: Path, shell: Shell
) -> None:
    pairs.write_text(line + pairs.read_text())
    status, said, error = shell("infer", f"pairs:{pairs}", *more)
    assert (status, said) == (2, "")
    assert error.count("\n") == 1
    assert says in error


def test_pairs_that_show_no_function_end_with_status_1(pairs: Path, shell: Shell) -> None:
    draw = random.Random(1)
    lines = []
    for _ in range(120):
        length = draw.randint(3, 9)
        lines.append("\t".join("".join(draw.choices("01", k=length)) for _ in range(2)))
    pairs.write_text("\n".join(dict.fromkeys(lines)))
    status, said, error = shell(
        "infer", f"pairs:{pairs}", "--set", "label_noise=0.01", "--set", "max_states=3"
    )
    assert status == 1
    assert "not found" in said or "at chance" in said
    assert "The function is not found: F writes" in error
