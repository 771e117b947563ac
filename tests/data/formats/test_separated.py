"""Tables of lines: columns by their names, quotes, and blocks that say what the rows say."""

import csv
import io
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.data.columns import Columns
from lengthwise.data.formats import separated
from lengthwise.data.formats.plain_block import PlainBlock
from lengthwise.data.formats.reader import Row
from lengthwise.data.formats.separated import CommaSeparated, TabSeparated
from lengthwise.errors import TextError

field = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=6).filter(
    lambda text: text == text.strip() and text.isprintable()
)


def read(reader: TabSeparated | CommaSeparated, content: str, columns: str = "") -> list[Row]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "words"
        path.write_bytes(content.encode())
        return list(reader.rows(path, Columns.parse(columns)))


@given(rows=st.lists(st.tuples(field, field, field), min_size=1), quoting=st.sampled_from([0, 1]))
def test_quoted_fields_are_those_that_python_writes(
    rows: list[tuple[str, str, str]], quoting: int
) -> None:
    place = io.StringIO()
    names = ("the label", "x", "the,word")
    csv.writer(place, quoting=csv.QUOTE_ALL if quoting else csv.QUOTE_MINIMAL).writerows(
        [names, *rows]
    )
    found = read(CommaSeparated(), place.getvalue(), "label=the label,word=x")
    assert [(row.word, row.label) for row in found] == [(word, label) for label, word, _ in rows]


PLAIN = st.sampled_from(["ab\t1", "", "\t0", "b\tno way", "abba\t\u00e9"])
ANY = st.one_of(PLAIN, st.sampled_from(["a b\t1", "\u00e4\t1", "a\\b\t0", "b\t1\r"]))
LINES = st.one_of(st.lists(PLAIN, max_size=30), st.lists(ANY, max_size=30))


@given(lines=LINES, at_once=st.integers(4, 40), end=st.sampled_from(["", "\n"]))
def test_blocks_say_what_rows_say(lines: list[str], at_once: int, end: str) -> None:
    """However a file is cut into blocks; plain ones are compared with what `rows` reads."""
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(separated, "_AT_ONCE", at_once)
        path = Path(folder) / "words.tsv"
        path.write_bytes(("\n".join(lines) + end).encode())
        reader, found = TabSeparated(), list[Row]()
        for block in reader.blocks(path, Columns()):
            if isinstance(block, PlainBlock):
                assert block.lengths.tolist() == [len(word) for word in block.words()]
                assert block.symbols().tobytes().decode() == "".join(block.words())
                parts = zip(block.places.tolist(), block.words(), block.labels, strict=True)
                found += [Row(*part) for part in parts]
            else:
                found += block
        assert found == list(reader.rows(path, Columns()))


def test_most_blocks_of_plain_words_are_bytes(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("word\tlabel\n" + "abba\t1\nb\tno way\n" * 200_000)
    blocks = list(TabSeparated().blocks(tmp_path / "a.tsv", Columns()))
    assert [isinstance(block, PlainBlock) for block in blocks] == [False, True, True]
    assert sum(len(block) for block in blocks[1:]) == 400_000


@pytest.mark.parametrize(
    ("content", "columns", "words"),
    [
        ("class\tid\ttext\nyes\t7\tab\n", "word=text,label=class", [(2, "ab", "yes")]),
        ("Label\tWord\n1\tab\n", "", [(2, "ab", "1")]),
        ("word\tlabel\tmore\nab\t1\t5\n", "", [(2, "ab", "1")]),
        ("ab\nba\n", "label=", [(1, "ab", "1"), (2, "ba", "1")]),
        ("label\tword\n0\tab\n", "label=", [(2, "ab", "1")]),
        ("id\tdo\tok\na\tx\t\nb\tz\t0\na\ty\t1\n", "case=id,event=do,label=ok",
         [(2, ["x", "y"], "1"), (3, ["z"], "0")]),
    ],
)  # fmt: skip
def test_columns_are_known_by_their_names(
    content: str, columns: str, words: list[tuple[int, str | list[str], str]]
) -> None:
    assert read(TabSeparated(), content, columns) == [Row(*word) for word in words]
    if "," not in content:
        assert read(CommaSeparated(), content.replace("\t", ","), columns) == [
            Row(*word) for word in words
        ]


def test_a_row_over_several_lines_has_the_place_of_its_first() -> None:
    content = 'word,label,note\nab,1,"two\nlines"\nba,0,one\n'
    assert [row.place for row in read(CommaSeparated(), content)] == [2, 4]


@pytest.mark.parametrize(
    ("reader", "content", "columns", "message"),
    [
        (CommaSeparated(), "ab,1\nab\n", "", "line 2 has no comma. Write WORD,LABEL"),
        (CommaSeparated(), "ab,1,2\n", "", "line 1 has 2 commas. Write WORD,LABEL, or name the"),
        (
            CommaSeparated(),
            "word,label,x\nab,1\n",
            "",
            "line 2 has 2 fields, but the heading names 3",
        ),
        (CommaSeparated(), 'ab,1\n"a"b,2\n', "", "line 2: not CSV"),
        (CommaSeparated(), 'ab,1\n"ab,2\n', "", "line 2: not CSV"),
        (
            CommaSeparated(),
            "txt,class\na,1\n",
            "word=text,label=class",
            "line 1 is the heading, and has no column 'text'",
        ),
        (
            TabSeparated(),
            "text\tclass\na\n",
            "word=text,label=class",
            "line 2 has no tab. Write WORD",
        ),
        (TabSeparated(), 'a\t"1"\n', "", "is in quotes"),
    ],
)
def test_slips_are_named_with_their_line(
    reader: TabSeparated | CommaSeparated, content: str, columns: str, message: str
) -> None:
    with pytest.raises(TextError) as refused:
        read(reader, content, columns)
    assert message in str(refused.value)
