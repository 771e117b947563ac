"""Single arguments: what is accepted, and what is refused in a line."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lengthwise.arguments import number, path_of, require_integer, require_text
from lengthwise.errors import ConfigError, TextError


def test_integers_of_any_library_are_accepted_from_the_least_on() -> None:
    assert [require_integer("words", each) for each in (0, 7, np.int64(3))] == [0, 7, 3]
    assert require_integer("words", 2, least=2) == 2


@pytest.mark.parametrize("value", [-1, True, 1.0, "1", None])
def test_what_is_no_count_is_refused(value: Any) -> None:
    with pytest.raises(ConfigError, match=r"words is an integer of 0 or more, but got"):
        require_integer("words", value)


def test_one_below_the_least_is_refused_with_the_error_that_is_asked_for() -> None:
    with pytest.raises(TextError, match=r"words is an integer of 3 or more, but got 2\."):
        require_integer("words", 2, least=3, error=TextError)


def test_numbers_are_real_and_no_truth_values() -> None:
    assert [number("share", each, 0.1) for each in (1, 0.25, np.float32(0.5))] == [1.0, 0.25, 0.5]
    for value in (True, "0.1", 1j, None):
        with pytest.raises(ConfigError, match=r"share is a number, such as 0\.1, but got"):
            number("share", value, 0.1)


def test_paths_are_strings_or_paths() -> None:
    assert path_of("out", "a/b") == path_of("out", Path("a/b")) == Path("a/b")
    with pytest.raises(ConfigError, match=r"out is a path, such as 'runs/parity', but got 3\."):
        path_of("out", 3)


def test_strings_are_strings() -> None:
    assert require_text("language", "parity", "parity") == "parity"
    with pytest.raises(ConfigError, match=r"language is a string, such as 'parity', but got b'a'"):
        require_text("language", b"a", "parity")
