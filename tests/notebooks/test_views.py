"""Views in notebooks and one-line texts of languages, runs, scores, certificates, constructions."""

from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import lengthwise as lw
from lengthwise.display import html_of
from lengthwise.drawing.layout import MOST_STATES
from lengthwise.evaluation.scores import Score, Scores
from lengthwise.languages.language import Language
from lengthwise.problems.results import Evaluation
from lengthwise.proofs.check.certificate import Certificate, WrongWord
from lengthwise.training.runs import RunFolder

HOSTILE = ("<script>alert(1)</script>", 'x"><img/src=x/onerror=alert(1)>', "$\\frac$", "&amp;")

VOID = {"br", "img", "meta", "link", "input", "hr", "path", "use"}


class Parsed(HTMLParser):
    """The tags and the text of an element, all of which must be closed in order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[str] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def view(value: Any) -> Parsed:
    html = html_of(value)
    assert len(html) < 120_000
    assert "http://" not in html.replace("http://www.w3.org", "")
    return Parsed(html)


@pytest.fixture(scope="module")
def run() -> lw.Run:
    """A run that is not trained long enough to be right."""
    small: dict[str, Any] = {
        "steps": 6,
        "validate_every": 2,
        "batch_size": 8,
        "validation_words": 16,
    }
    return lw.train("parity", preset="smoke", **small)


@pytest.fixture(scope="module")
def made() -> lw.Construction:
    return lw.compile("parity")


@pytest.fixture(scope="module")
def proved(made: lw.Construction) -> Certificate:
    return lw.certify(made.model, language="parity")


def test_a_language_is_drawn_with_an_arrow_for_each_pair_of_states() -> None:
    language = lw.language("tomita-4")
    html = html_of(language)
    seen = view(language)
    assert seen.tags.count("svg") == 1
    assert "tomita-4" in seen.text
    assert "4 states, 2 symbols, 2 classes" in seen.text
    pairs = {(s, t) for s in range(4) for t in language.transitions[s]}
    assert html.count('stroke="#4a8fd0"') == len(pairs)
    assert "currentColor" in html
    assert "#1c2430" not in html


def test_a_large_automaton_is_summed_up_and_not_drawn() -> None:
    group = lw.language("group:S5")
    assert group.num_states > MOST_STATES
    seen = view(group)
    assert "svg" not in seen.tags
    assert "120 states" in seen.text
    assert "too many to draw" in seen.text
    states = MOST_STATES
    line = Language(
        alphabet=("a",),
        transitions=tuple((min(s + 1, states - 1),) for s in range(states)),
        classes=tuple(s % 2 for s in range(states)),
    )
    assert "svg" in view(line).tags


def test_a_function_is_drawn_with_its_table() -> None:
    seen = view(lw.function("rule:a -> b / c _ d"))
    assert seen.tags.count("svg") == 2
    assert "bimachine, 2 states from the left and 2 from the right" in seen.text
    assert seen.tags.count("tr") == 3 + 4 + 1 + 8, "facts, examples, and the table"
    seen = view(lw.function("add[base=10]"))
    assert (seen.tags.count("svg"), seen.tags.count("tr")) == (1, 2 + 4)


def test_hostile_names_stay_texts() -> None:
    states = range(len(HOSTILE))
    language = Language(
        alphabet=HOSTILE,
        transitions=(tuple(states),) * len(HOSTILE),
        classes=tuple(states),
        class_names=tuple(reversed(HOSTILE)),
        spec="<b>spec</b>",
    )
    seen = view(language)
    assert not {"script", "img", "b"} & set(seen.tags)
    assert "onerror" not in seen.attributes
    assert "<b>spec</b>" in seen.text
    assert "<script>" in seen.text
    score = Score(
        task=HOSTILE[0], model=HOSTILE[1], length=1, label="0", correct=1, total=2, loss=0.5
    )
    assert not {"script", "img"} & set(view(Scores((score,))).tags)


def test_a_run_shows_its_curves_and_one_without_validations_none(run: lw.Run) -> None:
    seen = view(run)
    assert seen.tags.count("svg") == 1
    assert "parity" in seen.text
    assert "in validation" in seen.text
    empty = replace(run, metrics=[])
    assert "svg" not in view(empty).tags
    assert repr(empty) == "Run(parity, regular-gpt-binary: not yet)"
    assert repr(run).startswith("Run(parity, regular-gpt-binary: ")


def test_a_run_in_a_folder_is_not_said_to_be_proved(run: lw.Run, tmp_path: Path) -> None:
    """Its weights may have changed since, and the card checks no certificate."""
    proved = replace(run, metrics=[{**run.metrics[-1], "proved": True}])
    assert "proved" in view(proved).text
    stored = view(replace(proved, folder=RunFolder(tmp_path))).text
    assert "training ended with a proof" in stored
    assert "proved" not in stored
    assert "not proved" in view(replace(run, metrics=[{**run.metrics[-1], "proved": False}])).text


def test_scores_have_a_bar_for_each_shown_length_and_a_curve_of_several() -> None:
    def score(length: int, correct: int) -> Score:
        return Score(
            task="parity@1", model="m", length=length, label="0", correct=correct, total=8, loss=0.1
        )

    one = view(Scores((score(3, 8),)))
    assert "svg" not in one.tags
    assert one.text.count("100.00 %") == 2  # the mean and the bar
    several = Scores((score(3, 8), score(50, 2)))
    seen = view(several)
    assert seen.tags.count("svg") == 1
    assert "worst length50 (25.00 %)" in "".join(seen.text.split("\n"))
    assert 'style="width: 25.0%"' in html_of(several)
    assert repr(several) == (
        "Scores(m on parity@1: mean 62.50 %, worst 25.00 % at length 50; 16 words of length 3..50)"
    )
    assert "no length was tested" in view(Scores(())).text
    assert repr(Scores(())) == "Scores(no length was tested)"


def test_certificates_are_cards_of_a_few_lines(
    run: lw.Run, made: lw.Construction, proved: Certificate
) -> None:
    seen = view(proved)
    assert len(html_of(proved)) < 8_000
    assert proved.strength == "snapped"
    assert "proved, with snapped vectors" in seen.text
    assert proved.model_digest in seen.text
    assert len(repr(proved)) < 300
    wrong = lw.certify(run)
    assert wrong.verdict == "counterexample"
    assert wrong.counterexample is not None
    seen = view(wrong)
    assert "wrong word" in seen.text
    assert f"the class {wrong.counterexample.model} where parity has" in seen.text
    open_ = lw.certify(made.model, language="parity", max_chunks=1)
    assert open_.verdict == "not-closed"
    assert "not proved" in view(open_).text
    assert repr(open_).startswith("Certificate(not-closed, ")


def test_a_long_wrong_word_is_cut_and_a_hostile_one_escaped(proved: Certificate) -> None:
    language = replace(lw.language("parity"), class_names=(HOSTILE[0], "1"))
    wrong = WrongWord(word="01" * 5_000, model=HOSTILE[0], language="1")
    html = replace(
        proved, verdict="counterexample", language=language, counterexample=wrong
    )._repr_html_()
    assert len(html) < 10_000
    assert "10,000 symbols" in html
    assert "script" not in Parsed(html).tags


def test_a_construction_says_its_claim_its_range_and_its_sizes(made: lw.Construction) -> None:
    text = view(made).text
    for each in (made.claim, made.range_in_words(), made.source, f"{made.num_parameters:,}"):
        assert each in text
    assert len(repr(made)) < 400
    assert "\n" not in repr(made)


def test_a_language_in_a_line() -> None:
    assert repr(lw.language("parity")) == ("Language(parity: 2 states over '0 1', classes '0 1')")
    assert len(repr(lw.language("group:S5"))) < 200


def test_an_evaluation_shows_its_facts_and_its_table() -> None:
    found = Evaluation(
        values={"a": 1},
        facts=[("task", HOSTILE[0]), ("exact match", "12.50 %")],
        table=(["length", "BLEU"], [["41", "3.5"]]),
        notes=["one line was cut"],
    )
    seen = view(found)
    for text in (HOSTILE[0], "12.50 %", "length", "3.5", "one line was cut"):
        assert text in seen.text
    assert repr(found) == f"Evaluation(task: {HOSTILE[0]}, exact match: 12.50 %)"


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("steps:addition", "CircuitSteps(addition of 8-bit numbers, representation 2: 16 inp"),
        ("steps:group:S5", "StateSteps(the states of group:S5 after each of 16 symbols: 16 i"),
    ],
)
def test_a_step_task_in_a_line_and_as_a_card(spec: str, said: str) -> None:
    task = lw.steps.step_task(spec)
    assert repr(task).startswith(said)
    assert f"{len(task.names)} steps" in view(task).text
    assert task.names[0] in view(task).text


class Counting(nn.Module):
    """Counts ones modulo 2 up to a greatest number, behind which it counts no more."""

    num_symbols = 2

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most = most
        self.weight = nn.Parameter(torch.zeros(2))

    def start(self) -> Any:
        return np.zeros(1, dtype=np.int64)

    def step(self, codes: Any, symbols: Any) -> Any:
        return np.minimum(codes + symbols[:, None], self.most)

    def classes(self, codes: Any) -> Any:
        return codes[:, 0] % 2

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.weight.expand(len(tokens), 2)


def test_what_an_exploration_found_in_a_line_through_the_wrapper_too() -> None:
    for network in (Counting(3), lw.adapt(Counting(3))):
        found = lw.interpret.decide(lw.interpret.CodeRecurrence(network), lw.language("parity"))
        assert repr(found) == "PrefixClosure(shortest wrong word: 1111, 4 symbols)"
    some = lw.language("regex:.*1.*", alphabet="01")
    proved = lw.interpret.decide(lw.interpret.CodeRecurrence(Counting(1)), some)
    assert repr(proved) == "PrefixClosure(every word of every length gets its class)"
    given_up = lw.interpret.decide(
        lw.interpret.CodeRecurrence(Counting(30)), lw.language("parity"), max_chunks=8
    )
    assert repr(given_up).startswith("PrefixClosure(given up: ")
