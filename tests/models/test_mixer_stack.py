"""Networks of sequence layers: words in stretches, symbol by symbol, and their settings."""

import pytest
import torch
from torch import Tensor

from lengthwise.errors import ConfigError
from lengthwise.layers.mixers.catalogue import MIXERS
from lengthwise.models import mixer_stack
from lengthwise.models.mixer_stack import MixerStack, MixerStackConfig
from lengthwise.models.recognisers import MODELS
from lengthwise.models.stepped import leaves, rebuild
from lengthwise.models.stepping import steps_of

SYMBOLS, CLASSES = 3, 4
of_mixers = [name for name in MODELS if issubclass(MODELS[name].config, MixerStackConfig)]
names = pytest.mark.parametrize("name", of_mixers)


def make(name: str, **shape: int) -> MixerStack:
    sizes = {"vocab_size": SYMBOLS, "num_classes": CLASSES, "d_model": 16, "num_heads": 2}
    entry = MODELS[name]
    model = entry.draw(entry.configure({**sizes, **shape}), torch.Generator().manual_seed(0))
    assert isinstance(model, MixerStack)
    return model.eval()


def words(count: int, length: int) -> Tensor:
    return torch.randint(SYMBOLS, (count, length), generator=torch.Generator().manual_seed(1))


def test_each_sequence_layer_has_a_model_of_its_name() -> None:
    assert of_mixers == list(MIXERS)
    assert {name: MODELS[name].defaults["mixer"] for name in of_mixers} == {
        name: name for name in of_mixers
    }
    shapes = [
        MODELS[name].configure({"vocab_size": 2, "num_classes": 2}).to_dict() for name in of_mixers
    ]
    for setting in ("d_model", "num_heads", "num_layers"):
        assert len({shape[setting] for shape in shapes}) == 1
    trainings = [MODELS[name].training for name in of_mixers]
    assert all(training == trainings[0] for training in trainings)


@names
@torch.no_grad()
def test_steps_are_what_is_computed_in_parallel(name: str) -> None:
    model, tokens = make(name, num_layers=2).double(), words(3, 20)
    logits, state = model.start()
    torch.testing.assert_close(logits, model(tokens[:1, :0]))
    state = rebuild(state, (leaf.expand(3, *leaf.shape[1:]) for leaf in leaves(state)))
    for column, expected in zip(
        tokens.unbind(dim=1), model.every_position(tokens).unbind(dim=1), strict=True
    ):
        logits, state = model.step(state, column)
        torch.testing.assert_close(logits, expected)


def test_it_is_examined_as_a_recurrence() -> None:
    steps = steps_of(make("gla"), SYMBOLS, CLASSES)
    assert steps.start()[1].shape == (1, 2 * 8 * 8)


def test_long_words_are_read_in_stretches(monkeypatch: pytest.MonkeyPatch) -> None:
    model = make("gated-deltanet-negative", num_layers=2).double()
    tokens, lengths = words(3, 40), torch.tensor([40, 7, 0])
    whole, everywhere = model(tokens, lengths), model.every_position(tokens)
    monkeypatch.setattr(mixer_stack, "VECTORS_AT_ONCE", 21)
    torch.testing.assert_close(model(tokens, lengths), whole)
    torch.testing.assert_close(model.every_position(tokens), everywhere)


def test_settings_out_of_range_are_refused_in_one_line() -> None:
    for name, shape, message in (
        ("deltanet", {"d_model": 65, "num_heads": 4}, "d_model=65 cannot be split over"),
        ("deltaproduct", {"num_factors": 0}, "num_factors=0 is too small"),
        ("deltanet", {"num_factors": 2}, "unknown setting 'num_factors'"),
    ):
        with pytest.raises(ConfigError, match=message) as caught:
            make(name, **shape)
        assert "\n" not in str(caught.value)
