"""Hidden functions: they are drawn as said, and their pairs show one of them."""

from pathlib import Path

import pytest

from lengthwise_papers.own.hidden_functions import (
    HIDDEN_FUNCTIONS,
    draw_hidden,
    draw_pairs,
    measure,
)


def test_functions_have_at_most_eight_states_and_three_in_ten_need_both_ends() -> None:
    drawn = [draw_hidden(number) for number in range(20)]
    assert sum(not function.is_sequential for function in drawn) == 6
    for function in drawn:
        both = len(function.left) + (0 if function.is_sequential else len(function.right))
        assert 2 <= both <= 8
    assert len(set(drawn)) == 20
    assert draw_hidden(3) == drawn[3]


def test_outputs_are_wrong_as_often_as_asked() -> None:
    function, settings = draw_hidden(1), {"number": 1, "pairs": 400, "longest": 20}
    wrong = total = 0
    for line in draw_pairs(function, settings, 0.1).splitlines():
        word, output = line.split("\t")
        total += len(word)
        wrong += sum(a != b for a, b in zip(function(word), output, strict=True))
    assert wrong / total == pytest.approx(0.1, abs=0.02)
    assert all(
        function(word) == output
        for word, output in (
            line.split("\t") for line in draw_pairs(function, settings, 0.0).splitlines()
        )
    )


@pytest.mark.slow
def test_a_function_is_found_and_proved_or_its_record_says_that_it_is_not(tmp_path: Path) -> None:
    settings = {"number": 1, "pairs": 400, "longest": 12, "preset": "smoke"}
    records = measure(settings, tmp_path)
    assert [record["noise"] for record in records] == [0.0, 0.01]
    assert all(record["found"] for record in records)
    assert len({record["proved"] for record in records}) == 1
    assert len(HIDDEN_FUNCTIONS.table(records).rows) == 2
