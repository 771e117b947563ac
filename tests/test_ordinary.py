"""Which cases of a test are slow follows from its marks."""

import pytest

from ordinary import mark_slow_cases


def cases(request: pytest.FixtureRequest, mark: pytest.MarkDecorator) -> list[pytest.Item]:
    made: list[pytest.Item] = []
    for case in "abc":
        made.append(
            pytest.Function.from_parent(
                request.node.parent, name=f"test_it[{case}]", callobj=lambda: None
            )
        )
        made[-1].add_marker(mark)
    return made


@pytest.mark.parametrize(
    ("mark", "slow"),
    [
        (pytest.mark.slow_for("a"), [True, False, False]),
        (pytest.mark.slow_except("a", "c"), [False, True, False]),
    ],
)
def test_cases_are_slow_as_the_mark_says(
    mark: pytest.MarkDecorator, slow: list[bool], request: pytest.FixtureRequest
) -> None:
    made = cases(request, mark)
    mark_slow_cases(made, whole=True)
    assert [each.get_closest_marker("slow") is not None for each in made] == slow


def test_a_name_without_a_case_is_refused(request: pytest.FixtureRequest) -> None:
    made = cases(request, pytest.mark.slow_except("a", "d"))
    with pytest.raises(pytest.UsageError, match=r"slow_except names no case by \['d'\]"):
        mark_slow_cases(made, whole=True)
    mark_slow_cases(made[:1], whole=False)
