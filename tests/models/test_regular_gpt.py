"""RegularGPT in all its forms: tree, shared tree, masks, windows and streams give one answer."""

from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.errors import ConfigError
from lengthwise.layers.chunks import ABSENT
from lengthwise.models.masked_regular_gpt import compute_masked_logits
from lengthwise.models.regular_gpt import RegularGPTConfig
from models.drawn_trees import VOCABULARY, draw, make, shapes
from ordinary import few


@settings(max_examples=few(8))
@given(shape=shapes, length=st.integers(1, 60), seed=st.integers(0, 9))
def test_sharing_changes_neither_answers_nor_gradients(
    shape: dict[str, Any], length: int, seed: int
) -> None:
    model = make(seed, **shape)
    tokens = draw(12, length, seed)

    answers, gradients = [], []
    for share in (True, False):
        model.zero_grad()
        logits = model(tokens, share=share)
        logits.logsumexp(dim=1).mean().backward()
        answers.append(logits.detach())
        gradients.append([p.grad.clone() for p in model.parameters() if p.grad is not None])

    for with_sharing, without in zip(
        [answers[0], *gradients[0]], [answers[1], *gradients[1]], strict=True
    ):
        scale = max(1.0, without.abs().max().item())
        assert (with_sharing - without).abs().max().item() <= 1e-12 * scale


def test_only_training_projects_vectors_before_they_stand_in_chunks() -> None:
    model, tokens = make(), draw(12, 20)
    seen: list[torch.Size] = []
    model.block[0].attention.register_forward_hook(lambda *given: seen.append(given[1][0].shape))

    in_training = model.train()(tokens)
    assert not seen
    asked = model.eval()(tokens)

    assert len(seen) == model.steps(20)
    torch.testing.assert_close(in_training, asked, rtol=0, atol=1e-12)


@settings(max_examples=few(8))
@given(shape=shapes, length=st.integers(1, 40))
def test_every_position_is_the_answer_for_that_prefix(shape: dict[str, Any], length: int) -> None:
    model = make(**shape)
    tokens = draw(2, length)
    with torch.no_grad():
        everywhere = model.every_position(tokens)
        for t in range(length):
            torch.testing.assert_close(
                everywhere[:, t], model(tokens[:, : t + 1]), rtol=0, atol=1e-10
            )


@settings(max_examples=few(8))
@given(
    shape=shapes,
    memory=st.sampled_from(["continuous", "binary"]),
    lengths=st.lists(st.integers(0, 50), min_size=1, max_size=6),
)
def test_words_of_unequal_lengths_answer_as_alone(
    shape: dict[str, Any], memory: str, lengths: list[int]
) -> None:
    model = make(**shape, memory=memory)
    words = [draw(1, length, seed=length) for length in lengths]
    longest = max(lengths)
    tokens = torch.cat(
        [torch.nn.functional.pad(w, (longest - w.shape[1], 0), value=ABSENT) for w in words]
    )
    with torch.no_grad():
        together = model(tokens, torch.tensor(lengths))
        alone = torch.cat([model(word) for word in words])
    torch.testing.assert_close(together, alone, rtol=0, atol=1e-10)


@pytest.mark.parametrize("memory", ["continuous", "binary"])
def test_places_that_no_word_fills_change_nothing(memory: str) -> None:
    model = make(memory=memory)
    tokens, lengths = draw(3, 5), torch.tensor([5, 5, 5])
    padded = torch.nn.functional.pad(tokens, (40, 0), value=ABSENT)
    with torch.no_grad():
        torch.testing.assert_close(model(padded, lengths), model(tokens), rtol=0, atol=1e-12)


@settings(max_examples=few(8))
@given(shape=shapes, length=st.integers(1, 60), bits=st.integers(1, 12))
def test_merging_equal_codes_changes_no_answer(
    shape: dict[str, Any], length: int, bits: int
) -> None:
    model = make(**shape, memory="binary", num_bits=bits)
    tokens = draw(6, length)
    with torch.no_grad():
        torch.testing.assert_close(model(tokens), model(tokens, share=False), rtol=0, atol=1e-10)
        torch.testing.assert_close(
            model(tokens), compute_masked_logits(model, tokens), rtol=0, atol=1e-10
        )


def test_a_row_does_not_depend_on_the_other_rows() -> None:
    model = make()
    tokens = draw(5, 33)
    with torch.no_grad():
        torch.testing.assert_close(model(tokens)[2:3], model(tokens[2:3]), rtol=0, atol=1e-12)


def test_the_whole_word_matters() -> None:
    """Changing any one symbol changes the answer: nothing is cut off."""
    model = make(chunk_size=3)
    tokens = draw(1, 29)
    with torch.no_grad():
        answer = model(tokens)
        for place in range(29):
            changed = tokens.clone()
            changed[0, place] = (changed[0, place] + 1) % VOCABULARY
            assert not torch.allclose(model(changed), answer)


def test_noise_is_drawn_in_training_only_and_from_the_generator() -> None:
    model = make(memory="binary", noise=1.0)
    tokens = draw(8, 30)
    assert torch.equal(model(tokens), model(tokens))
    model.train()

    def noisy(seed: int) -> torch.Tensor:
        return model(tokens, generator=torch.Generator().manual_seed(seed))

    assert torch.equal(noisy(1), noisy(1))
    assert not torch.equal(noisy(1), noisy(2))


def test_dropout_acts_in_training_only_and_keeps_the_mean() -> None:
    model = make(dropout=0.25)
    tokens = draw(8, 30)
    assert torch.equal(model(tokens), model(tokens))
    layer = model.block[0]
    layer.train()
    x = torch.ones(200_000)
    dropped = layer._drop(x, torch.Generator().manual_seed(0))
    assert sorted(set(dropped.tolist())) == pytest.approx([0.0, 4 / 3])
    assert dropped.mean().item() == pytest.approx(1.0, abs=0.01)
    assert torch.equal(dropped, layer._drop(x, torch.Generator().manual_seed(0)))
    assert not torch.equal(dropped, layer._drop(x, torch.Generator().manual_seed(1)))


def test_state_survives_a_round_trip() -> None:
    model, other = make(1, memory="binary"), make(2, memory="binary")
    tokens = draw(4, 20)
    assert not torch.equal(model(tokens), other(tokens))
    other.load_state_dict(model.state_dict())
    assert torch.equal(model(tokens), other(tokens))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"d_model": 65, "num_heads": 4}, "d_model=65 cannot be split over num_heads=4"),
        ({"chunk_size": 1}, "chunk_size=1 is too small. Use 2 or more"),
        ({"dropout": 1.0}, "dropout=1.0 is too large. Use a number below 1"),
        ({"num_head": 4}, "Did you mean 'num_heads'"),
        ({"norm": "batch"}, "norm='batch' must be one of 'post', 'pre', 'none'"),
        ({"d_model": "wide"}, "d_model='wide' must be an integer"),
    ],
)
def test_settings_that_do_not_fit_are_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        RegularGPTConfig.from_dict({"vocab_size": 2, "num_classes": 2, **values})


def test_settings_survive_a_round_trip() -> None:
    config = RegularGPTConfig(vocab_size=2, num_classes=2)
    assert RegularGPTConfig.from_dict(config.to_dict()) == config
