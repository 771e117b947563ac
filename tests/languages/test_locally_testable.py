"""Windows at the ends and anywhere."""

from hypothesis import given

from ladder_checks import pieces
from lengthwise.languages.ladder import ladder
from lengthwise.languages.language import Language
from lengthwise.languages.locally_testable import dot_depth_one
from lengthwise.languages.spec import parse
from lengthwise.languages.verdicts import LadderSubject
from strategies import recognisers


def test_long_windows_do_not_tell_the_words_of_a_witness_apart() -> None:
    """Knast's words are pumped inside, too: with `(exfye)^m` alone, they differ in long windows."""
    language = parse("subregular:SF,seed=0")
    verdict = dot_depth_one(LadderSubject(language))
    assert verdict.holds is False
    one, two = (word.at(6) for word in verdict.words)
    assert pieces(one, 6, 2) == pieces(two, 6, 2)


@given(recognisers(max_states=4))
def test_windows_that_shrink_to_symbols_make_subsequences(language: Language) -> None:
    """Knast's equation with the empty word among the idempotents is Simon's."""
    with_identity = dot_depth_one(LadderSubject(language), with_identity=True)
    assert with_identity.holds is ladder(language)["piecewise_testable"].holds
