"""The scratchpad with sliding-window attention against attention with a mask over the whole row."""

import math
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.nn import functional as F

from lengthwise.errors import ConfigError
from lengthwise.models.window_scratchpad import WindowScratchpad
from lengthwise.models.window_scratchpad_config import WindowScratchpadConfig
from perturbed import perturb

SYMBOLS, STATES = 3, 7
START = SYMBOLS


def make(seed: int = 0, **values: Any) -> WindowScratchpad:
    shape = {"vocab_size": SYMBOLS, "num_classes": 4, "num_states": STATES, "d_model": 8}
    config = WindowScratchpadConfig.from_dict({**shape, "num_heads": 2, "ff_factor": 2, **values})
    return perturb(WindowScratchpad(config), 0.5, seed)


shapes = st.fixed_dictionaries(
    {
        "num_layers": st.integers(1, 3),
        "window": st.integers(2, 4),
        "num_digits": st.integers(1, 2),
        "norm": st.sampled_from(["pre", "post", "none"]),
        "activation": st.sampled_from(["relu", "gelu"]),
    }
)
words = st.lists(st.integers(0, SYMBOLS - 1), max_size=6)


def by_the_equations(model: WindowScratchpad, row: list[int]) -> Tensor:
    """The logits of the digits at every position of a row of tokens, from the weights by name."""
    w, config = model.state_dict(), model.config
    heads, size = config.num_heads, config.d_model // config.num_heads

    def norm(x: Tensor, name: str, where: str) -> Tensor:
        if config.norm != where:
            return x
        return F.layer_norm(x, [config.d_model], w[f"{name}.weight"], w[f"{name}.bias"])

    x = w["embedding.weight"][row]
    place = torch.arange(len(row))
    offset = place[:, None] - place
    seen = (offset >= 0) & (offset < config.window)
    for index in range(config.num_layers):
        name = f"layers.{index}"
        inner = norm(x, f"{name}.attention_norm.norm", "pre")
        query = inner @ w[f"{name}.attention.query.weight"].T
        key, value = (inner @ w[f"{name}.attention.key_value.weight"].T).chunk(2, dim=1)
        gathered = []
        for head in range(heads):
            part = slice(head * size, (head + 1) * size)
            bias = w[f"{name}.attention.bias"][head][offset.clamp(0, config.window - 1)]
            logits = query[:, part] @ key[:, part].T / math.sqrt(size) + bias
            weight = logits.masked_fill(~seen, -math.inf).softmax(dim=1)
            gathered.append(weight @ value[:, part])
        branch = torch.cat(gathered, dim=1) @ w[f"{name}.attention.output.weight"].T
        h = norm(x + branch, f"{name}.attention_norm.norm", "post")
        inner = norm(h, f"{name}.feed_forward_norm.norm", "pre")
        hidden = inner @ w[f"{name}.expand.weight"].T + w[f"{name}.expand.bias"]
        active = hidden.relu() if config.activation == "relu" else F.gelu(hidden)
        branch = active @ w[f"{name}.contract.weight"].T + w[f"{name}.contract.bias"]
        x = norm(h + branch, f"{name}.feed_forward_norm.norm", "post")
    x = norm(x, "final_norm", "pre")
    logits = x @ w["write.weight"].T + w["write.bias"]
    return logits.view(len(row), config.num_digits, config.base)


def state_of(model: WindowScratchpad, logits: Tensor) -> int:
    """The state whose digits have the largest logits."""
    digits = logits.argmax(dim=1).tolist()
    return sum(int(digit) * model.config.base**place for place, digit in enumerate(digits))


def by_hand(model: WindowScratchpad, word: list[int]) -> tuple[Tensor, list[int], list[Tensor]]:
    """The logits for a word, the states written, and their logits; the whole row each time."""
    row, states, found = [START], [], []
    for symbol in [None, *word]:
        if symbol is not None:
            row.append(symbol)
        found.append(by_the_equations(model, row)[-1])
        states.append(state_of(model, found[-1]))
        row.append(START + 1 + states[-1])
    w = model.state_dict()
    answer = w["answer.weight"] @ w["embedding.weight"][row[-1]] + w["answer.bias"]
    return answer, states, found


@settings(max_examples=25, deadline=None)
@given(shape=shapes, word=words, seed=st.integers(0, 99))
def test_it_answers_as_a_mask_over_the_whole_row_says(
    shape: dict[str, Any], word: list[int], seed: int
) -> None:
    model = make(seed, **shape)
    answer, states, found = by_hand(model, word)
    torch.testing.assert_close(model(torch.tensor([word], dtype=torch.long))[0], answer)
    given = model.contexts(torch.tensor([word], dtype=torch.long), torch.tensor([states]))
    torch.testing.assert_close(model.logits(given[0]), torch.stack(found))
    assert model.predict_token(given[0]).tolist() == [START + 1 + state for state in states]


@settings(max_examples=25, deadline=None)
@given(shape=shapes, data=st.data())
def test_a_token_outside_the_receptive_field_changes_nothing(
    shape: dict[str, Any], data: Any
) -> None:
    """And one inside it does, by the mask over the whole row."""
    model = make(**shape)
    field = model.config.receptive_field
    tokens = st.integers(0, SYMBOLS + STATES)
    row = data.draw(st.lists(tokens, min_size=field + 1, max_size=field + 4))
    other = list(row)
    other[0] = (row[0] + 1) % (SYMBOLS + STATES)
    before, after = (by_the_equations(model, each)[-1] for each in (row, other))
    torch.testing.assert_close(before, after, rtol=0, atol=0)
    cut = torch.tensor([row[-field:]])
    torch.testing.assert_close(model.logits(cut)[0], before)
    inside = cut.clone()
    inside[0, 0] = (inside[0, 0] + 1) % (SYMBOLS + STATES)
    assert not torch.equal(model.logits(inside)[0], before)


@settings(max_examples=15, deadline=None)
@given(shape=shapes, word=words)
def test_later_symbols_leave_what_was_written_alone(shape: dict[str, Any], word: list[int]) -> None:
    model = make(**shape)
    longer = by_hand(model, [*word, 0, 2])[1]
    assert by_hand(model, word)[1] == longer[: len(word) + 1]


@pytest.mark.parametrize(("states", "digits", "base"), [(1, 1, 1), (7, 1, 7), (7, 2, 3), (9, 2, 3)])
def test_digits_number_the_states(states: int, digits: int, base: int) -> None:
    model = make(num_states=states, num_digits=digits)
    assert model.config.base == base
    every = torch.arange(states)
    found = model.digits_of(every)
    places = base ** torch.arange(digits)
    assert torch.equal((found * places).sum(dim=1), every)
    assert found.max() < max(base, 2)


@given(states=st.integers(1, 10**6), digits=st.integers(1, 4))
def test_the_base_is_the_least_that_suffices(states: int, digits: int) -> None:
    if digits > states.bit_length():
        return
    shape = {"vocab_size": 2, "num_classes": 2, "num_states": states, "num_digits": digits}
    base = WindowScratchpadConfig.from_dict(shape).base
    assert base**digits >= states
    assert base == 1 or (base - 1) ** digits < states


def test_nothing_to_read_is_no_error() -> None:
    model = make()
    assert model(torch.zeros(0, 3, dtype=torch.long)).shape == (0, 4)
    assert model(torch.zeros(2, 0, dtype=torch.long)).shape == (2, 4)
    assert [model.steps(length) for length in (0, 1, 9)] == [1, 1, 9]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"window": 1}, "window"),
        ({"num_layers": 11, "window": 4}, "see 34 tokens, but 32 is the most"),
        ({"num_digits": 4}, "num_states=7 in num_digits=4 digits do not fit"),
        ({"num_states": 2**24 + 1}, "do not fit"),
        ({"num_heads": 3}, "cannot be split"),
    ],
)
def test_shapes_that_cannot_be_are_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        make(**values)
    assert "\n" not in str(caught.value)
