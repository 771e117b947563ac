"""What every model of the catalogue must do, whatever it is inside; weights are random."""

import json
from collections.abc import Mapping
from functools import partial
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import load, save
from torch import Tensor, nn

from drawn_layers import one_layer
from lengthwise.errors import ConfigError, WordError
from lengthwise.evaluation.outputs import AnswersEverywhere
from lengthwise.layers.attention import SCALES
from lengthwise.layers.positions import POSITIONS
from lengthwise.models.encoder import Encoder, EncoderConfig
from lengthwise.models.recognisers import MODELS
from lengthwise.models.regular_gpt import RegularGPTConfig
from lengthwise.objectives.catalogue import OBJECTIVES, objectives_of, require_fit
from lengthwise.text.models.encoder_decoder import EncoderDecoderConfig
from lengthwise.text.models.gpt_lm import GPTLMConfig
from lengthwise.text.models.regular_gpt_lm import RegularGPTLMConfig
from ordinary import few
from perturbed import random_tokens

SYMBOLS, CLASSES, PAD = 3, 4, -1
WIDTH = 8
OF_LANGUAGE: Mapping[str, Mapping[str, Any]] = {
    "scratchpad": {"state_classes": [0, 1, 2, 3, 1, CLASSES]},
    "regular-gpt-slots": {"num_slots": 5, "num_bits": 3},
    "scratchpad-window": {"num_states": 900, "num_digits": 2},
}
"""What a model must know of a language beside its symbols and classes."""
NORMED: tuple[type[Any], ...] = (
    EncoderConfig,
    EncoderDecoderConfig,
    GPTLMConfig,
    RegularGPTConfig,
    RegularGPTLMConfig,
)
"""Settings of networks whose embeddings are not normalised."""


def configure(name: str, **values: Any) -> Any:
    shape = {"vocab_size": SYMBOLS, "num_classes": CLASSES, **OF_LANGUAGE.get(name, {}), **values}
    return MODELS[name].configure(shape)


def make(name: str, seed: int = 0, **values: Any) -> nn.Module:
    """A small model in float64, its biases away from 0."""
    config = configure(name, **{"d_model": WIDTH, **values})
    generator = torch.Generator().manual_seed(seed)
    model = MODELS[name].draw(config, generator).double().eval()
    with torch.no_grad():
        for parameter in model.parameters():
            noise = torch.randn(parameter.shape, dtype=torch.double, generator=generator)
            parameter.add_(noise, alpha=0.3)
    return model


draw = partial(random_tokens, SYMBOLS)


def close(left: Tensor, right: Tensor) -> None:
    torch.testing.assert_close(left, right, rtol=1e-9, atol=1e-9)


def together(words: list[Tensor], room: int = 0) -> tuple[Tensor, Tensor]:
    """Words at the right of one batch, and their lengths."""
    time = max(len(word) for word in words) + room
    tokens = torch.full((len(words), time), PAD)
    for row, word in enumerate(words):
        tokens[row, time - len(word) :] = word
    return tokens, torch.tensor([len(word) for word in words])


names = pytest.mark.parametrize("name", one_layer(MODELS))
placed = [name for name in sorted(MODELS) if "position" in configure(name).to_dict()]
learned = [name for name in sorted(MODELS) if OBJECTIVES["prefix"].fits(MODELS[name])]
everywhere = sorted([*learned, "regular-gpt-slots"])
"""Models that answer at every position; the answers of slots have no gradient to learn from."""


@names
@settings(max_examples=few(3, 15))
@given(lengths=st.lists(st.integers(0, 9), min_size=1, max_size=5), room=st.integers(0, 2))
def test_words_of_several_lengths_are_as_alone(name: str, lengths: list[int], room: int) -> None:
    """Whatever stands in the other rows, and left of a word in its own."""
    model = make(name)
    words = [draw(1, length, seed=seed)[0] for seed, length in enumerate(lengths)]
    answered = model(*together(words, room))
    assert answered.shape == (len(words), CLASSES)
    for row, word in enumerate(words):
        close(answered[row], model(word[None])[0])


GARBAGE: Mapping[str, tuple[int, int]] = {
    "symbols": (0, SYMBOLS),
    "symbols that models have beside": (SYMBOLS, SYMBOLS + 9),
    "large numbers": (2**40, 2**62),
    "negative numbers": (-(2**62), 0),
}
"""Least and most of what may stand before a word."""


@pytest.mark.slow_for(
    "-chomsky-transformer",
    "-decoder",
    "-regular-gpt",
    "-regular-gpt-binary",
    "-regular-gpt-rational",
    "-scratchpad",
    "-scratchpad-window",
    "first-chomsky-transformer",
    "first-universal-transformer",
    "first-universal-transformer-log",
)
@names
@pytest.mark.parametrize("settings_", [{}, {"cls": "first"}], ids=["", "first"])
def test_what_stands_before_a_word_changes_no_bit(name: str, settings_: dict[str, Any]) -> None:
    """The contract of `Recogniser`; in float32, as models run."""
    if not settings_.keys() <= configure(name).to_dict().keys():
        return
    words = [draw(1, length, seed=length)[0] for length in (3, 0, 9, 8, 1)]
    tokens, lengths = together(words, room=2)
    before = torch.arange(tokens.shape[1]) < tokens.shape[1] - lengths[:, None]
    assert (tokens[before] == PAD).all()
    others = {}
    for kind, (least, most) in GARBAGE.items():
        generator = torch.Generator().manual_seed(1)
        garbage = torch.randint(least, most, tokens.shape, generator=generator)
        others[kind] = torch.where(before, garbage, tokens)
    for model in (make(name, **settings_), make(name, **settings_).float()):
        for training in (False, True):
            model.train(training)

            def answer(rows: Tensor, model: nn.Module = model) -> Tensor:
                found: Tensor = model(rows, lengths, generator=torch.Generator().manual_seed(2))
                return found

            expected = answer(tokens)
            for kind, other in others.items():
                assert torch.equal(answer(other), expected), (kind, training)
        filled = draw(4, 7)
        model.eval()
        assert torch.equal(model(filled), model(filled, torch.full((4,), 7)))


@names
def test_a_symbol_that_is_none_is_refused_in_one_line(name: str) -> None:
    """Be it one that the model has beside the language's, such as CLS or a start symbol."""
    model = make(name)
    for wrong in (SYMBOLS, SYMBOLS + 1, 2**40, -1, -5):
        for lengths in (None, torch.tensor([3, 2])):
            tokens = draw(2, 3)
            tokens[1, 1] = wrong
            with pytest.raises(WordError, match=f"a word has the symbol {wrong}") as caught:
                model(tokens, lengths)
            assert "\n" not in str(caught.value)
    for length in (4, -1):
        with pytest.raises(WordError, match=f"a word of {length} symbols does not fit into a row"):
            model(draw(2, 3), torch.tensor([3, length]))


@names
def test_lengths_never_trained_on_run(name: str) -> None:
    model = make(name)
    assert model(draw(2, 100)).isfinite().all()


@pytest.mark.parametrize("name", one_layer(set(MODELS) - {"regular-gpt-slots"}))
def test_the_empty_word_has_an_answer_of_its_own(name: str) -> None:
    model = make(name)
    empty = model(torch.zeros(2, 0, dtype=torch.long))
    assert empty.shape == (2, CLASSES)
    assert empty.isfinite().all()
    close(model(torch.full((2, 5), PAD), torch.tensor([0, 0])), empty)
    for symbol in range(SYMBOLS):
        assert not torch.allclose(model(torch.tensor([[symbol]])), empty[:1])


@pytest.mark.parametrize(
    "name", one_layer(name for name in MODELS if not configure(name).has_codes)
)
@settings(max_examples=few(6, 15))
@given(length=st.integers(1, 9), data=st.data())
def test_every_symbol_counts(name: str, length: int, data: st.DataObject) -> None:
    """What the tests of equality compare does depend on the word (but signs may agree)."""
    model = make(name)
    word = draw(1, length)
    place = data.draw(st.integers(0, length - 1))
    others = word.repeat(SYMBOLS, 1)
    others[:, place] = torch.arange(SYMBOLS)
    assert len(torch.unique(model(others), dim=0)) == SYMBOLS


@names
def test_one_seed_gives_one_network(name: str) -> None:
    def answers_of(seed: int) -> Tensor:
        torch.manual_seed(seed + 100)  # the state of the world does not count
        generator = torch.Generator().manual_seed(seed // 2)
        answers: Tensor = MODELS[name].draw(configure(name), generator).eval()(draw(5, 12))
        return answers

    assert torch.equal(answers_of(2), answers_of(3))
    assert not torch.equal(answers_of(2), answers_of(4))


@names
def test_stored_weights_give_the_same_answers(name: str) -> None:
    model, other = make(name), make(name, seed=1)
    words = draw(6, 9)
    assert not torch.equal(model(words), other(words))
    other.load_state_dict(load(save(model.state_dict())))
    assert torch.equal(model(words), other(words))


@names
def test_settings_survive_being_stored(name: str) -> None:
    config = configure(name)
    stored = json.loads(json.dumps(config.to_dict()))
    assert MODELS[name].config.from_dict(stored) == config


@names
def test_models_that_answer_everywhere_say_so(name: str) -> None:
    assert isinstance(make(name), AnswersEverywhere) == (name in everywhere)


@pytest.mark.parametrize("name", one_layer(everywhere))
@settings(max_examples=few(6, 15))
@given(num_words=st.integers(1, 3), length=st.integers(1, 9))
def test_answers_everywhere_are_those_of_the_prefixes(
    name: str, num_words: int, length: int
) -> None:
    model = make(name)
    words = draw(num_words, length)
    assert isinstance(model, AnswersEverywhere)
    answers = model.every_position(words)
    assert answers.shape == (num_words, length, CLASSES)
    for place in range(length):
        close(answers[:, place], model(words[:, : place + 1]))


@names
def test_what_a_model_can_be_told_includes_what_it_is_told(name: str) -> None:
    entry = MODELS[name]
    assert entry.objective in objectives_of(entry)
    for objective in objectives_of(entry):
        require_fit(name, entry, objective)


def test_an_objective_that_a_model_cannot_take_is_refused_in_one_line() -> None:
    with pytest.raises(ConfigError) as caught:
        require_fit("encoder-cls", MODELS["encoder-cls"], "prefix")
    assert str(caught.value) == (
        "objective='prefix' is not for encoder-cls, which learns from final. Use final, or another "
        "model, such as regular-gpt or regular-gpt-binary or regular-gpt-rational or elman or "
        "elman-relu or gru."
    )


@pytest.mark.parametrize("name", placed)
@pytest.mark.parametrize("position", ["learned", "randomised-learned"])
def test_learned_positions_refuse_longer_words_in_one_line(name: str, position: str) -> None:
    """And count what stands beside a word: CLS, a start symbol, or a state for each symbol."""
    model = make(name, position=position, max_length=9)
    places, more = {"scratchpad": (18, 20)}.get(name, (10, 11))
    assert model(draw(2, 9)).isfinite().all()
    with pytest.raises(WordError) as caught:
        model(*together([draw(1, 10)[0], draw(1, 2)[0]]))
    message = f"there are positions for at most {places} places, but a word needs "
    assert str(caught.value).startswith(message)
    assert places < int(str(caught.value)[len(message) :].split(".")[0]) <= more
    assert "\n" not in str(caught.value)


@pytest.mark.slow_except(
    "first", "first-early", "learned", "randomised-learned", "randomised-sinusoidal", "sinusoidal"
)
@pytest.mark.parametrize("position", sorted(POSITIONS))
def test_every_position_fits_every_model(position: str) -> None:
    """Words of several lengths, some past `max_length` unless that is refused."""
    longest = 8 if "learned" in position else 13
    words = [draw(1, length, seed=length)[0] for length in (3, longest, 0, 8)]
    for name in placed:
        model = make(name, position=position, max_length=8)
        answered = model(*together(words))
        for row, word in enumerate(words):
            assert torch.allclose(answered[row], model(word[None])[0], rtol=1e-9, atol=1e-9), name


@pytest.mark.parametrize("name", placed)
@pytest.mark.parametrize("scale", sorted(SCALES))
def test_every_scale_fits_every_model(name: str, scale: str) -> None:
    model, other = make(name, scale=scale), make(name, scale="standard")
    assert model(draw(3, 9)).isfinite().all()
    same = model.state_dict().keys() == other.state_dict().keys()
    if same and scale != "standard":
        assert not torch.allclose(model(draw(3, 9)), other(draw(3, 9)))


def test_encoder_has_room_for_fewer_words_the_longer_they_are() -> None:
    """Unless all places of all layers but the last ask the same, so that one query is computed."""
    model = make("encoder-cls")
    assert isinstance(model, Encoder)
    assert [model.words_at_once(time) for time in (0, 39, 499, 100_000)] == [
        2**24,
        2**24 // 1600,
        2**24 // 250_000,
        1,
    ]
    with torch.no_grad():
        model.block[0].attention.query.weight.zero_()
    assert model.words_at_once(500) is None


@pytest.mark.parametrize("config", NORMED, ids=lambda config: config.__name__)
def test_a_norm_that_a_network_has_not_is_refused_where_settings_are_made(
    config: type[Any],
) -> None:
    """A network that does not normalise its embeddings would be another than was asked for."""
    classes = {"num_classes": 2} if config in (EncoderConfig, RegularGPTConfig) else {}
    made = config(**{"vocab_size": 3, **classes})
    object.__setattr__(made, "norm", "post-embedded")  # the tests check types, users do not
    with pytest.raises(ConfigError, match=r"norm='post-embedded' is not an option\. Use one of"):
        made.__post_init__()
