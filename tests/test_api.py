"""The functions that most users need."""

import copy
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
import torch

import lengthwise as lw
from lengthwise.cli.main import main
from lengthwise.errors import (
    ConfigError,
    LanguageError,
    LengthwiseError,
    VerificationError,
    WordError,
)
from lengthwise.problems.base import Run
from lengthwise.problems.runs import load_run

SMALL: dict[str, Any] = {"steps": 6, "validate_every": 3, "batch_size": 8, "validation_words": 16}


def test_a_language_by_name_expression_and_alphabet() -> None:
    assert lw.language("parity").difference(lw.language("regex:0*10*(10*10*)*")) is None
    assert lw.language("regex:(a|b)*", alphabet="abc").alphabet == ("a", "b", "c")
    with pytest.raises(LanguageError, match="Did you mean 'parity'"):
        lw.language("parit")


def test_train_load_evaluate_predict_and_stream_agree(tmp_path: Path) -> None:
    run = lw.train("cycle-navigation", preset="smoke", out=tmp_path / "run", **SMALL)
    loaded = lw.load(tmp_path / "run", device="cpu")
    words = ["010211", "", "2" * 77]
    answers = lw.predict(run.model, words, language="cycle-navigation")
    assert answers == lw.predict(loaded.model, words, language=loaded.language)
    for word, answer in zip(words, answers, strict=True):
        stream = lw.interpret.streaming(run.model, len(word))
        stream.feed(run.language.encode(word))
        assert run.language.class_names[int(stream.answer().argmax())] == answer
    scores = lw.evaluate(run.model, language=run.language, lengths=[3, 50], words_per_length=20)
    assert scores.total == 40


def test_a_language_of_ones_own_making_can_be_learned_and_reloaded(tmp_path: Path) -> None:
    language = lw.language("parity") | lw.language("first")
    lw.train(language, preset="smoke", out=tmp_path / "run", **SMALL)
    assert lw.load(tmp_path / "run").language == language


def test_slips_are_refused() -> None:
    run = lw.train("parity", preset="smoke", **SMALL)
    with pytest.raises(WordError, match="column 2: symbol '2'"):
        lw.predict(run.model, ["02"], language="parity")
    with pytest.raises(ConfigError, match="made for the symbols '0 1', but cycle-navigation has"):
        lw.predict(run.model, ["012"], language="cycle-navigation")
    with pytest.raises(ConfigError, match="made for 2 symbols and 2 classes, but cycle-nav"):
        lw.predict(copy.deepcopy(run.model), ["012"], language="cycle-navigation")
    with pytest.raises(ConfigError, match="Linear cannot be streamed"):
        lw.interpret.streaming(torch.nn.Linear(1, 1), 3)
    with pytest.raises(ConfigError, match="Did you mean 'max_length'"):
        lw.train("parity", max_lenght=3)


@pytest.fixture(scope="module")
def of_letters(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run on words over ab, loaded from its folder."""
    out = tmp_path_factory.mktemp("runs") / "letters"
    lw.train("count:b:2", preset="smoke", out=out, **SMALL)
    return load_run(out, device="cpu")


@pytest.mark.parametrize("ask", [lw.predict, lw.evaluate])
def test_a_model_refuses_a_language_over_other_symbols_of_the_same_number(
    of_letters: Run, ask: Any
) -> None:
    asked = {"inputs": ["01"]} if ask is lw.predict else {"lengths": [3]}
    told = r"made for the symbols 'a b', but parity has '0 1'. Give its own"
    with pytest.raises(ConfigError, match=told):
        ask(of_letters.model, language="parity", **asked)
    with pytest.raises(ConfigError, match=told):
        ask(lw.compile("count:b:2"), language="parity", **asked)
    other = replace(of_letters.language, class_names=("n", "y"), spec="")
    with pytest.raises(ConfigError, match="made for the classes '0 1', but the language has 'n y'"):
        ask(of_letters.model, language=other, **asked)


def test_a_model_is_not_certified_for_other_symbols(of_letters: Run) -> None:
    with pytest.raises(VerificationError, match="made for the symbols 'a b', but parity has"):
        lw.certify(of_letters.model, language="parity")
    assert lw.certify(of_letters.model, language=of_letters.language).verdict


def test_a_model_of_which_nothing_is_known_is_asked_as_before(of_letters: Run) -> None:
    same = copy.deepcopy(of_letters.model)
    assert lw.predict(same, ["01"], language="parity") == lw.predict(
        of_letters.model, ["ab"], language="count:b:2"
    )


def test_slips_in_python_are_told_in_one_line(of_letters: Run) -> None:
    language, model, none = of_letters.language, of_letters.model, cast(Any, None)
    lengths, words = (
        "lengths are integers, such as range",
        "words are a list of strings, but got",
    )

    def record_test(lengths: Any) -> Any:
        return lw.evaluate(model, language=language, lengths=lengths)

    def record_inputs(inputs: Any) -> list[str]:
        return lw.predict(model, inputs, language=language)

    slips: list[tuple[Callable[[], Any], str]] = [
        (lambda: lw.train(none), "a language is a line, such as 'parity'"),
        (lambda: lw.train(cast(Any, 3)), "but got 3"),
        (lambda: lw.language(none), "but got None"),
        (lambda: lw.train(language, torch.nn.Linear(1, 1)), "cannot read words of 1 to 7 symbols"),
        (lambda: lw.train(language, cast(Any, 3)), "model is a name"),
        (lambda: record_test(50), "but got 50. Give [50]"),
        (lambda: record_test("41:500"), lengths),
        (lambda: record_test([1.5]), lengths),
        (lambda: record_test([-3]), "a length is 0 or more, but got -3"),
        (lambda: lw.evaluate(model), "Give language='parity', say, or a Language"),
        (lambda: lw.evaluate(model, language=cast(Any, 3)), "a language is a line"),
        (lambda: record_inputs("abab"), f"{words} 'abab'"),
        (lambda: record_inputs(5), f"{words} 5. Give [word],"),
        (lambda: record_inputs([0, 1]), f"{words} [0, 1]"),
        (lambda: record_inputs([["a"]]), "integers from 0 to 1, but its symbol 1 is 'a'"),
        (lambda: lw.predict(model, ["ab"]), "Give language='parity', say, or a Language"),
        (lambda: lw.predict(of_letters, "abab"), f"{words} 'abab'"),
        (lambda: lw.text.perplexity(of_letters, [3]), "not a language model"),
        (lambda: lw.text.translate(of_letters, ["a"]), "does not translate"),
        (lambda: lw.predict(none, ["ab"], language=language), "but got a NoneType"),
        (lambda: lw.certify(model), "Give language='parity', say, or a Language"),
    ]
    for call, told in slips:
        with pytest.raises(LengthwiseError) as found:
            call()
        assert told in str(found.value)
        assert "\n" not in str(found.value)


def test_words_are_texts_with_spaces_or_without_or_integers(of_letters: Run) -> None:
    language = of_letters.language
    words: list[str | Sequence[int]] = ["abab", "a b a b", " ab  ab ", [0, 1, 0, 1], (0, 1, 0, 1)]
    answers = lw.predict(of_letters.model, words, language=language)
    assert len(set(answers)) == 1
    assert {language.classify(word) for word in words} == {0}
    with pytest.raises(WordError, match="column 3: symbol 'c'"):
        language.encode("a c")
    with pytest.raises(WordError, match=r"column 2: symbol '\\t'"):
        language.encode("a\tb")


def test_runs_are_tested_and_asked_as_their_models_are(of_letters: Run) -> None:
    language, model = of_letters.language, of_letters.model
    words = ["", "ab", "abab", "ba"]
    assert lw.predict(of_letters, words) == lw.predict(model, words, language=language)
    assert lw.predict(of_letters, words, language=language) == lw.predict(
        model, words, language=language
    )
    proof, other_proof = lw.certify(of_letters), lw.certify(model, language=language)
    assert proof.summary() == other_proof.summary()
    own = lw.evaluate(of_letters, lengths=[3, 9], protocol="audited", words_per_length=20)
    other = lw.evaluate(model, language=language, lengths=[3, 9], words_per_length=20)
    assert own.accuracy_by_length() == other.accuracy_by_length()
    assert own.loss_by_length() == other.loss_by_length()
    with pytest.raises(ConfigError, match="part is not for languages"):
        lw.evaluate(of_letters, part="test")
    with pytest.raises(ConfigError, match="temperature is not for languages"):
        lw.predict(of_letters, words, temperature=1.0)


def test_computed_weights_are_a_model_like_a_run(tmp_path: Path) -> None:
    made, asked = lw.compile("d-2", target="matrices"), ["0011", "01", "10"]
    alone: dict[str, Any] = {"language": "d-2"}
    assert lw.predict(made, asked) == lw.predict(made.model, asked, **alone) == ["1", "1", "0"]
    test: dict[str, Any] = {"lengths": [4, 6], "words_per_length": 10}
    found = lw.evaluate(made, **test)
    assert found.summary() == lw.evaluate(made.model, **alone, **test).summary()
    assert found.summary()["mean_accuracy"] == 1.0
    proof = lw.certify(made, strength="robust")
    assert proof.summary() == lw.certify(made.model, strength="robust", **alone).summary()
    assert lw.extract(made).automaton == made.language.minimise()


def test_load_gives_what_the_folder_holds(tmp_path: Path) -> None:
    assert main(["compile", "parity", "--out", str(tmp_path / "exact")]) == 0
    lw.train("parity", preset="smoke", out=tmp_path / "run", **SMALL)
    exact, run = (lw.load(tmp_path / name, device="cpu") for name in ("exact", "run"))
    assert isinstance(exact, lw.Construction)
    assert isinstance(run, lw.Run)
    assert (exact.claim, exact.range) == (lw.compile("parity").claim, lw.compile("parity").range)
    assert exact.language == run.language == lw.language("parity")
    assert exact.folder is not None
    lw.evaluate(exact, lengths=[3], words_per_length=4)
    stored = exact.folder.evaluation()
    assert stored is not None
    assert stored["words"] == 4
    assert isinstance(lw.load("zoo:parity-exact"), lw.Construction)
    assert isinstance(lw.load("zoo:parity"), lw.Run)
    with pytest.raises(ConfigError, match="model"):
        lw.load(tmp_path / "exact", model=torch.nn.Linear(1, 1))
