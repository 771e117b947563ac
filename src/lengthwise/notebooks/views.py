"""The view of each class: what its card says."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lengthwise.analysis.analyses import Findings
from lengthwise.analysis.figures import to_page_svg
from lengthwise.constructions.construction import Computed
from lengthwise.drawing.functions import function_svgs
from lengthwise.drawing.layout import is_readable, require_readable
from lengthwise.drawing.svg import automaton_svg
from lengthwise.evaluation.scores import Scores, percent
from lengthwise.languages.characters import list_symbols
from lengthwise.languages.functions.describe import facts_of_function, output_table
from lengthwise.languages.functions.function import Function
from lengthwise.languages.language import Language
from lengthwise.messages import format_count, shorten
from lengthwise.notebooks.card import Bar, Card, Tone, html
from lengthwise.notebooks.drawings import accuracy_drawing, training_drawing
from lengthwise.problems.account import Account
from lengthwise.problems.base import Run
from lengthwise.problems.inferred.inference import Inference
from lengthwise.problems.recognition.measure import choose_shown_lengths, list_scores
from lengthwise.problems.results import Evaluation
from lengthwise.proofs.check.certificate import Certificate
from lengthwise.proofs.check.statement import facts_of, name_of, terms_of
from lengthwise.tasks.step_tasks import StepTask

_MOST_NAMES = 12
_MOST_ROWS = 40
_LONGEST = 60

_VERDICTS = {
    "equivalent": ("proved", "good"),
    "counterexample": ("wrong", "bad"),
    "not-closed": ("not proved", "open"),
}


def of_language(language: Language) -> str:
    """Return the card of a language: its automaton, classes and shortest words."""
    machine = language.total()
    states = machine.reachable()
    picture = is_readable(machine)
    facts = [
        ("alphabet", _cut(list_symbols(language.alphabet, _MOST_NAMES))),
        ("classes", _list_names(language.class_names)),
    ]
    if language.domain is not None:
        facts.append(("domain", f"only some words; the others are {machine.class_names[-1]!r}"))
    for c in range(min(language.num_classes, _MOST_NAMES)):
        word = machine.shortest(c)
        first = "no word" if word is None else _word(language.decode(word))
        facts.append((f"shortest of {_cut(language.class_names[c])}", first))
    if not picture:
        arrows = format_count(_num_arrows(machine, states), "arrow")
        facts.append(("automaton", f"{arrows}: too many to draw"))
    return html(
        Card(
            title=_cut(language.spec) or "a language",
            subtitle=f"{format_count(len(states), 'state')}, "
            f"{format_count(language.num_symbols, 'symbol')}, "
            f"{language.num_classes} {'class' if language.num_classes == 1 else 'classes'}",
            pictures=(automaton_svg(language),) if picture else (),
            facts=facts,
        )
    )


def show_function(function: Function) -> str:
    """Return the card of a function: its automata, the table that joins them, and examples."""
    pictures = function_svgs(function)
    columns, rows = output_table(function)
    drawn = [("drawn", f"the automata that read {' and '.join(pictures)}")] * (len(pictures) > 1)
    return html(
        Card(
            title=_cut(function.spec) or "a function",
            subtitle=function.size,
            pictures=tuple(pictures.values()),
            facts=[
                *drawn,
                *(
                    (name, _cut(text))
                    for name, text in facts_of_function(function, arcs=not pictures)
                    if name not in ("function", "kind")
                ),
            ],
            columns=tuple(columns),
            rows=rows if len(rows) <= _MOST_ROWS else [],
        )
    )


def of_inference(inference: Inference) -> str:
    """Return the card of an inference: the statement, and the automaton."""
    machine, statement = inference.language, inference.statement
    sentences = [("statement", sentence) for sentence in statement.sentences()]
    return html(
        Card(
            title=_cut(inference.name),
            subtitle=f"{format_count(machine.num_states, 'state')}, {statement.headline}",
            badge=statement.verdict,
            tone="bad" if statement.verdict else "open",
            pictures=(automaton_svg(machine),) if is_readable(machine) else (),
            facts=[*sentences, ("classes", _list_names(machine.class_names))],
        )
    )


def draw_automaton(language: Language) -> str:
    """Draw an automaton as an SVG element.

    Raises:
        ConfigError: it is too large.
    """
    require_readable(language)
    return automaton_svg(language)


def _num_arrows(machine: Language, states: Sequence[int]) -> int:
    return len({(s, target) for s in states for target in machine.transitions[s]})


def of_run(run: Run) -> str:
    """Return the card of a run: its account, its curves and where it is kept."""
    account = run.account
    badge, tone = _make_badge(run, account)
    folder = [] if run.folder is None else [("folder", str(run.folder.path))]
    return html(
        Card(
            title=_cut(account.title, 300),
            badge=badge,
            tone=tone,
            subtitle=account.conditions,
            pictures=(training_drawing(run.metrics),) if len(run.metrics) > 1 else (),
            facts=[*account.rows, *folder],
        )
    )


def _make_badge(run: Run, account: Account) -> tuple[str, Tone]:
    """Return the badge of a run: what speaks against it, or what its last record says of a proof.

    Weights in a folder may have changed since, and the card does not check their certificate.
    """
    proved = account.values.get("proved")
    if account.verdict:
        return account.verdict, "bad" if account.refutation else "open"
    if not proved:
        return ("" if proved is None else "not proved"), "open"
    return ("proved", "good") if run.folder is None else ("training ended with a proof", "open")


def of_scores(scores: Scores) -> str:
    """Return the card of scores: a curve, the summary, and a bar for each of some lengths."""
    if not scores.records:
        return html(Card(title="scores", subtitle="no length was tested"))
    accuracy, summary = scores.accuracy_by_length(), scores.summary()
    first, shortest = scores.records[0], min(accuracy)
    lengths = f"{shortest}..{max(accuracy)}" if len(accuracy) > 1 else str(shortest)
    of_each = {"words_per_length": summary["words"] // len(accuracy), "shortcuts": {}}
    return html(
        Card(
            title=_cut(f"{first.model} on {first.task}"),
            subtitle=f"{format_count(summary['words'], 'word')} of length {lengths}",
            pictures=(accuracy_drawing(accuracy),) if len(accuracy) > 1 else (),
            facts=list_scores({**summary, **of_each}),
            columns=("length", "accuracy", ""),
            bars=[
                Bar(str(n), f"{percent(accuracy[n])} %", accuracy[n])
                for n in choose_shown_lengths(accuracy)
            ],
        )
    )


def of_evaluation(evaluation: Evaluation) -> str:
    """Return the card of an evaluation: its summary and its table."""
    columns, rows = evaluation.table or ([], [])
    return html(
        Card(
            title="evaluation",
            facts=[(name, _cut(value, 300)) for name, value in evaluation.facts],
            columns=tuple(columns),
            rows=rows,
            summary="notes",
            points=tuple(evaluation.notes),
        )
    )


def of_step_task(task: StepTask) -> str:
    """Return the card of a step task: the inputs, and the symbols written after them."""
    outputs = tuple(task.names[index] for index in task.outputs)
    inputs, steps = format_count(task.num_inputs, "input"), format_count(len(task.names), "step")
    return html(
        Card(
            title=_cut(task.name),
            subtitle=f"{inputs}, then {steps}",
            facts=[("written", _list_names(task.names)), ("the answer", _list_names(outputs))],
        )
    )


def of_certificate(certificate: Certificate) -> str:
    """Return the card of a certificate: verdict, statement, figures and terms."""
    badge, tone = _VERDICTS[certificate.verdict]
    if certificate.is_of_snapped and certificate.verdict != "not-closed":
        badge += ", with snapped vectors"
    if not certificate.is_checked and certificate.verdict != "not-closed":
        badge, tone = "a claim, not checked", "open"
    facts = [
        ("strength", certificate.strength),
        *facts_of(certificate),
        ("model", certificate.model_digest),
    ]
    return html(
        Card(
            title=_cut(name_of(certificate)),
            badge=badge,
            tone=tone,  # type: ignore[arg-type]
            subtitle=_cut(certificate.statement, 600),
            facts=[(name, _cut(value, 300)) for name, value in facts],
            summary="provided that …",
            points=terms_of(certificate),
        )
    )


def of_construction(construction: Computed) -> str:
    """Return the card of a construction: its claim, range, margin, network and source."""
    settings = ", ".join(f"{name}={value}" for name, value in construction.settings.items())
    config: Any = getattr(construction.model, "config", None)
    sizes = config.to_dict() if hasattr(config, "to_dict") else {}
    network = ", ".join(f"{name}={value}" for name, value in sizes.items() if value is not None)
    facts = [
        ("range", construction.range_in_words()),
        ("margin", construction.margin_in_words()),
        (
            "network",
            f"{construction.architecture}, "
            f"{format_count(construction.num_parameters, 'parameter')}",
        ),
        ("sizes", _cut(network, 300)),
        ("settings", _cut(settings, 300)),
        ("source", construction.source),
    ]
    return html(
        Card(
            title=_cut(construction.name),
            badge="computed",
            tone="good",
            subtitle=construction.claim,
            facts=[(name, value) for name, value in facts if value],
        )
    )


def of_findings(findings: Findings) -> str:
    """Return the card of an analysis: its figure, its numbers, and what they show."""
    return html(
        Card(
            title=_cut(f"{findings.title}, {findings.record['language']}"),
            subtitle=findings.meaning,
            pictures=(to_page_svg(findings.draw()),),
            facts=findings.numbers,
            summary="what is shown",
            points=(findings.caption,),
        )
    )


VIEWS: Mapping[type, Callable[[Any], str]] = {
    Certificate: of_certificate,
    Computed: of_construction,
    Evaluation: of_evaluation,
    Findings: of_findings,
    Function: show_function,
    Inference: of_inference,
    Language: of_language,
    Run: of_run,
    Scores: of_scores,
    StepTask: of_step_task,
}
"""The view of each class, and of those that derive from it."""


def view_of(value: object) -> str:
    """Return the view of a value of one of the classes in `VIEWS`."""
    return next(VIEWS[kind] for kind in type(value).__mro__ if kind in VIEWS)(value)


def _list_names(names: tuple[str, ...]) -> str:
    more = "" if len(names) <= _MOST_NAMES else f" … ({len(names)} in all)"
    return " ".join(_cut(name, 20) for name in names[:_MOST_NAMES]) + more


def _word(text: str) -> str:
    return _cut(text) or "the empty word"


def _cut(text: str, longest: int = _LONGEST) -> str:
    return shorten(text, longest)
