"""The network with a slot for each state, beside a plain computation of the same thing."""

from itertools import product

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.errors import ConfigError
from lengthwise.layers.chunks import depth
from lengthwise.models.state_slots import StateSlots, StateSlotsConfig
from lengthwise.models.state_slots_config import bits_for
from lengthwise.proofs.check.networks import MAX_POSITIONS


def draw(seed: int, *, chunk_size: int = 2, slots: int = 3, bits: int = 2) -> StateSlots:
    config = StateSlotsConfig(
        vocab_size=2,
        num_classes=2,
        num_slots=slots,
        num_bits=bits,
        chunk_size=chunk_size,
        d_model=4,
    )
    model = StateSlots(config)
    model.initialise(torch.Generator().manual_seed(seed))
    return model.eval()


def hop(model: StateSlots, left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    """Return the signs that slots with the signs `left` find in a node, one slot at a time."""
    found = []
    for own in left:
        query = model.query(torch.relu(model.expand(own))) / model.config.d_model**0.5
        powers = [torch.exp(query @ key) for key in model.keys]
        seen = sum(p * r for p, r in zip(powers, right, strict=True)) / sum(powers)
        found.append(torch.where(model.write(seen) >= 0, 1.0, -1.0).to(own.dtype))
    return torch.stack(found)


@torch.no_grad()
def answer(model: StateSlots, word: tuple[int, ...]) -> torch.Tensor:
    """Return the logits of a word, chunk by chunk from the right, by the definition."""
    chunk = model.config.chunk_size
    pad = model.pad.sign()
    nodes = [model.symbols[symbol].sign() for symbol in word]
    for _ in range(depth(len(word), chunk)):
        nodes = [pad] * (-len(nodes) % chunk or (0 if nodes else chunk)) + nodes
        above = []
        for first in range(0, len(nodes), chunk):
            whole = nodes[first]
            for other in nodes[first + 1 : first + chunk]:
                whole = hop(model, whole, other)
            above.append(whole)
        nodes = above
    state = hop(model, model.start.sign()[None], nodes[0])[0]
    return model.answer(torch.relu(model.inner(state)))


@given(
    seed=st.integers(0, 10**6),
    chunk_size=st.integers(2, 3),
    words=st.lists(st.lists(st.integers(0, 1), max_size=10).map(tuple), min_size=1, max_size=4),
)
def test_a_batch_is_answered_as_each_word_is_by_the_definition(
    seed: int, chunk_size: int, words: list[tuple[int, ...]]
) -> None:
    model = draw(seed, chunk_size=chunk_size).double()
    longest = max(map(len, words))
    tokens = torch.tensor([[-1] * (longest - len(word)) + list(word) for word in words])
    lengths = torch.tensor([len(word) for word in words])
    logits = model(tokens.view(len(words), longest).long(), lengths)
    for word, given_logits in zip(words, logits, strict=True):
        assert torch.allclose(given_logits, answer(model, word))


def test_many_nodes_are_composed_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    model = draw(1)
    tokens = torch.tensor(list(product((0, 1), repeat=6)))
    whole = model(tokens)
    monkeypatch.setattr("lengthwise.models.state_slots._MOST_WEIGHTS", 1)
    assert torch.equal(model(tokens), whole)


def test_bits_tell_states_apart_and_too_few_are_refused() -> None:
    assert [bits_for(n) for n in (1, 2, 3, 4, 5, 256, 257)] == [1, 1, 2, 2, 3, 8, 9]
    with pytest.raises(ConfigError, match="num_bits=1 cannot tell num_slots=3 states apart"):
        draw(0, bits=1)
    with pytest.raises(ConfigError, match="num_bits=13 is too large"):
        draw(0, bits=13)


def test_chunks_are_no_longer_than_the_checker_accepts() -> None:
    assert draw(0, chunk_size=MAX_POSITIONS).config.chunk_size == MAX_POSITIONS
    with pytest.raises(ConfigError, match=f"chunk_size={MAX_POSITIONS + 1}"):
        draw(0, chunk_size=MAX_POSITIONS + 1)


def test_every_prefix_is_answered_as_a_word_of_its_own() -> None:
    for seed, chunk_size in ((0, 2), (1, 3)):
        model = draw(seed, chunk_size=chunk_size)
        tokens = torch.randint(2, (5, 20), generator=torch.Generator().manual_seed(seed))
        everywhere = model.every_position(tokens)
        for end in range(1, 21):
            torch.testing.assert_close(everywhere[:, end - 1], model(tokens[:, :end]))
    assert model.every_position(tokens[:, :0]).shape == (5, 0, 2)
