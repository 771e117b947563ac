"""Local search ends at a tier that no single symbol improves."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inference.rungs.oracles import samples, tiers
from inference.samples import balance
from lengthwise.inference.rungs.literals import MarkedWords, Mask, windows
from lengthwise.inference.rungs.tiers import Judge, LeftEntropy, Uncovered, search_tier
from lengthwise.inference.sample import Sample
from lengthwise.languages.subregular import subregular
from lengthwise.languages.verdicts import LadderSubject

JUDGES: list[Judge] = [LeftEntropy(kind=windows(2)), Uncovered(kind=windows(2), covered=1)]


@settings(max_examples=40)
@given(samples(least=8), tiers(), st.sampled_from(JUDGES))
def test_no_single_symbol_improves_a_tier(sample: Sample, start: Mask, judge: Judge) -> None:
    words = MarkedWords.of(sample)
    before = start.copy()
    found = search_tier(words, judge, start)
    assert (start == before).all()
    badness = judge(words.on_tier(found))
    assert badness <= judge(words.on_tier(start))
    if badness > 0:
        for symbol in range(3):
            tier = found.copy()
            tier[symbol] ^= True
            if tier.any():
                assert judge(words.on_tier(tier)) >= badness - 1e-5


@given(samples(), tiers())
def test_words_on_a_tier_have_the_symbols_of_the_tier_in_order(sample: Sample, tier: Mask) -> None:
    read = MarkedWords.of(sample).on_tier(tier)
    for row in range(len(sample)):
        symbols = [s + 1 for s in sample.word(row) if tier[s]]
        digits = read.digits[row].tolist()
        assert digits == [4, *symbols, 4, *[0] * (len(digits) - len(symbols) - 2)]


@pytest.mark.parametrize("symbols", [4, 16])
def test_the_tier_of_a_language_is_found_from_all_symbols(symbols: int) -> None:
    language = subregular("TSL", seed=1, symbols=symbols)
    words = MarkedWords.of(balance(language, 1_000, shortest=20, longest=29, seed=0))
    judge = Uncovered(kind=windows(2), covered=0)
    start = np.ones(symbols, dtype=bool)
    found = search_tier(words, judge, start)
    assert tuple(np.flatnonzero(found).tolist()) == LadderSubject(language).tier
    assert judge(words.on_tier(found)) == 0
