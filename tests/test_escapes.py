"""A user's strings in the formats of output, read back by the formats' own readers."""

import doctest
import html
import re
import shutil
import subprocess
from xml.etree import ElementTree

import markdown
import pytest

from hostile_strings import HOSTILE
from lengthwise import escapes
from lengthwise.analysis.figures import bands_figure, to_page_svg
from lengthwise.display import html_of
from lengthwise.escapes import code_in_markdown, in_dot, printable, printable_lines
from lengthwise.languages.dot import to_dot
from lengthwise.languages.language import Language
from lengthwise.notebooks import card
from lengthwise.proofs.export.rocq_header import escape_string
from lengthwise.templates import template


def test_the_examples_in_the_docstrings_hold() -> None:
    assert doctest.testmod(escapes).failed == 0


@pytest.mark.parametrize("text", HOSTILE)
def test_what_is_printed_can_be_printed_and_stays_in_its_line(text: str) -> None:
    assert printable(text).isprintable()
    assert printable_lines(text).replace("\n", "").isprintable()
    assert printable("plain 語 ä 😀") == "plain 語 ä 😀"


def _language(text: str) -> Language:
    """Return a language whose name, symbols and classes are hostile."""
    return Language(
        alphabet=("".join(text.split()), "z"),
        transitions=((1, 0), (0, 1)),
        classes=(0, 1),
        class_names=(f"{text}-0", f"{text}-1"),
        spec=f"regex:({text})*",
    )


@pytest.mark.parametrize("text", HOSTILE)
def test_a_cell_of_a_page_shows_what_was_typed_and_has_no_element_of_it(text: str) -> None:
    shown = card.html(card.Card(title=text, subtitle=text, facts=[(text, text)], points=(text,)))
    assert "<script" not in shown
    assert "<b>" not in shown
    title = re.search(r'class="title">(.*?)</span>', shown, re.DOTALL)
    assert title is not None
    assert html.unescape(title[1]) == text
    page = template("lengthwise.report", "report.html").render(
        groups=[], pages=[], title=text, comparisons=[], written=""
    )
    assert "<script" not in page


@pytest.mark.parametrize("text", HOSTILE)
def test_a_view_of_a_language_is_one_element_with_no_element_of_a_user(text: str) -> None:
    shown = html_of(_language(text))
    assert "<script" not in shown
    assert "<b>" not in shown
    for svg in re.findall(r"<svg.*?</svg>", shown, re.DOTALL):
        ElementTree.fromstring(svg)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_drawing_is_xml_and_has_the_name_as_a_text(text: str) -> None:
    figure = bands_figure({f"{text}!": [{1: 0.5, 2: 0.7}]}, xlabel="n", ylabel=f"{text}!")
    root = ElementTree.fromstring(to_page_svg(figure))
    texts = [each.text for each in root.iter("{http://www.w3.org/2000/svg}text")]
    lines = [line.strip() for line in printable_lines(f"{text}!").split("\n")]
    assert [(line or None) in [each and each.strip() for each in texts] for line in lines if line]
    assert not [each for each in root.iter() if each.tag.endswith("script")]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_code_span_of_markdown_shows_the_name_as_it_is(text: str) -> None:
    shown = markdown.markdown(f"before {code_in_markdown(f'x{text}')} after")
    found = re.fullmatch(r"<p>before <code>(.*)</code> after</p>", shown, re.DOTALL)
    assert found is not None, shown
    assert html.unescape(found[1]) == printable(f"x{text}").strip()


@pytest.mark.parametrize("text", HOSTILE)
def test_a_label_of_graphviz_ends_where_it_should(text: str) -> None:
    quoted = in_dot(text)
    assert re.fullmatch(r'"(?:[^"\\]|\\["\\])*"', quoted), quoted
    shown = quoted[1:-1].replace('\\"', '"').replace("\\\\", "\\")
    assert html.unescape(shown) == printable(text)
    if shutil.which("dot"):
        subprocess.run(["dot", "-Tsvg"], input=to_dot(_language(text)).encode(), check=True)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_comment_of_rocq_goes_on_after_a_name(text: str) -> None:
    assert not re.search(r"[\"*()\\\s]", escape_string(text))
