"""Files of pairs: how they are read, and what is refused, with its line."""

from pathlib import Path

import pytest

from lengthwise.data.columns import Columns
from lengthwise.data.paired_words import PairedWords, columns_of_pairs, load_pairs
from lengthwise.data.parts import TEST, TRAIN, VALID
from lengthwise.data.words_reference import WordsReference
from lengthwise.errors import TextError
from lengthwise.problems.inferred.settings import InferenceConfig


def load(path: Path, content: str, *, by_majority: bool = False) -> PairedWords:
    path.write_text(content)
    columns = columns_of_pairs(path, Columns())
    return load_pairs(
        WordsReference.of(path, None, by_majority=by_majority, columns=columns, needs_labels=False)
    )


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("own.tsv", "ab\t01\nba\t10\n"),
        ("own.tsv", "input\toutput\nab\t01\nba\t10\n"),
        ("own.csv", "Input,Output\nab,01\nba,10\n"),
        ("own.tsv", "a b\t0 1\nb a\t1 0\n"),
        ("own.jsonl", '{"input": "ab", "output": "01"}\n{"input": ["b", "a"], "output": "10"}\n'),
        ("own.jsonl", '{"word": "ab", "label": "01"}\n{"word": "ba", "label": "10"}\n'),
    ],
)
def test_pairs_are_read_from_each_format(name: str, content: str, tmp_path: Path) -> None:
    pairs = load(tmp_path / name, content)
    assert (pairs.words.alphabet, pairs.outputs) == (("a", "b"), ("0", "1"))
    assert sorted(pairs.written) == [(0, 1), (1, 0)]


def test_symbols_of_several_characters_are_separated_by_spaces(tmp_path: Path) -> None:
    pairs = load(tmp_path / "own.tsv", "s1 s2\tx yes\ns2\tno\n")
    assert pairs.words.alphabet == ("s1", "s2")
    assert pairs.outputs == ("no", "x", "yes")


@pytest.mark.parametrize("by_majority", [False, True])
def test_a_pair_of_unequal_length_is_refused_with_its_line(
    by_majority: bool, tmp_path: Path
) -> None:
    content = "ab\t01\nb\t1\naba\t01\nab\t01\n"
    with pytest.raises(TextError, match=r"line 3: .*'aba' has 3 symbols and '01' has 2\. Write"):
        load(tmp_path / "own.tsv", content, by_majority=by_majority)


def test_an_unequal_line_that_a_majority_leaves_out_is_refused_too(tmp_path: Path) -> None:
    content = "ab\t01\nab\t01\nab\t011\nb\t1\n"
    with pytest.raises(TextError, match=r"line 3: .*'ab' has 2 symbols and '011' has 3"):
        load(tmp_path / "own.tsv", content, by_majority=True)


def test_contradictory_pairs_are_refused_without_noise(tmp_path: Path) -> None:
    with pytest.raises(TextError, match=r"two labels.*'ab', of lines 1 .*label_noise"):
        load(tmp_path / "own.tsv", "ab\t01\nab\t11\n")


def test_one_output_alone_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TextError, match=r"line 2: .*'aba' has 3 symbols and '01' has 2"):
        load(tmp_path / "own.tsv", "ab\t01\naba\t01\n")
    with pytest.raises(TextError, match="all pairs have one output"):
        load(tmp_path / "own.tsv", "ab\t01\nbb\t01\n")
    with pytest.raises(TextError, match="all outputs have the symbol 'x' alone"):
        load(tmp_path / "own.tsv", "ab\txx\nb\tx\n")


def test_a_part_has_the_pairs_that_the_hash_gives_it(tmp_path: Path) -> None:
    words = [format(n, "b") for n in range(1, 400)]
    turned = str.maketrans("01", "yx")
    pairs = load(tmp_path / "own.tsv", "".join(f"{w}\t{w.translate(turned)}\n" for w in words))
    parts = [pairs.part(part, InferenceConfig(), "pairs:own.tsv") for part in (TRAIN, VALID, TEST)]
    assert sum(map(len, parts)) == len(words)
    assert min(map(len, parts)) > 5
    seen = []
    for part in parts:
        for word, output, length in zip(part.inputs, part.outputs, part.lengths, strict=True):
            assert (output[:length] == 1 - word[:length]).all()  # 0 becomes y, the second output
            seen.append("".join(map(str, word[:length])))
    assert sorted(seen) == sorted(words)
