"""Answers come from logits, however near: networks whose classes float32 shares cannot tell."""

from typing import Any

import pytest
import torch

import lengthwise as lw
from lengthwise.evaluation.evaluate import answer_of
from lengthwise.evaluation.predict import logits_of, shares
from lengthwise.languages.language import Language
from lengthwise.models.regular_gpt import RegularGPT, RegularGPTConfig
from proofs.trained import ENDS_WITH_1, last_symbol

SIZES = [2e-9, 1e-12, 1e-25]
"""Of logits; as shares in float32, with the largest one first, all of these are equal."""


def last_of_many(num_symbols: int, size: float) -> tuple[RegularGPT, Language]:
    """A model that tells which symbol a word ends with, 0 for the empty one, and that language.

    A vector is the number of a symbol in bits -1 and 1, then all of them once more with the other
    sign. A logit is `size` times the product of two such vectors, so that all are multiples of it.
    """
    bits = (num_symbols - 1).bit_length()
    signs = 2.0 * ((torch.arange(num_symbols)[:, None] >> torch.arange(bits)) & 1) - 1.0
    vectors = torch.cat([signs, -signs], dim=1)
    config = RegularGPTConfig(
        vocab_size=num_symbols,
        num_classes=num_symbols,
        d_model=2 * bits,
        num_heads=1,
        ff_factor=1,
        norm="none",
        memory="binary",
        num_bits=bits,
        embedding_scale=1.0,
    )
    model = RegularGPT(config)
    memory: Any = model.memory
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
        model.embedding.weight.copy_(vectors)
        model.pad.copy_(vectors[0])
        memory.write.weight.copy_(torch.eye(bits, 2 * bits))
        memory.read.weight.copy_(torch.cat([torch.eye(bits), -torch.eye(bits)]))
        memory.norm.weight.fill_(1.0)
        model.answer.weight.copy_(size * vectors)
    names = tuple(f"s{number}" for number in range(num_symbols))
    states = tuple(range(num_symbols))
    language = Language(alphabet=names, transitions=(states,) * num_symbols, classes=states)
    return model.eval(), language


@pytest.fixture(params=SIZES)
def many(request: pytest.FixtureRequest) -> tuple[RegularGPT, Language]:
    return last_of_many(70 if request.param == SIZES[0] else 20, request.param)


@pytest.fixture(params=SIZES)
def small(request: pytest.FixtureRequest) -> RegularGPT:
    """A model of two classes whose logits are about so far apart."""
    model = last_symbol()
    with torch.no_grad():
        model.answer.weight.mul_(request.param)
    return model


def test_the_largest_logit_is_the_answer_and_the_first_of_equals() -> None:
    logits = torch.tensor([[0.0, 1e-12, -1.0], [-2e-12, -1e-12, -1e-12], [3.0, 3.0, 3.0]])
    assert answer_of(logits).tolist() == [1, 1, 0]
    assert answer_of(logits[None]).tolist() == [[1, 1, 0]]
    for dtype in (torch.float32, torch.float64):
        assert (shares(logits.to(dtype)).sum(dim=1) == 1).all()
        assert shares(logits.to(dtype)).dtype == torch.float64
    assert (logits.softmax(dim=1)[1] == 1 / 3).all()  # here the answer would be another


@pytest.mark.slow_for("2e-09")
def test_of_many_near_classes_what_is_proved_is_what_is_predicted(
    many: tuple[RegularGPT, Language],
) -> None:
    model, language = many
    proof = lw.certify(model, language=language)
    assert proof.verdict == "equivalent"
    names = language.alphabet
    words = ["", *names, *(f"{a} {b}" for a, b in zip(names, reversed(names), strict=True))]
    right = [language.classify(language.encode(word)) for word in words]
    expected = [language.class_names[c] for c in right]
    assert lw.predict(model, words, language=language) == expected
    assert (
        lw.predict(lw.extract(model, language=language).snap(), words, language=language)
        == expected
    )
    encoded = [language.encode(word) for word in words]
    assert answer_of(logits_of(model, encoded)).tolist() == right
    for recogniser in (model, lw.extract(model, language=language).snap()):
        scores = lw.evaluate(recogniser, language=language, lengths=[1, 2, 7], words_per_length=60)
        assert {record.correct / record.total for record in scores.records} == {1.0}


@pytest.mark.slow_except("2e-09")
def test_of_near_logits_everything_that_answers_says_the_same(small: RegularGPT) -> None:
    """`certify` used to say that the model's code was changed."""
    for strength in ("auto", "discrete"):
        proof = lw.certify(small, language=ENDS_WITH_1, strength=strength)
        assert proof.verdict == "equivalent"
    words = ["", "1", "0", "01", "10", "0" * 300 + "1"]
    expected = ["0", "1", "0", "1", "0", "1"]
    assert lw.predict(small, words, language=ENDS_WITH_1) == expected
    assert (
        lw.predict(lw.extract(small, language=ENDS_WITH_1).snap(), words, language=ENDS_WITH_1)
        == expected
    )
    assert (
        lw.interpret.learn_automaton(small, "01", num_tests=300).language == ENDS_WITH_1.minimise()
    )
    stream = lw.interpret.streaming(small, 2)
    stream.feed([0, 1])
    assert int(answer_of(stream.answer())) == 1
    wrong = lw.certify(small, language=~ENDS_WITH_1)
    assert wrong.counterexample is not None
    assert (wrong.counterexample.word, wrong.counterexample.model) == ("", "0")


def test_of_near_logits_short_words_that_are_tried_get_the_class_of_the_largest() -> None:
    """Where no algebra is found, words are tried one by one."""
    config = RegularGPTConfig(vocab_size=2, num_classes=2, d_model=8, num_heads=2)
    model = RegularGPT(config)
    model.initialise(torch.Generator().manual_seed(0))
    with torch.no_grad():
        model.answer.weight.mul_(0.0)
        model.answer.bias.copy_(torch.tensor([-1e-12, 1e-12]))
    language = Language(alphabet=("0", "1"), transitions=((0, 0),), classes=(1,))
    tried = lw.certify(model.eval(), language=language, strength="robust")
    assert "is wrong on" not in tried.reason
    assert tried.verdict == "equivalent" or (tried.checked_length or 0) > 5
