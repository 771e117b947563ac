"""Labelled words: every format says the same, and no word is in two parts."""

import random
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from lengthwise.data.labelled_words import PARTS, LabelledWords, prepared
from lengthwise.errors import LengthwiseError, TextError
from lengthwise.files import cache_folder
from word_files import FORMATS, PACK, Word, random_words, write_words

SHARES = {"validation_share": 0.2, "test_share": 0.3, "max_length": None}


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))


@st.composite
def labelled(draw: st.DrawFn) -> tuple[list[tuple[Word, str]], list[str]]:
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


def read_back(words: LabelledWords) -> dict[Word, str]:
    tokens = words.tokens(np.arange(len(words)), -1)
    return {
        tuple(words.alphabet[symbol] for symbol in row[row >= 0].tolist()): words.class_names[c]
        for row, c in zip(tokens, words.classes.tolist(), strict=True)
    }


@pytest.mark.slow_for("dataset")
@pytest.mark.parametrize("form", FORMATS)
@given(found=labelled(), packed=st.sampled_from(sorted(PACK)))
def test_what_is_written_is_read(
    form: str,
    found: tuple[list[tuple[Word, str]], list[str]],
    packed: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    labels, alphabet = found
    path = write_words(
        tmp_path_factory.mktemp("f") / "a", labels, alphabet, form=form, packed=packed
    )
    words = prepared(path, tuple(alphabet))
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
    one = prepared(write_words(folder / "one", labels, "ab"))
    two = prepared(write_words(folder / "two", shuffled, "ab", form=".jsonl", packed=".gz"))
    assert (one.digest, one.duplicates) == (two.digest, 0)
    assert two.duplicates == 5
    assert one.alphabet == ("a", "b")
    for name in ("symbols", "ends", "classes", "hashes"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))


@given(count=st.integers(20, 80), cut=st.integers(2, 19), seed=st.integers(0, 999))
def test_parts_divide_the_words_and_do_not_depend_on_other_words(
    count: int, cut: int, seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    labels, folder = random_words(count, seed=seed), tmp_path_factory.mktemp("f")
    labels[0], labels[1] = (labels[0][0], "x"), (labels[1][0], "y")
    texts: list[dict[str, set[str]]] = []
    for name, some in (("all", labels), ("few", labels[:cut])):
        words = prepared(write_words(folder / name, some, "ab"), ("a", "b"))
        rows = {part: words.rows(part, **SHARES).tolist() for part in PARTS}  # type: ignore[arg-type]
        assert sorted(row for of in rows.values() for row in of) == list(range(len(some)))
        texts.append({part: {words.written(row) for row in of} for part, of in rows.items()})
    for part in PARTS:
        assert texts[1][part] == texts[0][part] & set().union(*texts[1].values())


def test_parts_have_the_shares_that_are_asked_for(tmp_path: Path) -> None:
    words = prepared(write_words(tmp_path / "a", random_words(4000, longest=20), "ab"))
    for part, share in (("test", 0.3), ("valid", 0.2), ("train", 0.5)):
        rows = words.rows(part, **SHARES)  # type: ignore[arg-type]
        assert abs(len(rows) - 4000 * share) < 5 * (4000 * share * (1 - share)) ** 0.5
    short = words.rows("train", **{**SHARES, "max_length": 8})  # type: ignore[arg-type]
    rows = words.rows("train", **SHARES)  # type: ignore[arg-type]
    assert set(short) == {row for row in rows if len(words.written(row)) <= 8}


@pytest.mark.parametrize(
    ("content", "alphabet", "words"),
    [
        ("word\tlabel\nab\t1\n\t0\n", None, {("a", "b"): "1", (): "0"}),
        ("Word\tLabel\r\na b\t1\r\nab\t1\r\n\r\nb\t0\r\n", None, {("a", "b"): "1", ("b",): "0"}),
        ("ab ba\t1\nab\t0\n", None, {("ab", "ba"): "1", ("ab",): "0"}),
        ("ab\t1\nab ab\t0\n", ("ab",), {("ab",): "1", ("ab", "ab"): "0"}),
        ("\ufeffab\t10\nb\t9\n", None, {("a", "b"): "10", ("b",): "9"}),
    ],
)
def test_words_are_read_as_people_write_them(
    tmp_path: Path, content: str, alphabet: tuple[str, ...] | None, words: dict[Word, str]
) -> None:
    path = tmp_path / "a.tsv"
    path.write_bytes(content.encode())
    found = prepared(path, alphabet)
    assert read_back(found) == words
    assert found.class_names == (("9", "10") if "10" in words.values() else ("0", "1"))


def test_damaged_and_unfinished_folders_are_made_again(tmp_path: Path) -> None:
    path = write_words(tmp_path / "a", random_words(50), "ab")
    first = read_back(prepared(path))
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
        assert read_back(prepared(path)) == first
        assert (folder / "words.npy").read_bytes() == content
        assert {each.suffix for each in folder.parent.iterdir()} == {"", ".lock"}


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.tsv", b"", "a.tsv has no words"),
        ("a.tsv", b"word\tlabel\n", "a.tsv has no words"),
        ("a.tsv", b"a\t1\nb\t1\n", "one class only, '1'"),
        ("a.tsv", b"a\t1\nab1\n", "line 2 has no tab. Write WORD<TAB>LABEL"),
        ("a.tsv", b"a\t1\t2\n", "line 1 has 2 tabs"),
        ("a.tsv", b"a\t1\nb\t\n", "line 2 has no label"),
        ("a.tsv", b'"a"\t"1"\n"b"\t"0"\n', 'line 1: the label "1" stands in quotes'),
        ("a.tsv", b"a\t1\n\xff\t0\n", "a text is UTF-8, but line 2 is not"),
        ("a.tsv", b"a\t1\nb\t0\na\t0\n", "1 word with two labels; the first is 'a', of lines 1"),
        ("a.tsv", b"ab\t1\nb\t0\na b\t0\nb\t1\n", "2 words with two labels; the first is 'ab'"),
        ("a.tsv", b"\t1\n\t1\n", "one class only"),
        ("a.csv", b"a,1\n", "is none of .tsv, .jsonl"),
        ("a.tsv.gz", b"a\t1\n", "cannot be read: Not a gzipped file"),
        ("a.jsonl", b'{"word": "a", "label": "1"}\n{', "line 2: not JSON"),
        ("a.jsonl", b'["a", "1"]\n', "line 1: no object"),
        ("a.jsonl", b'{"wrd": "a", "label": "1"}\n', "has no word. Did you mean 'wrd'?"),
        ("a.jsonl", b'{"word": "a", "label": null}\n', "line 1: the label is null. Give a text"),
        ("a.jsonl", b'{"word": "a", "label": 1.5}\n', "a label is a text, but it is 1.5"),
        ("a.jsonl", b'{"word": 3, "label": 1}\n', "a word is a text or a list of symbols"),
        ("a.jsonl", b'{"word": ["a", "b c"], "label": 1}\n', "symbol 2: 'b c' is no symbol"),
        ("a.jsonl", b'{"word": "a\\tb", "label": 1}\n', "column 2: '\\t' is no symbol"),
        ("a.jsonl", b'{"word": "\\ud800", "label": 1}\n', "line 1: not JSON"),
    ],
)
def test_slips_in_files_are_one_line(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(LengthwiseError) as found:
        prepared(path)
    assert message in str(found.value)
    assert str(found.value).isprintable()
    left = cache_folder() / "words"
    assert not left.exists() or all(each.suffix == ".lock" for each in left.iterdir())


def test_a_symbol_outside_the_alphabet_is_told_with_line_and_column(tmp_path: Path) -> None:
    for content, alphabet, message in (
        ("ab\t1\na bxa\t0\n", ("a", "b"), "line 2, column 4: symbol 'x' is not in the alphabet"),
        ("s1 s2\t1\ns1 s2 s9\t0\n", ("s1", "s2"), "line 2, column 7: symbol 's9'"),
    ):
        path = tmp_path / "a.tsv"
        path.write_text(content)
        with pytest.raises(LengthwiseError, match=message):
            prepared(path, alphabet)
    with pytest.raises(LengthwiseError, match="'a' stands twice"):
        prepared(path, ("a", "a"))


def test_labels_of_a_dataset_are_named_and_several_datasets_are_refused(tmp_path: Path) -> None:
    import datasets  # noqa: PLC0415

    kinds = datasets.Features(
        {"word": datasets.Value("string"), "label": datasets.ClassLabel(names=["bad", "good"])}
    )
    table = datasets.Dataset.from_dict({"word": ["a", "b", "ab"], "label": [0, 1, 1]}, kinds)
    table.save_to_disk(str(tmp_path / "one"))
    assert read_back(prepared(tmp_path / "one")) == {
        ("a",): "bad", ("b",): "good", ("a", "b"): "good",
    }  # fmt: skip
    datasets.DatasetDict({"train": table, "test": table}).save_to_disk(str(tmp_path / "two"))
    with pytest.raises(LengthwiseError, match=r"several datasets, test, train\. Give one of them"):
        prepared(tmp_path / "two")
    assert len(prepared(tmp_path / "two" / "train")) == 3
    table.rename_column("word", "text").save_to_disk(str(tmp_path / "three"))
    with pytest.raises(LengthwiseError, match="has no column 'word'"):
        prepared(tmp_path / "three")
    with pytest.raises(LengthwiseError, match="is a folder, but no dataset"):
        prepared(tmp_path)
    with pytest.raises(LengthwiseError, match="is not there"):
        prepared(tmp_path / "nothing.tsv")


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
            with pytest.raises(TextError, match="has no word of which one label has the most"):
                prepared(own, by_majority=True)
            return
        words = prepared(own, by_majority=True)
        assert read_back(words) == {tuple(word): label for word, label in decided.items()}
        assert words.undecided == len(counts) - len(decided)
        assert words.duplicates == len(rows) - len(counts)
        own.write_text("".join(f"{word}\t{label}\n" for word, label in reversed(rows)))
        assert prepared(own, by_majority=True).digest == words.digest


@pytest.mark.parametrize("blank", [" {}", "{} ", "  {} "])
def test_spaces_around_a_word_say_nothing(blank: str, tmp_path: Path) -> None:
    lines = [("ab", 0), ("ba", 1), ("abba", 1)]
    (tmp_path / "own.tsv").write_text(
        "".join(f"{blank.format(word) if word == 'ba' else word}\t{n}\n" for word, n in lines)
    )
    assert read_back(prepared(tmp_path / "own.tsv")) == {tuple(w): str(n) for w, n in lines}


@pytest.mark.parametrize(("without", "is_refused"), [(10, False), (11, True)])
def test_few_words_with_spaces_are_a_slip(without: int, is_refused: bool, tmp_path: Path) -> None:
    """Words of one character, and lists, do not count."""
    lines = [f"{number:04b}\t{number % 2}" for number in range(without)]
    path = tmp_path / "own.tsv"
    path.write_text("\n".join([*lines[:2], "01 1\t0", *lines[2:], *(f"{n}\t0" for n in range(9))]))
    if not is_refused:
        assert prepared(path).written(0)
        return
    message = r"own\.tsv, line 3: '01 1' has a space, .* but 11 words .* --alphabet"
    with pytest.raises(TextError, match=message):
        prepared(path)
    assert prepared(path, [*"0123456789"]).alphabet == tuple("0123456789")


@given(st.dictionaries(st.text("ab", max_size=5), st.integers(0, 1), min_size=3, max_size=30))
def test_words_in_memory_are_those_of_a_file(labels: dict[str, int]) -> None:
    assume(len(set(labels.values())) == 2 and {"a", "b"} <= set("".join(labels)))
    encoded = [tuple("ab".index(symbol) for symbol in word) for word in labels]
    memory = LabelledWords.of(encoded * 2, [*labels.values()] * 2, ("a", "b"), ("0", "1"))
    with TemporaryDirectory() as place, pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", f"{place}/cache")
        own = Path(place) / "own.tsv"
        own.write_text("".join(f"{word}\t{label}\n" for word, label in labels.items()))
        file = prepared(own)
        assert memory.duplicates == len(labels)
        assert (memory.hashes == file.hashes).all()
        assert (memory.classes == file.classes).all()
        assert [memory.written(row) for row in range(len(memory))] == [
            file.written(row) for row in range(len(file))
        ]


def test_a_heading_with_other_names_is_told_and_no_word_is_taken_for_one(tmp_path: Path) -> None:
    """Only a line whose label, beside two others, and some symbol stand on no other line."""
    path = tmp_path / "words.tsv"

    def read(*lines: str, alphabet: str | None = None) -> LabelledWords:
        more = [lines[1] if lines[0] else lines[2]] * 50
        path.write_text("".join(f"{line}\n" for line in (*lines, *more)), encoding="utf-8")
        return prepared(path, alphabet)

    with pytest.raises(TextError, match=r"line 1 seems to be a heading: .* 'kind' or .* 's'"):
        read("sequence\tkind", "ab\tyes", "ba\tno", "bb\tno")
    with pytest.raises(TextError, match="line 2 seems to be a heading"):
        read("", "sequence\tkind", "\tyes", "ba\tno")
    assert len(read("sequence\tkind", "ab\tyes", "ba\tno", alphabet="abcenqsu")) == 3
    assert len(read("sequence\tno", "ab\tyes", "ba\tno")) == 3  # its label occurs again
    assert len(read("abba\tkind", "ab\tyes", "ba\tno")) == 3  # its symbols occur again
    assert len(read("sequence\tkind", "ab\tyes", "ba\tyes")) == 3  # no task without it
    assert len(read("\tkind", "ab\tyes", "ba\tno")) == 3  # the empty word has no symbol
    assert len(read("ab\tyes", "ba\tno", "sequence\tkind")) == 3  # not the first
    path.write_text("sequence\tkind\nab\tyes\nba\tno\n", encoding="utf-8")
    assert len(prepared(path)) == 3  # too few lines to tell
    for heading in ("text\tclass", "label\tword", "Input\tTarget"):
        path.write_text(f"{heading}\na\t1\nb\t0\n", encoding="utf-8")
        with pytest.raises(TextError, match="line 1 seems to be a heading"):
            prepared(path)
    path.write_text("label\tword\n1\ta\n0\tb\n", encoding="utf-8")
    with pytest.raises(TextError, match="The word comes first on each line"):
        prepared(path)
    path.write_text("Input\tTarget\na\t1\nb\t0\n", encoding="utf-8")
    assert len(prepared(path, "".join(sorted({*"Input", "a", "b"})))) == 3
    path.write_text("text\t1\na\t1\nb\t0\n", encoding="utf-8")
    assert len(prepared(path)) == 3  # a word whose label is no name of a column
