"""The search for translations: against all there are, a plain beam, and no cache."""

import itertools
import math
import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from lengthwise.errors import ConfigError, TextError
from lengthwise.text.data.parallel_corpus import BEGIN, END, PAD, Ragged
from lengthwise.text.evaluation.decoding import DecodingConfig
from lengthwise.text.evaluation.translate import (
    MOST_TOKENS,
    DecodingState,
    groups,
    require_short,
    search,
    translate_sentences,
)
from lengthwise.text.models.encoder_decoder import EncoderDecoder, EncoderDecoderConfig

SYMBOLS = 6


def _logits(seed: int, source: tuple[int, ...], written: tuple[int, ...]) -> list[float]:
    draw = random.Random(f"{seed} {source} {written}")
    return [draw.gauss(0, 2) for _ in range(SYMBOLS)]


class _TableWriting:
    def __init__(self, seed: int, sources: list[tuple[int, ...]], beams: int) -> None:
        self._seed, self._sources = seed, sources
        self._written: list[list[tuple[int, ...]]] = [[()] * beams for _ in sources]

    def __call__(self, tokens: Tensor) -> Tensor:
        rows = tokens.tolist()
        self._written = [
            [(*so_far, token) for so_far, token in zip(beams, row, strict=True)]
            for beams, row in zip(self._written, rows, strict=True)
        ]
        return torch.tensor(
            [
                [_logits(self._seed, source, so_far) for so_far in beams]
                for source, beams in zip(self._sources, self._written, strict=True)
            ],
            dtype=torch.float64,
        )

    def keep(self, pairs: Tensor, beams: Tensor) -> None:
        self._sources = [self._sources[pair] for pair in pairs.tolist()]
        self._written = [
            [self._written[pair][beam] for beam in row]
            for pair, row in zip(pairs.tolist(), beams.tolist(), strict=True)
        ]


class Table:
    """A translator whose probabilities are drawn, for each beginning of a translation."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def begin(self, source: Tensor, beams: int) -> DecodingState:
        rows = [tuple(token for token in row if token != PAD) for row in source.tolist()]
        return _TableWriting(self.seed, rows, beams)

    def log_shares(self, source: tuple[int, ...], written: tuple[int, ...]) -> dict[int, float]:
        logits = _logits(self.seed, source, (BEGIN, *written))
        open_ = {s: logits[s] for s in range(SYMBOLS) if s not in (PAD, BEGIN)}
        total = math.log(sum(map(math.exp, open_.values())))
        return {symbol: logit - total for symbol, logit in open_.items()}


def _worth(table: Table, source: tuple[int, ...], written: tuple[int, ...], power: float) -> float:
    total = sum(
        table.log_shares(source, written[:place])[token] for place, token in enumerate(written)
    )
    return float(total / ((5 + len(written)) / 6) ** power)


def _find(table: Table, sources: Sequence[tuple[int, ...]], limit: int, **config: Any) -> list[Any]:
    longest = max(map(len, sources))
    rows = torch.tensor([[*source, *[PAD] * (longest - len(source))] for source in sources])
    limits = torch.full((len(sources),), limit)
    found = search(table, rows, limits, DecodingConfig(**config))
    return [each.tokens for each in found]


@given(seed=st.integers(0, 10**6), limit=st.integers(1, 4), power=st.sampled_from([0.0, 0.6, 2.0]))
def test_a_beam_that_drops_nothing_finds_the_best_of_all(
    seed: int, limit: int, power: float
) -> None:
    table, source = Table(seed), (3, END)
    tokens = [symbol for symbol in range(SYMBOLS) if symbol not in (PAD, BEGIN, END)]
    ended = [
        (*beginning, END)
        for length in range(limit)
        for beginning in itertools.product(tokens, repeat=length)
    ]
    best = max(ended, key=lambda written: _worth(table, source, written, power))
    (found,) = _find(table, [source], limit, beam=200, length_penalty=power, patience=1e6)
    assert (*found, END) == best


def _plain_beam(
    table: Table, source: tuple[int, ...], limit: int, config: DecodingConfig
) -> tuple[int, ...]:
    """A beam for one source, in lists, that goes on until enough have ended, or to the limit."""
    alive: list[tuple[float, tuple[int, ...]]] = [(0.0, ())]
    best: tuple[float, tuple[int, ...]] | None = None
    num_ended = 0
    for _ in range(limit):
        grown = [
            (value + share, (*written, symbol))
            for value, written in alive
            for symbol, share in table.log_shares(source, written).items()
        ]
        grown = sorted(grown, reverse=True)[: config.beam]
        for value, written in grown:
            worth = value / ((5 + len(written)) / 6) ** config.length_penalty
            if written[-1] == END and (best is None or worth > best[0]):
                best = worth, written[:-1]
        alive = [each for each in grown if each[1][-1] != END]
        num_ended += len(grown) - len(alive)
        if num_ended >= config.patience * config.beam:
            break
    if best is None:
        return max(alive)[1]
    return best[1]


@given(
    seed=st.integers(0, 10**6),
    sources=st.lists(
        st.lists(st.integers(3, 5), max_size=3).map(lambda row: (*row, END)),
        min_size=1,
        max_size=4,
    ),
    beam=st.integers(1, 5),
    limit=st.integers(1, 7),
    power=st.sampled_from([0.0, 0.6, 1.5]),
    patience=st.sampled_from([0.5, 1.0, 2.0, 1e6]),
)
def test_it_finds_what_a_plain_beam_finds(
    *,
    seed: int,
    sources: list[tuple[int, ...]],
    beam: int,
    limit: int,
    power: float,
    patience: float,
) -> None:
    table = Table(seed)
    settings: dict[str, Any] = {"beam": beam, "length_penalty": power, "patience": patience}
    found = _find(table, sources, limit, **settings)
    config = DecodingConfig(**settings)
    plain = [_plain_beam(table, source, limit, config) for source in sources]
    assert [tuple(each) for each in found] == plain


def test_a_search_without_patience_ends_as_a_plain_beam_does() -> None:
    """Where that changes what is found, which random settings seldom meet."""
    source, changed = (3, END), 0
    for seed in range(100):
        table, found = Table(seed), []
        for patience in (0.5, 1e6):
            settings: dict[str, Any] = {"beam": 4, "length_penalty": 1.5, "patience": patience}
            found += _find(table, [source], 7, **settings)
            assert tuple(found[-1]) == _plain_beam(table, source, 7, DecodingConfig(**settings))
        changed += found[0] != found[1]
    assert changed > 5


class _Patient(Table):
    """Ends at once with p = .37, or goes on with p = .3 and then surely, to end after 8 tokens."""

    def begin(self, source: Tensor, beams: int) -> DecodingState:
        class Going:
            length = 0

            def __call__(self, tokens: Tensor) -> Tensor:
                self.length += 1
                logits = torch.full((*tokens.shape, SYMBOLS), -50.0, dtype=torch.float64)
                if self.length == 1:
                    logits[:, :, END], logits[:, :, 4], logits[:, :, 5] = -1.0, -1.2, -1.1
                else:  # after 5, everything is unlikely
                    logits[:, :, 3 if self.length < 8 else END] = 0.0
                    logits[tokens == 5] = 0.0
                return logits

            def keep(self, pairs: Tensor, beams: Tensor) -> None:
                pass

        return Going()


def test_a_search_goes_on_while_something_longer_may_come_to_be_worth_more() -> None:
    sources, patient = [(3, END)], _Patient(0)
    assert _find(patient, sources, 9, beam=3, length_penalty=0.0) == [[]]
    assert _find(patient, sources, 9, beam=3, length_penalty=2.0) == [[4, *[3] * 6]]


@given(seed=st.integers(0, 10**6), limit=st.integers(1, 8))
def test_a_beam_of_one_is_greedy(seed: int, limit: int) -> None:
    table, source = Table(seed), (4, END)
    written: tuple[int, ...] = ()
    while len(written) < limit:
        shares = table.log_shares(source, written)
        token = max(shares, key=lambda symbol: shares[symbol])
        if token == END:
            break
        written = (*written, token)
    (found,) = _find(table, [source], limit, beam=1)
    assert tuple(found) == written


# ---- with the network ----------------------------------------------------------------------------


def _make_ragged(sentences: list[list[int]]) -> Ragged:
    tokens = np.array([token for sentence in sentences for token in sentence], dtype=np.int64)
    return Ragged(tokens, np.cumsum([0, *map(len, sentences)]))


class _WithoutCache:
    """The same network, which reads all that was written again at every token."""

    def __init__(self, model: EncoderDecoder) -> None:
        self._model = model

    def begin(self, source: Tensor, beams: int) -> DecodingState:
        self._source = source
        self._written = torch.zeros(len(source), beams, 0, dtype=torch.long)
        return self

    def __call__(self, tokens: Tensor) -> Tensor:
        self._written = torch.cat([self._written, tokens[:, :, None]], dim=2)
        rows = self._written.flatten(0, 1)
        sources = self._source.repeat_interleave(tokens.shape[1], dim=0)
        return self._model(sources, rows)[:, -1].view(*tokens.shape, -1)

    def keep(self, pairs: Tensor, beams: Tensor) -> None:
        self._source = self._source[pairs]
        self._written = self._written[pairs[:, None], beams]


@pytest.mark.slow_except("3")
@pytest.mark.parametrize("beam", [1, 3])
def test_translations_are_those_without_a_cache(beam: int) -> None:
    model = EncoderDecoder(
        EncoderDecoderConfig(vocab_size=12, d_model=8, num_heads=2, scale="log-length")
    )
    model.initialise(torch.Generator().manual_seed(beam))
    model.double().eval()
    draw = random.Random(0)
    sources = _make_ragged([[draw.randrange(3, 12) for _ in range(n)] for n in (5, 0, 9, 2, 14, 5)])
    config = DecodingConfig(beam=beam)
    found = translate_sentences(model, sources, config)
    assert found == translate_sentences(_WithoutCache(model), sources, config)
    assert len(found) == 6
    assert any(each.tokens for each in found)
    alone = [
        translate_sentences(model, _make_ragged([sources.tokens(n).tolist()]), config)[0]
        for n in range(6)
    ]
    assert found == alone


def test_no_sources_are_no_translations() -> None:
    assert translate_sentences(Table(0), _make_ragged([]), DecodingConfig()) == []


@given(lengths=st.lists(st.integers(0, 300), max_size=60), beam=st.integers(1, 8))
def test_groups_have_every_source_once_and_room_for_them(lengths: list[int], beam: int) -> None:
    found = groups(np.array(lengths, dtype=np.int64), beam)
    assert sorted(number for group in found for number in group.tolist()) == list(
        range(len(lengths))
    )
    for group in found:
        longest = max(lengths[number] for number in group)
        assert len(group) == 1 or len(group) * beam * (longest + 1) <= 2**13


def test_what_is_too_long_is_refused_with_the_limit() -> None:
    with pytest.raises(TextError, match=r"line 7 has 4,097 tokens, but 4,096 is the most"):
        require_short(MOST_TOKENS + 1, "line 7")
    require_short(MOST_TOKENS, "line 7")
    with pytest.raises(TextError, match="sentence 2 has 4,097 tokens"):
        translate_sentences(Table(0), _make_ragged([[3], [3] * 4_097]), DecodingConfig())


def test_a_source_of_nothing_is_nothing() -> None:
    found = translate_sentences(Table(3), _make_ragged([[], [3, 4], []]), DecodingConfig())
    assert (found[0].tokens, found[2].tokens) == ([], [])
    assert found[1].tokens or found[1].is_cut is False


class _Endless(Table):
    """Never says that a translation ends."""

    def begin(self, source: Tensor, beams: int) -> DecodingState:
        writing = super().begin(source, beams)

        class Going:
            def __call__(self, tokens: Tensor) -> Tensor:
                logits = writing(tokens)
                logits[:, :, END] = -1e9
                return logits

            def keep(self, pairs: Tensor, beams: Tensor) -> None:
                writing.keep(pairs, beams)

        return Going()


@pytest.mark.parametrize("beam", [1, 3])
def test_what_does_not_end_is_cut_and_it_is_said(beam: int) -> None:
    (found,) = translate_sentences(
        _Endless(0), _make_ragged([[3, 4]]), DecodingConfig(beam=beam, ratio=1.5)
    )
    assert found.is_cut
    assert len(found.tokens) == 13  # 1.5 for each of two, and 10
    (ended,) = translate_sentences(
        Table(0), _make_ragged([[3, 4]]), DecodingConfig(beam=beam, ratio=9)
    )
    assert not ended.is_cut


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ({"beam": 0}, "beam"),
        ({"beam": 257}, "beam=257 is too large"),
        ({"length_penalty": -0.1}, "length_penalty=-0.1 is too small. Use 0 or more."),
        ({"length_penalty": math.nan}, "length_penalty=nan is too small"),
        ({"patience": 0.0}, "patience=0.0 is too small. Use a number above 0."),
        ({"patience": math.nan}, "patience=nan is too small"),
        ({"patience": 2e6}, "patience=2000000.0 is too large"),
        ({"ratio": 0.0}, "ratio=0.0 is too small"),
    ],
)
def test_searches_that_cannot_be_are_refused(setting: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        DecodingConfig(**setting)
