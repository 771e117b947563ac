"""The scratchpad: what it writes down is what it reads, and a class is the sum of its states."""

from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from lengthwise.errors import ConfigError
from lengthwise.layers.positions import POSITIONS
from lengthwise.models import causal
from lengthwise.models.regular_gpt import RegularGPT, RegularGPTConfig
from lengthwise.models.scratchpad import Scratchpad, ScratchpadConfig
from ordinary import few
from perturbed import perturb

SYMBOLS, STATES, NONE = 3, (0, 1, 1, 2), 2
"""Two classes; no word ends in the last state."""
START = SYMBOLS + len(STATES)


def make(seed: int = 0, **values: Any) -> Scratchpad:
    shape = {"vocab_size": SYMBOLS, "num_classes": 2, "state_classes": STATES, "max_length": 12}
    config = ScratchpadConfig.from_dict({**shape, "d_model": 8, "num_heads": 2, **values})
    return perturb(Scratchpad(config), 0.4, seed)


def draw(words: int, length: int) -> Tensor:
    return torch.randint(SYMBOLS, (words, length), generator=torch.Generator().manual_seed(words))


def by_hand(model: Scratchpad, word: list[int]) -> tuple[Tensor, list[int]]:
    """The logits of the last state and the states written, the whole pad anew for each symbol."""
    pad, written = [START], []
    logits = model.answer(model.vectors(torch.tensor([pad])))[0, -1]
    for symbol in word:
        pad.append(symbol)
        logits = model.answer(model.vectors(torch.tensor([pad])))[0, -1]
        written.append(int(logits.argmax()))
        pad.append(SYMBOLS + written[-1])
    return logits, written


shapes = st.fixed_dictionaries(
    {
        "num_layers": st.integers(1, 2),
        "position": st.sampled_from(sorted(POSITIONS)),
        "norm": st.sampled_from(["post", "pre", "none"]),
    }
)


@settings(max_examples=25, deadline=None)
@given(shape=shapes, word=st.lists(st.integers(0, SYMBOLS - 1), max_size=9))
def test_a_class_is_the_sum_of_its_states_after_reading_what_was_written(
    shape: dict[str, Any], word: list[int]
) -> None:
    model = make(**shape)
    logits, _ = by_hand(model, word)
    share = logits[:3].softmax(dim=0)  # the fourth state has no class
    expected = torch.stack([share[0], share[1] + share[2]])
    found = model(torch.tensor([word], dtype=torch.long))[0].softmax(dim=0)
    torch.testing.assert_close(found, expected)


@settings(max_examples=few(8, 25), deadline=None)
@given(shape=shapes, word=st.lists(st.integers(0, SYMBOLS - 1), min_size=1, max_size=9))
def test_in_training_true_states_stand_where_it_would_write(
    shape: dict[str, Any], word: list[int]
) -> None:
    """With what it writes as the truth, it predicts what it writes; a lie changes what follows."""
    model = make(**shape)
    last, written = by_hand(model, word)
    tokens, states = torch.tensor([word]), torch.tensor([written])
    logits = model.state_logits(tokens, states)[0]
    assert logits[1:].argmax(dim=1).tolist() == written
    torch.testing.assert_close(logits[-1], last)
    lie = states.clone()
    lie[0, -1] = (lie[0, -1] + 1) % len(STATES)
    torch.testing.assert_close(model.state_logits(tokens, lie)[0], logits)
    if len(word) > 1:
        lie = states.clone()
        lie[0, 0] = (lie[0, 0] + 1) % len(STATES)
        changed = model.state_logits(tokens, lie)[0]
        torch.testing.assert_close(changed[:2], logits[:2])
        assert not torch.allclose(changed[2:], logits[2:], rtol=1e-9, atol=1e-12)


def test_batches_are_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    model = make()
    tokens, lengths = draw(23, 7), torch.tensor([7, 0, 3, 3, 1] * 4 + [6, 7, 0])
    whole = model(tokens, lengths)
    monkeypatch.setattr(causal, "CACHE_BYTES", 1)
    monkeypatch.setattr(causal, "FEWEST_WORDS", 5)
    torch.testing.assert_close(model(tokens, lengths), whole)
    assert model(tokens[:0]).shape == (0, 2)


def test_a_step_computes_two_places_of_the_words_that_have_not_ended() -> None:
    model = make(num_layers=1)
    computed: list[tuple[int, int]] = []
    model.block[0].expand.register_forward_hook(
        lambda *call: computed.append((call[2].shape[0], call[2].shape[1]))
    )
    model(draw(4, 5), torch.tensor([2, 5, 0, 2]))
    assert computed == [(4, 1), (3, 1), (3, 2), (1, 2), (1, 2), (1, 2)]


def test_steps_grow_with_the_length_and_with_its_logarithm() -> None:
    tree = RegularGPT(RegularGPTConfig(vocab_size=2, num_classes=2, chunk_size=3))
    lengths = (0, 1, 9, 10, 1000)
    assert [make().steps(length) for length in lengths] == [1, 1, 9, 10, 1000]
    assert [tree.steps(length) for length in lengths] == [1, 1, 2, 3, 7]


def test_a_class_without_states_is_never_the_answer() -> None:
    model = make(num_classes=3, state_classes=[0, 2, 2])
    logits = model(draw(30, 6))
    assert logits.isfinite().all()
    assert (logits.argmax(dim=1) != 1).all()


@pytest.mark.parametrize("classes", [[], [0, 3], [-1, 0]])
def test_states_without_a_class_are_refused(classes: list[int]) -> None:
    with pytest.raises(ConfigError, match="must give each state a class below num_classes=2, or 2"):
        make(state_classes=classes)
    with pytest.raises(ConfigError, match="must be a list, each an integer"):
        make(state_classes=[0, "1"])


def test_learned_positions_are_of_the_symbols_and_of_as_many_states() -> None:
    """A word of `max_length` symbols stands between a start and its states, the last one unread."""
    assert make(position="learned").state_dict()["position.vectors"].shape == (2 * 12, 8)
