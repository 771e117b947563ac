"""Only strings of the language, and all of them: against `re`, and in `generate`."""

import re
from itertools import product
from random import Random
from typing import Any

import pytest
import torch

import lengthwise as lw
from expressions import random_expression
from lengthwise.decoding.vocabulary import Vocabulary
from lengthwise.errors import ConfigError, LanguageError
from lengthwise.text.data.tokens import learn_tokenizer

LONGEST = 5
CHARACTERS = tuple(c.encode() for c in "abc")


def generated(processor: Any, vocabulary: Vocabulary) -> set[str]:
    """Every string of at most `LONGEST` characters that the masks let through."""
    end = vocabulary.ends[0]
    found, rows = set(), [[end]]
    while rows:
        scores = processor(torch.tensor(rows), torch.zeros(len(rows), len(vocabulary.tokens)))
        after = []
        for row, allowed in zip(rows, scores.isfinite().tolist(), strict=True):
            text = b"".join(vocabulary.tokens[token] or b"" for token in row[1:])
            assert any(allowed), "a dead end"
            if allowed[end]:
                found.add(text.decode())
            for token, is_allowed in enumerate(allowed):
                if is_allowed and token != end:
                    size = len(text) + len(vocabulary.tokens[token] or b"")
                    after += [[*row, token]] if size <= LONGEST else []
        rows = after
    return found


def spelled(expression: str, vocabulary: Vocabulary) -> set[str]:
    """The oracle: the words that `re` matches and that tokens spell."""
    tokens = "|".join(re.escape(token.decode()) for token in vocabulary.tokens if token)
    pattern, sequence = re.compile(expression), re.compile(f"(?:{tokens})*")
    words = ("".join(w) for n in range(LONGEST + 1) for w in product("abc", repeat=n))
    return {word for word in words if pattern.fullmatch(word) and sequence.fullmatch(word)}


def random_vocabulary(draw: Random) -> Vocabulary:
    """Tokens of several characters, and perhaps not all of one."""
    longer = {
        "".join(draw.choices("abc", k=draw.randint(2, 3))).encode()
        for _ in range(draw.randint(1, 4))
    }
    single = draw.sample(CHARACTERS, draw.choice([2, 3, 3]))
    return Vocabulary((None, *single, *sorted(longer)), ends=(0,))


def require_none_lost_or_gained(seeds: range) -> None:
    judged = 0
    for seed in seeds:
        draw = Random(f"decoding {seed}")
        expression = random_expression(draw)
        for vocabulary in (Vocabulary((*CHARACTERS, None), (3,)), random_vocabulary(draw)):
            expected = spelled(expression, vocabulary)
            letters = {
                letter for letter in "abc" if letter in re.sub(r"\[(\^.*?|..)\]", "", expression)
            }
            if not expected or not all(vocabulary.spells(c.encode()) for c in letters):
                continue  # which is refused
            processor = lw.logits_processor(re.compile(expression), vocabulary)
            assert generated(processor, vocabulary) == expected, (expression, vocabulary)
            judged += 1
    assert judged > 1.4 * len(seeds)


def test_the_strings_are_those_that_re_matches() -> None:
    require_none_lost_or_gained(range(25))


@pytest.mark.slow
def test_the_strings_are_those_that_re_matches_in_a_thousand_expressions() -> None:
    require_none_lost_or_gained(range(1_000))


def test_a_language_is_spelled() -> None:
    vocabulary = Vocabulary((b"0", b"1", b"10", b"01", None), (4,))
    assert generated(lw.logits_processor("parity", vocabulary), vocabulary) == {
        word
        for n in range(LONGEST + 1)
        for word in map("".join, product("01", repeat=n))
        if word in lw.language("parity")
    }
    spelling = {"a": "bc", "b": "b"}
    processor = lw.logits_processor(
        lw.language("regex:(ab)*"), Vocabulary((*CHARACTERS, None), (3,)), spelling=spelling
    )
    assert generated(processor, Vocabulary((*CHARACTERS, None), (3,))) == {"", "bcb"}
    words = lw.language("ltlf[go stop]:F stop")
    vocabulary = Vocabulary((b"g", b"o", b"st", b"op", None), (4,))
    assert "gost" not in generated(lw.logits_processor(words, vocabulary), vocabulary)
    assert "stop" in generated(lw.logits_processor(words, vocabulary), vocabulary)


def test_dead_ends_of_the_vocabulary_are_not_entered() -> None:
    """`a` begins words of the language, but none that these tokens spell."""
    vocabulary = Vocabulary((b"a", b"c", b"bb", None), (3,))
    processor = lw.logits_processor(re.compile("c|a[b]"), vocabulary)
    scores = processor(torch.tensor([[3]]), torch.zeros(1, 4))
    assert scores.isfinite().tolist() == [[False, True, False, False]]


def test_the_last_tokens_complete_the_string() -> None:
    vocabulary = Vocabulary((b"a", b"b", None), (2,))
    processor = lw.logits_processor(re.compile("a*bbb"), vocabulary, max_new_tokens=4)
    rows, shown = [2, 2], []
    for token in (0, 1, 1, 1):
        allowed = processor(torch.tensor([rows]), torch.zeros(1, 3)).isfinite().tolist()[0]
        shown.append(allowed)
        rows = [*rows, token]
    assert shown == [[True, True, False], *[[False, True, False]] * 3]
    with pytest.raises(ConfigError, match="shortest string of 'a\\*bbb' has 3 tokens"):
        lw.logits_processor(re.compile("a*bbb"), vocabulary, max_new_tokens=2)


def test_rows_may_be_reordered_repeated_and_new() -> None:
    vocabulary = Vocabulary((b"a", b"b", None), (2,))
    processor = lw.logits_processor(re.compile("a(bb)*"), vocabulary)

    def allowed(*rows: list[int], outputs: int = 3) -> list[list[bool]]:
        return processor(torch.tensor(rows), torch.zeros(len(rows), outputs)).isfinite().tolist()

    a, b, both = [True, False, False], [False, True, False], [False, True, True]
    assert allowed([2, 0], [1, 0]) == [a, a]  # prompts, whatever they are
    assert allowed([1, 0, 0], [2, 0, 0]) == [both, both]
    assert allowed([2, 0, 0, 1], [2, 0, 0, 2]) == [b, [False, False, True]]
    assert allowed([2, 0, 0, 1, 1], [2, 0, 0, 2, 2]) == [both, [False, False, True]]
    assert allowed([2, 0]) == [a]  # the same prompt again
    assert allowed([2, 0, 0, 1, 1, 1]) == [a]  # and a longer one
    assert allowed([2, 0, 0, 1, 1, 1, 1]) == [a]  # and one with a token that could not follow
    assert allowed([2, 0, 0, 1, 1, 1, 1, 0]) == [both]
    assert allowed([2, 0, 0, 1, 1, 1, 1, 0, 0]) == [a]  # and a string with such a token
    assert allowed([0], outputs=5) == [[*a, False, False]]


@pytest.mark.parametrize(
    ("language", "said"),
    [
        (re.compile("é"), "cannot spell the symbol 'é'"),
        (re.compile("aé|b"), "cannot spell the symbol 'é'"),
        (re.compile(r"\d"), r"'\\d' has characters of all scripts|\\d has characters"),
        (re.compile("A", re.IGNORECASE), "re.IGNORECASE is not supported"),
        (re.compile("a^b"), "'\\^' is an anchor"),
        (re.compile("(a)\\1"), "backreference"),
        (re.compile("a[^\0-\U0010ffff]"), "has no word"),
        (re.compile("[^ab]"), "no string of .* can be spelled"),
        ("count:a:3", "this language has 3: 0, 1, 2"),
        (3, "a language is a Language"),
    ],
)
def test_what_cannot_be_generated_is_refused_in_a_line(language: Any, said: str) -> None:
    vocabulary = Vocabulary((b"a", b"b", None), (2,))
    with pytest.raises((ConfigError, LanguageError), match=said) as caught:
        lw.logits_processor(language, vocabulary)
    assert "\n" not in str(caught.value)


# ---- in transformers -------------------------------------------------------------------------

END = "<|end|>"


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    transformers = pytest.importorskip("transformers")
    texts = ["on 2024-05-17 and 2023-11-30 the cafés of 1999 were open"] * 5
    made = learn_tokenizer(texts, 330, [END])
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, eos_token=END, pad_token=END, padding_side="left"
    )


@pytest.fixture(scope="module")
def model() -> Any:
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(0)
    config = transformers.GPT2Config(
        vocab_size=340,
        n_embd=16,
        n_layer=1,
        n_head=1,
        n_positions=64,
        eos_token_id=0,
        bos_token_id=0,
    )
    return transformers.GPT2LMHeadModel(config).eval()


DATE = re.compile("(19|20)[0-9]{2}-(0[1-9]|1[0-2])-[0-9]{2}( é)?")


@pytest.mark.parametrize(
    "how",
    [{}, {"do_sample": True, "top_k": 5}, {"num_beams": 3}, {"num_beams": 2, "do_sample": True}],
)
def test_generate_writes_words_of_the_language(
    how: dict[str, Any], tokenizer: Any, model: Any
) -> None:
    processor = lw.logits_processor(DATE, tokenizer, max_new_tokens=16)
    prompts = tokenizer(["the", "on the cafés of"], return_tensors="pt", padding=True)
    for _ in range(2):  # the second time begins anew
        rows = model.generate(
            **prompts, logits_processor=[processor], max_new_tokens=16, pad_token_id=0, **how
        )
        rows = rows[:, prompts["input_ids"].shape[1] :]
        for text in tokenizer.batch_decode(rows, skip_special_tokens=True):
            assert DATE.fullmatch(text), text
