"""Classes on a tier, against the definition that tries every set of symbols."""

from hypothesis import given

import ladder_oracles as oracles
from ladder_checks import ON_A_TIER, check_witnesses, inclusions, with_idle_symbol
from lengthwise.languages.ladder import ladder
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from strategies import machines, recognisers


@given(recognisers(max_states=3))
def test_a_tier_skips_what_is_idle(language: Language) -> None:
    """With a symbol that is skipped, the language is of a class on a tier as it was before."""
    before, idle = ladder(language), with_idle_symbol(language)
    after = ladder(idle)
    for key, holds in ON_A_TIER.items():
        assert after[key].holds is before[key].holds is oracles.on_some_tier(idle, holds)
    assert not inclusions(after)
    check_witnesses(idle, after)


@given(machines(max_states=4))
def test_a_tier_of_languages_with_more_classes(language: Language) -> None:
    before, after = ladder(language), ladder(with_idle_symbol(language))
    for key in ON_A_TIER:
        assert after[key].holds is before[key].holds
    assert not inclusions(after)


def test_one_symbol_that_is_skipped_breaks_windows_and_no_tier() -> None:
    """`ab` in a row, with any number of c between: TSL, and not even locally threshold testable."""
    found = ladder(parse("regex:(c*ac*b)*c*"))
    assert found["threshold_testable"].holds is False
    assert found["dot_depth_one"].holds is False
    verdict = found["tier_strictly_local"]
    assert verdict.holds
    assert verdict.numbers == {"k": 2}
    assert verdict.says.startswith("c skipped: the windows of 2 symbols that may occur decide")
    assert found["tier_co_strictly_local"].holds is False


def test_witnesses_on_a_tier_are_written_in_the_whole_alphabet() -> None:
    """One symbol has two characters, so there are spaces between symbols, on the tier, too."""
    parity = with_idle_symbol(parse("parity"))
    says = ladder(parity)["tier_strictly_local"].says
    assert says.startswith("0, idle skipped: ")
    check_witnesses(parity, ladder(parity))
