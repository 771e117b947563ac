"""The suites: each language can be built, and is named as it names itself."""

import pytest

from lengthwise.arenas.suites import SUITES
from lengthwise.problems.registry import as_problem


@pytest.mark.parametrize(
    ("name", "count"), [("state-tracking", 9), ("regular", 16), ("chomsky", 15)]
)
def test_each_language_is_named_as_it_names_itself(name: str, count: int) -> None:
    specs = SUITES[name].languages
    assert len(specs) == len(set(specs)) == count
    assert [as_problem(spec).name for spec in specs] == list(specs)


def test_mlregtest_has_a_language_of_each_class() -> None:
    from lengthwise.languages.subregular import CLASSES  # noqa: PLC0415  this test alone

    drawn = [spec.partition(":")[2].partition(",")[0] for spec in SUITES["mlregtest"].languages]
    assert drawn == list(CLASSES)
