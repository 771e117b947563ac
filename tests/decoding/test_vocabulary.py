"""The bytes of tokens are those that the tokenizer decodes."""

from typing import Any

import numpy as np
import pytest

from lengthwise.decoding.vocabulary import TokenTree, Vocabulary, vocabulary_of
from lengthwise.errors import ConfigError
from lengthwise.text.data.tokens import learn_tokenizer

tokenizers = pytest.importorskip("tokenizers")


def of_pieces(decoder: Any) -> Any:
    """A tokenizer as SentencePiece writes it: `▁` for a space, and tokens for bytes."""
    words = ["<unk>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), "▁a", "b", "▁", "bé"]
    model = tokenizers.models.BPE(
        {word: number for number, word in enumerate(words)},
        [],
        unk_token="<unk>",
        byte_fallback=True,
    )
    made = tokenizers.Tokenizer(model)
    made.add_special_tokens(["</s>"])
    made.decoder = decoder
    return made


def test_byte_level_tokens_are_bytes() -> None:
    made = learn_tokenizer(["the cafés of the 😀 were open"] * 3, 300, ["<end>"])
    vocabulary = vocabulary_of(made, end=0)
    assert vocabulary.tokens[0] is None
    assert {bytes([byte]) for byte in range(256)} <= set(vocabulary.tokens)
    text = "the cafés 😀"
    spelled = [vocabulary.tokens[number] or b"" for number in made.encode(text).ids]
    assert b"".join(spelled) == text.encode()
    assert len(spelled) < len(text)


def test_pieces_have_spaces_and_bytes() -> None:
    d = tokenizers.decoders
    made = of_pieces(d.Sequence([d.Replace("▁", " "), d.ByteFallback(), d.Fuse()]))
    vocabulary = vocabulary_of(made, end=[1])
    assert vocabulary.tokens[:2] == (None, None)
    assert vocabulary.tokens[2 + 0xC3] == b"\xc3"
    assert vocabulary.tokens[-4:] == (b" a", b"b", b" ", "bé".encode())
    odd = tokenizers.models.BPE({"a": 0, "</s>": 1, "<0xZZ>": 2}, [], byte_fallback=True)
    made = tokenizers.Tokenizer(odd)
    made.decoder = d.ByteFallback()
    assert vocabulary_of(made, end=1).tokens[2] == b"<0xZZ>"
    stripped = d.Sequence([d.Replace("▁", " "), d.ByteFallback(), d.Fuse(), d.Strip(" ", 1, 0)])
    assert vocabulary_of(of_pieces(stripped), end=[1]) == vocabulary
    assert vocabulary_of(of_pieces(d.Metaspace()), end=1).tokens[-4] == b" a"


@pytest.mark.parametrize(
    ("decoder", "said"),
    [
        (None, "puts spaces between tokens"),
        (tokenizers.decoders.WordPiece(), "decodes by WordPiece"),
        (tokenizers.decoders.Replace("b", "bb"), None),
    ],
)
def test_a_token_whose_text_depends_on_others_is_refused(decoder: Any, said: str | None) -> None:
    made = of_pieces(decoder) if decoder else tokenizers.Tokenizer(tokenizers.models.BPE())
    if said is None:
        assert b"bb" in vocabulary_of(made, end=1).tokens
        return
    with pytest.raises(ConfigError, match=said):
        vocabulary_of(made, end=1)


def test_an_end_is_needed() -> None:
    made = learn_tokenizer(["a"], 257, ["<end>"])
    for end, said in ((None, "Give end"), (300, "0..256"), ("0", "end is an integer")):
        with pytest.raises(ConfigError, match=said):
            vocabulary_of(made, end)  # type: ignore[arg-type]  # as users may
    with pytest.raises(ConfigError, match="not a tokenizer"):
        vocabulary_of("gpt2")
    with pytest.raises(ConfigError, match="a token is bytes"):
        Vocabulary(("a",), (0,))  # type: ignore[arg-type]


def test_a_tree_leads_where_the_bytes_lead() -> None:
    tokens = [b"ab", b"", b"b", b"abc", b"ab", b"ca"]
    table = np.random.default_rng(0).integers(0, 7, (7, 256)).astype(np.int32)
    table[6] = 6
    for state in range(6):
        expected = []
        for token in tokens:
            at = state
            for byte in token:
                at = int(table[at, byte])
            expected.append(at)
        assert TokenTree.of(tokens).follow(table, state, 6).tolist() == expected


@pytest.mark.parametrize(
    ("text", "spells"),
    [("a", True), ("c", False), ("bc", False), ("ab", True), ("ba", True), ("xyx", True)],
)
def test_a_symbol_may_be_spelled_across_tokens(text: str, spells: bool) -> None:
    vocabulary = Vocabulary((b"ab", b"xy", None), (2,))
    assert vocabulary.spells(text.encode()) == spells
