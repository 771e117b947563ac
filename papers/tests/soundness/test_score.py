"""Cases and scores: drawn from a seed, and no fault is said to hold."""

import pytest

from lengthwise.errors import ConfigError
from lengthwise_papers import soundness
from lengthwise_papers.soundness import KINDS, Answer, Question

QUICK = [kind for kind in KINDS if kind != "one length"]
"""Kinds that `certify` decides in less than a second."""


@pytest.mark.slow
def test_ours_says_of_no_fault_that_it_holds() -> None:
    tallies = soundness.run(soundness.ours, soundness.cases(2, each=1, kinds=QUICK))
    for kind, tally in tallies.items():
        assert (tally.wrongly_holds, tally.wrongly_fails) == (0, 0), kind
    assert tallies["sound"].right == 1


def test_ours_is_certain_of_no_sum_whose_order_decides() -> None:
    """Most of them are right as they run, so that nothing but a bound can tell."""
    for case in soundness.cases(2, each=2, kinds=["margin", "cancellation"]):
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
def test_cases_are_drawn_from_their_seed_alone() -> None:
    kinds = ["one pad", "overflow", "forged file"]
    few = [case.digest for case in soundness.cases(each=1, kinds=kinds)]
    more = [case.digest for case in soundness.cases(each=2, kinds=kinds)]
    assert more[::2] == few
    assert len(set(more)) == len(more)
    assert few != [case.digest for case in soundness.cases(1, each=1, kinds=kinds)]


def test_no_such_kind_number_or_answer() -> None:
    with pytest.raises(ConfigError, match=r"unknown kind of case 'margins'.*'margin'"):
        list(soundness.cases(kinds=["margins"]))
    with pytest.raises(ConfigError, match="each=-1"):
        list(soundness.cases(each=-1))

    def wordy(question: Question) -> Answer:
        return "equivalent"  # type: ignore[return-value]

    with pytest.raises(ConfigError, match="'one pad 0' it answered 'equivalent'"):
        soundness.run(wordy, soundness.cases(each=1, kinds=["one pad"]))
