"""An automaton drawn by hand in the page: by the mouse, and by the keyboard in its table."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from explorer.browsing import DARK, LIGHT, Page, open
from lengthwise.languages.att import from_att
from lengthwise.languages.spec import parse

TOOL = "input[name=drawing-tool][value='{}']"


def begin(page: Page) -> None:
    page.page.click("#draw summary")


def centre(page: Page, state: int) -> tuple[float, float]:
    box = page.page.locator("#canvas .state").nth(state).locator("circle").first.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def place(page: Page, state: int) -> tuple[float, ...]:
    """Where a state stands in the drawing."""
    circle = page.page.locator("#canvas .state").nth(state).locator("circle").first
    return tuple(float(circle.get_attribute(name)) for name in ("cx", "cy"))


def drag(page: Page, from_: tuple[float, float], to: tuple[float, float]) -> None:
    mouse = page.page.mouse
    mouse.move(*from_)
    mouse.down()
    mouse.move(*to, steps=4)
    mouse.up()


def targets(page: Page) -> list[list[str]]:
    """The transitions as the table has them, by name."""
    found: list[list[str]] = page.page.evaluate(
        """() => [...document.querySelectorAll('#drawing-table tbody tr')].map((row) =>
          [...row.querySelectorAll('select')].map((each) => each.selectedOptions[0].textContent))"""
    )
    return found


def show(page: Page) -> str:
    page.page.click("#show-drawn")
    page.page.wait_for_function("() => document.getElementById('status').textContent.length > 1")
    return str(page.page.inner_text("#status"))


def test_parity_is_drawn_by_the_mouse(page: Page) -> None:
    begin(page)
    box = page.page.locator("#canvas").bounding_box()
    for right in (200, 450):
        page.page.mouse.dblclick(box["x"] + right, box["y"] + 120)
    page.page.check(TOOL.format(1))  # by b from each to the other
    drag(page, centre(page, 0), centre(page, 1))
    drag(page, centre(page, 1), centre(page, 0))
    page.page.check(TOOL.format(0))  # by a from each to itself
    for state in (0, 1):
        drag(page, centre(page, state), centre(page, state))
    assert targets(page) == [["0", "1"], ["1", "0"]]
    page.page.check(TOOL.format("move"))
    (x, y), (across, up) = centre(page, 1), place(page, 1)
    drag(page, (x, y), (x + 60, y + 40))
    assert place(page, 1) == pytest.approx((across + 60, up + 40), abs=2)
    page.page.click("#chosen button:has-text('Accept in 1')")
    assert page.page.is_checked("#drawn-accepts-1")
    assert show(page) == "2 states, monoid of 2 elements"
    assert "it is a group" in page.page.inner_text("#monoid-section")
    assert page.page.inner_text("#subtitle") == "an automaton drawn by hand"
    assert page.read("abbab") == "The word of 5 symbols has class 1."
    page.page.click("#undo")
    assert not page.page.is_checked("#drawn-accepts-1")
    page.page.click("#undo")
    assert place(page, 1) == pytest.approx((across, up), abs=2)


def test_an_arrow_is_deleted_by_the_mouse(page: Page) -> None:
    begin(page)
    page.page.click("#copy-shown")
    page.page.locator("#canvas .edge .hit").nth(1).dispatch_event("pointerdown")
    page.page.click("#chosen button")
    assert targets(page) == [["0", "missing"], ["1", "0"]]
    page.page.click("#undo")
    assert targets(page) == [["0", "1"], ["1", "0"]]


def test_ab_star_is_drawn_by_the_keyboard_alone(page: Page) -> None:
    """Tab, Space, Enter and letters: the drawing follows the table, and focus is never lost."""
    keys = page.page.keyboard
    page.page.focus("#draw summary")
    keys.press("Enter")

    def tab_to(ident: str) -> None:
        for _ in range(60):
            if page.page.evaluate("document.activeElement.id") == ident:
                return
            keys.press("Tab")
        pytest.fail(f"Tab does not reach {ident}")

    tab_to("add-state")
    keys.press("Enter")
    keys.press("Enter")
    tab_to("drawn-name-0")
    keys.press("Control+A")
    keys.type("even")
    tab_to("drawn-accepts-0")
    keys.press("Space")
    tab_to("drawn-0-0")
    keys.type("1")
    tab_to("drawn-1-1")
    keys.type("even")
    assert targets(page) == [["1", "missing"], ["missing", "even"]]
    drawn = page.page.locator("#canvas text").all_text_contents()
    assert drawn == ["a", "b", "even", "1"]
    said = "2 transitions missing: from even by b, 1 by a."
    assert page.page.inner_text("#drawing-status") == said
    tab_to("sink")
    keys.press("Enter")
    assert targets(page)[2] == ["sink", "sink"]
    tab_to("show-drawn")
    keys.press("Enter")
    page.page.wait_for_function("() => document.getElementById('status').textContent.length > 1")
    assert page.page.inner_text("#status") == "3 states, monoid of 6 elements"
    page.page.focus("#drawn-delete-1")
    keys.press("Enter")
    assert page.page.evaluate("document.activeElement.id") == "drawn-delete-1"
    assert targets(page) == [["missing", "sink"], ["sink", "sink"]]


def test_an_incomplete_automaton_is_not_sent(page: Page) -> None:
    begin(page)
    assert page.page.inner_text("#drawing-status") == "There is no state yet."
    page.page.click("#add-state")
    page.page.click("#show-drawn")
    assert "a transition by every symbol from each" in page.page.inner_text("#drawing-status")
    assert page.page.inner_text("#subtitle") == "regex:(0|10*1)*"


def test_what_is_typed_into_a_drawing_is_text(page: Page) -> None:
    begin(page)
    page.page.click("#add-state")
    hostile = "<img src=x onerror=alert(1)>\u202e'\""
    page.page.fill("#drawn-name-0", hostile)
    page.page.press("#drawn-name-0", "Tab")
    assert page.page.text_content("#canvas title") == hostile
    for symbol, said in [
        ("a", "symbols differ, but 'a' is there"),
        ("", "a symbol has at least one character"),
        ("a b", "a symbol is a string without spaces"),
        ("x" * 10_000, "at most 40 characters here, but this has 10,000"),
    ]:
        page.page.fill("#new-symbol", symbol)
        page.page.click("#add-symbol")
        assert said in page.page.inner_text("#drawing-status")
    page.page.fill("#drawn-name-0", "x" * 10_000)
    page.page.press("#drawn-name-0", "Tab")
    assert "a name has at most 40 characters" in page.page.inner_text("#drawing-status")
    assert page.page.input_value("#drawn-name-0") == hostile
    page.page.fill("#new-symbol", "<script>\u202e")
    page.page.click("#add-symbol")
    page.page.click("#sink")
    assert show(page) == "1 state, monoid of 1 element"
    assert "<script>" in page.page.inner_text("#automaton dl")
    assert page.page.locator("img, iframe, main script").count() == 0


@pytest.mark.slow
def test_no_more_is_drawn_than_can_be_shown(page: Page) -> None:
    begin(page)
    for _ in range(31):
        page.page.click("#add-state")
    assert "at most 30 states, and it has them" in page.page.inner_text("#drawing-status")
    assert page.page.locator("#canvas .state").count() == 30
    page.ask("cycle-navigation")
    page.page.click("#copy-shown")
    assert "this language has other classes" in page.page.inner_text("#drawing-status")
    assert page.page.locator("#canvas .state").count() == 30, "what is refused changes nothing"


@pytest.mark.slow
def test_random_automata_are_the_languages_that_were_drawn(page: Page, tmp_path: Path) -> None:
    """Drawings by the page's own class, against this package's automata, and the file it offers."""
    generator = random.Random(3)
    for spec in ("tomita-3", "d-2", "regex:(ab)*", "tomita-7"):
        page.ask(spec)
        if page.page.get_attribute("#draw", "open") is None:
            begin(page)
        page.page.click("#copy-shown")
        states = page.page.locator("#canvas .state").count()
        flipped = generator.randrange(states)
        page.page.click(f"#drawn-accepts-{flipped}")
        show(page)
        page.page.wait_for_selector("#as-file")
        file = tmp_path / "machine.att"
        file.write_text(str(page.page.input_value("#as-file textarea")), encoding="utf-8")
        machine = parse(spec).minimise()
        classes = [c ^ (at == flipped) for at, c in enumerate(machine.classes)]
        expected = type(machine)(
            alphabet=machine.alphabet,
            transitions=machine.transitions,
            classes=tuple(classes),
            start=machine.start,
        )
        assert from_att(file, alphabet=machine.alphabet).difference(expected) is None


@pytest.mark.slow
@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_the_editor_fits_every_width(
    chromium: Any, languages: str, tmp_path: Path, width: int, colours: dict[str, Any]
) -> None:
    """Nothing scrolls sideways but boxes of their own; the pictures are kept for people to see."""
    with open(chromium, languages, viewport={"width": width, "height": 900}, **colours) as page:
        begin(page)
        page.page.click("#copy-shown")
        page.page.click("#add-state")
        page.page.click("#canvas .state >> nth=2")
        show(page)
        page.page.screenshot(path=tmp_path / "drawing.png", full_page=True)
        page.require_fit(width)
        print(json.dumps(str(tmp_path / "drawing.png")))
