"""What the portfolio asks of every searcher."""

import numpy as np
import pytest

from inference.samples import Readings, balance
from lengthwise.inference import network_guide
from lengthwise.inference.portfolio import SEARCHERS
from lengthwise.inference.sample import Sample
from lengthwise.inference.searcher import AttemptPutOffError, Searcher, SearchTask, to_language
from lengthwise.languages.spec import parse


def words(noise: float) -> Sample:
    """The same words, each time in a sample of its own, of which nothing is known yet."""
    language = parse("count:a:2:abc") ^ parse("regex[abc]:.*bb.*")
    sample = balance(language, 300, shortest=2, longest=12, seed=0)
    draw = np.random.default_rng(0)
    labels = sample.classes ^ (draw.random(len(sample)) < noise)
    every = [sample.word(row) for row in range(len(sample))]
    return Sample.of_words(every, labels.tolist(), 3, 2)


class PutOff(Readings):
    """Ends an attempt when it counts for the n-th time."""

    def __init__(self, last: int) -> None:
        super().__init__()
        self.last = last

    def read(self, symbols: int) -> None:
        super().read(symbols)
        if self.times == self.last:
            raise AttemptPutOffError


@pytest.mark.parametrize("noise", [0.0, 0.1])
@pytest.mark.parametrize("searcher", SEARCHERS, ids=lambda searcher: searcher.name)
def test_an_attempt_that_was_put_off_is_made_again_as_if_it_were_the_first_time(
    searcher: Searcher, noise: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(network_guide, "_STEPS", 10)
    best = to_language(np.array([[1, 0, 0], [0, 1, 1]]), np.array([0, 1]), words(noise))
    for number in range(2):
        whole, again, sample = Readings(), Readings(), words(noise)
        made = searcher.attempt(number, SearchTask(words(noise), noise, best=best, read=whole.read))
        if made is None:
            return
        for last in {1, max(whole.times // 2, 1), whole.times}:
            with pytest.raises(AttemptPutOffError):
                searcher.attempt(
                    number, SearchTask(sample, noise, best=best, read=PutOff(last).read)
                )
        task = SearchTask(sample, noise, best=best, read=again.read)
        assert searcher.attempt(number, task) == made
        assert again.symbols == whole.symbols
        assert type(whole.symbols) is int
        assert whole.symbols > len(sample)
