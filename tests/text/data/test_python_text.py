"""The text that Python brings."""

import pytest

from lengthwise.text.data.python_text import python_text


@pytest.mark.slow
def test_python_brings_two_million_characters_of_english() -> None:
    text = python_text()
    assert len(text) > 1_500_000
    assert text == python_text()
    assert text.count(" the ") > 10_000
