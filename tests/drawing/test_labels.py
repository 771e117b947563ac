"""Labels of arrows: short, and true of their symbols."""

import pytest

from lengthwise.drawing.labels import WIDEST, arrow_labels, fit_label, text_width

LETTERS = list("abcdefghijklmnopqrstuvwxyz")


@pytest.mark.parametrize(
    ("symbols", "label"),
    [
        (list("ab"), "a, b"),
        (list("abcdef"), "a-f"),
        (LETTERS, "a-z"),
        (["login", "logout"], "login, logout"),
        (LETTERS[::2], "any"),
        (["x" * 90], None),
    ],
)
def test_a_label_names_its_symbols_or_is_cut(symbols: list[str], label: str | None) -> None:
    made = arrow_labels({(0, 1): symbols})[0, 1]
    assert made == label or (label is None and made.endswith("…"))
    assert text_width(made) <= WIDEST


def test_only_the_largest_arrow_of_a_state_is_other() -> None:
    arrows = {(0, 0): LETTERS[::2], (0, 1): LETTERS[1:20:2], (0, 2): LETTERS[21::2]}
    labels = arrow_labels(arrows)
    assert labels == {(0, 0): "other", (0, 1): "b, d, f, h, … (10)", (0, 2): "v, x, z"}
    assert "other" not in arrow_labels({**arrows, (1, 0): ["other"]})[0, 0]


def test_the_width_grows_with_each_character_and_wide_ones_take_more() -> None:
    assert text_width("") == 0
    assert text_width("ab") > text_width("a") > text_width("i")
    assert text_width("状") > text_width("a")
    assert text_width("e\u0301") == text_width("e")
    assert text_width(fit_label("m" * 50, 60)) <= 60
