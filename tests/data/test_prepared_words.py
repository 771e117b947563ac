"""Words of a file in the cache folder: every format says the same."""

import random
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from lengthwise.data.prepared_words import prepare_words
from lengthwise.errors import LengthwiseError, TextError
from lengthwise.files import cache_folder
from word_files import FORMATS, PACK, Word, random_words, read_back, write_words


@st.composite
def label(draw: st.DrawFn) -> tuple[list[tuple[Word, str]], list[str]]:
    """Different words over an alphabet, of two labels or more."""
    one = st.characters(exclude_categories=["Cs", "Z", "Cc"], exclude_characters="\ufeff")
    symbol = draw(st.sampled_from([one, st.text(one, min_size=1, max_size=3)]))
    alphabet = draw(st.lists(symbol, min_size=1, max_size=4, unique=True))
    word = st.lists(st.sampled_from(alphabet), max_size=6).map(tuple)
    words = draw(st.lists(word, min_size=2, max_size=20, unique=True))
    label = st.sampled_from(["0", "1", "2", "yes", "no way"])
    labels = draw(st.lists(label, min_size=len(words), max_size=len(words)))
    if len(set(labels)) < 2:
        labels[0] = "other"
    return list(zip(words, labels, strict=True)), alphabet


@pytest.mark.slow_for("dataset")
@pytest.mark.parametrize("form", FORMATS)
@given(found=label(), packed=st.sampled_from(sorted(PACK)))
def test_what_is_written_is_read(
    form: str,
    found: tuple[list[tuple[Word, str]], list[str]],
    packed: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    labels, alphabet = found
    if form == ".parquet":
        packed = ""
    if form == ".dat":  # a label is one field, and `:` and `/` stand before attributes and data
        labels = [(word, label.replace(" ", "-")) for word, label in labels]
        assume(not any(mark in symbol for symbol in alphabet for mark in ":/"))
    if form == ".xes":
        assume(all(ord(each) < 0xFFFE for symbol in alphabet for each in symbol))
    path = write_words(
        tmp_path_factory.mktemp("f") / "a", labels, alphabet, form=form, packed=packed
    )
    words = prepare_words(path, tuple(alphabet))
    assert read_back(words) == dict(labels)
    assert words.alphabet == tuple(alphabet)
    assert words.class_names == tuple(sorted({label for _, label in labels}))
    assert words.duplicates == 0


@given(count=st.integers(20, 60), seed=st.integers(0, 999))
def test_formats_and_orders_of_lines_give_the_same_words(
    count: int, seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    labels, folder = random_words(count, seed=seed, states=3), tmp_path_factory.mktemp("f")
    if len({label for _, label in labels}) < 2:
        labels = [*labels[1:], (labels[0][0], "7")]
    shuffled = random.Random(seed).sample(labels, count)
    shuffled += shuffled[:5]
    one = prepare_words(write_words(folder / "one", labels, "ab"))
    two = prepare_words(write_words(folder / "two", shuffled, "ab", form=".jsonl", packed=".gz"))
    assert (one.digest, one.duplicates) == (two.digest, 0)
    assert two.duplicates == 5
    assert one.alphabet == ("a", "b")
    for name in ("symbols", "ends", "classes", "hashes"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))


def test_damaged_and_unfinished_folders_are_made_again(tmp_path: Path) -> None:
    path = write_words(tmp_path / "a", random_words(50), "ab")
    first = read_back(prepare_words(path))
    (folder,) = (each for each in (cache_folder() / "words").iterdir() if each.is_dir())
    content = (folder / "words.npy").read_bytes()
    for damage in (
        lambda: (folder / "words.npy").write_bytes(content[:-1]),
        lambda: (folder / "words.npy").write_bytes(content[:-1] + b"\x01"),
        (folder / "hashes.npy").unlink,
        lambda: (folder / "index.json").write_text("{"),
        lambda: folder.rename(folder.with_suffix(".tmp")),
    ):
        damage()
        assert read_back(prepare_words(path)) == first
        assert (folder / "words.npy").read_bytes() == content
        assert {each.suffix for each in folder.parent.iterdir()} == {"", ".lock"}


def test_labels_of_a_dataset_are_named_and_several_datasets_are_refused(tmp_path: Path) -> None:
    import datasets  # noqa: PLC0415

    kinds = datasets.Features(
        {"word": datasets.Value("string"), "label": datasets.ClassLabel(names=["bad", "good"])}
    )
    table = datasets.Dataset.from_dict({"word": ["a", "b", "ab"], "label": [0, 1, 1]}, kinds)
    table.save_to_disk(str(tmp_path / "one"))
    assert read_back(prepare_words(tmp_path / "one")) == {
        ("a",): "bad", ("b",): "good", ("a", "b"): "good",
    }  # fmt: skip
    datasets.DatasetDict({"train": table, "test": table}).save_to_disk(str(tmp_path / "two"))
    with pytest.raises(LengthwiseError, match=r"several datasets, test, train\. Give one of them"):
        prepare_words(tmp_path / "two")
    assert len(prepare_words(tmp_path / "two" / "train")) == 3
    table.rename_column("word", "text").save_to_disk(str(tmp_path / "three"))
    with pytest.raises(LengthwiseError, match="has no column 'word'"):
        prepare_words(tmp_path / "three")
    with pytest.raises(LengthwiseError, match="is a folder, but not a dataset"):
        prepare_words(tmp_path)
    with pytest.raises(LengthwiseError, match="does not exist"):
        prepare_words(tmp_path / "nothing.tsv")


@given(st.lists(st.tuples(st.text("ab", max_size=3), st.sampled_from("xyz")), min_size=4))
def test_a_word_has_the_label_of_most_of_its_lines(rows: list[tuple[str, str]]) -> None:
    """A word of which two labels are the most frequent is left out, whatever their order."""
    counts = {word: Counter(label for each, label in rows if each == word) for word, _ in rows}
    most = {word: found.most_common(2) for word, found in counts.items()}
    decided = {
        word: two[0][0] for word, two in most.items() if len(two) == 1 or two[0][1] > two[1][1]
    }
    assume(len({label for _, label in rows}) > 1 and any(word for word, _ in rows))
    with TemporaryDirectory() as place, pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", f"{place}/cache")
        own = Path(place) / "own.tsv"
        own.write_text("".join(f"{word}\t{label}\n" for word, label in rows))
        if not decided:
            with pytest.raises(TextError, match="has no word with a label that has the most"):
                prepare_words(own, by_majority=True)
            return
        words = prepare_words(own, by_majority=True)
        assert read_back(words) == {tuple(word): label for word, label in decided.items()}
        assert words.undecided == len(counts) - len(decided)
        assert words.duplicates == len(rows) - len(counts)
        ties = [two[0][1] for word, two in most.items() if word not in decided]
        assert words.undecided_lines == sum(ties)
        lines = [[1, 0]] * len(words) if words.lines is None else words.lines.tolist()
        found = [words.format_word(row) for row in range(len(words))]
        two_most = {word: [*(count for _, count in two), 0][:2] for word, two in most.items()}
        assert lines == [two_most[word] for word in found]
        own.write_text("".join(f"{word}\t{label}\n" for word, label in reversed(rows)))
        assert prepare_words(own, by_majority=True).digest == words.digest
