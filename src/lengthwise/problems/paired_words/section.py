"""The report's section about a function that pairs show: its automata, and what pairs say of it."""

from dataclasses import replace
from typing import Any

from lengthwise.languages.functions.describe import facts_of_function
from lengthwise.problems.account import Account, Records
from lengthwise.problems.functions.section import draw_function
from lengthwise.problems.inferred.section import describe_proof
from lengthwise.problems.labelled_words.section import section_on_file
from lengthwise.problems.results import Section

NOTE = (
    "A hash of each input decides whether its pair is held out. A function F is inferred from all "
    "other pairs, those of validation included, and the pairs held out judge it; the network "
    "learns F. A shortcut is a rule that carries nothing along a word; it learns from the training "
    "pairs and is scored on the same test pairs."
)


def section_on_pairs(records: Records, account: Account) -> Section:
    """Return the section about a run, from the account of it.

    Raises:
        RunError: a record is damaged.
        CertificateError: the certificate was changed, or is of another network or other symbols.
    """
    problem: Any = records.plan.problem
    section = section_on_file(records, problem.inference.max_length, account)
    _, *facts = facts_of_function(problem.function, arcs=False)
    facts = [*section.about, *((f"F, {name}", text) for name, text in facts)]
    if "statement" in account.values:
        facts = [*describe_proof(records.folder, problem.symbols, "F"), *facts]
    if not section.body:  # facts are shown only where there is no body
        facts += section.facts
    body = section.body + draw_function(problem.function)
    return replace(section, about=facts, body=body, note=NOTE)
