"""The functions that most users need."""

import copy
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

import lengthwise as lw
from lengthwise.errors import (
    ConfigError,
    LanguageError,
    LengthwiseError,
    VerificationError,
    WordError,
)
from lengthwise.problems.base import Run

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
    answers = lw.predict(run.model, "cycle-navigation", words)
    assert answers == lw.predict(loaded.model, loaded.language, words)
    for word, answer in zip(words, answers, strict=True):
        stream = lw.streaming(run.model, len(word))
        stream.feed(run.language.encode(word))
        assert run.language.class_names[int(stream.answer().argmax())] == answer
    scores = lw.evaluate(run.model, run.language, lengths=[3, 50], words_per_length=20)
    assert scores.total == 40


def test_a_language_of_ones_own_making_can_be_learned_and_reloaded(tmp_path: Path) -> None:
    language = lw.language("parity") | lw.language("first")
    lw.train(language, preset="smoke", out=tmp_path / "run", **SMALL)
    assert lw.load(tmp_path / "run").language == language


def test_slips_are_refused() -> None:
    run = lw.train("parity", preset="smoke", **SMALL)
    with pytest.raises(WordError, match="column 2: symbol '2'"):
        lw.predict(run.model, "parity", ["02"])
    with pytest.raises(ConfigError, match="made for the symbols '0 1', but cycle-navigation has"):
        lw.predict(run.model, "cycle-navigation", ["012"])
    with pytest.raises(ConfigError, match="made for 2 symbols and 2 classes, but cycle-nav"):
        lw.predict(copy.deepcopy(run.model), "cycle-navigation", ["012"])
    with pytest.raises(ConfigError, match="Linear cannot be streamed"):
        lw.streaming(torch.nn.Linear(1, 1), 3)
    with pytest.raises(ConfigError, match="Did you mean 'max_length'"):
        lw.train("parity", max_lenght=3)


@pytest.fixture(scope="module")
def of_letters(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run on words over ab, loaded from its folder."""
    out = tmp_path_factory.mktemp("runs") / "letters"
    lw.train("count:b:2", preset="smoke", out=out, **SMALL)
    return lw.load(out, device="cpu")


@pytest.mark.parametrize("ask", [lw.predict, lw.evaluate])
def test_a_model_refuses_a_language_over_other_symbols_of_the_same_number(
    of_letters: Run, ask: Any
) -> None:
    rest = (["01"],) if ask is lw.predict else ([3],)
    told = r"made for the symbols 'a b', but parity has '0 1'. Give its own"
    with pytest.raises(ConfigError, match=told):
        ask(of_letters.model, "parity", *rest)
    with pytest.raises(ConfigError, match=told):
        ask(lw.compile("count:b:2").model, "parity", *rest)
    with pytest.raises(ConfigError, match="made for the classes '0 1', but the language has 'n y'"):
        ask(of_letters.model, replace(of_letters.language, class_names=("n", "y"), spec=""), *rest)


def test_a_model_is_not_certified_for_other_symbols(of_letters: Run) -> None:
    with pytest.raises(VerificationError, match="made for the symbols 'a b', but parity has"):
        lw.certify(of_letters.model, "parity")
    assert lw.certify(of_letters.model, of_letters.language).verdict


def test_a_model_of_which_nothing_is_known_is_asked_as_before(of_letters: Run) -> None:
    same = copy.deepcopy(of_letters.model)
    assert lw.predict(same, "parity", ["01"]) == lw.predict(of_letters.model, "count:b:2", ["ab"])


def test_slips_in_python_are_told_in_one_line(of_letters: Run) -> None:
    language, model, none = of_letters.language, of_letters.model, None
    slips: list[tuple[Callable[..., Any], tuple[Any, ...], str]] = [
        (lw.train, (none,), "a language is a line, such as 'parity'"),
        (lw.train, (3,), "but got 3"),
        (lw.language, (none,), "but got None"),
        (lw.train, (language, torch.nn.Linear(1, 1)), "Linear cannot read words of 1 to 7 symbols"),
        (lw.train, (language, 3), "model is a name"),
        (lw.evaluate, (model, language, 50), "but got 50. Give [50]"),
        (lw.evaluate, (model, language, "41:500"), "lengths are whole numbers, such as range"),
        (lw.evaluate, (model, language, [1.5]), "lengths are whole numbers"),
        (lw.evaluate, (model, language, [-3]), "a length is 0 or more, but got -3"),
        (lw.evaluate, (model, none), "a language is a line"),
        (lw.predict, (model, language, "abab"), "words are a list of texts, but got 'abab'"),
        (lw.predict, (model, language, 5), "words are a list of texts, but got 5. Give [word],"),
        (lw.predict, (model, language, [0, 1]), "words are a list of texts, but got [0, 1]"),
        (lw.predict, (model, language, [["a"]]), "integers from 0 to 1, but its symbol 1 is 'a'"),
        (lw.predict, (model, none, ["ab"]), "a language is a line"),
        (lw.predict, (of_letters, "abab"), "words are a list of texts, but got 'abab'"),
        (lw.text.perplexity, (of_letters, [3]), "no language model"),
        (lw.text.translate, (of_letters, ["a"]), "does not translate"),
        (lw.predict, (none, language, ["ab"]), "but got a NoneType"),
        (lw.certify, (model, none), "Give one, such as 'parity' or a Language"),
    ]
    for call, arguments, told in slips:
        with pytest.raises(LengthwiseError) as found:
            call(*arguments)
        assert told in str(found.value)
        assert "\n" not in str(found.value)


def test_words_are_texts_with_spaces_or_without_or_integers(of_letters: Run) -> None:
    language = of_letters.language
    words: list[str | Sequence[int]] = ["abab", "a b a b", " ab  ab ", [0, 1, 0, 1], (0, 1, 0, 1)]
    answers = lw.predict(of_letters.model, language, words)
    assert len(set(answers)) == 1
    assert {language.classify(word) for word in words} == {0}
    with pytest.raises(WordError, match="column 3: symbol 'c'"):
        language.encode("a c")
    with pytest.raises(WordError, match=r"column 2: symbol '\\t'"):
        language.encode("a\tb")


def test_runs_are_tested_and_asked_as_their_models_are(of_letters: Run) -> None:
    language, model = of_letters.language, of_letters.model
    words = ["", "ab", "abab", "ba"]
    assert lw.predict(of_letters, words) == lw.predict(model, language, words)
    assert lw.predict(of_letters, language, words) == lw.predict(model, language, words)
    proof, other_proof = lw.certify(of_letters), lw.certify(model, language)
    assert proof.summary() == other_proof.summary()
    own = lw.evaluate(of_letters, lengths=[3, 9], protocol="audited", words_per_length=20)
    other = lw.evaluate(model, language, [3, 9], words_per_length=20)
    assert own.accuracy_by_length() == other.accuracy_by_length()
    assert own.loss_by_length() == other.loss_by_length()
    with pytest.raises(ConfigError, match="part is not for languages"):
        lw.evaluate(of_letters, part="test")
    with pytest.raises(ConfigError, match="temperature is not for languages"):
        lw.predict(of_letters, words, temperature=1.0)
