"""What a translator learns from: which pairs, how often, and how it is judged."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional as F

from lengthwise.errors import ConfigError, RunError, TextError
from lengthwise.problems.base import Plan
from lengthwise.problems.planning import make_plan, plan_from_dict
from lengthwise.problems.runs import claim, load_run, train
from lengthwise.text.data.numbers import _COUNTS
from lengthwise.text.data.parallel_corpus import (
    BEGIN,
    END,
    PairsConfig,
    ParallelCorpus,
    Ragged,
    SentencePairs,
)
from lengthwise.text.data.parallel_corpus import prepare_parallel as prepare
from lengthwise.text.models.encoder_decoder import EncoderDecoder
from lengthwise.text.problems.translation.objective import (
    NextTargetToken,
    SentencesConfig,
    buckets,
    find_within,
    limits,
    no_longer,
)
from lengthwise.training.loop import fit
from lengthwise.training.runs import RunFolder

SMALL = {"steps": 6, "validate_every": 3, "dropout": 0.2, "batch_tokens": 400}


def _pairs(source: list[int], target: list[int]) -> SentencePairs:
    def side(lengths: list[int], first: int) -> Ragged:
        tokens = np.arange(first, first + sum(lengths), dtype=np.int64) % 17 + 3
        return Ragged(tokens, np.cumsum([0, *lengths]))

    return SentencePairs(source=side(source, 0), target=side(target, 5))


lengths = st.lists(st.tuples(st.integers(1, 120), st.integers(1, 120)), min_size=1, max_size=80)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> ParallelCorpus:
    folder = tmp_path_factory.mktemp("numbers") / "corpus"
    config = PairsConfig(vocab_size=300)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(_COUNTS, "train", {3: 300, 6: 700})
        return prepare(folder, {"train": ["numbers"]}, ("digits", "words"), config)


def _plan(corpus: ParallelCorpus, **settings: Any) -> Plan:
    return make_plan(f"translation:{corpus.folder}", preset="smoke", settings={**SMALL, **settings})


# ---- pairs ---------------------------------------------------------------------------------------


@given(sizes=lengths)
def test_buckets_have_every_pair_once_and_pairs_of_like_length(
    sizes: list[tuple[int, int]],
) -> None:
    pairs = _pairs(*map(list, zip(*sizes, strict=True)))
    found = buckets(pairs, np.arange(len(sizes)))
    assert sorted(np.concatenate(found).tolist()) == list(range(len(sizes)))
    for bucket in found:
        for side in (0, 1):
            own = [sizes[number][side] for number in bucket]
            assert max(own) <= 1.25 * min(own) + 4


@given(sizes=lengths, batch=st.integers(50, 2_000))
def test_every_pair_is_drawn_equally_often(sizes: list[tuple[int, int]], batch: int) -> None:
    pairs = _pairs(*map(list, zip(*sizes, strict=True)))
    goal = NextTargetToken(pairs, pairs, SentencesConfig(batch_tokens=batch))
    shares = (goal._shares / goal._shares.sum()).tolist()
    per_step = [
        share * size / len(bucket)
        for share, size, bucket in zip(shares, goal._sizes, goal._buckets, strict=True)
    ]
    assert per_step == pytest.approx([per_step[0]] * len(per_step))
    for size, bucket in zip(goal._sizes, goal._buckets, strict=True):
        longest = max(sizes[n][0] for n in bucket) + max(sizes[n][1] for n in bucket) + 2
        assert size == min(len(bucket), max(1, batch // longest))


def test_short_is_up_to_the_median_and_long_is_above() -> None:
    train = _pairs([1, 2, 3, 4, 9], [1, 1, 1, 1, 1])
    found = limits(train, "train-short-test-long")
    assert find_within(train, found.train).tolist() == [0, 1, 2]
    assert find_within(train, found.test).tolist() == [3, 4]
    both = limits(train, "train-all-test-all")
    assert len(find_within(train, both.train)) == len(find_within(train, both.test)) == 5


def test_training_and_validation_see_short_sources_alone() -> None:
    train, validation = _pairs([2, 4, 6, 30], [3, 3, 3, 3]), _pairs([5, 4, 40], [3, 3, 3])
    config = SentencesConfig(protocol="train-short-test-long")
    goal = NextTargetToken(train, validation, config)
    assert sorted(np.concatenate(goal._buckets).tolist()) == [0, 1]
    assert sorted(np.concatenate(goal._asked).tolist()) == [0, 1]


def test_long_pairs_are_left_out_and_where_none_remains_it_is_said() -> None:
    pairs = _pairs([5, 300, 6], [5, 6, 300])
    assert no_longer(pairs, np.arange(3), 200).tolist() == [0]
    goal = NextTargetToken(pairs, pairs, SentencesConfig(longest=200))
    assert np.concatenate(goal._buckets).tolist() == [0]
    with pytest.raises(TextError, match="no pair to train on has at most 4 tokens"):
        NextTargetToken(pairs, pairs, SentencesConfig(longest=4))


# ---- the loss ------------------------------------------------------------------------------------


def test_the_loss_is_that_of_each_token_alone(corpus: ParallelCorpus) -> None:
    plan = _plan(corpus, label_smoothing=0.2, dropout=0.0)
    model = plan.draw().eval()
    assert isinstance(model, EncoderDecoder)
    goal, pairs = plan.problem.objective(plan), corpus.part("train")
    assert isinstance(goal, NextTargetToken)
    data = torch.Generator().manual_seed(5)
    step = goal.step(model, data, torch.Generator())
    again = torch.Generator().manual_seed(5)
    number = int(torch.multinomial(goal._shares, 1, generator=again))
    drawn = torch.randint(len(goal._buckets[number]), (goal._sizes[number],), generator=again)
    losses, right = [], []
    for pair in goal._buckets[number][drawn.numpy()]:
        source = torch.tensor([[*pairs.source.tokens(pair), END]])
        target = [BEGIN, *pairs.target.tokens(pair).tolist()]
        logits = model(source, torch.tensor([target]))[0]
        asked = torch.tensor([*target[1:], END])
        shares = logits.log_softmax(dim=1)
        exact = -shares.gather(1, asked[:, None])[:, 0]
        losses += (0.8 * exact - 0.2 * shares.mean(dim=1)).tolist()
        right += (logits.argmax(dim=1) == asked).tolist()
    assert step.num_words == len(losses)
    assert step.loss.item() == pytest.approx(np.mean(losses), abs=1e-5)
    assert step.accuracy == pytest.approx(np.mean(right))


def test_validation_is_the_mean_over_all_tokens(corpus: ParallelCorpus) -> None:
    plan = _plan(corpus, validation_pairs=100)
    model, pairs = plan.draw().eval(), corpus.part("valid")
    found = plan.problem.objective(plan).validate(model, torch.Generator())
    losses = []
    for pair in range(0, len(pairs), len(pairs) // 100):
        source = torch.tensor([[*pairs.source.tokens(pair), END]])
        target = [*pairs.target.tokens(pair).tolist(), END]
        logits = model(source, torch.tensor([[BEGIN, *target[:-1]]]))[0]
        losses += F.cross_entropy(logits, torch.tensor(target), reduction="none").tolist()
    assert found.loss == pytest.approx(np.mean(losses), abs=1e-5)
    assert found.score == -found.loss


# ---- runs ----------------------------------------------------------------------------------------


class _Stop:
    def update(self, step: int, record: Any) -> None:
        if step == 4:
            raise KeyboardInterrupt


@pytest.mark.slow
def test_an_interrupted_run_ends_with_the_same_weights(
    corpus: ParallelCorpus, tmp_path: Path
) -> None:
    plan = _plan(corpus)
    whole = train(plan, device="cpu").model.state_dict()
    folder = RunFolder(tmp_path / "run")
    claim(folder, plan, {})
    with pytest.raises(KeyboardInterrupt):
        fit(
            plan.draw(),
            plan.problem.objective(plan),
            plan.training,
            folder=folder,
            progress=_Stop(),
        )
    found = train(plan, out=tmp_path / "run", device="cpu").model.state_dict()
    assert found.keys() == whole.keys()
    assert all(torch.equal(found[name], whole[name]) for name in whole)


@pytest.mark.needs_precision("bfloat16")
def test_in_half_precision_the_loss_is_about_the_same(corpus: ParallelCorpus) -> None:
    losses = []
    for kind in ("none", "bfloat16"):
        plan = _plan(corpus, autocast=kind, dropout=0.0)
        step = plan.problem.objective(plan).step(
            plan.draw(), torch.Generator().manual_seed(1), torch.Generator()
        )
        assert step.loss.dtype == torch.float32
        losses.append(step.loss.item())
    assert losses[0] == pytest.approx(losses[1], rel=1e-2)
    assert losses[0] != losses[1]


def test_a_stored_run_is_the_one_that_was_trained(corpus: ParallelCorpus, tmp_path: Path) -> None:
    plan = _plan(corpus, scale="log-length", protocol="train-short-test-long")
    run = train(plan, out=tmp_path / "run", device="cpu")
    again = load_run(tmp_path / "run", device="cpu")
    assert again.plan == plan == plan_from_dict(plan.to_dict())
    source, target = torch.tensor([[3, 4, END]]), torch.tensor([[BEGIN, 5]])
    assert torch.equal(run.model.eval()(source, target), again.model(source, target))
    with pytest.raises(RunError, match="classifies no words of a formal language"):
        again.language  # noqa: B018
    with pytest.raises(RunError, match=r"config\.json is damaged"):
        plan_from_dict({**plan.to_dict(), "problem": {"kind": "translation", "corpus": {}}})


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"protocol": "short"}, "must be one of 'train-all-test-all'"),
        ({"label_smoothing": 1.0}, "label_smoothing=1.0 is too large. Use a number below 1."),
        ({"batch_tokens": 0}, "batch_tokens"),
        ({"batch_tokens": 2**25}, "batch_tokens=33,554,432 is too large"),
        ({"scal": "standard"}, "Did you mean 'scale'"),
        ({"scale": "log"}, "unknown attention scale 'log'"),
    ],
)
def test_settings_that_do_not_fit_are_refused(
    corpus: ParallelCorpus, settings: dict[str, Any], words: str
) -> None:
    with pytest.raises(ConfigError, match=words):
        _plan(corpus, **settings)


def test_a_corpus_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TextError, match="holds no prepared corpus"):
        make_plan(f"translation:{tmp_path / 'none'}")
