"""Learners from the same labelled words: what each is given, when it is stopped, who judges it."""

import signal
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import torch
from aalpy.learning_algs.deterministic_passive.RPNI import run_RPNI
from hypothesis import given as for_all
from hypothesis import settings
from hypothesis import strategies as st

from lengthwise.data.labelled_words import LabelledWords
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from lengthwise.verification.learning import from_moore
from lengthwise_papers.budget import BudgetError, processor_budget
from lengthwise_papers.experiment import Record
from lengthwise_papers.own.held_out_pairs import (
    GRADIENT,
    GROUP,
    HELD_OUT_PAIRS,
    LONGEST,
    allowed_pairs,
    training_words,
    walks,
    with_pair,
)
from lengthwise_papers.own.label_learners import (
    LABEL_LEARNERS,
    LEARNERS,
    MERGING,
    NETWORKS,
    PIPELINE,
    Sizes,
    given,
    measure,
    parts,
    renamed,
)
from lengthwise_papers.own.labels_alone import is_same
from strategies import machines, words

# ---- the budget ----------------------------------------------------------------------------------


def busy() -> None:
    while True:
        pass


def limited(seconds: float, work: Callable[[], None]) -> None:
    with processor_budget(seconds):
        work()


def test_a_budget_is_over_whatever_a_library_makes_of_its_end() -> None:
    def translated() -> None:
        try:
            busy()
        except BudgetError as error:
            raise TypeError("a check of types failed") from error

    with pytest.raises(BudgetError, match=r"0\.05 seconds"):
        limited(0.05, translated)
    with pytest.raises(ZeroDivisionError):
        limited(100, lambda: print(1 / 0))


def test_work_is_stopped_when_the_budget_is_used_up_and_not_before() -> None:
    before = signal.getsignal(signal.SIGPROF)
    with pytest.raises(BudgetError, match=r"0\.05 seconds"):
        limited(0.05, busy)
    assert signal.getsignal(signal.SIGPROF) == before
    assert signal.getitimer(signal.ITIMER_PROF)[0] == 0
    done = list[str]()
    limited(100, lambda: done.append("in time"))
    assert done == ["in time"]
    assert signal.getitimer(signal.ITIMER_PROF)[0] == 0


def test_an_exception_that_is_lost_comes_again_or_at_the_end() -> None:
    lost = list[BudgetError]()

    def once(work: Callable[[], None]) -> None:
        try:
            busy()
        except BudgetError as error:
            lost.append(error)
        work()

    with pytest.raises(BudgetError):
        limited(0.02, lambda: once(busy))
    with pytest.raises(BudgetError):
        limited(0.02, lambda: once(lambda: None))
    assert len(lost) == 2


# ---- learners ------------------------------------------------------------------------------------


@for_all(data=st.data(), language=machines(max_states=4))
@settings(max_examples=30)
def test_a_machine_of_aalpy_is_read_as_it_answers(data: st.DataObject, language: Language) -> None:
    told = data.draw(st.lists(words(language, max_size=6), min_size=1, max_size=20, unique=True))
    labelled = [(word, language.classify(word)) for word in told]
    machine = run_RPNI(labelled, "moore", input_completeness="self_loop", print_info=False)
    assert machine is not None
    found = from_moore(machine, language.alphabet, language.class_names)
    assert all(found.classify(word) == label for word, label in labelled)
    shown = sorted({symbol for word in told for symbol in word})
    if shown:
        word = tuple(data.draw(st.lists(st.sampled_from(shown), min_size=1, max_size=12)))
        answers = machine.execute_sequence(machine.initial_state, list(word))
        assert found.classify(word) == (answers[-1] or 0)


@pytest.mark.slow_for("EDSM")
@pytest.mark.parametrize("learner", [PIPELINE, *MERGING])
def test_those_that_merge_states_find_a_language_that_its_words_force(
    learner: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (record,) = measured(tmp_path, learner, "cycle-navigation", budget=100.0)
    assert (record["found"], record["states"], record["true_error"]) == (True, 5, 0.0)
    assert record["told"] == "labels of whole words"
    assert record["ended"] == "found an automaton"
    (wrong,) = measured(tmp_path, learner, "cycle-navigation", budget=100.0, words=15)
    assert not wrong["found"]
    assert wrong["true_error"] is None or wrong["true_error"] > 0


@pytest.mark.parametrize("learner", ["EDSM", NETWORKS[0]])
def test_a_learner_that_the_budget_stops_has_found_nothing(
    learner: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    # The end of the budget may fall into a destructor, and a second one into pytest's own hook.
    monkeypatch.setattr(sys, "unraisablehook", lambda _: None)
    (record,) = measured(tmp_path, learner, "parity", budget=0.02)
    assert record["ended"] == "budget"
    assert (record["found"], record["states"], record["true_error"]) == (False, None, None)


def measured(folder: Path, learner: str, spec: str, **more: Any) -> list[Record]:
    numbers = {"words": 1_000, "seed": 0, "judged": 300, "preset": "smoke", **more}
    of_networks = {"training_share": 0.5, "settings": {}, "asking": {}}
    told = {"learner": learner, "language": spec, **numbers}
    return measure(told | (of_networks if learner in NETWORKS else {}), folder)


def test_all_learners_get_the_same_words_and_the_same_budget() -> None:
    sizes = Sizes(preset="laptop", network_words=(1_000, 10_000), network_seeds=(0, 1, 2))
    told: dict[str, set[tuple[Any, ...]]] = {}
    for part in parts(sizes, ()):
        names = ("language", "words", "seed", "budget", "judged")
        one = tuple(part.settings[name] for name in names)
        told.setdefault(part.settings["learner"], set()).add(one)
    assert list(told) == list(LEARNERS)
    assert len({frozenset(each) for each in told.values()}) == 1
    assert len(told[PIPELINE]) == 14 * 2 * 3


def test_words_come_back_from_their_file_with_their_labels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    language = parse(GROUP)
    drawn = training_words(language, allowed_pairs(4, 0, 0), 500, seed=0)
    read = given(tmp_path / "words.tsv", drawn)
    assert read.alphabet == language.alphabet
    labels = {drawn.written(row): int(drawn.classes[row]) for row in range(len(drawn))}
    assert len(read) == len(drawn) > 300
    for row in range(len(read)):
        assert (
            read.class_names[int(read.classes[row])]
            == (drawn.class_names[labels[read.written(row)]])
        )
    ordered = renamed(language, read.class_names)
    assert ordered.class_names == read.class_names != language.class_names
    assert is_same(ordered, language)
    assert not is_same(renamed(parse("parity"), ("1", "0")), ~parse("parity"))


# ---- what the table says -------------------------------------------------------------------------


def record(learner: str, found: bool, **more: Any) -> Record:
    return {
        **{"learner": learner, "language": "parity", "words": 10_000, "seed": 0, "budget": 30.0},
        **{"true_states": 2, "found": found, "true_error": 0.0 if found else 0.25},
        **{"ended": "found an automaton", "processor_seconds": 1.0, **more},
    }


def failing(records: list[Record]) -> list[str]:
    return [each.says for each in LABEL_LEARNERS.check(records) if not each.holds]


def test_statements_fail_where_what_they_say_is_not_so() -> None:
    good = [record(learner, learner not in NETWORKS) for learner in LEARNERS]
    assert failing(good) == []
    lost = [record(learner, learner != PIPELINE) for learner in LEARNERS]
    first, second = failing(lost)
    assert first == "from 10,000 words the pipeline finds every language that another learner finds"
    assert second == "from 10,000 words state merging finds more than networks that L* reads"
    false = [*good, record("RPNI", True, language="d-2", true_error=0.01)]
    assert "a language that is found is right on all fresh words" in failing(false)


def test_the_table_counts_what_was_found_and_what_was_stopped() -> None:
    stopped = record("EDSM", False, seed=1, ended="budget", true_error=None)
    records = [record(PIPELINE, True, proved="equivalent"), record("EDSM", True), stopped]
    header, (ours, edsm) = LABEL_LEARNERS.table(records)
    shown = dict(zip(header, edsm, strict=True))
    assert shown["language found"] == "1 of 2"
    assert shown["languages found in every draw"] == "0 of 1"
    assert shown["stopped by the budget"] == "1"
    assert dict(zip(header, ours, strict=True))["with a proved network"] == "1"
    _, (row,) = LABEL_LEARNERS.more["Languages"](records)
    assert row == ["parity", "2", "10,000", "1 of 1", "", "1 of 2", "", ""]
    assert "Draws of each language: 1 to 2." in LABEL_LEARNERS.note(records)


def test_an_automaton_that_is_right_on_all_fresh_words_may_be_wrong() -> None:
    missed = [record("EDSM", False, seed=seed, true_error=0.5 * seed) for seed in (0, 1)]
    header, (row,) = LABEL_LEARNERS.table(missed)
    shown = dict(zip(header, row, strict=True))
    assert shown["% of fresh words wrong, if not found"] == "0.00 to 50.00"


# ---- pairs that are withheld ---------------------------------------------------------------------


@for_all(withheld=st.integers(1, 8), seed=st.integers(0, 50))
@settings(max_examples=15)
def test_words_of_training_have_no_withheld_pair_and_those_of_the_test_have_one(
    withheld: int, seed: int
) -> None:
    allowed, language = allowed_pairs(4, withheld, seed), parse(GROUP)
    pairs = {(i, j) for i in range(4) for j in range(4) if not allowed[i, j]}
    assert len(pairs) == withheld
    told = training_words(language, allowed, 200, seed)
    for word, label in every_word(told):
        assert len(word) <= LONGEST
        assert not pairs & set(pairwise(word))
        assert label == language.classify(word)
    draw: Callable[..., torch.Tensor]
    for draw, has_one in ((walks, False), (with_pair, True)):
        drawn = draw(allowed, 50, 9, torch.Generator().manual_seed(seed)).tolist()
        assert {len(word) for word in drawn} == {9}
        assert len(drawn) == 50
        assert all(bool(pairs & set(pairwise(w))) == has_one for w in drawn)


def every_word(told: LabelledWords) -> list[tuple[tuple[int, ...], int]]:
    """All words of a file with their classes, read one by one."""
    symbols = told.symbols.tolist()
    bounds = zip(pairwise(told.ends.tolist()), told.classes.tolist(), strict=True)
    return [(tuple(symbols[first:last]), label) for (first, last), label in bounds]


def judged(learner: str, found: bool, unseen: int, **more: Any) -> Record:
    statement = {"forced": False, "needed_states": 30, "unforced_transitions": 9}
    return {
        **{"learner": learner, "withheld": 4, "seed": 0, "found": found, "settled": True},
        **{"states": 36, "words": 100, "judged": 50, "tests": [8, 16]},
        "errors": {"without": {"8": 0.0, "16": 0.0}, "with": {"8": 0.5, "16": 0.25}},
        "statement": {**statement, "num_unseen": unseen, **more},
    }


def test_a_statement_that_hides_what_no_word_shows_is_noticed() -> None:
    def unmet(*records: Record) -> list[int]:
        statements = HELD_OUT_PAIRS.check([judged(GRADIENT, True, 0), *records])
        return [number for number, each in enumerate(statements) if not each.holds]

    assert unmet(judged(PIPELINE, True, 0)) == []
    assert unmet(judged(PIPELINE, False, 7)) == [0]
    assert unmet(judged(PIPELINE, False, 0)) == [0, 1]
    assert unmet(judged(PIPELINE, True, 7)) == [1]
    assert unmet(judged(PIPELINE, False, 7, forced=True)) == [0, 3]
    assert unmet(judged(PIPELINE, True, 0), judged(GRADIENT, False, 0)) == [2]


def test_the_tables_of_withheld_pairs_tell_learners_and_outcomes_apart() -> None:
    missed = judged(PIPELINE, False, 7) | {"seed": 1}
    records = [judged(GRADIENT, False, 0), judged(PIPELINE, True, 0), missed]
    ours, theirs = HELD_OUT_PAIRS.table(records).rows
    assert ours == [PIPELINE, "4 of 16", "1 of 2", "2 of 2", "36", "0.0", "25.0 to 50.0"]
    assert theirs[:3] == [GRADIENT, "4 of 16", "0 of 1"]
    (row,) = HELD_OUT_PAIRS.more["The statement"](records).rows
    assert row == ["4 of 16", "0 of 2", "30", "9", "0", "7"]
