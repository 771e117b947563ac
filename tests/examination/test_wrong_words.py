"""The searches for a wrong word: what each asks, and what it may say."""

import time

import torch
from torch import Tensor, nn

import lengthwise as lw
from lengthwise.examination.wrong_words import (
    Asker,
    Search,
    follow,
    repeated_words,
    shorten_word,
    try_all,
    try_words,
)
from lengthwise.models.custom_network import with_lengths
from lengthwise.models.stepping import steps_of
from models.recurrences import CountedParity

PARITY = lw.language("parity")


class WrongOn(nn.Module):
    """Right on parity, except where a word contains another."""

    def __init__(self, *part: int) -> None:
        super().__init__()
        self.part = "".join(map(str, part))

    def forward(self, tokens: Tensor, lengths: Tensor) -> Tensor:
        rows = zip(tokens.tolist(), lengths.tolist(), strict=True)
        words = ["".join(map(str, row[len(row) - n :])) for row, n in rows]
        odd = torch.tensor([(w.count("1") + (self.part in w)) % 2 for w in words])
        return torch.nn.functional.one_hot(odd, 2).float()


def soon() -> float:
    return time.monotonic() + 30


def test_all_words_up_to_a_length_are_asked() -> None:
    asker, search = Asker(WrongOn(1, 0, 0, 1, 1), PARITY), Search()
    try_all(asker, search, end=soon(), most=10**6)
    assert search.word == (1, 0, 0, 1, 1)
    assert (search.right_to, search.how, search.is_shortest) == (4, "exhaustive", True)


def test_a_length_that_is_not_asked_in_full_is_not_claimed() -> None:
    asker, search = Asker(WrongOn(*[1] * 14), PARITY), Search()
    try_all(asker, search, end=soon(), most=2**10)
    assert search.tried == {"exhaustive": 4096}  # one batch: all words to 11 symbols, one of 12
    assert search.right_to == 11
    assert not search.is_shortest


def test_a_wrong_word_is_made_shorter_by_asking() -> None:
    asker, search = Asker(WrongOn(1, 1, 0), PARITY), Search()
    try_words(asker, search, "sampled", [(0,) * 40 + (1, 1, 0) + (1, 0) * 20])
    shorten_word(asker, search, end=soon())
    assert search.word == (1, 1, 0)
    assert search.how == "sampled"
    assert not search.is_shortest  # for nobody asked all words of two symbols


def test_words_outside_the_domain_are_not_asked() -> None:
    language = lw.language("modular-arithmetic")
    asker, search = Asker(WrongOn(9), language), Search()
    try_words(asker, search, "guided", [(language.num_symbols - 1,) * 2])
    assert (search.tried, asker.tried) == ({}, 0)


def test_along_the_states_every_prefix_is_looked_at() -> None:
    network = with_lengths(CountedParity(321))
    asker, search = Asker(network, PARITY), Search()
    follow(steps_of(network, 2, 2), asker, search, longest=400, end=soon(), seed=0)
    assert search.word is not None
    assert len(search.word) == 321
    assert search.longest == {"guided": 321}


def test_short_words_are_repeated() -> None:
    words = repeated_words(2)
    assert words[:2] == [(0,) * 50, (1,) * 50]
    assert max(map(len, words)) == 401
