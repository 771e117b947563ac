"""Labelled words: no word is in two parts."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from lengthwise.data import labelled_words
from lengthwise.data.labelled_words import PARTS, LabelledWords
from lengthwise.data.prepared_words import prepare_words
from word_files import random_words, write_words

SHARES = {"validation_share": 0.2, "test_share": 0.3, "max_length": None}


@given(count=st.integers(20, 80), cut=st.integers(2, 19), seed=st.integers(0, 999))
def test_parts_divide_the_words_and_do_not_depend_on_other_words(
    count: int, cut: int, seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    labels, folder = random_words(count, seed=seed), tmp_path_factory.mktemp("f")
    labels[0], labels[1] = (labels[0][0], "x"), (labels[1][0], "y")
    texts: list[dict[str, set[str]]] = []
    for name, some in (("all", labels), ("few", labels[:cut])):
        words = prepare_words(write_words(folder / name, some, "ab"), ("a", "b"))
        rows = {part: words.rows(part, **SHARES).tolist() for part in PARTS}  # type: ignore[arg-type]
        assert sorted(row for of in rows.values() for row in of) == list(range(len(some)))
        texts.append({part: {words.format_word(row) for row in of} for part, of in rows.items()})
    for part in PARTS:
        assert texts[1][part] == texts[0][part] & set().union(*texts[1].values())


def test_parts_have_the_shares_that_are_asked_for(tmp_path: Path) -> None:
    words = prepare_words(write_words(tmp_path / "a", random_words(4000, longest=20), "ab"))
    for part, share in (("test", 0.3), ("valid", 0.2), ("train", 0.5)):
        rows = words.rows(part, **SHARES)  # type: ignore[arg-type]
        assert abs(len(rows) - 4000 * share) < 5 * (4000 * share * (1 - share)) ** 0.5
    short = words.rows("train", **{**SHARES, "max_length": 8})  # type: ignore[arg-type]
    rows = words.rows("train", **SHARES)  # type: ignore[arg-type]
    assert set(short) == {row for row in rows if len(words.format_word(row)) <= 8}


@given(st.dictionaries(st.text("ab", max_size=5), st.integers(0, 1), min_size=3, max_size=30))
def test_words_in_memory_are_those_of_a_file(labels: dict[str, int]) -> None:
    assume(len(set(labels.values())) == 2 and {"a", "b"} <= set("".join(labels)))
    encoded = [tuple("ab".index(symbol) for symbol in word) for word in labels]
    memory = LabelledWords.of(encoded * 2, [*labels.values()] * 2, ("a", "b"), ("0", "1"))
    with TemporaryDirectory() as place, pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", f"{place}/cache")
        own = Path(place) / "own.tsv"
        own.write_text("".join(f"{word}\t{label}\n" for word, label in labels.items()))
        file = prepare_words(own)
        assert memory.duplicates == len(labels)
        assert (memory.hashes == file.hashes).all()
        assert (memory.classes == file.classes).all()
        assert [memory.format_word(row) for row in range(len(memory))] == [
            file.format_word(row) for row in range(len(file))
        ]


@given(
    words=st.lists(st.lists(st.integers(0, 1), max_size=7), min_size=1, max_size=20),
    chosen=st.lists(st.integers(0, 99), max_size=9),
    at_once=st.integers(1, 20),
)
def test_tokens_are_right_aligned_whatever_is_moved_at_once(
    words: list[list[int]], chosen: list[int], at_once: int
) -> None:
    found = LabelledWords.of(words, [0] * len(words), ("a", "b"), ("0", "1"))
    rows = np.array([each % len(found) for each in chosen], dtype=np.int64)
    if len(chosen) % 2:
        rows = np.arange(rows.min(), len(found))
    own = [found.format_word(row) for row in rows.tolist()]
    width = max(map(len, own), default=0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(labelled_words, "_AT_ONCE", at_once)
        tokens = found.tokens(rows, 7, np.uint8)
    assert tokens.dtype == np.uint8
    assert tokens.shape == (len(rows), width)
    digits = {"a": 0, "b": 1}
    assert tokens.tolist() == [
        [7] * (width - len(word)) + [digits[symbol] for symbol in word] for word in own
    ]


@pytest.mark.parametrize(
    ("classes", "names", "is_one"),
    [
        ([1, 1], ("0", "1"), True),
        ([0, 1], ("0", "1"), False),
        ([1, 1], ("no", "yes"), False),
    ],
)
def test_words_have_one_label_if_each_is_of_the_language(
    classes: list[int], names: tuple[str, str], is_one: bool
) -> None:
    assert LabelledWords.of([[0], [1]], classes, ("a", "b"), names).have_one_label is is_one
