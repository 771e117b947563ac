"""Functions that look into a model take a run as they take its model, and slips are one line."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import lengthwise as lw
from lengthwise.analysis.analyses import ANALYSES, Knowledge
from lengthwise.cli.main import main
from lengthwise.display import html_of
from lengthwise.errors import LengthwiseError
from lengthwise.interpret import knowledge_of

SMALL: dict[str, Any] = {"preset": "smoke", "steps": 2, "validate_every": 1}


@pytest.fixture(scope="module")
def run() -> lw.Run:
    """A run that knows little, on letters."""
    return lw.train("count:b:2", d_model=8, num_bits=3, **SMALL)


@pytest.fixture(scope="module")
def exact(tmp_path_factory: pytest.TempPathFactory) -> lw.Construction:
    """Computed weights, which are right, from their folder."""
    out = tmp_path_factory.mktemp("runs") / "exact"
    assert main(["compile", "d-2", "--as", "tree", "--out", str(out)]) == 0
    loaded = lw.load(out, device="cpu")
    assert isinstance(loaded, lw.Construction)
    return loaded


def test_an_algebra_of_weights_is_that_of_their_network(exact: lw.Construction) -> None:
    of_model, own = lw.extract(exact.model, language=exact.language), lw.extract(exact)
    assert own.automaton == of_model.automaton == exact.language.minimise()
    assert own.algebra is not None
    assert own.summary() == of_model.summary()
    words = torch.tensor([[0, 1, 0, 0, 1, 1], [0, 0, 0, 0, 1, 1]])
    lengths = torch.tensor([6, 6])
    answers = own.snap()(words, lengths).argmax(dim=1)
    assert answers.tolist() == [exact.language.classify(word) for word in words.tolist()]


def test_a_stream_of_a_run_answers_as_its_model(run: lw.Run) -> None:
    symbols = run.language.encode("abbab")
    answers = []
    for asked in (run, run.model):
        stream = lw.interpret.streaming(asked, 5)
        stream.feed(symbols)
        answers.append(stream.answer())
    assert torch.equal(*answers)
    assert torch.allclose(answers[0], run.model(torch.tensor([symbols]), torch.tensor([5]))[0])


def test_an_automaton_of_a_run_needs_no_alphabet(run: lw.Run) -> None:
    sizes: dict[str, Any] = {"max_length": 6, "num_tests": 60, "max_states": 40}
    own = lw.interpret.learn_automaton(run, **sizes)
    other = lw.interpret.learn_automaton(run.model, "ab", classes=["0", "1"], **sizes)
    assert own == other
    assert own.language.alphabet == ("a", "b")


def test_an_automaton_of_labelled_words_has_their_symbols_and_classes(tmp_path: Path) -> None:
    file = tmp_path / "w.tsv"
    file.write_text("".join(f"{'xy' * n}x\tno\n{'yx' * n}\tyes\n" for n in range(1, 40)))
    run = lw.train(f"words:{file}", **SMALL)
    found = lw.interpret.learn_automaton(run, max_length=4, num_tests=30, max_states=20)
    assert found.language.alphabet == ("x", "y")
    assert found.language.class_names == ("no", "yes")


def test_an_analysis_of_a_run_is_that_of_its_model(run: lw.Run) -> None:
    asked: dict[str, Any] = {"lengths": [9], "words_per_length": 6}
    for name in ANALYSES:
        own = lw.interpret.analyse(run, name, **asked)
        other = lw.interpret.analyse(run.model, name, language="count:b:2", **asked)
        assert own.record == other.record
        assert own.numbers == ANALYSES[name].numbers(own.record)
        assert own.draw().axes
        assert own.meaning in html_of(own)
        assert "\n" not in repr(own)


def test_clusters_mean_another_thing_for_a_proved_model() -> None:
    record = {"purity": 0.75, "gap_to_spread": 1.2, "gap": 3.0, "elements": [1, 2]}
    meaning = ANALYSES["clusters"].meaning
    proved = meaning(record, Knowledge(verdict="equivalent", has_binary_memory=True))
    assert "nevertheless proved right at every length, with a purity of 75.00 %" in proved
    assert "only signs" in proved
    assert "only signs" not in meaning(record, Knowledge(verdict="equivalent"))
    assert "known to be wrong" in meaning(record, Knowledge(verdict="counterexample"))
    assert "only certify can tell" in meaning(record, Knowledge())
    pure = {**record, "purity": 1.0, "gap_to_spread": 2.5}
    assert "lie apart (gap to spread 2.50" in meaning(pure, Knowledge())
    assert "nevertheless" not in meaning(pure, Knowledge(verdict="equivalent"))
    same = {**record, "gap": 0.0}
    assert "have the same vector" in meaning(same, Knowledge())


def test_what_is_known_of_a_run_is_the_verdict_of_its_own_certificate(tmp_path: Path) -> None:
    run = lw.train("parity", out=tmp_path / "run", d_model=8, num_bits=3, **SMALL)
    assert knowledge_of(run) == Knowledge(verdict=None, has_binary_memory=True)
    assert run.folder is not None
    made = lw.certify(run)
    made.save(run.folder.certificate)
    assert knowledge_of(run).verdict == made.verdict
    lw.certify(run, language="count:0:2:01").save(run.folder.certificate)  # about another language
    assert knowledge_of(run).verdict is None


def test_an_alphabet_is_a_text_or_a_list_of_symbols() -> None:
    run = lw.train("regex:(ab)*", alphabet=["a", "b", "c"], **SMALL)
    assert run.language.alphabet == ("a", "b", "c")
    assert lw.language("regex:(ab)*", run.language.alphabet) == run.language
    assert lw.language(run.language) is run.language
    loaded = lw.load("zoo:parity-exact", device="cpu")
    assert isinstance(loaded, lw.Construction)
    assert loaded.verify(longest=5).holds
    longer = lw.language(lambda word: word.startswith("s1"), ["s1", "s2"], max_states=3)
    assert longer.alphabet == ("s1", "s2")


def test_slips_are_told_in_one_line(run: lw.Run, tmp_path: Path) -> None:
    model, language, small = run.model, run.language, dict(SMALL)
    made = lw.compile("d-2")
    calls: list[tuple[Callable[[], Any], str]] = [
        (lambda: lw.train("parity", text=3, **small), "unknown setting 'text'"),
        (lambda: lw.train("parity", preset=None), "a preset is given by its name, but got None"),  # type: ignore[arg-type]
        (lambda: lw.train("parity", preset=[]), "a preset is given by its name, but got []"),  # type: ignore[arg-type]
        (lambda: lw.train("parity", device=None, **small), "a device is a name, but got None"),  # type: ignore[arg-type]
        (lambda: lw.train("parity", out=3, **small), "out is a path"),  # type: ignore[arg-type]
        (lambda: lw.train("parity", steps="x"), "steps='x' must be an integer."),
        (lambda: lw.load(None), "a run's folder is a path"),  # type: ignore[arg-type]
        (lambda: lw.load(tmp_path, model=3), "model is a name"),  # type: ignore[arg-type]
        (lambda: lw.language("regex:a*", 3), "an alphabet is a string"),  # type: ignore[arg-type]
        (lambda: lw.language("regex:a*", [1]), "an alphabet is a string"),  # type: ignore[list-item]
        (lambda: lw.evaluate("runs/a"), "Load its folder: lw.load(folder)"),  # type: ignore[arg-type]
        (lambda: lw.evaluate(run, lengths=[True]), "lengths are integers"),
        (lambda: lw.evaluate(run, lengths=[3], words_per_length=1.5), "words_per_length is a"),  # type: ignore[arg-type]
        (
            lambda: lw.evaluate(model, language=language, lengths=[3], seed="x"),  # type: ignore[arg-type]
            "seed is an integer",
        ),
        (
            lambda: lw.evaluate(model, language=language, lengths=[3], protocol=3),  # type: ignore[arg-type]
            "protocol is a string",
        ),
        (lambda: lw.predict(model, ["a"], language=language, heat=1), "heat is not for words"),
        (lambda: lw.certify(run, max_chunks="x"), "max_chunks is an integer of 1"),  # type: ignore[arg-type]
        (lambda: lw.predict(model, ["0"]), "Give language='parity', say, or a Language"),
        (lambda: lw.evaluate(model), "a network alone does not know its language"),
        (lambda: lw.predict("run", ["0"]), "Load its folder: lw.load(folder)"),  # type: ignore[arg-type]
        (lambda: lw.predict(made, ["0"], tokens=3), "tokens is not for languages"),
        (lambda: lw.certify(model), "a network alone does not know its language"),
        (lambda: lw.certify(model, language=language, strength="x"), "unknown strength 'x'"),  # type: ignore[arg-type]
        (lambda: language.difference("parity"), "Write language(...) around a name"),  # type: ignore[arg-type]
        (lambda: lw.language(len, alphabet=[3], max_states=3), "an alphabet is a string"),  # type: ignore[list-item]
        (lambda: lw.language(len, alphabet="x"), "Give both"),
        (lambda: lw.language(len, "x", max_states=2.0), "max_states is an integer from 1"),  # type: ignore[arg-type]
        (lambda: lw.train("parity", alphabet="xy", **small), "so it cannot have 'xy'"),
        (lambda: lw.train(language, alphabet="xy", **small), "so it cannot have 'xy'"),
        (lambda: lw.language(3), "or a Language, but got 3"),  # type: ignore[arg-type]
        (lambda: lw.language(language, "xy"), "so it cannot have 'xy'"),
        (lambda: lw.language("count:2:3"), "'2' is not 0, 1, a or b, which need no alphabet"),
        (lambda: list(language.words(max_length=2.5)), "max_length is an integer"),  # type: ignore[arg-type]
        (lambda: list(language.words(max_length=-1)), "max_length is an integer"),
        (lambda: list(language.words(max_length=2, only=2)), "only=2 is not a class"),
        (lambda: lw.load("runs/none"), "runs/none is not a folder"),
        (lambda: lw.train(run.problem, alphabet="ab", **small), "a problem has its alphabet"),
        (lambda: lw.language("regex:a*", ["s1"]), "['s1'] cannot be"),
        (lambda: lw.language(language, max_states=3), "max_states is for functions"),
        (lambda: lw.language("regex[ab:a*"), "Write regex[...]: before the rest"),
        (lambda: lw.extract(model), "a network alone does not know its language"),
        (lambda: lw.extract(run, max_elements=0), "max_elements is an integer of 1"),
        (lambda: lw.extract("run", language="parity"), "Load its folder"),  # type: ignore[arg-type]
        (lambda: lw.interpret.streaming(run, 1.5), "an announced length is an integer"),  # type: ignore[arg-type]
        (lambda: lw.interpret.learn_automaton(model), "an alphabet is a string such as '01'"),
        (lambda: lw.interpret.learn_automaton(3, "ab"), "a recogniser is a run, a model"),  # type: ignore[arg-type]
        (lambda: lw.interpret.learn_automaton(model, "ab", classes=2), "classes are a string"),  # type: ignore[arg-type]
        (lambda: lw.interpret.learn_automaton(run, num_tests="x"), "num_tests is an integer"),  # type: ignore[arg-type]
        (lambda: lw.interpret.analyse(model), "a network alone does not know its language"),
        (lambda: lw.interpret.analyse(run, "cluster"), "Did you mean 'clusters'"),
        (lambda: lw.interpret.analyse(run, lengths="9"), "lengths are a list"),  # type: ignore[arg-type]
        (lambda: lw.compare(None), "runs or their folders are compared"),  # type: ignore[arg-type]
        (lambda: lw.text.prepare(None), "out is a path"),
        (lambda: lw.text.prepare(tmp_path / "x", 3), "train is a source"),
        (
            lambda: lw.text.prepare_pairs(tmp_path / "x", [("a", "b")]),
            "train is a source such as 'book.txt', or a list of them, but got ('a', 'b')",
        ),
        (lambda: lw.text.prepare_pairs(tmp_path / "x", languages="en"), "languages are two names"),
        (lambda: language.encode(3), "a written word is a string"),  # type: ignore[arg-type]
    ]
    for call, told in calls:
        with pytest.raises(LengthwiseError) as found:
            call()
        assert told in str(found.value)
        assert "\n" not in str(found.value)
    assert not list(tmp_path.iterdir())


UNCHECKED = """
import lengthwise as lw
from lengthwise.display import html_of
from lengthwise.errors import LengthwiseError
from lengthwise.tasks.task import Task

made = lw.compile("parity")
calls = [
    lambda: lw.compile(None),
    lambda: made.verify(longest="x"),
    lambda: lw.steps.step_task(None),
    lambda: Task(language="parity"),
]
for call in calls:
    try:
        call()
    except LengthwiseError as error:
        print(error)
"""


@pytest.mark.slow
def test_slips_are_told_where_the_tests_check_types_themselves() -> None:
    """Constructions and tasks are under the shape check here, which a user does not have."""
    done = subprocess.run(
        [sys.executable, "-c", UNCHECKED], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    assert [line.partition(", but got")[0] for line in done.stdout.splitlines()] == [
        "weights are computed for a language, a circuit or a name, such as 'parity'",
        "longest is an integer of 0 or more",
        "a step task is a line, such as 'steps:addition'",
        "a task is about a Language",
    ]
