"""What `evaluate` is asked with."""

import pytest

from cli.shell import Shell


@pytest.mark.parametrize(("words", "is_count"), [("1", True), ("512", True), ("0", False)])
def test_at_least_one_word_of_each_length_is_asked(
    shell: Shell, words: str, is_count: bool
) -> None:
    status, out, err = shell("evaluate", "gone", "--words", words)
    assert (status, out) == (2, "")
    assert ("--words" in err) == (not is_count)
    assert ("gone" in err) == is_count
