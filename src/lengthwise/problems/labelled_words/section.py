"""The report's section about a run on labelled words: accuracy by length and class, shortcuts."""

from typing import Any

import numpy as np

from lengthwise.analysis.figures import accuracy_figure, to_page_svg
from lengthwise.errors import LengthwiseError
from lengthwise.evaluation.scores import Scores, percent
from lengthwise.files import values_of
from lengthwise.languages.characters import list_symbols
from lengthwise.messages import shorten
from lengthwise.problems.account import Account, Records
from lengthwise.problems.base import Plan
from lengthwise.problems.labelled_words.measure import facts_on_file, table
from lengthwise.problems.results import Facts, Section
from lengthwise.templates import template

_MOST_CLASSES = 12
_SAMPLES = 5

NOTE = (
    "The words of a file are divided by a hash of each word into training, validation and test, so "
    "no word is in two parts. Training is given the label of each whole word and nothing else; the "
    "weights that are kept are those of the best validation. A shortcut is a rule that looks at "
    "very little of a word; it learns from the training words and is scored on the same test words."
)


def section_on_file(records: Records, longest: int | None, account: Account) -> Section:
    """Return the section of the report about a run on labelled words.

    `longest` is the greatest length of words of training that is set; None if none is.

    Raises:
        RunError: a record is damaged.
    """
    folder, plan, (by, result) = records.folder, records.plan, account.rows[0]
    assert folder is not None
    evaluation = folder.evaluation()
    cells, body = ["not evaluated yet", "", ""], ""
    if evaluation is not None:
        scores = Scores.from_records(folder.scores())
        with values_of(folder.path / "evaluation.json", remedy="Evaluate again."):
            curves = {account.title: scores.accuracy_by_length()}
            figure = to_page_svg(accuracy_figure(curves, longest, evaluation["shortcuts"]))
            page = template("lengthwise.problems.labelled_words", "section.html")
            body = page.render(
                figure=figure, facts=facts_on_file(evaluation), table=table(evaluation)
            )
            best = percent(max(evaluation["shortcuts"].values()))
            cells = [f"{evaluation['words']:,}", percent(evaluation["accuracy"]), best]
    return Section(
        columns=["run", "trained on", by, "test words", "test %", "best shortcut %"],
        cells=[plan.trained_on, result, *cells],
        note=NOTE,
        body=body,
        facts=[("evaluation", "not evaluated yet")],
        about=_about(plan),
        terms=[
            (
                "shortcut",
                "a rule that looks at very little of a word; it learns from the training words",
            )
        ],
    )


def _about(plan: Plan) -> Facts:
    """Return the file, its symbols and classes, and words of each class if it is still there."""
    problem: Any = plan.problem
    reference = problem.words
    facts = [
        ("words", f"{problem.name}, digest {reference.digest[:12]}"),
        ("alphabet", list_symbols(reference.alphabet)),
    ]
    try:
        words = reference.load()
    except LengthwiseError:
        return [*facts, ("classes", " ".join(reference.class_names[:_MOST_CLASSES]))]
    for number, label in enumerate(reference.class_names[:_MOST_CLASSES]):
        rows = np.flatnonzero(np.asarray(words.classes) == number)
        shortest = rows[np.argsort(words.lengths(rows), kind="stable")][:_SAMPLES]
        spellings = [
            shorten(words.format_word(int(row)), 40) or "the empty word" for row in shortest
        ]
        facts.append(
            (f"words of class {shorten(label, 20)}", f"{len(rows):,}, as {', '.join(spellings)}")
        )
    return facts
