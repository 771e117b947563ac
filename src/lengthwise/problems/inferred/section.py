"""The report's section about an inferred automaton: the automaton, and what words say of it."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from lengthwise.inference.distinguish import access_words
from lengthwise.languages.language import Language
from lengthwise.messages import format_count, shorten
from lengthwise.problems.account import Account, Records
from lengthwise.problems.labelled_words.section import section_on_file
from lengthwise.problems.results import Facts, Section
from lengthwise.problems.run_certificate import find_known_verdict, read_proof
from lengthwise.templates import template
from lengthwise.training.runs import RunFolder

_MOST_STATES, _MOST_SYMBOLS = 60, 20
"""Greatest numbers of states and symbols of an automaton that is shown."""

_READABLE = 30

NOTE = (
    "A hash of each word decides whether it is held out. An automaton A is inferred from all other "
    "words, those of validation included, and the words held out judge it; the network learns A. A "
    "shortcut is a rule that looks at very little of a word; it learns from the training words and "
    "is scored on the same test words."
)


def make_section(records: Records, account: Account) -> Section:
    """Return the section about a run, from the account of it.

    Raises:
        RunError: a record is damaged.
        CertificateError: the certificate was changed, or is of another network or other symbols.
    """
    problem: Any = records.plan.problem
    statement = account.values.get("statement")
    section = section_on_file(records, problem.inference.max_length, account)
    automaton = problem.language
    states = format_count(automaton.num_states, "state")
    body = template("lengthwise.problems.inferred", "section.html").render(
        size=f"{states}, {format_count(automaton.num_symbols, 'symbol')}",
        table=_transitions(automaton),
        is_kept=statement is not None,
    )
    facts = list(section.about)
    if statement:
        facts[:0] = [*describe_proof(records.folder, automaton, "A"), *_thin(statement)]
    if not section.body:  # facts are shown only where there is no body
        facts += section.facts
    return replace(section, about=facts, body=section.body + body, note=NOTE)


def describe_proof(folder: RunFolder | None, automaton: Language, inferred: str) -> Facts:
    """Return what the certificate of a run proves of its network and what was inferred (`A` or
    `F`), whose language is that of an automaton; in a few words, then its statement.

    Raises:
        CertificateError: it was changed, or is of another network or other symbols.
    """
    assert folder is not None
    proof = read_proof(folder, automaton)
    if proof is None:
        return [("certificate", "not proved: there is no certificate")]
    brief = proof.brief(automaton)
    if find_known_verdict(proof, automaton) == "equivalent":
        brief = f"equivalent: it computes {inferred}, {proof.certificate.strength}"
    says = [] if proof.refused else [("certificate says", proof.certificate.statement)]
    return [("certificate", brief), *says]


def _thin(statement: Mapping[str, Any]) -> Facts:
    """Return the transitions on which few words rest, the thinnest first."""
    transitions = [
        f"{transition['symbol']} after {transition['after'] or 'nothing'}: "
        f"{format_count(transition['words'], 'word')}"
        for transition in statement["thin"]
    ]
    more = statement["num_thin"] - len(transitions)
    return [
        ("thin transition", line) for line in [*transitions, *([f"{more:,} more"] if more else [])]
    ]


def _transitions(automaton: Language) -> list[list[str]]:
    """Return the table of an automaton, a row a state; no row if it is too large to be read."""
    if automaton.num_states > _MOST_STATES or automaton.num_symbols > _MOST_SYMBOLS:
        return []
    names = automaton.class_names
    return [
        ["state", "shortest word to it", "class", *automaton.alphabet],
        *(
            [
                str(state),
                shorten(automaton.decode(word), _READABLE) if word else "(no symbol)",
                names[automaton.classes[state]],
                *map(str, automaton.transitions[state]),
            ]
            for state, word in enumerate(access_words(automaton))
        ),
    ]
