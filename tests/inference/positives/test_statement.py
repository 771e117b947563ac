"""What words of one label say of a language."""

import json

import pytest

from inference.positives.oracles import RULES, words_of
from inference.samples import Word, sample_of
from lengthwise.inference.limits import limit_of_different
from lengthwise.inference.positives import statement
from lengthwise.inference.positives.choice import choose
from lengthwise.inference.positives.statement import PositiveStatement, state_positives


def make_statement(held: list[Word], rule: str = "2-testable") -> PositiveStatement:
    train, valid = words_of(RULES[rule])
    choice, _ = choose(train, valid)
    assert choice is not None
    count = len(train) + len(valid)
    return state_positives(choice, choice.language, count, sample_of(held, [1] * len(held)))


IN = [(0,) * n for n in range(2, 20)]
OUT = [(1, 1, *([0] * n)) for n in range(4)]


def test_words_that_it_has_speak_for_it() -> None:
    found = make_statement([(0, 1, 0), (0, 0), (1, 0, 0, 0)])
    assert found.verdict == found.refutation == ""
    assert found.held_out.wrong == 0
    assert found.missing_share_below == limit_of_different(0, 3, 1 - found.confidence)
    mean = (3 / 4 + 5 / 8 + 8 / 16) / 3
    assert found.share_of_all == pytest.approx(mean)
    assert [round(2**each.words) for each in found.counts if each.words is not None] == [3, 5, 8]
    assert found.headline == "has 3 of 3 words held out, and 62 % of all words as long"
    assert "only the assumption does" in " ".join(found.sentences())
    assert json.loads(json.dumps(found.to_dict()))["sentences"] == found.sentences()


def test_many_that_it_lacks_refute_it_and_few_make_doubt() -> None:
    refuted = make_statement([*IN[:3], *OUT])
    assert refuted.verdict == "refuted"
    assert refuted.headline.startswith("refuted: has 3 of 7 words held out")
    assert refuted.refutation == refuted.sentences()[0]
    assert "lacks 4 of 7 words held out, such as" in refuted.refutation
    doubtful = make_statement([*IN[:1], OUT[0]])
    assert (doubtful.verdict, doubtful.refutation) == ("in doubt", "")
    assert doubtful.sentences()[0].startswith("A may not be the language: it lacks 1 of 2")
    assert make_statement([*IN, *[(0,) * n for n in range(20, 200)], OUT[0]]).verdict == ""


def test_a_language_of_all_words_says_nothing() -> None:
    words = [(0,), (1,), (0, 0), (1, 1), (0, 1), (1, 0), (), (0, 0, 1), (1, 1, 0), (1, 0, 1)]
    train, valid = sample_of(words[:-1], [1] * 9), sample_of(words[-1:], [1])
    choice, _ = choose(train, valid, assume="prefix-closed")
    assert choice is not None
    found = state_positives(choice, choice.language, 10, sample_of([(0, 0, 0)], [1]))
    assert (found.verdict, found.share_of_all) == ("at chance", 1.0)
    assert found.refutation.startswith("The words show no rule")


@pytest.mark.parametrize(
    ("share", "written"), [(1.0, "100 %"), (0.996, "100 %"), (0.444, "44 %"), (0.0, "0 %")]
)
def test_a_share_is_written_with_two_digits(share: float, written: str) -> None:
    assert statement._percent(share) == written
