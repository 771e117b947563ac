"""RegularGPT in all its forms: tree, shared tree, masks, windows and streams give one answer."""

from functools import partial
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.errors import ConfigError, WordError
from lengthwise.layers.chunks import ABSENT
from lengthwise.models.masked import masked_logits
from lengthwise.models.regular_gpt import RegularGPT, RegularGPTConfig
from lengthwise.models.streaming import open_stream
from ordinary import few
from perturbed import perturbed, random_tokens

VOCABULARY = 3


def make(seed: int = 0, **values: Any) -> RegularGPT:
    """A small model in float64 whose every weight is away from its initial value."""
    config = RegularGPTConfig(
        **{"vocab_size": VOCABULARY, "num_classes": 4, "d_model": 8, "num_heads": 2, **values}
    )
    return perturbed(RegularGPT(config), 0.2, seed)


draw = partial(random_tokens, VOCABULARY)


shapes = st.fixed_dictionaries(
    {
        "chunk": st.integers(2, 5),
        "thickness": st.integers(1, 2),
        "pad": st.sampled_from(["learned", "absent"]),
        "norm": st.sampled_from(["post", "pre", "none"]),
        "activation": st.sampled_from(["relu", "gelu"]),
    }
)


@pytest.mark.slow_except("3")
@pytest.mark.parametrize("chunk", [2, 3, 4, 5])
def test_tree_equals_masks_below_at_and_past_the_powers_of_the_chunk(chunk: int) -> None:
    near = {chunk**power + off for power in range(8) for off in (-1, 0, 1)}
    lengths = sorted(length for length in near | {7, 11, 130} if 0 < length <= 130)
    for thickness, pad in ((1, "learned"), (1, "absent"), (2, "learned"), (2, "absent")):
        model = make(chunk=chunk, thickness=thickness, pad=pad)
        with torch.no_grad():
            for length in lengths:
                tokens = draw(3, length, seed=length)
                masked = masked_logits(model, tokens)
                torch.testing.assert_close(model(tokens), masked, rtol=0, atol=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize("pad", ["learned", "absent"])
@pytest.mark.parametrize("thickness", [1, 2])
@pytest.mark.parametrize("chunk", [2, 3, 4, 5])
def test_tree_equals_masks_at_all_of_1_to_130(chunk: int, thickness: int, pad: str) -> None:
    for norm in ("post", "pre", "none"):
        model = make(chunk=chunk, thickness=thickness, pad=pad, norm=norm)
        with torch.no_grad():
            for length in range(1, 131):
                tokens = draw(3, length, seed=length)
                masked = masked_logits(model, tokens)
                rtol = 1e-10 if norm == "none" else 0  # without norms numbers grow with depth
                torch.testing.assert_close(model(tokens), masked, rtol=rtol, atol=1e-10)


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
        torch.testing.assert_close(model(tokens), masked_logits(model, tokens), rtol=0, atol=1e-10)


@given(
    shape=shapes,
    memory=st.sampled_from(["continuous", "binary"]),
    lengths=st.lists(st.integers(0, 70), min_size=1, max_size=3),
)
@settings(max_examples=25)
def test_stream_answers_as_the_batch_at_every_announced_length(
    shape: dict[str, Any], memory: str, lengths: list[int]
) -> None:
    model = make(**shape, memory=memory)
    tokens = draw(1, max(lengths))
    stream = open_stream(model, *lengths)
    for length in sorted(set(lengths)):
        stream.feed(tokens[0, stream.num_fed : length].tolist())
        with torch.no_grad():
            expected = model(tokens[:, :length])[0]
        torch.testing.assert_close(stream.answer(), expected, rtol=0, atol=1e-10)


def test_stream_holds_at_most_c_log_t_vectors() -> None:
    model = make(chunk=3)
    stream = open_stream(model, 3**6)
    most = 0
    for symbol in draw(1, 3**6)[0].tolist():
        stream.feed([symbol])
        most = max(most, stream.num_vectors)
    assert most <= 2 * 6


@pytest.mark.parametrize("length", [0, 7])
def test_a_stream_computes_without_dropout_and_leaves_the_mode_of_training(length: int) -> None:
    model = make(dropout=0.5).train()
    tokens = draw(1, length)
    stream = open_stream(model, length)
    stream.feed(symbol for symbol in tokens[0].tolist() if model.train())
    answer = stream.answer()
    assert model.training
    with torch.no_grad():
        torch.testing.assert_close(answer, model.eval()(tokens)[0], rtol=0, atol=1e-10)


def test_stream_refuses_what_was_not_announced() -> None:
    stream = open_stream(make(), 3)
    stream.feed([0, 1])
    with pytest.raises(WordError, match="2 symbols were fed, but the announced lengths are 3"):
        stream.answer()
    stream.feed([2])
    stream.answer()
    with pytest.raises(WordError, match="longest announced length is 3"):
        stream.feed([0])
    with pytest.raises(WordError, match="symbol 3 is not one of"):
        open_stream(make(), 3).feed([3])


def test_a_row_does_not_depend_on_the_other_rows() -> None:
    model = make()
    tokens = draw(5, 33)
    with torch.no_grad():
        torch.testing.assert_close(model(tokens)[2:3], model(tokens[2:3]), rtol=0, atol=1e-12)


def test_the_whole_word_matters() -> None:
    """Changing any one symbol changes the answer: nothing is cut off."""
    model = make(chunk=3)
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
        ({"chunk": 1}, "chunk=1 is too small. Use 2 or more"),
        ({"dropout": 1.0}, "dropout=1.0 is too large. Use a number below 1"),
        ({"num_head": 4}, "Did you mean 'num_heads'"),
        ({"norm": "batch"}, "norm='batch' must be one of 'post', 'pre', 'none'"),
        ({"d_model": "wide"}, "d_model='wide' must be a whole number"),
    ],
)
def test_settings_that_do_not_fit_are_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        RegularGPTConfig.from_dict({"vocab_size": 2, "num_classes": 2, **values})


def test_settings_survive_a_round_trip() -> None:
    config = RegularGPTConfig(vocab_size=2, num_classes=2)
    assert RegularGPTConfig.from_dict(config.to_dict()) == config
