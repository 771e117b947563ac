"""The page of settings on the docs site has every setting of every problem."""

from functools import cache

from settings_page import sections

from lengthwise.problems.reference import settings_reference
from lengthwise.problems.registry import PROBLEMS

page = cache(sections)


def test_the_page_has_every_setting_of_every_model() -> None:
    shown = page()
    for kind in PROBLEMS.values():
        for model in kind.setup.models:
            for setting in settings_reference(kind, model):
                assert f"`{setting.name}`" in shown, (model, setting.name)


def test_each_row_has_as_many_cells_as_its_table() -> None:
    header = 0
    for line in page().split("\n"):
        cells = line.replace(r"\|", "").count("|")
        header = (header or cells) if cells else 0
        assert cells == header, line
