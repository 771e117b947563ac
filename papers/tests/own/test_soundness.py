"""The benchmark of soundness: faults are where they are said to be, and each kind finds some."""

import random
from itertools import product
from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.errors import ConfigError
from lengthwise.evaluation.evaluate import answer_of
from lengthwise.proofs.check.certificate import Certificate
from lengthwise.proofs.search.certify import certify
from lengthwise.proofs.search.short_words import wrong_words
from lengthwise_papers import soundness
from lengthwise_papers.soundness import KINDS, VERIFIERS, Answer, Question
from lengthwise_papers.soundness.case import Sum, added, runs_as
from lengthwise_papers.soundness.forgeries import running
from lengthwise_papers.soundness.plants import PLANTS, drawn_member

QUICK = [kind for kind in KINDS if kind != "one length"]
"""Kinds that `certify` decides in less than a second."""


@pytest.mark.parametrize("kind", KINDS)
def test_faults_are_seen_where_they_are_planted(kind: str) -> None:
    asked = list(soundness.cases(3, each=1, kinds=[kind]))
    assert [case.kind for case in asked] == [kind]
    for case in asked:
        assert (case.truth == "holds") == (kind == "sound")
        assert soundness.is_confirmed(case), case.known_by


@settings(max_examples=8, deadline=None)
@given(
    kind=st.sampled_from(sorted(PLANTS)),
    seed=st.integers(0, 1_000),
    fault=st.booleans(),
    words=st.lists(st.lists(st.integers(0, 1), max_size=130), min_size=30, max_size=30),
)
def test_networks_compute_their_machines(
    kind: str, seed: int, fault: bool, words: list[list[int]]
) -> None:
    planted = PLANTS[kind](random.Random(seed), fault=fault)
    for word in words:
        assert runs_as(planted.model, tuple(word)) == planted.machine.classify(word)
    if planted.word:
        assert runs_as(planted.model, planted.word) == planted.machine.classify(planted.word)


@pytest.mark.slow_except("powers")
@pytest.mark.parametrize("kind", ["one length", "powers"])
def test_they_are_wrong_at_no_other_length(kind: str) -> None:
    draw = random.Random(4)
    planted = PLANTS[kind](random.Random(1), fault=True)
    own = len(planted.word)
    wrong = {own} if kind == "one length" else {2**k + 1 for k in range(own.bit_length() - 1, 16)}
    asked = {
        *range(1, 9),
        own - 1,
        own,
        own + 1,
        2 * own,
        *(2**k + d for k in range(3, 14) for d in (0, 1, 2)),
    }
    for length in sorted(each for each in asked if kind == "powers" or each < 2_200):
        word = drawn_member(planted.language, length, draw)
        if word:
            assert (runs_as(planted.model, word) == 1) == (length not in wrong), length


def test_a_domain_corner_is_right_on_the_rest_of_the_domain() -> None:
    planted = PLANTS["domain corner"](random.Random(0), fault=True)
    domain = planted.language.domain
    assert domain is not None
    words = [w for n in range(9) for w in product(range(2), repeat=n) if domain.classify(w) == 1]
    right = [runs_as(planted.model, w) == planted.language.classify(w) for w in words]
    assert sum(right) >= len(right) - 3


@pytest.mark.slow_for("tries short words-kinds1")
@pytest.mark.parametrize(
    ("verifier", "kinds"),
    [
        ("believes everything", ["one length", "overflow", "forged file"]),
        ("tries short words", ["one length", "powers", "forged file"]),
        ("ignores pads", ["powers", "one pad"]),
        ("ignores rounding", ["margin", "cancellation", "overflow"]),
    ],
)
def test_each_kind_catches_an_unsound_verifier(verifier: str, kinds: list[str]) -> None:
    asked = soundness.cases(1, each=1, kinds=kinds)
    tallies = soundness.run(VERIFIERS[verifier], asked)
    assert all(tallies[kind].wrongly_holds >= 1 for kind in kinds), tallies


def test_a_verifier_that_ignores_rounding_finds_what_is_wrong_in_real_numbers() -> None:
    kinds = ["powers", "one pad", "domain corner"]
    tallies = soundness.run(VERIFIERS["ignores rounding"], soundness.cases(each=1, kinds=kinds))
    assert all(tally.right == 1 for tally in tallies.values())


@pytest.mark.slow
def test_ours_says_of_no_fault_that_it_holds() -> None:
    tallies = soundness.run(soundness.ours, soundness.cases(2, each=1, kinds=QUICK))
    for kind, tally in tallies.items():
        assert (tally.wrongly_holds, tally.wrongly_fails) == (0, 0), kind
    assert tallies["sound"].right == 1


def test_ours_is_certain_of_no_sum_whose_order_decides() -> None:
    """Most of them are right as they run, so that nothing but a bound can tell."""
    for case in soundness.cases(2, each=4, kinds=["margin", "cancellation"]):
        assert soundness.ours(case.question) == "undecided", case.known_by


@pytest.mark.slow
def test_ours_says_of_no_fault_of_another_thousand_that_it_holds() -> None:
    seen = []

    def watch(case: soundness.Case, answer: Answer) -> None:
        if answer == "holds" and case.truth != "holds":
            seen.append((case.name, case.known_by))

    soundness.run(soundness.ours, soundness.cases(7), watch=watch)
    assert not seen


@pytest.mark.slow
def test_every_way_of_forging_is_refused() -> None:
    asked = list(soundness.cases(5, each=8, kinds=["forged file"]))
    assert len({case.known_by.partition(" called")[0] for case in asked}) == 8
    for case in asked:
        assert soundness.is_confirmed(case), case.known_by
        assert soundness.ours(case.question) == "fails", case.known_by


@pytest.mark.slow
def test_cases_are_drawn_from_their_seed_alone() -> None:
    kinds = ["one pad", "overflow", "forged file"]
    few = [case.digest for case in soundness.cases(each=1, kinds=kinds)]
    more = [case.digest for case in soundness.cases(each=2, kinds=kinds)]
    assert more[::2] == few
    assert len(set(more)) == len(more)
    assert few != [case.digest for case in soundness.cases(1, each=1, kinds=kinds)]


def test_another_program_reads_a_question_from_a_file(tmp_path: Path) -> None:
    for case in soundness.cases(each=1, kinds=["one pad", "domain corner", "forged file"]):
        read = Certificate.load(case.save(tmp_path))
        assert read.verdict == ("not-closed" if case.kind != "forged file" else read.verdict)
        tokens = torch.tensor([case.word, case.word[::-1]])
        given = answer_of(running(read)(tokens))
        assert given.equal(answer_of(case.question.model(tokens)))
    assert len(list(tmp_path.iterdir())) == 3


@given(numbers=st.lists(st.floats(-1e9, 1e9, width=32), min_size=1, max_size=6))
def test_sums_are_rounded_at_each_addition(numbers: list[float]) -> None:
    total = torch.zeros((), dtype=torch.float32)
    for number in numbers:
        total = total + torch.tensor(number, dtype=torch.float32)
    assert added(numbers, "float32") == float(total)
    planted = Sum(
        summands=(1e8, -1e8, 0.25, -0.5), dtype="float32", order=(0, 3, 1, 2), weight=("", 0, 0)
    )
    assert float(planted.exact()) == -0.25
    assert planted.turns


def test_no_such_kind_number_or_answer() -> None:
    with pytest.raises(ConfigError, match=r"unknown kind of case 'margins'.*'margin'"):
        list(soundness.cases(kinds=["margins"]))
    with pytest.raises(ConfigError, match="each=-1"):
        list(soundness.cases(each=-1))

    def wordy(question: Question) -> Answer:
        return "equivalent"  # type: ignore[return-value]

    with pytest.raises(ConfigError, match="'one pad 0' it answered 'equivalent'"):
        soundness.run(wordy, soundness.cases(each=1, kinds=["one pad"]))


@pytest.mark.slow
def test_what_is_said_of_words_without_a_proof_is_true_of_the_model_as_it_ran() -> None:
    """Where signs are not certain, words that were explored in float64 may be wrong as it runs, and
    in one batch, but not in another."""
    told = wrong_ones = 0
    for case in soundness.cases(each=12, kinds=["margin"]):
        model, language = case.question.model, case.question.language
        if model is None:
            continue
        made = certify(model, language)
        if made.verdict != "not-closed" or not made.checked_length:
            continue
        told += 1
        wrong = wrong_words(model, language)[1]
        assert all(len(word) > made.checked_length for word in wrong)
        assert (f"Run once, the model was right on all words of at most {made.checked_length}") in (
            made.statement
        )
        wrong_ones += bool(wrong)
    assert told > 3
    assert wrong_ones > 0
