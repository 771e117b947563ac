"""Event logs in XES."""

import gzip
import tracemalloc
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.data.columns import Columns
from lengthwise.data.formats.event_log import EventLog
from lengthwise.errors import TextError
from word_files import event_log

Pairs = list[tuple[tuple[str, ...], str]]

names = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Cn", "Co"]), min_size=1, max_size=9
).filter(lambda text: text == text.strip() and text.isprintable())
pairs_of = st.lists(st.tuples(st.lists(names, max_size=4).map(tuple), names), max_size=6)


def read(content: bytes, columns: str = "", name: str = "log.xes") -> Pairs:
    with TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        found = EventLog().rows(path, Columns.parse(columns))
        return [(tuple(row.word), row.label) for row in found]


@given(pairs=pairs_of)
def test_traces_are_those_that_a_plain_reading_of_the_tree_finds(pairs: Pairs) -> None:
    content = event_log(pairs).encode()
    assert read(content) == pairs
    space = "{http://www.xes-standard.org/}"
    traces = ElementTree.fromstring(content).iterfind(f"{space}trace")
    words = [
        tuple(
            each.get("value") or ""
            for event in trace.iterfind(f"{space}event")
            for each in event.iterfind(f"{space}string")
        )
        for trace in traces
    ]
    assert words == [word for word, _ in pairs]
    assert read(gzip.compress(content), name="log.xes.gz") == pairs


def test_other_attributes_may_be_named_and_times_put_events_in_order() -> None:
    content = event_log([(("x", "y", "z"), "1")], "action", "outcome").encode()
    assert read(content, "event=action,label=outcome") == [(("x", "y", "z"), "1")]
    late = content.replace(b'key="cost" value="0"', b'key="cost" value="9"')
    assert read(late, "event=action,label=outcome,time=cost") == [(("y", "z", "x"), "1")]


def test_a_trace_is_forgotten_when_it_was_read(tmp_path: Path) -> None:
    path = tmp_path / "log.xes"
    path.write_text(event_log([(("x",) * 20, str(n)) for n in range(1_000)]))
    tracemalloc.start()
    try:
        assert sum(len(row.word) for row in EventLog().rows(path, Columns())) == 20_000
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 2**20


LOG = event_log([(("x",), "1"), (("y",), "0")])


@pytest.mark.parametrize(
    ("content", "columns", "message"),
    [
        (LOG, "label=Label", "trace 1 has no attribute 'Label', which is its label. Did you mean"),
        (LOG, "event=activity", "trace 1, event 1 has no 'activity'"),
        (LOG, "event=concept:name,time=when", "trace 1, event 1 has no 'when'"),
        (LOG[:-9], "", "line 2, column"),
        ("", "", "line 1, column 1: not XML (no element found)"),
        (LOG.replace('"1"', '""'), "", "trace 1 has neither label nor output"),
    ],
)
def test_slips_are_named_with_their_place(content: str, columns: str, message: str) -> None:
    with pytest.raises(TextError) as refused:
        read(content.encode(), columns)
    assert message in str(refused.value)


def test_traces_without_labels_are_of_the_language() -> None:
    content = event_log([(("x", "y"), "0"), ((), "1")]).encode()
    assert read(content, "label=") == [(("x", "y"), "1"), ((), "1")]
