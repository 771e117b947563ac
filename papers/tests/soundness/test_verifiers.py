"""Each kind of case catches an unsound verifier."""

import pytest

from lengthwise_papers import soundness
from lengthwise_papers.soundness import VERIFIERS


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
