"""The functions that most users need."""

from pathlib import Path
from typing import Any

import pytest
import torch

import lengthwise as lw
from lengthwise.errors import ConfigError, LanguageError, WordError

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
    with pytest.raises(ConfigError, match="made for 2 symbols and 2 classes, but cycle-nav"):
        lw.predict(run.model, "cycle-navigation", ["012"])
    with pytest.raises(ConfigError, match="Linear cannot be streamed"):
        lw.streaming(torch.nn.Linear(1, 1), 3)
    with pytest.raises(ConfigError, match="Did you mean 'max_length'"):
        lw.train("parity", max_lenght=3)
