"""From labelled words to a certificate: what a run holds, what it claims, and what is refused."""

import hashlib
import json
import random
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from safetensors.torch import load_file, save_file

import lengthwise as lw
from cli.shell import Shell
from lengthwise.cli.main import main
from lengthwise.data.parts import TEST, TRAIN, VALID
from lengthwise.errors import (
    ConfigError,
    LengthwiseWarning,
    RunError,
    TextError,
)
from lengthwise.evaluation.scores import percent
from lengthwise.files import read_object, write_json
from lengthwise.inference.limits import limit_of_different
from lengthwise.inference.sample import answers_of
from lengthwise.inference.statement import DataStatement
from lengthwise.messages import format_count
from lengthwise.notebooks.views import of_run
from lengthwise.problems.account import Records
from lengthwise.problems.base import Run
from lengthwise.problems.inferred.inference import sample_of
from lengthwise.problems.inferred.problem import InferredProblem
from lengthwise.problems.inferred.section import make_section
from lengthwise.problems.planning import make_plan, plan_from_dict
from lengthwise.problems.runs import load_run
from lengthwise.proofs.check.certificate import Certificate
from lengthwise.proofs.check.induction import check
from lengthwise.report.report import read_run
from lengthwise.training.run_listing import list_runs
from lengthwise.training.runs import RunFolder

SAMPLED = ("sample", "modular-arithmetic", "--length", "40", "--labelled")


def label(word: str) -> int:
    return (word.count("a") + 2 * word.count("b")) % 3 % 2


def write(path: Path, lines: list[str]) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("inferred")
    draw = random.Random(3)
    words = ["".join(draw.choices("ab", k=draw.randint(0, 30))) for _ in range(3_000)]
    write(place / "own.tsv", [f"{word}\t{label(word)}" for word in sorted(set(words))])
    return place


@pytest.fixture(scope="module")
def run(folder: Path) -> Run:
    return lw.train(f"words:{folder}/own.tsv", out=folder / "run", device="cpu")


def problem_of(run: Run) -> InferredProblem:
    assert isinstance(run.problem, InferredProblem)
    return run.problem


def test_a_run_holds_a_proof_and_a_statement_about_the_same_automaton(run: Run) -> None:
    assert run.folder is not None
    place = run.folder.path
    certificate = check(Certificate.load(place / "certificate.json"))
    assert certificate.verdict == "equivalent"
    told = read_object(place / "statement.json")
    assert told["network"]["verdict"] == "equivalent"
    for name, digest in told["digests"].items():
        if name != "words":
            assert hashlib.sha256((place / name).read_bytes()).hexdigest() == digest
    assert told["digests"]["words"] == problem_of(run).words.digest
    assert lw.language(f"att:{place / 'machine.att'}").difference(run.language) is None
    assert run.language.num_states == 3
    assert (told["states"], told["forced"], told["held_out"]["wrong"]) == (3, True, 0)


def test_the_statement_counts_the_words_of_each_part(run: Run) -> None:
    problem = problem_of(run)
    statement, words = problem.statement(), problem.words.load()
    for part, said in (
        (TRAIN, statement.training),
        (VALID, statement.validation),
        (TEST, statement.held_out),
    ):
        sample = sample_of(words, part, problem.inference, problem.name)
        wrong = answers_of(problem.language, sample) != sample.classes
        assert (said.words, said.wrong) == (len(sample), int(wrong.sum()))
    held = statement.held_out.words
    assert statement.wrong_share_below == limit_of_different(0, held, 0.001)


def test_words_held_out_have_no_influence(run: Run, folder: Path) -> None:
    """With all labels of the test flipped, the automaton and the weights stay as they are."""
    problem = problem_of(run)
    words = problem.words.load()
    test = {
        words.format_word(int(row))
        for row in words.rows(TEST, validation_share=0.05, test_share=0.05, max_length=None)
    }
    lines = []
    for row in range(len(words)):
        word = words.format_word(row)
        lines.append(f"{word}\t{label(word) ^ (word in test)}")
    write(folder / "flipped.tsv", lines)
    other = lw.train(f"words:{folder}/flipped.tsv", out=folder / "flipped", device="cpu")
    assert other.language == run.language
    for name in ("model.safetensors", "machine.json"):
        assert (folder / "flipped" / name).read_bytes() == (folder / "run" / name).read_bytes()
    statement = problem_of(other).statement()
    assert statement.held_out.wrong == statement.held_out.words == len(test)
    assert statement.verdict == "not found"


def test_a_run_that_was_killed_before_its_statement_writes_it(run: Run, folder: Path) -> None:
    place = folder / "run"
    before = {each: (place / each).read_bytes() for each in ("statement.json", "certificate.json")}
    for each in before:
        (place / each).unlink()
    lw.train(f"words:{folder}/own.tsv", out=place, device="cpu")
    assert {each: (place / each).read_bytes() for each in before} == before


def test_a_run_is_stored_and_read(run: Run, folder: Path) -> None:
    again = load_run(folder / "run", device="cpu")
    assert again.plan == run.plan
    assert plan_from_dict(run.require_plan().to_dict()) == run.plan
    assert lw.predict(again, ["ab", "a"]) == [str(label("ab")), str(label("a"))]
    moved = (folder / "own.tsv").rename(folder / "moved.tsv")
    try:
        with pytest.raises(TextError, match="cannot be read"):
            lw.evaluate(again)
        assert lw.evaluate(again, text=str(moved)).summary()["accuracy"] == 1.0
    finally:
        moved.rename(folder / "own.tsv")


def test_commands_work_on_a_run(run: Run, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = str(folder / "run")
    for given in (
        ("certify", place),
        ("certify", "--check", f"{place}/certificate.json", place),
        ("evaluate", place),
        ("report", place, "--out", str(folder / "report.html")),
        ("ls", str(folder)),
    ):
        assert main(list(given)) == 0, capsys.readouterr().err
    page = (folder / "report.html").read_text()
    assert "The words force A" in page
    assert "trained on 1.." not in page, "no word is drawn, and no length was set"
    capsys.readouterr()
    assert main(["train", f"words:{folder}/own.tsv", "--out", place, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["states"], told["proved"]) == (problem_of(run).language.num_states, True)
    assert "agrees with" in page


@pytest.mark.usefixtures("undrawn")
def test_the_report_shows_the_automaton(run: Run, folder: Path) -> None:
    assert run.folder is not None
    section = read_run(run.folder.path).section
    rows = [re.findall("<t[hd]>(.*?)</t[hd]>", row) for row in section.body.split("<tr>")]
    start = next(n for n, row in enumerate(rows) if row[:1] == ["state"])
    symbols, body = rows[start][3:], rows[start + 1 :]
    assert [row[0] for row in body] == [str(n) for n in range(len(body))]
    assert body[0][1] == "(no symbol)"
    for line in (folder / "own.tsv").read_text().splitlines()[:200]:
        word, told = line.split("\t")
        state = 0
        for symbol in word:
            state = int(body[state][3 + symbols.index(symbol)])
        assert body[state][2] == told, word


def test_the_report_of_a_run_that_is_not_evaluated_says_so(folder: Path, tmp_path: Path) -> None:
    run = lw.train(f"words:{folder}/own.tsv", out=tmp_path / "run", device="cpu", max_length=20)
    assert run.folder is not None
    section = read_run(run.folder.path).section
    assert ("evaluation", "not evaluated yet") in section.about
    assert "The automaton A" in section.body
    assert main(["evaluate", str(run.folder.path)]) == 0
    section = read_run(run.folder.path).section
    assert ("evaluation", "not evaluated yet") not in section.about
    assert "trained on 1..20" in section.body, "the words held out have up to 30 symbols"


def test_a_large_automaton_is_not_shown_and_names_are_escaped(tmp_path: Path) -> None:
    for symbols, is_shown in (("abcdefghijklmnopqrst", True), ("abcdefghijklmnopqrstu", False)):
        words = [*symbols, *(f"{one}{two}" for one in symbols for two in symbols)]
        file = write(
            tmp_path / f"{len(symbols)}.tsv",
            [f"{word}\t{'<b>' if word[0] == 'a' else 'c&d'}" for word in words],
        )
        found = lw.infer(file)
        assert isinstance(found, lw.Inference)
        problem = InferredProblem.of(found)
        plan = make_plan(problem)
        records = Records(plan=plan, folder=RunFolder(tmp_path / "none"))
        body = make_section(records, problem.account(records)).body
        assert ("&lt;b&gt;" in body, "c&amp;d" in body) == (is_shown, is_shown)
        assert "<b>" not in body
        size = f"{format_count(problem.language.num_states, 'state')}, {len(symbols)} symbols"
        assert size in body
        assert ("too many to be shown." in body) is not is_shown


def test_the_report_says_how_many_thin_transitions_it_leaves_out(run: Run) -> None:
    assert run.folder is not None
    told = read_object(run.folder.path / "statement.json")
    thin = [{"after": "ab", "symbol": "a", "words": 2}]
    for more in (0, 3):
        told |= {"thin": thin, "num_thin": 1 + more}
        said = replace(run.account, values={"statement": told})
        section = make_section(run.records, said)
        listed = [value for name, value in section.about if name == "thin transition"]
        assert listed[0] == "a after ab: 2 words"
        assert listed[1:] == (["3 more"] if more else [])


@pytest.mark.usefixtures("undrawn")
def test_the_report_looks_at_the_certificate(run: Run, tmp_path: Path) -> None:
    """The statement has the verdict of the day of training; the network may be another since."""

    def says(place: Path) -> str:
        section = read_run(place).section
        return dict(section.about)["certificate"]

    assert run.folder is not None
    own = shutil.copytree(run.folder.path, tmp_path / "run")
    assert says(own) == "equivalent: it computes A, structural"
    with_bound = lw.certify(run, language="regex:(a|b)*", max_chunks=1)
    with_bound.save(own / "certificate.json")
    assert says(own) == with_bound.verdict + " (another language)"
    (own / "certificate.json").unlink()
    assert says(own) == "not proved: there is no certificate"
    shutil.copy(run.folder.certificate, own)
    weights = load_file(own / "model.safetensors")
    save_file({name: -each for name, each in weights.items()}, own / "model.safetensors")
    assert main(["report", str(own), "--out", str(tmp_path / "report.html")]) == 2
    assert not (tmp_path / "report.html").exists()


def test_the_outcome_is_that_of_the_certificate(run: Run, tmp_path: Path) -> None:
    assert run.folder is not None
    place = shutil.copytree(run.folder.path, tmp_path / "run")
    proof = "training ended after 200 steps with a proof that it computes A"
    for verdict, said in (("equivalent", proof), ("not-closed", "not proved after 200 steps")):
        told = read_object(place / "statement.json") | {"network": {"verdict": verdict}}
        write_json(place / "statement.json", told)
        found = load_run(place, device="cpu").account
        assert dict(found.rows)["network"] == said


def test_wrong_labels_are_allowed_for(folder: Path, tmp_path: Path) -> None:
    lines = (folder / "own.tsv").read_text().splitlines()[::3]
    flipped = [
        f"{line[:-1]}{1 - int(line[-1])}" if number % 40 == 7 else line
        for number, line in enumerate(lines)
    ]
    extra = ["ab\t1", "ab\t0", "ab\t0", "ab\t0"]
    own = write(tmp_path / "noisy.tsv", [*flipped, *extra])
    with pytest.raises(TextError, match="label_noise"):
        lw.infer(own)
    found = lw.infer(own, label_noise=0.025, budget=4)
    assert found.language.num_states == 3
    for word in ("", "a", "ab", "aab", "bbbb"):
        assert found.language.classify(word) == label(word)
    statement = found.statement
    assert isinstance(statement, DataStatement)
    assert statement.forced is None
    assert statement.training.wrong > 0
    (about,) = [each for each in statement.sentences() if "With confidence" in each]
    assert "different words like those held out, each counted once" in about
    assert "wrong labels included" in about


def test_repeated_lines_weigh_and_the_bound_is_about_different_words(tmp_path: Path) -> None:
    """Three words have another label, and most of the lines: that is no slip of a few labels."""
    draw = random.Random(5)
    words = {"".join(draw.choices("ab", k=draw.randint(6, 30))) for _ in range(3_000)}
    often = {"a": 1 - label("a"), "b": 1 - label("b"), "ab": 1 - label("ab")}
    lines = [f"{word}\t{label(word)}" for word in sorted(words)]
    lines += [f"{word}\t{other}" for word, other in often.items()] * 2_000
    own = write(tmp_path / "often.tsv", lines)
    inference = lw.infer(own, label_noise=0.01)
    statement, given = inference.statement, inference.language
    assert isinstance(statement, DataStatement)
    share = sum(given.classify(line.split("\t")[0]) != int(line[-1]) for line in lines) / len(lines)
    assert share < 0.01
    every = (statement.training, statement.validation, statement.held_out)
    assert sum(each.lines for each in every) == len(lines) > 2 * sum(each.words for each in every)
    right = len(lines) - round(share * len(lines))
    said = f"Of {len(lines):,} lines with these words {right:,} have the label that A gives."
    assert said in statement.sentences()
    assert 0.03 < statement.wrong_share_below < 0.06
    assert any("each counted once" in sentence for sentence in statement.sentences())


def test_words_whose_labels_are_undecided_are_counted(folder: Path, tmp_path: Path) -> None:
    undecided = ("aab", "bbbb", "abab")
    lines = (folder / "own.tsv").read_text().splitlines()[::6]
    lines = [line for line in lines if line[:-2] not in undecided]
    lines += [f"{word}\t{label(word)}" for word in undecided]
    other = [f"{word}\t{1 - label(word)}" for word in undecided]
    found = []
    for number, some in enumerate(([*lines, *other], [*other, *lines])):
        own = write(tmp_path / f"{number}.tsv", some)
        found.append(lw.infer(own, label_noise=0.01).statement)
    assert found[0] == found[1]
    assert isinstance(found[0], DataStatement)
    assert found[0].undecided == 3
    says = "3 words with several labels and no majority are left out."
    assert says in found[0].sentences()


def test_an_unseen_symbol_is_said_to_be_a_guess(folder: Path) -> None:
    found = lw.infer(folder / "own.tsv", alphabet="abc")
    statement = found.statement
    assert isinstance(statement, DataStatement)
    assert (statement.num_unseen, statement.forced) == (3, False)
    assert found.language.classify("cacbc") == label("ab")
    assert any("are guesses" in sentence for sentence in statement.sentences())


@pytest.fixture(scope="module")
def refuted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run on words of which every tenth label is wrong."""
    place = tmp_path_factory.mktemp("refuted")
    draw = random.Random(4)
    words = sorted({"".join(draw.choices("ab", k=draw.randint(4, 12))) for _ in range(300)})
    labels = {word: word.count("a") % 2 ^ (draw.random() < 0.1) for word in words}
    own = write(place / "own.tsv", [f"{word}\t{labels[word]}" for word in words])
    settings = ["--set", "test_share=0.3", "--set", "budget=5", "--device", "cpu"]
    assert main(["train", f"words:{own}", "--out", str(place / "run"), *settings]) == 1
    return place


@pytest.mark.usefixtures("undrawn")
def test_an_automaton_that_the_words_held_out_refute_is_called_so_everywhere(
    refuted: Path, shell: Shell, tmp_path: Path
) -> None:
    place = refuted / "run"
    told = read_object(place / "statement.json")
    held = told["held_out"]
    assert 0.02 < held["wrong"] / held["words"] < 0.3
    right, shortcut = held["words"] - held["wrong"], told["shortcut_right"]
    words = f"{right} of {held['words']} words held out (the best shortcut: {shortcut})"
    lead = f"refuted: right on {words}"
    against = (
        f"A is not the language, or labels are wrong: {held['wrong']} of {held['words']} words"
    )
    train = ("train", f"words:{refuted}/own.tsv", "--out", str(place), "--set", "test_share=0.3")
    status, out, error = shell(*train)
    assert (status, lead in out, against in out) == (1, True, True)
    assert out.index(lead) < out.index("with a proof that it computes A")
    assert f"proved equal to A; {against}" in error.splitlines()[-1]
    status, out, _ = shell(*train, "--json")
    facts = json.loads(out)
    assert (status, facts["headline"]) == (1, lead)
    assert facts["held_out_accuracy"] == right / held["words"]
    run = load_run(place, device="cpu")
    assert lead in repr(run)
    card = of_run(run)
    assert (lead in card, ">refuted<" in card) == (True, True)
    status, out, _ = shell("ls", str(refuted))
    shares = (percent(number / held["words"]) for number in (right, shortcut))
    assert "{} held out (shortcut {}), refuted".format(*shares) in " ".join(out.split())
    assert "claims equivalent to A" in out
    listed = shell.json("ls", str(refuted))["runs"][0]
    assert (listed["held_out_accuracy"], listed["verdict"]) == (right / held["words"], "refuted")
    assert lead in shell("evaluate", str(place))[1]
    certificate = str(place / "certificate.json")
    for more in ((str(place),), ("--check", certificate), ("--check", certificate, str(place))):
        status, out, error = shell("certify", *more)
        assert (status, out.index(lead) < out.index("equivalent"), against in error) == (1, 1, 1)
    with pytest.warns(LengthwiseWarning, match=re.escape(against)):
        assert lw.certify(run).verdict == "equivalent"
    status, _, error = shell("predict", str(place), stdin="abab\n")
    assert (status, against in error) == (0, True)
    page = tmp_path / "page.html"
    assert shell("report", str(place), "--out", str(page))[0] == 0
    text = page.read_text()
    assert lead in text
    for said in (out, text, card, repr(run)):
        assert "100.00 %" not in said, "nothing is right on all words"
        assert "set apart for validation" not in said


def test_a_run_leads_with_the_words_held_out(run: Run, shell: Shell, folder: Path) -> None:
    told = read_object(folder / "run" / "statement.json")
    held, shortcut = told["held_out"]["words"], told["shortcut_right"]
    lead = f"right on {held} of {held} words held out (the best shortcut: {shortcut})"
    assert lead in repr(run)
    assert "refuted" not in of_run(run)
    out = shell("train", f"words:{folder}/own.tsv", "--out", str(folder / "run"))[1]
    assert out.splitlines()[1].endswith(f" {lead}")
    assert "100.00 held out" in shell("ls", str(folder / "run"))[1]


def test_answers_without_a_word_behind_them_are_marked(
    shell: Shell, folder: Path, tmp_path: Path
) -> None:
    place = tmp_path / "run"
    settings = ("--alphabet", "abc", "--device", "cpu", "--out", str(place))
    assert shell("train", f"words:{folder}/own.tsv", *settings)[0] == 0
    status, out, error = shell("predict", str(place), stdin="ab\nacb\n")
    assert (status, out) == (0, f"{label('ab')}\n{label('ab')}\tguess\n")
    assert "1 answer is a guess: no word that A was inferred from passes 'c' after 'a'" in error
    first, second = shell.json("predict", str(place), stdin="ab\nacb\n")["words"]
    assert (first["support"] > 100, second["support"]) == (True, 0)
    again = load_run(place, device="cpu")
    with pytest.warns(LengthwiseWarning, match="passes 'c' after 'a'"):
        assert lw.predict(again, ["acb"]) == [str(label("ab"))]
    assert lw.predict(replace(again, folder=None), ["ab"]) == [str(label("ab"))]


def test_words_that_no_small_automaton_fits_are_refused_with_words_that_tell(
    tmp_path: Path,
) -> None:
    words = {"a" * i + "b" * j for i in range(16) for j in range(16)}
    lines = [f"{word}\t{int(word.count('a') == word.count('b'))}" for word in sorted(words)]
    own = write(tmp_path / "anbn.tsv", lines)
    for assumed in ("star-free", None):
        with pytest.raises(TextError, match="with up to 6 states fits all words: 7 ") as e:
            lw.infer(own, max_states=6, assume=assumed)
    assert "\n" not in str(e.value)
    assert re.search(
        r"cannot lead to the same state, since .* has the label [01] and", str(e.value)
    )
    out = tmp_path / "run"
    assert main(["train", f"words:{own}", "--out", str(out), "--set", "max_states=6"]) == 2
    assert not out.exists()


def test_another_model_goes_on_without_being_named(folder: Path, tmp_path: Path) -> None:
    given = ["train", f"words:{folder}/own.tsv", "--preset", "smoke", "--out", str(tmp_path / "g")]
    assert main([*given, "--model", "gru"]) == 0
    assert main(given) == 0
    assert main(["train", f"words:{folder}/own.tsv", "--out", str(tmp_path / "g")]) == 0


def test_another_setting_of_inference_is_named(run: Run, folder: Path) -> None:
    with pytest.raises(RunError, match=r"with label_noise=0\.0, but now label_noise=0\.3 is asked"):
        lw.train(f"words:{folder / 'own.tsv'}", out=folder / "run", label_noise=0.3)


def test_a_run_is_listed_with_its_file_and_its_evaluation(run: Run, tmp_path: Path) -> None:
    assert run.folder is not None
    shutil.copytree(run.folder.path, tmp_path / "run")
    write_json(tmp_path / "run" / "evaluation.json", {"accuracy": 0.996})
    (listed,) = list_runs(tmp_path)
    assert (listed.subject, listed.evaluation) == ("words:own.tsv", "right 99.60 %")


def test_a_folder_of_other_words_is_refused(run: Run, folder: Path) -> None:
    write(folder / "other.tsv", ["a\t1", *(f"{'ab' * n}\t{n % 2}" for n in range(1, 200))])
    with pytest.raises(RunError, match="holds a run") as caught:
        lw.train(f"words:{folder}/other.tsv", out=folder / "run")
    assert len(str(caught.value).replace(str(folder), "")) < 250


def test_runs_of_words_are_not_compared(run: Run, tmp_path: Path) -> None:
    assert run.folder is not None
    shutil.copytree(run.folder.path, tmp_path / "run")
    assert main(["evaluate", str(tmp_path / "run")]) == 0
    with pytest.raises(ConfigError, match=r"compared at single lengths, .* Use lengthwise rep"):
        lw.compare([tmp_path / "run"])


def test_settings_of_a_file_are_those_of_inference(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["settings", f"words:{folder}/own.tsv"]) == 0
    assert "label_noise" in capsys.readouterr().out
    assert main(["settings", f"words:{folder}/own.tsv", "--model", "gru"]) == 0
    assert "label_noise" not in capsys.readouterr().out


@pytest.mark.slow
def test_an_automaton_without_the_domain_is_proved_against_the_language(
    shell: Shell, tmp_path: Path
) -> None:
    """What is inferred is right on the domain of Modular Arithmetic, and something else outside."""
    language = lw.language("modular-arithmetic")
    words = tmp_path / "words.tsv"
    words.write_text(shell(*SAMPLED, "--count", "10000")[1])
    symbols = " ".join(language.alphabet)
    run = lw.train(f"words:{words}", alphabet=symbols, out=tmp_path / "run")
    assert language.domain is not None
    assert run.language.domain is None
    out = str(tmp_path / "certificate.json")
    against = ["--against", "modular-arithmetic"]
    assert main(["certify", str(tmp_path / "run"), *against, "--out", out]) == 0
    assert main(["certify", "--check", out, str(tmp_path / "run"), *against]) == 0
    assert check(Certificate.load(Path(out))).verdict == "equivalent"
