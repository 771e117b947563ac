"""Automata as SVG elements."""

import re
from xml.etree import ElementTree

from lengthwise.drawing.svg import automaton_svg
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse


def test_the_element_is_well_formed_and_takes_the_colour_of_the_page() -> None:
    svg = automaton_svg(parse("tomita-5"))
    root = ElementTree.fromstring(svg)
    assert root.tag.endswith("svg")
    assert root.get("aria-label") == "Automaton with 4 states"
    colours = set(re.findall(r'(?:stroke|fill)="([^"]+)"', svg))
    assert colours == {"none", "currentColor", "#4a8fd0"}
    assert svg == automaton_svg(parse("tomita-5"))


def test_states_of_class_one_are_doubled_and_those_outside_the_domain_dashed() -> None:
    assert automaton_svg(parse("parity")).count("<rect") == 3
    domain = Language(alphabet=("a",), transitions=((1,), (1,)), classes=(1, 0))
    language = Language(alphabet=("a",), transitions=((0,),), classes=(0,), domain=domain)
    assert automaton_svg(language).count("stroke-dasharray") >= 1


def test_names_and_symbols_are_text_alone() -> None:
    hostile = "<script>&\x1b"
    language = Language(
        alphabet=(hostile,), transitions=((1,), (0,)), classes=(0, 1), class_names=(hostile, "b")
    )
    svg = automaton_svg(language)
    assert "<script" not in svg
    assert "\x1b" not in svg
    assert "&lt;script&gt;&amp;" in svg
    ElementTree.fromstring(svg)
