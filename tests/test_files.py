"""Is JSON read as strictly as it is written?"""

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.errors import RunError
from lengthwise.files import (
    parse_json,
    read_json,
    read_lines,
    read_object,
    require_kinds,
    write_json,
    write_lines,
)

numbers = st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    st.none() | st.booleans() | numbers | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text("ab\u2028\0"), inner),
)


@given(values)
def test_what_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, value: object) -> None:
    folder = tmp_path_factory.mktemp("json")
    write_json(folder / "value.json", value)
    assert read_json(folder / "value.json") == value
    write_lines(folder / "values.jsonl", [{"value": value}, {}])
    assert list(read_lines(folder / "values.jsonl")) == [{"value": value}, {}]


@given(st.binary() | st.text('[]{}",:0123456789eE+-.ntrufals \\').map(str.encode))
def test_any_bytes_are_a_value_or_a_reason_on_one_line(content: bytes) -> None:
    try:
        parse_json(content)
    except ValueError as error:
        reason = str(error)
    else:
        reason = ""
    assert reason == "" or reason.isprintable()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\xff", "can't decode byte 0xff"),
        (b"", "Expecting value"),
        (b"\0", "Expecting value"),
        (b"[" * 100_000, "more than 100 deep"),
        (b"[" * 101 + b"]" * 101, "more than 100 deep"),
        (b'{"a":' * 101 + b"0" + b"}" * 101, "more than 100 deep"),
        (b"[NaN]", "NaN is not a JSON number"),
        (b"[-Infinity]", "-Infinity is not a JSON number"),
        (b"[1e999]", "1e999 is too large"),
        (b"[18446744073709551616]", "more than 64 bits"),
        (b"[" + b"9" * 5000 + b"]", "more than 64 bits"),
        (b'{"a": 1, "b": 2, "b": 3}', "'b' appears twice"),
        (b'["\\ud800"]', "half of a character, '\\ud800': a lone surrogate"),
    ],
)
def test_what_is_never_written_is_refused_with_the_reason(
    tmp_path: Path, content: bytes, reason: str
) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(content)
    for read in (read_json, read_object, lambda file: list(read_lines(file))):
        if content:
            with pytest.raises(RunError, match="is not JSON") as caught:
                read(path)
            assert reason in str(caught.value)
            assert str(path) in str(caught.value)
            assert str(caught.value).isprintable()
            assert len(str(caught.value)) < len(str(path)) + 200


def test_the_deepest_and_the_largest_are_read() -> None:
    assert parse_json(b"[" * 100 + b"]" * 100) != []
    assert parse_json("[18446744073709551615, -9223372036854775808, 1e308]")[2] < math.inf


@pytest.mark.parametrize(
    ("content", "kind"), [("[]", "a list"), ("3", "an integer"), ("null", "null")]
)
def test_another_value_than_an_object_is_named(tmp_path: Path, content: str, kind: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(RunError, match=f"must hold a JSON object, but holds {kind}"):
        read_object(path)
    with pytest.raises(RunError, match=f"line 1 is not a JSON object, but {kind}"):
        list(read_lines(path))


def test_a_value_of_another_kind_is_named() -> None:
    kinds = {"a": "a number", "b": "an integer or null", "c": "true or false"}
    require_kinds({"a": 1, "b": None, "c": True, "d": []}, kinds, where="here", remedy="Go.")
    for record, told in [
        ({"a": True}, "here: a must be a number, but it is true or false. Go."),
        ({"a": 1.0, "b": 1.0}, "here: b must be an integer or null, but it is a number. Go."),
        ({"a": 1, "b": 2}, "here: c must be true or false, but it is missing. Go."),
        ([], "here must be an object, but it is a list. Go."),
    ]:
        with pytest.raises(RunError) as caught:
            require_kinds(record, kinds, where="here", remedy="Go.")
        assert str(caught.value) == told
