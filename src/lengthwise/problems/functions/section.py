"""The report's section about a network that computes a function: its automata, and its tests."""

from dataclasses import replace

from lengthwise.drawing.functions import function_svgs
from lengthwise.languages.functions.describe import facts_of_function, output_table
from lengthwise.languages.functions.function import Function
from lengthwise.languages.language import Language
from lengthwise.problems.account import Records
from lengthwise.problems.recognition.section import section_of
from lengthwise.problems.results import Section
from lengthwise.templates import template

_PUBLISHED = "published %"

_TERMS = {
    "audited": "drawn such that all output symbols come last equally often, where they can; half "
    "of the inputs are near misses, one edit away from another one",
    "published": "drawn uniformly",
}


def section_of_function(
    function: Function, language: Language, records: Records, title: str
) -> Section:
    """Return the section about a run that writes the outputs of a function.

    Raises:
        RunError: a record is damaged.
        CertificateError: the certificate was changed, or is of other weights than the run's.
    """
    plain = section_of(language, records, title)
    without = plain.columns.index(_PUBLISHED)  # papers print none of functions
    terms = {
        name: _TERMS.get(name.removesuffix(" words"), text) if name.endswith(" words") else text
        for name, text in plain.terms
    }
    return replace(
        plain,
        columns=plain.columns[:without] + plain.columns[without + 1 :],
        cells=plain.cells[: without - 1] + plain.cells[without:],
        note="An output is right if all its symbols are. “mean” is over lengths, “worst” is the "
        "worst single length; shortcuts are judged by their symbols.",
        about=facts_of_function(function, arcs=False),
        body=draw_function(function) + plain.body,
        terms=list(terms.items()),
    )


def draw_function(function: Function) -> str:
    """Return the automata of a function as pictures, and its table of outputs."""
    page = template("lengthwise.problems.functions", "section.html")
    columns, rows = output_table(function)
    return page.render(pictures=function_svgs(function), columns=columns, rows=rows)
