"""Functions in the explorer: what people type, and the digits that light up."""

from random import Random

from explorer.browsing import PHONE, Page, open
from function_strategies import draw_function
from lengthwise.explorer.language_values import function_values
from lengthwise.languages.functions.by_name import function


def test_the_page_writes_what_the_function_writes(page: Page) -> None:
    for seed in range(12):
        made = draw_function(seed, left=4, right=1 + seed % 3, symbols=3, outputs=3)
        draw = Random(seed)
        words = [draw.choices(range(3), k=length) for length in (0, 1, 2, 7, 40)]
        found = page.page.evaluate(
            "([values, words]) => words.map((word) => runFunction(values, word).outputs)",
            [function_values(made), words],
        )
        assert found == [made.run(word) for word in words]


def test_a_sum_is_typed_and_lights_up(page: Page) -> None:
    assert page.page.is_hidden("#function-section")
    page.ask("add[base=10]")
    page.page.fill("#input", "95 + 17")
    assert page.page.inner_text("#written") == "The output is 03."
    assert "state 1" in page.page.locator("#function-section g.state.lit").text_content()
    page.page.fill("#input", "9+1 5+7")
    assert page.page.inner_text("#written") == "The output is 03."
    page.page.fill("#position", "1")
    assert page.page.inner_text("#written") == "Written so far: 0."
    assert page.page.locator("#strip td.now").all_inner_texts() == ["9+1", "0", "0"]
    page.page.fill("#input", "95 + 170")
    assert "have 2 and 3 digits" in page.page.inner_text("#written")
    page.page.fill("#input", "<b>x")
    assert "column 1: symbol '<b>x' is not in the alphabet" in page.page.inner_text("#written")
    page.page.fill("#input", "9" * 300 + "+" + "1" + "0" * 299)
    page.page.click("#run-function")
    page.page.wait_for_function(
        f"() => document.getElementById('written').textContent === 'The output is {'0' * 300}.'"
    )
    page.ask("parity")
    assert page.page.is_hidden("#function-section")


def test_a_bimachine_reads_from_the_right_first(chromium: object, languages: str) -> None:
    with open(chromium, languages, **PHONE) as page:
        page.ask("rule:a -> b / c _ d")
        page.page.fill("#input", "cadca")
        assert (
            page.page.inner_text("#written")
            == f"The output is {function('rule:a -> b / c _ d')('cadca')}."
        )
        page.page.fill("#position", "3")
        assert page.page.locator("#strip .outputs td").all_inner_texts() == [""] * 5
        assert page.page.locator("#strip td.now").all_inner_texts() == ["d", "0"]
        page.page.fill("#position", "7")
        assert page.page.locator("#strip .outputs td").all_inner_texts() == [*"cb", "", "", ""]
        page.require_fit(390)
