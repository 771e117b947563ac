"""Which lengths the table of `evaluate` shows."""

from itertools import pairwise

from lengthwise.problems.recognition.measure import choose_shown_lengths


def test_the_table_shows_the_worst_lengths_and_no_stride() -> None:
    """Right at odd lengths only: a stride of 50 from 41 would see none of the others."""
    accuracy = {length: float(length % 2) for length in range(41, 492)}
    shown = choose_shown_lengths(accuracy)
    assert 10 <= len(shown) <= 13
    assert {41, 491} <= set(shown)
    assert sum(length % 2 == 0 for length in shown) >= 3
    assert len({b - a for a, b in pairwise(shown)}) > 3


def test_the_worst_length_of_all_is_shown_and_few_are_shown_all() -> None:
    worst = {173: 0.25, 301: 0.5, 433: 0.75}
    assert worst.keys() <= set(choose_shown_lengths(dict.fromkeys(range(41, 501), 1.0) | worst))
    assert choose_shown_lengths({5: 1.0, 1: 0.5}) == [1, 5]
    assert choose_shown_lengths(dict.fromkeys(range(12), 1.0)) == list(range(12))
