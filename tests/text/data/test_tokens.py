"""Is the text that ships with Python there, and are tokens the text that they are of?"""

import random
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.data import extra
from lengthwise.errors import ConfigError, TextError
from lengthwise.text.data.tokens import _short_runs, encode, learn_tokenizer
from ordinary import few


@pytest.mark.parametrize("vocab_size", [256, 300])
def test_tokens_are_the_text(vocab_size: int) -> None:
    text = "the length of the words is the length of the text\nümläut\n" * 40
    tokenizer = learn_tokenizer([text], vocab_size)
    tokens = encode(tokenizer, text, least=1)
    assert tokenizer.decode(tokens.tolist()) == text
    assert tokenizer.get_vocab_size() <= vocab_size
    assert tokens.max() < vocab_size
    if vocab_size == 256:
        assert len(tokens) == len(text.encode())


@cache
def plain_english() -> Any:
    return learn_tokenizer(["plain english " * 50], 280)


@settings(max_examples=few(10, 30), deadline=None)
@given(text=st.text(max_size=60))
def test_any_text_can_be_written(text: str) -> None:
    tokenizer = plain_english()
    text = text.encode("utf-8", "ignore").decode("utf-8")
    tokens = encode(tokenizer, text, least=0)
    assert tokenizer.decode(tokens.tolist(), skip_special_tokens=False) == text
    assert tokens.dtype == np.int64


def test_short_texts_and_small_vocabularies_are_refused() -> None:
    tokenizer = learn_tokenizer(["a b c"], 256)
    with pytest.raises(TextError, match="has 5 tokens, but at least 6 are needed"):
        encode(tokenizer, "a b c", least=6)
    with pytest.raises(ConfigError, match="vocab_size=255 is too small"):
        learn_tokenizer(["a"], 255)


def test_a_library_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extra, "find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r"needs the library tokenizers.*'lengthwise\[text\]'"):
        learn_tokenizer(["a"], 256)


def test_a_run_without_white_space_is_learned_in_pieces() -> None:
    """As of one line of letters, whose pieces are those of short lines."""
    draw = random.Random(0)
    run = "".join(draw.choices("ACGT", k=30_500))
    cut = "\n".join(run[start : start + 1_000] for start in range(0, len(run), 1_000))
    assert learn_tokenizer([run], 300).get_vocab() == learn_tokenizer([cut], 300).get_vocab()
    ordinary = "some words, and a line\n" * 3_000
    assert list(_short_runs(ordinary)) == [ordinary]
    assert "".join(_short_runs(f"a {run} b {run}")) == f"a {run} b {run}"
