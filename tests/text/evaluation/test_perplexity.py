"""Is perplexity that of the last token, given exactly the tokens before it?"""

import json
import math

import numpy as np
import pytest
import torch
from torch import nn

from lengthwise.errors import TaskError, TextError
from lengthwise.text.data.text_corpus import Tokens
from lengthwise.text.evaluation import perplexity
from lengthwise.text.evaluation.perplexity import last_token_perplexity
from lengthwise.text.models.regular_gpt_lm import RegularGPTLM, RegularGPTLMConfig


def text(length: int = 400, symbols: int = 7) -> Tokens:
    return Tokens([np.random.default_rng(1).integers(symbols, size=length)])


def model() -> RegularGPTLM:
    config = RegularGPTLMConfig(vocab_size=7, d_model=8, num_heads=2, chunk_size=3, num_layers=1)
    made = RegularGPTLM(config)
    made.initialise(torch.Generator().manual_seed(0))
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.mul_(8.0)
    return made.double().eval()


def test_it_is_the_definition_one_window_at_a_time() -> None:
    tokens, made = text(), model()
    numbers = np.random.default_rng(3).choice(tokens.num_windows(20), size=30, replace=False)
    for length in (2, 9, 20):
        nats, right = [], []
        for number in numbers:
            window = torch.from_numpy(tokens.windows(np.array([number]), 20)[0, 20 - length :])
            logits = made(window[None, :-1])[0, -1]
            nats.append(-logits.log_softmax(dim=0)[window[-1]].item())
            right.append(logits.argmax().item() == window[-1].item())
        (found,) = (
            last_token_perplexity(made, tokens, [length], windows=30, seed=3)
            if (length == 20)
            else [
                each
                for each in last_token_perplexity(made, tokens, [length, 20], windows=30, seed=3)
                if each.length == length
            ]
        )
        assert found.nats == pytest.approx(np.mean(nats), abs=1e-10)
        assert found.perplexity == pytest.approx(math.exp(np.mean(nats)))
        assert found.accuracy == pytest.approx(np.mean(right))
        half = 1.96 * np.std(nats, ddof=1) / math.sqrt(30)
        assert found.interval_95 == pytest.approx(
            (math.exp(np.mean(nats) - half), math.exp(np.mean(nats) + half)), rel=1e-4
        )


def test_batches_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    tokens, made = text(), model()
    found = last_token_perplexity(made, tokens, [5, 12], windows=40)
    monkeypatch.setattr(perplexity, "_TOKENS_AT_ONCE", 30)
    again = last_token_perplexity(made, tokens, [5, 12], windows=40)
    assert [each.nats for each in again] == pytest.approx([each.nats for each in found], abs=1e-12)


def test_last_tokens_are_the_same_at_every_length() -> None:
    class LastOnly(nn.Module):
        def last(self, tokens: torch.Tensor) -> torch.Tensor:
            return torch.eye(7)[tokens[:, -1]] * 5

    found = last_token_perplexity(LastOnly(), text(), [2, 30, 7], windows=50)
    assert len({each.nats for each in found}) == 1


def test_a_model_that_knows_nothing_has_the_size_of_the_vocabulary() -> None:
    class Uniform(nn.Module):
        def last(self, tokens: torch.Tensor) -> torch.Tensor:
            return torch.zeros(len(tokens), 7)

    (found,) = last_token_perplexity(Uniform(), text(), [10], windows=20)
    assert found.perplexity == pytest.approx(7)
    assert found.interval_95 == pytest.approx((7, 7))


def test_an_explosion_is_told_as_a_number_that_files_can_hold() -> None:
    class Sure(nn.Module):
        def last(self, tokens: torch.Tensor) -> torch.Tensor:
            return 1e6 * torch.eye(7)[tokens[:, -1]]

    (found,) = last_token_perplexity(Sure(), text(), [10], windows=200)
    assert found.perplexity == pytest.approx(1e300)
    assert json.loads(json.dumps(found.to_record(), allow_nan=False))["nats"] > 1e5


def test_bad_lengths_and_models_are_refused() -> None:
    for lengths in ([], [1], [5, 5]):
        with pytest.raises(TaskError, match="2 tokens or more, each once"):
            last_token_perplexity(model(), text(), lengths)
    with pytest.raises(TextError, match="no file of it has a window of 401"):
        last_token_perplexity(model(), text(), [401])
    with pytest.raises(TaskError, match="1 window cannot show a spread"):
        last_token_perplexity(model(), text(), [5], windows=1)
    with pytest.raises(TaskError, match="does not continue texts"):
        last_token_perplexity(nn.Linear(1, 1), text(), [5])


def test_ratios_are_of_the_same_tokens() -> None:
    tokens, made = text(), model()
    long, short = last_token_perplexity(made, tokens, [12, 11], windows=40, seed=1)
    assert short.ratio_95 == (1, 1)
    low, high = long.ratio_95
    assert low < long.perplexity / short.perplexity < high
    assert math.sqrt(low * high) == pytest.approx(long.perplexity / short.perplexity)
    apart = [math.log(b / a) for a, b in (short.interval_95, long.interval_95)]
    assert math.log(high / low) < 0.8 * math.hypot(*apart)  # what other tokens would give


def test_no_window_comes_twice_if_there_are_as_many() -> None:
    tokens = text()
    seen: list[tuple[int, ...]] = []

    class Watching(torch.nn.Module):
        def last(self, words: torch.Tensor) -> torch.Tensor:
            seen.extend(tuple(row) for row in words.tolist())
            return torch.zeros(len(words), 7)

    there = tokens.num_windows(9)
    last_token_perplexity(Watching(), tokens, [9], windows=there, seed=0)
    every = tokens.windows(np.arange(there), 9)[:, :-1]
    assert sorted(seen) == sorted(map(tuple, every.tolist()))
    seen.clear()
    (found,) = last_token_perplexity(Watching(), tokens, [9], windows=there + 1, seed=0)
    assert sorted(seen) == sorted(map(tuple, every.tolist()))
    assert found.windows == there
